/** Levels of the tracks of a record, so that it has its loudness and they keep their relations. Pure. */
import { integratedLufs, type LoudnessSteps, recordLufs } from './record-loudness.ts'

/** A track to be placed in the record. */
export interface RecordTrack {
  /** Sound as it is known: that of the song, or of the master that was measured. */
  readonly steps: LoudnessSteps
  /** Level against the other tracks, LU; only differences count. */
  readonly relationLu: number
  /** Loudness that it cannot exceed, LUFS; absent where none is known. */
  readonly mostLufs?: number
  /** Silence behind it that is part of its file, s. */
  readonly silenceSeconds?: number
}

/** The record as it is placed. */
export interface PlacedRecord {
  /** Integrated loudness of every track, LUFS. */
  readonly levelsLufs: readonly number[]
  /** Integrated loudness of the record, LUFS. */
  readonly recordLufs: number
  /** The track that holds the record below its target, and by how many LU. */
  readonly heldBack?: { readonly index: number; readonly downLu: number }
}

/** Rounds in which the absolute gate, which does not move with the level, is met: one is enough for music. */
const gateRounds = 3
/** Below this a record that comes down is not told, LU. */
const noticedLu = 0.005

/** The record with its tracks at `topLufs` plus their relations. */
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
 * Places the tracks so that their relations hold and the record has `targetLufs`; where a track cannot be that loud the whole record
 * comes down. Silent tracks have the level of the record and change nothing.
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

/** A master as it was measured. */
export interface LandedTrack extends Omit<RecordTrack, 'mostLufs'> {
  /** Target with which it was made, LUFS. */
  readonly targetLufs: number
  /** True where it could not reach it. */
  readonly isShort: boolean
}

/** A record of masters, measured, and what would bring it to its goal. */
export interface MeasuredRecord {
  /** Loudness of the masters laid end to end, LUFS. */
  readonly recordLufs: number
  /** Largest error of the relation of two tracks, LU. */
  readonly relationErrorLu: number
  readonly heldBack?: PlacedRecord['heldBack']
  /** True where record or relations are off by more than they may. */
  readonly isOff: boolean
  /** Targets with which to make the masters again, LUFS; that of before where it need not be. */
  readonly targetsLufs: readonly number[]
}

/** Largest error of the record and of a relation that is not corrected, LU: meters differ by as much. */
const toleratedLu = 0.03
/** Error that a single landing leaves, LU: a master within it is not made again. */
const landingLu = 0.015
/** Decimals of a corrected target. */
const targetDecimals = 3

/** Measures the masters of a record against its target and returns what is off, with the targets that correct it. */
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

/** A master that landed beside its target lands as far beside the next one. */
function correctedTarget({ targetLufs, isShort }: LandedTrack, levelLufs: number, wantedLufs: number): number {
  const missedLu = isShort ? 0 : levelLufs - targetLufs
  return Number((wantedLufs - missedLu).toFixed(targetDecimals))
}
