import type { CompressionBand } from '../../src-contract/stages/compression-band.ts'
import type { Density } from '../../src-contract/stages/density.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { rounded } from '../dsp/units.ts'
import { type Compressor, createCompressor } from './compressor.ts'
import { nothingPlanned, type StagePlan, type StreamingStage } from './stage.ts'

/**
 * Compressor: ratio, knee and times. Chosen to trade reduction of the peak-to-loudness ratio against the largest change of a third octave.
 */
const ratio = 2
const kneeDb = 6
const attackMs = 1
const releaseMs = 300
/** Gain reduction of the highest peaks at a density of 100, dB. */
const mostReductionDb = 6
/** Mean distance of a control step's level below its peak, dB: 3 to 6. */
const levelBelowPeakDb = 5

/**
 * Returns the density stage: a slow compressor over the whole band whose largest reduction the highest peaks reach, 6 dB at a `density` of
 * 100. Nothing at 0 and for silence. It helps if single events stand out (an orchestra's accents); peaks that lie in the shape of every
 * period of a tone are left to the clipper. Never planned from the song: the limiter alone costs less (docs/engine/dynamics.md).
 */
function planDensity(analysis: SourceAnalysis, density: number): StagePlan<Density> {
  const { integratedLufs, musicPeakDbfs, samplePeakDbfs } = analysis
  if (integratedLufs === null || musicPeakDbfs === null || samplePeakDbfs === null || density === 0)
    return nothingPlanned
  // The planner filters below the band only if that lowers the peaks.
  const peakDbfs = Math.min(musicPeakDbfs, samplePeakDbfs)
  const maxReductionDb = (mostReductionDb * density) / 100
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
        values: { density, plrDb: rounded(peakDbfs - integratedLufs), mostReductionDb: rounded(maxReductionDb) },
      },
    ],
  }
}

/** Slow compressor over the whole band. */
export const density = {
  kind: 'density',
  plan: ({ analysis, sound }) => planDensity(analysis, sound.density),
  create: ({ compression }, sampleRateHz) => createCompressor([], [compression], sampleRateHz),
  compression: { code: 'DENSITY_RAISED', mostReductionDb: (compressor: Compressor) => compressor.mostReductionDb() },
} as const satisfies StreamingStage<Density, Compressor>
