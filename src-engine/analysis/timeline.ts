import { type BandFrames, type FrameGrid, levelDb } from '../dsp/meters/spectrum.ts'

/** Course of a song: its long-term spectrum, second by second. */
export interface Timeline {
  readonly stepSeconds: number
  /** Centres of the bands, each of an octave, Hz. */
  readonly bandHz: readonly number[]
  /** Level of each band in each step, mid and side together, dB; −200 for silence. */
  readonly levelsDb: readonly (readonly number[])[]
}

const stepSeconds = 1
/** Third octaves of a band. */
const thirds = 3

/**
 * Returns the course of a song from frames of third octaves and their places. A step without a frame, which only the last one can be, is
 * left out; there is at least one. Never throws.
 */
export function measureTimeline(frames: BandFrames, { size, starts }: FrameGrid, sampleRateHz: number): Timeline {
  const { bands, mid, side } = frames
  const count = bands.centresHz.length
  const bandHz = Array.from({ length: count / thirds }, (_, band) => bands.centresHz[thirds * band + 1]!)
  const stepOf = (start: number) => Math.floor((start + size / 2) / sampleRateHz / stepSeconds)
  const steps = Map.groupBy(starts.keys(), (frame) => stepOf(starts[frame]!))
  const levelsDb = [...steps.values()].map((own) =>
    bandHz.map((_, band) => {
      let sum = 0
      for (const frame of own) {
        for (let b = thirds * band; b < thirds * (band + 1); b++)
          sum += mid[frame * count + b]! + side[frame * count + b]!
      }
      return levelDb(sum / own.length)
    }),
  )
  return { stepSeconds, bandHz, levelsDb }
}
