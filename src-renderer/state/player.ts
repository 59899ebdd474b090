/** Store of a visit to the Listen screen: it holds the listener's choices and has the player sound them. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import type { AbxAnswer } from '../player/abx.ts'
import type { LevelMode } from '../player/levels.ts'
import type { PlaybackReport } from '../player/playback-engine.ts'
import type { createPlayer, Player, VersionFile } from '../player/player.ts'
import type { OpenFile } from '../player/track.ts'
import type { SongVersion } from './listen-versions.ts'
import {
  canAnswer,
  firstState,
  gainsOf,
  HEARD_SECONDS,
  heardVersion,
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
import { isNotReached } from './refusal.ts'

export interface PlayerStoreDeps {
  readonly client: Client
  readonly createPlayer: typeof createPlayer
  readonly versions: readonly SongVersion[]
  readonly durationSeconds: number
  readonly rateHz: number
  /** A fair coin for the blind test. */
  readonly tossCoin: () => boolean
}

/** Wait between two attempts to read while the program is away, ms. */
const AWAY_MS = 1000

/** Creates the store of one visit with its actions; `start` begins to load. */
export function createPlayerStore(deps: PlayerStoreDeps) {
  const { versions, durationSeconds, rateHz } = deps
  const store = createStore<PlayerState>(() => firstState(versions, durationSeconds))
  const { getState, setState } = store
  const reports = new Set<(report: PlaybackReport) => void>()
  let player: Player | null = null
  let isClosed = false

  const fileOf = createFileReader(deps.client, () => isClosed)

  /** Tells the player which version is to sound now, and at what level. */
  function sound() {
    const state = getState()
    const gains = Object.entries(gainsOf(state, state.levelMode)).map(([id, db]) => [id, dbToGain(db)])
    player?.setLevels(Object.fromEntries(gains))
    player?.choose(heardVersion(state))
    const { volume, isMuted } = state
    player?.setVolume(isMuted ? 0 : (volume / 100) ** 2)
  }

  const change = (next: Partial<PlayerState>) => {
    setState(next)
    sound()
  }
  const blindTest = createBlindTest({ store, change, tossCoin: deps.tossCoin, rateHz })

  function onReport(report: PlaybackReport) {
    const { isPlaying, isWaiting } = getState()
    if (isPlaying !== report.isPlaying || isWaiting !== report.isWaiting) {
      setState({ isWaiting: report.isWaiting, isPlaying: report.isPlaying })
    }
    blindTest.countHeard(report)
    for (const listener of reports) listener(report)
  }

  function seek(seconds: number, restartsIntegrated = false) {
    player?.seek(Math.max(0, Math.min(durationSeconds, seconds)), restartsIntegrated)
  }

  const position = () => Math.min(durationSeconds, player?.position() ?? 0)
  const loop = createLoopActions({ store, position, seek, apply: (range) => player?.setLoop(range) })

  const canSound = () => Object.values(getState().readiness).some((one) => one !== 'failed')

  function pause() {
    setState({ isPlaying: false, isWaiting: false })
    player?.pause()
  }

  function setReadiness(id: string, readiness: 'ready' | 'failed') {
    setState((state) => ({ readiness: { ...state.readiness, [id]: readiness } }))
    if (readiness === 'ready') sound()
    else if (getState().isPlaying && !canSound()) pause()
  }

  function choose(id: string) {
    const next = withVersion(getState(), id)
    if (next) change(next)
  }

  return {
    store,
    /** Starts the sound and loads the versions: masters first, then versions that are aligned with them. Never throws. */
    async start() {
      try {
        const created = await deps.createPlayer({
          ...{ rateHz, durationSeconds, onReport },
          onReady: (id) => setReadiness(id, 'ready'),
          onFailure: (id) => setReadiness(id, 'failed'),
        })
        if (isClosed) return created.close()
        player = created
        // Choices that were made while the sound was being started.
        sound()
        loop.apply()
        if (getState().isPlaying) created.play()
        await created.load(loadOrder(versions, getState().version).map(fileOf))
      } catch {
        setState({ hasFailed: true, isPlaying: false })
      }
    },
    close() {
      isClosed = true
      reports.clear()
      player?.close()
      player = null
    },
    /** Calls back with every report of the playback engine; returns the function that ends it. */
    onReport(listener: (report: PlaybackReport) => void) {
      reports.add(listener)
      return () => reports.delete(listener)
    },
    position,
    spectrum: () => player?.spectrum() ?? null,
    seek,
    nudge: (seconds: number, restartsIntegrated = false) => seek(position() + seconds, restartsIntegrated),
    toggle() {
      if (getState().isPlaying) return pause()
      if (getState().hasFailed || !canSound()) return
      setState({ isPlaying: true, isWaiting: true })
      player?.play()
    },
    choose,
    /** Changes between the original and the version heard last. */
    swap() {
      const { version, lastHeard } = getState()
      choose(version === 'source' ? lastHeard : 'source')
    },
    setLevelMode: (levelMode: LevelMode) => change({ levelMode }),
    /** Imitates a service; null follows the version that is heard. */
    chooseService: (service: Platform | null) => change({ service, levelMode: 'service' }),
    ...loop.actions,
    setVolume: (volume: number) => change({ volume, isMuted: false }),
    toggleMute: () => change({ isMuted: !getState().isMuted }),
    /** Puts a master of another job into the switch, or takes it out, and plays it. */
    bring: createBring({ store, change, sound, player: () => player, fileOf }),
    ...blindTest.actions,
  }
}

interface BringDeps {
  readonly store: StoreApi<PlayerState>
  readonly change: (next: Partial<PlayerState>) => void
  readonly sound: () => void
  readonly player: () => Player | null
  readonly fileOf: (version: SongVersion) => VersionFile
}

