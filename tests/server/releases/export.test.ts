/** Export of releases over a real socket into real folders: whole, signed, resumable, and nothing of others is touched. */
import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { WHOLE_SONG } from '../../../src-contract/settings.ts'
import { fileNames } from '../../../src-server/releases/export-plan.ts'
import { cueSheet } from '../../../src-server/releases/export-texts.ts'
import type { ReleaseRecord, TrackRecord } from '../../../src-server/releases/release.ts'
import { exportCalls, INTACT } from '../../support/exports.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { jpegPicture, pngPicture } from '../../support/pictures.ts'
import { noFile, type Service, startService } from '../../support/service.ts'
import { in24Bits, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MASTER = in24Bits(wavSong({ seconds: 2, sampleRateHz: 44_100 }))
const engine = createHeldEngine({ isAutomatic: true })
engine.masterBytes = MASTER
let service: Service
let jobId: string
let parent: string

beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
  const job = await service.newJob({ platforms: 'melon,spotify' })
  jobId = job.job_id
  await service.ended(jobId)
})
afterAll(() => service.stop())
beforeEach(() => {
  // Before what a test mounts on it is unmounted, it cannot go: what is registered first is done last.
  parent = temporaryFolder(onTestFinished)
})

const FACTS = { title: 'Night: EP', artist: '하늘', kind: 'ep', upc: '036000291452' }
const FOLDER = '하늘 - Night EP'
const NAMES = [
  ...['01 첫차.wav', '02 Bus Stop (Live).wav', 'SHA256SUMS', 'ai-disclosure.html', 'ai-disclosure.json'],
  ...['certificate.html', 'certificate.json', 'cover.png', 'metadata.csv', 'release-report.json', `${FOLDER}.cue`],
]

async function newRelease(more: object = {}): Promise<string> {
  const tracks = [
    { job_id: jobId, title: '첫차', isrc: 'KRA382400001', composers: ['김하늘'] },
    { job_id: jobId, title: 'Bus Stop', version: 'Live', gap_before_seconds: 1.5, fade_out_seconds: 1 },
  ]
  const { body } = await service.post('/api/v1/releases', { ...FACTS, tracks, ...more })
  await putCover(body.release_id, pngPicture(3000, 3000))
  return body.release_id
}

function putCover(releaseId: string, picture: Buffer) {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(picture)]), 'cover')
  return service.call('PUT', `/api/v1/releases/${releaseId}/cover`, { body: form })
}

const { exportOf, exported, verified } = exportCalls(
  () => service,
  () => ({ folder: parent }),
)
/** Content of the `data` chunk of a WAV. */
const soundOf = (file: string): Buffer => {
  const bytes = readFileSync(file)
  const at = bytes.indexOf('data') + 4
  return bytes.subarray(at + 4, at + 4 + bytes.readUInt32LE(at))
}
const read = (folder: string, name: string) => readFileSync(path.join(folder, name), 'utf8')
const write = (folder: string, name: string, text: string) => writeFileSync(path.join(folder, name), text)

