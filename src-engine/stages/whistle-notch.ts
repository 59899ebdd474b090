import type { Repair } from '../../src-contract/report.ts'
import type { Whistle, WhistleNotch } from '../../src-contract/stages/whistle-notch.ts'
import { peaking } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import { type Audio, allocateBlock, sliceBlock } from '../dsp/block.ts'
import { clamp, powerOfTen, rounded } from '../dsp/units.ts'
import {
  type EditStage,
  nothingPlanned,
  type Planning,
  repairDecision,
  type StagePlan,
  unlessSkipped,
} from './stage.ts'

/** Width of a single section's notch, Hz: a twentieth of the ear's critical band at 12 kHz. */
const widthHz = 80
/** Time for a notch to open or close, s. */
const rampSeconds = 0.05
/** Settling time of the filter before it is heard, s: some ten time constants of its slowest section. */
const settlingSeconds = 0.2
const blockFrames = 4096

function planWhistles({ analysis: { whistles } }: Planning): StagePlan<WhistleNotch> {
  if (whistles.length === 0) return nothingPlanned
  return {
    stages: [{ kind: 'whistle_notch', whistles }],
    decisions: whistles.map(({ frequencyHz, excessDb, startSeconds, endSeconds }) =>
      repairDecision('WHISTLE_REMOVED', {
        frequencyHz: Math.round(frequencyHz),
        excessDb: rounded(excessDb),
        startSeconds: rounded(startSeconds),
        endSeconds: rounded(endSeconds),
      }),
    ),
  }
}

/** Three adjacent notches of the whistle's height, wide enough for a drifting whistle. */
function sectionsOf({ frequencyHz, reachHz, excessDb }: Whistle, sampleRateHz: number) {
  // A cookbook cut widens with its depth: this Q keeps the notch equally wide at any depth.
  const q = frequencyHz / widthHz / powerOfTen(-excessDb / 40)
  return [-reachHz, 0, reachHz].map((offsetHz) => peaking(frequencyHz + offsetHz, sampleRateHz, q, -excessDb))
}

/** Filters a whistle out of all channels, in place, crossfading to the filtered sound and back. */
function removeWhistle({ channels, frames, sampleRateHz }: Audio, whistle: Whistle): void {
  const filter = createBiquadCascade(sectionsOf(whistle, sampleRateHz))
  const frameAt = (seconds: number): number => Math.round(seconds * sampleRateHz)
  const first = frameAt(whistle.startSeconds - rampSeconds)
  const end = frameAt(whistle.endSeconds + rampSeconds)
  const ramp = frameAt(rampSeconds)
  const scratch = allocateBlock(2, blockFrames)
  const last = Math.min(frames, end)
  for (let start = Math.max(0, first - frameAt(settlingSeconds)); start < last; start += blockFrames) {
    const part = sliceBlock(scratch, 0, last - start)
    for (const [c, samples] of part.channels.entries()) samples.set(channels[c]!.subarray(start, start + part.frames))
    filter.process(part)
    for (const [c, filtered] of part.channels.entries()) {
      const samples = channels[c]!
      for (let i = Math.max(0, first - start); i < part.frames; i++) {
        const at = start + i
        const share = clamp(Math.min(at - first, end - at) / ramp, 0, 1)
        samples[at]! += share * (filtered[i]! - samples[at]!)
      }
    }
  }
}

/** Removal of whistles. */
export const whistleNotch = {
  kind: 'whistle_notch',
  plan: (song) => unlessSkipped(song, 'whistle', planWhistles(song)),
  edit(audio, { whistles }) {
    // A recipe may name frequencies that the song does not have.
    const heard = whistles.filter(({ frequencyHz, reachHz }) => frequencyHz + reachHz < audio.sampleRateHz / 2)
    for (const whistle of heard) removeWhistle(audio, whistle)
    return heard.map(
      ({ frequencyHz, excessDb }): Repair => ({
        kind: 'whistle',
        amount_db: rounded(-excessDb),
        frequency_hz: Math.round(frequencyHz),
        channel: 'both',
      }),
    )
  },
  workShare: 0,
  namesFrames: true,
  announces: { WHISTLE_REMOVED: 'whistle' },
} as const satisfies EditStage<WhistleNotch>
