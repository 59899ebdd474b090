/** The sentences of a suggestion, as a musician reads them. */
import { expect, test } from 'vitest'
import { SUGGESTION_CODES, type SuggestionCode } from '../../src-contract/suggestion.ts'
import { suggestionLine, suggestionText } from '../../src-contract/text/suggestion.ts'

/** A reason of every kind with its values, and its sentences. */
const TOLD: Readonly<
  Record<SuggestionCode, readonly [values: Record<string, number | string>, en: string, ko: string]>
> = {
  BELOW_RANGE: [
    { figure: 'treble', distance_db: 4.1, setting: 'air_db', value: 2 },
    'Treble 4.1 dB below the range of released music → Air +2.0 dB',
    '고음이 발매된 음악의 범위보다 4.1 dB 낮아요 → 에어 +2.0 dB',
  ],
  ABOVE_RANGE: [
    { figure: 'width', distance_db: 2, setting: 'width_percent', value: 80 },
    'Width 2.0 dB above the range of released music → Width 80 %',
    '스테레오 폭이 발매된 음악의 범위보다 2.0 dB 높아요 → 스테레오 폭 80 %',
  ],
  WITHIN_RANGE: [
    {},
    'Tone, width and attacks lie within the range of released music.',
    '음색, 스테레오 폭, 어택은 발매된 음악의 범위 안에 있어요.',
  ],
  GENRE_FOUND: [
    { genre: 'hiphop', probability_percent: 85, from: 'tag' },
    'Genre by its genre tag: hip-hop (85 %)',
    '장르 태그로 본 장르: 힙합 (85 %)',
  ],
  LOUDER_THAN_PLAYED: [
    { played_lufs: -14, release_lufs: -12.8 },
    'Already louder than Spotify plays: −14.0 LUFS would only turn it down; the release master may stay at −12.8 LUFS.',
    '이미 Spotify의 재생 음량보다 커요. −14.0 LUFS로는 작아지기만 하니 공용 마스터는 −12.8 LUFS로 두어도 돼요.',
  ],
  LOUDEST_TARGET: [
    { target_lufs: -10, reduction_db: 0.34, plr_db: 8.2 },
    'Up to −10.0 LUFS little is lost: the loud parts give up 0.3 dB, 8.2 dB are left from loudness to peak.',
    '−10.0 LUFS까지는 거의 잃지 않아요. 큰 부분이 0.3 dB 줄고, 음량과 피크의 차이는 8.2 dB 남아요.',
  ],
  TARGET_TOO_LOUD: [
    { target_lufs: -16, reduction_db: 0.9, plr_db: 12, played_lufs: -14 },
    '−14.0 LUFS costs this song more than 1 dB of its loud parts or leaves less than 8 dB to the peaks. At −16.0 LUFS they give up 0.9 dB.',
    '−14.0 LUFS에서는 큰 부분이 1 dB 넘게 줄거나 피크까지 8 dB가 남지 않아요. −16.0 LUFS에서는 0.9 dB만 줄어요.',
  ],
  LEVEL_DRIFTS: [
    { change_db: -5.5 },
    'The level falls evenly by 5.5 dB from start to end → ride it against that in the mix, by 3 dB at most',
    '처음부터 끝까지 음량이 고르게 5.5 dB 작아져요 → 믹스에서 3 dB 이내로 반대로 조절하세요',
  ],
  TREBLE_BUILDS_UP: [
    { change_db: 5 },
    'Treble builds up by 5.0 dB from start to end → ride it down in the mix, by 3 dB at most',
    '처음부터 끝까지 고음이 5.0 dB 쌓여요 → 믹스에서 3 dB 이내로 점점 줄이세요',
  ],
  SECTION_JUMPS: [
    { at_seconds: 72, change_db: 4.2 },
    'The level jumps by +4.2 dB at 1:12, and nothing else changes → ride it in the mix, by 3 dB at most',
    '1:12에서 음량만 +4.2 dB 튀어요 → 믹스에서 3 dB 이내로 맞추세요',
  ],
  COLLAPSES_LATE: [
    { at_seconds: 185, change_db: -14 },
    'From 3:05 to the end the level stays 14.0 dB lower → cut there and fade out',
    '3:05부터 끝까지 음량이 14.0 dB 낮아요 → 그 앞에서 자르고 페이드 아웃하세요',
  ],
  ENDS_ABRUPTLY: [
    { at_seconds: 185, fade_seconds: 3 },
    'The song breaks off at 3:05 → fade out over 3 s',
    '곡이 3:05에서 끊겨요 → 3초 동안 페이드 아웃하세요',
  ],
}

test.each(SUGGESTION_CODES)('%s is a sentence with its figures', (code) => {
  const [values, ...texts] = TOLD[code]
  const { en, ko } = suggestionText({ code, values })
  expect([en, ko].map((text) => text.replaceAll('\u00a0', ' '))).toEqual(texts)
})

test('a finding that no knob helps has no arrow', () => {
  const { en } = suggestionText({ code: 'ABOVE_RANGE', values: { figure: 'low_mids', distance_db: 2 } })
  expect(en.replaceAll('\u00a0', ' ')).toBe('Low mids 2.0 dB above the range of released music')
})

test('a line of a card has the setting of its reason, and every figure of its sentence but the target', () => {
  const figures = (text: string): readonly string[] => text.match(/\d+(\.\d+)?/g) ?? []
  for (const code of SUGGESTION_CODES) {
    const { what, why } = suggestionLine({ code, values: TOLD[code][0] })
    for (const language of ['en', 'ko'] as const) {
      const line = `${what?.[language] ?? ''} ${why[language]}`
      const sentence = suggestionText({ code, values: TOLD[code][0] })[language]
      const isOwn = figures(line).every((figure) => figures(sentence).includes(figure))
      expect(line, language).not.toMatch(/undefined|NaN/)
      expect(isOwn, `${line} | ${sentence}`).toBe(true)
    }
  }
  const { what, why } = suggestionLine({ code: 'BELOW_RANGE', values: TOLD.BELOW_RANGE[0] })
  expect([what?.en, why.en, what?.ko]).toEqual([
    'Air +2.0\u00a0dB',
    'treble 4.1\u00a0dB below released music',
    '에어 +2.0\u00a0dB',
  ])
})
