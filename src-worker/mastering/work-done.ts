/** Decisions and repairs as they turned out: planned work without a measured effect is left out. Pure. */
import type { Decision, Repair } from '../../src-contract/report.ts'
import type { AppliedRecipe } from '../../src-engine/chain.ts'
import { announcedCompressor, announcedRepair } from '../../src-engine/stages/index.ts'
import { noticedDb } from '../../src-engine/stages/stage.ts'

interface RepairWork {
  readonly repairs: readonly Repair[]
  readonly decisions: readonly Decision[]
}

/**
 * Returns the work with `gaps` more clicks: runs of samples that decoding bridged are reported like the clicks that the chain repairs,
 * then without a channel.
 */
export function withBridgedGaps(work: RepairWork, gaps: number): RepairWork {
  if (gaps === 0) return work
  const { repairs, decisions } = work
  const clicks: Repair = repairs.find(({ kind }) => kind === 'clicks') ?? { kind: 'clicks' }
  const { count = 0, channel: _, ...mended } = clicks
  const others = decisions.filter(({ code }) => code !== 'CLICKS_MENDED' && code !== 'NOTHING_TO_REPAIR')
  return {
    repairs: [{ ...mended, count: count + gaps }, ...repairs.filter(({ kind }) => kind !== 'clicks')],
    decisions: [{ stage: 'repair', code: 'CLICKS_MENDED', values: { count: count + gaps } }, ...others],
  }
}

/** Returns the repairs of detected faults. A tilt away from possible mud is measured like a mud cut but does not count as one. */
export function repairsOfFaults({ repairs, decisions }: RepairWork): readonly Repair[] {
  const isMudFound = decisions.some(({ code }) => code === 'MUD_CUT')
  return repairs.filter(({ kind }) => kind !== 'mud' || isMudFound)
}

/**
 * Returns the decisions of a plan as they turned out. A repair without a measured effect is left out, and so is a compression that never
 * reduced the gain; places are counted as repaired. A stage that loses its last decision reports that nothing was done in it. `plrDb` is
 * the peak-to-loudness ratio of the source, dB.
 */
export function decisionsDone(
  decisions: readonly Decision[],
  applied: Pick<AppliedRecipe, 'repairs' | 'mostReductionDb'>,
  settings: { readonly intensity: number; readonly plrDb: number; readonly amount?: number },
): Decision[] {
  const nothingDone: readonly Decision[] = [
    { stage: 'repair', code: 'NOTHING_TO_REPAIR', values: {} },
    { stage: 'dynamics', code: 'DYNAMICS_LEFT_ALONE', values: settings },
  ]
  const seen = new Set<Decision['stage']>()
  return decisions.flatMap((planned) => {
    const done = asDone(planned, applied)
    const isLastOfStage = decisions.findLast(({ stage }) => stage === planned.stage) === planned
    if (done) seen.add(planned.stage)
    if (done || seen.has(planned.stage) || !isLastOfStage) return done ?? []
    return nothingDone.filter(({ stage }) => stage === planned.stage)
  })
}

function asDone(
  decision: Decision,
  { repairs, mostReductionDb }: Parameters<typeof decisionsDone>[1],
): Decision | null {
  const { code, values } = decision
  const compressor = announcedCompressor(code)
  if (compressor) return (mostReductionDb[compressor] ?? 0) >= noticedDb ? decision : null
  const kind = announcedRepair(code)
  if (!kind) return decision
  const repair = repairs.find((each) => each.kind === kind && isSamePlace(decision, each))
  // A filter that removes a moving offset is reported by the rumble that it reduced.
  const isFiltered = values.method === 'filtered' && repairs.some((each) => each.kind === 'rumble')
  if (!repair) return isFiltered ? decision : null
  return repair.count === undefined ? decision : { ...decision, values: { ...values, count: repair.count } }
}

/** Only resonances can occur several times; a decision and its repair share their frequency. */
function isSamePlace({ code, values }: Decision, { frequency_hz }: Repair): boolean {
  return code !== 'RESONANCE_TAMED' || values.frequencyHz === frequency_hz
}
