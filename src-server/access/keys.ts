import { createHash } from 'node:crypto'
import type { ApiKey, CreatedKey } from '../../src-contract/account.ts'
import { KEY_PREFIX } from '../../src-contract/limits.ts'
import { PLAN_LIMITS, type Plan } from '../../src-contract/plans.ts'
import { type Clock, isoTime, type Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { AppError } from '../http/app-error.ts'
import { clientName } from './client-name.ts'

/** The member of a stored client. Rows of earlier versions hold the whole header. */
function shownClient(stored: string | null): Pick<ApiKey, 'last_client'> {
  const name = clientName(stored ?? undefined)
  return name === undefined ? {} : { last_client: name }
}

/** The API keys of the account. */
export interface Keys {
  /** Makes a key; the answer is the only place where it can ever be read. Throws KEY_LIMIT at the plan's count. */
  create(name: string): CreatedKey
  /** All keys, newest first. */
  list(): ApiKey[]
  /** Revokes a key for good; a revoked one stays as it is. Throws NOT_FOUND for an unknown one. */
  revoke(keyId: string): ApiKey
  /** Returns the identifier of the active key that `text` is; undefined when it is unknown, revoked or suspended. */
  identify(text: string, client: string | undefined): string | undefined
  /** Returns whether a key may still be used. */
  isActive(keyId: string): boolean
  /** Keys that are not revoked, suspended ones included. */
  count(): number
}

interface KeyRow {
  serial: number
  key_id: string
  name: string
  last_four: string
  created_at_ms: number
  last_used_at_ms: number | null
  last_client: string | null
  revoked_at_ms: number | null
  /** Number of older keys that are not revoked. */
  older: number
}

/** Random bytes of a key: 128 bits cannot be guessed. */
const KEY_BYTES = 16
/** Age of the stored time of last use after which it is written again, ms. */
const LAST_USE_STEP_MS = 30_000

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

/**
 * Returns the keys kept in `db`. Keys beyond the plan's count are suspended, the youngest first, and come back by themselves with
 * a larger plan: the state is derived, never stored.
 */
export function createKeys(deps: { db: Db; clock: Clock; random: Random; plan: () => Plan }): Keys {
  const { db, clock, random } = deps
  const rows = `SELECT serial, key_id, name, last_four, created_at_ms, last_used_at_ms, last_client, revoked_at_ms,
    (SELECT count(*) FROM api_keys AS other WHERE other.revoked_at_ms IS NULL AND other.serial < api_keys.serial) AS older
    FROM api_keys`
  const all = db.prepare(`${rows} ORDER BY serial DESC`)
  const byId = db.prepare(`${rows} WHERE key_id = ?`)
  const byHash = db.prepare(`${rows} WHERE key_hash = ?`)
  const kept = db.prepare('SELECT count(*) FROM api_keys WHERE revoked_at_ms IS NULL').pluck()
  const insert = db.prepare(
    'INSERT INTO api_keys (key_id, name, key_hash, last_four, created_at_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const revokeOne = db.prepare('UPDATE api_keys SET revoked_at_ms = ? WHERE key_id = ? AND revoked_at_ms IS NULL')
  const use = db.prepare('UPDATE api_keys SET last_used_at_ms = ?, last_client = ? WHERE serial = ?')

  const limit = () => PLAN_LIMITS[deps.plan()].keys
  const stateOf = (row: KeyRow) =>
    row.revoked_at_ms !== null ? 'revoked' : row.older >= limit() ? 'suspended' : 'active'
  const shown = (row: KeyRow): ApiKey => ({
    key_id: row.key_id,
    name: row.name,
    prefix: KEY_PREFIX,
    last_four: row.last_four,
    state: stateOf(row),
    created_at: isoTime(row.created_at_ms),
    ...(row.last_used_at_ms === null ? {} : { last_used_at: isoTime(row.last_used_at_ms) }),
    ...shownClient(row.last_client),
  })
  const find = (keyId: string) => {
    const row = byId.get(keyId) as KeyRow | undefined
    if (!row) throw new AppError('NOT_FOUND')
    return row
  }
  const recordUse = (row: KeyRow, client: string | undefined) => {
    const known = clientName(client) ?? null
    const ageMs = Math.abs(clock.now() - (row.last_used_at_ms ?? Number.NEGATIVE_INFINITY))
    if (ageMs < LAST_USE_STEP_MS && known === row.last_client) return
    try {
      use.run(clock.now(), known, row.serial)
    } catch {
      // A full or locked disk must not keep a key from reading.
    }
  }

  return {
    create: (name) =>
      db
        .transaction(() => {
          if ((kept.get() as number) >= limit()) throw new AppError('KEY_LIMIT', { plan: deps.plan(), limit: limit() })
          const key = `${KEY_PREFIX}${random.randomBytes(KEY_BYTES).toString('hex')}`
          const keyId = random.newUuid()
          insert.run(keyId, name, hashOf(key), key.slice(-4), clock.now())
          return { ...shown(find(keyId)), key }
        })
        .immediate(),
    list: () => (all.all() as KeyRow[]).map(shown),
    revoke(keyId) {
      revokeOne.run(clock.now(), keyId)
      return shown(find(keyId))
    },
    identify(text, client) {
      const row = byHash.get(hashOf(text)) as KeyRow | undefined
      if (!row || stateOf(row) !== 'active') return undefined
      recordUse(row, client)
      return row.key_id
    },
    isActive(keyId) {
      const row = byId.get(keyId) as KeyRow | undefined
      return row !== undefined && stateOf(row) === 'active'
    },
    count: () => kept.get() as number,
  }
}
