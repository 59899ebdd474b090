/** Free analysis of each song of the batch, one after another: its progress and its failure. The result goes to the batch. */
import { createStore } from 'zustand/vanilla'
import type { Batch, BatchSong } from '../../src-contract/app.ts'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import type { Analysis } from '../../src-contract/jobs.ts'
import type { AiService } from '../../src-contract/settings.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'
import { type AnalysisProgress, isTooShort } from './song-rows.ts'

export interface AnalysesState {
  readonly analysing: Readonly<Record<string, AnalysisProgress>>
  readonly errors: Readonly<Record<string, Refusal>>
}

export interface AnalysesDeps {
  readonly client: Client
  /** The batch, and ids of its rows in the order shown, in which its songs are analysed. */
  readonly shown: () => { readonly batch: Batch | null; readonly order: readonly string[] }
  readonly onFound: (sourceId: string, analysis: Analysis) => void
  /** Runs what only one page of a browser may do at a time, once the others have done it; `hasWaited` where one was at it. */
  readonly alone: (run: (hasWaited: boolean) => Promise<void>) => Promise<void>
  /** Reads the batch again. */
  readonly read: () => Promise<void>
}

/** Lets pages that share a browser analyse songs in turn: the service takes one analysis at a time. */
export async function inTurnOfPages(run: (hasWaited: boolean) => Promise<void>): Promise<void> {
  const { locks } = globalThis.navigator ?? {}
  if (!locks) return run(false)
  const hasRun = await locks.request('loudsmith.analysing', { ifAvailable: true }, async (lock) => {
    if (lock) await run(false)
    return lock !== null
  })
  if (!hasRun) await locks.request('loudsmith.analysing', () => run(true))
}

const RETRY_MS = 1500

const without = <Value>(all: Readonly<Record<string, Value>>, id: string) => {
  const { [id]: _gone, ...rest } = all
  return rest
}

/** Creates the store of running analyses with its actions. */
export function createAnalyses({ client, shown, onFound, alone, read }: AnalysesDeps) {
  const store = createStore<AnalysesState>(() => ({ analysing: {}, errors: {} }))
  const { getState, setState } = store
  let isRunning = false

  /** Returns the next song without an analysis; a song whose analysis failed is not tried again. */
  function nextSong(): BatchSong | undefined {
    const { batch, order } = shown()
    const { errors } = getState()
    const isPending = (song: BatchSong) =>
      !song.analysis && !errors[song.source.source_id] && song.state !== 'refused' && !isTooShort(song)
    const pending = new Map(batch?.songs.filter(isPending).map((song) => [song.source.source_id, song]))
    return order.map((id) => pending.get(id)).find((song) => song !== undefined)
  }

  async function analyse(sourceId: string, aiService: AiService): Promise<void> {
    setState(({ analysing }) => ({ analysing: { ...analysing, [sourceId]: { stage: 'decoding', percent: 0 } } }))
    try {
      const fields = { source_id: sourceId, ai_service: aiService }
      onFound(sourceId, await client.call('analyze', { fields }))
    } finally {
      setState(({ analysing }) => ({ analysing: without(analysing, sourceId) }))
    }
  }

  async function analyseAll(): Promise<void> {
    for (;;) {
      const next = nextSong()
      const aiService = (next?.settings ?? shown().batch?.settings)?.ai_service
      if (!next || !aiService) break
      const sourceId = next.source.source_id
      try {
        await analyse(sourceId, aiService)
      } catch (error) {
        const code = error instanceof ApiError ? error.code : undefined
        if (isNotReached(code)) break
        if (code === 'CONCURRENT_LIMIT' || code === 'UNAVAILABLE')
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        else setState(({ errors }) => ({ errors: { ...errors, [sourceId]: refusalOf(error) } }))
      }
    }
  }

  /** Forgets the progress of analyses of other pages that have ended. */
  function forgetFound() {
    const { analysing } = getState()
    const open = new Set(shown().batch?.songs.flatMap((song) => (song.analysis ? [] : [song.source.source_id])))
    const found = Object.keys(analysing).filter((id) => !open.has(id))
    if (found.length > 0) setState({ analysing: found.reduce(without, analysing) })
  }

  return {
    store,
    /** Analyses the songs that have no analysis yet. Never throws; a song whose analysis failed is in `errors`. */
    async run(): Promise<void> {
      forgetFound()
      if (isRunning || !nextSong()) return
      isRunning = true
      await alone(async (hasWaited) => {
        // The results of the other page are not known here yet.
        if (hasWaited) await read().catch(() => undefined)
        await analyseAll()
      })
      isRunning = false
    },
    /** Forgets the failure of an analysis, so that the next `run` tries it again. */
    forgetError: (sourceId: string) => setState(({ errors }) => ({ errors: without(errors, sourceId) })),
    /** Applies a live event: the progress of an analysis, of another page as well. */
    apply({ event, source_id: sourceId = '', stage, progress = 0 }: LiveEvent) {
      if (event !== 'source.progress') return
      const song = shown().batch?.songs.find((one) => one.source.source_id === sourceId)
      if (!song || song.analysis) return
      const known = getState().analysing[sourceId]
      const percent = Math.max(known?.percent ?? 0, progress)
      const next: AnalysisProgress = {
        stage: stage === 'analysing' ? 'analysing' : (known?.stage ?? 'decoding'),
        percent,
      }
      setState(({ analysing }) => ({ analysing: { ...analysing, [sourceId]: next } }))
    },
  }
}
