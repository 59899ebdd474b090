/** Hand-over of the songs of manifests to the jobs: as many as keep the engine busy, the callers in turn. */
import type { PauseReason } from '../../src-contract/batches.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import { databaseFault } from '../db/fault.ts'
import type { AppError } from '../http/app-error.ts'
import { toAppError } from '../http/envelope.ts'
import type { Maker } from '../http/route.ts'
import type { MasterRequest } from '../uploads/form.ts'
import { requestOf } from './manifest.ts'
import { type SongSourceDeps, withSong } from './song-source.ts'
import type { BulkStore, SongError, SongRecord } from './store.ts'

export interface HandOverDeps extends SongSourceDeps {
  readonly clock: Clock
  readonly log: Log
  readonly store: BulkStore
  /** Creates the job of a song and charges it; `alongside` is called in its transaction. Throws an AppError. */
  readonly submit: (job: {
    readonly caller: Maker
    readonly request: MasterRequest
    readonly song: StoredSong
    readonly sourceId?: string
    readonly sourcePath?: string
    readonly batchId: string
    readonly isBulk: true
    readonly alongside: (jobId: string) => void
  }) => unknown
  readonly isStemSet: (sourceId: string) => boolean
  /** Unfinished jobs of manifests. */
  readonly unfinished: () => number
  /** Current limit of concurrent engine processes. */
  readonly workers: () => number
  readonly onRefused: (song: SongRecord, error: SongError) => void
  readonly onPause: (batchId: string, reason: PauseReason) => void
}

/** Songs copied and inspected at the same time: as many as the inspection allows. */
const PREPARED_AT_ONCE = 2
/** Jobs made for each engine process: a running and a waiting one, which keeps the process busy. */
const JOBS_PER_WORKER = 2
/** Pause before the next attempt after a fault that may pass, ms. */
const RETRY_MS = 5_000

/** Consequence of a refusal. */
export type Refusal =
  | { readonly kind: 'song' }
  | { readonly kind: 'pause'; readonly reason: PauseReason }
  | { readonly kind: 'later' }

/** Returns the scope of a refusal: the song, the whole batch, or only this moment. Pure. */
function planRefusal(code: AppError['code']): Refusal {
  switch (code) {
    case 'INSUFFICIENT_CREDITS':
      return { kind: 'pause', reason: 'credits' }
    case 'INSUFFICIENT_STORAGE':
      return { kind: 'pause', reason: 'disk' }
    case 'UNAVAILABLE':
      return { kind: 'later' }
    default:
      return { kind: 'song' }
  }
}

/** Returns the caller served longest ago; those never served come first, in the given order. Pure. */
function nextCaller<Key>(callers: readonly Key[], served: ReadonlyMap<Key, number>): Key | undefined {
  const turn = (caller: Key) => served.get(caller) ?? 0
  return callers.reduce<Key | undefined>(
    (first, caller) => (first === undefined || turn(caller) < turn(first) ? caller : first),
    undefined,
  )
}

/** The feed, at rest until `start`. */
export class BulkFeed {
  readonly #deps: HandOverDeps
  readonly #stopping = new AbortController()
  readonly #preparing = new Map<string, Promise<void>>()
  readonly #served = new Map<string, number>()
  #last = Promise.resolve()
  #turns = 0
  #isStarted = false
  #isResting = false

  constructor(deps: HandOverDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#isStarted = true
  }

  /** Hands over songs while there is room. Never throws. */
  feed(): void {
    try {
      while (this.#hasRoom()) {
        const song = this.#next()
        if (!song) return
        this.#begin(song)
      }
    } catch (cause) {
      this.#deps.log.warn('songs of a manifest wait for the database', { cause })
      this.#rest()
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'))
    await Promise.all(this.#preparing.values())
  }

  #hasRoom(): boolean {
    const { unfinished, workers } = this.#deps
    if (!this.#isStarted || this.#isResting || this.#stopping.signal.aborted) return false
    if (this.#preparing.size >= PREPARED_AT_ONCE) return false
    return unfinished() + this.#preparing.size < JOBS_PER_WORKER * workers()
  }

  /** Returns the next unprepared song, of the caller served longest ago. */
  #next(): SongRecord | undefined {
    const { store } = this.#deps
    const found = store.runningCallers().flatMap((keyId) => {
      const song = store.nextOf(keyId, PREPARED_AT_ONCE + 1).find((one) => !this.#preparing.has(nameOf(one)))
      return song ? [{ caller: keyId ?? '', song }] : []
    })
    const caller = nextCaller(
      found.map((one) => one.caller),
      this.#served,
    )
    if (caller === undefined) return undefined
    this.#served.set(caller, ++this.#turns)
    return found.find((one) => one.caller === caller)?.song
  }

  #begin(song: SongRecord): void {
    const name = nameOf(song)
    const handed = this.#handOver(song, this.#last)
      .catch((cause: unknown) => this.#refuse(song, cause))
      .finally(() => {
        this.#preparing.delete(name)
        this.feed()
      })
    this.#preparing.set(name, handed)
    this.#last = handed
  }

  /** Prepares a song while the previous one is still being prepared, and hands them over in order. */
  async #handOver({ batchId, place, line }: SongRecord, before: Promise<void>): Promise<void> {
    const { store, submit, isStemSet } = this.#deps
    const { source_id: sourceId } = line
    const accept = line.accept ?? store.find(batchId)?.head.accept
    await withSong(this.#deps, line, { signal: this.#stopping.signal, accept }, async ({ sourcePath, ...song }) => {
      await before
      // It may have been paused or cancelled while its file was inspected.
      const manifest = store.find(batchId)
      if (manifest?.state !== 'running' || store.song(batchId, place)?.state !== 'waiting') return
      submit({
        caller: manifest.keyId === null ? { via: 'session' } : { via: 'key', keyId: manifest.keyId },
        request: requestOf(manifest.head, line, () => {}),
        song,
        ...(sourceId !== undefined && isStemSet(sourceId) ? { sourceId } : {}),
        ...(sourcePath === undefined ? {} : { sourcePath }),
        batchId,
        isBulk: true,
        alongside: (jobId) => store.queue(batchId, place, jobId),
      })
    })
  }

  #refuse(song: SongRecord, cause: unknown): void {
    const { log, onRefused, onPause } = this.#deps
    if (this.#stopping.signal.aborted) return
    const error = toAppError(cause)
    const isFault = databaseFault(cause) === 'busy'
    const refusal = isFault ? ({ kind: 'later' } as const) : planRefusal(error.code)
    if (error.code === 'INTERNAL_ERROR') log.error('a song of a manifest could not be handed over', { cause })
    try {
      if (refusal.kind === 'song') onRefused(song, { code: error.code, values: error.values })
      else if (refusal.kind === 'pause') onPause(song.batchId, refusal.reason)
      else this.#rest()
    } catch (failure) {
      log.warn('the refusal of a song could not be written', { cause: failure })
      this.#rest()
    }
  }

  /** Tries again after a while. */
  #rest(): void {
    if (this.#isResting) return
    this.#isResting = true
    this.#deps.clock.after(RETRY_MS, () => {
      this.#isResting = false
      this.feed()
    })
  }
}

const nameOf = ({ batchId, place }: SongRecord) => `${batchId} ${place}`
