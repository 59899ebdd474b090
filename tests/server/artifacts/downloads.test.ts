import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type JobFiles, StoredFiles } from '../../../src-server/artifacts/job-files.ts'
import { artifactRoutes } from '../../../src-server/artifacts/routes.ts'
import { disposition } from '../../../src-server/artifacts/send-file.ts'
import { systemRandom } from '../../../src-system/system.ts'
import { composeZip, type PackedFile, type ResultZip } from '../../../src-worker/result/result-zip.ts'
import { zipBytes as bytesOfZip } from '../../support/result-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { asKey, listen } from '../notify/listen.ts'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

let folder: string
let zip: ResultZip
let zipBytes: Buffer
let coded: Buffer
let master: Buffer
let source: Buffer
let baseUrl: string
let jobs: Map<string, JobFiles>

/** Files of this test's folder that this process holds open. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
    } catch {
      return false
    }
  }).length

/** Keeps the bytes of a file of a result. */
function kept(file: string, name: string, bytes: Buffer): PackedFile {
  writeFileSync(path.join(folder, name), bytes)
  return { file, kept: name, sizeBytes: bytes.length, sha256: sha256(bytes), crc32: crc32(bytes) }
}

/** The same ZIP as earlier versions kept it: as a file. */
function storedZip(): ResultZip {
  const { headers: _, keptBytes: _bytes, ...facts } = zip
  writeFileSync(path.join(folder, zip.fileName), zipBytes)
  return { ...facts, sha256: sha256(zipBytes), entries: zip.entries.map(({ kept: _kept, ...entry }) => entry) }
}

beforeEach(async () => {
  folder = temporaryFolder(onTestFinished)
  master = randomBytes(300_000)
  source = randomBytes(50_000)
  coded = randomBytes(70_000)
  const at = (name: string, bytes: Buffer | string) => {
    writeFileSync(path.join(folder, name), bytes)
    return path.join(folder, name)
  }
  const song = {
    path: at('source', source),
    filename: '봄날 (demo).mp3',
    sha256: sha256(source),
    format: 'mp3' as const,
  }
  at('report.json', '{"report_version":1}')
  at('report.html', '<!doctype html><title>봄날</title>')
  zip = composeZip('봄날_master_0191f3a0', [
    kept('봄날_melon.wav', 'melon.wav', master),
    kept('봄날_melon.m4a', 'melon.m4a', coded),
    kept('봄날_youtube.wav', 'youtube.wav', randomBytes(2_000_000)),
  ])
  zipBytes = bytesOfZip(folder, zip)
  const done: JobFiles = {
    status: 'done',
    isExpired: false,
    source: song,
    result: {
      folder,
      zip,
      masters: [
        {
          platform: 'melon',
          file: '봄날_melon.wav',
          sha256: sha256(master),
          files: [{ format: 'aac_256', file: '봄날_melon.m4a', sha256: 'c0de' }],
        },
      ],
      reportJsonFile: 'report.json',
      reportHtmlFile: 'report.html',
      copiesFolder: path.join(folder, 'copies'),
    },
  }
  const { result: _none, ...unfinished } = done
  jobs = new Map<string, JobFiles>([
    ['done', done],
    ['queued', { ...unfinished, status: 'queued' }],
    ['failed', { ...unfinished, status: 'failed' }],
    ['expired', { ...done, isExpired: true }],
    ['stored', { ...done, result: { ...done.result!, zip: storedZip() } }],
  ])
  const codedCopies = { codecs: async () => [], copyOf: () => Promise.reject(new Error('no copy is asked for')) }
  const stored = new StoredFiles({
    openAllowed: () => Promise.reject(new Error('no file of a folder is asked for')),
    ...{ requireDisk: () => {}, random: systemRandom, tmp: folder },
  })
  const routes = { filesOf: (jobId: string) => jobs.get(jobId), codedCopies, stored }
  baseUrl = (await listen((app) => artifactRoutes(app, routes))).baseUrl
})