describe('an export', () => {
  test('is one folder with numbered files, cover, table, cue sheet, report, certificate and checksums that agree', async () => {
    const { folder, certificate } = await exported(await newRelease())
    expect(folder).toBe(path.join(parent, FOLDER))
    expect(readdirSync(folder).sort()).toEqual(NAMES)
    expect(soundOf(path.join(folder, '01 첫차.wav')).equals(MASTER.subarray(44))).toBe(true)
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder })
    expect(read(folder, 'SHA256SUMS').trim().split('\n')).toHaveLength(NAMES.length - 1)
    expect(read(folder, 'metadata.csv')).toContain('KRA382400001')
    expect(JSON.parse(read(folder, 'release-report.json'))).toMatchObject({
      ...{ title: 'Night: EP', duration_seconds: 4 },
      tracks: [
        { file: '01 첫차.wav', master: { platform: 'spotify', integrated_lufs: -14 } },
        { has_unapplied_edges: true },
      ],
    })
    expect(certificate).toMatchObject({ title: 'Night: EP', unapplied_tracks: [2] })
    expect(certificate.files.map(({ name }) => name).sort()).toEqual(
      NAMES.filter((name) => !['SHA256SUMS', 'certificate.json'].includes(name)),
    )
    expect(await verified(folder)).toEqual({ ...INTACT, folder, title: 'Night: EP', made_at: certificate.made_at })
  })

  test('measures the written files against every receiver, and says in both languages what is to be mended', async () => {
    const releaseId = await newRelease()
    const { certificate } = await exported(releaseId)
    expect(certificate.receivers).toHaveLength(18)
    const outcomes = (id: string, rule: string) =>
      certificate.receivers.find(({ receiver }) => receiver === id)?.checks.find((check) => check.rule === rule)
    expect(outcomes('cd_baby', 'name_characters')).toMatchObject({
      outcome: 'remedy',
      remedies: [{ file: '01 첫차.wav', message: expect.stringMatching(/Rename the file/) }, {}],
    })
    const rules = ['bit_depth', 'true_peak_after_rate', 'true_peak_after_codec', 'cover', 'cover_color'] as const
    expect(rules.map((rule) => outcomes('cd_baby', rule)?.outcome)).toEqual([
      ...['remedy', 'pass', 'pass', 'pass', 'pass'],
    ])
    expect(
      ['format_code', 'chunk_order', 'true_peak'].map((rule) => outcomes('spotify_delivery', rule)?.outcome),
    ).toEqual([...['pass', 'pass', 'pass']])
    const found = (id: string) => certificate.receivers.find(({ receiver }) => receiver === id)!
    expect(found('cd_baby').checks[0]).toMatchObject({ read: '2026-11-29', url: expect.stringMatching(/^https:/) })
    expect(found('ditto').checks.find(({ rule }) => rule === 'file_type')).toMatchObject({
      ...{ dated: '2019-03-28', age_note: expect.stringMatching(/^This rule is \d{4} days old/) },
    })
    // Nothing is known of it, and nothing is blamed but by our own advice.
    expect(found('amuse').unknown_rules).toHaveLength(11)
    expect(found('amuse').checks.flatMap(({ read: day }) => day ?? [])).toEqual([])
    const page = read(path.join(parent, FOLDER), 'certificate.html')
    expect(page).toMatch(/Unknown: File format, [\s\S]*not found in what we could read/)
    expect(page).toContain('<html lang="en">')
    expect(page).toContain('Rename the file.')
    expect(page).not.toMatch(/<script|src=|href=/)
    await putCover(releaseId, jpegPicture(3000, 3000, { components: 4 }))
    const wanted = { folder: parent, receivers: ['cd_baby'], formats: ['wav24'], ascii_names: false }
    const init = { body: JSON.stringify(wanted), headers: {} }
    const headers = { 'content-type': 'application/json', 'accept-language': 'ko' }
    const { body } = await service.call('POST', `/api/v1/releases/${releaseId}/export`, { ...init, headers })
    expect(body.certificate.receivers).toMatchObject([
      { receiver: 'cd_baby', outcome: 'remedy', verdicts: { files: 'not_ready', release: 'ready' } },
    ])
    expect(certificate.receivers[0]).not.toHaveProperty('verdicts')
    expect(read(body.folder, 'certificate.html')).toMatch(/CD Baby에 올릴 파일<\/th><td class="n">준비 안 됨/)
    expect(read(body.folder, 'certificate.html')).toMatch(
      /<html lang="ko">[\s\S]*납품 확인서[\s\S]*파일 이름을 바꾸세요[\s\S]*커버 색상이 CMYK예요/,
    )
    expect(await verified(body.folder)).toMatchObject(INTACT)
  })

  test('measures what a file at another rate peaks at 44.1 kHz', async () => {
    const quiet = wavSong({ seconds: 2, sampleRateHz: 48_000 })
    // Between the samples of such a square wave the sound goes far beyond them.
    for (let at = 44; at < quiet.length; at += 2)
      quiet.writeInt16LE(Math.floor(at / 80) % 2 === 0 ? 32_767 : -32_767, at)
    engine.masterBytes = in24Bits(quiet)
    onTestFinished(() => {
      engine.masterBytes = MASTER
    })
    const job = await service.newJob()
    await service.ended(job.job_id)
    const releaseId = await newRelease({ tracks: [{ job_id: job.job_id, title: 'High' }] })
    const { certificate } = await exported(releaseId, { receivers: ['catapult', 'melabel'], formats: ['wav24'] })
    const outcomes = certificate.receivers.map(({ checks }) =>
      checks.filter(({ outcome }) => outcome !== 'pass').map(({ rule }) => rule),
    )
    const ofBoth = ['loudness', 'true_peak_after_rate', 'true_peak_after_codec']
    expect(outcomes).toEqual([ofBoth, ['sample_rate', 'bit_depth', ...ofBoth]])
    const peak = certificate.receivers[0]?.checks.find(({ rule }) => rule === 'true_peak_after_rate')
    expect(peak).toMatchObject({ outcome: 'remedy', remedies: [{ file: '01 High.wav' }] })
  })

  test('takes the masters of one platform, and says which track has none', async () => {
    const releaseId = await newRelease()
    const { folder } = await exported(releaseId, { platform: 'melon' })
    expect(JSON.parse(read(folder, 'release-report.json')).tracks[1].master.platform).toBe('melon')
    const refusal = async (id: string, more = {}) => {
      const { status, body } = await exportOf(id, more)
      return [status, body.error?.code, body.error?.message]
    }
    expect(await refusal(releaseId, { platform: 'youtube' })).toEqual([
      ...[409, 'RELEASE_NOT_READY', expect.stringMatching(/^Track 1 \(“첫차”\)/)],
    ])
    const without = await newRelease({ tracks: [{ job_id: jobId }, { title: 'To come' }] })
    expect((await refusal(without))[2]).toMatch(/^Track 2 \(“To come”\)/)
    expect((await refusal(await newRelease({ tracks: [] })))[2]).toMatch(/no tracks/)
    expect(await refusal('nobody')).toEqual([404, 'RELEASE_NOT_FOUND', expect.any(String)])
    expect(readdirSync(parent)).toEqual([FOLDER])
  })

  test('of stored songs takes the masters of their newest job that is done', async () => {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(wavSong())]), 'song.wav')
    const { source_id } = (await service.call('POST', '/app/sources', { body: form })).body
    const releaseId = await newRelease({ tracks: [{ source_id }] })
    expect((await exportOf(releaseId)).body.error.code).toBe('RELEASE_NOT_READY')
    const jobs = [await service.newJob({ source_id, file: noFile }), await service.newJob({ source_id, file: noFile })]
    for (const job of jobs) await service.ended(job.job_id)
    const { folder } = await exported(releaseId)
    expect(JSON.parse(read(folder, 'release-report.json')).tracks[0].job_id).toBe(jobs[1]?.job_id)
  })

  test('goes into the output folder unless told otherwise, and into no folder that cannot be', async () => {
    const releaseId = await newRelease()
    expect((await exportOf(releaseId, { folder: undefined })).body.error.param).toBe('folder')
    await service.patch('/app/settings', { output_folder: parent })
    onTestFinished(() => void service.patch('/app/settings', { output_folder: null }))
    expect((await exportOf(releaseId, { folder: undefined })).body.folder).toBe(path.join(parent, FOLDER))
    for (const folder of ['relative', service.dataDir, path.join(service.dataDir, 'in')])
      expect((await exportOf(releaseId, { folder })).body.error.param).toBe('folder')
  })
})

