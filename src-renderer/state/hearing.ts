/** Playback on the Master screen: one song, as it came and as its sound is set. */
import { createStore } from 'zustand/vanilla'
import type { Client } from '../../src-contract/client.ts'
import { PLATFORMS, type Platform } from '../../src-contract/platforms/index.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import { DIFFERENCE_LEVEL, type LevelMode, levelGainsDb, type VersionLevel } from '../player/levels.ts'
import type { createPlayer, Player } from '../player/player.ts'
import type { WavLayout } from '../player/wav.ts'
import { PassingTracks } from './passing-tracks.ts'
import { openPatiently } from './patient-open.ts'

/** A stored song that can be heard. */
export interface HeardSong {
  readonly rowId: string
  readonly durationSeconds: number
  readonly rateHz: number
  readonly level: VersionLevel
}

/** A rendering of the song with its sound. */
export interface SoundVersion {
  /** Name for the player; another rendering has another. */
  readonly id: string
  readonly isExact: boolean
  /** Place in the song at which it begins, s. */
  readonly startSeconds: number
  readonly level: VersionLevel
  readonly layout: WavLayout
  readonly open: (headers: Record<string, string>) => Promise<Response>
}

export type Side = 'original' | 'sound'

export interface HearingState {
  readonly song: HeardSong | null
  readonly isPlaying: boolean
  /** Nothing sounds yet although it plays: something is read. */
  readonly isWaiting: boolean
  /** The song cannot be read, or this machine has no sound. */
  readonly hasFailed: boolean
  /** The listener's choice; without a rendering it is the original. */
  readonly side: Side
  readonly sound: SoundVersion | null
  readonly platform: Platform
  readonly levelMode: LevelMode
  /** Only what the sound takes away or adds is heard. */
  readonly isDifference: boolean
}

const ORIGINAL = 'original'
/** Time in which a rendering takes the place of another at the same position, ms. */
const SLIDE_MS = 30

const FIRST: HearingState = {
  song: null,
  isPlaying: false,
  isWaiting: false,
  hasFailed: false,
  side: 'original',
  sound: null,
  platform: PLATFORMS[0],
  levelMode: 'matched',
  isDifference: false,
}

/** Tells what sounds: the original as long as there is no rendering. Pure. */
export const heardSide = ({ side, sound }: Pick<HearingState, 'side' | 'sound'>): Side => (sound ? side : 'original')

/** Returns the gain of the original and of the sound in dB, for a choice of level. Pure. */
export function hearingGainsDb(
  { song, sound, platform }: Pick<HearingState, 'song' | 'sound' | 'platform'>,
  mode: LevelMode,
): Record<Side, number> {
  const unknown = { integratedLufs: null, truePeakDbtp: null }
  const original = song?.level ?? unknown
  // Alone it is as loud as it is.
  return levelGainsDb({ original, sound: sound?.level ?? original }, mode, platform)
}

export interface HearingDeps {
  readonly client: Client
  readonly createPlayer: typeof createPlayer
}

/** The store of what is heard, with its actions. Nothing is read before `toggle`. */
export class Hearing {
  readonly store = createStore<HearingState>(() => FIRST)
  readonly #deps: HearingDeps
  #player: Player | null = null
  /** Counts songs: what belongs to an earlier one is let go of. */
  #visit = 0
  /** Renderings on the player. */
  readonly #tracks = new PassingTracks()

  constructor(deps: HearingDeps) {
    this.#deps = deps
  }

  /** Plays a song from its start, or pauses and goes on where it is the one that is heard. */
  toggle(song: HeardSong): void {
    const state = this.store.getState()
    if (state.song?.rowId !== song.rowId || state.hasFailed) return void this.#start(song)
    if (state.isPlaying) this.pause()
    else {
      this.store.setState({ isPlaying: true, isWaiting: true })
      this.#player?.play()
    }
  }

  /** Plays a song from its start, or goes on where it is the one that is heard. */
  play(song: HeardSong): void {
    const state = this.store.getState()
    if (state.song?.rowId !== song.rowId || !state.isPlaying) this.toggle(song)
  }

  pause(): void {
    if (!this.store.getState().song) return
    this.#change({ isPlaying: false, isWaiting: false, isDifference: false })
    this.#player?.pause()
  }

