import { both, db, hz } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** A steady tone that is not music, with its position and prominence. */
export interface Whistle {
  readonly frequencyHz: number
  /** Drift to either side, Hz: 4 to 40. */
  readonly reachHz: number
  readonly startSeconds: number
  readonly endSeconds: number
  /** Height above its neighbourhood, dB: 6 to 40. */
  readonly excessDb: number
}

/** Attenuates whistles to the level of their neighbourhood, each while it sounds. */
export interface WhistleNotch {
  readonly kind: 'whistle_notch'
  readonly whistles: readonly Whistle[]
}

/** A time in a song: `1:05`. */
const clock = (seconds: number): string => {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** Decisions about whistles. */
export const whistleNotchSentences = {
  repair: {
    WHISTLE_REMOVED: ({ frequencyHz, excessDb, startSeconds, endSeconds }) =>
      typeof startSeconds === 'number' && typeof endSeconds === 'number'
        ? both(
            `A whistle at ${hz(frequencyHz)}, ${db(excessDb)} above what lies beside it, was removed from ${clock(startSeconds)} to ${clock(endSeconds)}.`,
            `${hz(frequencyHz)}에서 주변보다 ${db(excessDb)} 높게 울리는 가는 고음을 ${clock(startSeconds)}부터 ${clock(endSeconds)}까지 없앴어요.`,
          )
        : both('A whistle was removed.', '가는 고음을 없앴어요.'),
  },
} satisfies StageSentences
