import { both, db, hz } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** Makes the bass mono. */
export interface MonoBass {
  readonly kind: 'mono_bass'
  /** Below this the two channels become one: 40 to 200. */
  readonly frequencyHz: number
  /** The channel that supplies the bass of both. */
  readonly from: 'left' | 'right'
}

/** Decisions about a low end that is wider than it is deep. */
export const monoBassSentences = {
  repair: {
    BASS_MADE_MONO: (v) => {
      const kept = { en: v.from === 'left' ? 'left' : 'right', ko: v.from === 'left' ? '왼쪽' : '오른쪽' }
      if (v.from === undefined)
        return both(
          `The low end below ${hz(v.frequencyHz)} was made mono.`,
          `${hz(v.frequencyHz)} 아래를 모노로 모았어요.`,
        )
      const rise =
        v.midRiseDb === undefined
          ? both('', '')
          : both(
              ` The middle gains about ${db(v.midRiseDb)} there, and the peaks may rise with it.`,
              ` 가운데 저역이 약 ${db(v.midRiseDb)} 커지고, 피크도 함께 올라갈 수 있어요.`,
            )
      if (v.monoLossDb === undefined)
        return both(
          `The low end below ${hz(v.frequencyHz)} was made mono: both channels have that of the ${kept.en} one.${rise.en}`,
          `${hz(v.frequencyHz)} 아래를 모노로 모았어요. 두 채널 모두 ${kept.ko} 채널의 저역을 써요.${rise.ko}`,
        )
      return both(
        `The low end of the two channels did not hold together and lost ${db(v.monoLossDb)} in mono. Below ${hz(v.frequencyHz)} both channels have that of the ${kept.en} one.${rise.en}`,
        `두 채널의 저역이 서로 어긋나 모노에서 ${db(v.monoLossDb)} 줄었어요. ${hz(v.frequencyHz)} 아래는 두 채널 모두 ${kept.ko} 채널의 저역을 써요.${rise.ko}`,
      )
    },
  },
} satisfies StageSentences
