import { both, hz } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** High-pass that removes content below the audible band. */
export interface RumbleFilter {
  readonly kind: 'rumble_filter'
  /** 3 to 40: −6 dB there with order 8, −3 dB with order 1. */
  readonly frequencyHz: number
  /** 8, without a shift in phase, for rumble; 1 for an offset that moves. */
  readonly order: 1 | 8
  /** True for rumble, false for a mere offset. */
  readonly isAgainstRumble: boolean
}

/** Decisions about rumble. */
export const rumbleFilterSentences = {
  repair: {
    RUMBLE_FILTERED: (v) =>
      both(`Rumble around ${hz(v.frequencyHz)} was filtered.`, `${hz(v.frequencyHz)} 부근의 초저역 잡음을 걸렀어요.`),
    RUMBLE_LEFT: (v) =>
      both(
        `There is energy below 20 Hz, most around ${hz(v.frequencyHz)}. The peaks would rise without it, so it was left: it shapes the music's own waves.`,
        `20 Hz 아래, 주로 ${hz(v.frequencyHz)} 부근에 에너지가 있어요. 없애면 피크가 더 높아져서 음악의 일부로 보고 그대로 뒀어요.`,
      ),
  },
} satisfies StageSentences
