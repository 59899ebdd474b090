import { type BandLevels, emptyDb } from '../dsp/meters/spectrum.ts'
import { dbToPower, power, powerToDb } from '../dsp/units.ts'

/** Bands per octave that {@link findCutoff} and the resonance search need. */
export const fineBandsPerOctave = 24

/** From the middle of a fine band to its upper end, as a ratio. */
const halfBand = power(2, 0.5 / fineBandsPerOctave)

/** Number of fine bands (a sixth of an octave) ... */
const steepBands = 4
/** ... and least fall of a cutoff within them, dB: steeper than any mix, so only a codec's or a converter's low-pass. */
const fallDb = 22
/** Fall per band within the long skirt of a low-pass, dB; a smaller fall is music again. */
const skirtDb = 6
/** Frequency above which a fall is the ordinary end of the audible band (a 320 kbit/s encoder's low-pass lies at 20 kHz). */
const highestHz = 19_500

/**
 * Returns the frequency in Hz above which there is no music, or null if the spectrum reaches the end of the band. `levels` are long-term
 * levels in {@link fineBandsPerOctave} bands per octave. The cutoff is the upper end of the highest band from which the level falls by 22
 * dB within a sixth of an octave for good or, for a gentler low-pass, of the band at the top of its skirt. Null for silence.
 */
export function findCutoff({ bandHz, midDb, sideDb }: BandLevels, sampleRateHz: number): number | null {
  const levels = midDb.map((mid, b) => powerToDb(dbToPower(mid) + dbToPower(sideDb[b]!)))
  let last = levels.length - 1
  while (last >= 0 && bandHz[last]! > sampleRateHz * 0.49) last--
  const loudest = Math.max(...levels.slice(0, last + 1))
  if (!(loudest > -150)) return null
  let above = Number.NEGATIVE_INFINITY
  for (let b = last - steepBands; b > 0; b--) {
    above = Math.max(above, levels[b + steepBands]!)
    const here = Math.max(levels[b]!, levels[b - 1]!)
    // Rounding and the tail of a filter keep falling below the end of the music.
    if (here - above >= fallDb && here > loudest - emptyDb) {
      let edge = levels[b]! > levels[b - 1]! ? b : b - 1
      while (levels[edge - 1]! - levels[edge]! > skirtDb) edge--
      const passedDb = levels[edge]! - fallDb / 2
      while (edge < b + steepBands && levels[edge + 1]! > passedDb) edge++
      const endHz = bandHz[edge]! * halfBand
      return endHz < highestHz ? endHz : null
    }
    if (above > loudest - 30) return null
  }
  return null
}
