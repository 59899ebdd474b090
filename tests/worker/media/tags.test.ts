import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { probeAudio } from '../../../src-server/uploads/probe.ts'
import { coverWarnings } from '../../../src-worker/media/cover-warnings.ts'
import { decodeSong } from '../../../src-worker/media/decode.ts'
import { readId3Texts } from '../../../src-worker/media/id3.ts'
import { decodeText } from '../../../src-worker/media/tag-text.ts'
import { readCover, readTags } from '../../../src-worker/media/tags.ts'
import { chunk, tagChunks } from '../../../src-worker/media/wav-tags.ts'
import { jpegPicture } from '../../support/pictures.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain } from './make-audio.ts'
import { TITLES } from './titles.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)

beforeAll(() => {
  runPlain('-f', 'lavfi', '-i', 'sine=440', '-t', '0.5', '-c:a', 'pcm_s16le', '-bitexact', at('bare.wav'))
  runPlain('-i', at('bare.wav'), '-id3v2_version', '0', '-write_xing', '0', at('bare.mp3'))
  for (const colour of ['red', 'blue']) {
    runPlain('-f', 'lavfi', '-i', `color=${colour}:size=64x64`, '-frames:v', '1', at(`${colour}.jpg`))
  }
  runPlain('-f', 'lavfi', '-i', 'color=green:size=64x64', '-frames:v', '1', at('green.png'))
  runPlain('-f', 'lavfi', '-i', 'color=green:size=64x64', '-frames:v', '1', at('green.gif'))
})

function frame(id: string, content: Buffer): Buffer {
  const flags = Buffer.alloc(2)
  return Buffer.concat([Buffer.from(id), syncSafe(content.length), flags, content])
}

function syncSafe(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >>> shift) & 0x7f))
}

function id3Tag(frames: readonly Buffer[], version = 4, flags = 0): Buffer {
  const body = Buffer.concat(frames)
  return Buffer.concat([
    Buffer.from(`ID3${String.fromCharCode(version)}\0`),
    Buffer.from([flags]),
    syncSafe(body.length),
    body,
  ])
}

async function tagsBehind(tag: Buffer) {
  writeFileSync(at('tagged.mp3'), Buffer.concat([tag, readFileSync(at('bare.mp3'))]))
  return (await readTags(ffmpeg, { path: at('tagged.mp3'), format: 'mp3' })).tags
}

async function tagsOfWav(chunks: readonly Buffer[]) {
  writeFileSync(at('tagged.wav'), Buffer.concat([readFileSync(at('bare.wav')), ...chunks]))
  return (await readTags(ffmpeg, { path: at('tagged.wav'), format: 'wav' })).tags
}

/** Texts that are not UTF-8, and their bytes as a Western or a Korean Windows writes them. */
const texts: [text: string, hex: string][] = [
  ['Café über', '436166e920fc626572'],
  ['Beyoncé', '4265796f6e63e9'],
  ['Mötley Crüe', '4df6746c6579204372fc65'],
  ['Élan créée', 'c96c616e206372e9e965'],
  ['¿Él?', 'bfc96c3f'],
  ['ÇÀ ET LÀ', 'c7c0204554204cc0'],
  ['It’s', '49749273'],
  ['사랑 노래 Love', 'bbe7b6fb20b3ebb7a1204c6f7665'],
  ['봄날', 'babdb3af'],
  ['봄', 'babd'],
  ['Love가', '4c6f7665b0a1'],
  ['愛 (사랑)', 'e4f12028bbe7b6fb29'],
]

