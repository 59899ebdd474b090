import { both } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** Subtracts a constant offset from each channel. */
export interface RemoveDc {
  readonly kind: 'remove_dc'
  /** Full scale 1, per channel. */
  readonly offsets: readonly number[]
}

/** Decisions about a constant offset. */
export const removeDcSentences = {
  repair: {
    DC_REMOVED: (v) =>
      v.method === 'filtered'
        ? both('An offset that moves with the music was filtered out.', '음악과 함께 움직이는 DC 오프셋을 걸러 냈어요.')
        : both('A constant offset was removed.', 'DC 오프셋을 없앴어요.'),
    DC_LEFT: () =>
      both(
        'An offset moves with the music. The peaks would rise without it, so it was left.',
        'DC 오프셋이 음악과 함께 움직여요. 없애면 피크가 더 높아져서 그대로 뒀어요.',
      ),
  },
} satisfies StageSentences
