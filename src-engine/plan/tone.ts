import type { Genre } from '../../src-contract/platforms.ts'
import type { EqualiserSection, GainCurve, RecipeStage } from '../../src-contract/recipe.ts'
import type { Decision } from '../../src-contract/report.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { certainty, faultOdds, probability } from '../analysis/fault-classifier.ts'
import { genreSpectrumDb } from '../analysis/tonal-targets.ts'
import { type ToneFault, toneFaults } from '../analysis/tone-evidence.ts'
import { excessDb, usualUpToDb } from '../analysis/usual-range.ts'
import { type BandLevels, emptyDb, quantile } from '../dsp/meters/spectrum.ts'
import { isOppositePhase } from '../dsp/meters/stereo.ts'
import { clamp, rise, rounded } from '../dsp/units.ts'
import { filterGainDb, highCutAllowance, nothingPlanned, type PlannedSong, type PlanPart } from './part.ts'

/** Up to this many dB a correction is a matter of taste: a lean while a fault is only possible. */
const leanDb = 0.9
/**
 * Log-odds between which the lean grows: a probability of 27 per cent, where nothing speaks for a fault it is half of that, and
 * even odds.
 */
const possibleFrom = -1
const possibleTo = 0
/**
 * Log-odds from which a fault is taken for real and removed in its usual size, each by how often music without that fault exceeds
 * it (docs/engine.md, section 4): mud and dullness one piece in a hundred at most, since a cut there takes a song's warmth and a
 * lift hardens what was meant; harshness one in fifteen.
 */
const certainFrom: Record<ToneFault['kind'], number> = { mud: 1, harshness: -0.6, dullness: 1 }

/** Faults of which one is undone by what causes the other: where one is taken for real, the other is no matter of taste. */
const opposites = { harshness: 'dullness', dullness: 'harshness', mud: null } as const

const codes = { mud: 'MUD_CUT', harshness: 'TONE_HARSHNESS_CUT', dullness: 'TONE_DULLNESS_LIFTED' } as const

/** Correction at intensity 50 for the log-odds of a fault, dB, to be taken against it: 0 … its usual size. */
export function faultCorrectionDb({ kind, usualDb }: Pick<ToneFault, 'kind' | 'usualDb'>, logOdds: number): number {
  const lean = leanDb * rise(logOdds, possibleFrom, possibleTo)
  return lean + (usualDb - lean) * certainty(logOdds, certainFrom[kind])
}

/** Least correction that is worth a filter, dB. */
const leastDb = 0.15

/**
 * Part of what lies beyond nearly all finished music that is taken back at intensity 50: half of mud, since sparse music of low
 * instruments lies there as well and a cut takes its warmth.
 */
const excessPart = { mud: 0.5, harshness: 1 } as const

/** Evidence of the spectrum from which harshness may be cut in full, dB; without any, how the peaks line up is not enough. */
const plainHarshnessDb = 1

/** Part of the correction of a fault that the spectrum itself allows, 0 to 1: cuts in the highs need highs that stand out. */
function allowance(analysis: PlannedSong, kind: ToneFault['kind']): number {
  if (kind !== 'harshness') return 1
  return highCutAllowance(analysis) * rise(analysis.tone.harshness, 0, plainHarshnessDb)
}

/** What is taken against one fault of tone at intensity 50. */
interface ToneCorrection {
  /** dB of the fault: 0 … its usual size. */
  readonly amountDb: number
  readonly code: Decision['code']
  /** Part of the whole correction that is no matter of taste, 0 … 1. */
  readonly certainty: number
  /** What the report tells of it beside the evidence. */
  readonly reason: Readonly<Record<string, number>>
}

function toneCorrection(analysis: PlannedSong, fault: ToneFault, logOdds: number): ToneCorrection {
  const { kind, usualDb } = fault
  const byOddsDb = faultCorrectionDb(fault, logOdds)
  if (kind !== 'dullness') {
    const amountDb = Math.min(usualDb, excessPart[kind] * excessDb(analysis, kind))
    const reason = { usualUpToDb: usualUpToDb(analysis, kind) }
    if (amountDb > byOddsDb) return { amountDb, code: 'TONE_EXCESS_CUT', certainty: amountDb / usualDb, reason }
  }
  const found = certainty(logOdds, certainFrom[kind])
  return {
    amountDb: byOddsDb,
    code: found > 0 ? codes[kind] : 'TONE_LEANED',
    certainty: found,
    reason: { probability: rounded(probability(logOdds), 2) },
  }
}