describe('text in an encoding that is not named', () => {
  it.each(Object.entries(TITLES))('is told from all others: %s', (_, titles) => {
    const read = (bytes: Buffer) => decodeText(bytes.toString('latin1'))
    for (const [title, hex] of titles) {
      expect(read(Buffer.from(hex, 'hex'))).toBe(title)
      expect(read(Buffer.from(title))).toBe(title)
    }
  })

  it.each([
    ['windows-949', 3],
    ['Shift-JIS', 3],
    ['windows-1252', 3],
    ['windows-949', 4],
  ] as const)(
    'is read in ID3v2 that says Latin-1, with comments, lyrics and texts of their own: %s, version %i',
    async (name, version) => {
      const [[title, titleHex] = ['', ''], [comment, commentHex] = ['', ''], [mood, moodHex] = ['', '']] = TITLES[name]!
      const inLatin1 = (id: string, head: string, hex: string) =>
        frame(id, Buffer.concat([Buffer.from(`\0${head}`, 'latin1'), Buffer.from(hex, 'hex')]))
      const frames = [
        inLatin1('TIT2', '', titleHex),
        inLatin1('TPE1', '', Buffer.from(title).toString('hex')),
        inLatin1('COMM', 'eng\0', commentHex),
        inLatin1('USLT', 'eng\0', commentHex),
        inLatin1('TXXX', 'Stimmung\0', moodHex),
      ]
      const tags = await tagsBehind(id3Tag(frames, version))
      expect(tags).toMatchObject({ title, artist: title, comment, other: { Stimmung: mood } })
      expect(Object.entries(tags.other ?? {}).find(([key]) => /^lyrics/i.test(key))?.[1]).toBe(comment)
      // The same in the chunk of a WAV.
      expect(await tagsOfWav([chunk('id3 ', id3Tag(frames, version))])).toMatchObject({ title, artist: title, comment })
    },
  )

  it.each(texts)('is read in RIFF INFO: %s', async (text, hex) => {
    const info = Buffer.concat([Buffer.from('INFO'), chunk('INAM', Buffer.from(`${hex}00`, 'hex'))])
    writeFileSync(at('info.wav'), Buffer.concat([readFileSync(at('bare.wav')), chunk('LIST', info)]))
    expect(await probeAudio(at('info.wav'), { ffmpeg })).toMatchObject({ ok: true, facts: { tags: { title: text } } })
  })

  const readId3v1 = async (title: Buffer) => {
    const tag = Buffer.alloc(128)
    tag.write('TAG')
    title.copy(tag, 3, 0, 30)
    writeFileSync(at('id3v1.mp3'), Buffer.concat([readFileSync(at('bare.mp3')), tag]))
    return (await readTags(ffmpeg, { path: at('id3v1.mp3'), format: 'mp3' })).tags.title
  }

  it.each(texts)('is read in ID3v1: %s', async (text, hex) => {
    expect(await readId3v1(Buffer.from(hex, 'hex'))).toBe(text)
  })

  it('loses only the character that ID3v1 cuts', async () => {
    const spring = Buffer.from(`41${'babd'.repeat(15)}`, 'hex')
    expect(await readId3v1(spring)).toBe(`A${'봄'.repeat(14)}`)
    expect(await readId3v1(Buffer.from(`AB${'봄'.repeat(10)}`))).toBe(`AB${'봄'.repeat(9)}`)
  })
})

