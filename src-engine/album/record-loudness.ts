/** Loudness of a record: BS.1770 with its gates over the 400 ms blocks of all tracks laid end to end. */
import { absoluteGateLufs, gatedLufs, lufsToMeanSquare, meanSquareToLufs } from '../dsp/meters/gating.ts'
import { dbToPower } from '../dsp/units.ts'

/** Steps in a gating block: 400 ms, moved by 100 ms (BS.1770-5 Annex 1). */
const blockSteps = 4
const stepsPerSecond = 10

/** Sound of one track: mean squares of its whole steps of 100 ms, K-weighted, both channels together. */
export type LoudnessSteps = Float64Array

/** A track in the record. */
export interface PlacedTrack {
  readonly steps: LoudnessSteps
  /** Change of its level, dB. */
  readonly gainDb: number
  /** Silence after it that belongs to its file, s. */
  readonly silenceSeconds?: number
}

function blockMeans(steps: LoudnessSteps): Float64Array {
  const means = new Float64Array(Math.max(0, steps.length - blockSteps + 1))
  for (let b = 0; b < means.length; b++) {
    let sum = 0
    for (let k = 0; k < blockSteps; k++) sum += steps[b + k]!
    means[b] = sum / blockSteps
  }
  return means
}

/** Returns the steps of tracks laid end to end; a remainder after a track's last whole step is dropped. */
export function joinedSteps(tracks: readonly LoudnessSteps[]): LoudnessSteps {
  const joined = new Float64Array(tracks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const steps of tracks) {
    joined.set(steps, at)
    at += steps.length
  }
  return joined
}

/** Integrated loudness of one track, LUFS; −Infinity for silence and for less than 400 ms. */
export function integratedLufs(steps: LoudnessSteps): number {
  return gatedLufs(blockMeans(steps))
}

/**
 * Integrated loudness of tracks laid end to end, LUFS; −Infinity for silence. Blocks across a join consist of whole steps; a remainder of
 * less than 100 ms at the end of a track is dropped.
 */
export function recordLufs(tracks: readonly PlacedTrack[]): number {
  const silent = tracks.map(({ silenceSeconds = 0 }) => Math.round(silenceSeconds * stepsPerSecond))
  const all = new Float64Array(tracks.reduce((sum, { steps }, i) => sum + steps.length + silent[i]!, 0))
  let at = 0
  for (const [i, { steps, gainDb }] of tracks.entries()) {
    const gain = dbToPower(gainDb)
    for (let k = 0; k < steps.length; k++) all[at + k] = steps[k]! * gain
    at += steps.length + silent[i]!
  }
  return gatedLufs(blockMeans(all))
}

/**
 * Loudness of the loud parts, LUFS: mean of the blocks at least as loud as the whole track; −Infinity for silence. A long quiet
 * introduction does not change it.
 */
export function loudPartLufs(steps: LoudnessSteps): number {
  const from = lufsToMeanSquare(Math.max(absoluteGateLufs, integratedLufs(steps)))
  const loud = blockMeans(steps).filter((mean) => mean >= from)
  return loud.length === 0 ? -Infinity : meanSquareToLufs(loud.reduce((sum, mean) => sum + mean, 0) / loud.length)
}

/** Returns the steps of a track whose start and end are cut, given in seconds. */
export function trimmedSteps(steps: LoudnessSteps, startSeconds: number, endSeconds: number): LoudnessSteps {
  const first = Math.round(startSeconds * stepsPerSecond)
  return steps.slice(first, Math.max(first, steps.length - Math.round(endSeconds * stepsPerSecond)))
}
