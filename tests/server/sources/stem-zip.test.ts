import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { STEM_REASONS } from '../../../src-contract/text/stem-reasons.ts'
import { errorText } from '../../../src-contract/text/text.ts'
import { AppError } from '../../../src-server/http/app-error.ts'
import { unzipStems } from '../../../src-server/sources/stem-zip.ts'
import { seededRandom } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type ZipPart, zipOf } from '../../support/zips.ts'

const root = temporaryFolder()

const voice = Buffer.from('the sound of a voice, of a voice, of a voice')
const drums = Buffer.from('boom, tschak')
const [one, two]: [ZipPart, ZipPart] = [
  { name: 'Song (Vocals).wav', content: voice, isDeflated: true },
  { name: 'Song (Drums).wav', content: drums },
]

interface Unpacked {
  readonly stems?: readonly (readonly [string, string])[]
  readonly error?: AppError
  /** Files in the folder afterwards, beside the ZIP. */
  readonly left: readonly string[]
}

async function unpack(zip: Buffer, requireDisk: (bytes: number) => void = () => {}): Promise<Unpacked> {
  const folder = mkdtempSync(path.join(root, 'set-'))
  const file = path.join(folder, 'file')
  writeFileSync(file, zip)
  const left = () => readdirSync(folder).filter((name) => name !== 'file')
  try {
    const options = { folder, requireDisk, signal: new AbortController().signal }
    const stems = await unzipStems(file, zip.length, options)
    return { stems: stems.map((stem) => [stem.filename, readFileSync(stem.path, 'latin1')] as const), left: left() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { error, left: left() }
  }
}

const right = [
  ['Song (Vocals).wav', voice.toString('latin1')],
  ['Song (Drums).wav', drums.toString('latin1')],
]

test('stems are read by their directory, whatever else and whichever folders the ZIP has', async () => {
  const others: ZipPart[] = [
    { name: 'Song/', content: Buffer.alloc(0), mode: 0o040755 },
    { name: '__MACOSX/Song/._Vocals.wav', content: drums },
    { name: 'Song/.hidden.wav', content: drums },
    { name: 'Song/notes.txt', content: drums, flags: 1 },
  ]
  const inFolder = [one, two].map((part) => ({ ...part, name: `Song/${part.name}`, mode: 0o100644 }))
  expect((await unpack(zipOf([...others, ...inFolder], { comment: 'made by hand' }))).stems).toEqual(right)
  expect((await unpack(zipOf([one, { ...two, name: 'Song\\Drums\\Song (Drums).wav' }]))).stems).toEqual(right)
})

test('names are read as UTF-8, as code page 949 and by their own field', async () => {
  const plain = Buffer.from('Drums.wav')
  const field = Buffer.from([0x75, 0x70, 0, 0, 1, 0, 0, 0, 0, ...Buffer.from('드럼.wav')])
  field.writeUInt16LE(field.length - 4, 2)
  field.writeUInt32LE(crc32(plain), 5)
  const { stems } = await unpack(
    zipOf([
      { ...one, name: '보컬.wav', flags: 0x800 },
      { ...two, name: Buffer.from([0xba, 0xb8, 0xc4, 0xc3, 0x32, ...Buffer.from('.wav')]) },
      { ...two, name: plain, extra: field },
      { ...two, name: Buffer.from([0xff, 0x80, ...Buffer.from('.wav')]) },
    ]),
  )
  expect(stems?.map(([name]) => name)).toEqual(['보컬.wav', '보컬2.wav', '드럼.wav', 'ÿ .wav'])
})

const many = (count: number): ZipPart[] =>
  Array.from({ length: count }, (_, i) => ({ name: `${i}.wav`, content: drums }))
const zeros = Buffer.alloc(40_000_000)
const plainZip = zipOf([one, two])

/** ZIPs that are refused, by the reason of their refusal. */
const REFUSED: readonly (readonly [keyof typeof STEM_REASONS, string, () => Buffer])[] = [
  ['no_zip', 'an empty file', () => Buffer.alloc(0)],
  ['no_zip', 'a text', () => Buffer.from('PK, not a ZIP')],
  ['no_zip', 'one without its end', () => plainZip.subarray(0, plainZip.length - 30)],
  ['no_zip', 'one without its start', () => plainZip.subarray(60)],
  ['no_zip', 'more entries in its end than in its directory', () => zipOf([one, two], { entryCount: 3 })],
  ['outside', 'a path above', () => zipOf([one, { ...two, name: '../../drums.wav' }])],
  ['outside', 'a path above in the middle', () => zipOf([one, { ...two, name: 'a/../../drums.wav' }])],
  ['outside', 'a path above with backslashes', () => zipOf([one, { ...two, name: '..\\drums.wav' }])],
  ['outside', 'a path from the root', () => zipOf([one, { ...two, name: '/etc/drums.wav' }])],
  ['outside', 'a drive', () => zipOf([one, { ...two, name: 'C:drums.wav' }])],
  ['outside', 'a NUL', () => zipOf([one, { ...two, name: 'drums\0.wav' }])],
  ['outside', 'no name', () => zipOf([one, { ...two, name: '' }])],
  ['outside', 'a path above that is no stem', () => zipOf([one, two, { ...two, name: '../x.txt' }])],
  ['not_a_file', 'a link', () => zipOf([one, { ...two, mode: 0o120777 }])],
  ['not_a_file', 'a pipe', () => zipOf([one, { ...two, mode: 0o010644 }])],
  ['not_a_file', 'a device', () => zipOf([one, { ...two, mode: 0o060644 }])],
  ['encrypted', 'a password', () => zipOf([one, { ...two, flags: 1 }])],
  ['encrypted', 'AES', () => zipOf([one, { ...two, method: 99 }])],
  ['compression', 'LZMA', () => zipOf([one, { ...two, method: 14 }])],
  ['name_twice', 'two files of one name', () => zipOf([one, two, { ...two, content: voice }])],
  [
    'name_twice',
    'two names that are composed alike',
    () =>
      zipOf([
        { ...one, name: '가.wav' },
        { ...two, name: '가.wav'.normalize('NFD') },
      ]),
  ],
  ['too_many_entries', '1001 entries', () => zipOf(many(1001))],
  ['too_many', '33 stems', () => zipOf(many(33))],
  ['too_few', 'one stem', () => zipOf([one])],
  ['too_few', 'no stem', () => zipOf([{ name: 'notes.txt', content: drums }])],
  ['too_few', 'no entry', () => zipOf([])],
  [
    'expands',
    'a bomb',
    () =>
      zipOf([
        one,
        { name: 'a.wav', content: zeros, isDeflated: true },
        { name: 'b.wav', content: zeros, isDeflated: true },
      ]),
  ],
  [
    'too_large',
    'more than 4 GB as said',
    () => zipOf([one, { ...two, uncompressedSize: 0xffff_fffe }, { ...two, name: '2.wav', uncompressedSize: 5 }]),
  ],
  [
    'overlap',
    'two entries of the same bytes',
    () =>
      zipOf([
        { ...one, offset: 0 },
        { ...two, offset: 0 },
      ]),
  ],
  ['wrong_size', 'a smaller size as said', () => zipOf([{ ...one, uncompressedSize: 10 }, two])],
  ['wrong_size', 'a larger size as said', () => zipOf([{ ...one, uncompressedSize: 100 }, two])],
  ['wrong_size', 'another checksum', () => zipOf([one, { ...two, crc32: 1 }])],
  ['wrong_size', 'stored bytes as deflated', () => zipOf([one, { ...two, method: 8 }])],
  ['wrong_size', 'stored with two sizes', () => zipOf([one, { ...two, uncompressedSize: 1000 }])],
]

test.each(REFUSED)('%s: %s is refused with its sentence, and nothing is left', async (reason, _, zip) => {
  const { error, left } = await unpack(zip())
  expect({ code: error?.code, reason: error?.values.reason, left }).toEqual({
    code: 'UNUSABLE_STEMS',
    reason,
    left: [],
  })
  for (const language of ['en', 'ko'] as const) {
    const text = errorText('UNUSABLE_STEMS', error!.values, language)
    expect(text).toMatch(/[.]$/)
    expect(text).not.toContain('undefined')
  }
})

test('a disk without room ends the unpacking with its error, and nothing is left', async () => {
  const full = (bytes: number) => {
    if (bytes > voice.length) throw new AppError('INSUFFICIENT_STORAGE')
  }
  const large = { name: 'b.wav', content: Buffer.alloc(9_000_000, 7) }
  const { error, left } = await unpack(zipOf([one, large]), full)
  expect({ code: error?.code, left }).toEqual({ code: 'INSUFFICIENT_STORAGE', left: [] })
})

test('bytes exchanged anywhere: the stems are read right, or refused with a sentence and nothing left', async () => {
  const random = seededRandom(11)
  const below = (limit: number) => Math.floor(((random() + 1) / 2) * limit)
  const contents = new Set([voice.toString('latin1'), drums.toString('latin1')])
  let refused = 0
  const rounds = Number(process.env.ZIP_ROUNDS ?? 60)
  for (let round = 0; round < rounds; round++) {
    const zip = Buffer.from(plainZip)
    for (let change = 0; change <= below(3); change++) zip[below(zip.length)] = below(256)
    const cut = below(4) === 0 ? zip.subarray(0, below(zip.length)) : zip
    const { stems, error, left } = await unpack(cut)
    if (error) {
      refused++
      expect({ code: error.code, left }).toEqual({ code: 'UNUSABLE_STEMS', left: [] })
      expect(Object.keys(STEM_REASONS)).toContain(error.values.reason)
    } else {
      expect(stems!.map(([, content]) => content).filter((content) => !contents.has(content))).toEqual([])
      expect(left.length).toBe(stems!.length)
    }
  }
  // Most places of so small a ZIP matter.
  expect(refused).toBeGreaterThan(rounds / 2)
})
