/** The free analysis of each song of the batch, one after another: progress and failures. The results go to the batch. */
import { createStore } from 'zustand/vanilla'
import type { Batch, BatchSong } from '../../src-contract/app.ts'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import type { Analysis } from '../../src-contract/jobs.ts'
import type { AiService } from '../../src-contract/settings.ts'
import { everySong } from './batch-merge.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'
import { type AnalysisProgress, isTooShort } from './song-rows.ts'

export interface AnalysesState {
  readonly analysing: Readonly<Record<string, AnalysisProgress>>
  readonly errors: Readonly<Record<string, Refusal>>
}

export interface AnalysesDeps {
  readonly client: Client
  /** The batch, and the ids of its rows in display order, which is the order of analysis. */
  readonly shown: () => { readonly batch: Batch | null; readonly order: readonly string[] }
  readonly onFound: (sourceId: string, analysis: Analysis) => void
  /**
   * Runs a task that only one page of a browser may run at a time, after the others; `hasWaited` says whether another
   * ran it meanwhile.
   */
  readonly alone: (run: (hasWaited: boolean) => Promise<void>) => Promise<void>
  /** Reloads the batch. */
  readonly read: () => Promise<void>
}

/** Makes the pages of a browser analyse songs in turn, as the service accepts one analysis at a time. */
export async function inTurnOfPages(run: (hasWaited: boolean) => Promise<void>): Promise<void> {
  const { locks } = globalThis.navigator ?? {}
  if (!locks) return run(false)
  const hasRun = await locks.request('loudsmith.analysing', { ifAvailable: true }, async (lock) => {
    if (lock) await run(false)
    return lock !== null
  })
  if (!hasRun) await locks.request('loudsmith.analysing', () => run(true))
}

/** Delay before retrying an analysis that the service could not accept, ms. */
const RETRY_MS = 1500

const without = <Value>(all: Readonly<Record<string, Value>>, id: string) => {
  const { [id]: _gone, ...rest } = all
  return rest
}

/** The store of running analyses with its actions. */
export class Analyses {
  readonly store = createStore<AnalysesState>(() => ({ analysing: {}, errors: {} }))
  readonly #deps: AnalysesDeps
  #isRunning = false

  constructor(deps: AnalysesDeps) {
    this.#deps = deps
  }

  /** Analyses the songs that have no analysis yet. Never throws; a song whose analysis failed is in `errors`. */
  async run(): Promise<void> {
    this.#forgetFound()
    if (this.#isRunning || !this.#nextSong()) return
    this.#isRunning = true
    await this.#deps.alone(async (hasWaited) => {
      // The results of the other page are not loaded here yet.
      if (hasWaited) await this.#deps.read().catch(() => undefined)
      await this.#analyseAll()
    })
    this.#isRunning = false
  }

  /** Forgets the failure of an analysis, so that the next `run` tries it again. */
  forgetError(sourceId: string): void {
    this.store.setState(({ errors }) => ({ errors: without(errors, sourceId) }))
  }

  /** Applies a live event: the progress of an analysis, of another page as well. */
  apply({ event, source_id: sourceId = '', stage, progress = 0 }: LiveEvent): void {
    if (event !== 'source.progress') return
    const song = everySong(this.#deps.shown().batch).find((one) => one.source.source_id === sourceId)
    if (!song || song.analysis) return
    const known = this.store.getState().analysing[sourceId]
    this.#showProgress(sourceId, {
      stage: stage === 'analysing' ? 'analysing' : (known?.stage ?? 'decoding'),
      percent: Math.max(known?.percent ?? 0, progress),
    })
  }

  #showProgress(sourceId: string, progress: AnalysisProgress): void {
    this.store.setState(({ analysing }) => ({ analysing: { ...analysing, [sourceId]: progress } }))
  }

  /** Returns the next song without an analysis; a song whose analysis failed is not tried again. */
  #nextSong(): BatchSong | undefined {
    const { batch, order } = this.#deps.shown()
    const { errors } = this.store.getState()
    const isPending = (song: BatchSong) =>
      !song.analysis && !errors[song.source.source_id] && song.state !== 'refused' && !isTooShort(song)
    const pending = new Map(
      everySong(batch)
        .filter(isPending)
        .map((song) => [song.source.source_id, song]),
    )
    const first = order.find((id) => pending.has(id))
    return first === undefined ? pending.values().next().value : pending.get(first)
  }

  async #analyseAll(): Promise<void> {
    for (;;) {
      const next = this.#nextSong()
      const aiService = (next?.settings ?? this.#deps.shown().batch?.settings)?.ai_service
      if (!next || !aiService) break
      const sourceId = next.source.source_id
      try {
        await this.#analyse(sourceId, aiService)
      } catch (error) {
        const code = error instanceof ApiError ? error.code : undefined
        if (isNotReached(code)) break
        if (code === 'CONCURRENT_LIMIT' || code === 'UNAVAILABLE')
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        else this.store.setState(({ errors }) => ({ errors: { ...errors, [sourceId]: refusalOf(error) } }))
      }
    }
  }

  async #analyse(sourceId: string, aiService: AiService): Promise<void> {
    this.#showProgress(sourceId, { stage: 'decoding', percent: 0 })
    try {
      const fields = { source_id: sourceId, ai_service: aiService }
      this.#deps.onFound(sourceId, await this.#deps.client.call('analyze', { fields }))
    } finally {
      this.store.setState(({ analysing }) => ({ analysing: without(analysing, sourceId) }))
    }
  }

  /** Removes the progress of other pages' analyses that have ended. */
  #forgetFound(): void {
    const { analysing } = this.store.getState()
    const { batch } = this.#deps.shown()
    const open = new Set(everySong(batch).flatMap((song) => (song.analysis ? [] : [song.source.source_id])))
    const found = Object.keys(analysing).filter((id) => !open.has(id))
    if (found.length > 0) this.store.setState({ analysing: found.reduce(without, analysing) })
  }
}
