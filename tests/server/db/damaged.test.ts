/** Databases that a disk has damaged: in their structure, in the rows of credits and keys, and in values that nothing tells of. */
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startFailureText } from '../../../src-contract/text/start-failure.ts'
import { Keys } from '../../../src-server/access/keys.ts'
import { Ledger } from '../../../src-server/credits/ledger.ts'
import { DatabaseError } from '../../../src-server/db/fault.ts'
import { readMigrations } from '../../../src-server/db/migrate.ts'
import { openDatabase } from '../../../src-server/db/open.ts'
import { verifyRows } from '../../../src-server/db/row-checksums.ts'
import { systemClock, systemRandom } from '../../../src-system/system.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MIGRATIONS = readMigrations(path.join(import.meta.dirname, '../../../src-server/db/migrations'))
const PLACES = 100
const SEED = 20_261_128

let folder: string
let file: string
beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
  file = path.join(folder, 'loudsmith.db')
  const db = openDatabase(file, MIGRATIONS)
  const common = { db, clock: systemClock, random: systemRandom, plan: () => 'studio' as const }
  const [ledger, keys] = [new Ledger(common), new Keys(common)]
  for (let at = 0; at < 60; at++) ledger.charge(`job-${at}`)
  for (let at = 0; at < 5; at++) keys.create({ name: `key ${at}` })
  keys.revoke(keys.list()[0]!.key_id)
  const add =
    db.prepare(`INSERT INTO jobs (job_id, state, settings, filename, source_sha256, source_facts, shown_title, search_text,
      credits_used, credits_remaining, warnings, failure_code, stored_bytes, created_at_ms, completed_at_ms, expires_at_ms)
    VALUES (?, 'failed', '{"platforms":["melon"]}', 'a.wav', 'x', '{}', 'a', 'a', 1, 9, '[]', 'CANCELLED', 1, 1, 2, 3)`)
  for (let at = 0; at < 60; at++) add.run(`job-${at}`)
  db.close()
})

/** Opens the database as a start does, and returns all that it holds. */
function start(): Record<string, unknown[]> {
  const db = openDatabase(file, MIGRATIONS)
  try {
    verifyRows(db)
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[]
    return Object.fromEntries(tables.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]))
  } finally {
    db.close()
  }
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

test(`a bit that is lost in ${PLACES} places (seed ${SEED}) is refused with the file untouched, or changes no credit and no key`, () => {
  const before = start()
  const whole = readFileSync(file)
  const random = seeded(SEED)
  const used = [...whole.keys()].filter((at) => whole[at] !== 0)
  const found = { refused: 0, harmless: 0, unnoticed: 0 }
  for (let place = 0; place < PLACES; place++) {
    const damaged = Buffer.from(whole)
    const at = used[Math.floor(random() * used.length)]!
    damaged[at] = damaged[at]! ^ (1 << Math.floor(random() * 8))
    rmSync(`${file}-wal`, { force: true })
    rmSync(`${file}-shm`, { force: true })
    writeFileSync(file, damaged)
    try {
      const after = start()
      expect([at, after.ledger, after.api_keys]).toEqual([at, before.ledger, before.api_keys])
      found[JSON.stringify(after) === JSON.stringify(before) ? 'harmless' : 'unnoticed']++
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      found.refused++
      expect(readFileSync(file).equals(damaged)).toBe(true)
    }
  }
  console.info(`of ${PLACES} lost bits: ${JSON.stringify(found)}`)
  expect(found.refused).toBeGreaterThan(0)
})

test('every row of credits and keys is told when any bit of its values is lost, and when the row is gone', () => {
  const whole = readFileSync(file)
  for (const change of [
    "UPDATE api_keys SET key_hash = 'x' || substr(key_hash, 2) WHERE serial = 2",
    "UPDATE api_keys SET scope = 'read' WHERE serial = 3",
    'UPDATE api_keys SET revoked_at_ms = NULL WHERE revoked_at_ms IS NOT NULL',
    'DROP TRIGGER ledger_is_never_changed; UPDATE ledger SET amount = -2 WHERE entry_id = 9',
    'DROP TRIGGER ledger_is_never_shortened; DELETE FROM ledger WHERE entry_id = 10',
  ]) {
    writeFileSync(file, whole)
    const db = new Database(file)
    db.exec(change)
    db.close()
    expect([change, faultOf(start)]).toEqual([change, 'corrupt'])
  }
  writeFileSync(file, whole)
  const db = new Database(file)
  db.exec("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('grant', 5, 1)")
  db.close()
  expect(faultOf(start), 'a row of another program gets its checksum now').toBeUndefined()
})

test('a damaged database is refused with the newest copy and how to restore it, in both languages; a lost one is not begun anew', () => {
  const [older, newer] = [`${file}.before-0019`, `${file}.before-0020`]
  copyFileSync(file, older)
  copyFileSync(file, newer)
  const copies = [older, newer].map((copy) => readFileSync(copy))
  for (const damage of [Buffer.alloc(8192, 7), readFileSync(file).subarray(0, 20_000), Buffer.alloc(0)]) {
    writeFileSync(file, damage)
    const refused = errorOf(start)
    expect(refused).toMatchObject({ fault: 'corrupt', damaged: { file, backup: newer } })
    for (const language of ['en', 'ko'] as const) expect(startFailureText(refused, language)).toContain(newer)
    expect(readFileSync(file).equals(damage)).toBe(true)
    expect([older, newer].map((copy) => readFileSync(copy))).toEqual(copies)
  }
  rmSync(file)
  expect(faultOf(start)).toBe('corrupt')
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined()
  copyFileSync(newer, file)
  expect(start().ledger).toHaveLength(61)
})

function errorOf(run: () => unknown): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}
const faultOf = (run: () => unknown) => (errorOf(run) as DatabaseError | undefined)?.fault