describe('the cover', () => {
  const ARTIST = 8
  const FRONT = 3

  function apic(name: string, type: number, mimeType = `image/${name.endsWith('jpg') ? 'jpeg' : name.slice(-3)}`) {
    return frame(
      'APIC',
      Buffer.concat([Buffer.from(`\x03${mimeType}\0${String.fromCharCode(type)}\0`), readFileSync(at(name))]),
    )
  }

  async function coverOf(frames: readonly Buffer[]) {
    writeFileSync(at('pictures.mp3'), Buffer.concat([id3Tag(frames), readFileSync(at('bare.mp3'))]))
    const song = { path: at('pictures.mp3'), format: 'mp3' } as const
    const { hasCover } = await readTags(ffmpeg, song)
    const cover = await readCover(ffmpeg, song)
    expect(hasCover).toBe(cover !== undefined)
    return cover && { ...cover, bytes: Buffer.from(cover.bytes) }
  }

  const jpeg = (name: string) => ({ mimeType: 'image/jpeg', bytes: readFileSync(at(name)) })

  it('is the front cover, also after a picture of the artist', async () => {
    expect(await coverOf([apic('red.jpg', ARTIST), apic('blue.jpg', FRONT)])).toEqual(jpeg('blue.jpg'))
    expect(await coverOf([apic('blue.jpg', FRONT), apic('red.jpg', ARTIST)])).toEqual(jpeg('blue.jpg'))
  })

  it('is warned of where its colours are not RGB, and no other one is sent with the song', async () => {
    writeFileSync(at('cmyk.jpg'), jpegPicture(64, 64, { components: 4 }))
    await coverOf([apic('cmyk.jpg', FRONT)])
    const probe = await probeAudio(at('pictures.mp3'), { ffmpeg })
    if (!probe.ok) throw new Error('not a song')
    const { facts } = probe
    const told = { code: 'COVER_NOT_RGB', values: { colorModel: 'cmyk' } }
    expect(coverWarnings(undefined, facts)).toEqual([told])
    const sent = { path: '', sha256: '', sizeBytes: 9, mimeType: 'image/png', widthPx: 1400, heightPx: 1400 } as const
    expect(coverWarnings({ ...sent, colorModel: 'rgb' }, facts)).toEqual([])
    expect(coverWarnings(sent, facts)).toEqual([])
  })

  it('is the first picture if there is no front cover', async () => {
    expect(await coverOf([apic('green.png', ARTIST), apic('red.jpg', ARTIST)])).toEqual({
      mimeType: 'image/png',
      bytes: readFileSync(at('green.png')),
    })
  })

  it('is not chosen by a comment on the song', async () => {
    const comment = frame('COMM', Buffer.from('\x03XXX\0Cover (front)'))
    expect(await coverOf([comment, apic('red.jpg', ARTIST), apic('blue.jpg', ARTIST)])).toEqual(jpeg('red.jpg'))
  })
})

it.each([
  ['disc', 'TPOS', '1/2'],
  ['publisher', 'TPUB', '레이블'],
  ['performer', 'TPE3', '지휘자'],
  ['language', 'TLAN', 'kor'],
  ['compilation', 'TCMP', '1'],
  ['title-sort', 'TSOT', 'Song, A'],
])('%s comes from an MP3 into a WAV as %s', async (name, id, value) => {
  runPlain('-i', at('bare.mp3'), '-c', 'copy', '-id3v2_version', '4', '-metadata', `${name}=${value}`, at('named.mp3'))
  const { tags } = await readTags(ffmpeg, { path: at('named.mp3'), format: 'mp3' })
  const written = Buffer.concat(tagChunks(tags)).toString('utf8')
  expect(written).toContain(`${id}\0\0\0${String.fromCharCode(Buffer.byteLength(value) + 1)}\0\0\x03${value}`)
  expect(written).not.toContain('TXXX')
})

