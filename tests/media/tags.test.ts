import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readCover, readTags } from '../../src-server/media/tags.ts'
import { chunk, tagChunks } from '../../src-server/media/wav-tags.ts'
import { probeAudio } from '../../src-server/uploads/probe.ts'
import { ffmpeg, runPlain, temporaryFolder } from './make-audio.ts'

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

  it('loses only the letter that ID3v1 cuts in two', async () => {
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

  function frame(id: string, content: Buffer): Buffer {
    const flags = Buffer.alloc(2)
    return Buffer.concat([Buffer.from(id), syncSafe(content.length), flags, content])
  }

  function syncSafe(value: number): Buffer {
    return Buffer.from([21, 14, 7, 0].map((shift) => (value >>> shift) & 0x7f))
  }

  async function coverOf(frames: readonly Buffer[]) {
    const tag = Buffer.concat(frames)
    const header = Buffer.concat([Buffer.from('ID3\x04\0\0'), syncSafe(tag.length)])
    writeFileSync(at('pictures.mp3'), Buffer.concat([header, tag, readFileSync(at('bare.mp3'))]))
    const song = { path: at('pictures.mp3'), format: 'mp3' } as const
    const { hasCover } = await readTags(ffmpeg, song)
    const cover = await readCover(ffmpeg, song)
    expect(hasCover).toBe(cover !== undefined)
    return cover && { ...cover, bytes: Buffer.from(cover.bytes) }
  }

  const jpeg = (name: string) => ({ mimeType: 'image/jpeg', bytes: readFileSync(at(name)) })

  it('is the front cover, behind a picture of the artist too', async () => {
    expect(await coverOf([apic('red.jpg', ARTIST), apic('blue.jpg', FRONT)])).toEqual(jpeg('blue.jpg'))
    expect(await coverOf([apic('blue.jpg', FRONT), apic('red.jpg', ARTIST)])).toEqual(jpeg('blue.jpg'))
  })

  it('is the first picture in JPEG or PNG where no front cover is', async () => {
    expect(await coverOf([apic('green.gif', FRONT), apic('red.jpg', ARTIST)])).toEqual(jpeg('red.jpg'))
    expect(await coverOf([apic('green.png', ARTIST), apic('red.jpg', ARTIST)])).toEqual({
      mimeType: 'image/png',
      bytes: readFileSync(at('green.png')),
    })
  })

  it('is not what only calls itself a JPEG', async () => {
    expect(await coverOf([apic('green.gif', FRONT, 'image/jpeg'), apic('red.jpg', ARTIST)])).toEqual(jpeg('red.jpg'))
    expect(await coverOf([apic('green.gif', FRONT, 'image/jpeg')])).toBeUndefined()
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
