import { both, places } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** Clip levels of one channel, linear; the negative one is below 0; null for an unclipped side. */
export interface ClipLevels {
  readonly positive: number | null
  readonly negative: number | null
}

/** Rebuilds peaks that were cut off flat. */
export interface Declip {
  readonly kind: 'declip'
  /** Per channel. */
  readonly levels: readonly ClipLevels[]
}

/** Decisions about clipped peaks. */
export const declipSentences = {
  repair: {
    CLIPPING_REBUILT: (v) => both(`Clipped peaks were rebuilt${places(v)}.`, `잘린 피크를 복원했어요${places(v)}.`),
    CLIPPING_LEFT: () =>
      both(
        'The song is clipped throughout. That is part of its sound, so nothing was rebuilt.',
        '곡 전체가 클리핑되어 있어요. 소리의 일부로 보고 복원하지 않았어요.',
      ),
  },
} satisfies StageSentences
