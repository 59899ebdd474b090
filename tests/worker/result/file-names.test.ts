/** Names of the files of a result: patterns, and plain ASCII. */
import Schema from 'typebox/schema'
import { describe, expect, it, test } from 'vitest'
import { CHANGED_SETTINGS } from '../../../src-contract/setting-schemas.ts'
import { createFileNames } from '../../../src-worker/mastering/file-names.ts'
import type { WorkOrder } from '../../../src-worker/mastering/work-order.ts'
import { patternName } from '../../../src-worker/result/names.ts'
import { asciiName, romanised } from '../../../src-worker/result/romanise.ts'

test.each([
  // Examples of the notice itself, and of the National Institute of Korean Language.
  ['백마', 'baengma'],
  ['종로', 'jongno'],
  ['왕십리', 'wangsimni'],
  ['별내', 'byeollae'],
  ['신라', 'silla'],
  ['해돋이', 'haedoji'],
  ['같이', 'gachi'],
  ['좋고', 'joko'],
  ['놓다', 'nota'],
  ['잡혀', 'japhyeo'],
  ['압구정', 'apgujeong'],
  ['낙동강', 'nakdonggang'],
  ['독립문', 'dongnimmun'],
  ['한밭', 'hanbat'],
  ['옥천', 'okcheon'],
  ['대관령', 'daegwallyeong'],
  ['밤이 오면', 'bami omyeon'],
])('%s is romanised as it is spoken: %s', (hangul, latin) => {
  expect(romanised(hangul)).toBe(latin)
})

test('a name in plain ASCII has only letters, digits, - and _', () => {
  expect(asciiName('등불 아래 (Live) – Über É')).toBe('deungbul_arae_Live_Uber_E')
  expect(asciiName('夜')).toBe('')
})

describe('a pattern', () => {
  it('is filled, and the separators behind what a song lacks go with it', () => {
    const name = (pattern: string) => patternName(pattern, { title: 'Night', artist: 'Ana', track: '03' }, [])
    expect(name('{track} - {title}')).toBe('03 - Night')
    expect(name('{isrc} - {title}')).toBe('Night')
    expect(name('{artist}_{album}')).toBe('Ana')
    expect(name('{title}/{artist}: x')).toBe('Night Ana x')
    expect(name('{album}')).toBe('Untitled')
  })

  it('gets behind it what tells a file from others, unless it says so itself', () => {
    const endings = [
      { token: 'platform', text: 'melon' },
      { token: 'format', text: '16bit_44k' },
    ] as const
    expect(patternName('{title}', { title: 'Night' }, endings)).toBe('Night_melon_16bit_44k')
    expect(patternName('{title} {platform}', { title: 'Night', platform: 'melon' }, endings)).toBe(
      'Night melon_16bit_44k',
    )
    expect(patternName('{title}', { title: 'N'.repeat(300) }, endings)).toMatch(/^N{70,96}_melon_16bit_44k$/)
  })

  it('has only tokens that are known', () => {
    const isTaken = (pattern: string) => Schema.Check(CHANGED_SETTINGS.naming, pattern)
    expect([isTaken('{track} {title}'), isTaken('{name}'), isTaken('{title'), isTaken('a'.repeat(101))]).toEqual([
      ...[true, false, false, false],
    ])
  })
})

describe('the names of a job', () => {
  const order = (settings: object) =>
    ({
      title: '등불 아래',
      source: { filename: 'x.wav', facts: { tags: { track: '3/12', date: '2026-03-01' } } },
      settings: {
        naming: '',
        ascii_names: false,
        platforms: ['spotify', 'youtube'],
        release_master: true,
        ...settings,
      },
    }) as unknown as WorkOrder

  it('are as ever without a pattern: every platform has its own file, also where the bytes are the same', () => {
    const nameOf = createFileNames(order({}))
    expect(nameOf('spotify', { path: 'a' })).toBe('등불 아래_spotify.wav')
    expect(nameOf('youtube', { path: 'a' })).toBe('등불 아래_youtube.wav')
    expect(nameOf('spotify', { path: 'f', format: 'flac24' })).toBe('등불 아래_spotify.flac')
    expect(nameOf('youtube', { path: 'f', format: 'flac24' })).toBe('등불 아래_spotify.flac')
  })

  it('are those of the pattern, one for the same file, and none is there twice', () => {
    const nameOf = createFileNames(order({ naming: '{track} {title} {year}' }))
    expect(nameOf('release', { path: 'r' })).toBe('03 등불 아래 2026.wav')
    expect(nameOf('spotify', { path: 'a' })).toBe('03 등불 아래 2026_spotify.wav')
    expect(nameOf('youtube', { path: 'a' })).toBe('03 등불 아래 2026_spotify.wav')
    const same = createFileNames(order({ naming: '{title} {format} {platform}' }))
    expect(same('release', { path: 'r', format: 'mp3_320' })).toBe('등불 아래 mp3_320 release.mp3')
    const lost = createFileNames(order({ naming: '{platform}', ascii_names: true }))
    expect([lost('spotify', { path: 'a' }), lost('spotify', { path: 'b' })]).toEqual(['spotify.wav', 'spotify_2.wav'])
  })

  it('give the master for all services a WAV of its own, also where it has the bytes of a platform', () => {
    const nameOf = createFileNames(order({ naming: '{artist} {title}' }))
    expect([nameOf('spotify', { path: 'a' }), nameOf('release', { path: 'a' })]).toEqual([
      ...['등불 아래_spotify.wav', '등불 아래.wav'],
    ])
  })

  it('are plain ASCII where that is asked for, with a pattern or without', () => {
    expect(createFileNames(order({ ascii_names: true }))('spotify', { path: 'a' })).toBe('deungbul_arae_spotify.wav')
    const nameOf = createFileNames(order({ ascii_names: true, naming: '{track}. {title}' }))
    expect(nameOf('release', { path: 'a', format: 'wav24' })).toBe('03_deungbul_arae_24bit.wav')
  })
})
