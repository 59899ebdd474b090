import type { CompressionBand } from '../../src-contract/stages/compression-band.ts'
import type { Density } from '../../src-contract/stages/density.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { rounded } from '../dsp/units.ts'
import { type Compressor, createCompressor } from './compressor.ts'
import { appliedPart, nothingPlanned, type StagePlan, type StreamingStage } from './stage.ts'

/** Peak-to-loudness ratio at −14 LUFS with a ceiling of −1 dBTP, and reduction that a limiter adds inaudibly, dB. */
const roomDb = 13
const limiterBridgesDb = 2.5
/** Smallest excess that is treated, dB; less is left to the limiter. */
const leastExcessDb = 0.5
/**
 * Compressor: ratio, knee and times. Chosen to trade reduction of the peak-to-loudness ratio against the largest change of a third octave.
 */
const ratio = 2
const kneeDb = 6
const attackMs = 1
const releaseMs = 300
/** Largest gain reduction, dB. */
const mostReductionDb = 3
/** Mean distance of a control step's level below its peak, dB: 3 to 6. */
const levelBelowPeakDb = 5
/** Movement of the offset that makes levels misleading, full scale 1. */
const mostDrift = 0.05

/**
 * Returns the density stage: a slow compressor over the whole band, for sparse and peaky music whose peak-to-loudness ratio exceeds a
 * master's room; it keeps the limiter from pumping. At most 3 dB, times `part` (0 to 1); nothing for other music, for silence, at intensity
 * 0, or if an offset moves by more than 5 % of full scale. It helps if single events stand out (an orchestra's accents: 0.8 to 1.3 dB of
 * peak-to-loudness ratio); peaks that lie in the shape of every period of a tone are left to the clipper.
 */
function planDensity(analysis: SourceAnalysis, intensity: number, part: number): StagePlan<Density> {
  const { integratedLufs, musicPeakDbfs, samplePeakDbfs } = analysis
  if (integratedLufs === null || musicPeakDbfs === null || samplePeakDbfs === null || intensity === 0 || part === 0)
    return nothingPlanned
  // A level detector would follow the offset instead of the music.
  if (analysis.dcDrift > mostDrift) return nothingPlanned
  // The planner filters below the band only if that lowers the peaks.
  const peakDbfs = Math.min(musicPeakDbfs, samplePeakDbfs)
  const plrDb = peakDbfs - integratedLufs
  const excessDb = plrDb - roomDb - limiterBridgesDb
  if (excessDb < leastExcessDb) return nothingPlanned
  const maxReductionDb = part * Math.min(mostReductionDb, (excessDb * intensity) / 50)
  const compression: CompressionBand = {
    // The highest peaks reach the largest reduction.
    thresholdDb: peakDbfs - levelBelowPeakDb - maxReductionDb / (1 - 1 / ratio),
    ratio,
    kneeDb,
    attackMs,
    releaseMs,
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

/** Slow compressor over the whole band. */
export const density = {
  kind: 'density',
  plan: ({ analysis, intensity, sound }) => planDensity(analysis, intensity, appliedPart(sound.dynamics_amount)),
  create: ({ compression }, sampleRateHz) => createCompressor([], [compression], sampleRateHz),
  compression: { code: 'DENSITY_RAISED', mostReductionDb: (compressor: Compressor) => compressor.mostReductionDb() },
} as const satisfies StreamingStage<Density, Compressor>
