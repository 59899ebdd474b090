import type { ClickRanges, Declick } from '../../src-contract/stages/declick.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { interpolate, isMendable, type Mending, mendChannels } from './mending.ts'
import { type EditStage, nothingPlanned, repairDecision, type StagePlan, unlessSkipped } from './stage.ts'

function planClicks({ clicks, isMono }: SourceAnalysis): StagePlan<Declick> {
  const count = (isMono ? clicks.slice(0, 1) : clicks).reduce((sum, ranges) => sum + ranges.length, 0)
  if (count === 0) return nothingPlanned
  return { stages: [{ kind: 'declick', clicks }], decisions: [repairDecision('CLICKS_MENDED', { count })] }
}

/** Replaces the clicks of one channel, in place, by prediction from the music around them. */
function mendClicks(samples: Float32Array, clicks: ClickRanges): Mending {
  let count = 0
  let largest = 0
  for (const [start, end] of clicks) {
    if (!isMendable(samples, start, end)) continue
    // Bridges the gap with a straight line first, to keep the click out of the predictor's estimate.
    const before = samples[start - 1]!
    const step = (samples[end]! - before) / (end - start + 1)
    const original = samples.slice(start, end)
    for (let i = start; i < end; i++) samples[i] = before + step * (i - start + 1)
    for (let pass = 0; pass < 2; pass++) samples.set(interpolate(samples, start, end), start)
    for (let i = start; i < end; i++) largest = Math.max(largest, Math.abs(samples[i]! - original[i - start]!))
    count++
  }
  return { count, largest }
}

/** Removal of clicks. */
export const declick = {
  kind: 'declick',
  plan: (song) => unlessSkipped(song, 'clicks', planClicks(song.analysis)),
  edit: (audio, { clicks }) => mendChannels('clicks', audio, (samples, c) => mendClicks(samples, clicks[c]!)),
  workShare: 0,
  namesFrames: true,
  announces: { CLICKS_MENDED: 'clicks' },
} as const satisfies EditStage<Declick>