  /** Position that is heard at this moment, in seconds of the song. */
  position = (): number => Math.min(this.store.getState().song?.durationSeconds ?? 0, this.#player?.position() ?? 0)

  seek(seconds: number): void {
    this.#player?.seek(Math.max(0, Math.min(this.store.getState().song?.durationSeconds ?? 0, seconds)))
  }

  nudge = (seconds: number): void => this.seek(this.position() + seconds)
  choose = (side: Side): void => this.#change({ side })
  /** Changes between the original and the sound. */
  swap = (): void => this.choose(this.store.getState().side === 'sound' ? 'original' : 'sound')
  setLevelMode = (levelMode: LevelMode): void => this.#change({ levelMode })
  setPlatform = (platform: Platform): void => this.#change({ platform })
  /** Lets only the difference be heard for as long as it is held. */
  readonly holdDifference = (isDifference: boolean): void => {
    if (this.store.getState().isDifference !== isDifference) this.#change({ isDifference })
  }

  /**
   * Puts a rendering in the place of the one before, at the same position; null takes it away. Resolves once it can be heard; one that
   * belongs to a song that is not heard any more is let go of.
   */
  async setSound(version: SoundVersion | null): Promise<void> {
    const own = this.#visit
    if (version && this.#player && !this.#tracks.has(version.id)) {
      this.#tracks.add(version.id)
      const { startSeconds, layout } = version
      await this.#player.load([{ ...this.#fileOf(version.id, version.open), startSeconds, layout }])
    }
    if (own !== this.#visit) return
    if (version) this.#tracks.settle(version.id)
    this.#change({ sound: version })
  }

  /** Lets go of the song. */
  leave(): void {
    this.#close()
    const { platform, levelMode } = this.store.getState()
    this.store.setState({ ...FIRST, platform, levelMode })
  }

  #fileOf(version: string, read: (headers: Record<string, string>) => Promise<Response>) {
    const own = this.#visit
    const open = openPatiently(read, () => own !== this.#visit)
    return { version, isSameSong: true, open }
  }

  /** Tells the player what is to sound, and at what level. */
  readonly #sound = (): void => {
    const state = this.store.getState()
    const gains = hearingGainsDb(state, state.isDifference ? DIFFERENCE_LEVEL : state.levelMode)
    const id = state.sound?.id
    const player = this.#player
    player?.setLevels({ [ORIGINAL]: dbToGain(gains.original), ...(id ? { [id]: dbToGain(gains.sound) } : {}) })
    player?.choose(heardSide(state) === 'sound' && id ? id : ORIGINAL, SLIDE_MS)
    player?.setDifference(state.isDifference && id ? { of: id, without: ORIGINAL } : null)
  }

  /** Lets go of renderings that a newer one has taken the place of: what is read for them would hold up the newer one. */
  #letGo(heard: string | null): void {
    const { sound, side } = this.store.getState()
    const isHeard = heard !== null && (heard === sound?.id || (heard === ORIGINAL && side === 'original'))
    for (const id of this.#tracks.faded(isHeard, (one) => one === sound?.id)) this.#player?.drop(id)
  }

  #change(next: Partial<HearingState>): void {
    this.store.setState(next)
    this.#sound()
  }

  #close(): void {
    this.#visit += 1
    this.#tracks.clear()
    this.#player?.close()
    this.#player = null
  }

  #fail(): void {
    this.store.setState({ hasFailed: true, isPlaying: false, isWaiting: false })
  }

  /** Opens a song; it plays as soon as something of it can be heard. */
  async #start(song: HeardSong): Promise<void> {
    this.#close()
    const own = this.#visit
    const { platform, levelMode } = this.store.getState()
    this.store.setState({ ...FIRST, platform, levelMode, song, isPlaying: true, isWaiting: true })
    const { client, createPlayer } = this.#deps
    try {
      const player = await createPlayer({
        rateHz: song.rateHz,
        durationSeconds: song.durationSeconds,
        onReport: ({ isPlaying, isWaiting, version }) => {
          const now = this.store.getState()
          this.#letGo(version)
          if (now.isPlaying !== isPlaying || now.isWaiting !== isWaiting) this.store.setState({ isPlaying, isWaiting })
        },
        onReady: this.#sound,
        onFailure: (version) => version === ORIGINAL && this.#fail(),
      })
      if (own !== this.#visit) return player.close()
      this.#player = player
      this.#sound()
      if (this.store.getState().isPlaying) player.play()
      await player.load([
        this.#fileOf(ORIGINAL, (headers) =>
          client.open('readSourceFile', { params: { source_id: song.rowId }, headers }),
        ),
      ])
    } catch {
      if (own === this.#visit) this.#fail()
    }
  }
}
