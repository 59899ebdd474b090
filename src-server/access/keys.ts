import { createHash } from 'node:crypto'
import type { ApiKey, CreatedKey } from '../../src-contract/account.ts'
import type { Scope } from '../../src-contract/endpoint.ts'
import { KEY_PREFIX } from '../../src-contract/limits.ts'
import { PLAN_LIMITS, type Plan } from '../../src-contract/plans.ts'
import { type Clock, isoTime, type Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { createSeal } from '../db/row-checksums.ts'
import { AppError } from '../http/app-error.ts'
import { clientName } from './client-name.ts'

interface KeyRow {
  serial: number
  key_id: string
  name: string
  last_four: string
  created_at_ms: number
  last_used_at_ms: number | null
  last_client: string | null
  revoked_at_ms: number | null
  scope: Scope
  expires_at_ms: number | null
  /** Number of older keys that can be used, or could with a larger plan. */
  older: number
}

/** Random bytes of a key: 128 bits cannot be guessed. */
const KEY_BYTES = 16
/** Age of the stored time of last use after which it is written again, ms. */
const LAST_USE_STEP_MS = 30_000

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

export interface KeysDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly plan: () => Plan
  /** Time for the expiry of keys, milliseconds since 1970; never goes back with the clock. The clock itself when absent. */
  readonly expiryNow?: () => number
}

/** Facts of a key that a request carries. */
export interface KnownKey {
  readonly keyId: string
  readonly scope: Scope
}

/** A key that is to be made. */
export interface KeyWish {
  readonly name: string
  /** `all` when absent. */
  readonly scope?: Scope
  /** Seconds from now on after which it ends; none when absent. */
  readonly expiresInSeconds?: number
}

/** Statements about keys. The first parameter of every read and of the count is the current time, epoch ms. */
function prepareStatements(db: Db) {
  // A refusal as expired counts as last use, so that the key stays expired whatever the clock shows later.
  const usable =
    'revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > max(?, ifnull(last_used_at_ms, 0)))'
  const rows = `SELECT serial, key_id, name, last_four, created_at_ms, last_used_at_ms, last_client, revoked_at_ms, scope, expires_at_ms,
    (SELECT count(*) FROM api_keys AS other WHERE ${usable} AND other.serial < api_keys.serial) AS older
    FROM api_keys`
  return {
    selectAll: db.prepare<[number], KeyRow>(`${rows} ORDER BY serial DESC`),
    selectOne: db.prepare<[number, string], KeyRow>(`${rows} WHERE key_id = ?`),
    selectByHash: db.prepare<[number, string], KeyRow>(`${rows} WHERE key_hash = ?`),
    count: db.prepare<[number], number>(`SELECT count(*) FROM api_keys WHERE ${usable}`).pluck(),
    insert: db.prepare<[string, string, string, string, number, Scope, number | null]>(
      'INSERT INTO api_keys (key_id, name, key_hash, last_four, created_at_ms, scope, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    revoke: db.prepare<[number, string]>(
      'UPDATE api_keys SET revoked_at_ms = ? WHERE key_id = ? AND revoked_at_ms IS NULL',
    ),
    noteUse: db.prepare<[number, string | null, number]>(
      'UPDATE api_keys SET last_used_at_ms = ?, last_client = ? WHERE serial = ?',
    ),
  }
}

/**
 * The API keys of the account. Keys beyond the plan's count are suspended, the youngest first, and come back by themselves with a larger
 * plan: the state is derived, never stored.
 */
export class Keys {
  readonly #deps: KeysDeps
  readonly #expiryNow: () => number
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #seal: (serial: number | bigint) => void

  constructor(deps: KeysDeps) {
    this.#deps = deps
    this.#expiryNow = deps.expiryNow ?? deps.clock.now
    this.#statements = prepareStatements(deps.db)
    this.#seal = createSeal(deps.db, 'api_keys')
  }