describe('several values of one tag', () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
  const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16()
  const artists = (encoding: number, content: Buffer) =>
    frame('TPE1', Buffer.concat([Buffer.from([encoding]), content]))

  it.each<[string, Buffer]>([
    ['UTF-8', id3Tag([artists(3, Buffer.from('Zoë\0밤'))])],
    ['UTF-8 with a zero at the end', id3Tag([artists(3, Buffer.from('Zoë\0밤\0'))])],
    ['UTF-16', id3Tag([artists(1, utf16('Zoë\0밤'))])],
    ['UTF-16, each value with its mark', id3Tag([artists(1, Buffer.concat([utf16('Zoë\0'), utf16('밤\0')]))])],
    ['UTF-16 big-endian', id3Tag([artists(2, bigEndian('Zoë\0밤'))])],
    ['a frame for each', id3Tag([artists(3, Buffer.from('Zoë')), artists(3, Buffer.from('밤'))])],
    ['version 3', id3Tag([artists(1, utf16('Zoë\0밤'))], 3)],
    ['an extended header', id3Tag([Buffer.from('000000060100', 'hex'), artists(3, Buffer.from('Zoë\0밤'))], 4, 0x40)],
    [
      'version 3, unsynchronised',
      id3Tag([artists(1, Buffer.from(utf16('Zoë\0밤').toString('hex').replace('fffe', 'ff00fe'), 'hex'))], 3, 0x80),
    ],
  ])('are all kept of ID3v2 in %s', async (_, tag) => {
    expect((await tagsBehind(tag)).artist).toBe('Zoë; 밤')
  })

  it('are all kept of ID3v2 in Latin-1, and of texts of their own', async () => {
    const own = frame('TXXX', Buffer.from('\x03ARTISTS\0Alice\0Bob'))
    const tag = id3Tag([artists(0, Buffer.from('Zoë\0Élan', 'latin1')), own])
    expect(await tagsBehind(tag)).toEqual({ artist: 'Zoë; Élan', other: { ARTISTS: 'Alice; Bob' } })
  })

  it('are all kept of the ID3 chunk of a WAV, alone and beside INFO', async () => {
    const id3 = chunk('id3 ', id3Tag([artists(3, Buffer.from('Alice\0Bob'))]))
    const info = chunk('LIST', Buffer.concat([Buffer.from('INFO'), chunk('IART', Buffer.from('Alice\0'))]))
    expect(await tagsOfWav([id3])).toEqual({ artist: 'Alice; Bob' })
    expect(await tagsOfWav([info, id3])).toEqual({ artist: 'Alice; Bob' })
  })

  it('are all kept of a FLAC whose comments are repeated', async () => {
    const uint32 = (value: number) => Buffer.from(new Uint32Array([value]).buffer)
    const comments = ['ARTIST=Alice', 'artist=Bob', 'GENRE=Rock', 'GENRE=Pop', 'COMMENT=a;b']
    const packed = comments.map((comment) => Buffer.concat([uint32(comment.length), Buffer.from(comment)]))
    const block = Buffer.concat([uint32(0), uint32(comments.length), ...packed])
    runPlain('-i', at('bare.wav'), at('bare.flac'))
    const flac = readFileSync(at('bare.flac'))
    const end = 4 + 4 + 34
    const head = Buffer.from([4, 0, 0, block.length])
    writeFileSync(at('tagged.flac'), Buffer.concat([flac.subarray(0, end), head, block, flac.subarray(end)]))
    const { tags } = await readTags(ffmpeg, { path: at('tagged.flac'), format: 'flac' })
    expect(tags).toMatchObject({ artist: 'Alice; Bob', genre: 'Rock; Pop', comment: 'a;b' })
  })

  it('are one text in a master, since players read only the first', async () => {
    const tags = await tagsBehind(id3Tag([artists(3, Buffer.from('Alice\0Bob'))]))
    const [info, id3] = tagChunks(tags)
    expect(info!.toString()).toContain('IART\x0b\0\0\0Alice; Bob')
    expect(id3!.toString()).toContain('TPE1\0\0\0\x0b\0\0\x03Alice; Bob')
  })

  it('keep pairs of role and name, also in a master', async () => {
    const people = [
      frame('TIPL', Buffer.from('\x03producer\0Ann; Ben\0mix\0Ann; Ben')),
      frame('TMCL', Buffer.from('\x03guitar\0Cid')),
    ]
    const [id3] = tagChunks(await tagsBehind(id3Tag(people)))
    for (const one of people) expect(id3!.includes(one)).toBe(true)
  })

  it('keep what ffmpeg reads of a broken tag', async () => {
    const good = frame('TIT2', Buffer.from('\x03Song'))
    const cut = artists(3, Buffer.from('Alice\0Bob')).subarray(0, -5)
    expect(await tagsBehind(id3Tag([good, cut]))).toMatchObject({ title: 'Song' })
  })
})

