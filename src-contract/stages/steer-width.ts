import { both, db, hz } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** Gain of the side in bands, by steep Butterworth shelves at their borders. */
export interface SteerWidth {
  readonly kind: 'steer_width'
  /** Borders of the bands, ascending, Hz; empty for one gain everywhere. */
  readonly crossoversHz: readonly number[]
  /** Linear gains of the side, one more than borders: 0 to 2. 0 everywhere is mono. */
  readonly sideGains: readonly number[]
}

/** Decisions about the width that was set. */
export const steerWidthSentences = {
  image: {
    WIDTH_SET: (v) =>
      v.widthPercent === 0
        ? both('The song was made mono, as set.', '설정대로 모노로 만들었어요.')
        : Number(v.widthPercent) < 100
          ? both(
              `The sides were turned down by ${db(v.gainDb)}, to the width set.`,
              `설정한 폭에 맞춰 사이드를 ${db(v.gainDb)} 낮췄어요.`,
            )
          : both(
              `The sides were turned up by ${db(v.gainDb)}, to the width set; below ${hz(v.bassHz)} they stay.`,
              `설정한 폭에 맞춰 사이드를 ${db(v.gainDb)} 올렸어요. ${hz(v.bassHz)} 아래는 그대로예요.`,
            ),
    WIDTH_SET_IN_PART: (v) => {
      const bands = [v.lowMidsDb, v.midsDb, v.upperMidsDb, v.highsDb].map((gain) => db(gain))
      return both(
        `The sides were turned up towards the width set, which asks for ${db(v.gainDb)}, only as far as mono playback stands it: ${bands[0]} in the low mids, ${bands[1]} in the mids, ${bands[2]} in the upper mids, ${bands[3]} in the highs.`,
        `설정한 폭대로면 사이드를 ${db(v.gainDb)} 올려야 하지만, 모노 재생에서 잃는 것이 없는 만큼만 올렸어요. 중저역 ${bands[0]}, 중역 ${bands[1]}, 중고역 ${bands[2]}, 고역 ${bands[3]}예요.`,
      )
    },
    HIGHS_NARROWED: (v) =>
      both(
        `Above ${hz(v.fromHz)} the sides were turned down by ${db(v.gainDb)}, as set.`,
        `설정대로 ${hz(v.fromHz)} 위 사이드를 ${db(v.gainDb)} 낮췄어요.`,
      ),
    WIDTH_NOT_SET: () =>
      both(
        'The width that was set changes nothing: the song has no two channels that differ.',
        '서로 다른 두 채널이 없는 곡이라, 설정한 폭으로 바뀌는 것이 없어요.',
      ),
  },
} satisfies StageSentences
