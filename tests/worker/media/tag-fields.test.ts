import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { isrcOf } from '../../../src-contract/isrc.ts'
import { collectTags, type TagSystem } from '../../../src-worker/media/tag-fields.ts'
import { readCover, readTags } from '../../../src-worker/media/tags.ts'
import { chunk, tagChunks } from '../../../src-worker/media/wav-tags.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)

const uint32 = (value: number) => Buffer.from(new Uint32Array([value]).buffer)
const bigEndian = (value: number) => uint32(value).reverse()

beforeAll(() => {
  runPlain('-f', 'lavfi', '-i', 'sine=440', '-t', '0.5', '-c:a', 'pcm_s16le', '-bitexact', at('bare.wav'))
  runPlain('-i', at('bare.wav'), at('bare.flac'))
  runPlain('-i', at('bare.wav'), '-id3v2_version', '0', '-write_xing', '0', at('bare.mp3'))
  for (const [colour, kind] of [
    ['red', 'jpg'],
    ['green', 'webp'],
    ['green', 'gif'],
    ['green', 'bmp'],
    ['green', 'tiff'],
  ] as const) {
    runPlain('-f', 'lavfi', '-i', `color=${colour}:size=64x48`, '-frames:v', '1', at(`${colour}.${kind}`))
  }
})

/** A FLAC with comments and pictures, in blocks of our own making. */
function flacWith(comments: readonly string[], pictures: readonly Buffer[] = [], frontType = 3): string {
  const packed = comments.map((text) => Buffer.concat([uint32(Buffer.byteLength(text)), Buffer.from(text)]))
  const list = Buffer.concat([uint32(0), uint32(comments.length), ...packed])
  const block = (type: number, content: Buffer) =>
    Buffer.concat([Buffer.from([type]), bigEndian(content.length).subarray(1), content])
  const picture = (bytes: Buffer) =>
    Buffer.concat([bigEndian(frontType), Buffer.alloc(8), Buffer.alloc(16), bigEndian(bytes.length), bytes])
  const bare = readFileSync(at('bare.flac'))
  const blocks = [block(4, list), ...pictures.map((bytes) => block(6, picture(bytes)))]
  writeFileSync(at('song.flac'), Buffer.concat([bare.subarray(0, 42), ...blocks, bare.subarray(42)]))
  return at('song.flac')
}

function apeWith(items: readonly (readonly [name: string, value: Buffer | string])[]): string {
  const packed = items.map(([name, value]) => {
    const bytes = Buffer.from(value as string)
    return Buffer.concat([
      uint32(bytes.length),
      uint32(typeof value === 'string' ? 0 : 2),
      Buffer.from(`${name}\0`),
      bytes,
    ])
  })
  const body = Buffer.concat(packed)
  const footer = Buffer.concat([
    Buffer.from('APETAGEX'),
    uint32(2000),
    uint32(body.length + 32),
    uint32(items.length),
    Buffer.alloc(12),
  ])
  writeFileSync(at('song.mp3'), Buffer.concat([readFileSync(at('bare.mp3')), body, footer]))
  return at('song.mp3')
}

/** The text frames that a master gets, by their names; several of one name one behind the other. */
async function framesOf(song: { path: string; format: 'flac' | 'mp3' | 'wav' }): Promise<Record<string, string>> {
  const id3 = tagChunks((await readTags(ffmpeg, song)).tags).at(-1)!
  const frames: Record<string, string> = {}
  for (let position = 8 + 10; position + 10 <= id3.length && id3[position] !== 0; ) {
    const size = [4, 5, 6, 7].reduce((sum, i) => (sum << 7) | id3[position + i]!, 0)
    const id = id3.toString('latin1', position, position + 4)
    const text = id3.toString('utf8', position + (id3[position + 10] === 3 ? 11 : 10), position + 10 + size)
    frames[id] = frames[id] === undefined ? text : `${frames[id]} | ${text}`
    position += 10 + size
  }
  return frames
}

