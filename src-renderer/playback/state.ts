/** State of the playback: item, version, level, loop, volume and blind test, with its pure transitions. */
import type { Client } from '../../src-contract/client.ts'
import { PLATFORMS, type Platform } from '../../src-contract/platforms/index.ts'
import type { MasterResult, Report } from '../../src-contract/report.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import type { BlindTest } from './blind-test.ts'
import { formTrack, type MasterForms, partsOfTrack, trackOf } from './forms.ts'
import { type LevelMode, levelGainsDb, type VersionLevel } from './levels.ts'
import type { LoopState } from './loop.ts'
import type { Difference } from './playback-engine.ts'
import type { PlaybackSource } from './source.ts'

/** Figures of a master that the lanes and meters show. */
export type ResultFigures = Pick<
  MasterResult,
  'integrated_lufs' | 'target_lufs' | 'ceiling_dbtp' | 'max_gain_reduction_db'
>

/** A version of an item; all versions are aligned to the sample. */
export interface PlaybackVersion {
  /** `source`, a platform, `release`, `reference`, `other` for a master of another job, `audition`, or `record`. */
  readonly id: string
  readonly kind: 'source' | 'platform' | 'release' | 'reference' | 'other' | 'audition' | 'record'
  readonly platform?: Platform
  /** null before there is anything to read. */
  readonly source: PlaybackSource | null
  /** Name in the audio graph if it differs from the id. */
  readonly track?: string
  readonly level: VersionLevel
  /** Start position in the song, s; 0 when absent. */
  readonly startSeconds?: number
  /** It is read when first chosen. */
  readonly isOnDemand?: boolean
  /** For an audition: whether it equals the master of a job. */
  readonly isExact?: boolean
  /** Reason why it is missing: the job did not include it, or had no reference. */
  readonly missing?: 'not_ordered' | 'no_reference'
  /** Key that chooses it. */
  readonly key?: string
  readonly jobId?: string
  /** Number of the job among those of its song, for a master of another job. */
  readonly versionNumber?: number
  /** Target, ceiling and measured result. */
  readonly result?: ResultFigures
  readonly spectrum?: Report['source']['spectrum']
  readonly curves?: Report['source']['curves']
}

/** A track of a release with its position. */
export interface PlacedTrack {
  readonly trackId: string
  readonly position: number
  readonly title: string
  readonly startSeconds: number
  readonly endSeconds: number
  readonly restSeconds: number
  /** True if the master plays, false for the original. */
  readonly isMaster: boolean
}

/** Facts of an item, known once its files are read. */
export interface ReadItem {
  readonly rateHz: number
  readonly durationSeconds: number
  readonly placed: readonly PlacedTrack[]
  /** Sources by version. */
  readonly sources: Readonly<Record<string, PlaybackSource>>
}

/** A loadable item: a stored song with its sound, the masters of a job, or a release in its order. */
export interface PlaybackItem {
  readonly kind: 'song' | 'job' | 'release'
  readonly id: string
  readonly title: string
  /** The stored song that it is or was made of, if known: items of one song share their position. */
  readonly songId?: string | undefined
  readonly durationSeconds: number
  readonly rateHz: number
  readonly versions: readonly PlaybackVersion[]
  /** Initial state. */
  readonly first: Pick<PlaybackState, 'version' | 'lastHeard' | 'levelMode' | 'service'>
  /** Choices kept for the next item of its kind. */
  readonly keeps: readonly ('version' | 'levelMode' | 'service')[]
  /** Reads the details missing from the item; `now` returns the item at that time. */
  readonly read?: (client: Client, signal: AbortSignal, now: () => PlaybackItem | null) => Promise<ReadItem>
}

/** The end of a track and the beginning of the next. */
export interface Join {
  /** Number of the first of both tracks, from 0. */
  readonly index: number
  readonly endSeconds: number
}

