import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startFailureText } from '../../../src-contract/text/start-failure.ts'
import {
  DATABASE_FILE,
  findDataDirectory,
  identifyDatabase,
  MARKER_FILE,
  ownerOf,
  takeDataDirectory,
} from '../../../src-server/db/data-directory.ts'
import { readMigrations } from '../../../src-server/db/migrate.ts'
import { openDatabase } from '../../../src-server/db/open.ts'
import { systemRandom } from '../../../src-system/system.ts'
import { CLI } from '../../support/built.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { commandsOf } from '../../support/commands.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { startService } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MIGRATIONS = readMigrations(path.join(import.meta.dirname, '../../../src-server/db/migrations'))
const { newUuid } = systemRandom
/** Links and rights are those of POSIX. */
const onPosix = process.platform !== 'win32'

let root: string
let folder: string
beforeEach(() => {
  root = temporaryFolder(onTestFinished)
  folder = path.join(root, 'data')
})

const take = (options = {}) => takeDataDirectory(folder, { newUuid, ...options })
function lineOf(name: string, place: string): string {
  const stat = lstatSync(place)
  const content = stat.isSymbolicLink() ? readlinkSync(place) : stat.isFile() ? readFileSync(place, 'base64') : ''
  return `${name} ${(stat.mode & 0o7777).toString(8)} ${stat.isDirectory() ? '' : stat.mtimeMs} ${content}`
}
/** Everything that can be seen of a tree: names, rights, times of files, contents, targets of links. */
function seen(top: string): string[] {
  const names = readdirSync(top, { recursive: true, encoding: 'utf8' }).sort()
  return ['', ...names].map((name) => lineOf(name, path.join(top, name)))
}

type Node = { readonly kind: 'file' | 'link'; readonly text: string } | { readonly kind: 'folder'; readonly in: Tree }
type Tree = { readonly [name: string]: Node }

const uuid = fc.uuid()
const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/)
/** Names that Loudsmith gives itself, names like them, and any others. */
const name = fc.oneof(
  fc.constantFrom('tmp', 'jobs', 'sources', 'quarantine', 'result', 'source', 'attempt-1', 'Loudsmith'),
  fc.constantFrom(
    DATABASE_FILE,
    `${DATABASE_FILE}-wal`,
    `${DATABASE_FILE}.before-0002`,
    MARKER_FILE,
    `${MARKER_FILE}.new`,
  ),
  fc.constantFrom('owner.json', 'owner.lock', 'owner.lock-journal', 'vocals.wav', '밤기차.flac', '.hidden'),
  uuid,
  sha256,
  fc.tuple(sha256, fc.constantFrom('cover', 'analysis', 'analysis.part')).map((parts) => parts.join('.')),
  fc.stringMatching(/^[\w .-]{1,12}$/).filter((text) => !/^\.{1,2}$/.test(text)),
)
const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '{}',
    '{"database_id":"mine"}',
    'null',
    '[]',
    '0001-core.sql',
    '{"pid":1,"port":1,"controlToken":"x"}',
  ),
)
const { tree, alone } = fc.letrec<{ tree: Tree; node: Node; alone: Tree }>((tie) => ({
  tree: fc.dictionary(name, tie('node'), { maxKeys: 5 }),
  alone: fc.dictionary(name, tie('node'), { minKeys: 1, maxKeys: 1 }),
  node: fc.oneof(
    { depthSize: 'small' },
    fc.record({ kind: fc.constantFrom('file' as const, ...(onPosix ? (['link'] as const) : [])), text }),
    fc.record({ kind: fc.constant('folder' as const), in: tie('tree') }),
  ),
}))

/** Lays a tree down, with rights that a start would change. Links lead to files outside. */
function lay(top: string, content: Tree, outside: string): void {
  mkdirSync(top)
  for (const [own, node] of Object.entries(content)) {
    const place = path.join(top, own)
    if (node.kind === 'folder') lay(place, node.in, outside)
    else if (node.kind === 'file') writeFileSync(place, node.text, { mode: 0o644 })
    else symlinkSync(outside, place)
  }
  chmodSync(top, 0o755)
}

