import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { databaseFault } from '../../../src-server/db/fault.ts'
import { type Migration, readMigrations } from '../../../src-server/db/migrate.ts'
import { openDatabase } from '../../../src-server/db/open.ts'
import { liveOwner, ownDirectory } from '../../../src-server/db/owner.ts'
import { retryWrite } from '../../../src-server/db/retry-write.ts'
import { listen } from '../../../src-server/http/listen.ts'
import { startServer } from '../../../src-server/server.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemClock } from '../../../src-system/system.ts'
import { markDirectory } from '../../support/data-directory.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
  file = path.join(folder, 'test.db')
})

const step = (version: number, sql: string): Migration => ({ version, name: `${version}.sql`, sql })
const first = step(1, "CREATE TABLE song (title TEXT NOT NULL) STRICT; INSERT INTO song VALUES ('밤');")
const second = step(2, 'ALTER TABLE song ADD COLUMN artist TEXT;')

function thrownBy(run: () => unknown): { fault?: string; message?: string } {
  try {
    run()
  } catch (error) {
    return error as { fault: string; message: string }
  }
  return {}
}

describe('the database file', () => {
  test('is brought from the previous schema to the newest with its data, and copied before', () => {
    openDatabase(file, [first]).close()
    expect(readdirSync(folder)).toEqual(['test.db'])
    const db = openDatabase(file, [first, second])
    expect(db.prepare('SELECT * FROM song').all()).toEqual([{ title: '밤', artist: null }])
    db.close()
    const copy = path.join(folder, 'test.db.before-0002')
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    const old = new Database(copy, { readonly: true })
    expect(old.prepare('SELECT * FROM song').all()).toEqual([{ title: '밤' }])
    old.close()
  })

  test('keeps the last three of the copies that were made before upgrades', () => {
    const steps = [
      first,
      ...[2, 3, 4, 5].map((version) => step(version, `ALTER TABLE song ADD COLUMN c${version} TEXT;`)),
    ]
    for (const count of steps.keys()) openDatabase(file, steps.slice(0, count + 1)).close()
    expect(readdirSync(folder)).toEqual(['test.db', ...[3, 4, 5].map((version) => `test.db.before-000${version}`)])
  })

  test('keeps its old schema when a step fails half-way', () => {
    openDatabase(file, [first]).close()
    const broken = step(2, 'ALTER TABLE song ADD COLUMN artist TEXT; ALTER TABLE nothing ADD COLUMN x TEXT;')
    expect(thrownBy(() => openDatabase(file, [first, broken])).fault).toBe('failed')
    const db = openDatabase(file, [first])
    expect(db.prepare('SELECT * FROM song').all()).toEqual([{ title: '밤' }])
    db.close()
  })

  test('of a newer Loudsmith is refused, untouched', () => {
    openDatabase(file, [first, second]).close()
    expect(thrownBy(() => openDatabase(file, [first]))).toMatchObject({ fault: 'newer' })
    openDatabase(file, [first, second]).close()
  })

  test('whose migrations read differently than what it ran is refused', () => {
    openDatabase(file, [first]).close()
    expect(thrownBy(() => openDatabase(file, [step(1, `${first.sql} `), second])).fault).toBe('changed_migration')
  })

  test('knows its migrations again where a checkout on Windows gave them its line ends', () => {
    const sql = "CREATE TABLE song (title TEXT) STRICT;\nINSERT INTO song VALUES ('밤');\n"
    const migrationsFrom = (name: string, text: string) => {
      mkdirSync(path.join(folder, name))
      writeFileSync(path.join(folder, name, '0001-core.sql'), text)
      return readMigrations(path.join(folder, name))
    }
    openDatabase(file, migrationsFrom('unix', sql)).close()
    openDatabase(file, migrationsFrom('windows', sql.replaceAll('\n', '\r\n'))).close()
  })

  test('that is damaged, or no database at all, is refused as corrupt', () => {
    writeFileSync(file, 'this is not a database, it is a text of some length'.repeat(100))
    expect(thrownBy(() => openDatabase(file, [first])).fault).toBe('corrupt')
  })

  test('names the fault of what SQLite and the system report', () => {
    const codes = [
      'SQLITE_BUSY',
      'SQLITE_BUSY_SNAPSHOT',
      'SQLITE_FULL',
      'ENOSPC',
      'SQLITE_READONLY_DBMOVED',
      'EROFS',
      'SQLITE_CORRUPT_INDEX',
      'SQLITE_MISUSE',
    ]
    expect(codes.map((code) => databaseFault({ code }))).toEqual([
      'busy',
      'busy',
      'full',
      'full',
      'read_only',
      'read_only',
      'corrupt',
      'failed',
    ])
  })

  test('is made by our own migrations with strict tables only, in order and without gaps', () => {
    const migrations = readMigrations(path.join(import.meta.dirname, '../../../src-server/db/migrations'))
    const db = openDatabase(file, migrations)
    const tables = db
      .prepare(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
      )
      .all() as { name: string; strict: number }[]
    expect(tables.length).toBeGreaterThan(5)
    expect(tables.filter(({ strict }) => strict === 0)).toEqual([])
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(db.pragma('synchronous', { simple: true }), 'FULL').toBe(2)
    expect(db.pragma('fullfsync', { simple: true })).toBe(1)
    db.close()
    writeFileSync(path.join(folder, '0002-late.sql'), '')
    expect(() => readMigrations(folder)).toThrow('0002-late.sql')
  })
})

