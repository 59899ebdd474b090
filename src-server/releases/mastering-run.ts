/** The mastering of one release without a database: the plan, and the steps that follow ended jobs. Pure. */
import { type MasterName, type MasterTargets, RELEASE } from '../../src-contract/delivery-target.ts'
import type { ErrorCode, ErrorParams, FailureCode } from '../../src-contract/errors.ts'
import type { Corrections, ReleaseLoudnessMode } from '../../src-contract/release-mastering.ts'
import { jobSettings, SETTINGS } from '../../src-contract/settings.ts'
import { type LandedTrack, measureRecord, placeRecord } from '../../src-engine/album/album-plan.ts'
import { integratedLufs, joinedSteps, type LoudnessSteps } from '../../src-engine/album/record-loudness.ts'
import { clamp, rounded } from '../../src-engine/dsp/units.ts'
import type { MasterRequest } from '../uploads/form.ts'
import { unitsOf } from './continuous.ts'
import type { TrackSong } from './release.ts'

/** A track of a run with its song as it was when the run began. */
export interface RunTrack extends TrackSong {
  readonly trackId: string
  readonly sourceSha256: string
}

/** Product of one job: the master of a track. */
export interface RunPart {
  /** One track; more in runs of earlier versions. */
  readonly tracks: readonly RunTrack[]
  /** True if it runs into the next part: both are mastered as one, with one target and the same corrections. */
  readonly goesOver?: boolean
  /** The job's request without the targets of the record and the corrections. */
  readonly request: MasterRequest
  /** True for a generated song in a record that levels these. */
  readonly isLevelled?: boolean
  /** Silence after it that belongs to its file, s. */
  readonly silenceSeconds: number
  readonly state: 'waiting' | 'queued' | 'done' | 'failed'
  readonly jobId?: string
  /** Level against the other parts, LU, levelled and with the correction; absent before the songs are measured, and for silence. */
  readonly relationLu?: number
  /** Targets of its masters in the record; empty for a separately mastered part. */
  readonly targets: MasterTargets
  /** Corrections planned for coherence. */
  readonly planned?: Corrections
  /** Corrections applied so far. */
  readonly corrections: Corrections
}

/** Reason that a run ended without a record. */
export interface RunFailure {
  readonly code: ErrorCode | FailureCode
  readonly values: ErrorParams
  readonly trackId?: string
}

/** The record as its release masters measure. */
export interface RecordFacts {
  readonly recordLufs: number
  readonly relationErrorLu: number
  readonly heldBack?: { readonly trackId: string; readonly downLu: number }
}

/** Master of a track in a finished record. */
export interface FinishedMaster {
  readonly jobId: string
  readonly sourceSha256: string
  readonly targetLufs?: number
  readonly corrections: Corrections
}

/** `measuring` the songs, then `plain` masters, then those corrected for coherence. */
export type RunPhase = 'measuring' | 'plain' | 'coherent'

export interface ReleaseRun {
  readonly state: 'mastering' | 'done' | 'failed'
  readonly keyId?: string
  readonly mode: ReleaseLoudnessMode
  readonly coherence: boolean
  readonly anchorTrackId?: string
  /** Targets of the record, by the name of the master. */
  readonly targets: MasterTargets
  readonly phase: RunPhase
  /** From 1. */
  readonly round: number
  readonly parts: readonly RunPart[]
  readonly record?: RecordFacts
  readonly failure?: RunFailure
  /** Masters of the last record that was finished, by track. */
  readonly masters: Readonly<Record<string, FinishedMaster>>
}

/** The known facts of a run's job. */
export interface JobOutcome {
  readonly state: 'queued' | 'done' | 'failed'
  readonly failure?: { readonly code: FailureCode; readonly values: ErrorParams }
  /** Loudness of its masters; `isShort` marks one below its target. */
  readonly masters: Readonly<Partial<Record<MasterName, { readonly steps: LoudnessSteps; readonly isShort: boolean }>>>
}

/** Measurements of the song of a part, or of joined parts, before mastering. */
export interface MeasuredUnit {
  readonly steps: LoudnessSteps
  readonly corrections: Corrections
  /** Level change for a generated song, LU. */
  readonly levelledLu: number
}

/** Renders of one record: a first, and corrections by its measurement. */
export const MAX_ROUNDS = 3
/** Decimals of a target, LUFS. */
const TARGET_DECIMALS = 3

/** Parts of a run that move as one, by their places. */
export interface Units {
  /** Places of the parts of each. */
  readonly places: readonly (readonly number[])[]
  /** Number of the unit of each part, from 0. */
  readonly of: readonly number[]
}

/** Returns the units of a run: groups of parts that run into each other, and every other part by itself. */
export function unitsIn(parts: ReleaseRun['parts']): Units {
  const places = unitsOf(parts.map(({ goesOver = false }) => goesOver))
  return { places, of: places.flatMap((unit, number) => unit.map(() => number)) }
}