describe('an export by a program', () => {
  const owner = () => ({ credential: service.controlCredential })
  const allow = (...allowed_folders: string[]) => service.patch('/app/settings', { allowed_folders }, owner())
  let credential: string
  let real: string
  beforeEach(async () => {
    real = realpathSync(parent)
    credential = (await service.post('/app/keys', { name: 'agent', scope: 'master' })).body.key
    onTestFinished(async () => {
      await allow()
      for (const { key_id } of (await service.get('/app/keys')).body.keys)
        await service.call('DELETE', `/app/keys/${key_id}`)
    })
  })
  const byKey = async (releaseId: string, body: object) => {
    const answer = await service.post(`/api/v1/releases/${releaseId}/export`, body, { credential })
    return [answer.status, answer.body.error?.code, answer.body.error?.param]
  }
  const verifyByKey = (folder: string) => service.post('/api/v1/releases/verify', { folder }, { credential })
  const NOT_ALLOWED = [403, 'PATH_NOT_ALLOWED', undefined]

  test('is written and checked inside the folders that the owner allowed, and nowhere else', async () => {
    const releaseId = await newRelease()
    const outside = path.join(real, 'outside')
    const inside = path.join(real, 'inside')
    for (const folder of [outside, inside]) mkdirSync(folder)
    symlinkSync(outside, path.join(inside, 'way'))
    expect(await byKey(releaseId, { folder: inside })).toEqual(NOT_ALLOWED)
    await allow(inside)
    for (const folder of [
      ...[outside, path.join(inside, 'way'), path.join(inside, 'way', 'deeper'), path.join(inside, '..', 'outside')],
      ...[service.dataDir, path.join(real, 'nothing'), 'inside', '~', '/', `${inside}\0`],
    ]) {
      expect([folder, ...(await byKey(releaseId, { folder }))]).toEqual([folder, ...NOT_ALLOWED])
      expect([folder, (await verifyByKey(folder)).body.error.code]).toEqual([folder, 'PATH_NOT_ALLOWED'])
    }
    await service.patch('/app/settings', { output_folder: outside })
    onTestFinished(() => void service.patch('/app/settings', { output_folder: null }))
    expect(await byKey(releaseId, {})).toEqual([400, 'INVALID_REQUEST', 'folder'])
    expect(readdirSync(outside)).toEqual([])

    const { status, body } = await service.post(
      `/api/v1/releases/${releaseId}/export`,
      { folder: path.join(inside, 'new'), zip: true },
      { credential },
    )
    expect([status, body.folder]).toEqual([200, path.join(inside, 'new', FOLDER)])
    for (const place of [body.folder, body.zip]) expect((await verifyByKey(place)).body).toMatchObject(INTACT)
    const names = await service.post(`/api/v1/releases/${releaseId}/export/names`, {}, { credential })
    expect(names.body.folder).toBe(FOLDER)
    await allow()
    expect((await verifyByKey(body.folder)).body.error.code).toBe('PATH_NOT_ALLOWED')
    expect(await verified(body.folder)).toMatchObject(INTACT)
  })

  test('goes behind no link: not where the folder of the release is one, nor where its certificate is', async () => {
    const releaseId = await newRelease()
    const outside = temporaryFolder(onTestFinished)
    await allow(real)
    symlinkSync(outside, path.join(real, FOLDER))
    expect(await byKey(releaseId, { folder: real })).toEqual(NOT_ALLOWED)
    expect(readdirSync(outside)).toEqual([])
    rmSync(path.join(real, FOLDER))
    const { folder } = await exported(releaseId, { folder: real })
    renameSync(path.join(folder, 'certificate.json'), path.join(outside, 'certificate.json'))
    symlinkSync(path.join(outside, 'certificate.json'), path.join(folder, 'certificate.json'))
    expect((await verifyByKey(folder)).body).toMatchObject({ is_intact: false, signature: 'none' })
  })

  test('needs the scope master', async () => {
    const releaseId = await newRelease()
    await allow(real)
    credential = (await service.post('/app/keys', { name: 'reader', scope: 'read' })).body.key
    expect(await byKey(releaseId, { folder: real })).toEqual([403, 'FORBIDDEN', undefined])
    expect((await verifyByKey(real)).body).toMatchObject({ is_intact: false, signature: 'none' })
    expect(readdirSync(real)).toEqual([])
  })
})

