import type { Genre } from '../../src-contract/settings.ts'
import type { CompressionBand } from '../../src-contract/stages/compression-band.ts'
import type { Multiband } from '../../src-contract/stages/multiband.ts'
import { magnitudeDb } from '../dsp/biquad.ts'
import { dbToPower, powerToDb, rounded } from '../dsp/units.ts'
import { bandFilters, type Compressor, createCompressor } from './compressor.ts'
import { powerBefore } from './power-before.ts'
import { appliedPart, nothingPlanned, type Planning, type StagePlan, type StreamingStage } from './stage.ts'

/** Ratio at intensity 50 above the loud moments of each band. Our recommendation. */
const genreRatios: Record<Genre, number> = { kpop: 1.5, edm: 1.6, hiphop: 1.5, pop: 1.4, ballad: 1.2, other: 1 }

/** Borders of the bands, Hz: below the kick's body, below the voice's body, below the sibilants. */
const crossoversHz = [120, 1000, 5000]
/** Attack and release of the bands, ms: the lower, the slower. Ours. */
const attacksMs = [30, 20, 12, 6]
const releasesMs = [250, 180, 130, 90]
/** Knee, dB. */
const kneeDb = 8
/** Largest gain reduction of a band at intensity 50, dB. */
const mostReductionDb = 3
/** Threshold of a band above its average level, dB. */
const aboveAverageDb = 4

/**
 * Returns the gentle glue of a genre: four bands, each compressed more than 4 dB above its average after the earlier stages. Scaled by
 * intensity and by the amount of dynamics; nothing for `other`, for silence and at intensity 0.
 */
function planMultiband(song: Planning): StagePlan<Multiband> {
  const { analysis, genre, intensity, sound } = song
  const part = appliedPart(sound.dynamics_amount)
  const ratio = 1 + (part * ((genreRatios[genre] - 1) * intensity)) / 50
  if (ratio === 1 || analysis.isSilent) return nothingPlanned
  const averages = bandAveragesDb(song)
  const bands = averages.map(
    (averageDb, b): CompressionBand => ({
      thresholdDb: averageDb + aboveAverageDb,
      ratio,
      kneeDb,
      attackMs: attacksMs[b]!,
      releaseMs: releasesMs[b]!,
      maxReductionDb: (part * (mostReductionDb * intensity)) / 50,
    }),
  )
  return {
    stages: [{ kind: 'multiband', crossoversHz, bands }],
    decisions: [{ stage: 'dynamics', code: 'BANDS_COMPRESSED', values: { genre, ratio: rounded(ratio, 2) } }],
  }
}

/** Average level of each band of the glue while the song sounds, after the band's own filter, dBFS. */
function bandAveragesDb(song: Planning): number[] {
  const { dcOffsets, sampleRateHz } = song.analysis
  const heard = powerBefore(song, 'multiband').map(({ hz, mid, side }) => ({ hz, power: mid + side }))
  // A remaining offset adds constant power to the lowest band.
  if ([...song.stagesOf('remove_dc'), ...song.stagesOf('rumble_filter')].length === 0) {
    heard.push({ hz: 0, power: dcOffsets.reduce((sum, offset) => sum + offset * offset, 0) / dcOffsets.length })
  }
  return bandFilters(crossoversHz, sampleRateHz).map((sections) =>
    powerToDb(
      heard.reduce((sum, { hz, power }) => sum + power * dbToPower(magnitudeDb(sections, hz, sampleRateHz)), 1e-12),
    ),
  )
}

/** Gentle compressor of four bands: the glue of a genre. */
export const multiband = {
  kind: 'multiband',
  plan: planMultiband,
  create: ({ crossoversHz, bands }, sampleRateHz) => createCompressor(crossoversHz, bands, sampleRateHz),
  compression: { code: 'BANDS_COMPRESSED', mostReductionDb: (compressor: Compressor) => compressor.mostReductionDb() },
} as const satisfies StreamingStage<Multiband, Compressor>