describe('a folder of other files', () => {
  test('is refused and left as it was, whatever is in it and whoever asks', async () => {
    const refused = fc
      .oneof(tree, alone)
      .filter((content) => Object.keys(content).some((own) => !/^owner\.lock|\.new$/.test(own)))
    await fc.assert(
      fc.asyncProperty(refused, async (content) => {
        const outside = path.join(root, 'outside')
        mkdirSync(outside)
        writeFileSync(path.join(outside, 'kept.wav'), 'kept')
        lay(folder, content, outside)
        const before = [seen(folder), seen(outside)]
        expect(() => findDataDirectory(folder)).toThrow('files that are not Loudsmith')
        expect(ownerOf(folder)).toBeUndefined()
        await expect(take()).rejects.toMatchObject({ name: 'DataDirectoryError' })
        expect([seen(folder), seen(outside)]).toEqual(before)
        for (const place of [folder, outside]) rmSync(place, { recursive: true })
      }),
      { numRuns: IS_CAMPAIGN ? 150 : 20 },
    )
  })

  test('is refused where a database, a marker or a lock in it is not ours', async () => {
    const strange: Record<string, (place: string) => void> = {
      [DATABASE_FILE]: (place) => new Database(place).exec('CREATE TABLE migrations (name TEXT)').close(),
      [MARKER_FILE]: (place) => writeFileSync(place, '{"database_id":"1"}'),
      'owner.lock': (place) => writeFileSync(place, 'held by apt'),
      'owner.lock-journal': (place) => writeFileSync(place, ''),
      [`${MARKER_FILE}.new`]: (place) => writeFileSync(place, ''),
      'owner.json': (place) => writeFileSync(place, '{"pid":1,"port":1,"controlToken":"x"}'),
      'loudsmith.db-wal': (place) => writeFileSync(place, `0001-core.sql${'0'.repeat(64)}`),
      'a folder named as the marker': (place) => mkdirSync(path.join(path.dirname(place), MARKER_FILE)),
    }
    for (const [own, put] of Object.entries(strange)) {
      mkdirSync(folder)
      put(path.join(folder, own))
      const before = seen(folder)
      await expect(take(), own).rejects.toMatchObject({ name: 'DataDirectoryError' })
      expect(ownerOf(folder)).toBeUndefined()
      expect(seen(folder)).toEqual(before)
      rmSync(folder, { recursive: true })
    }
  })

  test.skipIf(!onPosix)('is refused by every command as it is, with what to do', async () => {
    const outside = path.join(root, 'outside')
    mkdirSync(outside)
    const song = { kind: 'file', text: 'x' } as const
    const inside = (content: Tree) => ({ kind: 'folder', in: content }) as const
    lay(
      folder,
      {
        sources: inside({ 'vocals.wav': song, ['a'.repeat(64)]: song }),
        tmp: inside({ s: inside({ 'lyrics.txt': song }), [newUuid()]: inside({ file: song }) }),
        jobs: inside({
          clientA: inside({ 'mix.wav': song }),
          'invoice.pdf': song,
          [newUuid()]: inside({ source: song }),
        }),
        'owner.json': { kind: 'file', text: '{"pid":1,"port":1,"controlToken":"x"}' },
        'loudsmith.db': { kind: 'file', text: 'my notes' },
        link: { kind: 'link', text: '' },
      },
      outside,
    )
    const before = seen(folder)
    const songFile = path.join(root, 'song.wav')
    writeFileSync(songFile, 'x')
    const commands = [
      ['serve', '--port', '0'],
      ['account', 'show'],
      ['account', 'plan', 'pro'],
      ['keys', 'list'],
      ['keys', 'create', 'x'],
      ['doctor'],
      ['master', songFile, '--platforms', 'spotify', '--out', path.join(root, 'out')],
    ]
    const { call, json } = commandsOf(root, () => folder)
    for (const words of commands) {
      const { code, problem } = await call('C', ...words)
      expect([words[0], code, problem]).toEqual([words[0], 1, expect.stringMatching(/not Loudsmith’s.*--adopt-dir/)])
      expect(seen(folder)).toEqual(before)
    }
    expect((await call('ko_KR.UTF-8', 'account', 'show')).problem).toMatch(/아무것도 건드리지 않았어요.*--adopt-dir/)
    expect(await json('doctor')).toMatchObject({ error: { code: 'INVALID_REQUEST', param: 'data_dir' } })
    const adopting = [CLI, 'account', 'show', '--adopt-dir', '--data-dir', folder]
    expect(spawnSync(process.execPath, adopting).status).toBe(0)
    expect(
      seen(folder)
        .filter((line) => !line.startsWith('Loudsmith'))
        .slice(1),
    ).toEqual(before.slice(1))
    expect(readdirSync(path.join(folder, 'Loudsmith'))).toContain(MARKER_FILE)
  })

  test('is used with a folder Loudsmith in it when that is asked for, and only when that is ours or empty', async () => {
    mkdirSync(path.join(folder, 'Loudsmith'), { recursive: true })
    writeFileSync(path.join(folder, 'song.wav'), 'song')
    const first = await take({ adopts: true })
    first.ownership.release()
    expect([first.path, readdirSync(folder).sort()]).toEqual([
      path.join(folder, 'Loudsmith'),
      ['Loudsmith', 'song.wav'],
    ])
    const again = await take({ adopts: true })
    again.ownership.release()
    expect(again.markerId).toBe(first.markerId)
    rmSync(path.join(first.path, MARKER_FILE))
    writeFileSync(path.join(first.path, 'other.wav'), 'song')
    const refused = await take({ adopts: true }).catch((error: unknown) => error)
    for (const language of ['en', 'ko'] as const) {
      expect(startFailureText(refused, language)).toMatch(/Loudsmith.*--data-dir/)
      expect(startFailureText(refused, language)).not.toMatch(/--adopt-dir/)
    }
  })
})

