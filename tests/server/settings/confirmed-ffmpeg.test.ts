/** The ffmpeg of the settings is run only as the file that its owner confirmed; no request of the page chooses one. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'
import { CLI } from '../../support/built.ts'
import { type Service, startService } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let folder: string
let service: Service
beforeEach(async () => {
  // It would come before the setting.
  vi.stubEnv('MASTER_FFMPEG_PATH', undefined)
  folder = temporaryFolder(onTestFinished)
  service = await startService({ dataDir: path.join(folder, 'data'), keepsData: true })
})
afterEach(async () => {
  await service.stop()
  vi.unstubAllEnvs()
})

const mark = () => path.join(folder, 'was-run')
const timesRun = () => (existsSync(mark()) ? readFileSync(mark(), 'utf8').length : 0)
/** Writes a program that leaves a mark and is then ffmpeg; `comment` makes it another file. */
async function ownFfmpeg(comment = ''): Promise<string> {
  const { path: real } = await locateFfmpeg()
  const file = path.join(folder, 'my-ffmpeg')
  writeFileSync(file, `#!/bin/sh\nprintf x >>'${mark()}'\nexec '${real}' "$@"\n# ${comment}\n`, { mode: 0o755 })
  return file
}
const asOwner = () => ({ credential: service.controlCredential })
const set = (ffmpeg_path: string | null, init?: { credential: string }) =>
  service.patch('/app/settings', { ffmpeg_path }, init)
const system = async () => (await service.get('/app/system')).body
const read = async () => (await service.get('/app/settings')).body

