import { type Biquad, highShelf, magnitudeDb, peaking } from '../dsp/biquad.ts'
import {
  activeFrames,
  type BandFrames,
  type BandLevels,
  emptyDb,
  longTermSpectrum,
  typicalSpectrumDb,
} from '../dsp/meters/spectrum.ts'
import { power } from '../dsp/units.ts'
import { commercialSpectrumDb } from './tonal-targets.ts'

/** A typical fault of tone, as the equaliser that causes it. */
export interface ToneFault {
  readonly kind: 'mud' | 'harshness' | 'dullness'
  readonly shape: 'peak' | 'high_shelf'
  readonly frequencyHz: number
  readonly q: number
  /** Gain of one unit of the fault, dB; negative for dullness, a lack. */
  readonly unitDb: 1 | -1
  /** Usual size, dB. */
  readonly usualDb: number
}

/**
 * Detected faults: the complaints most frequent about generated and home-made music (too much at 200–350 Hz, a hard edge at 5–8 kHz, no air
 * above 5 kHz), as wide as one knob of a mixing console.
 */
export const toneFaults: readonly ToneFault[] = [
  { kind: 'mud', shape: 'peak', frequencyHz: 250, q: 1, unitDb: 1, usualDb: 4 },
  { kind: 'harshness', shape: 'peak', frequencyHz: 6000, q: 1, unitDb: 1, usualDb: 5 },
  { kind: 'dullness', shape: 'high_shelf', frequencyHz: 5000, q: Math.SQRT1_2, unitDb: -1, usualDb: 4 },
]

/** Amount of each fault that the long-term spectrum suggests, dB; around 0 for ordinary music, never NaN. */
export type ToneEvidence = Readonly<Record<ToneFault['kind'], number>>

/**
 * Spread of the spectra of finished music around the published average of commercial music, as a Gaussian process over octaves: bands of
 * their own, neighbours, broad leanings and a slope; standard deviations in dB (per octave for the slope), the level is free. Chosen on 57
 * pieces of game music of all kinds so that the evidence for faults spreads least among them; these are not used to report detection rates.
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
/** Ratio to a cutoff below which bands are complete: a twelfth of an octave for half a band, another for the slope. */
const belowCutoff = power(2, -1 / 6)
/** Design rate of the faults' curves: their shape below 13 kHz hardly depends on it. */
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

/** Returns the lower triangle of Cholesky of a symmetric positive-definite matrix. */
function triangleOf(matrix: readonly Float64Array[]): readonly Float64Array[] {
  const lower = matrix.map((row) => Float64Array.from(row))
  for (const [i, row] of lower.entries()) {
    for (let j = 0; j <= i; j++) {
      let sum = row[j]!
      for (let k = 0; k < j; k++) sum -= row[k]! * lower[j]![k]!
      row[j] = i === j ? Math.sqrt(sum) : sum / lower[j]![j]!
    }
  }
  return lower
}

