import type { Tier } from '../contract/platforms.ts'
import { WORK_STAGES, type WorkProgress, type WorkStage } from './work-order.ts'

/** Share of the whole work of each stage, as measured; proofing against codecs is most of a premium job. */
const WEIGHTS: Readonly<Record<Tier, Readonly<Record<WorkStage, number>>>> = {
  standard: { decoding: 0.12, analysing: 0.18, rendering: 0.46, verifying: 0.1, packaging: 0.14 },
  premium: { decoding: 0.04, analysing: 0.06, rendering: 0.2, verifying: 0.64, packaging: 0.06 },
}

/** Smallest step that is worth a message. */
const STEP = 0.01

/** Turns the progress of stages into one that never runs backwards. */
export interface ProgressMeter {
  /** The stage is that far, 0 to 1. A stage that is over, or a part that was reached before, is passed over. */
  report(stage: WorkStage, part: number): void
}

/** Returns a meter that sends a message for each new stage and for each further hundredth of the whole. */
export function createProgressMeter(tier: Tier, send: (progress: WorkProgress) => void): ProgressMeter {
  let current = -1
  let sent = 0
  return {
    report(stage, part) {
      const index = WORK_STAGES.indexOf(stage)
      if (index < current) return
      const weights = WEIGHTS[tier]
      const before = WORK_STAGES.slice(0, index).reduce((sum, earlier) => sum + weights[earlier], 0)
      const fraction = Math.max(sent, before + weights[stage] * Math.max(0, Math.min(1, part)))
      if (index === current && fraction < sent + STEP) return
      current = index
      sent = fraction
      send({ type: 'progress', stage, fraction: Math.min(1, fraction) })
    },
  }
}