export interface PlaybackState extends LoopState {
  readonly item: PlaybackItem | null
  readonly versions: readonly PlaybackVersion[]
  readonly readiness: Readonly<Record<string, 'opening' | 'ready' | 'failed'>>
  /** The item cannot be read, or this machine has no sound. */
  readonly hasFailed: boolean
  readonly rateHz: number
  readonly durationSeconds: number
  readonly version: string
  readonly copies: MasterForms
  /** Only the change made by the codec or the mastering plays. */
  readonly isDifference: boolean
  /** The last version played other than the original, for the swap. */
  readonly lastHeard: string
  /** The last master played. */
  readonly lastMaster: string
  readonly isPlaying: boolean
  readonly isWaiting: boolean
  readonly levelMode: LevelMode
  /** The imitated service; null follows the version. */
  readonly service: Platform | null
  /** 0 to 100. */
  readonly volume: number
  readonly isMuted: boolean
  readonly blindTest: BlindTest | null
  /** Tracks of a release, once they are read. */
  readonly placed: readonly PlacedTrack[]
  /** The join being played; null while the whole release is. */
  readonly join: Join | null
}

/** The state with nothing loaded. */
export const NOTHING_LOADED: PlaybackState = {
  item: null,
  versions: [],
  readiness: {},
  hasFailed: false,
  rateHz: 48_000,
  durationSeconds: 0,
  version: 'source',
  copies: {},
  isDifference: false,
  lastHeard: 'source',
  lastMaster: 'source',
  isPlaying: false,
  isWaiting: false,
  levelMode: 'matched',
  service: PLATFORMS[0],
  loop: null,
  isLooping: false,
  volume: 100,
  isMuted: false,
  blindTest: null,
  placed: [],
  join: null,
}

/** Returns the initial state of an item, with the choices kept from the previous one. */
export function firstState(item: PlaybackItem, kept: Partial<PlaybackState> = {}): PlaybackState {
  const { versions, durationSeconds, rateHz, first } = item
  const read = versions.filter((one) => !one.missing && !one.isOnDemand && one.kind !== 'audition')
  return {
    ...NOTHING_LOADED,
    ...first,
    ...kept,
    ...{ item, versions, durationSeconds, rateHz, lastMaster: first.lastHeard },
    readiness: Object.fromEntries(read.map(({ id }) => [id, 'opening' as const])),
  }
}

export const isLoaded = ({ item }: PlaybackState, { kind, id }: Pick<PlaybackItem, 'kind' | 'id'>): boolean =>
  item?.kind === kind && item.id === id

/** Returns the choices to keep for the next item of the kind; without an item those of a song. */
export function keptChoices(state: PlaybackState): Partial<PlaybackState> {
  const keeps = state.item?.keeps ?? (['levelMode', 'service'] as const)
  return Object.fromEntries(keeps.map((name) => [name, state[name]]))
}

/** Returns the state change for the details read of an item. */
export function withRead({ versions }: PlaybackState, read: ReadItem | undefined): Partial<PlaybackState> {
  if (!read) return {}
  const { sources, ...known } = read
  return { ...known, versions: versions.map((one) => ({ ...one, source: sources[one.id] ?? one.source })) }
}

/** Returns the item with the levels known for its versions. */
export function withItem({ item: before, versions }: PlaybackState, item: PlaybackItem): Partial<PlaybackState> {
  if (before === item) return {}
  const levelOf = (id: string) => item.versions.find((one) => one.id === id)?.level
  return { item, versions: versions.map((one) => ({ ...one, level: (!one.track && levelOf(one.id)) || one.level })) }
}

/** Returns the service for "As on": the chosen one, else the version's, else the last master's. */
export function shownService({ service, version, versions, lastMaster }: PlaybackState): Platform {
  const platformOf = (id: string) => versions.find((one) => one.id === id)?.platform
  return service ?? platformOf(version) ?? platformOf(lastMaster) ?? PLATFORMS[0]
}

/** Returns the gain in dB of every available version, for a choice of level. */
export function gainsOf(state: PlaybackState, mode: LevelMode): Record<string, number> {
  const { versions, blindTest } = state
  const compared = blindTest && [blindTest.a, blindTest.b].map((track) => partsOfTrack(track).version)
  const there = versions.filter((one) => !one.missing && (!compared || compared.includes(one.id)))
  const levels: Record<string, VersionLevel> = Object.fromEntries(there.map(({ id, level }) => [id, level]))
  return levelGainsDb(levels, blindTest ? 'matched' : mode, shownService(state))
}

/** Returns the linear gain of every track in the audio graph; a codec keeps the level of its master. */
export function trackGains(state: PlaybackState, mode: LevelMode): Record<string, number> {
  const gains = Object.entries(gainsOf(state, mode)).flatMap(([id, db]) =>
    [nameOf(state, id), trackOf(state.copies, id)].map((track) => [track, dbToGain(db)] as const),
  )
  return Object.fromEntries(gains)
}