/**
 * Returns the equaliser against the typical faults of tone, the same in mid and side: the exact inverses of the faults' own
 * filters, by their odds, or by how far the piece lies beyond nearly all finished music where that is more. `intensity` 50 corrects
 * as described, 0 not at all, 100 twice the lean and the excess but never more than the fault. A lean is told as one: no fault was
 * found. Nothing is judged in a piece that is not {@link isComparable}; harshness is cut only where the spectrum itself shows it and the
 * treble does not fall away above it.
 */
export function planToneFaults(analysis: PlannedSong, intensity: number): PlanPart {
  if (!isComparable(analysis)) return nothingPlanned
  const odds = faultOdds(analysis)
  const corrections = new Map(
    toneFaults.map((fault) => [fault.kind, toneCorrection(analysis, fault, odds[fault.kind])]),
  )
  const sections: EqualiserSection[] = []
  const decisions: Decision[] = []
  for (const fault of toneFaults) {
    const { kind, shape, frequencyHz, q, usualDb, unitDb } = fault
    const { amountDb, code, reason } = corrections.get(kind)!
    const opposite = opposites[kind]
    const doubt = opposite === null ? 1 : 1 - corrections.get(opposite)!.certainty
    const amount = allowance(analysis, kind) * Math.min(usualDb, (doubt * amountDb * intensity) / 50)
    if (amount < leastDb) continue
    // Air is not lifted above a cutoff: there is only noise.
    if (kind === 'dullness' && (analysis.bandwidthHz ?? 20_000) < 2 * frequencyHz) continue
    sections.push({ shape, frequencyHz, q, gainDb: -amount * unitDb })
    const values = {
      frequencyHz,
      gainDb: rounded(-amount * unitDb, 2),
      evidenceDb: rounded(analysis.tone[kind]),
      ...reason,
    }
    if (code === codes[kind]) decisions.push({ stage: kind === 'mud' ? 'repair' : 'tone', code, values })
    else decisions.push({ stage: 'tone', code, values: { fault: kind, ...values } })
  }
  if (sections.length === 0) return nothingPlanned
  return { stages: [{ kind: 'equalise', sections }], decisions }
}

/** Whether a band lies where music has its weight: there two spectra are brought to one level. */
const isInCore = (hz: number): boolean => hz >= 100 && hz <= 8000

/** Whether all there is stands in one channel or in the side: there mid and side are filtered alike. */
function isOneSided({ deadChannel, sideToMidDb }: SourceAnalysis): boolean {
  return deadChannel !== null || isOppositePhase(sideToMidDb)
}

/** The levels of a song, of one in opposite phase with the side, where its sound is, as the mid. */
function heardLevels({ sideToMidDb }: SourceAnalysis, levels: BandLevels): BandLevels {
  return isOppositePhase(sideToMidDb) ? { ...levels, midDb: levels.sideDb, sideDb: levels.midDb } : levels
}

/** Frequency up to which a spectrum is followed, Hz: that of the narrowest of `bandwidthsHz`, null for one that nothing cuts off. */
function commonBandwidthHz(...bandwidthsHz: readonly (number | null)[]): number {
  return Math.min(...bandwidthsHz.map((hz) => hz ?? 20_000), 20_000)
}

/** Mean of `values` over the bands of the core that lie below `limitHz`. */
function meanInCore(bandHz: readonly number[], values: readonly number[], limitHz = Number.POSITIVE_INFINITY): number {
  const core = values.filter((_, b) => isInCore(bandHz[b]!) && bandHz[b]! < limitHz)
  return core.reduce((sum, value) => sum + value, 0) / core.length
}

/** Median over the same bands of the values that there are. */
function medianInCore(bandHz: readonly number[], values: readonly (number | null)[]): number {
  const core = values.filter((value, b): value is number => value !== null && isInCore(bandHz[b]!))
  return core.length > 0 ? quantile(Float64Array.from(core).sort(), 0.5) : 0
}

/** Smooths a curve over bands with a triangle of ± `reach(hz)` bands. */
function smoothed(bandHz: readonly number[], values: readonly number[], reach: (hz: number) => number): number[] {
  return bandHz.map((hz, b) => {
    const width = reach(hz)
    let sum = 0
    let weights = 0
    for (let k = Math.ceil(b - width); k <= b + width; k++) {
      const value = values[k]
      if (value === undefined) continue
      const weight = 1 - Math.abs(k - b) / (width + 1)
      sum += weight * value
      weights += weight
    }
    return sum / weights
  })
}

/** Values above the limit are held at the last one below it, so that nothing is done where there is no music to compare. */
function heldAbove(bandHz: readonly number[], values: readonly number[], limitHz: number): number[] {
  const last = bandHz.findLastIndex((hz) => hz < limitHz)
  return values.map((value, b) => (b > last ? (values[Math.max(0, last)] ?? 0) : value))
}

