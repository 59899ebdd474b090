import type { Language, LocalizedText } from '../text/language.ts'
import { change } from '../text/numbers.ts'
import { both, hz } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** One section of the user's tone settings; shelves and peak are the analogue prototypes of R. Bristow-Johnson's Audio EQ Cookbook. */
export type SteerToneSection =
  | {
      /** `gainDb · log10(f / frequencyHz) / 1.301`, constant outside 40 Hz to 16 kHz. */
      readonly shape: 'tilt'
      readonly frequencyHz: number
      /** At 20 times the frequency: −3 to 3. */
      readonly gainDb: number
    }
  | {
      readonly shape: 'low_shelf' | 'peak' | 'high_shelf'
      readonly frequencyHz: number
      /** −6 to 6. */
      readonly gainDb: number
      readonly q: number
      /** Upper end: the gain fades out over the third of an octave below it. Unlimited when absent. */
      readonly upToHz?: number
    }

/** Minimum-phase filter of the user's tone settings, the same in both channels. */
export interface SteerTone {
  readonly kind: 'steer_tone'
  readonly sections: readonly SteerToneSection[]
}

const names: Readonly<Record<string, LocalizedText>> = {
  tiltDb: both('tilt', '틸트'),
  bassDb: both('bass', '저음'),
  presenceDb: both('presence', '프레즌스'),
  airDb: both('air', '에어'),
}

/** Decisions about the user's tone settings. */
export const steerToneSentences = {
  tone: {
    TONE_STEERED: (v) => {
      const list = (language: Language) =>
        Object.entries(names)
          .filter(([name]) => v[name] !== undefined)
          .map(([name, text]) => `${text[language]} ${change(Number(v[name]))} dB`)
          .join(', ')
      const held =
        v.airUpToHz === undefined
          ? both('', '')
          : both(
              ` The source ends at ${hz(v.airUpToHz)}, so air lifts nothing above it and ${change(Number(v.airAppliedDb))} dB at most.`,
              ` 원본이 ${hz(v.airUpToHz)}에서 끝나서 에어는 그 위를 올리지 않고 최대 ${change(Number(v.airAppliedDb))} dB만 올려요.`,
            )
      return both(
        `The tone was set as asked: ${list('en')}.${held.en}`,
        `요청한 음색을 적용했어요: ${list('ko')}.${held.ko}`,
      )
    },
  },
} satisfies StageSentences
