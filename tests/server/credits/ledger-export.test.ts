/** The export of the ledger, over a real socket and a real database. */
import path from 'node:path'
import Database from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LedgerEntry } from '../../../src-contract/account.ts'
import { Ledger } from '../../../src-server/credits/ledger.ts'
import { systemClock } from '../../../src-system/system.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'

let service: Service
beforeEach(async () => {
  service = await startService({ forkEngine: createHeldEngine({ isAutomatic: true }).fork })
})
afterEach(() => service.stop())

const database = () => new Database(path.join(service.dataDir, 'loudsmith.db'))

/** Writes this many additions of one credit behind the service's back. */
function addEntries(count: number): void {
  const db = database()
  const insert = db.prepare("INSERT INTO ledger (kind, amount, note, created_at_ms) VALUES ('grant', 1, ?, 0)")
  db.transaction(() => {
    for (let entry = 0; entry < count; entry++) insert.run(`grant ${entry}`)
  })()
  db.close()
}

test('every entry comes once, oldest first, with its balance, as JSON and as CSV', async () => {
  const { key } = (await service.post('/app/keys', { name: 'books', scope: 'read' })).body
  const { job_id } = await service.newJob()
  await service.post('/app/account/credits', { amount: 7, note: '=HYPERLINK("http://x"), 밤' })
  addEntries(2500)
  const json = await service.get('/api/v1/account/ledger', { credential: key })
  const { entries } = json.body as { entries: LedgerEntry[] }
  expect(json.headers.get('content-disposition')).toBe('attachment; filename="loudsmith-ledger.json"')
  expect(entries).toHaveLength(2503)
  expect(entries.slice(0, 3)).toMatchObject([
    { kind: 'renew', amount: 500, balance: 500 },
    { kind: 'charge', amount: -1, balance: 499, job_id },
    { kind: 'grant', amount: 7, balance: 506, note: '=HYPERLINK("http://x"), 밤' },
  ])
  let sum = 0
  for (const [index, { entry_id, amount, balance }] of entries.entries()) {
    sum += amount
    expect([entry_id > (entries[index - 1]?.entry_id ?? 0), balance]).toEqual([true, sum])
  }
  expect((await service.get('/api/v1/account')).body.credits).toBe(sum)
  // The page reads the same balances from the other end.
  expect((await service.get('/app/account/ledger?limit=1')).body.entries).toEqual(entries.slice(-1))

  const response = await fetch(`${service.baseUrl}/api/v1/account/ledger?format=csv`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="loudsmith-ledger.csv"')
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf')
  const [header = [], ...rows] = parse(bytes, { bom: true }) as string[][]
  expect(header).toEqual(['entry_id', 'created_at', 'kind', 'amount', 'balance', 'job_id', 'note'])
  expect(rows).toHaveLength(2503)
  expect(rows[1]?.slice(2)).toEqual(['charge', '-1', '499', job_id, ''])
  expect(rows[2]?.slice(2)).toEqual(['grant', '7', '506', '', `'=HYPERLINK("http://x"), 밤`])
  expect(rows.map(([id, , , amount, balance]) => [id, amount, balance])).toEqual(
    entries.map(({ entry_id, amount, balance }) => [entry_id, amount, balance].map(String)),
  )
  const { status, body } = await service.get('/api/v1/account/ledger?format=xml', { credential: key })
  expect([status, body.error.param]).toEqual([400, 'format'])
})

test('what is written meanwhile is left out, and nothing of the export is kept in memory', async () => {
  addEntries(2500)
  const db = database()
  const ledger = new Ledger({ db, clock: systemClock, plan: () => 'studio' })
  const groups = ledger.all()[Symbol.iterator]()
  const sizes: number[] = []
  for (let next = groups.next(); !next.done; next = groups.next()) {
    sizes.push(next.value.length)
    // A service goes on writing between two groups.
    addEntries(500)
  }
  db.close()
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1000)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(2501)
})
