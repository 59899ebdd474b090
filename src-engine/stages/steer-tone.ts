import type { Decision } from '../../src-contract/report.ts'
import type { SteerTone } from '../../src-contract/stages/steer-tone.ts'
import { createConvolver, minimumPhaseFilter } from '../dsp/fir.ts'
import { largestToneDb, toneDb, toneSections } from '../dsp/tone-law.ts'
import { rounded } from '../dsp/units.ts'
import { nothingPlanned, type Planning, type StagePlan, type StreamingStage } from './stage.ts'

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
      ? { airUpToHz: Math.round(bandwidthHz), airAppliedDb: rounded(largestToneDb(all.at(-1)!, bandwidthHz)) }
      : {}),
  }
  return { stages: [{ kind: 'steer_tone', sections }], decisions: [{ stage: 'tone', code: 'TONE_STEERED', values }] }
}

/** Requested tone. */
export const steerTone = {
  kind: 'steer_tone',
  isAskedFor: true,
  plan: planSteerTone,
  create({ sections }, sampleRateHz) {
    const filter = minimumPhaseFilter(sections, toneDb, sampleRateHz)
    return createConvolver(filter, filter)
  },
  responseDb({ sections }, hz) {
    const gainDb = toneDb(sections, hz)
    return { mid: gainDb, side: gainDb }
  },
} as const satisfies StreamingStage<SteerTone>
