import type { Audio, AudioBlock } from '../dsp/block.ts'
import { gatedLufs } from '../dsp/meters/gating.ts'
import { createEnergyFilter, type EnergyFilter, type Loudness } from '../dsp/meters/loudness.ts'
import { detectGroups, peakGroupFrames, peakReachFrames } from '../dsp/meters/true-peak.ts'
import { dbToGain, powerToDb } from '../dsp/units.ts'
import { clipKnee, clipReachFrames, clipStretch } from './clipper.ts'
import { controlCount, type LimiterSettings, limitedEnergies, limiterControls } from './limiter.ts'

/**
 * Measurements of a stretch of audio for loudness targeting: true peak and K-weighted energy (left² + right²) per group of 8 frames. Both
 * scale with the gain, so one detection serves every target.
 */
export interface Material {
  readonly peaks: Float32Array
  readonly energies: Float32Array
  readonly sampleRateHz: number
}

/** A piece of audio with its material. */
export interface Song extends Material {
  readonly audio: Audio
}

/** Input of loudness targeting, measured once per song and shared by all platforms: plain values and shared memory. */
export interface FinaliseSource extends Song {
  readonly loudness: Loudness
  /** Linear; 0 for silence. */
  readonly truePeak: number
}

/** Loudness goal of a song, and its limits. */
export interface LoudnessGoal {
  /** Level that the limiter holds, linear. */
  readonly ceiling: number
  readonly aimedLufs: number
  /** Permitted mean reduction of the loud parts. */
  readonly meanReductionDb: number
}

/** Groups around a clipped point that the clipper changes or whose detected peaks change. */
const reachGroups = Math.ceil((clipReachFrames + 16) / peakGroupFrames)
/** Groups that the K-weighting rings after a clipped point. */
const ringGroups = 32
/** Groups of K-weighting warm-up before a run: 3 % of earlier signal remains. */
const warmUpGroups = 128
const runGroups = 512

/**
 * Returns the material of a song after soft clipping at `limit` (linear). Only groups near a peak above the clipper's knee are measured
 * again; their peaks below 0.75 of the limit may read lower, since no limiter after it reacts to them. `clipped` is the whole clipped song,
 * if available.
 */
export function clipMaterial(song: Song, limit: number, clipped?: AudioBlock): Material {
  const { audio, peaks: hot, energies: own, sampleRateHz } = song
  const peaks = new Float32Array(hot)
  const energies = new Float32Array(own)
  const filter = createEnergyFilter(sampleRateHz)
  const knee = limit * clipKnee
  for (let g = nextAbove(hot, 0, hot.length, knee); g < hot.length; ) {
    const end = endOfRun(hot, g, knee)
    const from = Math.max(0, g - reachGroups)
    const to = Math.min(hot.length, end + ringGroups)
    warmUp(filter, audio, from)
    for (let at = from; at < to; at += runGroups) {
      const groups = Math.min(runGroups, to - at)
      const run = (clipped && cutRun(clipped, at, groups)) ?? clipRun(audio, hot, limit, at, groups)
      peaks.set(detectGroups(run, margin, groups, limit * limitedPart), at)
      const [left, right] = run.map((samples) => samples.subarray(margin, margin + groups * peakGroupFrames))
      filter.push(left!, right!, peakGroupFrames, runEnergies)
      energies.set(runEnergies.subarray(0, groups), at)
    }
    g = nextAbove(hot, end, hot.length, knee)
  }
  return { peaks, energies, sampleRateHz }
}

/** The first of the groups [first, end) whose peak exceeds `level`, or `end`. */
function nextAbove(peaks: Float32Array, first: number, end: number, level: number): number {
  let g = first
  while (g < end && peaks[g]! <= level) g++
  return g
}

/** End of the groups above `level` that are close enough to share one clipper run. */
function endOfRun(peaks: Float32Array, first: number, level: number): number {
  for (let end = first + 1; ; ) {
    const near = Math.min(peaks.length, end + reachGroups + ringGroups + 1)
    const next = nextAbove(peaks, end, near, level)
    if (next >= near) return end
    end = next + 1
  }
}

