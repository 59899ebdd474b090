/** What the listener has chosen: version, level, loop, volume. The player sounds it; everything the screen shows is here. */
import { createStore } from 'zustand/vanilla'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { Platform } from '../../src-contract/platforms.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import type { AbxAnswer, AbxTrial } from '../player/abx.ts'
import { type LevelMode, levelGainsDb, type VersionLevel } from '../player/levels.ts'
import type { PlaybackReport } from '../player/playback-engine.ts'
import type { createPlayer, Player, VersionFile } from '../player/player.ts'
import type { OpenFile } from '../player/track.ts'
import type { SongVersion } from './listen-versions.ts'
import { isNotReached } from './refusal.ts'

export interface LoopRange {
  readonly startSeconds: number
  readonly endSeconds: number
}

export type Side = 'a' | 'b' | 'x'
const SIDES: readonly Side[] = ['a', 'b', 'x']
/** Playing time after which a side counts as heard, s. */
const HEARD_SECONDS = 1

/** Returns whether X of the trial can be told: A, B and X were heard. */
export const canAnswer = ({ known }: Pick<BlindTest, 'known'>): boolean => SIDES.every((side) => known.includes(side))

/** A blind test under way: which two are compared, what X is now, and what was answered. */
export interface BlindTest {
  readonly a: string
  readonly b: string
  readonly truth: AbxAnswer
  readonly heard: Side
  /** Sides of which enough has sounded: A and B in this test, X in this trial. */
  readonly known: readonly Side[]
  readonly trials: readonly AbxTrial[]
  readonly isOver: boolean
}

export interface PlayerState {
  readonly versions: readonly SongVersion[]
  readonly readiness: Readonly<Record<string, 'opening' | 'ready' | 'failed'>>
  /** The sound itself could not be started on this machine. */
  readonly hasFailed: boolean
  readonly durationSeconds: number
  readonly version: string
  /** The version other than the original that was heard last, for the swap. */
  readonly lastHeard: string
  /** The master that was heard last. */
  readonly lastMaster: string
  readonly isPlaying: boolean
  readonly isWaiting: boolean
  readonly levelMode: LevelMode
  /** The service whose playback is imitated; null follows the version. */
  readonly service: Platform | null
  readonly loop: LoopRange | null
  readonly isLooping: boolean
  /** 0 to 100. */
  readonly volume: number
  readonly isMuted: boolean
  readonly blindTest: BlindTest | null
}

const SHORTEST_LOOP_SECONDS = 0.5
const NEW_LOOP_SECONDS = 8
/** Between two attempts to read while the program is away, ms. */
const AWAY_MS = 1000

/** Returns the service that "As on" means now: the chosen one, else that of the version, else that of the last master. */
export function shownService({ service, version, versions, lastMaster }: PlayerState): Platform {
  const platformOf = (id: string) => versions.find((one) => one.id === id)?.platform
  return service ?? platformOf(version) ?? platformOf(lastMaster) ?? 'spotify'
}

/** Returns the gain in dB of every version that is there, for a choice of level. */
export function gainsOf(state: PlayerState, mode: LevelMode): Record<string, number> {
  const { versions, blindTest } = state
  const there = versions.filter((one) => !one.missing && (!blindTest || [blindTest.a, blindTest.b].includes(one.id)))
  const levels: Record<string, VersionLevel> = Object.fromEntries(there.map(({ id, level }) => [id, level]))
  return levelGainsDb(levels, blindTest ? 'matched' : mode, shownService(state))
}

/** Returns the version that sounds, X of a blind test resolved. */
export function heardVersion({ version, blindTest }: Pick<PlayerState, 'version' | 'blindTest'>): string {
  if (!blindTest) return version
  const side = blindTest.heard === 'x' ? blindTest.truth : blindTest.heard
  return side === 'a' ? blindTest.a : blindTest.b
}

/** Returns the master whose target and ceiling are aimed at: the one that is heard, else the one that was heard last. */
export function aimedAt(state: PlayerState): SongVersion['result'] {
  const resultOf = (id: string) => state.versions.find((one) => one.id === id)?.result
  return resultOf(heardVersion(state)) ?? resultOf(state.lastMaster)
}

export interface PlayerStoreOptions {
  readonly client: Client
  readonly createPlayer: typeof createPlayer
  readonly versions: readonly SongVersion[]
  readonly durationSeconds: number
  readonly rateHz: number
  /** A fair coin for the blind test. */
  readonly tossCoin: () => boolean
}