/** Correction toward the genre is this part of the distance at intensity 50, at most {@link genreClampDb}. */
const genrePart = 0.5
const genreClampDb = 3

/** A song beside the target of its genre, in the bands of a spectrum. */
interface GenreTarget {
  /** What the song has, dB; bands without music at the level below which they hold none. */
  readonly ownDb: readonly number[]
  /** The target at the song's own level in the core, as far as the song goes, dB. */
  readonly targetDb: readonly number[]
  /** Where the song ends, Hz. */
  readonly limitHz: number
}

/**
 * Returns a song, as the stages `before` leave it, beside the target of `genre`, in the bands of `levels`, which are the song's;
 * null for `other`.
 */
export function genreTarget(
  analysis: SourceAnalysis,
  genre: Genre,
  levels: BandLevels,
  before: readonly RecipeStage[],
): GenreTarget | null {
  const { bandHz, midDb } = heardLevels(analysis, levels)
  const correctedDb = midDb.map((level, b) =>
    before.reduce((sum, stage) => sum + filterGainDb(stage, bandHz[b]!, analysis.sampleRateHz).mid, level),
  )
  const target = bandHz.map((hz) => genreSpectrumDb(genre, hz))
  if (target.includes(null)) return null
  const limitHz = commonBandwidthHz(analysis.bandwidthHz) * 0.9
  const emptyBelowDb = Math.max(...correctedDb) - emptyDb
  const ownDb = correctedDb.map((level) => Math.max(level, emptyBelowDb))
  const offsetDb = meanInCore(
    bandHz,
    ownDb.map((level, b) => level - target[b]!),
    limitHz,
  )
  return { ownDb, targetDb: target.map((level) => level! + offsetDb), limitHz }
}

/**
 * Returns the filter toward the genre's target of a song that has been through the stages `before`: the distance smoothed over an
 * octave, half of it at intensity 50, at most 3 dB, the same in mid and side, up to the bandwidth of the piece. No stage for
 * `other`, for silence and at intensity 0.
 */
export function planGenreTone(
  analysis: SourceAnalysis,
  genre: Genre,
  intensity: number,
  before: readonly RecipeStage[],
): PlanPart {
  const { bandHz } = analysis.fineSpectrum
  const target = genreTarget(analysis, genre, analysis.fineSpectrum, before)
  if (target === null || analysis.isSilent || intensity === 0) return nothingPlanned
  const { ownDb, targetDb, limitHz } = target
  const distance = targetDb.map((level, b) => level - ownDb[b]!)
  // What is missing beyond the end of the song must not spread into it.
  const wide = smoothed(bandHz, heldAbove(bandHz, distance, limitHz), () => 6)
  const gainDb = wide.map((value, b) => {
    // The lowest octave is the arrangement's own: whether a song has a bass drum is not for us to say.
    const part = bandHz[b]! < 40 ? 0 : genrePart
    return clamp((value * part * intensity) / 50, -genreClampDb, genreClampDb)
  })
  const curve: GainCurve = { frequencyHz: bandHz, gainDb }
  const largestDb = Math.max(...gainDb.map(Math.abs))
  return {
    stages: [{ kind: 'match', mid: curve, side: curve }],
    decisions: [{ stage: 'tone', code: 'TONE_TOWARD_GENRE', values: { genre, largestDb: rounded(largestDb) } }],
  }
}

const midClampDb = 6
const sideClampDb = 4
const sideFromHz = 120

/** Gains toward a reference before smoothing and clamping, with the level difference taken out. */
export interface ReferenceDistance {
  readonly midDb: readonly number[]
  readonly sideDb: readonly number[]
  /**
   * Whether the reference says anything of the side; where it does not, the side moves with the mid, so that nothing shifts across
   * the stage.
   */
  readonly isSideCompared: boolean
  /** Where the lower of both bandwidths ends, Hz. */
  readonly limitHz: number
  /** The same of the sides. */
  readonly sideLimitHz: number
}

/** Where a spectrum holds music: in bands at most {@link emptyDb} below its loudest, in mid or side. */
function musicFromDb({ midDb, sideDb }: BandLevels): number {
  return Math.max(...midDb, ...sideDb) - emptyDb
}

/** Part of the bands between 100 Hz and 8 kHz in which a piece must hold music to be compared with others. */
const comparableShare = 0.5

/** Whether the spectrum of a piece can be compared with that of others: not silence, not in opposite phase, more than single tones. */
export function isComparable(piece: SourceAnalysis): boolean {
  const { integratedLufs, sideToMidDb, fineSpectrum } = piece
  if (integratedLufs === null || isOppositePhase(sideToMidDb)) return false
  const fromDb = musicFromDb(fineSpectrum)
  const holdsMusic = fineSpectrum.midDb.map((level) => (level >= fromDb ? 1 : 0))
  return meanInCore(fineSpectrum.bandHz, holdsMusic) >= comparableShare
}

