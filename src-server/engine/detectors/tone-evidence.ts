import { highShelf, magnitudeDb, peaking } from '../biquad.ts'
import type { BandLevels } from '../meters/spectrum.ts'
import { commercialSpectrumDb } from '../tonal-targets.ts'

/** A typical fault of tone, as the equaliser that would cause it. */
export interface ToneFault {
  readonly kind: 'mud' | 'harshness' | 'dullness'
  readonly shape: 'peak' | 'high_shelf'
  readonly frequencyHz: number
  readonly q: number
  /** Gain of one unit of the fault, dB: dullness is a lack. */
  readonly unitDb: 1 | -1
}

/**
 * The faults looked for: the ones that makers of generated and home-made music name most (too much at 200–350 Hz, a hard edge at 5–8 kHz,
 * no air above 5 kHz), as wide as one turn of a mixing desk's knob.
 */
export const toneFaults: readonly ToneFault[] = [
  { kind: 'mud', shape: 'peak', frequencyHz: 250, q: 1, unitDb: 1 },
  { kind: 'harshness', shape: 'peak', frequencyHz: 6000, q: 1, unitDb: 1 },
  { kind: 'dullness', shape: 'high_shelf', frequencyHz: 5000, q: Math.SQRT1_2, unitDb: -1 },
]

/** How much of each fault the long-term spectrum suggests, dB; around 0 for ordinary music, NaN never. */
export type ToneEvidence = Readonly<Record<ToneFault['kind'], number>>

/**
 * How spectra of finished pieces of music differ from the published average of commercial music, as a Gaussian process over octaves: bands of their own, neighbours
 * within a third of an octave, and broad leanings; standard deviations in dB. Fitted by maximum likelihood to 55 pieces of
 * game music of all kinds (docs/engine.md), none of which is used to report how well faults are found.
 */
const ownDb = 1.25
const neighbourDb = 2.5
const neighbourOctaves = 0.35
const leaningDb = 6.6
const leaningOctaves = 2.5
/** Level and slope of a piece are free. */
const freeLevelDb = 100
const freeSlopeDb = 10

const lowestHz = 45
const highestHz = 13_000
/** Part of the mid's estimate in the whole; the side's spectrum varies more. */
const midWeight = 0.65

/** Rate at which the faults' curves are computed: their shape below 13 kHz hardly depends on it. */
const designRateHz = 96_000

function faultCurve(fault: ToneFault, bandHz: readonly number[]): number[] {
  const design = fault.shape === 'peak' ? peaking : null
  const section = design
    ? design(fault.frequencyHz, designRateHz, fault.q, 4 * fault.unitDb)
    : highShelf(fault.frequencyHz, designRateHz, 4 * fault.unitDb, fault.q)
  return bandHz.map((hz) => magnitudeDb([section], hz, designRateHz) / 4)
}

function covariance(bandHz: readonly number[]): Float64Array[] {
  const octaves = bandHz.map(Math.log2)
  const centre = octaves.reduce((sum, x) => sum + x, 0) / octaves.length
  return octaves.map((x, i) =>
    Float64Array.from(octaves, (y, j) => {
      const distance = Math.abs(x - y)
      return (
        (i === j ? ownDb ** 2 : 0) +
        neighbourDb ** 2 * Math.exp(-distance / neighbourOctaves) +
        leaningDb ** 2 * Math.exp(-((distance / leaningOctaves) ** 2)) +
        freeLevelDb ** 2 +
        freeSlopeDb ** 2 * (x - centre) * (y - centre)
      )
    }),
  )
}

/** Solves A·x = y for a symmetric positive-definite matrix (Cholesky). */
function solve(matrix: readonly Float64Array[], y: readonly number[]): number[] {
  const n = y.length
  const lower = matrix.map((row) => Float64Array.from(row))
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = lower[i]![j]!
      for (let k = 0; k < j; k++) sum -= lower[i]![k]! * lower[j]![k]!
      lower[i]![j] = i === j ? Math.sqrt(sum) : sum / lower[j]![j]!
    }
  }
  const x = [...y]
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i]! -= lower[i]![k]! * x[k]!
    x[i]! /= lower[i]![i]!
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i]! -= lower[k]![i]! * x[k]!
    x[i]! /= lower[i]![i]!
  }
  return x
}

/** Weights w with which Σ w·(level − average) is the most likely amount of a fault: generalised least squares. */
function faultWeights(fault: ToneFault, bandHz: readonly number[]): number[] {
  const curve = faultCurve(fault, bandHz)
  const weights = solve(covariance(bandHz), curve)
  const norm = weights.reduce((sum, weight, b) => sum + weight * curve[b]!, 0)
  return weights.map((weight) => weight / norm)
}

/**
 * Returns the amounts of the typical faults in a long-term spectrum: each is the generalised least-squares estimate of the fault's own
 * curve on top of the published average of commercial music, with free level and slope and the natural variation above.
 * So a bump is judged against the piece's own neighbouring bands. Bands more than 70 dB below the loudest are taken to be 70 dB
 * below it; silence gives 0 for all.
 */
export function describeTone({ bandHz, midDb, sideDb }: BandLevels): ToneEvidence {
  const used = bandHz.map((hz, b) => (hz > lowestHz && hz < highestHz ? b : -1)).filter((b) => b >= 0)
  const hz = used.map((b) => bandHz[b]!)
  const deviation = (levels: readonly number[]): number[] | null => {
    const own = used.map((b) => levels[b]!)
    const loudest = Math.max(...own)
    if (!(loudest > -120)) return null
    return own.map((level, i) => Math.max(level, loudest - 70) - commercialSpectrumDb(hz[i]!))
  }
  const mid = deviation(midDb)
  const side = deviation(sideDb)
  const estimate = (fault: ToneFault): number => {
    const weights = faultWeights(fault, hz)
    const amount = (levels: readonly number[]): number => weights.reduce((sum, w, i) => sum + w * levels[i]!, 0)
    if (mid === null) return 0
    return side === null ? amount(mid) : midWeight * amount(mid) + (1 - midWeight) * amount(side)
  }
  const [mud, harshness, dullness] = toneFaults.map(estimate) as [number, number, number]
  return { mud, harshness, dullness }
}
