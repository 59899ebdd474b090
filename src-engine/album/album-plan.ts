/** Levels of a record's tracks, chosen so that the record reaches its target and the tracks keep their relations. Pure. */

import { rounded } from '../dsp/units.ts'
import { integratedLufs, type LoudnessSteps, recordLufs } from './record-loudness.ts'

/** A track to be placed in the record. */
export interface RecordTrack {
  /** Loudness steps of the song, or of its measured master. */
  readonly steps: LoudnessSteps
  /** Level against the other tracks, LU; only differences count. */
  readonly relationLu: number
  /** Highest loudness that the track can reach, LUFS; absent when unknown. */
  readonly mostLufs?: number
  /** Silence after it that belongs to its file, s. */
  readonly silenceSeconds?: number
}

/** Levels of a placed record. */
export interface PlacedRecord {
  /** Integrated loudness of every track, LUFS. */
  readonly levelsLufs: readonly number[]
  /** Integrated loudness of the record, LUFS. */
  readonly recordLufs: number
  /** The track that holds the record below its target, and by how many LU. */
  readonly heldBack?: { readonly index: number; readonly downLu: number }
}

/** Rounds that settle the absolute gate, which does not move with the level; one is enough for music. */
const gateRounds = 3
/** Smallest drop of the record's level that is reported, LU. */
const noticedLu = 0.005

/** Returns the record's loudness, LUFS, with the tracks at `topLufs` plus their relations. */
function placedAt(tracks: readonly RecordTrack[], own: readonly number[], topLufs: number): number {
  return recordLufs(
    tracks.map(({ steps, relationLu, silenceSeconds = 0 }, i) => ({
      steps,
      gainDb: Number.isFinite(own[i]) ? topLufs + relationLu - own[i]! : 0,
      silenceSeconds,
    })),
  )
}

/**
 * Places the tracks so that their relations hold and the record reaches `targetLufs`. If one track cannot be that loud, the whole record
 * comes down. Silent tracks take the record's level and change nothing.
 */
export function placeRecord(tracks: readonly RecordTrack[], targetLufs: number): PlacedRecord {
  const own = tracks.map(({ steps }) => integratedLufs(steps))
  const heard = tracks.filter((_, i) => Number.isFinite(own[i]))
  if (heard.length === 0) return { levelsLufs: tracks.map(() => targetLufs), recordLufs: targetLufs }
  let topLufs = targetLufs - Math.max(...heard.map(({ relationLu }) => relationLu))
  for (let round = 0; round < gateRounds; round++) topLufs += targetLufs - placedAt(tracks, own, topLufs)
  const rooms = tracks.map(({ mostLufs = Infinity, relationLu }, i) =>
    Number.isFinite(own[i]) ? mostLufs - relationLu - topLufs : Infinity,
  )
  const least = Math.min(...rooms)
  const heldTopLufs = topLufs + Math.min(0, least)
  return {
    levelsLufs: tracks.map(({ relationLu }, i) => (Number.isFinite(own[i]) ? heldTopLufs + relationLu : targetLufs)),
    recordLufs: placedAt(tracks, own, heldTopLufs),
    ...(least < -noticedLu ? { heldBack: { index: rooms.indexOf(least), downLu: -least } } : {}),
  }
}

/** A measured master. */
export interface LandedTrack extends Omit<RecordTrack, 'mostLufs'> {
  /** Loudness target of the master, LUFS. */
  readonly targetLufs: number
  /** True if the master stayed below its target. */
  readonly isShort: boolean
}

/** Measurements of a record's masters, and the targets that correct it. */
export interface MeasuredRecord {
  /** Loudness of the masters laid end to end, LUFS. */
  readonly recordLufs: number
  /** Largest error in the relation between two tracks, LU. */
  readonly relationErrorLu: number
  readonly heldBack?: PlacedRecord['heldBack']
  /** True if the record or a relation is out of tolerance. */
  readonly isOff: boolean
  /** Targets for the next masters, LUFS; unchanged for a track that need not be remastered. */
  readonly targetsLufs: readonly number[]
}

/** Tolerance of the record's loudness and of each relation, LU: meters differ by as much. */
const toleratedLu = 0.03
/** Error that one pass of loudness targeting leaves, LU: a master within it is not remade. */
const landingLu = 0.015
/** Decimals of a corrected target. */
const targetDecimals = 3

/** Measures the masters of a record against its target and returns the errors, with the targets that correct them. */
export function measureRecord(tracks: readonly LandedTrack[], targetLufs: number): MeasuredRecord {
  const levels = tracks.map(({ steps }) => integratedLufs(steps))
  const placed = placeRecord(
    tracks.map((track, i) => ({ ...track, ...(track.isShort ? { mostLufs: levels[i]! } : {}) })),
    targetLufs,
  )
  const errors = levels.map((level, i) => (Number.isFinite(level) ? level - placed.levelsLufs[i]! : 0))
  const measuredLufs = recordLufs(tracks.map((track) => ({ ...track, gainDb: 0 })))
  const relationErrorLu = Math.max(...errors) - Math.min(...errors)
  const recordErrorLu = measuredLufs - placed.recordLufs
  const isOff = relationErrorLu > toleratedLu || Math.abs(recordErrorLu) > toleratedLu
  return {
    recordLufs: measuredLufs,
    relationErrorLu,
    ...(placed.heldBack ? { heldBack: placed.heldBack } : {}),
    isOff,
    targetsLufs: tracks.map((track, i) =>
      isOff && Math.abs(errors[i]!) > landingLu
        ? correctedTarget(track, levels[i]!, placed.levelsLufs[i]!)
        : track.targetLufs,
    ),
  }
}

/** Corrected target: a master that missed its target will miss the next one by as much. */
function correctedTarget({ targetLufs, isShort }: LandedTrack, levelLufs: number, wantedLufs: number): number {
  const missedLu = isShort ? 0 : levelLufs - targetLufs
  return rounded(wantedLufs - missedLu, targetDecimals)
}
