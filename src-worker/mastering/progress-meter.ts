import type { Tier } from '../../src-contract/settings.ts'
import { WORK_STAGES, type WorkProgress, type WorkStage } from './work-order.ts'

/** Shares of the whole work by stage, together 1; unnamed stages do not occur. */
export type StageWeights = Readonly<Partial<Record<WorkStage, number>>>

/** Of mastering, as measured; proofing against codecs is most of a premium job. */
export const MASTERING_WEIGHTS: Readonly<Record<Tier, StageWeights>> = {
  standard: { decoding: 0.12, analysing: 0.16, rendering: 0.56, verifying: 0.13, packaging: 0.03 },
  premium: { decoding: 0.04, analysing: 0.06, rendering: 0.2, verifying: 0.68, packaging: 0.02 },
}

/** Of mastering with files of further formats, which are most of the work. */
export const FORMAT_WEIGHTS: StageWeights = {
  decoding: 0.05,
  analysing: 0.07,
  rendering: 0.25,
  verifying: 0.61,
  packaging: 0.02,
}

/** Of an analysis, as measured on four minutes of WAV, FLAC and MP3. */
export const ANALYSIS_WEIGHTS: StageWeights = { decoding: 0.3, analysing: 0.7 }

/** Smallest step that is sent. */
const STEP = 0.01

/** Merges the progress of stages into a value that never decreases. */
export interface ProgressMeter {
  /** Reports a stage's progress, 0 to 1. Earlier stages and lower values are ignored. */
  report(stage: WorkStage, part: number): void
}

/**
 * Returns a meter that sends a message for each new stage and for each further hundredth of the whole. A stage begins where the one before
 * ended and shares the rest with the stages after it, so that a stage with nothing to do, such as a cached analysis, causes no jump.
 */
export function createProgressMeter(weights: StageWeights, send: (progress: WorkProgress) => void): ProgressMeter {
  let current = -1
  let begun = 0
  let sent = 0
  return {
    report(stage, part) {
      const index = WORK_STAGES.indexOf(stage)
      if (index < current) return
      if (index > current) begun = sent
      const [weight = 0, ...later] = WORK_STAGES.slice(index).map((one) => weights[one] ?? 0)
      const share = weight / later.reduce((sum, one) => sum + one, weight)
      const fraction = Math.max(sent, begun + (1 - begun) * share * Math.max(0, Math.min(1, part)))
      if (index === current && fraction < sent + STEP) return
      current = index
      sent = fraction
      send({ type: 'progress', stage, fraction: Math.min(1, fraction) })
    },
  }
}
