import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type Database from 'better-sqlite3'
import { makePrivate } from '../../src-system/disk.ts'
import { DatabaseError } from './fault.ts'

/** One step of the schema. A released one never changes. */
export interface Migration {
  /** Place in the order, counted from 1 without gaps. */
  readonly version: number
  /** File name, `0001-core.sql`. */
  readonly name: string
  readonly sql: string
}

/** Returns the migrations of a folder in their order. Throws when a number is missing, doubled or malformed. */
export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return names.map((name, index) => {
    const version = Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(name)?.[1])
    if (version !== index + 1) throw new Error(`migration ${name} is out of order: ${index + 1} was expected`)
    // A checkout on Windows may have changed the line ends, which must not affect the checksum.
    const sql = readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n')
    return { version, name, sql }
  })
}

const checksumOf = (migration: Migration) => createHash('sha256').update(migration.sql).digest('hex')

/**
 * Brings an open database to the last of `migrations`, each in its own transaction. A file with data is copied beside itself first
 * (`<file>.before-000N`); the last three copies are kept. Throws a `DatabaseError` for a file of a newer Loudsmith, and if a migration
 * differs from the one that was run.
 */
export function migrate(db: Database.Database, file: string, migrations: readonly Migration[]): void {
  db.exec(`CREATE TABLE IF NOT EXISTS migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL
  ) STRICT`)
  const done = db.prepare('SELECT version, checksum FROM migrations ORDER BY version').all() as {
    version: number
    checksum: string
  }[]
  if (done.length > migrations.length) throw new DatabaseError('newer')
  for (const [index, row] of done.entries()) {
    const known = migrations[index]
    if (!known || checksumOf(known) !== row.checksum) throw new DatabaseError('changed_migration')
  }
  const waiting = migrations.slice(done.length)
  const [first] = waiting
  if (first && done.length > 0) copyBefore(db, file, first)
  const record = db.prepare('INSERT INTO migrations (version, name, checksum) VALUES (?, ?, ?)')
  for (const migration of waiting) {
    db.transaction(() => {
      db.exec(migration.sql)
      record.run(migration.version, migration.name, checksumOf(migration))
    }).immediate()
  }
}

/** Number of backups from upgrades that are kept. */
const KEPT_COPIES = 3

function copyBefore(db: Database.Database, file: string, next: Migration): void {
  const copy = `${file}.before-${String(next.version).padStart(4, '0')}`
  rmSync(copy, { force: true })
  db.prepare('VACUUM INTO ?').run(copy)
  makePrivate(copy)
  for (const older of copiesOf(file).slice(0, -KEPT_COPIES)) rmSync(older, { force: true })
}

/** Returns the copies of a database that were made before upgrades, the newest last. */
export function copiesOf(file: string): string[] {
  const prefix = `${path.basename(file)}.before-`
  return readdirSync(path.dirname(file))
    .filter((name) => name.startsWith(prefix) && /^\d{4}$/.test(name.slice(prefix.length)))
    .sort()
    .map((name) => path.join(path.dirname(file), name))
}
