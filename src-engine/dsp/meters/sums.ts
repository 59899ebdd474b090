import { kernelFrames, kernelPlace } from '../kernels/kernels.ts'
import { gainToDb, powerToDb } from '../units.ts'

/** Sums over a stretch of two channels. */
export interface StereoSums {
  readonly frames: number
  readonly left: number
  readonly right: number
  readonly leftSquare: number
  readonly rightSquare: number
  readonly product: number
  /** Largest |sample|; 0 for silence. */
  readonly peak: number
  readonly isDualMono: boolean
}

/** The sums of no frames. */
export const noSums: StereoSums = {
  frames: 0,
  left: 0,
  right: 0,
  leftSquare: 0,
  rightSquare: 0,
  product: 0,
  peak: 0,
  isDualMono: true,
}

const workspace = kernelPlace((kernels) => ({
  left: kernels.allocate(kernelFrames * 4),
  right: kernels.allocate(kernelFrames * 4),
  sums: kernels.allocate(7 * 8),
}))

/** Returns the sums of the frames [start, end) of two channels, added up in double precision. No frames give {@link noSums}. */
export function sumStereo(left: Float32Array, right: Float32Array, start: number, end: number): StereoSums {
  const { kernels, ...at } = workspace()
  const sums = kernels.f64.subarray(at.sums >> 3, (at.sums >> 3) + 7).fill(0)
  for (let first = start; first < end; first += kernelFrames) {
    const last = Math.min(end, first + kernelFrames)
    kernels.f32.set(left.subarray(first, last), at.left >> 2)
    kernels.f32.set(right.subarray(first, last), at.right >> 2)
    kernels.stereoSums(at.left, at.right, last - first, at.sums)
  }
  return {
    frames: Math.max(0, end - start),
    left: sums[0]!,
    right: sums[1]!,
    leftSquare: sums[2]!,
    rightSquare: sums[3]!,
    product: sums[4]!,
    peak: sums[5]!,
    isDualMono: sums[6] === 0,
  }
}

/** Returns the sums of two stretches together. */
export function joinSums(one: StereoSums, other: StereoSums): StereoSums {
  return {
    frames: one.frames + other.frames,
    left: one.left + other.left,
    right: one.right + other.right,
    leftSquare: one.leftSquare + other.leftSquare,
    rightSquare: one.rightSquare + other.rightSquare,
    product: one.product + other.product,
    peak: Math.max(one.peak, other.peak),
    isDualMono: one.isDualMono && other.isDualMono,
  }
}

/** Correlation of left and right, −1 … 1; 1 for silence. */
export function correlationOf({ leftSquare, rightSquare, product }: StereoSums): number {
  const norm = Math.sqrt(leftSquare * rightSquare)
  return norm > 1e-14 ? Math.max(-1, Math.min(1, product / norm)) : 1
}

/** Largest sample over the root mean square of both channels together, dB; 0 for silence. */
export function crestFactorDb({ frames, leftSquare, rightSquare, peak }: StereoSums): number {
  return peak > 0 ? gainToDb(peak) - powerToDb((leftSquare + rightSquare) / (2 * frames)) : 0
}
