import type { Genre } from '../../src-contract/settings.ts'

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
 * Our recommendation per genre: Elowsson and Friberg found that genres differ mainly by how much percussion they have, which brings
 * bass and treble with it, and that recent releases are brighter and have more bass than the mean of their tracks. No published
 * table gives numbers per genre; these are ours. Those of genres with percussion were set so that finished recordings of such music
 * lie around the target (docs/engine/tone.md). `other` has none: it is only freed of outliers.
 */
const genreTilts: Record<Genre, GenreTilt | null> = {
  kpop: { bassDb: 5, bodyDb: -1, presenceDb: 1, airDb: 6 },
  edm: { bassDb: 6.5, bodyDb: -1.5, presenceDb: 0, airDb: 6 },
  hiphop: { bassDb: 7, bodyDb: -1, presenceDb: 0, airDb: 4.5 },
  pop: { bassDb: 4, bodyDb: -0.5, presenceDb: 0.5, airDb: 5.5 },
  ballad: { bassDb: 0, bodyDb: 0, presenceDb: 0.5, airDb: 1.5 },
  other: null,
}

/** The genre's target in dB at a frequency, up to a constant; null for a genre without one. */
export function genreSpectrumDb(genre: Genre, frequencyHz: number): number | null {
  const tilt = genreTilts[genre]
  if (tilt === null) return null
  const octaves = (hz: number): number => Math.log2(frequencyHz / hz)
  const bell = (hz: number, widthOctaves: number): number => Math.exp(-((octaves(hz) / widthOctaves) ** 2))
  const shelf = (hz: number): number => 1 / (1 + Math.exp(-3 * octaves(hz)))
  return (
    commercialSpectrumDb(frequencyHz) +
    tilt.bassDb * (1 - shelf(100)) +
    tilt.bodyDb * bell(300, 1) +
    tilt.presenceDb * bell(3000, 1) +
    tilt.airDb * shelf(6000)
  )
}
