/** The free look at each song of the desk, one after another: how far it is, and why it failed. What it finds is the desk's. */
import { createStore } from 'zustand/vanilla'
import type { LiveEvent } from '../../src-server/contract/events.ts'
import type { Analysis } from '../../src-server/contract/jobs.ts'
import type { AiService } from '../../src-server/contract/platforms.ts'
import { ApiError, type Client } from '../api/client.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'

/** A look under way. */
export interface Look {
  readonly stage: 'decoding' | 'analysing'
  /** 0 to 100, only ever more. */
  readonly percent: number
}

export interface LooksState {
  readonly looks: Readonly<Record<string, Look>>
  readonly errors: Readonly<Record<string, Refusal>>
}

export interface LooksOptions {
  readonly client: Client
  /** The next song to look at, in the order shown; `failed` ones are not asked for again. */
  readonly nextSong: (
    failed: Readonly<Record<string, unknown>>,
  ) => { sourceId: string; aiService: AiService } | undefined
  readonly onFound: (sourceId: string, analysis: Analysis) => void
}

const RETRY_MS = 1500

const without = <Value>(all: Readonly<Record<string, Value>>, id: string) => {
  const { [id]: _gone, ...rest } = all
  return rest
}

/** Makes the store of looks with its actions. */
export function createLooks({ client, nextSong, onFound }: LooksOptions) {
  const store = createStore<LooksState>(() => ({ looks: {}, errors: {} }))
  const { getState, setState } = store
  let isLooking = false

  async function look(sourceId: string, aiService: AiService): Promise<void> {
    setState(({ looks }) => ({ looks: { ...looks, [sourceId]: { stage: 'decoding', percent: 0 } } }))
    try {
      const fields = { source_id: sourceId, ai_service: aiService }
      onFound(sourceId, await client.call('analyze', { fields }))
    } finally {
      setState(({ looks }) => ({ looks: without(looks, sourceId) }))
    }
  }

  return {
    store,
    /** Looks at what nobody has looked at yet. Never throws; a song that cannot be looked at is in `errors`. */
    async run(): Promise<void> {
      if (isLooking) return
      isLooking = true
      for (;;) {
        const next = nextSong(getState().errors)
        if (!next) break
        try {
          await look(next.sourceId, next.aiService)
        } catch (error) {
          const code = error instanceof ApiError ? error.code : undefined
          if (isNotReached(code)) break
          if (code === 'CONCURRENT_LIMIT' || code === 'UNAVAILABLE')
            await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
          else setState(({ errors }) => ({ errors: { ...errors, [next.sourceId]: refusalOf(error) } }))
        }
      }
      isLooking = false
    },
    /** Forgets why a look failed, so that the next `run` tries it again. */
    forgetError: (sourceId: string) => setState(({ errors }) => ({ errors: without(errors, sourceId) })),
    /** Applies a live event: how far a look is. News of a song that this page does not look at is passed over. */
    apply({ event, source_id: sourceId = '', stage, progress = 0 }: LiveEvent) {
      const known = getState().looks[sourceId]
      if (event !== 'source.progress' || !known) return
      const percent = Math.max(known.percent, progress)
      const next: Look = { stage: stage === 'analysing' ? 'analysing' : known.stage, percent }
      setState(({ looks }) => ({ looks: { ...looks, [sourceId]: next } }))
    },
  }
}
