/** Labels of the files of a release: what it says stands over the song, and nothing else of the song is lost. */
import { expect, test } from 'vitest'
import type { ReleaseRecord } from '../../../src-server/releases/release.ts'
import { releaseTags } from '../../../src-server/releases/release-labels.ts'
import type { SongTags } from '../../../src-worker/media/audio-facts.ts'

const NEW_TRACK = { artists: [], composers: [], lyricists: [], explicit: false }
const release = {
  facts: {
    ...{ title: 'Night Market', artist: '하늘', kind: 'ep', release_date: '2026-05-01', label: 'Lantern' },
    ...{ upc: '036000291452', genre: 'City Pop', p_line: '2026 Lantern', c_line: '© 2026 하늘' },
  },
  tracks: [
    { trackId: '1', facts: { ...NEW_TRACK, title: '첫차' } },
    {
      trackId: '2',
      facts: {
        ...{ ...NEW_TRACK, title: 'Bus Stop', version: 'Live', artists: ['달', '별'], composers: ['김하늘', 'Lee'] },
        ...{ lyricists: ['박별'], isrc: 'KRA382400001', explicit: true },
      },
    },
  ],
} as unknown as ReleaseRecord
const bare = { ...release, facts: { title: 'Night Market', artist: '하늘', kind: 'ep' } } as ReleaseRecord

const song: SongTags = {
  ...{ title: 'bus stop demo', artist: 'me', album: 'Demos', albumArtist: 'me', track: '7/9', date: '2024' },
  ...{ isrc: 'KRA382400009', comment: 'made by suno; id=1', copyright: '2024 me' },
  other: { lyrics: '밤이 오면', bpm: '118', disc: '2/2', 'MusicBrainz Album Id': 'x', upc: '1', 'title-sort': 'bus' },
}

test('every fact of the release and the track is there, and what the song has besides stays', () => {
  expect(releaseTags(release, 1, song)).toEqual({
    ...{ title: 'Bus Stop (Live)', artist: '달; 별', album: 'Night Market', albumArtist: '하늘', track: '2/2' },
    ...{ date: '2026-05-01', genre: 'City Pop', isrc: 'KRA382400001', composer: '김하늘; Lee' },
    ...{ copyright: '℗ 2026 Lantern; © 2026 하늘', comment: 'made by suno; id=1' },
    other: {
      ...{ lyrics: '밤이 오면', bpm: '118', publisher: 'Lantern', lyricist: '박별', BARCODE: '036000291452' },
      ITUNESADVISORY: '1',
    },
  })
})

test('what the release does not say is that of the song; the artist is that of the release where a track has none', () => {
  const tags = releaseTags(bare, 0, song)
  expect(tags).toMatchObject({
    title: '첫차',
    artist: '하늘',
    date: '2024',
    isrc: 'KRA382400009',
    copyright: '2024 me',
  })
  expect(tags.other).toEqual({ lyrics: '밤이 오면', bpm: '118' })
  expect(releaseTags(bare, 0, {}).other).toBeUndefined()
})

test('numbers of another album go, those of the same stay', () => {
  const other = { disc: '1/1', 'MusicBrainz Album Id': 'x' }
  expect(releaseTags(bare, 0, { album: 'Demos', other }).other).toBeUndefined()
  expect(releaseTags(bare, 0, { album: 'Night Market', other }).other).toEqual(other)
})
