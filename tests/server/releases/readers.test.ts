/** Release data as entered: in the files (read by third-party readers), the table and the sheets. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportCalls } from '../../support/exports.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { hasProgram } from '../../support/programs.ts'
import { type Service, startService } from '../../support/service.ts'
import { in24Bits, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const engine = createHeldEngine({ isAutomatic: true })
engine.masterBytes = in24Bits(wavSong({ seconds: 1, sampleRateHz: 44_100 }))
let service: Service
let folder: string
const parent = temporaryFolder()

const RELEASE = {
  ...{
    title: '밤 버스',
    artist: '하늘',
    kind: 'single',
    release_date: '2026-12-24',
    label: 'Lantern',
    upc: '036000291452',
  },
  ...{ genre: 'City Pop', language: 'ko', p_line: '2026 Lantern', c_line: '2026 하늘' },
  disclosure: { vocals: { use: 'none' }, artwork: { use: 'assisted', tools: 'Painter', note: 'sky only' } },
}
const TRACK = {
  ...{ title: '첫차', version: 'Live', artists: ['달', '별'], featured_artists: ['구름'], composers: ['김하늘'] },
  ...{ lyricists: ['박별'], isrc: 'KRA382400001', explicit: true },
  disclosure: { lyrics: { use: 'generated', tools: 'Wordsmith', model: 'v5' } },
}

beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
  const { job_id } = await service.newJob()
  await service.ended(job_id)
  const { body } = await service.post('/api/v1/releases', { ...RELEASE, tracks: [{ job_id, ...TRACK }] })
  const wanted = { folder: parent, formats: ['wav24', 'flac24', 'mp3_320', 'aac_256'], receivers: ['distrokid'] }
  const { exported } = exportCalls(
    () => service,
    () => wanted,
  )
  folder = (await exported(body.release_id)).folder
})
afterAll(() => service.stop())

/** Texts of its own atoms of an M4A are bytes to mutagen and to exiftool. */
const MUTAGEN = `
import sys, mutagen
f = mutagen.File(sys.argv[1])
print(f.pprint())
for values in (dict(f.tags).values() if sys.argv[1].endswith('m4a') else []):
    print([bytes(value).decode() for value in values if isinstance(value, bytes)] if isinstance(values, list) else '')
`
const decoded = (text: string) =>
  text.replace(/"base64:([^"]*)"/g, (_, coded: string) => Buffer.from(coded, 'base64').toString('utf8'))
const READERS: Readonly<Record<string, readonly [program: string, ...before: string[]]>> = {
  ffprobe: ['ffprobe', '-v', 'error', '-show_format', '-show_streams'],
  exiftool: ['exiftool', '-a', '-u', '-G1', '-execute', '-j', '-b', '-common_args'],
  mediainfo: ['mediainfo', '--Full'],
  mutagen: ['/usr/bin/python3', '-c', MUTAGEN],
}

function isInstalled(reader: string): boolean {
  if (reader !== 'mutagen') return hasProgram(reader)
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import mutagen'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Texts that the file has, by field. */
const FIELDS: Readonly<Record<string, RegExp>> = {
  ...{ title: /첫차 \(Live\)/, artists: /달; 별/, album: /밤 버스/, albumArtist: /하늘/, isrc: /KRA382400001/ },
  ...{ year: /2026/, genre: /City Pop/, composers: /김하늘/, lyricists: /박별/, label: /Lantern/, upc: /036000291452/ },
  ...{ rights: /℗ 2026 Lantern; © 2026 하늘/, explicit: /ITUNESADVISORY|rtng|Rating|Explicit/i, track: /\b1\b/ },
}

/** Fields that a reader does not look for: ffprobe reads the INFO of a WAV, and not its ID3 chunk. */
const UNREAD: Readonly<Record<string, readonly string[]>> = {
  ffprobe: ['isrc', 'composers', 'lyricists', 'upc', 'explicit'].map((field) => `wav ${field}`),
}

test.for(Object.keys(READERS))('%s finds the fields in every format', (reader, context) => {
  if (!isInstalled(reader)) return context.skip(`${reader} is not installed`)
  const [program, ...before] = READERS[reader]!
  const names = ['wav', 'flac', 'mp3', 'm4a'].map((type) => path.join(folder, `01 첫차 (Live).${type}`))
  const missed = names.flatMap((name) => {
    const text = execFileSync(program, [...before, name], { encoding: 'utf8', maxBuffer: 1 << 24 })
    const lost = Object.keys(FIELDS).filter((field) => !FIELDS[field]!.test(decoded(text).normalize('NFC')))
    return lost.map((field) => `${path.extname(name).slice(1)} ${field}`)
  })
  expect(missed).toEqual(UNREAD[reader] ?? [])
})

test('table and sheets have every field that was entered', () => {
  const [head, row] = readFileSync(path.join(folder, 'metadata.csv'), 'utf8')
    .replace(/^\ufeff/, '')
    .trim()
    .split(/\r?\n/)
  const columns = head!.split(',')
  const cells = Object.fromEntries(row!.split(',').map((cell, at) => [columns[at], cell]))
  expect(cells).toMatchObject({
    ...{
      release_title: '밤 버스',
      release_artist: '하늘',
      kind: 'single',
      release_date: '2026-12-24',
      label: 'Lantern',
    },
    ...{ upc: '036000291452', genre: 'City Pop', language: 'ko', title: '첫차', version: 'Live', artists: '달; 별' },
    ...{ composers: '김하늘', lyricists: '박별', isrc: 'KRA382400001', featured_artists: '구름' },
  })
  const sheet = readFileSync(path.join(folder, 'ai-disclosure.html'), 'utf8')
  for (const text of ['밤 버스', '하늘', '첫차', 'Painter', 'sky only', 'Wordsmith v5']) expect(sheet).toContain(text)
})