describe('an export that was broken off', () => {
  /** Makes a folder as a crash leaves it: two files are done, one is half written, and the mark is there. */
  async function brokenOff(releaseId: string): Promise<string> {
    const { folder, certificate } = await exported(releaseId)
    for (const name of ['SHA256SUMS', 'certificate.json', 'metadata.csv', '02 Bus Stop (Live).wav'])
      rmSync(path.join(folder, name))
    write(folder, '.02 Bus Stop (Live).wav.part', 'RIFF')
    write(folder, '.loudsmith-export', JSON.stringify({ releaseId, files: certificate.files }))
    return folder
  }

  test('goes on: what is whole is not written again', async () => {
    const releaseId = await newRelease()
    const folder = await brokenOff(releaseId)
    const inode = () => statSync(path.join(folder, '01 첫차.wav')).ino
    const before = inode()
    await exported(releaseId)
    expect(inode()).toBe(before)
    expect(readdirSync(folder).sort()).toEqual(NAMES)
    expect(await verified(folder)).toMatchObject(INTACT)
  })

  test('is not taken for that of another release', async () => {
    const folder = await brokenOff(await newRelease())
    const before = readdirSync(folder).sort()
    const { status, body } = await exportOf(await newRelease())
    expect([status, body.error.code]).toEqual([409, 'FOLDER_TAKEN'])
    expect(readdirSync(folder).sort()).toEqual(before)
  })
})

