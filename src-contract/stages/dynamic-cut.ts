import { both, db, hz } from '../text/sentence.ts'
import type { StageSentences } from './sentences.ts'

/** A band that is turned down, in mid and side, while it exceeds another band. */
export interface BandCut {
  readonly repair: 'resonance' | 'sibilance'
  /** The band: 1 000 to 16 000 Hz. */
  readonly frequencyHz: number
  /** 0.5 to 30. */
  readonly q: number
  /** The band that it is compared with; both are weighted by their width. */
  readonly referenceHz: number
  readonly referenceQ: number
  /** Cascaded band-passes of the reference: three if the loud band must not leak into it. */
  readonly referenceSections: 1 | 3
  /** Most that the density of the band may exceed the reference's without a cut, dB: −30 to 30. */
  readonly toleranceDb: number
  /** 1 to 500. */
  readonly attackMs: number
  readonly releaseMs: number
  /** Most that mid and side are turned down: 0 to 6 each. */
  readonly maxMidCutDb: number
  readonly maxSideCutDb: number
}

/** Dynamic equaliser. */
export interface DynamicCut {
  readonly kind: 'dynamic_cut'
  readonly cuts: readonly BandCut[]
}

/** Decisions about resonances and sibilance. */
export const dynamicCutSentences = {
  repair: {
    RESONANCE_TAMED: (v) =>
      both(
        `A resonance at ${hz(v.frequencyHz)} that stands out by ${db(v.excessDb)} is held back while it sounds.`,
        `${hz(v.frequencyHz)}에서 ${db(v.excessDb)} 튀는 공진을 울릴 때만 눌러요.`,
      ),
    SIBILANCE_TAMED: () => both('Sharp sibilance was softened.', '날카로운 치찰음을 부드럽게 했어요.'),
  },
} satisfies StageSentences
