import type { AiService } from '../../src-contract/platforms.ts'
import type { DynamicCut, RecipeStage } from '../../src-contract/recipe.ts'
import type { Decision } from '../../src-contract/report.ts'
import { type SourceAnalysis, thresholdShiftDb } from '../analysis/analysis.ts'
import { sibilantHz, voiceHz } from '../analysis/sibilance.ts'
import { isRumble, mostPeakRiseDb, rumbleFilterFor } from '../analysis/subsonic.ts'
import { isOppositePhase } from '../dsp/meters/stereo.ts'
import { dbToGain, dbToPower, powerToDb, rounded } from '../dsp/units.ts'
import { filterGainDb, highCutAllowance, nothingPlanned, type PlannedSong, type PlanPart } from './part.ts'

/** A mean above this (−60 dBFS) is an offset. */
const dcThreshold = 1e-3
/**
 * An offset that moves by more than this part of itself comes with the music: it is filtered, not subtracted, and only above
 * −40 dBFS.
 */
const steadyDrift = 0.6
const movingDcThreshold = 1e-2
/** More flat tops per second than this are meant, or past mending; songs whose loudest 3 dB were cut off have up to a hundred. */
const mostFlatTopsPerSecond = 300
/** Below this the bass is made mono when its side is louder than its mid by more than the tolerance. */
const monoBassHz = 110
const monoBassDb = 1
/** How far a persistent peak must stand out, dB: generated music is known for them, so the doubt is smaller there. */
const resonanceDb: Record<AiService, number> = { suno: 4, udio: 4, elevenlabs: 4.5, other: 5.5 }
/** Density of the sharpest sibilants against the voice range from which they are tamed, dB. */
const sibilanceDb: Record<AiService, number> = { suno: 5, udio: 5, elevenlabs: 5, other: 9 }

/**
 * How far below the sharpest sibilants the cut begins, dB: 4 for its own depth and 3.5 that its filters read less than the analysis
 * does. Of sounds that are nothing but sibilant the filters read at most 18 dB, so it begins no later than the second figure.
 */
const sibilanceKneeDb = 7.5
const mostToleranceDb = 12

const decision = (code: Decision['code'], values: Decision['values']): Decision => ({
  stage: 'repair',
  code,
  values,
})

/**
 * Returns the repairs of what was detected, and nothing else. Pure; thresholds lean on the AI service, detection decides.
 * `sideGainDb` is what the correction of the width will do to the side: an over-wide bass that it brings back needs no further
 * repair. `tone` are the filters that follow: sibilants are judged as these leave them. A muffled song keeps its sibilants.
 */
export function planRepair(analysis: PlannedSong, sideGainDb: number, tone: readonly RecipeStage[]): PlanPart {
  const parts = [
    offsetAndRumble(analysis),
    clipping(analysis),
    clicks(analysis),
    monoBass(analysis, sideGainDb),
    resonances(analysis),
    sibilance(analysis, tone),
  ]
  return { stages: parts.flatMap((part) => part.stages), decisions: parts.flatMap((part) => part.decisions) }
}

const largestOf = (offsets: readonly number[]): number => Math.max(...offsets.map(Math.abs))

/**
 * Which offsets to subtract, or that they are to be filtered; null where there is none to be taken out. One that moves is filtered,
 * with the first-order filter only where that lowers the peaks; where it does not, what every second of it has in common is still
 * subtracted.
 */
function offsetRemoval(analysis: SourceAnalysis, isWorthFiltering: boolean): readonly number[] | 'filtered' | null {
  const { dcOffsets, dcDrift, dcStanding, samplePeakDbfs } = analysis
  const unit = dbToGain(thresholdShiftDb(samplePeakDbfs))
  const offset = largestOf(dcOffsets)
  if (dcDrift < steadyDrift * offset) return offset > dcThreshold * unit ? dcOffsets : null
  if (isWorthFiltering) return offset > movingDcThreshold * unit ? 'filtered' : null
  return largestOf(dcStanding) > movingDcThreshold * unit ? dcStanding : null
}

