import type { Repair } from '../../src-contract/report.ts'
import type { RumbleFilter } from '../../src-contract/stages/rumble-filter.ts'
import { thresholdShiftDb } from '../analysis/analysis.ts'
import { isRumble, measureSubsonic, offsetFilter, rumbleFilterFor } from '../analysis/subsonic.ts'
import type { Audio } from '../dsp/block.ts'
import { sumStereo } from '../dsp/meters/sums.ts'
import { createRumbleFilter } from '../dsp/rumble-filter.ts'
import { gainToDb, rounded } from '../dsp/units.ts'
import { isWorthFiltering, offsetRemoval } from './low-end.ts'
import { type Planning, repairDecision, repairSkipped, type StagePlan, type StreamingStage } from './stage.ts'

function planRumbleFilter({ analysis, sound }: Planning): StagePlan<RumbleFilter> {
  const { subsonic } = analysis
  const { levelDbfs, frequencyHz } = subsonic
  const shiftDb = thresholdShiftDb(analysis.samplePeakDbfs)
  const isFound = isRumble(subsonic, shiftDb)
  const isWorthIt = isFound && isWorthFiltering(analysis)
  const isSkipped = isWorthIt && sound.skip_repairs.includes('rumble')
  const hasRumble = isWorthIt && !isSkipped
  const hasOffset = offsetRemoval(analysis) === 'filtered' && !sound.skip_repairs.includes('dc_offset')
  const values = { frequencyHz: rounded(frequencyHz), levelDbfs: rounded(levelDbfs) }
  const filter = isSkipped ? offsetFilter : rumbleFilterFor(subsonic, shiftDb)
  const told = repairDecision(hasRumble ? 'RUMBLE_FILTERED' : 'RUMBLE_LEFT', values)
  return {
    stages: hasRumble || hasOffset ? [{ kind: 'rumble_filter', ...filter, isAgainstRumble: hasRumble }] : [],
    decisions: isSkipped ? [repairSkipped('rumble')] : isFound ? [told] : [],
  }
}

/** Levels below the audible band: the largest mean of a channel, and rumble in dBFS. */
interface LowEnd {
  readonly offset: number
  readonly rumbleDbfs: number
}

function lowEnd(audio: Audio): LowEnd {
  const [left, right] = audio.channels
  const sums = sumStereo(left!, right!, 0, audio.frames)
  const offset = Math.max(Math.abs(sums.left), Math.abs(sums.right)) / Math.max(1, audio.frames)
  return { offset, rumbleDbfs: measureSubsonic(audio).levelDbfs }
}

/** Least filtered offset that is reported (−60 dBFS). */
const leastOffset = 1e-3

function lowEndRepairs(before: LowEnd, after: LowEnd, { frequencyHz, isAgainstRumble }: RumbleFilter): Repair[] {
  const repairs: Repair[] = []
  const removed = before.offset - after.offset
  if (removed >= leastOffset) repairs.push({ kind: 'dc_offset', amount_db: rounded(gainToDb(removed)) })
  if (isAgainstRumble) {
    const changeDb = after.rumbleDbfs - before.rumbleDbfs
    repairs.push({ kind: 'rumble', amount_db: rounded(changeDb), frequency_hz: frequencyHz })
  }
  return repairs
}

/** High-pass against rumble and moving offsets. */
export const rumbleFilter = {
  kind: 'rumble_filter',
  plan: planRumbleFilter,
  create: ({ frequencyHz, order }, sampleRateHz) => createRumbleFilter(frequencyHz, order, sampleRateHz),
  watch(stage, _, audio) {
    const before = lowEnd(audio)
    return () => lowEndRepairs(before, lowEnd(audio), stage)
  },
  announces: { RUMBLE_FILTERED: 'rumble' },
} as const satisfies StreamingStage<RumbleFilter>