describe('a folder that exists', () => {
  test('with files of others, or a file in its place, is left alone and told', async () => {
    const releaseId = await newRelease()
    const folder = path.join(parent, FOLDER)
    mkdirSync(folder)
    write(folder, 'mine.txt', 'mine')
    expect((await exportOf(releaseId)).body.error).toMatchObject({
      ...{ code: 'FOLDER_TAKEN', message: expect.stringContaining(FOLDER) },
    })
    expect(readdirSync(folder)).toEqual(['mine.txt'])
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file')
    expect((await exportOf(releaseId)).body.error.code).toBe('FOLDER_TAKEN')
    expect(readFileSync(folder, 'utf8')).toBe('a file')
  })

  test('of an earlier export is brought up to date: what is no part of it any more goes, what was added stays', async () => {
    const releaseId = await newRelease()
    const { folder } = await exported(releaseId)
    const { tracks } = (await service.get(`/api/v1/releases/${releaseId}`)).body
    await service.patch(`/api/v1/releases/${releaseId}/tracks/${tracks[0].track_id}`, { title: '막차' })
    write(folder, 'note.txt', 'mine')
    await exported(releaseId)
    expect(readdirSync(folder).sort()).toEqual([...NAMES.slice(1), '01 막차.wav', 'note.txt'].sort())
    expect(await verified(folder)).toMatchObject({ ...INTACT, is_intact: false, added: ['note.txt'] })
  })

  test('whose file was changed is not overwritten, and the file is named', async () => {
    const releaseId = await newRelease()
    const { folder } = await exported(releaseId)
    write(folder, 'metadata.csv', 'my own notes')
    const { status, body } = await exportOf(releaseId)
    expect([status, body.error.code, body.error.message]).toEqual([
      409,
      'FOLDER_TAKEN',
      expect.stringContaining('metadata.csv'),
    ])
    expect(read(folder, 'metadata.csv')).toBe('my own notes')
    renameSync(path.join(folder, 'metadata.csv'), path.join(parent, 'notes.csv'))
    await exported(releaseId)
    expect(await verified(folder)).toMatchObject(INTACT)
  })
})

describe('a disk', () => {
  const mount = (options: string): boolean => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', parent], { stdio: 'ignore' })
    } catch {
      return false
    }
    onTestFinished(() => void execFileSync('umount', [parent]))
    return true
  }

  test('that is full stops the export with a sentence; what is finished stays, and it goes on with room', async (context) => {
    const megabytes = Math.ceil((MASTER.length * 1.5) / 1e6)
    if (!mount(`size=${megabytes}m`)) return context.skip('a small file system cannot be mounted here')
    const releaseId = await newRelease()
    const { status, body } = await exportOf(releaseId)
    expect([status, body.error.code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
    const folder = path.join(parent, FOLDER)
    expect(readdirSync(folder).sort()).toEqual(['.loudsmith-export', '01 첫차.wav'])
    execFileSync('mount', ['-o', `remount,size=${megabytes * 4}m`, parent])
    await exported(releaseId)
    expect(await verified(folder)).toMatchObject(INTACT)
  })

  test('that becomes read-only stops it too', async (context) => {
    if (!mount('size=90m')) return context.skip('a small file system cannot be mounted here')
    const releaseId = await newRelease()
    const { folder } = await exported(releaseId)
    rmSync(path.join(folder, 'metadata.csv'))
    execFileSync('mount', ['-o', 'remount,ro', parent])
    const { status, body } = await exportOf(releaseId)
    expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', 'folder'])
    expect(existsSync(path.join(folder, '01 첫차.wav'))).toBe(true)
  })
})