  /** Makes a key; only the answer ever contains it. Throws KEY_LIMIT at the plan's count. */
  create({ name, scope = 'all', expiresInSeconds }: KeyWish): CreatedKey {
    const { db, clock, random, plan } = this.#deps
    return db
      .transaction(() => {
        if (this.count() >= this.#limit()) throw new AppError('KEY_LIMIT', { plan: plan(), limit: this.#limit() })
        const key = `${KEY_PREFIX}${random.randomBytes(KEY_BYTES).toString('hex')}`
        const keyId = random.newUuid()
        const provenMs = this.#expiryNow()
        const nowMs = clock.now()
        const expiresAtMs = expiresInSeconds === undefined ? null : Math.max(nowMs, provenMs) + expiresInSeconds * 1000
        const { insert } = this.#statements
        this.#seal(insert.run(keyId, name, hashOf(key), key.slice(-4), nowMs, scope, expiresAtMs).lastInsertRowid)
        return { ...this.#show(keyId), key }
      })
      .immediate()
  }

  /** Returns all keys, newest first. */
  list(): ApiKey[] {
    return this.#statements.selectAll.all(this.#expiryNow()).map((row) => toWire(row, this.#stateOf(row)))
  }

  /** Revokes a key for good; a revoked one stays as it is. Throws NOT_FOUND for an unknown one. */
  revoke(keyId: string): ApiKey {
    const { db, clock } = this.#deps
    return db
      .transaction(() => {
        this.#statements.revoke.run(clock.now(), keyId)
        const serial = this.#find(keyId)?.serial
        if (serial !== undefined) this.#seal(serial)
        return this.#show(keyId)
      })
      .immediate()
  }

  /** Returns the active key with this text; undefined when it is unknown, revoked, expired or suspended. */
  identify(text: string, client: string | undefined): KnownKey | undefined {
    const row = this.#statements.selectByHash.get(this.#expiryNow(), hashOf(text))
    const state = row && this.#stateOf(row)
    if (state === 'active') this.#recordUse(row!, client)
    if (state === 'expired') this.#recordEnd(row!)
    return state === 'active' ? { keyId: row!.key_id, scope: row!.scope } : undefined
  }

  /** Returns whether a key may still be used. */
  isActive(keyId: string): boolean {
    const row = this.#find(keyId)
    return row !== undefined && this.#stateOf(row) === 'active'
  }

  /** Returns the number of keys that are neither revoked nor expired, suspended ones included. */
  count(): number {
    return this.#statements.count.get(this.#expiryNow()) ?? 0
  }

  #limit(): number {
    return PLAN_LIMITS[this.#deps.plan()].keys
  }

  #stateOf(row: KeyRow): ApiKey['state'] {
    if (row.revoked_at_ms !== null) return 'revoked'
    if (row.expires_at_ms !== null && row.expires_at_ms <= Math.max(this.#expiryNow(), row.last_used_at_ms ?? 0))
      return 'expired'
    return row.older >= this.#limit() ? 'suspended' : 'active'
  }

  #find(keyId: string): KeyRow | undefined {
    return this.#statements.selectOne.get(this.#expiryNow(), keyId)
  }

  #show(keyId: string): ApiKey {
    const row = this.#find(keyId)
    if (!row) throw new AppError('NOT_FOUND')
    return toWire(row, this.#stateOf(row))
  }

  #recordUse(row: KeyRow, client: string | undefined): void {
    const nowMs = this.#deps.clock.now()
    const known = clientName(client) ?? null
    const ageMs = Math.abs(nowMs - (row.last_used_at_ms ?? Number.NEGATIVE_INFINITY))
    if (ageMs < LAST_USE_STEP_MS && known === row.last_client) return
    this.#noteUse(nowMs, known, row)
  }

  /** Records the first use of a key that has expired. */
  #recordEnd(row: KeyRow): void {
    const hasEnded = (row.last_used_at_ms ?? 0) >= row.expires_at_ms!
    if (!hasEnded) this.#noteUse(this.#expiryNow(), row.last_client, row)
  }

  #noteUse(nowMs: number, client: string | null, { serial }: KeyRow): void {
    try {
      this.#statements.noteUse.run(nowMs, client, serial)
    } catch {
      // A full or locked disk must not keep a key from reading.
    }
  }
}

function toWire(row: KeyRow, state: ApiKey['state']): ApiKey {
  return {
    key_id: row.key_id,
    name: row.name,
    prefix: KEY_PREFIX,
    last_four: row.last_four,
    state,
    scope: row.scope,
    created_at: isoTime(row.created_at_ms),
    ...(row.expires_at_ms === null ? {} : { expires_at: isoTime(row.expires_at_ms) }),
    ...(row.last_used_at_ms === null ? {} : { last_used_at: isoTime(row.last_used_at_ms) }),
    ...shownClient(row.last_client),
  }
}

/** The member of a stored client. Rows of earlier versions hold the whole header. */
function shownClient(stored: string | null): Pick<ApiKey, 'last_client'> {
  const name = clientName(stored ?? undefined)
  return name === undefined ? {} : { last_client: name }
}
