import { both, db } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** A movement of the level of one band of one channel: `swing · cos(2π · frequencyHz · t + phase)`, t in seconds from the start. */
export interface FlutterLine {
  readonly channel: 'left' | 'right'
  /** Index of the band between the borders of the stage, from below. */
  readonly band: number
  readonly frequencyHz: number
  /** Largest distances from the mean level every `swingStepSeconds` from the start, dB, 0 to 1.5; straight lines between them. */
  readonly swingsDb: readonly number[]
  /** Radians. */
  readonly phase: number
}

/** Removes level fluctuations that follow the clock of a decoder, by their measured amount. */
export interface Deflutter {
  readonly kind: 'deflutter'
  /** Borders between the bands, Hz, ascending; nothing below the first is changed. The last band has no upper end. */
  readonly bordersHz: readonly number[]
  readonly swingStepSeconds: number
  readonly lines: readonly FlutterLine[]
}

/** A rate of repetition: `21.5`. */
const perSecond = (hz: number): string => String(Math.round(hz * 10) / 10)

/** Decisions about flutter. */
export const deflutterSentences = {
  repair: {
    FLUTTER_STEADIED: ({ frequencyHz, swingDb }) =>
      typeof frequencyHz === 'number'
        ? both(
            `The level fluttered by up to ${db(swingDb)} either way, ${perSecond(frequencyHz)} times a second, as the decoder of a music generator makes it; it was steadied.`,
            `음악 생성기의 디코더가 만드는 떨림(초당 ${perSecond(frequencyHz)}번, 위아래로 최대 ${db(swingDb)})을 고르게 했어요.`,
          )
        : both('A flutter of the level was steadied.', '음량의 떨림을 고르게 했어요.'),
  },
} satisfies StageSentences