it('an ID3v2 tag of any bytes is read without an error', () => {
  const anyTag = fc.tuple(fc.constantFrom(3, 4), fc.integer({ min: 0, max: 255 }), fc.uint8Array({ maxLength: 200 }))
  fc.assert(
    fc.property(anyTag, fc.constantFrom('', 'TPE1', 'COMM', 'TXXX'), ([version, flags, bytes], id) => {
      const tag = id3Tag([Buffer.from(id), Buffer.from(bytes)], version, flags)
      expect(readId3Texts(tag)).toBeInstanceOf(Map)
    }),
  )
})

it('an ID3v2 tag of more texts than a song has is not read to its end', () => {
  const many = Buffer.concat(Array.from({ length: 5000 }, (_, i) => frame('TXXX', Buffer.from(`\x03${i}\0x`))))
  expect(readId3Texts(id3Tag([many])).size).toBe(4096)
  const long = frame('TPE1', Buffer.alloc(300_000))
  expect(readId3Texts(id3Tag([frame('TIT2', Buffer.from('\x03Song')), long]))).toEqual(new Map([['TIT2', ['Song']]]))
})

it.each(['mp3', 'flac'] as const)(
  'a %s behind a tag of more frames than a song has is read as if it had none',
  async (format) => {
    const bare = at(`alone.${format}`)
    runPlain('-f', 'lavfi', '-i', 'anoisesrc=d=2:a=0.1:seed=1', '-ar', '44100', '-ac', '2', '-map_metadata', '-1', bare)
    const texts = Array.from({ length: 5000 }, (_, i) => frame('TXXX', Buffer.from(`\x03${i}\0x`)))
    const cover = frame('APIC', Buffer.concat([Buffer.from('\x03image/jpeg\0\x03\0'), readFileSync(at('red.jpg'))]))
    const crowded = at(`crowded.${format}`)
    writeFileSync(crowded, Buffer.concat([id3Tag([...texts, cover]), readFileSync(bare)]))
    const [wanted, probe] = [await probeAudio(bare, { ffmpeg }), await probeAudio(crowded, { ffmpeg })]
    if (!wanted.ok || !probe.ok) throw new Error('refused')
    const { tags, ...facts } = probe.facts
    expect({ ...facts, tags: wanted.facts.tags }).toEqual(wanted.facts)
    expect(tags.other).toBeUndefined()
    expect(await readCover(ffmpeg, { path: crowded, format })).toBeUndefined()
    const own = await decodeSong(ffmpeg, bare, wanted.facts)
    expect((await decodeSong(ffmpeg, crowded, probe.facts)).audio).toEqual(own.audio)
  },
)

describe('comments', () => {
  const comment = (description: string, text: string) => frame('COMM', Buffer.from(`\x03XXX${description}\0${text}`))

  it('stay comments with their descriptions, from an MP3 into a master and back', async () => {
    const own = frame('TXXX', Buffer.from('\x03story\0calm'))
    const frames = [comment('', 'plain'), comment('Liner notes', '밤에 듣는 노래'), comment('source', 'tape'), own]
    const tags = await tagsBehind(id3Tag(frames))
    expect(tags.comment).toBe('plain')
    const id3 = tagChunks(tags).at(-1)!
    for (const one of frames) expect(id3.includes(one)).toBe(true)
    expect(id3.toString().match(/TXXX/g)).toHaveLength(1)
    expect(await tagsOfWav(tagChunks(tags))).toEqual(tags)
  })

  it('that a player wrote for its own use are left out', async () => {
    expect(await tagsBehind(id3Tag([comment('iTunNORM', '00000A1B'), comment('', 'plain')]))).toEqual({
      comment: 'plain',
    })
  })
})