/** Returns the run with the first targets of its parts; `measured` are their units in order. */
export function withMeasures(run: ReleaseRun, measured: readonly MeasuredUnit[]): ReleaseRun {
  const { of } = unitsIn(run.parts)
  const related = run.parts.map((part, i) => {
    const { steps, corrections, levelledLu } = measured[of[i]!]!
    const relationLu = integratedLufs(steps) + levelledLu
    return {
      ...part,
      planned: corrections,
      ...(Number.isFinite(relationLu) ? { relationLu } : {}),
    }
  })
  const parts = run.mode === 'album' ? placed(run, related, measured) : related
  return { ...run, phase: 'plain', parts }
}

function placed(run: ReleaseRun, parts: readonly RunPart[], measured: readonly MeasuredUnit[]): RunPart[] {
  const { places, of } = unitsIn(parts)
  const tracks = places.map((unit, number) => ({
    steps: measured[number]!.steps,
    relationLu: parts[unit[0]!]!.relationLu ?? 0,
    silenceSeconds: parts[unit.at(-1)!]!.silenceSeconds,
  }))
  const byName = targetNames(run).map((name) => [name, placeRecord(tracks, run.targets[name]!).levelsLufs] as const)
  return parts.map((part, i) => ({
    ...part,
    targets: Object.fromEntries(byName.map(([name, levels]) => [name, rounded(levels[of[i]!]!, TARGET_DECIMALS)])),
  }))
}

const targetNames = ({ targets }: ReleaseRun) => Object.keys(targets) as MasterName[]

/** Returns the request of the job of a part: its own, with the corrections and the targets of the record. */
export function requestOf({ request: { joined, ...request }, corrections, targets }: RunPart): MasterRequest {
  const { offset_lu: _, ...sound } = corrections
  const corrected = Object.fromEntries(
    Object.entries(sound).map(([name, change]) => {
      const { minimum, maximum } = SETTINGS[name as keyof typeof sound]
      const own = request.settings[name as keyof typeof sound]
      const value = name === 'width_percent' ? Math.round((own * change) / 100) : own + change
      return [name, clamp(rounded(value, TARGET_DECIMALS), minimum, maximum)]
    }),
  )
  return {
    ...request,
    settings: jobSettings({ ...request.settings, ...corrected }),
    ...(Object.keys(targets).length > 0 ? { masterTargets: targets } : {}),
    ...(joined ? { joined } : {}),
  }
}

/** Returns the run with one part replaced. */
export function withPart(run: ReleaseRun, index: number, change: Partial<RunPart>): ReleaseRun {
  return { ...run, parts: run.parts.map((part, i) => (i === index ? { ...part, ...change } : part)) }
}

/**
 * Updates a run by its jobs: ended parts and, when all have ended, the next round, the corrections for coherence, or the end. Returns the
 * same run if nothing changes.
 */
export function advanced(run: ReleaseRun, jobOf: (jobId: string) => JobOutcome | undefined): ReleaseRun {
  if (run.state !== 'mastering' || run.phase === 'measuring') return run
  const seen = run.parts.reduce((sum: ReleaseRun, part, index) => {
    if (part.state !== 'queued' || part.jobId === undefined) return sum
    const job = jobOf(part.jobId)
    if (job?.state === 'queued') return sum
    if (job?.state === 'done') return withPart(sum, index, { state: 'done' })
    const { code, values } = job?.failure ?? { code: 'JOB_NOT_FOUND' as const, values: {} }
    const failure = sum.failure ?? { code, values, trackId: part.tracks[0]!.trackId }
    return { ...withPart(sum, index, { state: 'failed' }), failure }
  }, run)
  if (seen.parts.some(({ state }) => state === 'waiting' || state === 'queued')) return seen
  if (seen.failure) return { ...seen, state: 'failed' }
  return afterRound(seen, jobOf)
}

function afterRound(run: ReleaseRun, jobOf: (jobId: string) => JobOutcome | undefined): ReleaseRun {
  const outcomes = run.parts.map(({ jobId = '' }) => jobOf(jobId))
  const isMeasurable =
    run.mode === 'album' && run.parts.every(({ relationLu }, i) => relationLu === undefined || outcomes[i])
  const checked = isMeasurable ? measured(run, outcomes) : { run, retargeted: run }
  if (checked.retargeted !== run && run.round < MAX_ROUNDS) return { ...checked.retargeted, round: run.round + 1 }
  const wantsCoherence = run.coherence && run.phase === 'plain'
  const corrected = wantsCoherence ? withCoherence(checked.run) : checked.run
  return corrected.parts.some(({ state }) => state === 'waiting') ? corrected : finished(corrected)
}