/**
 * Distance of two spectra in mid and side; both are aligned by the mid, so that the width of the reference is kept. The median of
 * the bands between 100 Hz and 8 kHz counts as their level: few bands that lie far apart do not shift all others. Bands of the mid
 * in which the reference holds no music count as equal. What a source that {@link isOneSided} holds is compared with the mid of the
 * reference. The side is compared where both have one.
 */
export function referenceDistance(
  source: SourceAnalysis,
  reference: SourceAnalysis,
  spectrumOf: (analysis: SourceAnalysis) => BandLevels = (analysis) => analysis.fineSpectrum,
): ReferenceDistance {
  const from = heardLevels(source, spectrumOf(source))
  const to = spectrumOf(reference)
  const sourceFromDb = musicFromDb(from)
  const referenceFromDb = musicFromDb(to)
  const mid = from.midDb.map((own, b) =>
    to.midDb[b]! < referenceFromDb ? null : to.midDb[b]! - Math.max(own, sourceFromDb),
  )
  const level = medianInCore(from.bandHz, mid)
  const midDb = mid.map((value) => (value === null ? 0 : value - level))
  const hasWidth = !reference.isMono && reference.deadChannel === null
  const hasSide = Math.max(...from.sideDb) > Math.max(...from.midDb) - 60
  const isSideCompared = hasWidth && hasSide && !isOneSided(source)
  const sideDb = from.sideDb.map((own, b) => clamp(to.sideDb[b]! - own - level, -2 * sideClampDb, 2 * sideClampDb))
  const limitHz = commonBandwidthHz(source.bandwidthHz, reference.bandwidthHz)
  return {
    midDb,
    sideDb: isSideCompared ? sideDb : midDb,
    isSideCompared,
    limitHz,
    sideLimitHz: Math.min(limitHz, commonBandwidthHz(source.sideBandwidthHz, reference.sideBandwidthHz)),
  }
}

/**
 * Returns the filter toward a reference: mid and side apart, in sixth octaves (smoothed below 100 Hz), at most ±6 dB in mid and
 * ±4 dB in side, `amount` 0 … 100 per cent of the way, up to the lower of both bandwidths. Below 120 Hz the side is not compared,
 * but goes down with the mid: a bass must not become wide. The reference must be {@link isComparable}.
 */
export function planReferenceTone(analysis: SourceAnalysis, reference: SourceAnalysis, amount: number): PlanPart {
  if (analysis.isSilent || amount === 0) return nothingPlanned
  const { bandHz } = analysis.fineSpectrum
  const distance = referenceDistance(analysis, reference)
  let isFollowedInPart = false
  const curveOf = (values: readonly number[], limitHz: number, most: number, fromHz: number): number[] => {
    const held = heldAbove(bandHz, values, limitHz * 0.94)
    const narrow = smoothed(bandHz, held, (hz) => (hz < 100 ? 1.5 : 0))
    return narrow.map((value, b) => {
      if (bandHz[b]! < fromHz) return 0
      if (Math.abs(value) > most) isFollowedInPart = true
      return (clamp(value, -most, most) * amount) / 100
    })
  }
  const mid = curveOf(distance.midDb, distance.limitHz, midClampDb, 0)
  const side = distance.isSideCompared
    ? curveOf(distance.sideDb, distance.sideLimitHz, sideClampDb, sideFromHz).map((gain, b) =>
        bandHz[b]! < sideFromHz ? Math.min(0, mid[b]!) : gain,
      )
    : mid
  const mostSideDb = distance.isSideCompared ? sideClampDb : midClampDb
  const largest = (values: readonly number[]): number => rounded(Math.max(...values.map(Math.abs)))
  return {
    stages: [
      {
        kind: 'match',
        mid: { frequencyHz: bandHz, gainDb: mid },
        side: { frequencyHz: bandHz, gainDb: side },
      },
    ],
    decisions: [
      {
        stage: 'tone',
        code: 'TONE_TOWARD_REFERENCE',
        values: {
          amount,
          largestMidDb: largest(mid),
          // What merely goes along with the mid below is none of the sides' own.
          largestSideDb: largest(distance.isSideCompared ? side.filter((_, b) => bandHz[b]! >= sideFromHz) : side),
          upToHz: Math.round(distance.limitHz),
          ...(isFollowedInPart ? { mostMidDb: midClampDb, mostSideDb } : {}),
        },
      },
    ],
  }
}