function createBring({ store, change, sound, player, fileOf }: BringDeps) {
  const { getState, setState } = store
  const first = getState().version
  return async (other: SongVersion | null): Promise<void> => {
    const { versions, version } = getState()
    if (version === 'other' && !other) change({ version: 'source' })
    if (versions.some((one) => one.kind === 'other')) player()?.drop('other')
    setState(withOther(getState(), other, first))
    if (!other) return sound()
    await player()?.load([fileOf(other)])
    const now = getState()
    if (!now.versions.includes(other)) return
    if (now.readiness.other === 'ready') change({ version: 'other', lastHeard: 'other', lastMaster: 'other' })
    else if (now.version === 'other') change({ version: now.lastMaster })
  }
}

/** Creates the reader of a version's file, which waits while the program is away: the sound waits and then goes on. */
function createFileReader(client: Client, isClosed: () => boolean): (version: SongVersion) => VersionFile {
  async function open({ jobId, file }: SongVersion, range: Parameters<OpenFile>[0]): Promise<Response> {
    const headers: Record<string, string> = range ? { Range: `bytes=${range.from}-${range.to - 1}` } : {}
    for (;;) {
      try {
        const answer = await client.open('readJobFile', { params: { job_id: jobId, file }, headers })
        return new Response(await answer.arrayBuffer(), answer)
      } catch (error) {
        // Any other error than ApiError is an answer that broke off.
        if (isClosed() || (error instanceof ApiError && !isNotReached(error.code))) throw error
        await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
      }
    }
  }
  return (version) => ({
    version: version.id,
    isSameSong: version.kind !== 'reference',
    open: (range) => open(version, range),
  })
}

interface LoopDeps {
  readonly store: StoreApi<PlayerState>
  readonly position: () => number
  readonly seek: (seconds: number, restartsIntegrated?: boolean) => void
  /** Loops the player over a range, or not at all. */
  readonly apply: (range: LoopRange | null) => void
}

/** Creates the actions on the loop. */
function createLoopActions({ store, position, seek, apply: loopPlayer }: LoopDeps) {
  const { getState, setState } = store
  function apply() {
    const { loop, isLooping } = getState()
    loopPlayer(isLooping ? loop : null)
    if (!isLooping || !loop) return
    const now = position()
    if (now < loop.startSeconds || now >= loop.endSeconds) seek(loop.startSeconds, true)
  }
  const set = (change: Partial<Pick<PlayerState, 'loop' | 'isLooping'>>) => {
    setState(change)
    apply()
  }
  return {
    apply,
    actions: {
      markLoopStart() {
        const { loop, durationSeconds } = getState()
        set({ loop: loopFrom(loop, position(), durationSeconds) })
      },
      markLoopEnd() {
        const { loop, durationSeconds } = getState()
        set({ loop: loopUntil(loop, position(), durationSeconds) })
      },
      setLoop({ startSeconds, endSeconds }: LoopRange) {
        set({ loop: loopBetween(startSeconds, endSeconds, getState().durationSeconds), isLooping: true })
      },
      toggleLoop() {
        const { loop, isLooping, durationSeconds } = getState()
        set({ isLooping: !isLooping, loop: loop ?? loopFrom(null, position(), durationSeconds) })
      },
    },
  }
}

interface BlindTestDeps {
  readonly store: StoreApi<PlayerState>
  readonly change: (next: Partial<PlayerState>) => void
  readonly tossCoin: () => boolean
  readonly rateHz: number
}

/** Creates the actions of the blind test, which counts how long each side was heard. */
function createBlindTest({ store, change, tossCoin, rateHz }: BlindTestDeps) {
  const { getState, setState } = store
  /** Time for which each side has sounded, s. */
  const sounded = { a: 0, b: 0, x: 0 }
  /** Frame of the last report. */
  let lastFrame = 0
  const truth = () => (tossCoin() ? 'a' : 'b')
  return {
    /** Counts the time between two reports as heard. */
    countHeard({ frame, isPlaying, isWaiting, version }: PlaybackReport) {
      const seconds = (frame - lastFrame) / rateHz
      lastFrame = frame
      const { blindTest } = getState()
      if (!blindTest || blindTest.isOver || !isPlaying || isWaiting || version !== heardVersion(getState())) return
      // A seek is no listening.
      if (seconds <= 0 || seconds > HEARD_SECONDS / 2) return
      const { heard, known } = blindTest
      sounded[heard] += seconds
      if (sounded[heard] >= HEARD_SECONDS && !known.includes(heard))
        setState({ blindTest: { ...blindTest, known: [...known, heard] } })
    },
    actions: {
      startBlindTest(a: string, b: string) {
        for (const side of SIDES) sounded[side] = 0
        change({ blindTest: { a, b, truth: truth(), heard: 'x', known: [], trials: [], isOver: false } })
      },
      hear(heard: Side) {
        const { blindTest } = getState()
        if (blindTest && !blindTest.isOver) change({ blindTest: { ...blindTest, heard } })
      },
      /** Takes an answer once A, B and X were heard. */
      answer(answer: AbxAnswer) {
        const { blindTest } = getState()
        if (!blindTest || blindTest.isOver || !canAnswer(blindTest)) return
        const trials = [...blindTest.trials, { truth: blindTest.truth, answer }]
        sounded.x = 0
        change({ blindTest: { ...blindTest, trials, truth: truth(), heard: 'x', known: ['a', 'b'] } })
      },
      /** Ends the trials and shows their score. */
      finishBlindTest() {
        const { blindTest } = getState()
        if (blindTest) change({ blindTest: { ...blindTest, isOver: true } })
      },
      leaveBlindTest: () => change({ blindTest: null }),
    },
  }
}

export type PlayerActions = ReturnType<typeof createPlayerStore>
