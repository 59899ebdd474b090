import type { EqualiserSection } from '../../src-contract/recipe.ts'
import { type Biquad, createBiquadCascade, highPass, highShelf, magnitudeDb, peaking } from '../dsp/biquad.ts'
import type { Processor } from '../dsp/processor.ts'
import { createZeroPhase } from '../dsp/zero-phase.ts'

/** Filter of one section. A section that lies above 0.45 of the rate is moved there. */
function designSection(section: EqualiserSection, sampleRateHz: number): Biquad {
  const frequencyHz = Math.min(section.frequencyHz, sampleRateHz * 0.45)
  switch (section.shape) {
    case 'peak':
      return peaking(frequencyHz, sampleRateHz, section.q, section.gainDb)
    case 'high_shelf':
      return highShelf(frequencyHz, sampleRateHz, section.gainDb, section.q)
  }
}

/** Filters of the sections; one of 0 dB is none. */
function filtersOf(sections: readonly EqualiserSection[], sampleRateHz: number): Biquad[] {
  return sections.filter(({ gainDb }) => gainDb !== 0).map((section) => designSection(section, sampleRateHz))
}

/** Gain of the sections together at a frequency, dB. */
export function sectionsGainDb(sections: readonly EqualiserSection[], hz: number, sampleRateHz: number): number {
  return magnitudeDb(filtersOf(sections, sampleRateHz), hz, sampleRateHz)
}

/** Returns a parametric equaliser, the same in both channels; no latency. No sections, and sections of 0 dB, are the exact identity. */
export function createEqualiser(sections: readonly EqualiserSection[], sampleRateHz: number): Processor {
  return createBiquadCascade(filtersOf(sections, sampleRateHz))
}

/** The steep filter has died away by 120 dB after this time, s. */
const steepTailSeconds = 0.25

/**
 * Returns the high-pass against what lies below the audible band. Order 8 is a Butterworth filter of order 4, forward and backward
 * (q = 1 / (2·cos(π·(2k + 1) / 8))), −6 dB at `frequencyHz`: at 18.5 Hz it takes 16 dB off 15 Hz and 0.1 dB off 35 Hz. It delays
 * nothing: with the phase of a filter that runs forward only, what lies just above would rise by up to 5 dB in its peaks. Order 1,
 * −3 dB at `frequencyHz`, does not ring: for an offset that comes and goes with the song.
 */
export function createRumbleFilter(frequencyHz: number, order: 1 | 8, sampleRateHz: number): Processor {
  if (order === 1) return createBiquadCascade([firstOrderHighPass(frequencyHz, sampleRateHz)])
  const qs = [0, 1].map((k) => 1 / (2 * Math.cos((Math.PI * (2 * k + 1)) / 8)))
  const sections = qs.map((q) => highPass(frequencyHz, sampleRateHz, q))
  return createZeroPhase(sections, steepTailSeconds, sampleRateHz)
}

/** Bilinear transform of s / (s + 1). */
function firstOrderHighPass(frequencyHz: number, sampleRateHz: number): Biquad {
  const k = Math.tan((Math.PI * frequencyHz) / sampleRateHz)
  const b0 = 1 / (1 + k)
  return { b0, b1: -b0, b2: 0, a1: (k - 1) / (k + 1), a2: 0 }
}