type Heard = Pick<PlaybackState, 'version' | 'blindTest' | 'copies' | 'versions'>

/** Returns the name of a version in the audio graph. */
const nameOf = ({ versions }: Pick<PlaybackState, 'versions'>, id: string): string =>
  versions.find((one) => one.id === id)?.track ?? id

/** Returns the name of the current track in the audio graph: the version in its form, X of a blind test resolved. */
export function heardTrack(state: Heard): string {
  const { version, blindTest, copies } = state
  if (!blindTest) return copies[version]?.codec ? trackOf(copies, version) : nameOf(state, version)
  const side = blindTest.heard === 'x' ? blindTest.truth : blindTest.heard
  return blindTest[side]
}

/** Returns the current version, whether it or its copy plays. */
export const heardVersion = (state: Heard): string => partsOfTrack(heardTrack(state)).version

const MASTERS: readonly PlaybackVersion['kind'][] = ['platform', 'release', 'other', 'audition']

/**
 * Returns the two tracks of the difference: a copy and its master, or a master and the original. Null for a version
 * that is not a master, while either is not loaded, and in a blind test.
 */
export function differenceOf(state: PlaybackState): Difference | null {
  const { version, versions, readiness, blindTest, copies } = state
  const isMaster = versions.some(({ id, kind }) => id === version && MASTERS.includes(kind))
  const without = copies[version]?.codec ? version : 'source'
  if (!isMaster || blindTest || readiness[version] !== 'ready' || readiness[without] !== 'ready') return null
  return { of: heardTrack(state), without }
}

/** Returns the difference to play; null outside difference mode. */
export const heardDifference = (state: PlaybackState): Difference | null =>
  state.isDifference ? differenceOf(state) : null

/** Returns the result whose target and ceiling apply: that of the current master, else of the last one heard. */
export function aimedAt(state: PlaybackState): PlaybackVersion['result'] {
  const resultOf = (id: string) => state.versions.find((one) => one.id === id)?.result
  return resultOf(heardVersion(state)) ?? resultOf(state.lastMaster)
}

/** Tells whether a track is a current or awaited form. */
export const isWantedForm = ({ versions, copies }: PlaybackState, track: string): boolean =>
  versions.some((one) => one.track === track) ||
  Object.entries(copies).some(([version, { codec, making }]) =>
    [codec, making].some((one) => one && formTrack(version, one) === track),
  )

/** Tells whether any of the item can play, now or once it is read. */
export const canSound = ({ readiness, hasFailed }: PlaybackState): boolean =>
  !hasFailed && (Object.keys(readiness).length === 0 || Object.values(readiness).some((one) => one !== 'failed'))

/** Tells whether the chosen version is still loading: the output is silent, or still another version. */
export const isReading = (state: PlaybackState): boolean =>
  state.isPlaying && (state.isWaiting || state.readiness[heardVersion(state)] === 'opening')

/** Returns the change that chooses a version; null for a version that cannot play, and during a blind test. */
export function withVersion(
  { versions, readiness, blindTest }: PlaybackState,
  id: string,
): Pick<PlaybackState, 'version'> | null {
  const version = versions.find((one) => one.id === id)
  if (!version || version.missing || readiness[id] === 'failed' || blindTest) return null
  return {
    version: id,
    ...(version.kind === 'source' ? {} : { lastHeard: id }),
    ...(['platform', 'release', 'other'].includes(version.kind) ? { lastMaster: id } : {}),
  }
}

/**
 * Returns the change that adds a master of another job to the versions, or removes it. `first` replaces it as the last
 * version played.
 */
export function withOther(state: PlaybackState, other: PlaybackVersion | null, first: string): Partial<PlaybackState> {
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

/** Returns the available versions in the order of loading: masters first, then the versions aligned with them. */
export function loadOrder(versions: readonly PlaybackVersion[], chosen: string): PlaybackVersion[] {
  const order = ['record', 'platform', 'release', 'other', 'audition', 'source', 'reference']
  return versions
    .filter((one) => !one.missing && one.source && (!one.isOnDemand || one.id === chosen))
    .toSorted(
      (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || Number(b.id === chosen) - Number(a.id === chosen),
    )
}
