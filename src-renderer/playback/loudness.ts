/**
 * Live loudness of an EBU mode meter (ITU-R BS.1770-5, annex 1; EBU Tech 3341, section 2): momentary over 400 ms,
 * short-term over 3 s, integrated with both gates, all updated every 100 ms. Pure: it runs on the audio thread and in
 * tests.
 */

import { type Biquad, kWeighting } from '../../src-engine/dsp/biquad.ts'
import { absoluteGateLufs, meanSquareToLufs, relativeGate } from '../../src-engine/dsp/meters/gating.ts'

/** Levels in LUFS; −Infinity until there is enough sound, and for silence. */
export interface Loudness {
  momentaryLufs: number
  shortTermLufs: number
  integratedLufs: number
}

/**
 * Returns a single-channel filter, direct form II transposed, that gives the energy (sum of squares) of each run of
 * samples.
 */
function createWeightedEnergy([shelf, pass]: readonly [Biquad, Biquad]) {
  let s1 = 0
  let s2 = 0
  let t1 = 0
  let t2 = 0
  return (samples: Float32Array, from: number, frames: number): number => {
    let sum = 0
    for (let i = from; i < from + frames; i++) {
      const x = samples[i] as number
      const y = shelf.b0 * x + s1
      s1 = shelf.b1 * x - shelf.a1 * y + s2
      s2 = shelf.b2 * x - shelf.a2 * y
      const z = pass.b0 * y + t1
      t1 = pass.b1 * y - pass.a1 * z + t2
      t2 = pass.b2 * y - pass.a2 * z
      sum += z * z
    }
    return sum
  }
}

const HOPS_MOMENTARY = 4
const HOPS_SHORT_TERM = 30
const BINS_PER_LU = 20
const TOP_LUFS = 20
const BINS = (TOP_LUFS - absoluteGateLufs) * BINS_PER_LU

/** Gated mean of 400 ms blocks in constant memory: the relative gate has the resolution of a bin, 0.05 LU. */
function createGate() {
  const counts = new Float64Array(BINS)
  const sums = new Float64Array(BINS)
  const meanFrom = (first: number) => {
    let sum = 0
    let count = 0
    for (let bin = first; bin < BINS; bin++) {
      sum += sums[bin] as number
      count += counts[bin] as number
    }
    return count === 0 ? 0 : sum / count
  }
  const binOf = (level: number) => Math.floor((level - absoluteGateLufs) * BINS_PER_LU)
  return {
    add(meanSquare: number) {
      const bin = binOf(meanSquareToLufs(meanSquare))
      if (!(bin >= 0)) return
      const at = Math.min(BINS - 1, bin)
      counts[at] = (counts[at] as number) + 1
      sums[at] = (sums[at] as number) + meanSquare
    },
    read(): number {
      const ungated = meanFrom(0)
      if (ungated === 0) return Number.NEGATIVE_INFINITY
      return meanSquareToLufs(meanFrom(Math.max(0, binOf(meanSquareToLufs(ungated / relativeGate)))))
    },
    reset() {
      counts.fill(0)
      sums.fill(0)
    },
  }
}

/**
 * Returns a stereo meter. `push` takes planar samples from `from` on, in runs of any length; `levels` is updated in
 * place every 100 ms of sound. `restart` restarts the integrated measurement. Never throws.
 */
export function createLoudnessMeter(sampleRateHz: number) {
  const sections = kWeighting(sampleRateHz)
  const leftEnergy = createWeightedEnergy(sections)
  const rightEnergy = createWeightedEnergy(sections)
  const gate = createGate()
  const hopFrames = Math.round(sampleRateHz / 10)
  const hops = new Float64Array(HOPS_SHORT_TERM)
  let hopsSeen = 0
  let hopsSinceRestart = 0
  let hopEnergy = 0
  let hopFilled = 0
  const silence = Number.NEGATIVE_INFINITY
  const levels: Loudness = { momentaryLufs: silence, shortTermLufs: silence, integratedLufs: silence }

  const meanOfLast = (count: number) => {
    let sum = 0
    for (let i = 1; i <= count; i++) sum += hops[(hopsSeen - i + HOPS_SHORT_TERM) % HOPS_SHORT_TERM] as number
    return sum / (count * hopFrames)
  }

  function endHop() {
    hops[hopsSeen % HOPS_SHORT_TERM] = hopEnergy
    hopsSeen += 1
    hopsSinceRestart += 1
    hopEnergy = 0
    hopFilled = 0
    if (hopsSeen >= HOPS_MOMENTARY) levels.momentaryLufs = meanSquareToLufs(meanOfLast(HOPS_MOMENTARY))
    if (hopsSeen >= HOPS_SHORT_TERM) levels.shortTermLufs = meanSquareToLufs(meanOfLast(HOPS_SHORT_TERM))
    if (hopsSinceRestart >= HOPS_MOMENTARY) {
      gate.add(meanOfLast(HOPS_MOMENTARY))
      levels.integratedLufs = gate.read()
    }
  }

  return {
    levels: levels as Readonly<Loudness>,
    push(left: Float32Array, right: Float32Array, from: number, frames: number) {
      let at = from
      const end = from + frames
      while (at < end) {
        const run = Math.min(end - at, hopFrames - hopFilled)
        hopEnergy += leftEnergy(left, at, run) + rightEnergy(right, at, run)
        hopFilled += run
        at += run
        if (hopFilled === hopFrames) endHop()
      }
    },
    restart() {
      gate.reset()
      hopsSinceRestart = 0
      levels.integratedLufs = silence
    },
  }
}

export type LoudnessMeter = ReturnType<typeof createLoudnessMeter>
