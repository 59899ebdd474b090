/** The playback: a single loaded item, whose versions share one playhead; one of them is audible. */
import { createStore } from 'zustand/vanilla'
import type { Client } from '../../src-contract/client.ts'
import { PLATFORMS, type Platform } from '../../src-contract/platforms/index.ts'
import type { AudioGraph, openAudioGraph } from './audio-graph.ts'
import { BlindTesting } from './blind-test.ts'
import { partsOfTrack } from './forms.ts'
import { LateVersions } from './late-versions.ts'
import { DIFFERENCE_LEVEL } from './levels.ts'
import { Looping } from './loop.ts'
import type { PlaybackReport } from './playback-engine.ts'
import type { ReleasePart } from './release-item.ts'
import { PlaybackSession } from './session.ts'
import {
  canSound,
  firstState,
  heardDifference,
  heardTrack,
  isLoaded,
  isWantedForm,
  keptChoices,
  loadOrder,
  NOTHING_LOADED,
  type PlacedTrack,
  type PlaybackItem,
  type PlaybackState,
  trackGains,
  withItem,
  withRead,
  withVersion,
} from './state.ts'

export interface PlaybackDeps {
  readonly client: Client
  readonly openGraph: typeof openAudioGraph
  /** A fair coin for the blind test. */
  readonly tossCoin: () => boolean
}

/** Cross-fade from one audition to the next at the same position, ms. */
const SLIDE_MS = 30

/** Items of one song share the place where they are left. */
const placeKey = ({ songId, id }: PlaybackItem): string => songId ?? id

/** The playback store with its actions. Actions passed straight to buttons are arrow functions. */
export class Playback {
  readonly store = createStore<PlaybackState>(() => NOTHING_LOADED)
  readonly blindTest: BlindTesting
  readonly late: LateVersions
  readonly loop: Looping
  readonly #deps: PlaybackDeps
  readonly #listeners = new Set<(report: PlaybackReport) => void>()
  /** Choices kept for the next item of the same kind. */
  readonly #kept = new Map<PlaybackItem['kind'], Partial<PlaybackState>>()
  #session: PlaybackSession
  #opening: Promise<void> | null = null
  /** Start position once the item is open, s. */
  #startSeconds = 0
  /** The song replaced by a release: it is loaded again when the release is left. */
  #aside: { readonly item: PlaybackItem; readonly version: string; readonly seconds: number } | null = null
  /** Last position of each item, s; items of one song share it. */
  readonly #places = new Map<string, number>()
  /** Frame of the last report. */
  #lastFrame = 0

  constructor(deps: PlaybackDeps) {
    this.#deps = deps
    this.#session = this.#newSession()
    this.blindTest = new BlindTesting({
      test: () => this.#state.blindTest,
      change: (blindTest) => this.#change({ blindTest }),
      tossCoin: deps.tossCoin,
    })
    this.late = new LateVersions({
      state: () => this.#state,
      change: (next) => this.#change(next),
      session: () => this.#session,
    })
    this.loop = new Looping({
      state: () => this.#state,
      change: (next) => this.store.setState(next),
      setRange: (range) => this.graph?.setLoop(range),
      position: this.position,
      seek: (seconds, restartsIntegrated) => this.seek(seconds, restartsIntegrated),
    })
  }

