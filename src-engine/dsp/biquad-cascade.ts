import type { Biquad } from './biquad.ts'
import { kernelFrames, kernelPlace } from './kernels/kernels.ts'
import type { Processor } from './processor.ts'

/** Coefficients of sections in the kernels' layout: those of left and right side by side. */
export function kernelCoefficients(sections: readonly Biquad[], right: readonly Biquad[] = sections): Float64Array {
  const names = ['b0', 'b1', 'b2', 'a1', 'a2'] as const
  return Float64Array.from(sections.flatMap((left, i) => names.flatMap((name) => [left[name], right[i]![name]])))
}

const maxSections = 64

const workspace = kernelPlace((kernels) => ({
  left: kernels.allocate(kernelFrames * 4),
  right: kernels.allocate(kernelFrames * 4),
  coefficients: kernels.allocate(maxSections * 80),
  state: kernels.allocate(maxSections * 32),
  scratch: kernels.allocate(kernelFrames * 16),
}))

/** A resettable cascade. */
export interface BiquadCascade extends Processor {
  /** Clears the state. */
  reset(): void
}

/**
 * Returns a cascade of at most 64 sections with double-precision state and without latency; no sections is the identity. Works on
 * one or two channels; `right` are as many sections of the right one, the same when absent. Throws a RangeError for more sections.
 */
export function createBiquadCascade(sections: readonly Biquad[], right: readonly Biquad[] = sections): BiquadCascade {
  if (sections.length > maxSections) throw new RangeError(`${sections.length} sections`)
  const coefficients = kernelCoefficients(sections, right)
  const state = new Float64Array(sections.length * 4)
  let position = 0

  function processChunk(
    space: ReturnType<typeof workspace>,
    left: Float32Array,
    right: Float32Array,
    isMono: boolean,
  ): void {
    const { kernels } = space
    kernels.f32.set(left, space.left >> 2)
    kernels.f32.set(right, space.right >> 2)
    kernels.f64.set(coefficients, space.coefficients >> 3)
    kernels.f64.set(state, space.state >> 3)
    const frames = left.length
    kernels.biquadCascade(
      space.left,
      space.right,
      frames,
      space.coefficients,
      space.state,
      sections.length,
      space.scratch,
    )
    left.set(kernels.f32.subarray(space.left >> 2, (space.left >> 2) + frames))
    if (!isMono) right.set(kernels.f32.subarray(space.right >> 2, (space.right >> 2) + frames))
    state.set(kernels.f64.subarray(space.state >> 3, (space.state >> 3) + state.length))
  }

  return {
    latencySamples: 0,
    process(block) {
      if (sections.length === 0) return
      const space = workspace()
      const left = block.channels[0]!
      const right = block.channels[1] ?? left
      for (let start = 0; start < block.frames; ) {
        const end = Math.min(block.frames, start + kernelFrames - (position % kernelFrames))
        processChunk(space, left.subarray(start, end), right.subarray(start, end), right === left)
        position += end - start
        start = end
        // At fixed positions of the signal, not of the block, so that splitting cannot change the output. A tail of denormal numbers would
        // make the filter a hundred times slower in digital silence.
        if (position % kernelFrames === 0) flushTails(state)
      }
    },
    reset() {
      state.fill(0)
      position = 0
    },
  }
}

/** Zeroes decayed state: denormal numbers would make a filter a hundred times slower. */
export function flushTails(state: Float64Array): void {
  for (let i = 0; i < state.length; i++) if (Math.abs(state[i]!) < 1e-30) state[i] = 0
}