/** Returns the run with the facts of its record, and a version with new targets if they are missed. */
function measured(run: ReleaseRun, outcomes: readonly (JobOutcome | undefined)[]) {
  let parts = run.parts
  let record: RecordFacts | undefined
  const { places, of } = unitsIn(run.parts)
  for (const name of targetNames(run)) {
    const landed = places.map((unit) => landedUnit(run, unit, name, outcomes))
    const measure = measureRecord(landed, run.targets[name]!)
    if (name === RELEASE && Number.isFinite(measure.recordLufs)) record = factsOf(run, measure)
    const isHeld = run.phase === 'coherent' && run.parts.some((part) => isAnchor(run, part))
    const targets = isHeld ? anchoredTargets(run, landed) : measure.targetsLufs
    parts = parts.map((part, i) => {
      const target = rounded(targets[of[i]!]!, TARGET_DECIMALS)
      if (part.targets[name] === undefined || target === part.targets[name]) return part
      return { ...part, targets: { ...part.targets, [name]: target }, state: 'waiting' as const }
    })
  }
  const told = record ? { ...run, record } : run
  return { run: told, retargeted: parts.some(({ state }) => state === 'waiting') ? { ...told, parts } : run }
}

function landedUnit(
  { parts }: ReleaseRun,
  unit: readonly number[],
  name: MasterName,
  outcomes: readonly (JobOutcome | undefined)[],
): LandedTrack {
  const { relationLu = 0, targets } = parts[unit[0]!]!
  const masters = unit.flatMap((place) => outcomes[place]?.masters[name] ?? [])
  return {
    steps: joinedSteps(masters.map(({ steps }) => steps)),
    relationLu,
    targetLufs: targets[name]!,
    isShort: masters.some(({ isShort }) => isShort),
  }
}

function factsOf(run: ReleaseRun, { recordLufs, relationErrorLu, heldBack }: ReturnType<typeof measureRecord>) {
  const held = heldBack && unitsIn(run.parts).places[heldBack.index]![0]!
  const trackId = held === undefined ? undefined : run.parts[held]!.tracks[0]!.trackId
  return {
    recordLufs,
    relationErrorLu,
    ...(heldBack && trackId !== undefined ? { heldBack: { trackId, downLu: heldBack.downLu } } : {}),
  }
}

const isAnchor = (run: ReleaseRun, { tracks }: RunPart) => tracks.some(({ trackId }) => trackId === run.anchorTrackId)

/** Returns whether each unit of a run has its anchor. */
export function anchoredUnits(run: ReleaseRun): boolean[] {
  return unitsIn(run.parts).places.map((unit) => unit.some((place) => isAnchor(run, run.parts[place]!)))
}

const isCorrected = ({ corrections }: RunPart) => Object.keys(corrections).length > 0

/** Level error of a corrected part relative to the anchor from which it is remade, LU. */
const ANCHORED_TOLERANCE_LU = 0.02

/** Returns targets that restore the corrected parts' level relative to the anchor; all others stay. */
function anchoredTargets(run: ReleaseRun, landed: readonly LandedTrack[]): number[] {
  const anchor = anchoredUnits(run).indexOf(true)
  const { places } = unitsIn(run.parts)
  const levels = landed.map(({ steps }) => integratedLufs(steps))
  return landed.map(({ relationLu, targetLufs, isShort }, i) => {
    const errorLu = levels[i]! - (levels[anchor]! + relationLu - landed[anchor]!.relationLu)
    const isOff = Math.abs(errorLu) > ANCHORED_TOLERANCE_LU && Number.isFinite(errorLu)
    return isCorrected(run.parts[places[i]![0]!]!) && isOff && !isShort ? targetLufs - errorLu : targetLufs
  })
}

/** Returns the run with the corrections of its outliers, which are remade; the anchor and its record stay. */
function withCoherence(run: ReleaseRun): ReleaseRun {
  const isAnchored = anchoredUnits(run)
  const { of } = unitsIn(run.parts)
  const parts = run.parts.map((part, i): RunPart => {
    const { offset_lu = 0, ...sound } = part.planned ?? {}
    const movedLu = run.mode === 'album' ? offset_lu : 0
    const corrections = { ...sound, ...(movedLu === 0 ? {} : { offset_lu: movedLu }) }
    if (isAnchored[of[i]!] || Object.keys(corrections).length === 0) return part
    return {
      ...part,
      corrections,
      state: 'waiting',
      ...(part.relationLu === undefined ? {} : { relationLu: part.relationLu + movedLu }),
      targets: Object.fromEntries(
        Object.entries(part.targets).map(([name, lufs]) => [name, rounded(lufs + movedLu, TARGET_DECIMALS)]),
      ),
    }
  })
  return { ...run, phase: 'coherent', round: 1, parts }
}

function finished(run: ReleaseRun): ReleaseRun {
  const masters = run.parts.flatMap(({ tracks, jobId, targets, corrections }) =>
    tracks.map(({ trackId, sourceSha256 }): [string, FinishedMaster] => [
      trackId,
      {
        jobId: jobId!,
        sourceSha256,
        corrections,
        ...(targets[RELEASE] === undefined ? {} : { targetLufs: targets[RELEASE] }),
      },
    ]),
  )
  return { ...run, state: 'done', masters: Object.fromEntries(masters) }
}

/** Returns the jobs whose files a run needs. */
export function jobsOf({ parts, masters }: ReleaseRun): string[] {
  return [...parts.map(({ jobId }) => jobId), ...Object.values(masters).map(({ jobId }) => jobId)].filter(
    (jobId) => jobId !== undefined,
  )
}
