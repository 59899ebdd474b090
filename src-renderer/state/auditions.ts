/** The audition of one song: requested with every change of its sound, estimated at first, then exact, with figures to draw. */
import { createStore } from 'zustand/vanilla'
import type { Audition, AuditionPicture } from '../../src-contract/auditions.ts'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import { formTrack } from '../playback/forms.ts'
import type { PlaybackVersion, ResultFigures } from '../playback/state.ts'
import { plainLayout } from '../playback/wav.ts'
import { type Refusal, refusalOf } from './refusal.ts'

/** A song and the sound to audition. */
export interface AuditionWish {
  readonly sourceId: string
  readonly platform: Platform
  readonly settings: MasterSettings
}

export interface AuditionsState {
  /** The newest audition; null before the first. */
  readonly audition: Audition | null
  /** Measurements, spectra and curves of the newest audition that had them; null before. */
  readonly picture: AuditionPicture | null
  /** A newer sound has been requested. */
  readonly isAsking: boolean
  /** Reason why the sound cannot be auditioned. */
  readonly failure: Refusal | null
}

export interface AuditionsDeps {
  readonly client: Pick<Client, 'call'>
  /** Replaces the audition of a song by the next where that song is loaded. */
  readonly hear: (sourceId: string, version: PlaybackVersion) => Promise<void>
}

/** Number of retries of an audition whose process has ended. */
const MOST_ATTEMPTS = 3

const isSame = (a: AuditionWish | null, b: AuditionWish | null) => JSON.stringify(a) === JSON.stringify(b)

/** Returns the figures of an audition's master, as far as they are known. */
function figuresOf(audition: Audition, picture: AuditionPicture | null): ResultFigures {
  const reductions = picture?.master?.curves.gain_reduction_db ?? []
  return {
    integrated_lufs: audition.loudness_lufs,
    target_lufs: audition.target_lufs,
    ceiling_dbtp: audition.ceiling_dbtp,
    max_gain_reduction_db: Math.max(0, ...reductions.map((db) => Math.abs(db ?? 0))),
  }
}

const shifted = (levels: readonly (number | null)[], db: number, most = Number.POSITIVE_INFINITY) =>
  levels.map((level) => (level === null ? null : Math.min(most, level + db)))

/**
 * Returns an audition as the version that is drawn. Until the exact master is measured, its waveform and its loudness are those of the song
 * with the planned gain, below the ceiling.
 */
export function drawnAudition(audition: Audition, picture: AuditionPicture | null): PlaybackVersion {
  const own = picture?.audition_id === audition.audition_id ? picture : null
  const { master } = own ?? {}
  const source = (own ?? picture)?.source
  const { gain_db: gainDb, ceiling_dbtp: ceilingDbtp } = audition
  const estimate = source && {
    ...source.curves,
    peak_dbfs: shifted(source.curves.peak_dbfs, gainDb, ceilingDbtp),
    short_term_lufs: shifted(source.curves.short_term_lufs, gainDb),
    gain_reduction_db: [],
  }
  const curves = master?.curves ?? estimate
  return {
    ...versionOf(audition),
    result: figuresOf(audition, own),
    ...(curves ? { curves } : {}),
    ...(master ? { spectrum: master.spectrum } : {}),
  }
}

/** Returns an audition as a version, as far as it is known. */
export function versionOf(audition: Audition): PlaybackVersion & { readonly track: string } {
  const { audition_id, state, loudness_lufs, true_peak_dbtp, duration_seconds, sample_rate_hz, platform } = audition
  const isExact = state === 'exact'
  const layout = plainLayout(
    { sampleRateHz: sample_rate_hz, bitsPerSample: audition.bit_depth },
    Math.round(duration_seconds * sample_rate_hz),
  )
  return {
    id: 'audition',
    kind: 'audition',
    platform,
    source: { kind: 'audition', auditionId: audition_id, isExact, layout },
    track: formTrack('audition', `${audition_id} ${isExact ? 'exact' : 'estimate'}`),
    isExact,
    result: figuresOf(audition, null),
    startSeconds: audition.start_seconds ?? 0,
    level: { integratedLufs: loudness_lufs, truePeakDbtp: true_peak_dbtp ?? audition.ceiling_dbtp },
  }
}

/** The store of auditions with its actions. One request runs at a time; the newest requested sound is next. */
export class Auditions {
  readonly store = createStore<AuditionsState>(() => ({
    audition: null,
    picture: null,
    isAsking: false,
    failure: null,
  }))
  readonly #deps: AuditionsDeps
  #wish: AuditionWish | null = null
  #isRunning = false
  /** The audition that was played last. */
  #newest: Audition | null = null

  constructor(deps: AuditionsDeps) {
    this.#deps = deps
  }

  /** Requests a sound; null cancels. A request equal to the current one is ignored. Never throws. */
  want(wish: AuditionWish | null): void {
    if (isSame(this.#wish, wish)) return
    const isSameSong = this.#wish?.sourceId === wish?.sourceId
    this.#wish = wish
    if (!isSameSong) {
      this.#newest = null
      this.store.setState({ audition: null, picture: null, failure: null })
    }
    this.store.setState({ isAsking: wish !== null })
    if (!this.#isRunning) void this.#run()
  }

  /** Plays the newest audition where its song was loaded after it came. Never throws. */
  hearAgain(): void {
    if (this.#newest) void this.#hear(this.#newest)
  }

  /** Call when the server announces news of an audition. Never throws. */
  async hearOf(auditionId: string | undefined): Promise<void> {
    const isNewest = () => this.#newest?.audition_id === auditionId
    if (!auditionId || !isNewest()) return
    try {
      const audition = await this.#deps.client.call('readAudition', { params: { audition_id: auditionId } })
      if (isNewest()) await this.#show(audition)
    } catch (error) {
      if (isNewest()) this.store.setState({ failure: refusalOf(error) })
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let asked: AuditionWish | null = null; !isSame(asked, this.#wish); ) {
      asked = this.#wish
      if (asked) await this.#ask(asked)
    }
    this.#isRunning = false
    this.store.setState({ isAsking: false })
  }

  async #ask({ sourceId, platform, settings }: AuditionWish): Promise<void> {
    const isWanted = () => this.#wish?.sourceId === sourceId
    for (let attempt = 1; isWanted(); attempt++) {
      try {
        const body = { source_id: sourceId, platform, settings }
        const audition = await this.#deps.client.call('createAudition', { body })
        // Played even if a newer request has come since: the sound keeps up with the controls.
        if (isWanted()) await this.#show(audition)
        return
      } catch (error) {
        if (error instanceof ApiError && error.code === 'AUDITION_ENDED' && attempt < MOST_ATTEMPTS) continue
        if (isWanted()) this.store.setState({ failure: refusalOf(error) })
        return
      }
    }
  }

  async #show(audition: Audition): Promise<void> {
    this.#newest = audition
    // Loaded before it is shown: drawing its details takes longer than requesting its first samples.
    await this.#hear(audition)
    const failure = audition.error ? { code: audition.error.code } : null
    if (this.#newest !== audition) return
    this.store.setState({ audition, failure })
    await this.#readPicture(audition)
  }

  #hear(audition: Audition): Promise<void> {
    return this.#deps.hear(audition.source_id, versionOf(audition))
  }

  /** Reads the figures of an audition; without them the last ones stay. */
  async #readPicture({ audition_id }: Audition): Promise<void> {
    const picture = await this.#deps.client.call('readAuditionPicture', { params: { audition_id } }).catch(() => null)
    if (picture && this.#newest?.audition_id === audition_id) this.store.setState({ picture })
  }
}
