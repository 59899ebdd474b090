/** Metadata and cover of a request: what another program reads in the files of its job, and what is refused. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Job } from '../../../src-contract/jobs.ts'
import { type AuditionService, startAuditionService } from '../../support/audition-service.ts'
import { jpegPicture, pngPicture } from '../../support/pictures.ts'
import { type MasterFields, masterForm } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { runPlain, songLike, writeFloatWav } from '../../worker/media/make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const bare = writeFloatWav(at('bare.wav'), songLike(1.5, 44_100), 44_100)
const ofFile = ['title=Old', 'artist=Old Band', 'album=Old Album', 'track=9', 'date=1999', 'genre=Ambient']
runPlain('-i', bare, ...ofFile.flatMap((tag) => ['-metadata', tag]), '-c:a', 'pcm_f32le', at('song.wav'))
const upload = () => new File([new Uint8Array(readFileSync(at('song.wav')))], 'song.wav')
runPlain('-f', 'lavfi', '-i', 'color=red:size=1500x1500', '-frames:v', '1', at('red.png'))
runPlain('-f', 'lavfi', '-i', 'testsrc2=size=900x700', '-frames:v', '1', '-pix_fmt', 'gray', at('wide.png'))
runPlain('-f', 'lavfi', '-i', 'color=gray:size=3200x3200,noise=alls=100', '-frames:v', '1', at('noise.png'))
const picture = (name: string) => new File([new Uint8Array(readFileSync(at(name)))], name)

const METADATA = {
  album: '새벽 거리',
  track: '3/12',
  year: '2026',
  isrc: 'KR-A38-24-00001',
  composer: 'Ana Kim',
  copyright: '2026 Ana Kim',
  comment: 'Made at night',
  lyrics: '등불 아래\nwe walk',
  bpm: '127',
} as const
const FORMATS = 'flac24,mp3_320,aac_256'

let service: AuditionService
beforeAll(async () => {
  service = await startAuditionService()
})
afterAll(() => service.stop())

const post = (fields: MasterFields, headers: Record<string, string> = {}) =>
  service.call('POST', '/api/v1/master', {
    body: masterForm({ file: upload(), platforms: 'spotify', ...fields }),
    headers,
  })
const credits = async () => (await service.get('/api/v1/account')).body.credits

interface Read {
  readonly tags: Readonly<Record<string, string>>
  readonly hasPicture: boolean
  readonly bytes: Buffer
}

/** Returns the tags of a file of a job as ffprobe reads them, by names in lower case. */
async function readBack(job: Job, format?: string): Promise<Read> {
  const query = format === undefined ? '' : `?format=${format}`
  const { bytes } = await service.bytes(`/api/v1/jobs/${job.job_id}/files/spotify${query}`)
  const file = at(`read-${format ?? 'wav'}`)
  writeFileSync(file, bytes)
  const text = execFileSync('ffprobe', ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', file])
  const { format: read, streams } = JSON.parse(text.toString('utf8'))
  const tags = Object.entries<string>({ ...read.tags, ...streams[0].tags })
  return {
    tags: Object.fromEntries(tags.map(([name, value]) => [name.toLowerCase(), value])),
    bytes,
    hasPicture: streams.some(({ disposition }: { disposition: { attached_pic: number } }) => disposition.attached_pic),
  }
}

/** Returns whether a value is among the tags under one of these names. */
const has = ({ tags }: Read, names: string, value: string) =>
  Object.entries(tags).some(([name, text]) => new RegExp(`^(${names})`).test(name) && text.includes(value))

describe('the metadata of a request', () => {
  let job: Job
  beforeAll(async () => {
    const sent = { title: '등불', artist: 'Ana', ...METADATA, formats: FORMATS, cover_file: picture('red.png') }
    const { status, body } = await post({ ...sent, naming: '{track} {title} {album} {year} {isrc}' })
    expect([status, body.error]).toEqual([201, undefined])
    job = await service.ended(body.job_id)
  })

  it('is in the job, with the size of the cover', () => {
    expect(job).toMatchObject({ status: 'done', ...METADATA, isrc: 'KRA382400001', title: '등불', artist: 'Ana' })
    expect(job.cover).toEqual({ width_px: 1500, height_px: 1500, color_model: 'rgb' })
    expect(job.warnings.map(({ code }) => code)).not.toContain('COVER_UNUSUAL')
  })

  it.each([undefined, 'flac24', 'mp3_320', 'aac_256'])('stands over the tags of the file: %s', async (format) => {
    const read = await readBack(job, format)
    for (const [names, value] of [
      ['title', '등불'],
      ['artist', 'Ana'],
      ['album', '새벽 거리'],
      ['track', format === 'flac24' ? '3' : '3/12'],
      ['date|year', '2026'],
      ['isrc|tsrc', 'KRA382400001'],
      ['composer', 'Ana Kim'],
      ['copyright', '2026 Ana Kim'],
      ['comment', 'Made at night'],
      ['lyrics|unsynced', '등불 아래\nwe walk'],
      ['bpm|tbpm|tmpo', '127'],
      ['genre', 'Ambient'],
    ] as const) {
      // ffprobe reads neither ID3 chunks of WAV files, which these have in UTF-8, nor the tempo of M4A.
      const isInBytes = format === undefined && read.bytes.includes(value)
      if (format === 'aac_256' && names.startsWith('bpm')) continue
      expect([names, isInBytes || has(read, names, value)]).toEqual([names, true])
    }
    expect(JSON.stringify(read.tags)).not.toMatch(/Old|1999/)
    expect(read.hasPicture).toBe(true)
  })

  it('is in the names of the files', () => {
    expect(job.results[0]!.file).toBe('03 등불 새벽 거리 2026 KRA382400001.wav')
  })

  it('is kept by a retry, but for what that changes', async () => {
    const { body } = await service.post(`/api/v1/jobs/${job.job_id}/retry`, { album: 'Other', lyrics: '', formats: [] })
    const again = await service.ended(body.job_id)
    const { lyrics: _, ...kept } = METADATA
    expect(again).toMatchObject({ ...kept, isrc: 'KRA382400001', album: 'Other', cover: job.cover })
    expect(again).not.toHaveProperty('lyrics')
    expect((await readBack(again)).hasPicture).toBe(true)
    const refused = await service.post(`/api/v1/jobs/${job.job_id}/retry`, { isrc: 'none' })
    expect([refused.status, refused.body.error.param]).toEqual([400, 'isrc'])
  })
})

describe('what cannot be used', () => {
  it.each([
    ['isrc', 'KR-A38-24-1'],
    ['track', '0'],
    ['track', '13/12'],
    ['track', 'three'],
    ['year', '26'],
    ['bpm', '0'],
    ['bpm', '128.5'],
    ['album', 'a'.repeat(201)],
    ['lyrics', '가'.repeat(20_001)],
  ])('is 400 with the field, and nothing is charged: %s', async (field, value) => {
    const before = await credits()
    const { status, body } = await post({ [field]: value })
    expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', field])
    expect(await credits()).toBe(before)
  })

  it.each([
    ['no picture', Buffer.from('a text')],
    ['a GIF', Buffer.from('GIF89a')],
    ['half a PNG', pngPicture(1500, 1500).subarray(0, 40)],
    ['half a JPEG', jpegPicture(1500, 1500).subarray(0, -2)],
  ])('is 400 for a cover that is %s', async (_, bytes) => {
    const before = await credits()
    const { status, body } = await post({ cover_file: new File([new Uint8Array(bytes)], 'cover.png') })
    expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', 'cover_file'])
    expect(await credits()).toBe(before)
  })
})

describe('a cover', () => {
  it('that shops may refuse is warned of, by a dry run too', async () => {
    const dry = await post({ cover_file: picture('wide.png'), dry_run: 'true' })
    const told = [expect.objectContaining({ code: 'COVER_UNUSUAL', values: { width_px: 900, height_px: 700 } })]
    expect(dry.body.warnings).toEqual(expect.arrayContaining(told))
    const job = await service.ended((await post({ cover_file: picture('wide.png') })).body.job_id)
    expect(job.warnings).toEqual(expect.arrayContaining(told))
    expect(job.cover).toMatchObject({ color_model: 'rgb', changes: ['colors', 'assumed_srgb'] })
  })

  it('above 10 MB becomes a JPEG below it', async () => {
    expect(readFileSync(at('noise.png')).length).toBeGreaterThan(10_000_000)
    const job = await service.ended((await post({ cover_file: picture('noise.png') })).body.job_id)
    expect(job.cover).toEqual({ width_px: 3000, height_px: 3000, color_model: 'rgb', changes: ['resized', 'jpeg'] })
    const plain = await service.ended((await post({})).body.job_id)
    const added = job.results[0]!.size_bytes - plain.results[0]!.size_bytes
    expect(added).toBeGreaterThan(100_000)
    expect(added).toBeLessThan(10_100_000)
  })
})

describe('an Idempotency-Key', () => {
  it('covers metadata and cover', async () => {
    const headers = { 'idempotency-key': 'with-cover' }
    const first = await post({ album: 'One', cover_file: picture('red.png') }, headers)
    const again = await post({ album: 'One', cover_file: picture('red.png') }, headers)
    expect([again.status, again.body.job_id]).toEqual([201, first.body.job_id])
    for (const other of [
      { album: 'Two', cover_file: picture('red.png') },
      { album: 'One' },
      { album: 'One', cover_file: picture('wide.png') },
    ]) {
      const { status, body } = await post(other, headers)
      expect([status, body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    }
  })
})