describe('fields of a FLAC become ID3v2.4 frames', () => {
  it.each<[string[], Record<string, string>]>([
    [['UNSYNCEDLYRICS=가사'], { USLT: 'XXX\0가사' }],
    [['LYRICS=words'], { USLT: 'XXX\0words' }],
    [['LYRICS-ENG=words', 'LYRICS-KOR=가사'], { USLT: 'eng\0words | kor\0가사' }],
    [['LYRICS=one', 'LYRICS=two'], { USLT: 'XXX\0one | XXX2\0two' }],
    [['ALBUM ARTIST=Various', 'ALBUMARTIST=Various'], { TPE2: 'Various' }],
    [['TRACKNUMBER=3', 'TRACKTOTAL=9'], { TRCK: '3/9' }],
    [['TRACKNUMBER=3/9', 'TOTALTRACKS=9'], { TRCK: '3/9' }],
    [['DISCNUMBER=1', 'TOTALDISCS=2'], { TPOS: '1/2' }],
    [['TRACKTOTAL=9'], { TXXX: 'tracktotal\x009' }],
    [['BPM=128', 'INITIALKEY=Am', 'LYRICIST=Kim'], { TBPM: '128', TKEY: 'Am', TEXT: 'Kim' }],
    [['LABEL=A', 'ORGANIZATION=B', 'PUBLISHER=A'], { TPUB: 'A; B' }],
    [['REMIXER=R', 'CONDUCTOR=C', 'MOOD=calm', 'VERSION=live'], { TPE4: 'R', TPE3: 'C', TMOO: 'calm', TIT3: 'live' }],
    [
      ['ORIGINALDATE=2020-01-02', 'ORIGINALYEAR=2020', 'DATE=2026-05-01', 'YEAR=2026'],
      { TDOR: '2020-01-02', TDRC: '2026-05-01' },
    ],
    [['WEBSITE=https://mina.example', 'ENCODED-BY=Lee'], { WOAR: 'https://mina.example', TENC: 'Lee' }],
    [['WEBSITE=미나'], { TXXX: 'website\0미나' }],
    [
      ['PERFORMER=Anna (violin)', 'PERFORMER=Ben', 'PRODUCER=Cid'],
      { TMCL: 'violin\0Anna\0performer\0Ben', TIPL: 'producer\0Cid' },
    ],
    [['MUSICBRAINZ_TRACKID=b1a9'], { UFID: 'http://musicbrainz.org\0b1a9' }],
    [['MUSICBRAINZ_ALBUMID=c1', 'CATALOGNUMBER=X'], { TXXX: 'MusicBrainz Album Id\0c1 | CATALOGNUMBER\0X' }],
    [['COMMENT=one', 'DESCRIPTION=two'], { COMM: 'XXX\0one | XXXdescription\0two' }],
    [['DESCRIPTION=two'], { COMM: 'XXX\0two' }],
    [['COMPOSER=A', 'COMPOSER=B', 'GENRE=Rock', 'GENRE=Pop'], { TCOM: 'A; B', TCON: 'Rock; Pop' }],
    [['My own field=kept', 'ITUNESADVISORY=1'], { TXXX: 'My own field\0kept | ITUNESADVISORY\x001' }],
  ])('%j', async (comments, frames) => {
    expect(await framesOf({ path: flacWith(comments), format: 'flac' })).toEqual(frames)
  })

  it('except those that describe the old samples', async () => {
    const old = [
      'MP3GAIN_UNDO',
      'REPLAYGAIN_TRACK_GAIN',
      'iTunNORM',
      'iTunSMPB',
      'ACCURATERIPRESULT',
      'ENCODER',
      'ENCODER SETTINGS',
    ]
    const comments = [...old, 'WAVEFORMATEXTENSIBLE_CHANNEL_MASK', 'R128_TRACK_GAIN', 'LENGTH'].map(
      (name) => `${name}=1`,
    )
    expect(await framesOf({ path: flacWith([...comments, 'TITLE=T']), format: 'flac' })).toEqual({ TIT2: 'T' })
  })

  it('with lyrics of any length', async () => {
    const lyrics = '긴 가사 '.repeat(20_000).trim()
    expect((await framesOf({ path: flacWith([`LYRICS=${lyrics}`]), format: 'flac' })).USLT).toBe(`XXX\0${lyrics}`)
    const song = { path: flacWith([`LYRICS=${'가'.repeat(200_001)}`]), format: 'flac' } as const
    expect((await readTags(ffmpeg, song)).tagLosses).toEqual({ cutTags: ['lyrics'] })
  })
})

describe('APEv2', () => {
  it('keeps every field and the cover of an MP3 that has nothing else', async () => {
    const cover = readFileSync(at('red.jpg'))
    const song = {
      path: apeWith([
        ['Title', '밤기차'],
        ['Artist', 'Mina\0Lee'],
        ['Album Artist', 'Various'],
        ['Track', '3/9'],
        ['ISRC', 'KR-A40-16-00001'],
        ['Lyrics', '가사'],
        ['MP3GAIN_MINMAX', '1,2'],
        ['Cover Art (Front)', Buffer.concat([Buffer.from('cover.jpg\0'), cover])],
      ]),
      format: 'mp3',
    } as const
    expect((await readTags(ffmpeg, song)).tags).toEqual({
      title: '밤기차',
      artist: 'Mina; Lee',
      albumArtist: 'Various',
      track: '3/9',
      isrc: 'KRA401600001',
      other: { lyrics: '가사' },
    })
    expect(Buffer.from((await readCover(ffmpeg, song))!.bytes).equals(cover)).toBe(true)
  })

  it('has priority over ID3v1, whose texts are cut', async () => {
    const title = 'A title that is longer than the thirty bytes of ID3v1'
    const id3v1 = Buffer.alloc(128)
    id3v1.write('TAG')
    id3v1[127] = 255
    id3v1.write(title.slice(0, 30), 3)
    const file = apeWith([['Title', title]])
    writeFileSync(file, Buffer.concat([readFileSync(file), id3v1]))
    expect((await readTags(ffmpeg, { path: file, format: 'mp3' })).tags).toEqual({ title })
  })
})

