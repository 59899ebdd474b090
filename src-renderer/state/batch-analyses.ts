/** The free look at each song of the batch, one after another: how far it is, and why it failed. What it finds is the batch's. */
import { createStore } from 'zustand/vanilla'
import type { Batch, BatchSong } from '../../src-contract/app.ts'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import type { Analysis } from '../../src-contract/jobs.ts'
import type { AiService } from '../../src-contract/platforms.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'
import { isTooShort, type Look } from './song-rows.ts'

export interface LooksState {
  readonly looks: Readonly<Record<string, Look>>
  readonly errors: Readonly<Record<string, Refusal>>
}

export interface LooksOptions {
  readonly client: Client
  /** The batch, and ids of its rows in the order shown, in which its songs are looked at. */
  readonly shown: () => { readonly batch: Batch | null; readonly order: readonly string[] }
  readonly onFound: (sourceId: string, analysis: Analysis) => void
  /** Runs what only one page of a browser may do at a time, once the others have done it; `hasWaited` where one was at it. */
  readonly alone: (run: (hasWaited: boolean) => Promise<void>) => Promise<void>
  /** Reads the batch again. */
  readonly read: () => Promise<void>
}

/** Lets pages that share a browser look at songs in turn: the service takes one look at a time. */
export async function inTurnOfPages(run: (hasWaited: boolean) => Promise<void>): Promise<void> {
  const { locks } = globalThis.navigator ?? {}
  if (!locks) return run(false)
  const hasRun = await locks.request('loudsmith.looks', { ifAvailable: true }, async (lock) => {
    if (lock) await run(false)
    return lock !== null
  })
  if (!hasRun) await locks.request('loudsmith.looks', () => run(true))
}

const RETRY_MS = 1500

const without = <Value>(all: Readonly<Record<string, Value>>, id: string) => {
  const { [id]: _gone, ...rest } = all
  return rest
}

/** Makes the store of looks with its actions. */
export function createLooks({ client, shown, onFound, alone, read }: LooksOptions) {
  const store = createStore<LooksState>(() => ({ looks: {}, errors: {} }))
  const { getState, setState } = store
  let isLooking = false

  /** The next song that nobody has looked at; one that cannot be looked at is not tried again. */
  function nextSong(): BatchSong | undefined {
    const { batch, order } = shown()
    const { errors } = getState()
    const isPending = (song: BatchSong) =>
      !song.analysis && !errors[song.source.source_id] && song.state !== 'refused' && !isTooShort(song)
    const pending = new Map(batch?.songs.filter(isPending).map((song) => [song.source.source_id, song]))
    return order.map((id) => pending.get(id)).find((song) => song !== undefined)
  }

  async function look(sourceId: string, aiService: AiService): Promise<void> {
    setState(({ looks }) => ({ looks: { ...looks, [sourceId]: { stage: 'decoding', percent: 0 } } }))
    try {
      const fields = { source_id: sourceId, ai_service: aiService }
      onFound(sourceId, await client.call('analyze', { fields }))
    } finally {
      setState(({ looks }) => ({ looks: without(looks, sourceId) }))
    }
  }

  async function lookAtAll(): Promise<void> {
    for (;;) {
      const next = nextSong()
      const aiService = (next?.settings ?? shown().batch?.settings)?.ai_service
      if (!next || !aiService) break
      const sourceId = next.source.source_id
      try {
        await look(sourceId, aiService)
      } catch (error) {
        const code = error instanceof ApiError ? error.code : undefined
        if (isNotReached(code)) break
        if (code === 'CONCURRENT_LIMIT' || code === 'UNAVAILABLE')
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        else setState(({ errors }) => ({ errors: { ...errors, [sourceId]: refusalOf(error) } }))
      }
    }
  }

  /** Forgets how far looks of other pages were that have found something. */
  function forgetFound() {
    const { looks } = getState()
    const open = new Set(shown().batch?.songs.flatMap((song) => (song.analysis ? [] : [song.source.source_id])))
    const found = Object.keys(looks).filter((id) => !open.has(id))
    if (found.length > 0) setState({ looks: found.reduce(without, looks) })
  }

  return {
    store,
    /** Looks at what nobody has looked at yet. Never throws; a song that cannot be looked at is in `errors`. */
    async run(): Promise<void> {
      forgetFound()
      if (isLooking || !nextSong()) return
      isLooking = true
      await alone(async (hasWaited) => {
        // What the other page found is not known here yet.
        if (hasWaited) await read().catch(() => undefined)
        await lookAtAll()
      })
      isLooking = false
    },
    /** Forgets why a look failed, so that the next `run` tries it again. */
    forgetError: (sourceId: string) => setState(({ errors }) => ({ errors: without(errors, sourceId) })),
    /** Applies a live event: how far a look is, that of another page as well. */
    apply({ event, source_id: sourceId = '', stage, progress = 0 }: LiveEvent) {
      if (event !== 'source.progress') return
      const song = shown().batch?.songs.find((one) => one.source.source_id === sourceId)
      if (!song || song.analysis) return
      const known = getState().looks[sourceId]
      const percent = Math.max(known?.percent ?? 0, progress)
      const next: Look = { stage: stage === 'analysing' ? 'analysing' : (known?.stage ?? 'decoding'), percent }
      setState(({ looks }) => ({ looks: { ...looks, [sourceId]: next } }))
    },
  }
}
