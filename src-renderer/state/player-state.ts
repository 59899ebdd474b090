/** State of a visit to the Listen screen: version, level, loop, volume and blind test, with its pure transitions. */
import { PLATFORMS, type Platform } from '../../src-contract/platforms/index.ts'
import type { AbxAnswer, AbxTrial } from '../player/abx.ts'
import { type LevelMode, levelGainsDb, type VersionLevel } from '../player/levels.ts'
import type { Difference } from '../player/playback-engine.ts'
import { type HeardCopies, partsOfTrack, trackOf, withCopies } from './heard-copies.ts'
import type { SongVersion } from './listen-versions.ts'

export interface LoopRange {
  readonly startSeconds: number
  readonly endSeconds: number
}

export type Side = 'a' | 'b' | 'x'
export const SIDES: readonly Side[] = ['a', 'b', 'x']
/** Playing time after which a side counts as heard, s. */
export const HEARD_SECONDS = 1

/** Returns whether X of the trial can be told: A, B and X were heard. */
export const canAnswer = ({ known }: Pick<BlindTest, 'known'>): boolean => SIDES.every((side) => known.includes(side))

/** A blind test under way: which two are compared, what X is now, and what was answered. */
export interface BlindTest {
  /** Tracks: versions as uploaded, or their copies that were heard last. */
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
  readonly copies: HeardCopies
  /** Only what the codec, or the mastering, has changed is heard of a master. */
  readonly isDifference: boolean
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

/** Returns the service that "As on" means now: the chosen one, else that of the version, else that of the last master. */
export function shownService({ service, version, versions, lastMaster }: PlayerState): Platform {
  const platformOf = (id: string) => versions.find((one) => one.id === id)?.platform
  return service ?? platformOf(version) ?? platformOf(lastMaster) ?? PLATFORMS[0]
}

/** Returns the gain in dB of every version and copy that is there, for a choice of level. */
export function gainsOf(state: PlayerState, mode: LevelMode): Record<string, number> {
  const { versions, blindTest, copies } = state
  const compared = blindTest && [blindTest.a, blindTest.b].map((track) => partsOfTrack(track).version)
  const there = versions.filter((one) => !one.missing && (!compared || compared.includes(one.id)))
  const levels: Record<string, VersionLevel> = Object.fromEntries(there.map(({ id, level }) => [id, level]))
  return withCopies(levelGainsDb(levels, blindTest ? 'matched' : mode, shownService(state)), copies)
}

type Heard = Pick<PlayerState, 'version' | 'blindTest' | 'copies'>

/** Returns the name on the player of what sounds: the version, or its copy, X of a blind test resolved. */
export function heardTrack({ version, blindTest, copies }: Heard): string {
  if (!blindTest) return trackOf(copies, version)
  const side = blindTest.heard === 'x' ? blindTest.truth : blindTest.heard
  return blindTest[side]
}

/** Returns the version that sounds, or whose copy does. */
export const heardVersion = (state: Heard): string => partsOfTrack(heardTrack(state)).version

/**
 * Returns what a difference is between now: a copy and its master, or a master and the original. Null for a version that is no master,
 * while one of the two is not there, and in a blind test.
 */
export function differenceOf(state: PlayerState): Difference | null {
  const { version, versions, readiness, blindTest } = state
  const isMaster = versions.some(({ id, platform }) => id === version && platform !== undefined)
  const of = heardTrack(state)
  const without = of === version ? 'source' : version
  if (!isMaster || blindTest || readiness[version] !== 'ready' || readiness[without] !== 'ready') return null
  return { of, without }
}

/** Returns the difference that is heard alone; null where all is heard. */
export const heardDifference = (state: PlayerState): Difference | null =>
  state.isDifference ? differenceOf(state) : null

/** Returns the master whose target and ceiling are aimed at: the one that is heard, else the one that was heard last. */
export function aimedAt(state: PlayerState): SongVersion['result'] {
  const resultOf = (id: string) => state.versions.find((one) => one.id === id)?.result
  return resultOf(heardVersion(state)) ?? resultOf(state.lastMaster)
}

/** Tells whether the version to be heard has to be read first: nothing sounds, or still another version. */
export const isReading = (state: PlayerState): boolean =>
  state.isPlaying && (state.isWaiting || state.readiness[heardVersion(state)] === 'opening')

/** Returns the state in which a visit begins. */
export function firstState(versions: readonly SongVersion[], durationSeconds: number): PlayerState {
  const first = versions.find((one) => one.kind === 'platform' && !one.missing)?.id ?? 'source'
  return {
    versions,
    readiness: Object.fromEntries(versions.filter((one) => !one.missing).map(({ id }) => [id, 'opening' as const])),
    hasFailed: false,
    durationSeconds,
    version: first,
    copies: {},
    isDifference: false,
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
  }
}

/** Returns the change that chooses a version; null for one that cannot be heard, and during a blind test. */
export function withVersion(
  { versions, readiness, blindTest }: PlayerState,
  id: string,
): Pick<PlayerState, 'version'> | null {
  const version = versions.find((one) => one.id === id)
  if (!version || version.missing || readiness[id] === 'failed' || blindTest) return null
  return {
    version: id,
    ...(version.kind === 'source' ? {} : { lastHeard: id }),
    ...(version.kind === 'platform' || version.kind === 'other' ? { lastMaster: id } : {}),
  }
}

/** Returns the change that puts a master of another job among the versions, or takes it out. `first` takes its place as the last heard. */
export function withOther(state: PlayerState, other: SongVersion | null, first: string): Partial<PlayerState> {
  const { versions, readiness, lastHeard, lastMaster } = state
  const rest = versions.filter((one) => one.kind !== 'other')
  const { other: _gone, ...known } = readiness
  return {
    versions: other ? [...rest, other] : rest,
    readiness: other ? { ...known, other: 'opening' } : known,
    lastHeard: lastHeard === 'other' ? first : lastHeard,
    lastMaster: lastMaster === 'other' ? first : lastMaster,
  }
}

/** Returns versions that are there in the order of loading: masters first, then versions that are aligned with them. */
export function loadOrder(versions: readonly SongVersion[], chosen: string): SongVersion[] {
  const order = ['platform', 'other', 'source', 'reference']
  return versions
    .filter((one) => !one.missing)
    .toSorted(
      (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || Number(b.id === chosen) - Number(a.id === chosen),
    )
}

/** Returns the loop between two positions, inside the song and at least as long as the shortest. */
export function loopBetween(startSeconds: number, endSeconds: number, durationSeconds: number): LoopRange {
  const start = Math.max(0, Math.min(startSeconds, durationSeconds - SHORTEST_LOOP_SECONDS))
  return {
    startSeconds: start,
    endSeconds: Math.min(durationSeconds, Math.max(endSeconds, start + SHORTEST_LOOP_SECONDS)),
  }
}

/** Returns the loop whose start is marked at `now`. */
export function loopFrom(loop: LoopRange | null, now: number, durationSeconds: number): LoopRange {
  const end = loop && loop.endSeconds > now ? loop.endSeconds : now + NEW_LOOP_SECONDS
  return loopBetween(now, end, durationSeconds)
}

/** Returns the loop whose end is marked at `now`. */
export function loopUntil(loop: LoopRange | null, now: number, durationSeconds: number): LoopRange {
  const start = loop && loop.startSeconds < now ? loop.startSeconds : now - NEW_LOOP_SECONDS
  return loopBetween(start, now, durationSeconds)
}