describe('a check of a folder', () => {
  test('tells changed, missing and added files', async () => {
    const { folder } = await exported(await newRelease())
    write(folder, 'metadata.csv', 'changed')
    rmSync(path.join(folder, '01 첫차.wav'))
    write(folder, 'more.txt', 'more')
    write(folder, '.DS_Store', '')
    expect(await verified(folder)).toMatchObject({
      ...{
        is_intact: false,
        signature: 'own',
        changed: ['metadata.csv'],
        missing: ['01 첫차.wav'],
        added: ['more.txt'],
      },
    })
    rmSync(path.join(folder, 'SHA256SUMS'))
    expect((await verified(folder)).missing).toEqual(['01 첫차.wav', 'SHA256SUMS'])
    write(folder, 'SHA256SUMS', 'x')
    expect((await verified(folder)).changed).toEqual(['metadata.csv', 'SHA256SUMS'])
  })

  test('tells a certificate that was changed, even with its checksums, one of another key, and none', async () => {
    const { folder } = await exported(await newRelease())
    const text = read(folder, 'certificate.json')
    const { certificate, signature } = JSON.parse(text)
    const sums = read(folder, 'SHA256SUMS')
    const put = (content: object) => {
      const json = `${JSON.stringify(content, null, 2)}\n`
      write(folder, 'certificate.json', json)
      const sum = createHash('sha256').update(json).digest('hex')
      write(folder, 'SHA256SUMS', sums.replace(/^\w+(?= {2}certificate\.json$)/m, sum))
    }
    put({ certificate: { ...certificate, title: 'Another' }, signature })
    expect(await verified(folder)).toMatchObject({ ...INTACT, is_intact: false, signature: 'bad' })
    const other = generateKeyPairSync('ed25519')
    put({
      certificate,
      signature: {
        algorithm: 'Ed25519',
        public_key: other.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
        value: sign(null, Buffer.from(JSON.stringify(certificate)), other.privateKey).toString('base64'),
      },
    })
    expect(await verified(folder)).toMatchObject({ ...INTACT, is_intact: false, signature: 'other' })
    put({ certificate, signature: { ...signature, public_key: 'no key' } })
    expect((await verified(folder)).signature).toBe('bad')
    write(folder, 'certificate.json', 'no JSON')
    expect(await verified(folder)).toMatchObject({ is_intact: false, signature: 'none', changed: [], missing: [] })
    write(folder, 'certificate.json', text)
    write(folder, 'SHA256SUMS', sums)
    expect((await verified(folder)).is_intact).toBe(true)
  })

  test('never looks outside of the folder, and refuses what is none', async () => {
    const { folder } = await exported(await newRelease())
    const { certificate, signature } = JSON.parse(read(folder, 'certificate.json'))
    const outside = { name: '../secret', size_bytes: 1, sha256: createHash('sha256').update('secret').digest('hex') }
    write(parent, 'secret', 'secret')
    write(folder, 'certificate.json', JSON.stringify({ certificate: { ...certificate, files: [outside] }, signature }))
    expect((await verified(folder)).missing).toContain('../secret')
    for (const wrong of [path.join(parent, 'nothing'), 'relative'])
      expect((await service.post('/api/v1/releases/verify', { folder: wrong })).body.error.param).toBe('folder')
  })

  test('knows its own signatures after a restart; the key is readable by its owner alone', async () => {
    const { folder } = await exported(await newRelease())
    const file = path.join(service.dataDir, 'signing-key.pem')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const key = readFileSync(file)
    await service.close()
    service = await startService({ dataDir: service.dataDir, forkEngine: engine.fork })
    expect(await verified(folder)).toMatchObject(INTACT)
    await exported(await newRelease({ title: 'Second' }))
    expect(readFileSync(file).equals(key)).toBe(true)
  })
})

describe('the texts of an export', () => {
  const track = (title: string, more: Partial<TrackRecord['facts']> = {}): TrackRecord => ({
    trackId: title,
    facts: { title, artists: [], composers: [], gap_before_seconds: 0, ...more } as unknown as TrackRecord['facts'],
  })
  const facts = { title: 'The "Night"', artist: 'Band', upc: '036000291452', kind: 'ep', coherence: false } as const
  const set = { folder: '', master: 'spotify', format: 'wav24', labels: 'release' } as const
  const namesOf = (...tracks: TrackRecord[]) => fileNames(set, [set], { facts, tracks }, {}, 0)

  test('number the files with as many digits as are needed, safe on every file system', () => {
    expect(namesOf(track('a/b: c'), track('CON'))).toEqual(['01 a b c.wav', '02 CON.wav'])
    const hundred = namesOf(...Array.from({ length: 100 }, () => track('x')))
    expect([hundred[0], hundred[99]]).toEqual(['001 x.wav', '100 x.wav'])
  })

  test('are a cue sheet with performers, codes and gaps', () => {
    const tracks = [
      track('One', { gap_before_seconds: 3, isrc: 'KRA382400001' }),
      track('Two', { gap_before_seconds: 61.2 }),
    ]
    const release = { facts, tracks } as unknown as ReleaseRecord
    const files = tracks.map((one, index) => ({ track: one, edges: WHOLE_SONG, fileName: `${index}.wav` }))
    expect(cueSheet(release, files).split('\r\n')).toEqual([
      ...['CATALOG 0036000291452', 'PERFORMER "Band"', `TITLE "The 'Night'"`],
      ...['FILE "0.wav" WAVE', '  TRACK 01 AUDIO', '    TITLE "One"', '    PERFORMER "Band"', '    ISRC KRA382400001'],
      ...['    INDEX 01 00:00:00', 'FILE "1.wav" WAVE', '  TRACK 02 AUDIO', '    TITLE "Two"', '    PERFORMER "Band"'],
      ...['    PREGAP 01:01:15', '    INDEX 01 00:00:00', ''],
    ])
  })
})
