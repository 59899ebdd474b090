/** True peak of a channel during playback: four times interpolated (ITU-R BS.1770-5, annex 2, with a longer filter). */

import { kaiser, sinc } from '../../src-engine/dsp/window.ts'

const FACTOR = 4
const TAPS = 16

/** Kaiser-windowed sinc of `taps` values around the fractional position `fraction` (0 to 1), normalised to unity at 0 Hz. */
export function fractionalDelay(fraction: number, taps: number, cutoff: number, beta: number): Float64Array {
  const row = new Float64Array(taps)
  const half = taps / 2
  let sum = 0
  for (let k = 0; k < taps; k++) {
    const t = k - (half - 1) - fraction
    row[k] = kaiser(t / half, beta) * sinc(t * cutoff)
    sum += row[k] as number
  }
  return row.map((value) => value / sum)
}

/**
 * Returns a meter for one channel. `push` returns the highest magnitude (linear, never below the sample peak) between
 * and on the samples it completed; the interpolation lags by eight samples. Silence gives 0; `reset` clears the
 * history.
 */
export function createTruePeakMeter() {
  const rows = [1, 2, 3].map((phase) => fractionalDelay(phase / FACTOR, TAPS, 1, 6))
  const past = new Float64Array(TAPS * 2)
  let at = 0
  return {
    push(samples: Float32Array, from: number, frames: number): number {
      let peak = 0
      for (let i = from; i < from + frames; i++) {
        const x = samples[i] as number
        past[at] = x
        past[at + TAPS] = x
        at = (at + 1) % TAPS
        const magnitude = Math.abs(x)
        if (magnitude > peak) peak = magnitude
        for (const row of rows) {
          let sum = 0
          for (let k = 0; k < TAPS; k++) sum += (row[k] as number) * (past[at + k] as number)
          const between = Math.abs(sum)
          if (between > peak) peak = between
        }
      }
      return peak
    },
    reset() {
      past.fill(0)
    },
  }
}

/**
 * State of a peak column: `shownDb` falls, `heldDb` is held for a while, `maximumDb` until cleared. −Infinity is
 * silence.
 */
export interface PeakBallistics {
  readonly shownDb: number
  readonly heldDb: number
  readonly heldForSeconds: number
  readonly maximumDb: number
}

const FALL_DB_PER_SECOND = 20
const HOLD_SECONDS = 1.5
const FLOOR_DB = -90
export const SILENT_PEAK: PeakBallistics = {
  shownDb: Number.NEGATIVE_INFINITY,
  heldDb: Number.NEGATIVE_INFINITY,
  heldForSeconds: 0,
  maximumDb: Number.NEGATIVE_INFINITY,
}

/** Returns the display `seconds` later with a peak of `peakDb`: rises at once, falls 20 dB/s, holds 1.5 s. */
export function advancePeak(before: PeakBallistics, peakDb: number, seconds: number, isFalling = true): PeakBallistics {
  const fallen = isFalling ? before.shownDb - FALL_DB_PER_SECOND * seconds : peakDb
  const sunk = Math.max(peakDb, fallen)
  const shownDb = sunk < FLOOR_DB ? Number.NEGATIVE_INFINITY : sunk
  const heldForSeconds = before.heldForSeconds + seconds
  const isNewHold = peakDb >= before.heldDb || heldForSeconds > HOLD_SECONDS
  return {
    shownDb,
    heldDb: isNewHold ? Math.max(peakDb, shownDb) : before.heldDb,
    heldForSeconds: isNewHold ? 0 : heldForSeconds,
    maximumDb: Math.max(before.maximumDb, peakDb),
  }
}
