/** Plan of the open release, requested again whenever one of its inputs changes. */
import { createStore } from 'zustand/vanilla'
import type { Client } from '../../src-contract/client.ts'
import type { ReleasePlan } from '../../src-contract/release-mastering.ts'
import type { Release, Track } from '../../src-contract/releases.ts'
import { soundKeyOf } from '../playback/release-item.ts'
import { type Refusal, refusalOf } from './refusal.ts'

export interface RecordPlanState {
  readonly plan: ReleasePlan | null
  /** Reason why there is no plan: a track without a song. */
  readonly failure: Refusal | null
  readonly isAsking: boolean
}

const FIRST: RecordPlanState = { plan: null, failure: null, isAsking: false }
/** Pause after a change before the plan is requested, ms. */
const SETTLE_MS = 400

/** Returns the members of a release that its plan depends on, as a key. Pure. */
function planKeyOf(release: Release): string {
  const { loudness_mode, coherence, level_generated, anchor_track_id, settings, mastering, tracks } = release
  const own = tracks.map((track) => track.settings)
  return JSON.stringify([
    soundKeyOf(release),
    loudness_mode,
    coherence,
    level_generated,
    anchor_track_id,
    settings,
    mastering.state,
    own,
  ])
}

const isSongless = ({ state }: Pick<Track, 'state'>) => state === 'no_song' || state === 'gone'

export class RecordPlan {
  readonly store = createStore<RecordPlanState>(() => FIRST)
  readonly #client: Pick<Client, 'call'>
  #key = ''
  #releaseId = ''
  #asking: AbortController | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Pick<Client, 'call'>) {
    this.#client = client
  }

  /** Requests the plan of a release as stored, unless it is known. */
  follow(release: Release): void {
    const key = planKeyOf(release)
    if (key === this.#key) return
    this.#key = key
    this.#releaseId = release.release_id
    this.#asking?.abort()
    clearTimeout(this.#timer)
    // The service would only report the same.
    if (release.tracks.length === 0 || release.tracks.some(isSongless)) {
      this.store.setState({ plan: null, failure: { code: 'RELEASE_NOT_READY' }, isAsking: false })
      return
    }
    this.store.setState({ isAsking: true })
    this.#timer = setTimeout(() => void this.#ask(release.release_id), SETTLE_MS)
  }

  /** Requests again if songs were still being measured. */
  again(): void {
    if (this.store.getState().plan?.is_complete !== false) return
    const key = this.#key
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => key === this.#key && void this.#ask(this.#releaseId), SETTLE_MS)
  }

  leave(): void {
    this.#key = ''
    this.#asking?.abort()
    clearTimeout(this.#timer)
    this.store.setState(FIRST)
  }

  async #ask(release_id: string): Promise<void> {
    const asking = new AbortController()
    this.#asking = asking
    try {
      const plan = await this.#client.call('planRelease', { params: { release_id }, signal: asking.signal })
      this.store.setState({ plan, failure: null, isAsking: false })
    } catch (error) {
      if (!asking.signal.aborted) this.store.setState({ plan: null, failure: refusalOf(error), isAsking: false })
    }
  }
}
