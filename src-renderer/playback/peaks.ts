/** Peaks of a part of a track, read from its samples for the zoomed waveform. */

import { finiteOrNull, gainToDb } from '../../src-engine/dsp/units.ts'
import type { Track } from './track.ts'

/** Most frames in memory at a time: 2.7 s at 48 kHz, 0.8 MB of a 24-bit stereo file and as much again per channel as floats. */
const PIECE_FRAMES = 1 << 17

export interface FramePart {
  /** First frame, and the first after the part; both may lie between two frames. */
  readonly from: number
  readonly to: number
}

/**
 * Returns the sample peak of both channels in dBFS for each of `columns` equal columns of a part; null for silence and
 * outside the track. A sample on the boundary of two columns counts in both. Rejects with the error of the read, or
 * with the reason of `signal` before the next piece is read.
 */
export async function readPeaks(
  track: Pick<Track, 'read'>,
  { from, to }: FramePart,
  columns: number,
  signal: AbortSignal,
): Promise<(number | null)[]> {
  const peaks = new Float32Array(columns)
  const perColumn = (to - from) / columns
  const end = Math.ceil(to)
  for (let start = Math.floor(from); start < end; start += PIECE_FRAMES) {
    signal.throwIfAborted()
    const count = Math.min(PIECE_FRAMES, end - start)
    const { left, right } = await track.read(start, count)
    const first = Math.max(0, Math.floor((start - from) / perColumn))
    const last = Math.min(columns - 1, Math.floor((start + count - from) / perColumn))
    for (let column = first; column <= last; column++) {
      const begin = Math.max(0, Math.floor(from + column * perColumn) - start)
      const finish = Math.min(count, Math.ceil(from + (column + 1) * perColumn) - start)
      let peak = peaks[column] as number
      for (let i = begin; i < finish; i++) {
        peak = Math.max(peak, Math.abs(left[i] as number), Math.abs(right[i] as number))
      }
      peaks[column] = peak
    }
  }
  signal.throwIfAborted()
  return Array.from(peaks, (peak) => finiteOrNull(gainToDb(peak)))
}
