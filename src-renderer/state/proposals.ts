/** Settings proposed for a song, by its analysis or by words: they can be heard before they are its own, and only the user uses them. */
import { createStore } from 'zustand/vanilla'
import type { BatchSong } from '../../src-contract/app.ts'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import type { Suggestion } from '../../src-contract/suggestion.ts'
import type { Playback } from '../playback/playback.ts'
import type { PlaybackItem } from '../playback/state.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { isSameSetting } from './scope.ts'

export type ProposedSettings = Readonly<Partial<MasterSettings>>

interface HeardProposal {
  readonly sourceId: string
  readonly settings: ProposedSettings
  /** The song's own settings at that time: a change of them stops the proposal. */
  readonly own: string
}

/** A suggestion with the price of loudness. */
export type PricedSuggestion =
  | { readonly state: 'asking' }
  | { readonly state: 'found'; readonly suggestion: Suggestion }
  | { readonly state: 'failed'; readonly refusal: Refusal }

export interface ProposalsState {
  /** The proposal that is heard instead of a song's own settings; null without one. */
  readonly heard: HeardProposal | null
  /** Suggestions with a requested price of loudness, by song. */
  readonly priced: Readonly<Record<string, PricedSuggestion>>
}

export interface ProposalsDeps {
  readonly client: Pick<Client, 'call'>
  readonly playback: Pick<Playback, 'load' | 'choose' | 'play'>
}

/** Delay before retrying while the service analyses something else, ms. */
const RETRY_MS = 1500

/** Returns the proposed settings that a song does not have. Pure. */
export function openSettings(proposed: ProposedSettings, own: MasterSettings): ProposedSettings {
  const names = (Object.keys(proposed) as (keyof MasterSettings)[]).filter(
    (name) => !isSameSetting({ ...own, ...proposed }, own, name),
  )
  return Object.fromEntries(names.map((name) => [name, proposed[name]]))
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The store of proposals with its actions. */
export class Proposals {
  readonly store = createStore<ProposalsState>(() => ({ heard: null, priced: {} }))
  readonly #deps: ProposalsDeps

  constructor(deps: ProposalsDeps) {
    this.#deps = deps
  }

  /** Returns whether these settings are heard for a song. */
  isHeard(sourceId: string, settings: ProposedSettings): boolean {
    const { heard } = this.store.getState()
    return heard?.sourceId === sourceId && isSame(heard.settings, settings)
  }

  /** Plays a song with proposed settings; a second time as it is set. */
  toggle(item: PlaybackItem, own: MasterSettings, settings: ProposedSettings): void {
    if (this.isHeard(item.id, settings)) {
      this.end()
      return
    }
    const { playback } = this.#deps
    playback.load(item)
    this.store.setState({ heard: { sourceId: item.id, settings, own: JSON.stringify(own) } })
    playback.choose('audition')
    playback.play()
  }

  readonly end = (): void => this.store.setState({ heard: null })

  /** Stops the proposal when another song is auditioned, or the song's own settings have changed. */
  follow(sourceId: string | undefined, own: MasterSettings | undefined): void {
    const { heard } = this.store.getState()
    if (heard && (heard.sourceId !== sourceId || heard.own !== JSON.stringify(own))) this.end()
  }

  /** Returns the settings with which a song is auditioned: its own, or what is heard instead. */
  auditioned(sourceId: string, own: MasterSettings): MasterSettings {
    const { heard } = this.store.getState()
    return heard?.sourceId === sourceId ? { ...own, ...heard.settings } : own
  }

  /** Requests the cost of loudness for a song. Never throws: a failure is kept. */
  async price(
    { source }: Pick<BatchSong, 'source'>,
    { ai_service }: Pick<MasterSettings, 'ai_service'>,
  ): Promise<void> {
    const { source_id } = source
    this.#setPriced(source_id, { state: 'asking' })
    for (;;) {
      try {
        const fields = { source_id, ai_service, price: true }
        const { suggestion } = await this.#deps.client.call('analyze', { fields })
        return this.#setPriced(source_id, suggestion && { state: 'found', suggestion })
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'CONCURRENT_LIMIT')
          return this.#setPriced(source_id, { state: 'failed', refusal: refusalOf(error) })
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  #setPriced(sourceId: string, priced: PricedSuggestion | undefined): void {
    const { [sourceId]: _before, ...others } = this.store.getState().priced
    this.store.setState({ priced: priced ? { ...others, [sourceId]: priced } : others })
  }
}

/** Returns the suggestion for a song, with the price of loudness where it is known; undefined before the song is analysed. Pure. */
export function suggestionOf(song: BatchSong | undefined, { priced }: ProposalsState): Suggestion | undefined {
  const known = song && priced[song.source.source_id]
  return known?.state === 'found' ? known.suggestion : song?.analysis?.suggestion
}
