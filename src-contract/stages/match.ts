import { decibels } from '../text/numbers.ts'
import { both, db, hz, percent } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** Gain over frequency: points ascending in frequency, straight lines between them on a logarithmic axis, flat outside. */
export interface GainCurve {
  readonly frequencyHz: readonly number[]
  /** −12 to 12 each. */
  readonly gainDb: readonly number[]
}

/** Minimum-phase filter with separate curves for mid and side. */
export interface Match {
  readonly kind: 'match'
  readonly mid: GainCurve
  readonly side: GainCurve
}

/** Formats the limit of a movement: whole decibels without decimals. */
const limit = (value: number | string | undefined): string =>
  `${decibels(Number(value), Number.isInteger(value) ? 0 : 1)} dB`

/** Decisions about the tone as a whole and about the width. */
export const matchSentences = {
  tone: {
    TONE_TOWARD_GENRE: (v) =>
      both(
        `The tone was moved toward the genre, by ${db(v.largestDb)} at most.`,
        `음색을 장르 쪽으로 옮겼어요. 최대 ${db(v.largestDb)}예요.`,
      ),
    TONE_WITHIN_GENRE: () =>
      both(
        'The tone lies where music of the genre does and was left alone.',
        '음색이 장르의 범위 안에 있어 그대로 두었어요.',
      ),
    TONE_TOWARD_REFERENCE: (v) => {
      const amount = percent(v.amount ?? 100)
      const inPart =
        v.mostMidDb === undefined
          ? both('', '')
          : both(
              ` Differences beyond ${limit(v.mostMidDb)} in the mid and ${limit(v.mostSideDb)} in the sides counted only that far.`,
              ` 미드 ${limit(v.mostMidDb)}, 사이드 ${limit(v.mostSideDb)}를 넘는 차이는 거기까지만 반영했어요.`,
            )
      return both(
        `The tone was moved ${amount} of the way to the reference: up to ${db(v.largestMidDb)} in the mid and ${db(v.largestSideDb)} in the sides, up to ${hz(v.upToHz)}.${inPart.en}`,
        `음색을 레퍼런스 쪽으로 ${amount} 옮겼어요. 미드 최대 ${db(v.largestMidDb)}, 사이드 최대 ${db(v.largestSideDb)}, ${hz(v.upToHz)}까지예요.${inPart.ko}`,
      )
    },
  },
  image: {
    IMAGE_WIDENED: (v) =>
      both(
        `The stereo image was widened by ${db(v.gainDb)} in the sides.`,
        `사이드를 ${db(v.gainDb)} 올려 스테레오 이미지를 넓혔어요.`,
      ),
    IMAGE_NARROWED: (v) => {
      // Reports from before 1.27.0 name no range: the whole image was narrowed.
      const range =
        v.fromHz === undefined
          ? both('', '')
          : both(`, between ${hz(v.fromHz)} and ${hz(v.toHz)}`, ` ${hz(v.fromHz)}~${hz(v.toHz)}에서`)
      return both(
        `The stereo image was wider than usual and was narrowed by up to ${db(v.gainDb)} in the sides${range.en}.`,
        `지나치게 넓어${range.ko} 사이드를 최대 ${db(v.gainDb)} 낮춰 좁혔어요.`,
      )
    },
  },
} satisfies StageSentences
