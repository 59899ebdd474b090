/** Store of a visit to the Listen screen: the listener's choices, and the player that plays by them. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Client } from '../../src-contract/client.ts'
import type { CopyCodec } from '../../src-contract/codecs.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import type { AbxAnswer } from '../player/abx.ts'
import { DIFFERENCE_LEVEL, type LevelMode } from '../player/levels.ts'
import type { PlaybackReport } from '../player/playback-engine.ts'
import type { createPlayer, Player, VersionFile } from '../player/player.ts'
import { CopyLoader } from './copy-loader.ts'
import type { SongVersion } from './listen-versions.ts'
import { openPatiently } from './patient-open.ts'
import {
  canAnswer,
  firstState,
  gainsOf,
  HEARD_SECONDS,
  heardDifference,
  heardTrack,
  type LoopRange,
  loadOrder,
  loopBetween,
  loopFrom,
  loopUntil,
  type PlayerState,
  SIDES,
  type Side,
  withOther,
  withVersion,
} from './player-state.ts'

export interface PlayerStoreDeps {
  readonly client: Client
  readonly createPlayer: typeof createPlayer
  readonly versions: readonly SongVersion[]
  readonly durationSeconds: number
  readonly rateHz: number
  /** A fair coin for the blind test. */
  readonly tossCoin: () => boolean
}

/** The store of one visit with its actions; `start` begins to load. What buttons call directly is a function of its own. */
export class PlayerStore {
  readonly store: StoreApi<PlayerState>
  readonly #deps: PlayerStoreDeps
  readonly #fileOf: (version: SongVersion) => VersionFile
  readonly #copies: CopyLoader
  readonly #reports = new Set<(report: PlaybackReport) => void>()
  /** The version that is chosen at first. */
  readonly #firstVersion: string
  /** Time for which each side of the blind test has sounded, s. */
  readonly #sounded = { a: 0, b: 0, x: 0 }
  /** Frame of the last report. */
  #lastFrame = 0
  #player: Player | null = null
  #isClosed = false

