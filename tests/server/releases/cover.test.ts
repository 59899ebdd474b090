/** Covers of releases: converted where they are stored, told, and exported as they are stored. */

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { COVER_CHANGES, type CoverChange } from '../../../src-contract/covers.ts'
import { COVER_CHANGE_WORDS } from '../../../src-contract/text/color-models.ts'
import { DATABASE_FILE } from '../../../src-server/db/data-directory.ts'
import { pictureFacts } from '../../../src-worker/media/picture.ts'
import { DISPLAY_P3, inkPicture, pixelPicture } from '../../support/color-profiles.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { hasProgram } from '../../support/programs.ts'
import { type Service, startService } from '../../support/service.ts'
import { in24Bits, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain } from '../../worker/media/make-audio.ts'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const engine = createHeldEngine({ isAutomatic: true })
engine.masterBytes = in24Bits(wavSong({ seconds: 1, sampleRateHz: 44_100 }))
let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
})
afterAll(() => service.stop())

function newFolder(): string {
  const folder = temporaryFolder(onTestFinished)
  return folder
}

async function put(releaseId: string, picture: Buffer) {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(picture)]), 'cover')
  return service.call('PUT', `/api/v1/releases/${releaseId}/cover`, { body: form })
}

test('a cover is stored and exported as sRGB, and what was changed is told', async () => {
  const job = await service.newJob()
  await service.ended(job.job_id)
  const wanted = { title: 'Inks', artist: 'A', kind: 'single', tracks: [{ job_id: job.job_id }] }
  const { release_id: id } = (await service.post('/api/v1/releases', wanted)).body
  expect((await put(id, inkPicture())).body.cover).toMatchObject({
    ...{ media_type: 'image/jpeg', color_model: 'rgb', changes: ['colors', 'assumed_inks'] },
  })
  const parent = newFolder()
  const { body } = await service.post(`/api/v1/releases/${id}/export`, { folder: parent, receivers: ['distrokid'] })
  expect(pictureFacts(readFileSync(path.join(body.folder, 'cover.jpg')))?.colorModel).toBe('rgb')
  const check = body.certificate.receivers[0].checks.find(({ rule }: { rule: string }) => rule === 'cover_color')
  expect(check.outcome).toBe('pass')
})

