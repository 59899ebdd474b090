/** Remarks on names and codes: what is found, what mends it, and what is left alone. */
import { describe, expect, test } from 'vitest'
import { type NamedRelease, REMARKS, type ReleaseRemark, remarksOn } from '../../src-contract/release-remarks.ts'
import { REMARK_WORDS } from '../../src-contract/text/release-remarks.ts'

const track = (title: string, more: object = {}) => ({ track_id: title, title, artists: ['Band'], ...more })
const release = (...tracks: ReturnType<typeof track>[]): NamedRelease => ({ title: 'Night', artist: 'Band', tracks })
const found = (named: NamedRelease) => remarksOn(named, 'en').map(({ code, mend }) => [code, mend?.shows])
const ofTitle = (title: string, more: object = {}) => found(release(track(title, more)))

describe('a title', () => {
  test.each([
    ['Night Bus (Official Video)', 'official_video', 'Night Bus'],
    ['Night Bus [Official Music Video]', 'official_video', 'Night Bus'],
    ['Night Bus - Lyric Video', 'official_video', 'Night Bus'],
    ['밤 버스 (공식 뮤직비디오)', 'official_video', '밤 버스'],
    ['Night Bus www.band.com', 'url', 'Night Bus'],
    ['Night Bus https://x.y/z?a=1', 'url', 'Night Bus'],
    ['Night Bus 🚌', 'emoji', 'Night Bus'],
    ['Night 👩‍🚀 Bus', 'emoji', 'Night Bus'],
    ['NIGHT BUS', 'all_capitals', 'Night Bus'],
    ['Night\u200bBus', 'hidden_characters', 'NightBus'],
    ['Night Bus ', 'hidden_characters', 'Night Bus'],
    ['Band - Night Bus', 'artist_in_title', 'Night Bus'],
    ['Track 2', 'generic_title', undefined],
    ['트랙 03', 'generic_title', undefined],
  ])('%j is told as %s', (title, code, shows) => {
    expect(ofTitle(title)).toEqual([[code, shows]])
  })

  test.each([
    ...['Night Bus', 'DNA', 'ABBA', 'Mr. Blue Sky', '1999', '99 Problems', 'Video Games', 'The Official', '밤 버스'],
    ...['Feature Film', 'Soft Left', 'Tracks of My Tears', 'Love ♥', 'No. 1', 'Pt. 2', '©opy', 'Ørsted', 'Kiss x Kiss'],
  ])('%j is left alone', (title) => {
    expect(ofTitle(title)).toEqual([])
  })

  test('of several faults is told for each', () => {
    expect(ofTitle('NIGHT BUS 🚌 (OFFICIAL VIDEO)').map(([code]) => code)).toEqual([
      ...['emoji', 'official_video', 'all_capitals'],
    ])
  })
})

describe('guests', () => {
  const guest = (receivers?: NamedRelease['receivers'], more: object = {}) =>
    remarksOn({ ...release(track('Bus (feat. Mina & Jo)', more)), ...(receivers ? { receivers } : {}) }, 'en')

  test('are moved into their own field, in every spelling', () => {
    for (const title of ['Bus (feat. Mina)', 'Bus ft. Mina', 'Bus [Featuring Mina]', 'Bus feat Mina'])
      expect(remarksOn(release(track(title)), 'en')).toMatchObject([
        {
          code: 'featured_in_title',
          track: 1,
          mend: { track: { title: 'Bus', featured_artists: ['Mina'] }, shows: 'Bus' },
        },
      ])
    expect(guest()).toMatchObject([{ mend: { track: { title: 'Bus', featured_artists: ['Mina', 'Jo'] } } }])
  })

  test('stay in the title where the first receiver asks for that, and are asked for where they are missing', () => {
    expect(guest(['routenote'], { featured_artists: ['mina', 'Jo'] })).toEqual([])
    expect(guest(['routenote'])).toMatchObject([
      { mend: { track: { title: 'Bus (feat. Mina & Jo)', featured_artists: ['Mina', 'Jo'] } } },
    ])
    const missing = { ...release(track('Bus', { featured_artists: ['Mina'] })), receivers: ['routenote' as const] }
    expect(remarksOn(missing, 'en')).toMatchObject([
      { code: 'featured_missing_in_title', mend: { shows: 'Bus (feat. Mina)' } },
    ])
    expect(remarksOn({ ...missing, receivers: ['distrokid'] }, 'en')).toEqual([])
  })
})

test('the same title, ISRC or artist twice is told at the second, and blank is no code', () => {
  const named = release(
    track('Bus', { isrc: 'KRA382400001' }),
    track('bus', { isrc: 'KRA382400001' }),
    track('Bus', { version: 'Live' }),
    track('Tram', { artists: ['Band', 'Mina', 'BAND'] }),
  )
  expect(remarksOn(named, 'en').map(({ code, track: number, mend }) => [code, number, mend?.shows])).toEqual([
    ['same_title', 2, undefined],
    ['same_isrc', 2, ''],
    ['artist_twice', 4, 'Band, Mina'],
  ])
})

test('what mends a remark leaves none of its kind, and changes nothing else', () => {
  const named: NamedRelease = {
    ...{ title: 'NIGHT 🌙', artist: 'Band\u200b', label: 'www.label.com Records' },
    tracks: [track('TRAMWAY (feat. Mina) www.x.com'), track('Band - Tram', { artists: ['Band ', 'Band'] })],
  }
  let current = named
  for (let round = 0; round < 20; round++) {
    const next = remarksOn(current, 'en').find(({ mend }) => mend)
    if (!next) break
    current = mended(current, next)
  }
  expect(remarksOn(current, 'en')).toEqual([])
  expect(current).toMatchObject({ title: 'Night', artist: 'Band', label: 'Records' })
  expect(current.tracks).toMatchObject([
    { title: 'Tramway', featured_artists: ['Mina'] },
    { title: 'Tram', artists: ['Band'] },
  ])
})

function mended(named: NamedRelease, { track_id: id, mend }: ReleaseRemark): NamedRelease {
  const { release: ofRelease, track: ofTrack } = mend!
  const tracks = named.tracks.map((one) => (one.track_id === id ? { ...one, ...ofTrack } : one))
  return { ...named, ...ofRelease, tracks } as NamedRelease
}

test('every remark has a sentence in both languages', () => {
  for (const code of REMARKS) {
    expect(REMARK_WORDS[code].en('x')).toMatch(/\.$/)
    expect(REMARK_WORDS[code].ko('x')).toMatch(/[가-힣].*요\.$/)
  }
})