/** Brings a filter into its state at the beginning of a group. */
function warmUp(filter: EnergyFilter, { channels }: Audio, group: number): void {
  const first = Math.max(0, group - warmUpGroups) * peakGroupFrames
  const [left, right] = channels.map((samples) => samples.subarray(first, group * peakGroupFrames))
  filter.reset()
  filter.push(left!, right!, peakGroupFrames, runEnergies)
}

interface Clipped {
  readonly limit: number
  readonly material: Material
}

/** The last clipped material of a song, shared by its plan, trims and render. */
const lastClipped = new WeakMap<Float32Array, Clipped>()

/** The material of a whole song after soft clipping at `limit`, or the song's own for null. */
export function clippedWhole(song: Song, limit: number | null): Material {
  if (limit === null) return song
  const known = lastClipped.get(song.peaks)
  if (known?.limit === limit) return known.material
  const material = clipMaterial(song, limit)
  lastClipped.set(song.peaks, { limit, material })
  return material
}

/** Lowest level, as a part of the clipper's, that a limiter after it acts on. */
const limitedPart = 0.75

const margin = peakReachFrames
const clippedRun = [0, 1].map(() => new Float32Array(runGroups * peakGroupFrames + 2 * margin))
const runEnergies = new Float64Array(runGroups)

/** The clipped frames of some groups, with a margin on both sides; valid until the next call. */
function clipRun(audio: Audio, peaks: Float32Array, limit: number, group: number, groups: number): Float32Array[] {
  return audio.channels.map((samples, c) => {
    const out = clippedRun[c]!.subarray(0, groups * peakGroupFrames + 2 * margin)
    clipStretch(samples, peaks, group * peakGroupFrames - margin, limit, audio.sampleRateHz, out)
    return out
  })
}

/** The same frames as views of an already clipped song; null at its ends, where the clipping error rings beyond them. */
function cutRun({ channels, frames }: AudioBlock, group: number, groups: number): Float32Array[] | null {
  const first = group * peakGroupFrames - margin
  const end = (group + groups) * peakGroupFrames + margin
  return first < 0 || end > frames ? null : channels.map((samples) => samples.subarray(first, end))
}

/**
 * Returns the frames of `audio` from `first` on, clipped at `limit` (null: no clipper): in `buffer`, filling it, or as views of the song if
 * nothing is clipped.
 */
export function clippedFrames(
  audio: Audio,
  peaks: Float32Array,
  limit: number | null,
  first: number,
  buffer: AudioBlock,
): AudioBlock {
  const { frames } = buffer
  const untouched = audio.channels.map((samples) => samples.subarray(first, first + frames))
  const group = Math.floor((first - 2 * clipReachFrames) / peakGroupFrames)
  const endGroup = Math.ceil((first + frames + 2 * clipReachFrames) / peakGroupFrames)
  const knee = (limit ?? Infinity) * clipKnee
  const end = Math.min(peaks.length, endGroup)
  if (limit === null || nextAbove(peaks, Math.max(0, group), end, knee) >= end) return { channels: untouched, frames }
  for (const [c, samples] of audio.channels.entries()) {
    clipStretch(samples, peaks, first, limit, audio.sampleRateHz, buffer.channels[c]!)
  }
  return buffer
}

/** Group indices that bound the 100 ms steps of a signal, one more than steps. */
export function stepBounds(groups: number, sampleRateHz: number): Int32Array {
  const groupsPerStep = sampleRateHz / peakGroupFrames / 10
  return Int32Array.from({ length: Math.floor(groups / groupsPerStep) + 1 }, (_, i) => Math.round(i * groupsPerStep))
}

/** Returns the mean K-weighted power per group of 8 frames of stereo audio, left² + right² added up, in dB, ungated. */
export function weightedPowerDb({ channels, frames }: AudioBlock, sampleRateHz: number): number {
  const filter = createEnergyFilter(sampleRateHz)
  let sum = 0
  for (let first = 0; first < frames; first += runGroups * peakGroupFrames) {
    const [left, right] = channels.map((samples) => samples.subarray(first, first + runGroups * peakGroupFrames))
    filter.push(left!, right!, peakGroupFrames, runEnergies)
    const groups = Math.ceil(left!.length / peakGroupFrames)
    for (let g = 0; g < groups; g++) sum += runEnergies[g]!
  }
  return powerToDb((sum * peakGroupFrames) / Math.max(1, frames))
}