describe('a folder becomes a data directory', () => {
  test.each([
    ['that is missing', () => {}],
    ['that is empty', () => mkdirSync(folder)],
    [
      'that holds what systems put into folders',
      () => {
        mkdirSync(path.join(folder, 'lost+found'), { recursive: true })
        mkdirSync(path.join(folder, '.Trash-1000'))
        for (const own of ['.DS_Store', 'desktop.ini', 'Thumbs.db']) writeFileSync(path.join(folder, own), own)
      },
    ],
    [
      'in which a first start was killed when it had the lock',
      () => {
        mkdirSync(folder)
        const lock = `const lock = new (require('better-sqlite3'))(process.argv[1]); lock.exec('BEGIN EXCLUSIVE'); process.kill(process.pid, 'SIGKILL')`
        spawnSync(process.execPath, ['-e', lock, path.join(folder, 'owner.lock')], {
          cwd: path.join(import.meta.dirname, '../../..'),
        })
        expect(readdirSync(folder)).toContain('owner.lock')
      },
    ],
    [
      'in which a first start was killed while it wrote the marker',
      () => {
        mkdirSync(folder)
        writeFileSync(path.join(folder, 'owner.lock'), '')
        writeFileSync(path.join(folder, `${MARKER_FILE}.new`), '{\n  "about": "Loudsmith')
      },
    ],
  ])('%s', async (_what, make) => {
    make()
    const before = statSync(folder, { throwIfNoEntry: false })?.mode
    const { ownership, markerId } = await take()
    ownership.release()
    if (before !== undefined) expect(statSync(folder).mode, 'a folder of others keeps its rights').toBe(before)
    writeFileSync(path.join(folder, 'mine.wav'), 'song')
    const again = await take()
    again.ownership.release()
    expect(again.markerId).toBe(markerId)
  })

  test.each(['in order', 'by a crash that left all in the log'])(
    'by a database of a version without markers that ended %s',
    async (end) => {
      mkdirSync(folder)
      const db = openDatabase(path.join(folder, DATABASE_FILE), MIGRATIONS.slice(0, 6))
      const crashed = path.join(root, 'crashed')
      cpSync(folder, crashed, { recursive: true })
      db.close()
      if (end !== 'in order') folder = crashed
      writeFileSync(path.join(folder, 'notes.txt'), 'mine')
      const directory = await take()
      const opened = openDatabase(path.join(folder, DATABASE_FILE), MIGRATIONS)
      expect(identifyDatabase(opened, directory)).toBe(true)
      opened.close()
      directory.ownership.release()
      rmSync(path.join(folder, DATABASE_FILE))
      const again = await take()
      again.ownership.release()
      expect(again.markerId, 'the marker alone makes it ours').toBe(directory.markerId)
    },
  )

  test('of another database when that has been put into it', async () => {
    const directory = await take()
    const db = openDatabase(path.join(folder, DATABASE_FILE), MIGRATIONS)
    const other = newUuid()
    identifyDatabase(db, { markerId: other, mark: () => {} })
    expect(identifyDatabase(db, directory)).toBe(false)
    db.close()
    directory.ownership.release()
    const again = await take()
    again.ownership.release()
    expect(again.markerId).toBe(other)
  })
})