function offsetAndRumble(analysis: SourceAnalysis): PlanPart {
  const { dcOffsets, subsonic } = analysis
  const { levelDbfs, frequencyHz } = subsonic
  const shiftDb = thresholdShiftDb(analysis.samplePeakDbfs)
  const filter = rumbleFilterFor(subsonic, shiftDb)
  const isWorthFiltering = peakRiseDb(analysis) < (filter.order === 1 ? 0 : mostPeakRiseDb)
  const removal = offsetRemoval(analysis, isWorthFiltering)
  const isFound = isRumble(subsonic, shiftDb)
  const hasRumble = isFound && isWorthFiltering
  const stages: RecipeStage[] = []
  const decisions: Decision[] = []
  if (removal === 'filtered') {
    decisions.push(decision('DC_REMOVED', { percent: rounded(largestOf(dcOffsets) * 100, 2), method: 'filtered' }))
  } else if (removal !== null) {
    decisions.push(decision('DC_REMOVED', { percent: rounded(largestOf(removal) * 100, 2), method: 'subtracted' }))
    stages.push({ kind: 'remove_dc', offsets: removal })
  } else if (largestOf(dcOffsets) > movingDcThreshold * dbToGain(shiftDb)) {
    decisions.push(decision('DC_LEFT', { percent: rounded(largestOf(dcOffsets) * 100, 2) }))
  }
  if (isFound) {
    const values = { frequencyHz: rounded(frequencyHz), levelDbfs: rounded(levelDbfs) }
    decisions.push(decision(hasRumble ? 'RUMBLE_FILTERED' : 'RUMBLE_LEFT', values))
  }
  if (hasRumble || removal === 'filtered') {
    stages.push({ kind: 'rumble_filter', ...filter, isAgainstRumble: hasRumble })
  }
  return { stages, decisions }
}

/**
 * What filtering below the band does to the highest sample, dB. An offset that moves with the notes of a synthesiser belongs to the
 * shape of its waves: taking it out can raise the peaks, which is worse than leaving what nobody hears.
 */
function peakRiseDb({ musicPeakDbfs, samplePeakDbfs }: SourceAnalysis): number {
  return (musicPeakDbfs ?? 0) - (samplePeakDbfs ?? 0)
}

/** Returns in how many places a piece is cut off flat; one that two equal channels share counts once. */
export function clippedPlaces({ clipping, isMono }: SourceAnalysis): number {
  return isMono ? clipping.count / clipping.levels.length : clipping.count
}

/** Flat tops per second of a piece that is clipped throughout, so that nothing is rebuilt; null for all others. */
export function clippedThroughout(analysis: SourceAnalysis): number | null {
  const { clipping, durationSeconds } = analysis
  // The limit is one of both channels together, equal or not.
  const isThroughout = clipping.count / durationSeconds > mostFlatTopsPerSecond
  return isThroughout ? Math.round(clippedPlaces(analysis) / durationSeconds) : null
}

function clipping(analysis: SourceAnalysis): PlanPart {
  const count = clippedPlaces(analysis)
  if (count === 0) return nothingPlanned
  const perSecond = clippedThroughout(analysis)
  if (perSecond !== null) return { stages: [], decisions: [decision('CLIPPING_LEFT', { perSecond })] }
  return {
    stages: [{ kind: 'declip', levels: analysis.clipping.levels }],
    decisions: [decision('CLIPPING_REBUILT', { count })],
  }
}

function clicks({ clicks, isMono }: SourceAnalysis): PlanPart {
  const count = (isMono ? clicks.slice(0, 1) : clicks).reduce((sum, ranges) => sum + ranges.length, 0)
  if (count === 0) return nothingPlanned
  return { stages: [{ kind: 'declick', clicks }], decisions: [decision('CLICKS_MENDED', { count })] }
}

