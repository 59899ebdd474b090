/** Relation of a song's stereo mix to the sum of its stems. */
import type { StemRest } from './stem-mix-schemas.ts'

/** Relation of a mix to the sum of stems. Levels are dB of the mix. */
export interface MixLikeness {
  /** Frames by which the mix comes after the sum; negative when before. */
  readonly offsetFrames: number
  readonly isInverted: boolean
  /** Gain of the sum that fits the mix best. */
  readonly gainDb: number
  /** Energy of the mix less the fitted sum; never below −150. */
  readonly residualDb: number
  /** The same by bands. A band without energy in the mix has null. */
  readonly bands: readonly { readonly lowHz: number; readonly highHz: number; readonly residualDb: number | null }[]
}

/** A known relation, and the rate of its frames, Hz. */
export interface KnownLikeness extends MixLikeness {
  readonly sampleRateHz: number
}

/** Level of the rest from which a mix counts as another song, dB: more than half of it is not in the stems. */
const OTHER_SONG_DB = -3

/** Returns whether a mix and its stems are of one song. Pure. */
export const isOfSong = ({ residual_db }: Pick<StemRest, 'residual_db'>): boolean => residual_db < OTHER_SONG_DB

/** Returns the rest of a mix after the sum of its stems is subtracted, in answer form. Pure. */
export const restOf = ({ residualDb, bands }: MixLikeness): StemRest => ({
  residual_db: residualDb,
  bands: bands.map((band) => ({ low_hz: band.lowHz, high_hz: band.highHz, residual_db: band.residualDb })),
})