  constructor(deps: PlayerStoreDeps) {
    this.#deps = deps
    this.store = createStore<PlayerState>(() => firstState(deps.versions, deps.durationSeconds))
    this.#firstVersion = this.#state.version
    this.#fileOf = createFileReader(deps.client, () => this.#isClosed)
    this.#copies = new CopyLoader({
      client: deps.client,
      player: () => this.#player,
      copies: () => this.#state.copies,
      onChange: (copies) => this.#change({ copies }),
    })
  }

  /** Starts the sound and loads the versions: masters first, then versions that are aligned with them. Never throws. */
  async start(): Promise<void> {
    const { rateHz, durationSeconds, versions } = this.#deps
    try {
      const created = await this.#deps.createPlayer({
        rateHz,
        durationSeconds,
        onReport: (report) => this.#applyReport(report),
        onReady: (track) => (this.#isVersion(track) ? this.#setReadiness(track, 'ready') : this.#copies.onReady(track)),
        onFailure: (track, error) =>
          this.#isVersion(track) ? this.#setReadiness(track, 'failed') : this.#copies.onFailure(track, error),
      })
      if (this.#isClosed) return created.close()
      this.#player = created
      // Choices that were made while the sound was being started.
      this.#sound()
      this.#applyLoop()
      if (this.#state.isPlaying) created.play()
      await created.load(loadOrder(versions, this.#state.version).map(this.#fileOf))
    } catch {
      this.store.setState({ hasFailed: true, isPlaying: false })
    }
  }

  readonly close = (): void => {
    this.#isClosed = true
    this.#reports.clear()
    this.#copies.close()
    this.#player?.close()
    this.#player = null
  }

  /** Calls back with every report of the playback engine; returns the function that ends it. */
  onReport(listener: (report: PlaybackReport) => void): () => void {
    this.#reports.add(listener)
    return () => this.#reports.delete(listener)
  }

  /** Returns the place of the playhead, s. */
  position(): number {
    return Math.min(this.#deps.durationSeconds, this.#player?.position() ?? 0)
  }

  spectrum() {
    return this.#player?.spectrum() ?? null
  }

  /** Returns the track of a version; undefined before it is opened and after it failed. */
  trackOf(version: string) {
    return this.#player?.trackOf(version)
  }

  seek(seconds: number, restartsIntegrated = false): void {
    this.#player?.seek(Math.max(0, Math.min(this.#deps.durationSeconds, seconds)), restartsIntegrated)
  }

  nudge(seconds: number, restartsIntegrated = false): void {
    this.seek(this.position() + seconds, restartsIntegrated)
  }

  readonly toggle = (): void => {
    if (this.#state.isPlaying) {
      this.#pause()
      return
    }
    if (this.#state.hasFailed || !this.#canSound()) return
    this.store.setState({ isPlaying: true, isWaiting: true })
    this.#player?.play()
  }

  readonly choose = (id: string): void => {
    const next = withVersion(this.#state, id)
    if (next) this.#change(next)
  }

  /** Changes between the original and the version heard last. */
  swap(): void {
    const { version, lastHeard } = this.#state
    this.choose(version === 'source' ? lastHeard : 'source')
  }

  /** Hears a master as a codec leaves it, with null as uploaded; what was heard before is heard until the copy is there. */
  hearCopy(id: string, codec: CopyCodec | null): void {
    const version = this.#state.versions.find((one) => one.id === id)
    if (!version?.platform || !withVersion(this.#state, id)) return
    this.choose(id)
    this.#copies.choose(version, codec)
  }

  /** Lets only what the codec, or the mastering, has changed be heard. */
  readonly holdDifference = (isDifference: boolean): void => {
    if (this.#state.isDifference !== isDifference) this.#change({ isDifference })
  }

  setLevelMode(levelMode: LevelMode): void {
    this.#change({ levelMode })
  }

  /** Imitates a service; null follows the version that is heard. */
  chooseService(service: Platform | null): void {
    this.#change({ service, levelMode: 'service' })
  }

  setVolume(volume: number): void {
    this.#change({ volume, isMuted: false })
  }

  readonly toggleMute = (): void => this.#change({ isMuted: !this.#state.isMuted })

  markLoopStart(): void {
    const { loop, durationSeconds } = this.#state
    this.#changeLoop({ loop: loopFrom(loop, this.position(), durationSeconds) })
  }

  markLoopEnd(): void {
    const { loop, durationSeconds } = this.#state
    this.#changeLoop({ loop: loopUntil(loop, this.position(), durationSeconds) })
  }

  setLoop({ startSeconds, endSeconds }: LoopRange): void {
    const loop = loopBetween(startSeconds, endSeconds, this.#state.durationSeconds)
    this.#changeLoop({ loop, isLooping: true })
  }

  readonly toggleLoop = (): void => {
    const { loop, isLooping, durationSeconds } = this.#state
    this.#changeLoop({ isLooping: !isLooping, loop: loop ?? loopFrom(null, this.position(), durationSeconds) })
  }

  /** Puts a master of another job into the switch, or takes it out, and plays it. */
  async bring(other: SongVersion | null): Promise<void> {
    const { versions, version } = this.#state
    if (version === 'other' && !other) this.#change({ version: 'source' })
    if (versions.some((one) => one.kind === 'other')) {
      this.#copies.forget('other')
      this.#player?.drop('other')
    }
    this.store.setState(withOther(this.#state, other, this.#firstVersion))
    if (!other) {
      this.#sound()
      return
    }
    await this.#player?.load([this.#fileOf(other)])
    const now = this.#state
    if (!now.versions.includes(other)) return
    if (now.readiness.other === 'ready') this.#change({ version: 'other', lastHeard: 'other', lastMaster: 'other' })
    else if (now.version === 'other') this.#change({ version: now.lastMaster })
  }

  startBlindTest(a: string, b: string): void {
    for (const side of SIDES) this.#sounded[side] = 0
    this.#change({ blindTest: { a, b, truth: this.#truth(), heard: 'x', known: [], trials: [], isOver: false } })
  }

  hear(heard: Side): void {
    const { blindTest } = this.#state
    if (blindTest && !blindTest.isOver) this.#change({ blindTest: { ...blindTest, heard } })
  }

  /** Takes an answer once A, B and X were heard. */
  answer(answer: AbxAnswer): void {
    const { blindTest } = this.#state
    if (!blindTest || blindTest.isOver || !canAnswer(blindTest)) return
    const trials = [...blindTest.trials, { truth: blindTest.truth, answer }]
    this.#sounded.x = 0
    this.#change({ blindTest: { ...blindTest, trials, truth: this.#truth(), heard: 'x', known: ['a', 'b'] } })
  }

  /** Ends the trials and shows their score. */
  readonly finishBlindTest = (): void => {
    const { blindTest } = this.#state
    if (blindTest) this.#change({ blindTest: { ...blindTest, isOver: true } })
  }

  leaveBlindTest(): void {
    this.#change({ blindTest: null })
  }

  get #state(): PlayerState {
    return this.store.getState()
  }

  #change(next: Partial<PlayerState>): void {
    this.store.setState(next)
    this.#sound()
  }

  /** Tells the player which version is to sound now, and at what level. */
  #sound(): void {
    const state = this.#state
    const mode = heardDifference(state) ? DIFFERENCE_LEVEL : state.levelMode
    const gains = Object.entries(gainsOf(state, mode)).map(([id, db]) => [id, dbToGain(db)])
    this.#player?.setLevels(Object.fromEntries(gains))
    this.#player?.choose(heardTrack(state))
    this.#player?.setDifference(heardDifference(state))
    const { volume, isMuted } = state
    this.#player?.setVolume(isMuted ? 0 : (volume / 100) ** 2)
  }

  #isVersion(track: string): boolean {
    return this.#state.versions.some(({ id }) => id === track)
  }

  #canSound(): boolean {
    return Object.values(this.#state.readiness).some((one) => one !== 'failed')
  }

  #pause(): void {
    this.store.setState({ isPlaying: false, isWaiting: false })
    this.#player?.pause()
  }

  #setReadiness(id: string, readiness: 'ready' | 'failed'): void {
    this.store.setState((state) => ({ readiness: { ...state.readiness, [id]: readiness } }))
    this.#sound()
    if (readiness === 'failed' && this.#state.isPlaying && !this.#canSound()) this.#pause()
  }

  #applyReport(report: PlaybackReport): void {
    const { isPlaying, isWaiting } = this.#state
    if (isPlaying !== report.isPlaying || isWaiting !== report.isWaiting) {
      this.store.setState({ isWaiting: report.isWaiting, isPlaying: report.isPlaying })
    }
    this.#countHeard(report)
    this.#copies.onReport(report, heardTrack(this.#state))
    for (const listener of this.#reports) listener(report)
  }

  #changeLoop(change: Partial<Pick<PlayerState, 'loop' | 'isLooping'>>): void {
    this.store.setState(change)
    this.#applyLoop()
  }

  #applyLoop(): void {
    const { loop, isLooping } = this.#state
    this.#player?.setLoop(isLooping ? loop : null)
    if (!isLooping || !loop) return
    const now = this.position()
    if (now < loop.startSeconds || now >= loop.endSeconds) this.seek(loop.startSeconds, true)
  }

  /** Returns the side that is X in the next trial. */
  #truth(): 'a' | 'b' {
    return this.#deps.tossCoin() ? 'a' : 'b'
  }

  /** Counts the time between two reports for a side of the blind test. */
  #countHeard({ frame, isPlaying, isWaiting, version }: PlaybackReport): void {
    const seconds = (frame - this.#lastFrame) / this.#deps.rateHz
    this.#lastFrame = frame
    const { blindTest } = this.#state
    if (!blindTest || blindTest.isOver || !isPlaying || isWaiting || version !== heardTrack(this.#state)) return
    // A seek is no listening.
    if (seconds <= 0 || seconds > HEARD_SECONDS / 2) return
    const { heard, known } = blindTest
    this.#sounded[heard] += seconds
    if (this.#sounded[heard] >= HEARD_SECONDS && !known.includes(heard))
      this.store.setState({ blindTest: { ...blindTest, known: [...known, heard] } })
  }
}

/** Creates the reader of a version's file. */
function createFileReader(client: Client, isClosed: () => boolean): (version: SongVersion) => VersionFile {
  return ({ id, kind, jobId, file, startSeconds = 0 }) => ({
    version: id,
    startSeconds,
    isSameSong: kind !== 'reference',
    open: openPatiently(
      (headers) => client.open('readJobFile', { params: { job_id: jobId, file }, headers }),
      isClosed,
    ),
  })
}
