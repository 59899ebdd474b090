/** Links to results: addresses that work without a key, for a while. */
import { createHash } from 'node:crypto'
import { MAX_LINKS_PER_JOB, MAX_LINKS_PER_KEY } from '../../src-contract/limits.ts'
import { type CreatedLink, LINK_PATH, type Link } from '../../src-contract/links.ts'
import { type Clock, isoTime, type Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { AppError } from '../http/app-error.ts'
import type { Maker } from '../http/route.ts'

interface LinkRow {
  link_id: string
  job_id: string
  key_id: string | null
  start_id: string | null
  created_at_ms: number
  expires_at_ms: number
}

/** Random bytes of a token: 128 bits cannot be guessed. */
const TOKEN_BYTES = 16

/** Largest backward correction of the clock after a link was made, ms. */
const CORRECTION_MS = 60_000

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export interface LinksDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>
  /** Time for removing rows of ended links, epoch ms: a jump of the clock removes none. */
  readonly trustedNow: () => number
  readonly random: Pick<Random, 'randomBytes' | 'newUuid'>
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Returns whether a key may still be used. */
  readonly isKeyActive: (keyId: string) => boolean
}

/** Statements about links. */
function prepareStatements(db: Db) {
  return {
    insert: db.prepare<[string, string, string, string | null, string | null, number, number]>(
      'INSERT INTO links (link_id, token_hash, job_id, key_id, start_id, created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    selectByHash: db.prepare<[string], LinkRow>('SELECT * FROM links WHERE token_hash = ?'),
    selectOfJob: db.prepare<[string], LinkRow>('SELECT * FROM links WHERE job_id = ? ORDER BY serial DESC'),
    remove: db.prepare<[string, string]>('DELETE FROM links WHERE job_id = ? AND link_id = ?'),
    removeEnded: db.prepare<[number]>('DELETE FROM links WHERE expires_at_ms <= ?'),
    selectOfMaker: db.prepare<[string | null, string | null], LinkRow>(
      'SELECT * FROM links WHERE key_id IS ? AND start_id IS ?',
    ),
  }
}

/** The links to results. A link works until it ends, while its key is valid or its server run lasts, and while its job exists. */
export class Links {
  readonly #deps: LinksDeps
  readonly #statements: ReturnType<typeof prepareStatements>
  /** Identifier of this start: links of the application end with it. */
  readonly #startId: string
  /** Monotonic creation times of this run's links, by identifier. */
  readonly #madeAtMs = new Map<string, number>()

  constructor(deps: LinksDeps) {
    this.#deps = deps
    this.#statements = prepareStatements(deps.db)
    this.#startId = deps.random.newUuid()
  }

  /** Makes a link to the result of a job; only this answer contains its address. Throws CONCURRENT_LIMIT for one too many. */
  create(jobId: string, lifeSeconds: number, maker: Maker): CreatedLink {
    const { db, clock, random, baseUrl, trustedNow } = this.#deps
    const { insert, removeEnded } = this.#statements
    const nowMs = clock.now()
    const token = random.randomBytes(TOKEN_BYTES).toString('base64url')
    const row: LinkRow = {
      link_id: random.newUuid(),
      job_id: jobId,
      key_id: maker.via === 'key' ? maker.keyId : null,
      start_id: maker.via === 'key' ? null : this.#startId,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + lifeSeconds * 1000,
    }
    db.transaction(() => {
      removeEnded.run(trustedNow())
      this.#requireRoom(row)
      insert.run(row.link_id, hashOf(token), jobId, row.key_id, row.start_id, nowMs, row.expires_at_ms)
    }).immediate()
    this.#madeAtMs.set(row.link_id, clock.monotonicMs())
    return { ...toWire(row), url: `${baseUrl}${LINK_PATH}${token}` }
  }

  /** Returns the links to the result of a job that work, newest first. */
  list(jobId: string): Link[] {
    return this.#ofJob(jobId).map(toWire)
  }

  /** Returns the maker of a link to the result of a job: its key, undefined for the application. Throws LINK_NOT_FOUND. */
  makerOf(jobId: string, linkId: string): string | undefined {
    const row = this.#ofJob(jobId).find(({ link_id }) => link_id === linkId)
    if (!row) throw new AppError('LINK_NOT_FOUND')
    return row.key_id ?? undefined
  }

  /** Removes a link. */
  remove(jobId: string, linkId: string): void {
    this.#statements.remove.run(jobId, linkId)
    this.#madeAtMs.delete(linkId)
  }

  /** Returns the job whose result a token opens. Throws LINK_NOT_FOUND, the same for every kind of invalid token. */
  jobOf(token: string): string {
    const row = this.#statements.selectByHash.get(hashOf(token))
    if (!row || !this.#works(row)) throw new AppError('LINK_NOT_FOUND')
    return row.job_id
  }

  #ofJob(jobId: string): LinkRow[] {
    return this.#statements.selectOfJob.all(jobId).filter((row) => this.#works(row))
  }

  /** Throws CONCURRENT_LIMIT if the maker of a link has reached its limit. */
  #requireRoom({ job_id, key_id, start_id }: LinkRow): void {
    const working = this.#statements.selectOfMaker.all(key_id, start_id).filter((row) => this.#works(row))
    const onJob = working.filter((row) => row.job_id === job_id).length
    if (onJob >= MAX_LINKS_PER_JOB)
      throw new AppError('CONCURRENT_LIMIT', { reason: 'links_of_job', limit: MAX_LINKS_PER_JOB })
    if (working.length >= MAX_LINKS_PER_KEY)
      throw new AppError('CONCURRENT_LIMIT', { reason: 'links', limit: MAX_LINKS_PER_KEY })
  }

  #works(row: LinkRow): boolean {
    const { key_id, start_id, created_at_ms, expires_at_ms } = row
    if (this.#ageMs(row) >= expires_at_ms - created_at_ms) return false
    return key_id === null ? start_id === this.#startId : this.#deps.isKeyActive(key_id)
  }

  /**
   * Returns the age of a link: the longer one by both clocks, since the wall clock can be set back and the other stops with the machine.
   */
  #ageMs({ link_id, created_at_ms }: LinkRow): number {
    const { clock } = this.#deps
    const wallMs = clock.now() - created_at_ms
    const madeAtMs = this.#madeAtMs.get(link_id)
    if (madeAtMs !== undefined) return Math.max(wallMs, clock.monotonicMs() - madeAtMs)
    // For links of an earlier run there is only the wall clock; a time before their creation means nothing.
    return wallMs < -CORRECTION_MS ? Number.POSITIVE_INFINITY : wallMs
  }
}

function toWire({ link_id, key_id, created_at_ms, expires_at_ms }: LinkRow): Link {
  return {
    link_id,
    ...(key_id === null ? {} : { key_id }),
    created_at: isoTime(created_at_ms),
    expires_at: isoTime(expires_at_ms),
  }
}
