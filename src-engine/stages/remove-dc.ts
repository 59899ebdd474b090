import type { Decision } from '../../src-contract/report.ts'
import type { RemoveDc } from '../../src-contract/stages/remove-dc.ts'
import { thresholdShiftDb } from '../analysis/analysis.ts'
import { dbToGain, gainToDb, rounded } from '../dsp/units.ts'
import { largestOf, movingDcThreshold, offsetRemoval } from './low-end.ts'
import { type EditStage, type Planning, repairDecision, repairSkipped, type StagePlan } from './stage.ts'

function planOffset(song: Planning): StagePlan<RemoveDc> {
  const { analysis } = song
  const removal = offsetRemoval(analysis)
  const removed = (offsets: readonly number[], method: string): Decision =>
    repairDecision('DC_REMOVED', { percent: rounded(largestOf(offsets) * 100, 2), method })
  if (removal !== null && song.sound.skip_repairs.includes('dc_offset')) {
    // A rumble filter removes the offset in any case.
    const isFiltered = song.stagesOf('rumble_filter').length > 0
    return { stages: [], decisions: isFiltered ? [] : [repairSkipped('dc_offset')] }
  }
  if (removal === 'filtered') return { stages: [], decisions: [removed(analysis.dcOffsets, 'filtered')] }
  if (removal !== null) {
    return { stages: [{ kind: 'remove_dc', offsets: removal }], decisions: [removed(removal, 'subtracted')] }
  }
  const offset = largestOf(analysis.dcOffsets)
  const isNoticed = offset > movingDcThreshold * dbToGain(thresholdShiftDb(analysis.samplePeakDbfs))
  return {
    stages: [],
    decisions: isNoticed ? [repairDecision('DC_LEFT', { percent: rounded(offset * 100, 2) })] : [],
  }
}

function subtract(samples: Float32Array, offset: number): void {
  for (let i = 0; i < samples.length; i++) samples[i]! -= offset
}

/** Removal of a constant offset. */
export const removeDc = {
  kind: 'remove_dc',
  plan: planOffset,
  edit(audio, { offsets }) {
    for (const [c, samples] of audio.channels.entries()) subtract(samples, offsets[c]!)
    return [{ kind: 'dc_offset', amount_db: rounded(gainToDb(Math.max(...offsets.map(Math.abs)))) }]
  },
  workShare: 0,
  namesFrames: false,
  announces: { DC_REMOVED: 'dc_offset' },
} as const satisfies EditStage<RemoveDc>
