/** Files of a release, made of what a job has: the samples of the master, the labels of the release, and figures of the written files. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { FORMAT_NAMES, type Format, formatFacts } from '../../../src-contract/formats.ts'
import { makeExportFiles, measureRecord } from '../../../src-worker/mastering/export-files.ts'
import type { ExportedSound, ExportOrder } from '../../../src-worker/mastering/work-order.ts'
import type { SongTags } from '../../../src-worker/media/audio-facts.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, readByEbur128, runPlain, songLike, writeFloatWav } from '../media/make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
/** No multiple of the frames of any codec. */
const SECONDS = 3.432_17
const RATE_HZ = 48_000
const { signal } = new AbortController()

const tags: SongTags = {
  ...{ title: '첫차 (Live)', artist: '달; 별', album: 'Night', albumArtist: '하늘', track: '2/4', date: '2026-05-01' },
  ...{ isrc: 'KRA382400001', composer: '김하늘', copyright: '℗ 2026 Lantern; © 2026 하늘', genre: 'City Pop' },
  comment: 'kept',
  other: {
    publisher: 'Lantern',
    lyricist: '박별',
    lyrics: '밤이 오면',
    bpm: '118',
    BARCODE: '036000291452',
    ITUNESADVISORY: '1',
  },
}
const bytes = new Uint8Array(
  runPlain('-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'mjpeg', '-'),
)
const ALBUM = { integratedLufs: -13.5, truePeakDbtp: -0.5 }

const float = writeFloatWav(at('float.wav'), songLike(SECONDS, RATE_HZ, 0.6), RATE_HZ)
runPlain('-i', float, '-c:a', 'pcm_s24le', at('master.wav'))

const source = (format: Format, file: string) =>
  ({ format, path: file, offset: 0, sizeBytes: statSync(file).size, gainDb: 0 }) as const
const orderFor = (change: Partial<ExportOrder> = {}): ExportOrder => ({
  ffmpeg,
  folder: mkdtempSync(at('export-')),
  seed: 0,
  edges: { pad_start_seconds: 0, pad_end_seconds: 0 },
  ceilingDbtp: -1,
  sources: [source('wav24', at('master.wav')), source('wav32f', float)],
  files: FORMAT_NAMES.map((format) => ({ format, isTagged: true })),
  tags,
  cover: { mimeType: 'image/jpeg', bytes },
  album: ALBUM,
  copyPeakDbtp: null,
  ...change,
})

const sha256 = (file: string) => execFileSync('sha256sum', [file]).toString().slice(0, 64)
/** The samples of a file as another program decodes them. */
const samplesOf = (file: string) => runPlain('-i', file, '-map', '0:a', '-f', 'f32le', '-c:a', 'pcm_f32le', '-')
const made = {} as Record<Format, ExportedSound>

beforeAll(async () => {
  const order = orderFor()
  for (const file of await makeExportFiles(order, signal)) made[file.format] = file
  expect(readdirSync(order.folder).sort()).toEqual(
    Object.values(made)
      .map((one) => path.basename(one.path))
      .sort(),
  )
})

test('lossless files have the samples of the master, in whatever container', () => {
  const whole = samplesOf(at('master.wav'))
  expect(samplesOf(made.wav24.path).equals(whole)).toBe(true)
  expect(samplesOf(made.flac24.path).equals(whole)).toBe(true)
  expect(samplesOf(made.wav32f.path).equals(samplesOf(float))).toBe(true)
  expect(samplesOf(made.flac16_44.path).equals(samplesOf(made.wav16_44.path))).toBe(true)
  expect(made.flac24.samplesSha256).toBe(made.wav24.samplesSha256)
  // The very bytes of the `data` chunk.
  const file = readFileSync(made.wav24.path)
  const ofMaster = readFileSync(at('master.wav'))
  expect(file.subarray(-1000).equals(ofMaster.subarray(-1000))).toBe(true)
})

test.each(FORMAT_NAMES)('%s: its figures are those that another program measures on the file', (format) => {
  const file = made[format]
  const { bitDepth = null, rateHz = RATE_HZ } = formatFacts(format)
  expect(file).toMatchObject({ bitDepth, sampleRateHz: rateHz, channels: 2, hasTags: true, hasBytesAfterAudio: false })
  expect(file.sizeBytes).toBe(statSync(file.path).size)
  expect(file.sha256).toBe(sha256(file.path))
  expect(file.formatCode).toBe(format === 'wav32f' ? 3 : format.startsWith('wav') ? 1 : null)
  const { integratedLufs, truePeakDbtp } = readByEbur128(file.path)
  expect(file.integratedLufs).toBeCloseTo(integratedLufs, 0)
  expect(Math.abs(file.truePeakDbtp - truePeakDbtp)).toBeLessThan(0.3)
  expect(file.durationSeconds).toBeCloseTo(SECONDS, 3)
  expect(file.truePeakAfterRateDbtp).not.toBeNull()
  expect(file.truePeakAfterCodecDbtp).not.toBeNull()
})

describe('the labels', () => {
  const isMissing = (() => {
    try {
      execFileSync('/usr/bin/python3', ['-c', 'import mutagen'], { stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })()
  const READ = `
import sys, json, mutagen
f = mutagen.File(sys.argv[1])
def texts(v):
    v = v if isinstance(v, list) else [v]
    return [x if isinstance(x, str) else bytes(x).decode('utf8', 'replace') if isinstance(x, (bytes, bytearray)) else str(x) for x in v]
print(json.dumps({k: texts(v.text if hasattr(v, 'text') else v) for k, v in f.tags.items() if not k.startswith('APIC') and k != 'covr'}))
`

  test.for([
    ['wav24', ['TIT2', 'TPE1', 'TALB', 'TPE2', 'TRCK', 'TSRC', 'TCOM', 'TCOP', 'TPUB', 'TEXT', 'TXXX:BARCODE']],
    ['mp3_320', ['TIT2', 'TPE1', 'TALB', 'TPE2', 'TRCK', 'TSRC', 'TCOM', 'TCOP', 'TPUB', 'TEXT', 'TXXX:BARCODE']],
    [
      'flac16_44',
      [
        'title',
        'artist',
        'album',
        'albumartist',
        'tracknumber',
        'isrc',
        'composer',
        'copyright',
        'label',
        'lyricist',
        'barcode',
      ],
    ],
    ['aac_256', ['©nam', '©ART', '©alb', 'aART', 'trkn', 'ISRC', '©wrt', 'cprt', 'LABEL', 'LYRICIST', 'BARCODE']],
  ] as const)('of %s are what mutagen reads', ([format, names], context) => {
    if (isMissing) return context.skip('python3-mutagen is not installed')
    const found = JSON.parse(execFileSync('/usr/bin/python3', ['-c', READ, made[format].path]).toString()) as Record<
      string,
      string[]
    >
    const textOf = (name: string) => (found[name] ?? found[`----:com.apple.iTunes:${name}`])?.join('|')
    const track = format === 'flac16_44' ? '2' : format === 'aac_256' ? '(2, 4)' : '2/4'
    expect(names.map(textOf)).toEqual([
      ...['첫차 (Live)', '달; 별', 'Night', '하늘', track, 'KRA382400001', '김하늘'],
      ...['℗ 2026 Lantern; © 2026 하늘', 'Lantern', '박별', '036000291452'],
    ])
    const flat = JSON.stringify(found)
    for (const text of ['밤이 오면', '118', 'kept', 'City Pop']) expect(flat).toContain(text)
    const gains = [-18 - made[format].integratedLufs, -18 - ALBUM.integratedLufs].map((db) => `${db.toFixed(2)} dB`)
    for (const gain of gains) expect(flat).toContain(gain)
    if (format === 'aac_256') expect(found.rtng).toEqual(['1'])
    else expect(flat).toMatch(/ITUNESADVISORY[^\]]*1/i)
  })

  test('are none in a file without tags, whose sound is the same', async () => {
    const formats: readonly Format[] = IS_CAMPAIGN ? FORMAT_NAMES : ['wav24', 'mp3_320']
    const files = formats.map((format) => ({ format, isTagged: false }))
    const plain = await makeExportFiles(orderFor({ files }), signal)
    expect(plain.map(({ hasTags }) => hasTags)).toEqual(formats.map(() => false))
    expect(plain.map(({ samplesSha256 }) => samplesSha256)).toEqual(formats.map((format) => made[format].samplesSha256))
  })
})

test('a file of the job keeps its coded sound, and only its labels are others', async () => {
  const own = at('own.mp3')
  copyFileSync(made.mp3_320.path, own)
  const [copy] = await makeExportFiles(
    orderFor({
      sources: [{ ...source('mp3_320', own), gainDb: -0.3 }],
      files: [{ format: 'mp3_320', isTagged: true }],
      tags: { title: 'Other' },
    }),
    signal,
  )
  expect(copy).toMatchObject({ samplesSha256: made.mp3_320.samplesSha256, gainDb: -0.3 })
  expect(sha256(copy!.path)).not.toBe(sha256(own))
})

test('a CD file whose rate raised its peaks stays below the ceiling', () => {
  expect(made.wav16_44.truePeakDbtp).toBeLessThanOrEqual(-1)
})

test('a record is as loud as its tracks laid end to end', async () => {
  const quiet = writeFloatWav(at('quiet.wav'), songLike(6, RATE_HZ, 0.2), RATE_HZ)
  const both = at('both.wav')
  runPlain('-i', float, '-i', quiet, '-filter_complex', 'concat=n=2:v=0:a=1', '-c:a', 'pcm_f32le', both)
  const range = (file: string) => ({ path: file, offset: 0, sizeBytes: statSync(file).size })
  const order = { ffmpeg, folder: mkdtempSync(at('record-')), tracks: [range(float), range(quiet)] }
  const level = await measureRecord(order, signal)
  expect(Math.abs(level.integratedLufs - readByEbur128(both).integratedLufs)).toBeLessThan(0.15)
  expect(readdirSync(order.folder)).toEqual([])
  const alone = readByEbur128(quiet).integratedLufs
  expect(level.integratedLufs - alone).toBeGreaterThan(3)
})

test('what is made of tracks that go over into each other is converted as one and cut at the sample', async () => {
  // At a place that no ratio of the rates divides.
  const joint = 70_001
  const part = (name: string, trim: string) => {
    runPlain('-i', at('master.wav'), '-af', `atrim=${trim}`, '-c:a', 'pcm_s24le', at(name))
    return source('wav24', at(name))
  }
  const [left, right] = [part('left.wav', `end_sample=${joint}`), part('right.wav', `start_sample=${joint}`)]
  const formats = ['wav16_44', ...(IS_CAMPAIGN ? (['flac24', 'flac16_44'] as const) : []), 'mp3_320'] as const
  const files = formats.map((format) => ({ format, isTagged: true }))
  const orders = [
    orderFor({ files, copyPeakDbtp: -1, sources: [source('wav24', at('master.wav'))] }),
    orderFor({ files, copyPeakDbtp: -1, sources: [{ ...left, joined: { before: [], after: [right] } }] }),
    orderFor({ files, copyPeakDbtp: -1, sources: [{ ...right, joined: { before: [left], after: [] } }] }),
  ]
  const all: ExportedSound[][] = []
  for (const order of orders) all.push(await makeExportFiles(order, signal))
  for (const [i, { format }] of files.entries()) {
    if (format === 'mp3_320') continue
    const laidEndToEnd = Buffer.concat(all.slice(1).map((one) => samplesOf(one[i]!.path)))
    expect([format, laidEndToEnd.equals(samplesOf(all[0]![i]!.path))]).toEqual([format, true])
  }
  const seconds = all.slice(1).map((one) => one.at(-1)!.durationSeconds)
  expect(seconds).toEqual([joint / RATE_HZ, expect.closeTo(SECONDS - joint / RATE_HZ, 4)])
  for (const [i, { folder: own }] of orders.entries())
    expect(readdirSync(own).sort()).toEqual(all[i]!.map((one) => path.basename(one.path)).sort())
})
