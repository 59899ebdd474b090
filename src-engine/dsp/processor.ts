import type { AudioBlock } from './block.ts'

/** A processor of two channels in place, block by block. */
export interface Processor {
  /** Latency of the output, frames. */
  readonly latencySamples: number
  /** Works in place. Any split of a signal into blocks gives the same samples. */
  process(block: AudioBlock): void
}

/** Turns left and right into mid = (L + R) / 2 and side = (L − R) / 2, in place. */
export function encodeMidSide({ channels, frames }: AudioBlock): void {
  const left = channels[0]!
  const right = channels[1]!
  for (let i = 0; i < frames; i++) {
    const l = left[i]!
    const r = right[i]!
    left[i] = (l + r) * 0.5
    right[i] = (l - r) * 0.5
  }
}

/** The inverse of {@link encodeMidSide}, in place. */
export function decodeMidSide({ channels, frames }: AudioBlock): void {
  const left = channels[0]!
  const right = channels[1]!
  for (let i = 0; i < frames; i++) {
    const m = left[i]!
    const s = right[i]!
    left[i] = m + s
    right[i] = m - s
  }
}

/** Interval of level detection and gain updates, frames, counted from the start of the signal. */
export const controlFrames = 32

/**
 * Cuts a block at the control grid: calls `visit(start, end, isComplete)` for each stretch between two grid points; `isComplete` if it ends
 * on one. Returns the new position.
 */
export function alongControlGrid(
  position: number,
  frames: number,
  visit: (start: number, end: number, isComplete: boolean) => void,
): number {
  for (let start = 0; start < frames; ) {
    const room = controlFrames - ((position + start) % controlFrames)
    const end = Math.min(frames, start + room)
    visit(start, end, end - start === room)
    start = end
  }
  return position + frames
}
