import { type Biquad, highShelf, magnitudeDb, peaking } from '../dsp/biquad.ts'
import { activeFrames, type BandFrames, emptyDb, longTermSpectrum, typicalSpectrumDb } from '../dsp/meters/spectrum.ts'
import { power } from '../dsp/units.ts'
import { commercialSpectrumDb } from './tonal-targets.ts'

/** A typical fault of tone, as the equaliser that would cause it. */
export interface ToneFault {
  readonly kind: 'mud' | 'harshness' | 'dullness'
  readonly shape: 'peak' | 'high_shelf'
  readonly frequencyHz: number
  readonly q: number
  /** Gain of one unit of the fault, dB: dullness is a lack. */
  readonly unitDb: 1 | -1
  /** Size in which it usually comes, dB. */
  readonly usualDb: number
}

/**
 * The faults looked for: the ones that makers of generated and home-made music name most (too much at 200–350 Hz, a hard edge at 5–8 kHz,
 * no air above 5 kHz), as wide as one turn of a mixing batch's knob.
 */
export const toneFaults: readonly ToneFault[] = [
  { kind: 'mud', shape: 'peak', frequencyHz: 250, q: 1, unitDb: 1, usualDb: 4 },
  { kind: 'harshness', shape: 'peak', frequencyHz: 6000, q: 1, unitDb: 1, usualDb: 5 },
  { kind: 'dullness', shape: 'high_shelf', frequencyHz: 5000, q: Math.SQRT1_2, unitDb: -1, usualDb: 4 },
]

/** Amount of each fault that the long-term spectrum suggests, dB; around 0 for ordinary music, never NaN. */
export type ToneEvidence = Readonly<Record<ToneFault['kind'], number>>

/**
 * Spread of the spectra of finished music around the published average of commercial music, as a Gaussian process over
 * octaves: bands of their own, neighbours, broad leanings and a slope; standard deviations in dB (per octave for the slope), the
 * level is free. Chosen on 57 pieces of game music of all kinds so that the evidence for faults spreads least among them; none of
 * them is used to report how well faults are found.
 */
const ownDb = 0.5
const neighbourDb = 4
const neighbourOctaves = 1.2
const leaningDb = 7
const leaningOctaves = 2.1
const slopeDb = 0.8
const freeLevelDb = 100

const lowestHz = 45
const highestHz = 13_000
/** Bands this far below a cutoff are whole: a twelfth of an octave for the band's own half, another for the slope. */
const belowCutoff = power(2, -1 / 6)
/** Rate at which the faults' curves are computed: their shape below 13 kHz hardly depends on it. */
const designRateHz = 96_000

/** The filter that puts `amountDb` of a fault into music; a negative amount takes it out again. */
export function faultSection(fault: ToneFault, sampleRateHz: number, amountDb: number): Biquad {
  const gainDb = amountDb * fault.unitDb
  return fault.shape === 'peak'
    ? peaking(fault.frequencyHz, sampleRateHz, fault.q, gainDb)
    : highShelf(fault.frequencyHz, sampleRateHz, gainDb, fault.q)
}

function faultCurve(fault: ToneFault, bandHz: readonly number[]): number[] {
  const section = faultSection(fault, designRateHz, 4)
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
        slopeDb ** 2 * (x - centre) * (y - centre)
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
 * Returns the amounts of the typical faults in a piece, from bands of a sixth of an octave: each is the generalised least-squares
 * estimate of the fault's own curve on top of the published average of commercial music, with the natural variation above, so that
 * a bump is judged against the piece's own neighbouring bands; the mean of the estimates from its long-term average and from its
 * typical moment, mid only. Bands more than 70 dB below the loudest are taken to be 70 dB below it. Bands beyond `bandwidthHz`,
 * where there is no music, take no part, and a fault that lies less than half an octave below it cannot be judged. Silence, and
 * what cannot be judged, give 0.
 */
export function describeTone(frames: BandFrames, bandwidthHz: number): ToneEvidence {
  const { bandHz, midDb } = longTermSpectrum(frames)
  const topHz = Math.min(highestHz, bandwidthHz * belowCutoff)
  const used = bandHz.map((hz, b) => (hz > lowestHz && hz < topHz ? b : -1)).filter((b) => b >= 0)
  const hz = used.map((b) => bandHz[b]!)
  const deviation = (levels: readonly number[]): number[] => {
    const own = used.map((b) => levels[b]!)
    const loudest = Math.max(...own)
    return own.map((level, i) => Math.max(level, loudest - emptyDb) - commercialSpectrumDb(hz[i]!))
  }
  const average = deviation(midDb)
  const typical = deviation(typicalSpectrumDb(frames, activeFrames(frames)))
  const isSilent = !(Math.max(...midDb) > -120)
  const estimate = (fault: ToneFault): number => {
    if (isSilent || fault.frequencyHz * Math.SQRT2 > topHz) return 0
    return faultWeights(fault, hz).reduce((sum, weight, i) => sum + (weight * (average[i]! + typical[i]!)) / 2, 0)
  }
  const [mud, harshness, dullness] = toneFaults.map(estimate) as [number, number, number]
  return { mud, harshness, dullness }
}