/** A limiter over a material, for trials at several input gains. */
export interface LimiterTrial {
  readonly controls: Float32Array
  /** Energies of the 100 ms steps after limiting, at input gain 0 dB, of the last trial. */
  readonly stepEnergies: Float64Array
  /** Limits at the input gain (dB) and returns the resulting gated loudness in LUFS. */
  lufsAt(gainDb: number): number
  /** Limits at the input gain and returns the resulting mean K-weighted power, dB, ungated. */
  powerDbAt(gainDb: number): number
}

/** Returns a trial of `settings` with peaks held under `ceiling` (linear, at the output). */
export function createLimiterTrial(material: Material, ceiling: number, settings: LimiterSettings): LimiterTrial {
  const { peaks, energies, sampleRateHz } = material
  const bounds = stepBounds(peaks.length, sampleRateHz)
  const controls = new Float32Array(controlCount(peaks.length))
  const stepEnergies = new Float64Array(Math.max(0, bounds.length - 1))
  // A solver starts at the gain of the last one.
  let standsAtDb = Number.NaN
  const limitAt = (gainDb: number): void => {
    if (gainDb === standsAtDb) return
    standsAtDb = gainDb
    limiterControls(peaks, ceiling / dbToGain(gainDb), settings, sampleRateHz, controls)
    limitedEnergies(energies, controls, bounds, stepEnergies)
  }
  return {
    controls,
    stepEnergies,
    lufsAt(gainDb) {
      limitAt(gainDb)
      return gatedLufs(blockMeans(stepEnergies, sampleRateHz)) + gainDb
    },
    powerDbAt(gainDb) {
      limitAt(gainDb)
      const sum = stepEnergies.reduce((total, energy) => total + energy, 0)
      return powerToDb(sum / Math.max(1, peaks.length)) + gainDb
    },
  }
}

/** Mean squares of the 400 ms blocks at 100 ms hop, from the energies of the 100 ms steps. */
export function blockMeans(stepEnergies: Float64Array, sampleRateHz: number): Float64Array {
  return Float64Array.from({ length: Math.max(0, stepEnergies.length - 3) }, (_, i) => {
    const sum = stepEnergies[i]! + stepEnergies[i + 1]! + stepEnergies[i + 2]! + stepEnergies[i + 3]!
    return sum / (0.4 * sampleRateHz)
  })
}

/** A gain and the value measured there. */
export interface Solution {
  readonly gainDb: number
  readonly value: number
  /** Change of the value per dB of gain there. */
  readonly slope: number
}

/**
 * Finds the gain up to `capDb` that makes the rising function `measure` reach `target` within `tolerance`: secant steps from `startDb` on,
 * up or down, kept inside the known bracket, the first along `expectedSlope`. Returns the cap if even that falls short, and the current
 * result after 16 evaluations.
 */
export function solveGain(
  measure: (gainDb: number) => number,
  target: number,
  startDb: number,
  capDb: number,
  tolerance: number,
  expectedSlope = 0.8,
): Solution {
  let low = { gainDb: -Infinity, value: -Infinity }
  let high = { gainDb: Infinity, value: Infinity }
  let gainDb = Math.min(startDb, capDb)
  let last = { gainDb, value: measure(gainDb) }
  let slope = expectedSlope
  for (let evaluations = 1; ; evaluations++) {
    const error = target - last.value
    if (Math.abs(error) <= tolerance || evaluations >= 16) return { ...last, slope }
    if (error > 0) low = last
    else high = last
    if (low.gainDb >= capDb) return { ...last, slope }
    gainDb = Math.min(capDb, last.gainDb + error / slope)
    if (gainDb >= high.gainDb || gainDb <= low.gainDb) gainDb = (low.gainDb + high.gainDb) / 2
    if (!Number.isFinite(gainDb) || high.gainDb - low.gainDb < 1e-4) return { ...last, slope }
    const next = { gainDb, value: measure(gainDb) }
    const seen = (next.value - last.value) / (next.gainDb - last.gainDb)
    slope = Number.isFinite(seen) ? Math.min(1.1, Math.max(0.1, seen)) : slope
    last = next
  }
}