const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${baseUrl}/api/v1/jobs/${url}`, { method, headers: { ...asKey, ...headers } })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code

test('the whole ZIP comes with its length, a strong tag of its content and a Korean name to save under', async () => {
  const response = await get('done/download')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/zip')
  expect(response.headers.get('content-length')).toBe(String(zipBytes.length))
  expect(response.headers.get('accept-ranges')).toBe('bytes')
  expect(response.headers.get('etag')).toBe(`"${zip.sha256}"`)
  expect(response.headers.get('content-disposition')).toBe(
    'attachment; filename="___master_0191f3a0.zip"; ' + "filename*=UTF-8''%EB%B4%84%EB%82%A0_master_0191f3a0.zip",
  )
  expect((await bytesOf(response)).equals(zipBytes)).toBe(true)
})

test('a broken download goes on where it stopped, and starts anew when the file is another', async () => {
  for (const job of ['done', 'stored']) {
    const etag = (await get(`${job}/download`, {}, 'HEAD')).headers.get('etag') ?? ''
    const rest = await get(`${job}/download`, { range: 'bytes=1000000-', 'if-range': etag })
    expect(rest.status).toBe(206)
    expect(rest.headers.get('content-range')).toBe(`bytes 1000000-${zipBytes.length - 1}/${zipBytes.length}`)
    expect((await bytesOf(rest)).equals(zipBytes.subarray(1_000_000))).toBe(true)
    const other = await get(`${job}/download`, { range: 'bytes=1000000-', 'if-range': '"other"' })
    expect(other.status).toBe(200)
    expect((await bytesOf(other)).equals(zipBytes)).toBe(true)
  }
})

test('a range outside the file is 416 with the size of the file', async () => {
  const response = await get('done/download', { range: 'bytes=99999999-' })
  expect(response.status).toBe(416)
  expect(response.headers.get('content-range')).toBe(`bytes */${zipBytes.length}`)
  expect(await codeOf(response)).toBe('RANGE_NOT_SATISFIABLE')
})

test('a client that wants a certain file and no other is told with 412 when it is another', async () => {
  const tag = `"${zip.sha256}"`
  expect((await get('done/download', { 'if-match': tag })).status).toBe(200)
  for (const method of ['GET', 'HEAD'])
    expect((await get('done/download', { 'if-match': '"other"', range: 'bytes=0-9' }, method)).status).toBe(412)
  expect(await codeOf(await get('done/files/melon', { 'if-match': tag }))).toBe('PRECONDITION_FAILED')
})

test('a client that has the file already is told so without a byte', async () => {
  const response = await get('done/download', { 'if-none-match': `"${zip.sha256}"` })
  expect(response.status).toBe(304)
  expect(response.headers.get('etag')).toBe(`"${zip.sha256}"`)
  expect((await bytesOf(response)).length).toBe(0)
})

test('HEAD gives the headers of GET and no body', async () => {
  const response = await get('done/download', {}, 'HEAD')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-length')).toBe(String(zipBytes.length))
  expect(response.headers.get('etag')).toBe(`"${zip.sha256}"`)
  expect((await bytesOf(response)).length).toBe(0)
  // Only GET has ranges (RFC 9110 section 14.2).
  for (const range of ['bytes=0-9', 'bytes=99999999-']) {
    const whole = await get('done/files/melon', { range }, 'HEAD')
    expect([whole.status, whole.headers.get('content-length')]).toEqual([200, String(master.length)])
    expect(whole.headers.get('content-range')).toBeNull()
  }
})

test('one master is exactly its bytes in the ZIP, whole and by range, for a player', async () => {
  for (const job of ['done', 'stored']) {
    const whole = await get(`${job}/files/melon`)
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect(whole.headers.get('content-disposition')).toMatch(/^inline; /)
    expect(whole.headers.get('etag')).toBe(`"${sha256(master)}"`)
    expect((await bytesOf(whole)).equals(master)).toBe(true)
    const tail = await get(`${job}/files/melon`, { range: 'bytes=-4096' })
    expect(tail.status).toBe(206)
    expect((await bytesOf(tail)).equals(master.subarray(-4096))).toBe(true)
    expect((await get(`${job}/files/melon`, { range: `bytes=${master.length}-` })).status).toBe(416)
  }
})

test('the source can be heard in every state until it expires, under its own type and name', async () => {
  for (const state of ['queued', 'done', 'failed']) {
    const response = await get(`${state}/files/source`, { range: 'bytes=10-19' })
    expect([response.status, response.headers.get('content-type')]).toEqual([206, 'audio/mpeg'])
    expect((await bytesOf(response)).equals(source.subarray(10, 20))).toBe(true)
  }
  expect((await get('done/files/source')).headers.get('content-disposition')).toContain(
    "filename*=UTF-8''%EB%B4%84%EB%82%A0%20%28demo%29.mp3",
  )
  expect((await get('expired/files/source')).status).toBe(410)
})

test('the report comes as JSON and as a page that may only draw itself', async () => {
  const asJson = await get('done/report')
  expect(asJson.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await asJson.json()).toEqual({ report_version: 1 })
  const page = await get('done/report?format=html')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const named = (response: Response) => decodeURI(response.headers.get('content-disposition') ?? '')
  expect(named(asJson)).toMatch(/^inline; .*''봄날_report_0191f3a0\.json$/)
  expect(named(page)).toMatch(/^inline; .*''봄날_report_0191f3a0\.html$/)
  expect(await page.text()).toContain('봄날')
  expect((await get('done/report?format=pdf')).status).toBe(400)
})

test.each([
  ['queued', 409, 'JOB_NOT_READY'],
  ['failed', 409, 'JOB_FAILED'],
  ['expired', 410, 'RESULT_EXPIRED'],
  ['unknown', 404, 'JOB_NOT_FOUND'],
])('the result of a job that is %s answers %i %s everywhere', async (state, status, code) => {
  for (const place of ['download', 'files/melon', 'report']) {
    const response = await get(`${state}/${place}`)
    expect([response.status, await codeOf(response)]).toEqual([status, code])
    expect(response.headers.has('retry-after')).toBe(code === 'JOB_NOT_READY')
  }
})

test('a platform that was not ordered, and a reference that was not given, are not found', async () => {
  for (const file of ['spotify', 'reference']) {
    const response = await get(`done/files/${file}`)
    expect([response.status, await codeOf(response)]).toEqual([404, 'NOT_FOUND'])
  }
  expect((await get('done/files/..%2Fresult.zip')).status).toBe(400)
})

test('deleting a result while someone downloads it lets the download end whole', async () => {
  const big = randomBytes(40_000_000)
  const done = jobs.get('done')
  if (!done?.result) throw new Error('no result')
  const large = composeZip('song', [kept('a.wav', 'melon.wav', master), kept('b.wav', 'big.wav', big)])
  const whole = bytesOfZip(folder, large)
  jobs.set('big', { ...done, result: { ...done.result, zip: large } })
  const response = await get('big/download')
  for (const file of ['melon.wav', 'big.wav']) rmSync(path.join(folder, file))
  jobs.delete('big')
  expect((await bytesOf(response)).equals(whole)).toBe(true)
  expect((await get('big/download')).status).toBe(404)
})

test('a result that somebody removed by hand is gone, not an internal error', async () => {
  for (const file of ['melon.wav', 'report.json']) rmSync(path.join(folder, file))
  for (const place of ['download', 'files/melon', 'report']) expect((await get(`done/${place}`)).status).toBe(410)
})

test('a result that was cut short on the disk is gone, not half of it', async () => {
  truncateSync(path.join(folder, 'melon.wav'), 1000)
  for (const place of ['download', 'files/melon']) {
    const response = await get(`done/${place}`)
    expect([response.status, await codeOf(response)]).toEqual([410, 'RESULT_EXPIRED'])
  }
})

test.skipIf(process.platform !== 'linux')(
  'clients that go away in the middle leave no file open (counted in /proc, so on Linux only)',
  async () => {
    const done = jobs.get('done')
    if (!done?.result) throw new Error('no result')
    const large = composeZip(
      'song',
      ['a', 'b'].map((name) => kept(`${name}.wav`, name, Buffer.alloc(30_000_000))),
    )
    jobs.set('done', { ...done, result: { ...done.result, zip: large } })
    for (let count = 0; count < 20; count++) {
      const aborted = new AbortController()
      const headers = asKey
      const response = await fetch(`${baseUrl}/api/v1/jobs/done/download`, { headers, signal: aborted.signal })
      await response.body?.getReader().read()
      aborted.abort()
    }
    for (let tries = 0; openFiles() > 0 && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(openFiles()).toBe(0)
  },
)

test.skipIf(process.platform !== 'linux')(
  'forty downloads of a result at once open each of its files once (counted in /proc, so on Linux only)',
  async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => get('done/download')))
    expect(openFiles()).toBeLessThanOrEqual(3)
    const all = await Promise.all(answers.map(bytesOf))
    expect(all.every((bytes) => bytes.equals(zipBytes))).toBe(true)
    for (let tries = 0; openFiles() > 0 && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(openFiles()).toBe(0)
  },
)

test.skipIf(process.platform !== 'linux')(
  'an answer without bytes leaves no file open (counted in /proc, so on Linux only)',
  async () => {
    const ask = async (method: string, more: Record<string, string>) =>
      (await fetch(`${baseUrl}/api/v1/jobs/done/download`, { method, headers: { ...asKey, ...more } })).status
    const statuses = [
      await ask('HEAD', {}),
      await ask('GET', { 'if-none-match': `"${zip.sha256}"` }),
      await ask('GET', { range: `bytes=${zipBytes.length}-` }),
    ]
    expect(statuses).toEqual([200, 304, 416])
    expect(openFiles()).toBe(0)
  },
)

test('a name with quotes, line ends and half a surrogate pair makes a valid header', () => {
  expect(disposition('a"b\\c\r\nd\ud800.zip', true)).toBe(
    `attachment; filename="a_b_c__d_.zip"; filename*=UTF-8''a%22b%5Cc%0D%0Ad%EF%BF%BD.zip`,
  )
})

test('a file of a further format comes by its name, and one that was not made is not found', async () => {
  const response = await get('done/files/melon?format=aac_256')
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mp4'])
  expect(response.headers.get('etag')).toBe('"c0de"')
  expect((await bytesOf(response)).equals(coded)).toBe(true)
  expect((await get('done/files/melon?format=aac_256', { range: 'bytes=0-9' })).status).toBe(206)
  expect((await get('done/files/melon?format=flac24')).status).toBe(404)
  expect((await get('done/files/melon?format=ogg')).status).toBe(400)
})