test('a cover that shops take as it is keeps its bytes, and its changes are told with the release until another comes', async () => {
  const { release_id: id } = (await service.post('/api/v1/releases', { title: 'x', artist: 'y', kind: 'ep' })).body
  const plain = pixelPicture({ width: 2, height: 2, channels: 3 }, Buffer.alloc(12, 99))
  expect((await put(id, plain)).body.cover).not.toHaveProperty('changes')
  const { body } = await service.get(`/api/v1/releases/${id}`)
  expect(body.cover).toMatchObject({ size_bytes: plain.length })
  await put(id, pixelPicture({ width: 2, height: 2, channels: 3 }, Buffer.alloc(12, 99), { icc: DISPLAY_P3 }))
  expect((await service.get(`/api/v1/releases/${id}`)).body.cover).toMatchObject({ changes: ['colors'] })
  const copy = await service.post(`/api/v1/releases/${id}/duplicate`, {})
  expect(copy.body.cover).toMatchObject({ changes: ['colors'] })
  const refused = await put(id, Buffer.from('no picture'))
  expect([refused.status, refused.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
})

test('every change has a sentence in both languages', () => {
  for (const change of COVER_CHANGES) {
    expect(COVER_CHANGE_WORDS[change].en).toMatch(/\.$/)
    expect(COVER_CHANGE_WORDS[change].ko).toMatch(/[가-힣].*요\.$/)
  }
})

/** Exif of a camera: an orientation, its maker, and a place (Exif 2.32, sections 4.6.2 and 4.6.6). */
function exif(orientation: number): Buffer {
  const entry = (tag: number, type: number, count: number, value: number | string) => {
    const bytes = Buffer.alloc(12)
    bytes.writeUInt16BE(tag)
    bytes.writeUInt16BE(type, 2)
    bytes.writeUInt32BE(count, 4)
    if (typeof value === 'string') bytes.write(value, 8, 'latin1')
    else if (type === 3) bytes.writeUInt16BE(value, 8)
    else bytes.writeUInt32BE(value, 8)
    return bytes
  }
  const maker = entry(0x010f, 2, 4, 'Cam')
  const first = [Buffer.from([0, 3]), maker, entry(0x0112, 3, 1, orientation), entry(0x8825, 4, 1, 50), Buffer.alloc(4)]
  const place = [Buffer.from([0, 1]), entry(0x0001, 2, 2, 'N'), Buffer.alloc(4)]
  const content = Buffer.concat([Buffer.from('Exif\0\0MM\0*\0\0\0\x08', 'latin1'), ...first, ...place])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

/** A picture of red, left, and blue, coded by ffmpeg. */
const SIDES = 'color=red:s=24x32[l];color=blue:s=24x32[r];[l][r]hstack'
const made = (format: string, ...coding: string[]) =>
  runPlain('-f', 'lavfi', '-i', SIDES, '-frames:v', '1', ...coding, '-f', 'image2pipe', '-c:v', format, '-')
const JPEG = made('mjpeg', '-q:v', '2')

/** The file by ffmpeg: its form, and the colours of the pixels in its corners, first and last. */
function seen(file: string) {
  const { stderr } = spawnSync(ffmpeg.path, ['-hide_banner', '-i', file], { encoding: 'utf8' })
  const [, codec, pixels, width, height] = /Video: (\w+)[^,]*, (\w+)\([^)]*\).*?, (\d+)x(\d+)/.exec(stderr) ?? []
  const rgb = runPlain('-noautorotate', '-i', file, '-frames:v', '1', '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-')
  const colors = [rgb.subarray(0, 3), rgb.subarray(-3)].map((color) =>
    [...color].map((value) => Math.round(value / 85) * 85),
  )
  return { codec, pixels, size: `${width}x${height}`, colors }
}

const RED_BLUE = [
  [255, 0, 0],
  [0, 0, 255],
]
const GREYS = [
  [85, 85, 85],
  [0, 0, 0],
]
const clear = Buffer.concat(
  Array.from({ length: 4 }, (_, at) => Buffer.from(at < 2 ? [255, 0, 0, 0] : [0, 0, 255, 255])),
)

const isReadByExiftool = hasProgram('exiftool')
if (!isReadByExiftool) test.skip('exported covers by exiftool (skipped: it is not installed)', () => {})

/** Returns what exiftool finds in a picture beyond its pixels, and its form. */
function byExiftool(file: string) {
  const [tags] = JSON.parse(execFileSync('exiftool', ['-j', '-n', '-a', '-u', '-G1', file], { encoding: 'utf8' }))
  const { 'File:FileType': type, 'File:ColorComponents': components, 'File:BitsPerSample': bits } = tags
  const groups = new Set(Object.keys(tags).map((name) => name.split(':')[0]))
  const own = ['SourceFile', 'ExifTool', 'System', 'File', 'Composite', 'JFIF']
  return {
    ...{ type, components, bits, size: `${tags['File:ImageWidth']}x${tags['File:ImageHeight']}` },
    further: [...groups].filter((group) => !own.includes(group!)),
    // The encoder names itself.
    named: Object.entries<unknown>(tags)
      .filter(([name, value]) => /GPS|Orientation|Make|Comment|Profile/i.test(name) && !/^Lavc/.test(String(value)))
      .map(([name]) => name),
  }
}

test.each<[string, Buffer, object, string[]]>([
  ['grey', made('png', '-pix_fmt', 'gray'), { size: '48x32', colors: GREYS }, ['colors', 'assumed_srgb', 'jpeg']],
  [
    '16 bit',
    made('png', '-pix_fmt', 'rgb48be'),
    { size: '48x32', colors: RED_BLUE },
    ['colors', 'assumed_srgb', 'jpeg'],
  ],
  ['a palette', made('png', '-pix_fmt', 'pal8'), { size: '48x32', colors: RED_BLUE }, ['jpeg']],
  [
    'alpha',
    pixelPicture({ width: 2, height: 2, channels: 4 }, clear),
    {
      size: '2x2',
      colors: [
        [255, 255, 255],
        [0, 0, 255],
      ],
    },
    ['flattened', 'jpeg'],
  ],
  [
    'a camera that was turned, with the place',
    Buffer.concat([JPEG.subarray(0, 2), exif(6), JPEG.subarray(2)]),
    { size: '32x48', colors: RED_BLUE },
    ['turned', 'private_data'],
  ],
  ['inks', inkPicture(), { size: '64x64' }, ['colors', 'assumed_inks']],
])(
  'a cover of %s is exported as an upright JPEG in sRGB alone, also where an earlier version stored it as it was',
  async (_, sent, form, changes) => {
    const job = await service.newJob()
    await service.ended(job.job_id)
    const wanted = { title: `Cover ${job.job_id}`, artist: 'A', kind: 'single', tracks: [{ job_id: job.job_id }] }
    const { release_id: id } = (await service.post('/api/v1/releases', wanted)).body
    const parent = newFolder()
    const exported = async () => {
      const { body } = await service.post(`/api/v1/releases/${id}/export`, { folder: parent, receivers: ['distrokid'] })
      const file = path.join(body.folder, 'cover.jpg')
      expect(seen(file)).toMatchObject({ codec: 'mjpeg', pixels: expect.stringMatching(/^yuvj4/), ...form })
      if (isReadByExiftool)
        expect(byExiftool(file)).toMatchObject({
          ...{ type: 'JPEG', components: 3, bits: 8, further: [], named: [] },
          ...('size' in form ? { size: form.size } : {}),
        })
      const bytes = readFileSync(file).toString('latin1')
      for (const mark of ['Exif', 'Cam', 'ICC_PROFILE', 'http://ns.adobe.com']) expect(bytes).not.toContain(mark)
      expect(new Set(body.certificate.cover.changes)).toEqual(new Set(changes))
      const { checks } = body.certificate.receivers[0]
      const ofCover = checks.filter(({ rule }: { rule: string }) => /^cover_/.test(rule))
      expect(new Set(ofCover.map(({ outcome }: { outcome: string }) => outcome))).toEqual(new Set(['pass']))
      const page = readFileSync(path.join(body.folder, 'certificate.html'), 'utf8')
      for (const change of changes) expect(page).toContain(COVER_CHANGE_WORDS[change as CoverChange].en)
      return sha256(readFileSync(file))
    }
    await put(id, sent)
    const converted = await exported()
    const db = new Database(path.join(service.dataDir, DATABASE_FILE))
    db.prepare('UPDATE release_covers SET bytes = ?, color_model = NULL, changes = NULL WHERE release_id = ?').run(
      sent,
      id,
    )
    db.close()
    const { receivers } = (await service.get(`/api/v1/releases/${id}/readiness`)).body
    const ofDistroKid = receivers.find(({ receiver }: { receiver: string }) => receiver === 'distrokid')
    expect(ofDistroKid.checks.find(({ rule }: { rule: string }) => rule === 'cover_type').outcome).toBe('pass')
    expect(await exported()).toBe(converted)
  },
)
