import type { Genre } from '../../src-contract/platforms.ts'
import type { CompressionBand, RecipeStage } from '../../src-contract/recipe.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { magnitudeDb } from '../dsp/biquad.ts'
import { dbToPower, powerToDb, rounded } from '../dsp/units.ts'
import { bandFilters } from '../stages/multiband.ts'
import { filterGainDb, nothingPlanned, type PlanPart } from './part.ts'

/** How firmly the bands of a genre are held at intensity 50: ratio above the band's own loud moments. Our recommendation. */
const genreRatios: Record<Genre, number> = { kpop: 1.5, edm: 1.6, hiphop: 1.5, pop: 1.4, ballad: 1.2, other: 1 }

/** Borders of the bands, Hz: below the kick's body, below the voice's body, below the sibilants. */
const crossoversHz = [120, 1000, 5000]
const attacksMs = [30, 20, 12, 6]
const releasesMs = [250, 180, 130, 90]
/** A band is turned down from this far above its average level. */
const aboveAverageDb = 4

/** Peak-to-loudness ratio that −14 LUFS with a ceiling of −1 dBTP leaves, and what a limiter bridges without being heard. */
const roomDb = 13
const limiterBridgesDb = 2.5
/** Less than this is left to the limiter. */
const leastExcessDb = 0.5
/** Moving offset from which levels say nothing, full scale 1. */
const mostDrift = 0.05

/**
 * Returns the density stage: a slow compressor over the whole band, for sparse and peaky music whose peak-to-loudness ratio is
 * higher than a master has room for, so that the limiter need not pump. At most 3 dB; nothing for other music, for silence, at
 * intensity 0, and where an offset moves by more than 5 % of full scale. It helps where single events stand out (an orchestra's
 * accents: 0.8 to 1.3 dB of peak-to-loudness ratio); peaks that lie in the shape of every period of a tone are left to the clipper.
 */
export function planDensity(analysis: SourceAnalysis, intensity: number): PlanPart {
  const { integratedLufs, musicPeakDbfs, samplePeakDbfs } = analysis
  if (integratedLufs === null || musicPeakDbfs === null || samplePeakDbfs === null || intensity === 0)
    return nothingPlanned
  // A level detector would follow the offset instead of the music.
  if (analysis.dcDrift > mostDrift) return nothingPlanned
  // The planner filters what lies below the band only where that lowers the peaks.
  const peakDbfs = Math.min(musicPeakDbfs, samplePeakDbfs)
  const plrDb = peakDbfs - integratedLufs
  const excessDb = plrDb - roomDb - limiterBridgesDb
  if (excessDb < leastExcessDb) return nothingPlanned
  const ratio = 2
  const maxReductionDb = Math.min(3, (excessDb * intensity) / 50)
  const compression: CompressionBand = {
    // The level of a control step lies 3 to 6 dB below its peak; the highest peaks shall reach the largest reduction.
    thresholdDb: peakDbfs - 5 - maxReductionDb / (1 - 1 / ratio),
    ratio,
    kneeDb: 6,
    attackMs: 1,
    releaseMs: 300,
    maxReductionDb,
  }
  return {
    stages: [{ kind: 'density', compression }],
    decisions: [
      {
        stage: 'dynamics',
        code: 'DENSITY_RAISED',
        values: { plrDb: rounded(plrDb), roomDb, mostReductionDb: rounded(maxReductionDb) },
      },
    ],
  }
}

/**
 * Returns the gentle glue of a genre: four bands, each held where it rises more than 4 dB above the average that it has after the
 * stages `before`. Scaled by intensity; nothing for `other`, for silence and at intensity 0.
 */
export function planMultiband(
  analysis: SourceAnalysis,
  before: readonly RecipeStage[],
  genre: Genre,
  intensity: number,
): PlanPart {
  const ratio = 1 + ((genreRatios[genre] - 1) * intensity) / 50
  if (ratio === 1 || analysis.isSilent) return nothingPlanned
  const averages = bandAveragesDb(analysis, before)
  const bands = averages.map(
    (averageDb, b): CompressionBand => ({
      thresholdDb: averageDb + aboveAverageDb,
      ratio,
      kneeDb: 8,
      attackMs: attacksMs[b]!,
      releaseMs: releasesMs[b]!,
      maxReductionDb: (3 * intensity) / 50,
    }),
  )
  return {
    stages: [{ kind: 'multiband', crossoversHz, bands }],
    decisions: [{ stage: 'dynamics', code: 'BANDS_COMPRESSED', values: { genre, ratio: rounded(ratio, 2) } }],
  }
}

/** Average level of each band of the glue while the song sounds, as its own filter hears it, dBFS. */
function bandAveragesDb(
  { spectrum, activeShare, dcOffsets, sampleRateHz }: SourceAnalysis,
  before: readonly RecipeStage[],
): number[] {
  const { bandHz, midDb, sideDb } = spectrum
  const heard = bandHz.map((hz, b) => {
    const gains = before.map((stage) => filterGainDb(stage, hz, sampleRateHz))
    const after = (levelDb: number, part: 'mid' | 'side') =>
      dbToPower(gains.reduce((sum, gain) => sum + gain[part], levelDb))
    return { hz, power: (after(midDb[b]!, 'mid') + after(sideDb[b]!, 'side')) / activeShare }
  })
  // An offset that is left stands in the lowest band all the time.
  if (!before.some(({ kind }) => kind === 'remove_dc' || kind === 'rumble_filter')) {
    heard.push({ hz: 0, power: dcOffsets.reduce((sum, offset) => sum + offset * offset, 0) / dcOffsets.length })
  }
  return bandFilters(crossoversHz, sampleRateHz).map((sections) =>
    powerToDb(
      heard.reduce((sum, { hz, power }) => sum + power * dbToPower(magnitudeDb(sections, hz, sampleRateHz)), 1e-12),
    ),
  )
}