/** Solves A·x = y, given the triangle of A. */
function solve(lower: readonly Float64Array[], y: readonly number[]): number[] {
  const n = y.length
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

/** A fault's curve, to be detected on top of ordinary variation. */
interface Template {
  readonly fault: ToneFault
  /** Weights w that make Σ w·(level − average) its most likely amount: generalised least squares. */
  readonly weights: readonly number[]
  /** Inverse variance of that estimate, 1 / dB². */
  readonly precision: number
}

function templateOf(fault: ToneFault, bandHz: readonly number[], lower: readonly Float64Array[]): Template {
  const curve = faultCurve(fault, bandHz)
  const solved = solve(lower, curve)
  const precision = solved.reduce((sum, weight, b) => sum + weight * curve[b]!, 0)
  return { fault, weights: solved.map((weight) => weight / precision), precision }
}

/** Faults whose place and width follow the song; dullness has no place. */
export type PlacedFault = Exclude<ToneFault['kind'], 'dullness'>

/** Candidate places and widths of a fault: up to half an octave from its usual place, in steps of bands. */
const placedOctaves = [-3, -2, -1, 0, 1, 2, 3].map((step) => step / 6)
const placedQs = [Math.SQRT1_2, 1, Math.SQRT2, 2]
/** Expected spread of the places and widths (Q) of faults, octaves. Ours. */
const placeOctaves = 0.25
const widthOctaves = 0.5

interface Templates {
  /** One for each of {@link toneFaults}. */
  readonly usual: readonly Template[]
  readonly placed: Readonly<Record<PlacedFault, readonly Template[]>>
}

const templatesByCount = new Map<number, Templates>()

/** Templates for the bands from {@link lowestHz} on, known by their number. */
function templatesFor(bandHz: readonly number[]): Templates {
  const known = templatesByCount.get(bandHz.length)
  if (known !== undefined) return known
  const lower = triangleOf(covariance(bandHz))
  const [mud, harshness] = toneFaults as [ToneFault, ToneFault]
  const placed = (fault: ToneFault): Template[] =>
    placedOctaves.flatMap((octaves) =>
      placedQs.map((q) =>
        templateOf({ ...fault, frequencyHz: fault.frequencyHz * power(2, octaves), q }, bandHz, lower),
      ),
    )
  const templates: Templates = {
    usual: toneFaults.map((fault) => templateOf(fault, bandHz, lower)),
    placed: { mud: placed(mud), harshness: placed(harshness) },
  }
  templatesByCount.set(bandHz.length, templates)
  return templates
}

/** Deviation of a piece from the published average of commercial music, in sixth octaves. */
export interface ToneDeviation {
  /** Empty for silence. */
  readonly bandHz: readonly number[]
  readonly deviationDb: readonly number[]
  /** Upper end of the judged range, Hz. */
  readonly topHz: number
}

/**
 * Returns the mean deviation of a piece's long-term average and typical moment, mid only, from the published average, up to `bandwidthHz`,
 * the end of its music. Bands more than 70 dB below the loudest are taken to be 70 dB below it.
 */
export function toneDeviation(frames: BandFrames, bandwidthHz: number): ToneDeviation {
  return deviationOf(longTermSpectrum(frames), typicalSpectrumDb(frames, activeFrames(frames)), bandwidthHz)
}

/** The same from the levels of both. */
export function deviationOf(
  { bandHz, midDb }: Pick<BandLevels, 'bandHz' | 'midDb'>,
  typicalDb: readonly number[],
  bandwidthHz: number,
): ToneDeviation {
  const topHz = Math.min(highestHz, bandwidthHz * belowCutoff)
  if (!(Math.max(...midDb) > -120)) return { bandHz: [], deviationDb: [], topHz }
  const used = bandHz.map((hz, b) => (hz > lowestHz && hz < topHz ? b : -1)).filter((b) => b >= 0)
  const levels = (all: readonly number[]): number[] => {
    const own = used.map((b) => all[b]!)
    const loudest = Math.max(...own)
    return own.map((level) => Math.max(level, loudest - emptyDb))
  }
  const average = levels(midDb)
  const typical = levels(typicalDb)
  const hz = used.map((b) => bandHz[b]!)
  const deviationDb = hz.map((f, i) => (average[i]! + typical[i]!) / 2 - commercialSpectrumDb(f))
  return { bandHz: hz, deviationDb, topHz }
}

const amountIn = ({ deviationDb }: ToneDeviation, { weights }: Template): number =>
  weights.reduce((sum, weight, i) => sum + weight * deviationDb[i]!, 0)

/** True for a fault at least half an octave below the end of the judged range. */
const canBeJudged = ({ bandHz, topHz }: ToneDeviation, { frequencyHz }: ToneFault): boolean =>
  bandHz.length > 0 && frequencyHz * Math.SQRT2 <= topHz

/**
 * Returns the amounts of the typical faults in a piece: each is the generalised least-squares estimate of the fault's own curve on top of
 * the published average of commercial music, with the natural variation above, so that a bump is judged against the piece's own
 * neighbouring bands. Silence and faults that cannot be judged give 0.
 */
export function describeTone(deviation: ToneDeviation): ToneEvidence {
  const [mud, harshness, dullness] = toneFaults.map((fault, f) =>
    canBeJudged(deviation, fault) ? amountIn(deviation, templatesFor(deviation.bandHz).usual[f]!) : 0,
  ) as [number, number, number]
  return { mud, harshness, dullness }
}

/** Place of a fault in a song. */
export interface FaultPlace {
  readonly frequencyHz: number
  readonly q: number
  /** Amount that the spectrum shows there, dB. */
  readonly evidenceDb: number
}

/**
 * Returns the place and width of a usual-sized fault that best explain a piece's spectrum, near the usual ones unless the song clearly
 * favours others. Returns the usual place if the spectrum speaks against a fault there, whatever lies beside it; and the usual place
 * without evidence for silence and for faults that cannot be judged.
 */
export function placeOfFault(deviation: ToneDeviation, kind: PlacedFault): FaultPlace {
  const usual = toneFaults.find((fault) => fault.kind === kind)!
  const { frequencyHz, q, usualDb } = usual
  if (!canBeJudged(deviation, usual)) return { frequencyHz, q, evidenceDb: 0 }
  const usualTemplate = templatesFor(deviation.bandHz).usual[toneFaults.indexOf(usual)]!
  const atUsualDb = amountIn(deviation, usualTemplate)
  if (atUsualDb <= 0) return { frequencyHz, q, evidenceDb: atUsualDb }
  const candidates = templatesFor(deviation.bandHz).placed[kind].map((template) => {
    const amountDb = amountIn(deviation, template)
    const octaves = Math.log2(template.fault.frequencyHz / frequencyHz) / placeOctaves
    const widths = Math.log2(template.fault.q / q) / widthOctaves
    const likelihood = usualDb * template.precision * (amountDb - usualDb / 2) - (octaves ** 2 + widths ** 2) / 2
    return { template, amountDb, likelihood }
  })
  const { template, amountDb } = candidates.reduce((best, each) => (each.likelihood > best.likelihood ? each : best))
  return { frequencyHz: template.fault.frequencyHz, q: template.fault.q, evidenceDb: amountDb }
}