function monoBass(analysis: SourceAnalysis, sideGainDb: number): PlanPart {
  const { spectrum, isMono, deadChannel } = analysis
  // Of channels in opposite phase the bass alone would change sides.
  if (isMono || deadChannel !== null || isOppositePhase(analysis.sideToMidDb)) return nothingPlanned
  const power = (levels: readonly number[]): number =>
    levels.reduce((sum, level, b) => {
      const hz = spectrum.bandHz[b]!
      return hz > 30 && hz < monoBassHz ? sum + dbToPower(level) : sum
    }, 0)
  const mid = power(spectrum.midDb)
  const side = power(spectrum.sideDb)
  const total = spectrum.midDb.reduce((sum, level) => sum + dbToPower(level), 0)
  const sideToMidDb = powerToDb(side / mid) + sideGainDb
  if (!(sideToMidDb > monoBassDb) || mid + side < total * 1e-3) return nothingPlanned
  const from = analysis.subsonic.louderBass
  return {
    stages: [{ kind: 'mono_bass', frequencyHz: monoBassHz, from }],
    decisions: [
      decision('BASS_MADE_MONO', { frequencyHz: monoBassHz, sideToMidDb: rounded(Math.min(60, sideToMidDb)), from }),
    ],
  }
}

function resonances({ resonances, aiService }: PlannedSong): PlanPart {
  const found = resonances.filter(({ excessDb }) => excessDb > resonanceDb[aiService])
  if (found.length === 0) return nothingPlanned
  const cuts: DynamicCut[] = found.map(({ frequencyHz, q, excessDb }) => ({
    repair: 'resonance',
    frequencyHz,
    q,
    referenceHz: frequencyHz,
    referenceQ: q / 4,
    referenceSections: 1,
    toleranceDb: 1,
    attackMs: 15,
    releaseMs: 120,
    maxMidCutDb: Math.min(3.5, excessDb * 0.6),
    maxSideCutDb: Math.min(4, excessDb * 0.8),
  }))
  return {
    stages: [{ kind: 'dynamic_cut', cuts }],
    decisions: found.map(({ frequencyHz, excessDb }) =>
      decision('RESONANCE_TAMED', { frequencyHz: Math.round(frequencyHz), excessDb: rounded(excessDb) }),
    ),
  }
}

/** What filters do to the sharpest sibilants against the voice range, dB. */
function sharpenedDb({ spectrum, sibilance, sampleRateHz }: SourceAnalysis, filters: readonly RecipeStage[]): number {
  const gainDb = ([lowHz, highHz]: readonly [number, number]): number => {
    let before = 0
    let after = 0
    for (const [b, hz] of spectrum.bandHz.entries()) {
      if (hz <= lowHz || hz >= highHz) continue
      const power = sibilance.sharpestPowers[b]!
      before += power
      after += filters.reduce((sum, stage) => sum * dbToPower(filterGainDb(stage, hz, sampleRateHz).mid), power)
    }
    return before > 0 ? powerToDb(after / before) : 0
  }
  return gainDb(sibilantHz) - gainDb(voiceHz)
}

function sibilance(analysis: PlannedSong, tone: readonly RecipeStage[]): PlanPart {
  const { sharpestDb, typicalDb } = analysis.sibilance
  const leftDb = sharpestDb + sharpenedDb(analysis, tone)
  if (leftDb < sibilanceDb[analysis.aiService] || sharpestDb - typicalDb < 10) return nothingPlanned
  if (highCutAllowance(analysis) === 0) return nothingPlanned
  return {
    stages: [
      {
        kind: 'dynamic_cut',
        cuts: [
          {
            repair: 'sibilance',
            frequencyHz: 6500,
            q: 1.4,
            referenceHz: 1800,
            referenceQ: 1,
            referenceSections: 3,
            toleranceDb: Math.min(mostToleranceDb, sharpestDb - sibilanceKneeDb),
            attackMs: 2,
            releaseMs: 60,
            maxMidCutDb: 3,
            maxSideCutDb: 3,
          },
        ],
      },
    ],
    decisions: [decision('SIBILANCE_TAMED', { sharpestDb: rounded(sharpestDb), typicalDb: rounded(typicalDb) })],
  }
}