  /** Loads an item in place of the previous one, where it was left. Nothing of it is read before it is opened or played. */
  load(item: PlaybackItem): void {
    if (isLoaded(this.#state, item) && canSound(this.#state)) {
      this.#change(withItem(this.#state, item))
      return
    }
    const { item: before, version } = this.#state
    const isAside = item.kind === 'release' && before !== null && before.kind !== 'release'
    this.#aside = isAside
      ? { item: before, version, seconds: this.position() }
      : item.kind === 'release'
        ? this.#aside
        : null
    this.#close()
    this.#startSeconds = Math.min(item.durationSeconds, this.#places.get(placeKey(item)) ?? 0)
    this.store.setState(this.first(item))
  }

  /** Returns the state that an item has once it is loaded, with the choices kept for its kind. */
  first(item: PlaybackItem): PlaybackState {
    return firstState(item, this.#kept.get(item.kind))
  }

  /** Returns the platform that songs are auditioned for: the loaded song's, else the last one. */
  songService(): Platform {
    const { item, service } = this.#state
    return (item?.kind === 'song' ? service : this.#kept.get('song')?.service) ?? PLATFORMS[0]
  }

  /** Loads an item of the same song in place of the loaded one: the same place and level go on, as does playing. */
  replace(item: PlaybackItem, choice: Partial<Pick<PlaybackState, 'version' | 'service'>>): void {
    const { isPlaying, levelMode } = this.#state
    this.load(item)
    this.#change({ levelMode, ...choice })
    if (isPlaying) this.play()
  }

  /** Reads the loaded item; resolves once its versions are ready. Never throws. */
  open(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  /** Unloads the item. */
  readonly leave = (): void => {
    const aside = this.#aside
    this.#close()
    this.#aside = null
    this.#startSeconds = aside?.seconds ?? 0
    const kept = this.#kept.get('song')
    const next = aside ? firstState(aside.item, { ...kept, version: aside.version }) : { ...NOTHING_LOADED, ...kept }
    this.store.setState(next)
  }

  /** Plays an item from its start, or resumes it where it is loaded. Defaults to the loaded item. */
  play(item = this.#state.item): void {
    if (!item) return
    this.load(item)
    if (this.#state.isPlaying) return
    this.store.setState({ isPlaying: true, isWaiting: true, join: null })
    void this.open()
    this.graph?.play()
  }

  readonly pause = (): void => {
    if (!this.#state.item) return
    this.#change({ isPlaying: false, isWaiting: false, isDifference: false })
    this.graph?.pause()
  }

  readonly toggle = (item = this.#state.item): void => {
    if (item && isLoaded(this.#state, item) && this.#state.isPlaying) this.pause()
    else this.play(item)
  }

  /** Plays a part of the loaded item, computed once its positions are read; null plays nothing. */
  async playPart(partOf: (placed: readonly PlacedTrack[]) => ReleasePart | null): Promise<void> {
    const { item, isPlaying } = this.#state
    if (!item) return
    this.load(item)
    if (!isPlaying) this.store.setState({ isWaiting: true })
    await this.open()
    const part = this.#state.item === item && this.graph ? partOf(this.#state.placed) : null
    if (!part) return
    this.seek(part.startSeconds)
    this.play()
    this.store.setState({ join: part.join })
  }

  /** Calls back with every report of the playback engine; returns the function that stops this. */
  onReport(listener: (report: PlaybackReport) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Current playback position, in seconds of the item. */
  readonly position = (): number => Math.min(this.#state.durationSeconds, this.graph?.position() ?? this.#startSeconds)

  /** The audio graph; null before the item is open. */
  get graph(): AudioGraph | null {
    return this.#session.graph
  }

  seek(seconds: number, restartsIntegrated = false): void {
    this.store.setState({ join: null })
    const place = Math.max(0, Math.min(this.#state.durationSeconds, seconds))
    this.#startSeconds = place
    this.graph?.seek(place, restartsIntegrated)
  }

  nudge(seconds: number): void {
    this.seek(this.position() + seconds)
  }

  readonly choose = (id: string): void => {
    const next = withVersion(this.#state, id)
    if (!next) return
    this.#change(next)
    const version = this.#state.versions.find((one) => one.id === id)
    if (version?.isOnDemand && version.source && !this.#state.readiness[id]) void this.#session.load([version])
  }

  /** Switches between the original and the last other version. */
  swap(): void {
    const { version, lastHeard } = this.#state
    this.choose(version === 'source' ? lastHeard : 'source')
  }

  /** Plays only the change made by the codec or the mastering. */
  readonly holdDifference = (isDifference: boolean): void => {
    if (this.#state.isDifference !== isDifference) this.#change({ isDifference })
  }

  /** Sets the level or the volume; without a service, the version's own is imitated. */
  adjust(change: Partial<Pick<PlaybackState, 'levelMode' | 'service' | 'volume' | 'isMuted'>>): void {
    this.#change(change)
  }

  get #state(): PlaybackState {
    return this.store.getState()
  }

  #change(next: Partial<PlaybackState>): void {
    this.store.setState(next)
    this.#sound()
  }

  /** Sends the current track and level to the audio graph. */
  #sound(): void {
    const state = this.#state
    const difference = heardDifference(state)
    this.graph?.setLevels(trackGains(state, difference ? DIFFERENCE_LEVEL : state.levelMode))
    this.graph?.choose(heardTrack(state), state.item?.kind === 'song' ? SLIDE_MS : undefined)
    this.graph?.setDifference(difference)
    this.graph?.setVolume(state.isMuted ? 0 : (state.volume / 100) ** 2)
  }

  async #open(): Promise<void> {
    const { item } = this.#state
    const session = this.#session
    if (!item) return
    try {
      const known = await item.read?.(this.#deps.client, session.signal, () => this.#state.item)
      if (session.signal.aborted) return
      this.store.setState((state) => withRead(state, known))
      await session.start(this.#state)
      if (session.signal.aborted) return
      // Choices made while the sound was starting.
      this.#sound()
      if (this.#startSeconds > 0) session.graph?.seek(this.#startSeconds)
      this.loop.apply()
      const { isPlaying, versions, version } = this.#state
      if (isPlaying) session.graph?.play()
      await session.load(loadOrder(versions, version))
    } catch {
      if (!session.signal.aborted) this.#fail()
    }
  }

  #newSession(): PlaybackSession {
    return new PlaybackSession({
      ...this.#deps,
      onReport: (report) => this.#takeReport(report),
      onReady: (track) => {
        const { version, form } = partsOfTrack(track)
        if (form === null) this.#setReadiness(version, 'ready')
        else this.late.ready(version, form)
      },
      onFailure: (track, error) => {
        const { version, form } = partsOfTrack(track)
        // An audition that is not heard yet leaves the one before it.
        if (version === 'audition' && track === heardTrack(this.#state)) this.#fail()
        else if (form !== null) this.late.fail(version, form, error)
        else if (this.#state.item?.kind === 'job') this.#setReadiness(version, 'failed')
        else this.#fail()
      },
    })
  }

  #close(): void {
    const { item } = this.#state
    this.#kept.set(item?.kind ?? 'song', keptChoices(this.#state))
    if (item && item.kind !== 'release') this.#places.set(placeKey(item), this.position())
    this.#session.close()
    this.#session = this.#newSession()
    this.#opening = null
    this.#startSeconds = 0
  }

  #fail(): void {
    this.store.setState({ hasFailed: true, isPlaying: false, isWaiting: false })
    this.graph?.pause()
  }

  #setReadiness(id: string, readiness: 'ready' | 'failed'): void {
    this.#change({ readiness: { ...this.#state.readiness, [id]: readiness } })
    if (this.#state.isPlaying && !canSound(this.#state)) this.pause()
  }

  #takeReport(report: PlaybackReport): void {
    const { frame, isPlaying, isWaiting, version } = report
    const before = this.#state
    if (before.isPlaying !== isPlaying || before.isWaiting !== isWaiting) this.store.setState({ isPlaying, isWaiting })
    const chosen = heardTrack(this.#state)
    if (isPlaying && !isWaiting && version === chosen)
      this.blindTest.count((frame - this.#lastFrame) / this.#state.rateHz)
    this.#lastFrame = frame
    this.#session.dropFaded(version === chosen, (track) => isWantedForm(this.#state, track))
    const { join } = this.#state
    if (join && isPlaying && this.position() >= join.endSeconds) this.pause()
    for (const listener of this.#listeners) listener(report)
  }
}
