import { both, places } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/**
 * Clicks of one channel as [first frame, frame after the last], ascending; frames at the rate of the song's file (above 192 kHz at
 * the engine's).
 */
export type ClickRanges = readonly (readonly [number, number])[]

/** Replaces clicks by a prediction from the surrounding music. */
export interface Declick {
  readonly kind: 'declick'
  /** Per channel. */
  readonly clicks: readonly ClickRanges[]
}

/** Decisions about clicks. */
export const declickSentences = {
  repair: {
    CLICKS_MENDED: (v) => both(`Clicks were mended${places(v)}.`, `클릭음을 고쳤어요${places(v)}.`),
  },
} satisfies StageSentences
