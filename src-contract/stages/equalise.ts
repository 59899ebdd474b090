import type { LocalizedText } from '../text/language.ts'
import { both, db, hz } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** One section of a parametric equaliser, after R. Bristow-Johnson's Audio EQ Cookbook. */
export interface EqualiserSection {
  readonly shape: 'peak' | 'low_shelf' | 'high_shelf' | 'low_pass' | 'high_pass' | 'notch'
  /** 10 Hz to 0.45 of the sample rate. */
  readonly frequencyHz: number
  /** −18 to 18; passes and notches, which have none, may lack it. */
  readonly gainDb: number
  /** 0.3 to 30. */
  readonly q: number
  /** The filtered part; both channels when absent. */
  readonly channel?: 'mid' | 'side'
}

/** Parametric equaliser. */
export interface Equalise {
  readonly kind: 'equalise'
  readonly sections: readonly EqualiserSection[]
}

/** Of {@link equaliseSentences}' TONE_LEANED, which engines before 1.20.0 decided and reports of that time hold. */
const possibleFaults: Readonly<Record<string, LocalizedText>> = {
  mud: both('mud', '뭉쳤을'),
  harshness: both('harshness', '거칠'),
  dullness: both('a dull top', '어두울'),
}

/** Decisions about the typical faults of tone. */
export const equaliseSentences = {
  repair: {
    MUD_CUT: (v) =>
      both(
        `Mud around ${hz(v.frequencyHz)} was cut by ${db(v.gainDb)}.`,
        `${hz(v.frequencyHz)} 부근에 뭉친 소리를 ${db(v.gainDb)} 줄였어요.`,
      ),
  },
  tone: {
    TONE_HARSHNESS_CUT: (v) =>
      both(
        `Harshness around ${hz(v.frequencyHz)} was taken down by ${db(v.gainDb)}.`,
        `${hz(v.frequencyHz)} 부근의 거친 소리를 ${db(v.gainDb)} 낮췄어요.`,
      ),
    TONE_DULLNESS_LIFTED: (v) =>
      both(
        `A dull top was lifted by ${db(v.gainDb)} from ${hz(v.frequencyHz)} up.`,
        `어두운 고역을 ${hz(v.frequencyHz)}부터 ${db(v.gainDb)} 올렸어요.`,
      ),
    TONE_EXCESS_CUT: (v) =>
      both(
        `There was more around ${hz(v.frequencyHz)} than finished music has; it was taken down by ${db(v.gainDb)}.`,
        `${hz(v.frequencyHz)} 부근의 소리가 완성곡들보다 많아 ${db(v.gainDb)} 낮췄어요.`,
      ),
    TONE_LEANED: (v) => {
      const fault = possibleFaults[String(v.fault)] ?? both('a fault', '고르지 않을')
      return both(
        `The tone leans by ${db(v.gainDb)} away from ${fault.en} around ${hz(v.frequencyHz)}: possible, but too uncertain to call it a fault.`,
        `${hz(v.frequencyHz)} 부근이 ${fault.ko} 수 있어 ${db(v.gainDb)}만 살짝 기울였어요. 결함이라고 할 만큼 확실하지는 않아요.`,
      )
    },
  },
} satisfies StageSentences