describe('an ISRC', () => {
  it.each([
    ['KRA401600001', 'KRA401600001'],
    ['kr-a40-16-00001', 'KRA401600001'],
    ['KR A40 16 00001', 'KRA401600001'],
    ['ISRC KR-A40-16-00001', 'KRA401600001'],
    ['Mina Home Studio', undefined],
    ['KRA40160001', undefined],
    ['KRA4016000011', undefined],
    ['1RA401600001', undefined],
  ])('%s is %s', (text, isrc) => {
    expect(isrcOf(text)).toBe(isrc)
  })

  it.each<[TagSystem, string[], object]>([
    ['free', ['KRA401600001', 'USAAA1234567'], { isrc: 'KRA401600001', other: { ISRC: 'USAAA1234567' } }],
    ['free', ['no code', 'KRA401600001'], { isrc: 'KRA401600001', other: { ISRC: 'no code' } }],
    ['ffmpeg', ['KRA401600001; USAAA1234567'], { isrc: 'KRA401600001', other: { ISRC: 'USAAA1234567' } }],
    ['ffmpeg', ['KRA401600001/KR-A40-16-00001'], { isrc: 'KRA401600001' }],
    ['free', ['Mina; Home, Studio'], { other: { ISRC: 'Mina; Home, Studio' } }],
    ['riff', ['Mina Home Studio'], { other: { Source: 'Mina Home Studio' } }],
    ['riff', ['KRA401600001'], { isrc: 'KRA401600001' }],
  ])('of %s is the first that is one: %j', (system, texts, tags) => {
    expect(
      collectTags(
        texts.map((text) => ({ name: 'ISRC', text })),
        system,
      ).tags,
    ).toEqual(tags)
  })

  it('is not taken from the source field of RIFF INFO', async () => {
    const info = Buffer.concat([Buffer.from('INFO'), chunk('ISRC', Buffer.from('Mina Home Studio\0'))])
    writeFileSync(at('source.wav'), Buffer.concat([readFileSync(at('bare.wav')), chunk('LIST', info)]))
    expect(await framesOf({ path: at('source.wav'), format: 'wav' })).toEqual({ TXXX: 'Source\0Mina Home Studio' })
  })
})

describe('a cover', () => {
  const song = { path: '', format: 'flac' } as const

  it.each(['webp', 'gif', 'bmp', 'tiff'])('in %s becomes a JPEG of the same size', async (kind) => {
    const path = flacWith([], [readFileSync(at(`green.${kind}`))])
    expect(await readTags(ffmpeg, { ...song, path })).toEqual({ tags: {}, hasCover: true })
    const cover = await readCover(ffmpeg, { ...song, path })
    expect(cover?.mimeType).toBe('image/jpeg')
    const pixels = runPlainOn(cover!.bytes)
    expect(pixels.length).toBe(64 * 48 * 3)
    // Green, give or take what JPEG changes.
    expect(pixels[0]).toBeLessThan(30)
    expect(Math.abs(pixels[1]! - 128)).toBeLessThan(20)
  })

  function runPlainOn(bytes: Uint8Array): Buffer {
    writeFileSync(at('cover.jpg'), bytes)
    return runPlain('-i', at('cover.jpg'), '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1')
  }

  it.each<[string, Buffer, string]>([
    ['is no picture', Buffer.from('nothing that is drawn'), 'format'],
    ['breaks off in its header', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'broken'],
    ['only begins like a WebP', Buffer.from('RIFF\x10\0\0\0WEBPVP8 nothing'), 'broken'],
  ])('that %s is named', async (_, bytes, cover) => {
    const path = flacWith([], [bytes])
    expect(await readTags(ffmpeg, { ...song, path })).toEqual({ tags: {}, hasCover: false, tagLosses: { cover } })
  })

  it('is the next picture if the first cannot be read, and the other pictures are counted', async () => {
    const jpeg = readFileSync(at('red.jpg'))
    const path = flacWith([], [Buffer.from('broken'), jpeg, readFileSync(at('green.gif'))])
    expect((await readTags(ffmpeg, { ...song, path })).tagLosses).toEqual({ otherPictures: 2 })
    expect(Buffer.from((await readCover(ffmpeg, { ...song, path }))!.bytes).equals(jpeg)).toBe(true)
  })
})
