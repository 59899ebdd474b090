/** Frequency responses of the four tone knobs, which the engine applies and the page draws. */
import type { SteerToneSection as ToneSection } from '../../src-contract/stages/steer-tone.ts'
import { clamp, powerToDb } from './units.ts'

/** Pivot frequency of a tilt, and limits beyond which it is flat, Hz. */
const pivotHz = 800
const tiltFromHz = 40
export const tiltToHz = 16_000
/** Decades from the pivot to the upper end, where a tilt has its whole gain. */
const tiltDecades = 1.301
/** Corners of bass and air, Hz: half of the gain. As steep as possible without a bump. */
const bassHz = 100
const airHz = 9000
const shelfQ = Math.SQRT1_2
/** Centre of the presence, Hz, and its width. */
export const presenceHz = 2800
const presenceQ = 0.7
/** Part of an octave over which air fades out below a cutoff. */
const fadeOctaves = 1 / 3

/** Squared magnitude of `re + i·im`. */
const square = (re: number, im: number): number => re * re + im * im

/** Gain of an analogue shelf or peak at a frequency, dB: R. Bristow-Johnson, Audio EQ Cookbook, "analog prototypes". */
function prototypeDb(shape: 'low_shelf' | 'peak' | 'high_shelf', ratio: number, q: number, gainDb: number): number {
  const a = 10 ** (gainDb / 40)
  const power = ratio * ratio
  if (shape === 'peak') {
    return powerToDb(square(1 - power, (a / q) * ratio) / square(1 - power, ratio / (a * q)))
  }
  const damping = (Math.sqrt(a) / q) * ratio
  const risingDb = powerToDb(square(a - power, damping) / square(1 - a * power, damping))
  return gainDb / 2 + (shape === 'low_shelf' ? risingDb : -risingDb)
}

/** Gain of one section at a frequency, dB. */
function sectionDb(section: ToneSection, hz: number): number {
  const { frequencyHz, gainDb } = section
  if (section.shape === 'tilt') {
    return (gainDb * Math.log10(clamp(hz, tiltFromHz, tiltToHz) / frequencyHz)) / tiltDecades
  }
  const wholeDb = prototypeDb(section.shape, hz / frequencyHz, section.q, gainDb)
  if (section.upToHz === undefined) return wholeDb
  return wholeDb * clamp(Math.log2(section.upToHz / Math.max(hz, 1)) / fadeOctaves, 0, 1)
}

/** Returns the gain of the sections together at a frequency, dB. Pure. */
export function toneDb(sections: readonly ToneSection[], hz: number): number {
  return sections.reduce((sum, section) => sum + sectionDb(section, hz), 0)
}

/** Returns the largest gain of a section below its upper end, dB. Pure. */
export function largestToneDb(section: ToneSection, upToHz: number): number {
  const steps = Array.from({ length: 200 }, (_, i) => (upToHz * i) / 200)
  return Math.max(...steps.map((hz) => sectionDb(section, hz)))
}

/** Settings of the tone, by their names on the wire, dB. */
export interface ToneSettings {
  readonly tilt_db: number
  readonly bass_db: number
  readonly presence_db: number
  readonly air_db: number
}

/** Returns the sections of a tone, with air limited to an upper end if given; sections without gain do nothing. Pure. */
export function toneSections(
  { tilt_db, bass_db, presence_db, air_db }: ToneSettings,
  airUpToHz?: number,
): readonly ToneSection[] {
  return [
    { shape: 'tilt', frequencyHz: pivotHz, gainDb: tilt_db },
    { shape: 'low_shelf', frequencyHz: bassHz, gainDb: bass_db, q: shelfQ },
    { shape: 'peak', frequencyHz: presenceHz, gainDb: presence_db, q: presenceQ },
    {
      ...{ shape: 'high_shelf', frequencyHz: airHz, gainDb: air_db, q: shelfQ },
      ...(airUpToHz === undefined ? {} : { upToHz: airUpToHz }),
    },
  ]
}