/** Whether what is to be heard has to be read first: nothing sounds, or still another version. */
export const isReading = (state: PlayerState): boolean =>
  state.isPlaying && (state.isWaiting || state.readiness[heardVersion(state)] === 'opening')

/** Makes the store of one visit with its actions; `start` begins to load. */
export function createPlayerStore(options: PlayerStoreOptions) {
  const { client, versions, durationSeconds, rateHz, tossCoin } = options
  const first = versions.find((one) => one.kind === 'platform' && !one.missing)?.id ?? 'source'
  const store = createStore<PlayerState>(() => ({
    versions,
    readiness: Object.fromEntries(versions.filter((one) => !one.missing).map(({ id }) => [id, 'opening' as const])),
    hasFailed: false,
    durationSeconds,
    version: first,
    lastHeard: first,
    lastMaster: first,
    isPlaying: false,
    isWaiting: false,
    levelMode: 'matched',
    service: null,
    loop: null,
    isLooping: false,
    volume: 100,
    isMuted: false,
    blindTest: null,
  }))
  const { getState, setState } = store
  const reports = new Set<(report: PlaybackReport) => void>()
  let player: Player | null = null
  let isClosed = false
  /** What has sounded of each side of the blind test, s, and how far the last report was. */
  const sounded = { a: 0, b: 0, x: 0 }
  let lastFrame = 0

  /** Counts what sounds of a blind test. */
  function countHeard({ frame, isPlaying, isWaiting, version }: PlaybackReport) {
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
  }

  const setReadiness = (id: string, readiness: 'ready' | 'failed') =>
    setState((state) => ({ readiness: { ...state.readiness, [id]: readiness } }))

  /** Answers a file, or a range of it, however long the program is away meanwhile: what is heard waits and then goes on. */
  async function openFile({ jobId, file }: SongVersion, range: Parameters<OpenFile>[0]): Promise<Response> {
    const headers = range ? { Range: `bytes=${range.from}-${range.to - 1}` } : {}
    for (;;) {
      try {
        const answer = await client.open('readJobFile', { params: { job_id: jobId, file }, headers })
        return new Response(await answer.arrayBuffer(), answer)
      } catch (error) {
        // What is no ApiError is an answer that broke off.
        if (isClosed || (error instanceof ApiError && !isNotReached(error.code))) throw error
        await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
      }
    }
  }
  const fileOf = (version: SongVersion): VersionFile => ({
    version: version.id,
    isSameSong: version.kind !== 'reference',
    open: (range) => openFile(version, range),
  })

  /** Tells the player what is to sound now, and how loud. */
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

  function onReport(report: PlaybackReport) {
    const { isPlaying, isWaiting } = getState()
    if (isPlaying !== report.isPlaying || isWaiting !== report.isWaiting) {
      setState({ isWaiting: report.isWaiting, isPlaying: report.isPlaying })
    }
    countHeard(report)
    for (const listener of reports) listener(report)
  }

  function seek(seconds: number, restartsIntegrated = false) {
    player?.seek(Math.max(0, Math.min(durationSeconds, seconds)), restartsIntegrated)
  }

  const position = () => Math.min(durationSeconds, player?.position() ?? 0)

  const canSound = () => Object.values(getState().readiness).some((one) => one !== 'failed')

  function pause() {
    setState({ isPlaying: false, isWaiting: false })
    player?.pause()
  }

  function applyLoop() {
    const { loop, isLooping } = getState()
    player?.setLoop(isLooping ? loop : null)
    if (!isLooping || !loop) return
    const now = position()
    if (now < loop.startSeconds || now >= loop.endSeconds) seek(loop.startSeconds, true)
  }

  const loopFrom = (startSeconds: number, endSeconds: number): LoopRange => {
    const start = Math.max(0, Math.min(startSeconds, durationSeconds - SHORTEST_LOOP_SECONDS))
    return {
      startSeconds: start,
      endSeconds: Math.min(durationSeconds, Math.max(endSeconds, start + SHORTEST_LOOP_SECONDS)),
    }
  }

  function choose(id: string) {
    const { versions: all, readiness, blindTest } = getState()
    const version = all.find((one) => one.id === id)
    if (!version || version.missing || readiness[id] === 'failed' || blindTest) return
    change({
      version: id,
      ...(version.kind === 'source' ? {} : { lastHeard: id }),
      ...(version.kind === 'platform' || version.kind === 'other' ? { lastMaster: id } : {}),
    })
  }

  return {
    store,
    /** Starts the sound and loads the versions: masters first, then what has to be lined up with them. Never throws. */
    async start() {
      try {
        const made = await options.createPlayer({
          rateHz,
          durationSeconds,
          onReport,
          onReady: (id) => {
            setReadiness(id, 'ready')
            sound()
          },
          onFailure: (id) => {
            setReadiness(id, 'failed')
            if (getState().isPlaying && !canSound()) pause()
          },
        })
        if (isClosed) return made.close()
        player = made
        // What was pressed while the sound was being started.
        sound()
        applyLoop()
        if (getState().isPlaying) made.play()
        const order = ['platform', 'other', 'source', 'reference']
        const there = versions
          .filter((one) => !one.missing)
          .toSorted(
            (a, b) =>
              order.indexOf(a.kind) - order.indexOf(b.kind) ||
              Number(b.id === getState().version) - Number(a.id === getState().version),
          )
        await made.load(there.map(fileOf))
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
    /** The original and the version heard last, in turn. */
    swap() {
      const { version, lastHeard } = getState()
      choose(version === 'source' ? lastHeard : 'source')
    },
    setLevelMode: (levelMode: LevelMode) => change({ levelMode }),
    /** Imitates a service; null follows the version that is heard. */
    chooseService: (service: Platform | null) => change({ service, levelMode: 'service' }),
    markLoopStart() {
      const { loop } = getState()
      const now = position()
      const end = loop && loop.endSeconds > now ? loop.endSeconds : now + NEW_LOOP_SECONDS
      setState({ loop: loopFrom(now, end) })
      applyLoop()
    },
    markLoopEnd() {
      const { loop } = getState()
      const now = position()
      const start = loop && loop.startSeconds < now ? loop.startSeconds : now - NEW_LOOP_SECONDS
      setState({ loop: loopFrom(start, now) })
      applyLoop()
    },
    setLoop(loop: LoopRange) {
      setState({ loop: loopFrom(loop.startSeconds, loop.endSeconds), isLooping: true })
      applyLoop()
    },
    toggleLoop() {
      const { loop, isLooping } = getState()
      const now = position()
      setState({ isLooping: !isLooping, ...(loop ? {} : { loop: loopFrom(now, now + NEW_LOOP_SECONDS) }) })
      applyLoop()
    },
    setVolume: (volume: number) => change({ volume, isMuted: false }),
    toggleMute: () => change({ isMuted: !getState().isMuted }),
    /** Puts a master of another job into the switch, or takes it out, and plays it. */
    async bring(other: SongVersion | null) {
      const { versions: all, version, readiness, lastHeard, lastMaster } = getState()
      const rest = all.filter((one) => one.kind !== 'other')
      if (version === 'other' && !other) change({ version: 'source' })
      if (all.length !== rest.length) player?.drop('other')
      const { other: _gone, ...known } = readiness
      setState({
        versions: other ? [...rest, other] : rest,
        readiness: other ? { ...known, other: 'opening' } : known,
        lastHeard: lastHeard === 'other' ? first : lastHeard,
        lastMaster: lastMaster === 'other' ? first : lastMaster,
      })
      if (!other) return sound()
      await player?.load([fileOf(other)])
      const now = getState()
      if (!now.versions.includes(other)) return
      if (now.readiness.other === 'ready') change({ version: 'other', lastHeard: 'other', lastMaster: 'other' })
      else if (now.version === 'other') change({ version: now.lastMaster })
    },
    startBlindTest(a: string, b: string) {
      for (const side of SIDES) sounded[side] = 0
      change({ blindTest: { a, b, truth: tossCoin() ? 'a' : 'b', heard: 'x', known: [], trials: [], isOver: false } })
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
      change({ blindTest: { ...blindTest, trials, truth: tossCoin() ? 'a' : 'b', heard: 'x', known: ['a', 'b'] } })
    },
    /** Ends the trials and shows their score. */
    finishBlindTest() {
      const { blindTest } = getState()
      if (blindTest) change({ blindTest: { ...blindTest, isOver: true } })
    },
    leaveBlindTest: () => change({ blindTest: null }),
  }
}

export type PlayerActions = ReturnType<typeof createPlayerStore>