describe('a data folder', () => {
  test('in which a start cannot go on is left with no database, no port and no owner', async () => {
    const log = createLog('silent', systemClock, () => {})
    markDirectory(folder)
    writeFileSync(path.join(folder, 'jobs'), 'a file where a folder belongs')
    const { port, close } = await listen(() => {}, 0)
    await close(0, systemClock.sleep)
    await expect(startServer({ dataDir: folder, port, log })).rejects.toMatchObject({
      name: 'DatabaseError',
      cause: { code: 'EEXIST' },
    })
    expect(readdirSync(folder).filter((name) => name.startsWith('loudsmith.db'))).toEqual(['loudsmith.db'])
    const next = await listen(() => {}, port)
    await next.close(0, systemClock.sleep)
    ownDirectory(folder).release()
  })

  test('has one owner at a time, who is found by others until he gives it up', () => {
    const ownership = ownDirectory(folder)
    expect(liveOwner(folder)).toBeUndefined()
    ownership.announce({ pid: 1, port: 4711, controlToken: 'secret' })
    expect(statSync(path.join(folder, 'owner.json')).mode & 0o777).toBe(0o600)
    expect(liveOwner(folder)).toMatchObject({ port: 4711, controlToken: 'secret' })
    expect(thrownBy(() => ownDirectory(folder))).toMatchObject({ owner: { port: 4711 } })
    ownership.release()
    expect(liveOwner(folder)).toBeUndefined()
    ownDirectory(folder).release()
  })

  test('whose lock cannot be opened has no owner that could be called', () => {
    writeFileSync(path.join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, port: 1, controlToken: 'x' }))
    mkdirSync(path.join(folder, 'owner.lock'))
    expect(liveOwner(folder)).toBeUndefined()
  })

  test('of an owner who died is free, whatever its file still says', () => {
    writeFileSync(path.join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, port: 1, controlToken: 'x' }))
    expect(liveOwner(folder)).toBeUndefined()
    const next = ownDirectory(folder)
    // He has not said yet where he listens: nobody is sent to where the dead one did.
    expect(liveOwner(folder)).toBeUndefined()
    next.release()
  })
})

describe('a write that must not be lost', () => {
  test('is written as soon as it can be, after ever longer pauses of half a minute at most', async () => {
    const clock = createFakeClock()
    const triedAtMs: number[] = []
    const startMs = clock.now()
    const run = () => {
      triedAtMs.push(clock.now() - startMs)
      if (triedAtMs.length < 10) throw new Error('locked')
      return 'written'
    }
    const causes: unknown[] = []
    const end = retryWrite(run, {
      clock,
      signal: new AbortController().signal,
      onFailure: (cause) => void causes.push(cause),
    })
    await clock.advance(125_000)
    expect(await end).toBe('written')
    expect(triedAtMs).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500, 61_500, 91_500, 121_500])
    expect(causes).toHaveLength(9)
  })

  test('is given up when the service ends', async () => {
    const clock = createFakeClock()
    const stop = new AbortController()
    let tries = 0
    const end = retryWrite(
      () => {
        tries++
        throw new Error('full')
      },
      { clock, signal: stop.signal, onFailure: () => {} },
    )
    await clock.advance(1000)
    stop.abort()
    expect(await end).toBeUndefined()
    expect(tries).toBe(3)
  })
})
