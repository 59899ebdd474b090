// The engine's kernels. Plain pointers into a fixed linear memory; nothing is ever freed and the memory never grows, so typed-array views
// stay valid.

/** Returns the address of `bytes` zeroed bytes, aligned to 16; traps when the memory is full. */
export function allocate(bytes: i32): usize {
  const pointer = heap.alloc(bytes)
  memory.fill(pointer, 0, bytes)
  return pointer
}

export { biquadCascade } from './biquad'
export { fftStage4, fftStage2 } from './fft'
export { weightedEnergies } from './loudness'
export { peakGroups, densePeak } from './peaks'
export { addClipError } from './clip'
export { applyGainCurve } from './gain'
export { quantise } from './quantise'
export { stereoSums } from './sums'
export { windowDifference, stereoBands } from './compare'
export { windowedLags } from './prediction'
export { planesOf16, planesOf24 } from './pcm'
export { windowMidSide, midSidePowers, bandSums } from './spectrum'
export { limiterStateBytes, limitGroups, limitedEnergy } from './limit'
export { splitFourBands, addFourBands } from './bands'
export { takeAway, stepEnergies, addBand } from './compress'
export { halfPoints, saturationErrors, joinErrors, filterErrors, addErrors } from './saturate'
