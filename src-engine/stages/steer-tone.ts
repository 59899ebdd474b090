import type { Decision } from '../../src-contract/report.ts'
import type { SoundSettings } from '../../src-contract/settings.ts'
import type { SteerTone, SteerToneSection } from '../../src-contract/stages/steer-tone.ts'
import { createConvolver, minimumPhaseFilter } from '../dsp/fir.ts'
import { clamp, powerToDb, rounded } from '../dsp/units.ts'
import { nothingPlanned, type Planning, type StagePlan, type StreamingStage } from './stage.ts'

/** Frequency that a tilt leaves, and those beyond which it goes no further, Hz. */
const pivotHz = 800
const tiltFromHz = 40
const tiltToHz = 16_000
/** Decades from the pivot to the upper end: there a tilt has its whole gain. */
const tiltDecades = 1.301
/** Corners of bass and air, Hz: half of the gain. Steep as they can be without a bump. */
const bassHz = 100
const airHz = 9000
const shelfQ = Math.SQRT1_2
/** Centre of the presence, Hz, and its width. */
const presenceHz = 2800
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
function sectionDb(section: SteerToneSection, hz: number): number {
  const { frequencyHz, gainDb } = section
  if (section.shape === 'tilt') {
    return (gainDb * Math.log10(clamp(hz, tiltFromHz, tiltToHz) / frequencyHz)) / tiltDecades
  }
  const wholeDb = prototypeDb(section.shape, hz / frequencyHz, section.q, gainDb)
  if (section.upToHz === undefined) return wholeDb
  return wholeDb * clamp(Math.log2(section.upToHz / Math.max(hz, 1)) / fadeOctaves, 0, 1)
}

/** Gain of the sections together at a frequency, dB. */
export function steerToneDb(sections: readonly SteerToneSection[], hz: number): number {
  return sections.reduce((sum, section) => sum + sectionDb(section, hz), 0)
}

/** Largest gain of a section with an upper end, dB: what the end leaves of it. */
function largestDb(section: SteerToneSection, upToHz: number): number {
  const steps = Array.from({ length: 200 }, (_, i) => (upToHz * i) / 200)
  return Math.max(...steps.map((hz) => sectionDb(section, hz)))
}

/** Settings of the tone, by their names on the wire. */
export type ToneSettings = Pick<SoundSettings, 'tilt_db' | 'bass_db' | 'presence_db' | 'air_db'>

/** Returns the sections of a tone, air up to a frequency where it has an upper end; those without gain do nothing. */
export function toneSections(
  { tilt_db, bass_db, presence_db, air_db }: ToneSettings,
  airUpToHz?: number,
): readonly SteerToneSection[] {
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

function planSteerTone({ analysis, sound }: Planning): StagePlan<SteerTone> {
  const { tilt_db, bass_db, presence_db, air_db } = sound
  const { bandwidthHz } = analysis
  // Above a cutoff there is only noise.
  const isHeld = air_db > 0 && bandwidthHz !== null
  const all = toneSections(sound, isHeld ? bandwidthHz : undefined)
  const sections = all.filter(({ gainDb }) => gainDb !== 0)
  if (sections.length === 0) return nothingPlanned
  const asked = { tiltDb: tilt_db, bassDb: bass_db, presenceDb: presence_db, airDb: air_db }
  const values: Decision['values'] = {
    ...Object.fromEntries(Object.entries(asked).filter(([, gainDb]) => gainDb !== 0)),
    ...(isHeld
      ? { airUpToHz: Math.round(bandwidthHz), airAppliedDb: rounded(largestDb(all.at(-1)!, bandwidthHz)) }
      : {}),
  }
  return { stages: [{ kind: 'steer_tone', sections }], decisions: [{ stage: 'tone', code: 'TONE_STEERED', values }] }
}

/** The tone that was asked for. */
export const steerTone = {
  kind: 'steer_tone',
  isAskedFor: true,
  plan: planSteerTone,
  create({ sections }, sampleRateHz) {
    const filter = minimumPhaseFilter(sections, steerToneDb, sampleRateHz)
    return createConvolver(filter, filter)
  },
  responseDb({ sections }, hz) {
    const gainDb = steerToneDb(sections, hz)
    return { mid: gainDb, side: gainDb }
  },
} as const satisfies StreamingStage<SteerTone>
