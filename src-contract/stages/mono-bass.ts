import { both, hz } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** Gives both channels the bass of one. */
export interface MonoBass {
  readonly kind: 'mono_bass'
  /** Below this the two channels become one: 40 to 200. */
  readonly frequencyHz: number
  /** The channel whose bass both have then. */
  readonly from: 'left' | 'right'
}

/** Decisions about a low end that is wider than it is deep. */
export const monoBassSentences = {
  repair: {
    BASS_MADE_MONO: (v) =>
      v.from === undefined
        ? both(`The low end below ${hz(v.frequencyHz)} was made mono.`, `${hz(v.frequencyHz)} 아래를 모노로 모았어요.`)
        : both(
            `The low end below ${hz(v.frequencyHz)} was made mono: both channels have that of the ${v.from === 'left' ? 'left' : 'right'} one.`,
            `${hz(v.frequencyHz)} 아래를 모노로 모았어요. 두 채널 모두 ${v.from === 'left' ? '왼쪽' : '오른쪽'} 채널의 저역을 써요.`,
          ),
  },
} satisfies StageSentences
