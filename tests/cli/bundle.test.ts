/** `loudsmith doctor --bundle`: enough to make a job again, and no secret of a data directory that is full of them. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import yauzl from 'yauzl'
import { redact } from '../../src-system/redact.ts'
import { commandsOf } from '../support/commands.ts'
import { type Service, startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const home = temporaryFolder()
const folder = path.join(home, 'out')
let service: Service
beforeAll(async () => {
  mkdirSync(folder)
  service = await startService({ dataDir: path.join(home, 'data') })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await service.stop()
})

const { call, json } = commandsOf(folder, () => service.dataDir)

async function unpacked(file: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const zip = await yauzl.openPromise(file)
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk)
    found.set(entry.fileName, Buffer.concat(chunks))
  }
  zip.close()
  return found
}

test('holds recipe, analysis, settings, versions, machine and log of a job, and none of the secrets of its data directory', async () => {
  const key = await service.newKey('secret key')
  const { body: hook } = await service.post('/api/v1/webhooks', {
    url: 'https://127.0.0.2:9/hooks/T0KEN-in-path?sig=QUERYSECRET',
  })
  expect(hook.secret).toMatch(/^whsec_/)
  const { secret: callbackSecret } = (await service.get('/app/webhook-secret')).body
  const job = await service.newJob({
    title: '봄날',
    genre: 'kpop',
    metadata: '{"note":"PRIVATENOTE"}',
    client_reference: 'PRIVATEREF',
  })
  await service.ended(job.job_id)
  await expect
    .poll(async () => (await service.get('/api/v1/webhooks/deliveries')).body.deliveries[0]?.attempts)
    .toBeGreaterThan(0)
  const failed = await service.newJob({ platforms: 'melon', file: new Blob([new Uint8Array(silence())]) })
  await service.ended(failed.job_id)
  service.expectFault('a job failed')
  const { controlToken } = JSON.parse(readFileSync(path.join(service.dataDir, 'owner.json'), 'utf8'))
  mkdirSync(path.join(home, 'logs'))
  const lines = [
    `used ${key} and ${callbackSecret}`,
    `Authorization: Bearer ${service.sessionCredential}`,
    `control ${controlToken}`,
    `read ${homedir()}/music/song.wav /home/jiwoo/a.wav C:\\Users\\Jiwoo\\b.wav {"path":"C:\\\\Users\\\\Jiwoo\\\\c.wav"}`,
    'http://ana:hunter22@127.0.0.1:9/ redis://:queuepass99@studio:6379 https://hooks.example.com/services/T00/B00/PATHSECRET',
    'http://127.0.0.1:47310/#ticket=TICKETSECRET queue password is envpass77',
    'http://127.0.0.1:47310/l/LINKSECRET0123456789ab postgres://u:pgpass55@db/x AWS_SECRET_ACCESS_KEY=awssecret9',
    '{"password":"jsonpass1","token": "jsontoken2"} Cookie: session=cookie33',
  ]
  writeFileSync(path.join(home, 'logs/loudsmith.log'), `${'x'.repeat(300_000)}\nkept\n${lines.join('\n')}\n`)
  vi.stubEnv('MASTER_QUEUE_PASSWORD', 'envpass77')
  vi.stubEnv('HOME', '/home/jiwoo')

  const { file, entries } = await json('doctor', '--bundle', 'bundle.zip', '--yes')
  const found = await unpacked(file)
  expect(entries.map(({ name }: { name: string }) => name)).toEqual([...found.keys()])
  const inJob = (id: string, name: string) => JSON.parse(String(found.get(`jobs/${id}/${name}`)))
  expect(inJob(job.job_id, 'job.json')).toMatchObject({
    genre: 'kpop',
    title: '봄날',
    source_sha256: expect.any(String),
  })
  expect(inJob(job.job_id, 'report.json')).toMatchObject({
    job_id: job.job_id,
    recipe: {},
    source: { measurement: {} },
  })
  expect(inJob(failed.job_id, 'job.json')).toMatchObject({ status: 'failed', failure_code: expect.any(String) })
  expect(inJob(failed.job_id, 'report.json')).toMatchObject({ error: { code: 'JOB_FAILED' } })
  expect(JSON.parse(String(found.get('system.json')))).toMatchObject({
    engine_version: expect.any(String),
    has_simd: true,
  })
  expect(JSON.parse(String(found.get('machine.json')))).toMatchObject({
    ...{ node: process.version, environment: { MASTER_QUEUE_PASSWORD: '[redacted]' } },
  })
  expect(String(found.get('logs/loudsmith.log'))).toMatch(/^kept\n/)

  const secrets = [
    ...[
      key,
      key.slice(9),
      hook.secret,
      callbackSecret,
      callbackSecret.slice(6),
      service.sessionCredential,
      controlToken,
    ],
    ...['hunter22', 'T0KEN-in-path', 'QUERYSECRET', 'PRIVATENOTE', 'PRIVATEREF', 'queuepass99', 'PATHSECRET'],
    ...['LINKSECRET0123456789ab', 'pgpass55', 'awssecret9', 'jsonpass1', 'jsontoken2', 'cookie33'],
    ...['TICKETSECRET', 'envpass77', 'jiwoo', 'Jiwoo', `${homedir()}/`],
  ]
  const leaks = [...found].flatMap(([name, bytes]) =>
    secrets.filter((secret) => bytes.includes(secret) || name.includes(secret)).map((secret) => [name, secret]),
  )
  expect(leaks).toEqual([])
  expect([...found.values()].some((bytes) => bytes.includes('RIFF') || bytes.includes('fLaC'))).toBe(false)
  if (process.platform !== 'win32') expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
})

test('is not saved over a file, nor without agreement, and a job that there is not is a refusal', async () => {
  writeFileSync(path.join(folder, 'there.zip'), 'mine')
  expect(await json('doctor', '--bundle', 'there.zip', '--yes')).toEqual({
    error: {
      code: 'INVALID_REQUEST',
      message: `${path.join(folder, 'there.zip')} already exists and is not overwritten. Choose another name, or move that file.`,
    },
  })
  expect(await call('ko_KR.UTF-8', 'doctor', '--bundle', 'no/there.zip', '--yes')).toMatchObject({
    ...{ code: 1, problem: expect.stringMatching(/폴더가 없어요/) },
  })
  expect(readFileSync(path.join(folder, 'there.zip'), 'utf8')).toBe('mine')
  expect(await call('C', 'doctor', '--bundle', 'asked.zip')).toMatchObject({
    code: 1,
    problem: expect.stringContaining('--yes'),
  })
  expect(await call('ko_KR.UTF-8', 'doctor', '--bundle', 'asked.zip', '--yes', '--job', 'none')).toMatchObject({
    code: 1,
  })
  expect(existsSync(path.join(folder, 'asked.zip'))).toBe(false)
})

test('an address keeps its host, and on this computer its path; words that only look like secrets stay', () => {
  const shown = (text: string) => redact(text, { home: '/srv/kim', secrets: ['short', 'longsecret'] })
  expect(shown('http://127.0.0.1:47310/api/v1/jobs/1?wait=3')).toBe('http://127.0.0.1:47310/api/v1/jobs/1?[redacted]')
  expect(shown('https://u:p@example.com:8443/a/b?c=d#e and s3://bucket')).toBe(
    'https://example.com:8443/[redacted] and s3://bucket',
  )
  expect(shown('/srv/kim/a /srv/kims/b short longsecret')).toBe('~/a /srv/kims/b short [redacted]')
  expect(shown('the password is set, 12 tokens left, https://example.com/')).toBe(
    'the password is set, 12 tokens left, https://example.com/',
  )
})

/** A second of digital silence, which no job can master. */
function silence(): Buffer {
  const wav = Buffer.alloc(44 + 16_000 * 4)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(2, 22)
  wav.writeUInt32LE(8000, 24)
  wav.writeUInt32LE(32_000, 28)
  wav.writeUInt16LE(4, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(wav.length - 44, 40)
  return wav
}
