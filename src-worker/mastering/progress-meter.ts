import type { Tier } from '../../src-contract/settings.ts'
import { WORK_STAGES, type WorkProgress, type WorkStage } from './work-order.ts'

/** Shares of the whole work by stage, together 1; unnamed stages do not occur. */
export type StageWeights = Readonly<Partial<Record<WorkStage, number>>>

/** Of mastering, as measured; proofing against codecs is most of a premium job. */
export const MASTERING_WEIGHTS: Readonly<Record<Tier, StageWeights>> = {
  standard: { decoding: 0.12, analysing: 0.18, rendering: 0.46, verifying: 0.1, packaging: 0.14 },
  premium: { decoding: 0.04, analysing: 0.06, rendering: 0.2, verifying: 0.64, packaging: 0.06 },
}

/** Of mastering with files of further formats, which are most of the work. */
export const FORMAT_WEIGHTS: StageWeights = {
  decoding: 0.05,
  analysing: 0.07,
  rendering: 0.25,
  verifying: 0.55,
  packaging: 0.08,
}

/** Of an analysis, as measured on four minutes of WAV, FLAC and MP3. */
export const ANALYSIS_WEIGHTS: StageWeights = { decoding: 0.3, analysing: 0.7 }

/** Smallest step that is sent. */
const STEP = 0.01

/** Merges the progress of stages into a value that never decreases. */
export interface ProgressMeter {
  /** The stage is that far, 0 to 1. A stage that is over, or a part that was reached before, is passed over. */
  report(stage: WorkStage, part: number): void
}

/** Returns a meter that sends a message for each new stage and for each further hundredth of the whole. */
export function createProgressMeter(weights: StageWeights, send: (progress: WorkProgress) => void): ProgressMeter {
  let current = -1
  let sent = 0
  return {
    report(stage, part) {
      const index = WORK_STAGES.indexOf(stage)
      if (index < current) return
      const weightOf = (one: WorkStage) => weights[one] ?? 0
      const before = WORK_STAGES.slice(0, index).reduce((sum, earlier) => sum + weightOf(earlier), 0)
      const fraction = Math.max(sent, before + weightOf(stage) * Math.max(0, Math.min(1, part)))
      if (index === current && fraction < sent + STEP) return
      current = index
      sent = fraction
      send({ type: 'progress', stage, fraction: Math.min(1, fraction) })
    },
  }
}
