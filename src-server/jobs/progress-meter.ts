import { WORK_STAGES, type WorkProgress, type WorkStage } from './work-order.ts'

/** Share of the whole work of each stage: measured on songs of four minutes for five platforms. */
const WEIGHTS: Readonly<Record<WorkStage, number>> = {
  decoding: 0.12,
  analysing: 0.18,
  rendering: 0.46,
  verifying: 0.1,
  packaging: 0.14,
}

/** Smallest step that is worth a message. */
const STEP = 0.01

/** Turns the progress of stages into one that never runs backwards. */
export interface ProgressMeter {
  /** The stage is that far, 0 to 1. A stage that is over, or a part that was reached before, is passed over. */
  report(stage: WorkStage, part: number): void
}

/** Returns a meter that sends a message for each new stage and for each further hundredth of the whole. */
export function createProgressMeter(send: (progress: WorkProgress) => void): ProgressMeter {
  let current = -1
  let sent = 0
  return {
    report(stage, part) {
      const index = WORK_STAGES.indexOf(stage)
      if (index < current) return
      const before = WORK_STAGES.slice(0, index).reduce((sum, earlier) => sum + WEIGHTS[earlier], 0)
      const fraction = Math.max(sent, before + WEIGHTS[stage] * Math.max(0, Math.min(1, part)))
      if (index === current && fraction < sent + STEP) return
      current = index
      sent = fraction
      send({ type: 'progress', stage, fraction: Math.min(1, fraction) })
    },
  }
}
