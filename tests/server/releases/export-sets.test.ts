/** Exports in several formats and folders, as a ZIP and without tags, over a real socket into real folders. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { ExportedRelease, ExportNames } from '../../../src-contract/release-exports.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { exportCalls, INTACT } from '../../support/exports.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { clockFrom } from '../../support/shifted-clock.ts'
import { in24Bits, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const engine = createHeldEngine({ isAutomatic: true })
engine.masterBytes = in24Bits(wavSong({ seconds: 1, sampleRateHz: 44_100 }))
let service: Service
let jobId: string
let parent: string

beforeAll(async () => {
  // Rules of receivers are followed for 180 days.
  service = await startService({ forkEngine: engine.fork, clock: clockFrom('2026-12-01') })
  const job = await service.newJob({ platforms: 'melon,spotify', ai_service: 'suno' })
  jobId = job.job_id
  await service.ended(jobId)
})
afterAll(() => service.stop())
beforeEach(() => {
  // Before what a test mounts on it is unmounted, it cannot go: what is registered first is done last.
  parent = temporaryFolder(onTestFinished)
})

const FOLDER = '하늘 - 밤'
const newRelease = async (more: object = {}): Promise<string> => {
  const tracks = [
    { job_id: jobId, title: '첫차' },
    { job_id: jobId, title: 'Bus' },
  ]
  return (await service.post('/api/v1/releases', { title: '밤', artist: '하늘', kind: 'ep', tracks, ...more })).body
    .release_id
}
const { exportOf, exported, verified } = exportCalls(
  () => service,
  () => ({ folder: parent, receivers: ['sundesire'] }),
)
const namesOf = async (releaseId: string, wanted: object): Promise<ExportNames> =>
  (await service.post(`/api/v1/releases/${releaseId}/export/names`, wanted)).body
const soundsOf = ({ certificate }: ExportedRelease) =>
  certificate.files.flatMap(({ name, sound }) => (sound ? [name] : [])).sort()

describe('an export in several sets', () => {
  const WANTED = { formats: ['wav24', 'wav16_44', 'mp3_320'], by_platform: true, zip: true }

  test('has a folder for each further platform, a cue sheet in each, and checksums and a ZIP of all', async () => {
    const release = await newRelease()
    const told = await namesOf(release, WANTED)
    expect(readdirSync(parent)).toEqual([])
    const answer = await exported(release, WANTED)
    expect(told).toMatchObject({ folder: path.basename(answer.folder) })
    expect([...told.files].sort()).toEqual(soundsOf(answer))
    const inOne = (folder: string) =>
      ['01 첫차', '02 Bus'].flatMap((name) =>
        [`${name}.mp3`, `${name}.wav`, `${name}_16bit_44k.wav`].map((one) => folder + one),
      )
    expect(soundsOf(answer)).toEqual([...inOne(''), ...inOne('melon/')].sort())
    const names = answer.certificate.files.map(({ name }) => name)
    expect(names.filter((name) => /\.(cue|txt)$/.test(name))).toEqual([
      ...[`${FOLDER}.cue`, `melon/${FOLDER}.cue`, 'README.txt'],
    ])
    expect(readFileSync(path.join(answer.folder, 'melon', `${FOLDER}.cue`), 'utf8')).toContain('FILE "02 Bus.wav" WAVE')
    expect(readFileSync(path.join(answer.folder, 'metadata.csv'), 'utf8')).toMatch(
      /file_wav24,file_wav16_44,file_mp3_320,file_melon_wav24,[\s\S]*,melon\/02 Bus\.mp3/,
    )
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: answer.folder })
    expect(await verified(answer.folder)).toMatchObject(INTACT)
    expect(answer.zip).toBe(`${answer.folder}.zip`)
    expect(await verified(answer.zip!)).toMatchObject(INTACT)
    const unpacked = path.join(parent, 'unpacked')
    execFileSync('unzip', ['-q', answer.zip!, '-d', unpacked])
    execFileSync('diff', ['-r', answer.folder, path.join(unpacked, FOLDER)])
  })

  test('tells a changed byte, another name, a missing and an added file in sub-folders and in the ZIP', async () => {
    const { folder, zip } = await exported(await newRelease(), WANTED)
    const at = (name: string) => path.join(folder, name)
    const bytes = readFileSync(at('melon/01 첫차.wav'))
    const changed = Buffer.from(bytes)
    changed[bytes.length - 1]! ^= 1
    writeFileSync(at('melon/01 첫차.wav'), changed)
    renameSync(at('melon/02 Bus.wav'), at('melon/03 Bus.wav'))
    rmSync(at('01 첫차.mp3'))
    mkdirSync(at('more'))
    writeFileSync(at('more/note.txt'), 'mine')
    expect(await verified(folder)).toMatchObject({
      ...{ is_intact: false, signature: 'own', changed: ['melon/01 첫차.wav'] },
      ...{ missing: ['01 첫차.mp3', 'melon/02 Bus.wav'], added: ['melon/03 Bus.wav', 'more/note.txt'] },
    })
    const archive = readFileSync(zip!)
    // The samples of its last file lie far before the directory of the ZIP.
    const place = archive.indexOf(bytes.subarray(-2000))
    archive[place]! ^= 1
    writeFileSync(zip!, archive)
    const found = await verified(zip!)
    expect([found.is_intact, found.changed.length, found.missing]).toEqual([false, 1, []])
    writeFileSync(zip!, 'no ZIP')
    expect((await service.post('/api/v1/releases/verify', { folder: zip })).body.error.param).toBe('folder')
  })

  test('goes back to one set: the files and folders of the others go, and what was added stays', async () => {
    const release = await newRelease()
    const { folder } = await exported(release, WANTED)
    mkdirSync(path.join(folder, 'mine'))
    writeFileSync(path.join(folder, 'mine', 'note.txt'), 'mine')
    expect(soundsOf(await exported(release))).toEqual(['01 첫차.wav', '02 Bus.wav'])
    expect(existsSync(path.join(folder, 'melon'))).toBe(false)
    expect((await verified(folder)).added).toEqual(['mine/note.txt'])
  })

  test('never writes through a link in the place of a folder', async () => {
    const release = await newRelease()
    const { folder } = await exported(release)
    const elsewhere = temporaryFolder(onTestFinished)
    symlinkSync(elsewhere, path.join(folder, 'melon'))
    const { status, body } = await exportOf(release, WANTED)
    expect([status, body.error.code]).toEqual([409, 'FOLDER_TAKEN'])
    expect(execFileSync('ls', [elsewhere]).toString()).toBe('')
  })

  test('replaces its own ZIP, and never that of somebody else', async () => {
    const release = await newRelease()
    const { zip } = await exported(release, { zip: true })
    await exported(release, { ...WANTED })
    expect(await verified(zip!)).toMatchObject(INTACT)
    writeFileSync(zip!, 'mine')
    const { status, body } = await exportOf(release, { zip: true })
    expect([status, body.error.code, body.error.message]).toEqual([
      ...[409, 'FOLDER_TAKEN', expect.stringContaining(`${FOLDER}.zip`)],
    ])
    expect(readFileSync(zip!, 'utf8')).toBe('mine')
    rmSync(zip!)
    expect((await exported(release, { zip: true })).zip).toBe(zip)
  })
})

describe('named receivers', () => {
  test('get their formats, plain names and files without tags, each checked on what it should be given', async () => {
    const release = await newRelease()
    const receivers = { receivers: ['spotify_delivery', 'symphonic', 'cd_baby'] }
    const answer = await exported(release, receivers)
    expect(path.basename(answer.folder)).toBe('haneul_-_bam')
    const told = await namesOf(release, receivers)
    expect([told.folder, ...told.files.sort()]).toEqual(['haneul_-_bam', ...soundsOf(answer)])
    expect(soundsOf(answer)).toEqual([
      ...['01_cheotcha.wav', '01_cheotcha_16bit_44k.wav', '02_Bus.wav', '02_Bus_16bit_44k.wav'],
      ...['no_tags/01_cheotcha.wav', 'no_tags/02_Bus.wav'],
    ])
    const checked = answer.certificate.receivers
    expect(checked.map(({ upload: { folder, format } }) => [folder, format].join(' '))).toEqual([
      ...[' wav24', 'no_tags wav24', ' wav16_44'],
    ])
    const broken = checked.map(({ checks }) =>
      checks
        .filter(({ outcome, confidence }) => outcome !== 'pass' && confidence === 'published')
        .map(({ rule }) => rule),
    )
    // It has no cover, and Spotify alone of the three publishes what it asks of one.
    expect(broken).toEqual([['cover'], [], []])
  })
})

test('the receivers that a release names are those of its export and of its certificate', async () => {
  const release = await newRelease({ receivers: ['cd_baby'] })
  const { status, body } = await exportOf(release, { receivers: undefined })
  expect([status, path.basename(body.folder)]).toEqual([200, 'haneul_-_bam'])
  expect(body.certificate.receivers).toMatchObject([{ receiver: 'cd_baby', verdicts: { release: 'ready' } }])
  expect(readFileSync(path.join(body.folder, 'certificate.html'), 'utf8')).toMatch(
    /Files for CD Baby[\s\S]*nobody’s decision/,
  )
})

test('a format that no file of a job can become is refused with the remedy, and nothing is written', async () => {
  const release = await newRelease()
  const { status, body } = await exportOf(release, { formats: ['wav32f'] })
  expect([status, body.error.code, body.error.message]).toEqual([
    ...[
      409,
      'RELEASE_NOT_READY',
      expect.stringMatching(/^Track 1 \(“첫차”\) has no WAV 32 bit float.*with this format/),
    ],
  ])
  const { body: other } = await exportOf(release, { platform: 'release' })
  expect(other.error.message).toMatch(/no release master/)
  expect(execFileSync('ls', [parent]).toString()).toBe('')
})

describe('the AI disclosure', () => {
  test('has what the artist states and what the sources say, in the language of the request', async () => {
    const release = await newRelease({ disclosure: { lyrics: { use: 'none', note: ' 직접\n쓴 가사 ' } } })
    const patch = (disclosure: object) => service.patch(`/api/v1/releases/${release}`, { disclosure })
    expect((await patch({ vocals: { use: 'generated', tools: 'Suno v5' } })).body.disclosure).toEqual({
      ...{ vocals: { use: 'generated', tools: 'Suno v5' }, lyrics: { use: 'none', note: '직접 쓴 가사' } },
    })
    expect((await patch({ lyrics: null })).body.disclosure).toEqual({ vocals: { use: 'generated', tools: 'Suno v5' } })
    expect((await patch({ vocals: { use: 'some' } })).body.error.code).toBe('INVALID_REQUEST')
    const { folder, certificate } = await exported(release, { language: 'ko' })
    const sheet = JSON.parse(readFileSync(path.join(folder, 'ai-disclosure.json'), 'utf8'))
    expect(sheet).toEqual(certificate.disclosure)
    expect((await service.get(`/app/releases/${release}/disclosure`)).body).toEqual(sheet)
    expect(
      sheet.categories.map(({ category, use }: { category: string; use: string }) => `${category} ${use}`),
    ).toEqual([
      ...['vocals generated', 'instrumentation not_stated', 'composition not_stated', 'post_production not_stated'],
      'lyrics not_stated',
    ])
    expect(sheet.sources).toMatchObject([
      { track: 1, title: '첫차', generator: 'Suno', evidence: 'ai_service: suno', has_c2pa_manifest: false },
      { track: 2 },
    ])
    const page = readFileSync(path.join(folder, 'ai-disclosure.html'), 'utf8')
    expect(page).toMatch(/<html lang="ko">[\s\S]*AI 사용 고지[\s\S]*AI 생성[\s\S]*Suno v5[\s\S]*아직 답하지 않음/)
    expect(readFileSync(path.join(folder, 'certificate.html'), 'utf8')).toContain('AI 사용 고지')
    await exported(release, { language: 'en' })
    expect(readFileSync(path.join(folder, 'ai-disclosure.html'), 'utf8')).toContain('Not stated yet')
  })
})

test('the AI disclosure tells of songs that are not mastered yet, and leaves out tracks without a song', async () => {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(wavSong({ seconds: 1 }))]), 'new.wav')
  const { source_id } = (await service.call('POST', '/app/sources', { body: form })).body
  const release = await newRelease({ tracks: [{ title: 'To come' }, { source_id, title: 'New' }] })
  const { sources, mastering } = (await service.get(`/app/releases/${release}/disclosure`)).body
  expect(sources).toMatchObject([{ track: 2, title: 'New', filename: 'new.wav', has_c2pa_manifest: false }])
  expect(mastering.program).toMatch(/^Loudsmith \d/)
  expect((await service.get(`/app/releases/${jobId}/disclosure`)).body.error.code).toBe('RELEASE_NOT_FOUND')
})

test('an export whose caller is gone goes on, and the same request waits for it', async () => {
  const release = await newRelease()
  const leaving = new AbortController()
  let tracks = 0
  engine.beforeExport = () => {
    tracks++
    leaving.abort()
  }
  onTestFinished(() => {
    delete engine.beforeExport
  })
  const more = { folder: parent, receivers: ['sundesire'], formats: ['wav16_44'] }
  const init = { body: JSON.stringify(more), headers: { 'content-type': 'application/json' } }
  const first = service.call('POST', `/api/v1/releases/${release}/export`, { ...init, signal: leaving.signal })
  await expect(first).rejects.toThrow(/abort/i)
  const { folder } = await exported(release, more)
  expect(await verified(folder)).toMatchObject(INTACT)
  expect(tracks).toBe(2)
})

test('the files of an export are counted in the live stream of the app, and in no other', async () => {
  const aborted = new AbortController()
  onTestFinished(() => aborted.abort())
  const release = await newRelease()
  const [ofApp, ofKey] = await Promise.all(
    [service.sessionCredential, await service.newKey()].map((bearer) => {
      const headers = { Authorization: `Bearer ${bearer}` }
      return fetch(`${service.baseUrl}/api/v1/events`, { headers, signal: aborted.signal })
    }),
  )
  await exported(release, { formats: ['wav24'] })
  await service.post('/app/account/credits', { amount: 1 })
  const heard = async (stream: Response | undefined, last: string) => {
    let text = ''
    for await (const bytes of stream?.body ?? []) {
      text += Buffer.from(bytes).toString('utf8')
      if (text.includes(last)) break
    }
    return [...text.matchAll(/^event: export\.progress\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!))
  }
  const told = await heard(ofApp, '"files_done":2')
  expect(told.at(-1)).toMatchObject({ release_id: release, files_done: 2, files: 2 })
  expect(told.at(-1)).not.toHaveProperty('file')
  expect(await heard(ofKey, 'account.changed')).toEqual([])
})

describe('a drive', () => {
  const isMounted = () => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', parent], { stdio: 'ignore' })
      onTestFinished(() => {
        execFileSync('sh', ['-c', 'umount -l "$0" 2>/dev/null || true', parent])
      })
      return true
    } catch {
      return false
    }
  }

  test('that is unplugged ends the export with a sentence, nothing is charged, and it goes on when it is back', async (context) => {
    if (!isMounted()) return context.skip('a file system cannot be mounted here')
    const release = await newRelease()
    await exported(release)
    const credits = async () => (await service.get('/api/v1/account')).body
    const before = await credits()
    execFileSync('umount', ['-l', parent])
    rmSync(parent, { recursive: true })
    writeFileSync(parent, 'nothing is mounted here')
    const { status, body } = await exportOf(release)
    expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', 'folder'])
    rmSync(parent)
    mkdirSync(parent)
    expect(isMounted()).toBe(true)
    const { folder } = await exported(release)
    expect(await verified(folder)).toMatchObject(INTACT)
    expect(await credits()).toEqual(before)
  })

  test.runIf(IS_CAMPAIGN)(
    'whose folder is taken away in the middle stops it, and it begins again with the next call',
    async () => {
      const release = await newRelease()
      const folder = path.join(parent, FOLDER)
      // Between the files of two tracks, of which the second is held until the folder is gone.
      engine.beforeExport = () => {
        if (!existsSync(path.join(folder, '01 첫차.flac'))) return
        delete engine.beforeExport
        rmSync(folder, { recursive: true })
      }
      const { status, body } = await exportOf(release, { formats: ['flac24'] })
      expect([status, body.error.code, body.error.message]).toEqual([
        ...[400, 'INVALID_REQUEST', expect.stringMatching(/What is finished stays/)],
      ])
      const again = await exported(release, { formats: ['flac24'] })
      expect(await verified(again.folder)).toMatchObject(INTACT)
    },
  )
})