/** A disk without access rights, such as FAT mounted by another user, refuses chmod. */
test.skipIf(!onPosix)('a disk that keeps no access rights is used all the same, and the log says so', async () => {
  const faults = path.join(root, 'no-rights.mjs')
  writeFileSync(
    faults,
    `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
for (const name of ['chmodSync', 'fchmodSync', 'chmod']) fs[name] = (file) => { throw Object.assign(new Error('EPERM: operation not permitted, chmod ' + file), { code: 'EPERM', syscall: 'chmod' }) }
const { statSync } = fs
fs.statSync = (file, ...more) => { const stat = statSync(file, ...more); if (stat) stat.mode |= 0o777; return stat }
syncBuiltinESMExports()`,
  )
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', faults, CLI, 'doctor', '--json', '--data-dir', folder],
    { encoding: 'utf8' },
  )
  expect(stderr).not.toMatch(/EPERM/)
  expect(JSON.parse(stdout)).toMatchObject({ data_dir: folder, is_private: false })
})

describe('a service on its own folder', () => {
  const start = () =>
    startService({ dataDir: folder, forkEngine: createHeldEngine({ isAutomatic: true }).fork, keepsData: true })
  const put = (place: string, content = 'mine') => {
    mkdirSync(path.dirname(path.join(folder, place)), { recursive: true })
    writeFileSync(path.join(folder, place), content)
    return place
  }

  test('leaves what is called otherwise than its own files, and what lies behind links', async () => {
    await (await start()).stop()
    const places = ['jobs/invoice.pdf', 'sources/vocals.wav', 'tmp/lyrics.txt', 'jobs/clientA/mix.wav'].map((one) =>
      put(one),
    )
    places.push(
      put(`jobs/${newUuid().toUpperCase()}/mix.wav`),
      put(`sources/${'a'.repeat(64)}.wav`),
      put('sources/x/y.wav'),
    )
    places.push(put('loudsmith.db.before-my-experiment'), put(`tmp/${newUuid()}`), put(`jobs/${newUuid()}`))
    const outside = path.join(root, 'outside')
    mkdirSync(outside)
    writeFileSync(path.join(outside, 'kept.wav'), 'kept')
    if (onPosix) {
      for (const place of ['jobs', 'tmp', 'sources']) symlinkSync(outside, path.join(folder, place, newUuid()))
    }
    const before = places.map((place) => lineOf(place, path.join(folder, place)))
    const again = await start()
    expect((await again.get('/app/system')).body.quarantine).toBeNull()
    await again.stop()
    expect(places.map((place) => lineOf(place, path.join(folder, place)))).toEqual(before)
    expect(readdirSync(outside)).toEqual(['kept.wav'])
  })

  test.skipIf(!onPosix)('sweeps nothing in a folder that is a link to another', async () => {
    const service = await start()
    await service.stop()
    const outside = path.join(root, 'outside')
    for (const place of ['jobs', 'tmp', 'sources']) {
      const target = path.join(outside, place)
      mkdirSync(path.join(target, newUuid()), { recursive: true })
      writeFileSync(path.join(target, 'b'.repeat(64)), 'song')
      rmSync(path.join(folder, place), { recursive: true })
      symlinkSync(target, path.join(folder, place))
    }
    const before = seen(outside)
    const again = await start()
    await again.get('/app/system')
    await again.stop()
    expect(seen(outside)).toEqual(before)
  })

  test('sets aside what an older database does not know, tells of it, and gives the known', async () => {
    const first = await start()
    const known = await first.newJob()
    await first.ended(known.job_id)
    await first.stop()
    cpSync(path.join(folder, DATABASE_FILE), path.join(root, 'backup.db'))
    const second = await start()
    const lost = await second.newJob()
    await second.ended(lost.job_id)
    await second.stop()
    const song = put(`sources/${'c'.repeat(64)}`, 'a song')
    const zip = seen(path.join(folder, 'jobs', lost.job_id))
    cpSync(path.join(root, 'backup.db'), path.join(folder, DATABASE_FILE))

    const third = await start()
    const told = async () => (await third.get('/app/system')).body.quarantine
    await expect.poll(async () => (await told())?.items).toBe(2)
    const { folder: quarantine, bytes } = await told()
    expect(bytes).toBeGreaterThan(1000)
    const [day = ''] = readdirSync(quarantine)
    expect(day).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(seen(path.join(quarantine, day, 'jobs', lost.job_id))).toEqual(zip)
    expect(readFileSync(path.join(quarantine, day, song), 'utf8')).toBe('a song')
    expect((await third.get(`/api/v1/jobs/${known.job_id}/download`)).status).toBe(200)
    expect(third.lines).toContainEqual(expect.objectContaining({ level: 'warn', items: 2, bytes }))
    await third.call('DELETE', `/api/v1/jobs/${known.job_id}`)
    await third.stop()
    expect(readdirSync(path.join(folder, 'jobs'))).toEqual([])

    rmSync(quarantine, { recursive: true })
    const fourth = await start()
    expect((await fourth.get('/app/system')).body.quarantine).toBeNull()
    await fourth.stop()
  })

  test('starts without its database, and sets everything of the lost one aside', async () => {
    const first = await start()
    const job = await first.newJob()
    await first.ended(job.job_id)
    await first.stop()
    rmSync(path.join(folder, DATABASE_FILE))
    const second = await start()
    await expect.poll(async () => (await second.get('/app/system')).body.quarantine?.items).toBe(1)
    expect((await second.get('/api/v1/jobs')).body.total).toBe(0)
    await second.stop()
  })
})

test('a command that only looks leaves what is left over and unknown where it is', async () => {
  const service = await startService({ dataDir: folder, forkEngine: createHeldEngine().fork, keepsData: true })
  await service.stop()
  for (const place of [`jobs/${newUuid()}/source`, `tmp/${newUuid()}/file`, `sources/${'d'.repeat(64)}`]) {
    mkdirSync(path.dirname(path.join(folder, place)), { recursive: true })
    writeFileSync(path.join(folder, place), 'x')
  }
  const names = () =>
    readdirSync(folder, { recursive: true })
      .filter((one) => /^(jobs|tmp|sources)/.test(String(one)))
      .sort()
  const before = names()
  for (const words of [['account', 'show'], ...(IS_CAMPAIGN ? [['keys', 'list']] : []), ['doctor']]) {
    const { status } = spawnSync(process.execPath, [CLI, ...words, '--data-dir', folder])
    expect(status).toBe(0)
  }
  expect(names()).toEqual(before)
})