describe.runIf(process.platform !== 'win32')('the ffmpeg of the settings', () => {
  test('cannot be set by the page: the answer says who can, and the program is not run, not even to look at it', async () => {
    const before = await read()
    const refused = await set(await ownFfmpeg())
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      403,
      'OWNER_REQUIRED',
      'ffmpeg_path',
    ])
    const unknown = await set(path.join(folder, 'no-such-file'))
    expect(unknown.body.error.message, 'whether a file exists is not told either').toBe(refused.body.error.message)
    const mixed = await service.patch('/app/settings', { retention_days: 7, ffmpeg_path: await ownFfmpeg() })
    expect([mixed.status, await read()]).toEqual([403, before])
    expect(timesRun()).toBe(0)
  })

  test('is run once its owner has set it; the page may send it back as it is, and may not take it away', async () => {
    const file = await ownFfmpeg()
    expect((await set(file, asOwner())).body.ffmpeg_path).toBe(file)
    expect((await system()).ffmpeg).toMatchObject({ path: file, origin: 'setting' })
    expect(timesRun()).toBeGreaterThan(0)
    const same = await service.patch('/app/settings', { retention_days: 7, ffmpeg_path: file })
    expect([same.status, same.body.retention_days, same.body.ffmpeg_path]).toEqual([200, 7, file])
    expect((await set(null)).status).toBe(403)
    expect(Object.keys(await read()), 'what was confirmed is told to nobody').not.toContain('ffmpeg_sha256')
    expect((await set(null, asOwner())).body.ffmpeg_path).toBeNull()
    expect((await system()).ffmpeg.path).not.toBe(file)
  })

  test('that is another file since is not run: songs are refused with what to do, until it is confirmed again', async () => {
    const file = await ownFfmpeg()
    await set(file, asOwner())
    await service.ended((await service.newJob()).job_id)
    const before = timesRun()
    await ownFfmpeg('another')
    // As a program that hides its work would leave it.
    utimesSync(file, new Date(0), new Date(0))
    expect(await system()).toMatchObject({ ffmpeg: null, ffmpeg_lack: 'ffmpeg_changed' })
    for (const [language, sentence] of [
      ['en', /has changed since it was confirmed, so it is not run\. Settings shows how to confirm it\./],
      ['ko', /확인한 파일과 달라서 실행하지 않아요\./],
    ] as const) {
      const refused = await service.master({}, { headers: { 'accept-language': language } })
      expect([refused.status, refused.body.error.code]).toEqual([503, 'UNAVAILABLE'])
      expect(refused.body.error.message).toMatch(sentence)
    }
    expect((await set(file)).body.ffmpeg_path, 'the page sends it back: that confirms nothing').toBe(file)
    expect((await system()).ffmpeg).toBeNull()
    expect(timesRun()).toBe(before)
    await set(file, asOwner())
    expect(await system()).toMatchObject({ ffmpeg: { path: file }, ffmpeg_lack: null })
    expect((await service.master()).status).toBe(201)
  })

  test('that was set before confirmations were asked for is not run until it is confirmed, once', async () => {
    const file = await ownFfmpeg()
    const { dataDir } = service
    await service.stop()
    const db = new Database(path.join(dataDir, 'loudsmith.db'))
    db.prepare("INSERT INTO settings (name, value) VALUES ('ffmpeg_path', ?)").run(JSON.stringify(file))
    db.close()
    const again = async () => {
      service = await startService({ dataDir, keepsData: true })
    }
    await again()
    expect(await system()).toMatchObject({ ffmpeg: null, ffmpeg_lack: 'ffmpeg_unconfirmed' })
    expect((await service.master()).body.error.message).toContain('was never confirmed')
    expect(timesRun()).toBe(0)
    await set(file, asOwner())
    await service.stop()
    await again()
    expect(await system()).toMatchObject({ ffmpeg: { path: file }, ffmpeg_lack: null })
  })

  test('is an ffmpeg: what is none is refused with what it is', async () => {
    const script = (name: string, line: string, mode = 0o755) => {
      writeFileSync(path.join(folder, name), `#!/bin/sh\n${line}\n`, { mode })
      return path.join(folder, name)
    }
    mkdirSync(path.join(folder, 'folder'))
    for (const [file, sentence] of [
      ['ffmpeg', /There is no program at this path/],
      [path.join(folder, 'nowhere'), /There is no program at this path/],
      [path.join(folder, 'folder'), /There is no program at this path/],
      [script('text', 'echo', 0o644), /There is no program at this path/],
      [script('silent', 'exit 0'), /This program is not ffmpeg/],
      [script('probe', 'echo ffprobe version 7.0'), /This program is not ffmpeg/],
      [script('old', 'echo ffmpeg version 4.4'), /older than 5\.1/],
    ] as const) {
      const { status, body } = await set(file, asOwner())
      expect([status, body.error.code, body.error.param], file).toEqual([400, 'INVALID_REQUEST', 'ffmpeg_path'])
      expect(body.error.message).toMatch(sentence)
    }
    expect((await read()).ffmpeg_path).toBeNull()
  })

  test('is set, shown, confirmed again and taken away by the command line', async () => {
    const file = await ownFfmpeg()
    const run = async (...words: string[]) => {
      const all = [CLI, 'settings', 'ffmpeg', ...words, '--data-dir', service.dataDir]
      const { stdout } = await promisify(execFile)(process.execPath, all, { env: { ...process.env, LC_ALL: 'C' } })
      return stdout
    }
    await expect(run(file)).rejects.toMatchObject({
      stderr: expect.stringMatching(/SHA-256 [0-9a-f]{64}\n.*add --yes/),
    })
    expect((await read()).ffmpeg_path).toBeNull()
    expect(await run(file, '--yes')).toMatch(new RegExp(`^Set +${file}\nIn use +\\S+ \\(setting\\) ${file}\n$`))
    await ownFfmpeg('another')
    expect(await run()).toContain('the configured one has changed since it was confirmed. Set it again to confirm it.')
    expect(JSON.parse(await run(file, '--yes', '--json'))).toMatchObject({ ffmpeg_path: file, ffmpeg_lack: null })
    expect(await run('--clear')).toMatch(/^Set +none: Loudsmith finds it\n/)
  })
})
