import { both, db } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** Detector of attacks in one band, by two envelopes of its power. */
export interface AttackBand {
  /** Rise time of the fast envelope to 63 %, ms. */
  readonly fastMs: number
  /** The same of the slow one, ms. It falls with the fast one. */
  readonly slowMs: number
}

/** Gains of four bands that follow attacks: times when the fast envelope exceeds the slow one by more than `thresholdDb`. */
export interface Punch {
  readonly kind: 'punch'
  /** Gain that the sharpest attacks approach, dB: above 0 emphasises them, below softens them. */
  readonly mostGainDb: number
  /** Excess beyond the threshold that gives half of that gain, dB. */
  readonly halfwayDb: number
  /** Excess of the fast envelope that is no attack, dB. */
  readonly thresholdDb: number
  /** Lead of the gains over the power that they follow, ms. */
  readonly releaseMs: number
  /** Lead of the gains over the power that they follow, ms. */
  readonly lookAheadMs: number
  /** Between the bands, ascending, Hz: three. */
  readonly crossoversHz: readonly number[]
  /** Four. */
  readonly bands: readonly AttackBand[]
}

/** Decisions about attacks. */
export const punchSentences = {
  dynamics: {
    ATTACKS_RAISED: (v) =>
      both(
        `Attacks stand out, as set: the sharpest by up to ${db(v.mostGainDb)}.`,
        `설정대로 어택을 살렸어요. 가장 날카로운 어택은 최대 ${db(v.mostGainDb)} 올라가요.`,
      ),
    ATTACKS_HELD_BACK: (v) =>
      both(
        `Attacks are held back, as set: the sharpest by up to ${db(v.mostGainDb)}.`,
        `설정대로 어택을 눌러 붙였어요. 가장 날카로운 어택은 최대 ${db(v.mostGainDb)} 내려가요.`,
      ),
  },
} satisfies StageSentences
