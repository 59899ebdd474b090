import type { Genre } from '../../src-contract/settings.ts'
import { mix, rise } from '../dsp/units.ts'

/**
 * Level in dB of the average commercial recording in a band of equal relative width at a frequency, up to a constant: the quadratic
 * fit to the mean long-term spectrum of 12 345 tracks, A. Elowsson and A. Friberg, "Long-term Average Spectrum in Popular Music and
 * its Relation to the Level of the Percussion", AES 142 (2017), paper 9762, eq. 6: a spectral density at 60 bins per octave from
 * 30 Hz, y(x) = −0.000183·x² + 0.0213·x − 16.735 dB, valid from about 90 Hz, plus 10·lg f for bands of equal relative width. It agrees
 * with the 5 dB per octave between 100 Hz and 4 kHz, steeper above, of P. Pestana et al., "Spectral Characteristics of Popular
 * Commercial Recordings 1950–2010", AES 135 (2013), paper 8960, who also found a cut around 60 Hz: below 90 Hz the curve is level down
 * to 60 Hz and then falls by 12 dB per octave.
 */
export function commercialSpectrumDb(frequencyHz: number): number {
  const fitted = (hz: number): number => {
    const x = 1 + 60 * Math.log2(hz / 30)
    return -0.000183 * x * x + 0.0213 * x - 16.735 + 10 * Math.log10(hz)
  }
  if (frequencyHz >= 90) return fitted(frequencyHz)
  return fitted(90) - 12 * Math.max(0, Math.log2(60 / frequencyHz))
}

/** Tilt of a genre against the average of {@link commercialSpectrumDb}: gains in dB. */
interface GenreTilt {
  /** Shelf below 100 Hz. */
  readonly bassDb: number
  /** Around 300 Hz. */
  readonly bodyDb: number
  /** Around 3 kHz. */
  readonly presenceDb: number
  /** Shelf above 6 kHz. */
  readonly airDb: number
}

/**
 * Our recommendation per genre: Elowsson and Friberg found that genres differ mainly by how much percussion they have, which brings bass
 * and treble with it, and that recent releases are brighter and have more bass than the mean of their tracks. No published table gives
 * numbers per genre; these are ours. For genres with percussion they put finished recordings of such music around the target
 * (docs/engine/tone.md). `other` has no target: only its outliers are corrected.
 */
const genreTilts: Record<Genre, GenreTilt | null> = {
  kpop: { bassDb: 5, bodyDb: -1, presenceDb: 1, airDb: 6 },
  edm: { bassDb: 6.5, bodyDb: -1.5, presenceDb: 0, airDb: 6 },
  hiphop: { bassDb: 7, bodyDb: -1, presenceDb: 0, airDb: 4.5 },
  pop: { bassDb: 4, bodyDb: -0.5, presenceDb: 0.5, airDb: 5.5 },
  ballad: { bassDb: 0, bodyDb: 0, presenceDb: 0.5, airDb: 1.5 },
  other: null,
}

/** Range of levels of a genre's finished music at a frequency, dB, up to a common constant. */
export interface GenreBand {
  readonly centreDb: number
  readonly lowestDb: number
  readonly highestDb: number
}

/**
 * Half of the band's width, dB. No spread per genre is published, so the bands are ours and wide: an engineer's ordinary freedom in the
 * middle, and the arrangement's choices, from a bass drum to a hi-hat, at both ends.
 */
const middleWidthDb = 3
const endWidthDb = 5
/** Bounds between the middle and the two ends, Hz. */
const lowEnd = { fromHz: 60, toHz: 200 }
const highEnd = { fromHz: 4000, toHz: 10_000 }

/**
 * Extra reach of the band for recent music, dB. The direction is published, the amount is not: recent releases are brighter (Elowsson and
 * Friberg 2017), and the share between 125 and 500 Hz falls over 300 Korean dance tracks from 1992 to 2021 (Journal of the Korea
 * Entertainment Industry Association 17(1), 2023).
 */
const thinnerBodyDb = 3
const brighterDb = 3.5

/** The genre's band at a frequency; null for a genre without one. */
export function genreBand(genre: Genre, frequencyHz: number): GenreBand | null {
  const tilt = genreTilts[genre]
  if (tilt === null) return null
  const octaves = (hz: number): number => Math.log2(frequencyHz / hz)
  const bell = (hz: number, widthOctaves: number): number => Math.exp(-((octaves(hz) / widthOctaves) ** 2))
  const shelf = (hz: number): number => 1 / (1 + Math.exp(-3 * octaves(hz)))
  const centreDb =
    commercialSpectrumDb(frequencyHz) +
    tilt.bassDb * (1 - shelf(100)) +
    tilt.bodyDb * bell(300, 1) +
    tilt.presenceDb * bell(3000, 1) +
    tilt.airDb * shelf(6000)
  const atEnd = Math.max(
    1 - rise(Math.log2(frequencyHz), Math.log2(lowEnd.fromHz), Math.log2(lowEnd.toHz)),
    rise(Math.log2(frequencyHz), Math.log2(highEnd.fromHz), Math.log2(highEnd.toHz)),
  )
  const widthDb = mix(middleWidthDb, endWidthDb, atEnd)
  return {
    centreDb,
    lowestDb: centreDb - widthDb - thinnerBodyDb * bell(250, 1),
    highestDb: centreDb + widthDb + brighterDb * shelf(5000),
  }
}
