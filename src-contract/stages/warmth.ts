import { decibels } from '../text/numbers.ts'
import { both } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** Soft saturation y = x / √(1 + asymmetry·x + bend·x²), oversampled twice and matched to the level of its input. */
export interface Warmth {
  readonly kind: 'warmth'
  /** Even part of the curve, which makes the second harmonic. */
  readonly asymmetry: number
  /** Odd part, which makes the third; above asymmetry² / 4 to keep the root positive. */
  readonly bend: number
  /** Below this the error of the curve is filtered out, with 12 dB per octave, Hz. */
  readonly lowestHz: number
  /** Time constant of the level matching, ms. */
  readonly levelMs: number
}

/** Decisions about warmth. */
export const warmthSentences = {
  tone: {
    WARMTH_ADDED: (v) => {
      const part = v.harmonicsPercent === undefined ? '' : `${decibels(Number(v.harmonicsPercent), 1)} %`
      return part === ''
        ? both('Soft saturation adds harmonics, as set.', '설정대로 부드러운 새추레이션으로 배음을 더했어요.')
        : both(
            `Soft saturation adds harmonics, as set: ${part} to a tone as loud as the song.`,
            `설정대로 부드러운 새추레이션으로 배음을 더했어요. 곡만큼 큰 음이라면 ${part}예요.`,
          )
    },
  },
} satisfies StageSentences
