/** Treatment of one stem before it is added: the engine's own stages, by its own settings, and its level and place. */

import { REPAIR_KINDS } from '../../src-contract/repair-kinds.ts'
import type { Repair } from '../../src-contract/report.ts'
import { NEUTRAL_SOUND, type SoundSettings } from '../../src-contract/settings.ts'
import { isTreated, STEM_SOUND_NAMES } from '../../src-contract/stem-mix.ts'
import type { StemSettings } from '../../src-contract/stem-mix-schemas.ts'
import { analyseSource } from '../../src-engine/analysis/analysis.ts'
import { mixLikeness } from '../../src-engine/analysis/mix-likeness.ts'
import { applyRecipe } from '../../src-engine/chain.ts'
import { highPass } from '../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../src-engine/dsp/biquad-cascade.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { rounded } from '../../src-engine/dsp/units.ts'
import { planRecipe } from '../../src-engine/plan.ts'

/** Strength of the repairs: the default for songs. */
const INTENSITY = 50
/**
 * Largest delay between channels that carry the same sound, s, and the largest residual after alignment for them to count as the same, dB.
 */
const MOST_DELAY_SECONDS = 0.02
const MOST_REST_DB = -10

/**
 * Treats a stem in place by its settings, except for its gain and pan, and returns the repairs made. Only named repairs are made, and only
 * if the stem needs them; silence stays. Rates below 44.1 kHz are refused with a RangeError.
 */
export function treatStem(audio: Audio, settings: StemSettings, isLossy: boolean): readonly Repair[] {
  if (!isTreated(settings)) return []
  const sound = soundOf(settings)
  const recipeOf = () => {
    const analysis = analyseSource(audio, { lossy: isLossy })
    const song = { analysis, sound, genre: 'other', ai_service: 'other', intensity: INTENSITY } as const
    return planRecipe({ ...song, reference_amount: 0 }).recipe
  }
  const found = recipeOf()
  // Folding a bass that is late in one channel would double or cancel its notes.
  const aligned = found.stages.some(({ kind }) => kind === 'mono_bass') ? alignChannels(audio) : []
  const { repairs } = applyRecipe(audio, aligned.length > 0 ? recipeOf() : found)
  if (settings.low_cut_hz !== undefined)
    createBiquadCascade([highPass(settings.low_cut_hz, audio.sampleRateHz)]).process(audio)
  return [...aligned, ...repairs]
}

/** Brings a delayed copy of the other channel back in time and returns this repair of the bass; none otherwise. */
function alignChannels(audio: Audio): Repair[] {
  const { frames, sampleRateHz } = audio
  const [left, right] = audio.channels as [Float32Array, Float32Array]
  const [one, other] = [left, right].map((samples) => ({ ...audio, channels: [samples, samples] }))
  const likeness = mixLikeness(one!, other!, Math.round(MOST_DELAY_SECONDS * sampleRateHz))
  if (!likeness || likeness.offsetFrames === 0 || likeness.isInverted || likeness.residualDb > MOST_REST_DB) return []
  const late = likeness.offsetFrames > 0 ? right : left
  const delay = Math.abs(likeness.offsetFrames)
  late.copyWithin(0, delay)
  late.fill(0, frames - delay)
  return [
    { kind: 'mono_bass', channel: late === right ? 'right' : 'left', delay_ms: rounded((1000 * delay) / sampleRateHz) },
  ]
}

/** Returns sound settings that make the engine do the named repairs and the requested changes, and nothing else. */
function soundOf({ repairs = [], ...settings }: StemSettings): SoundSettings {
  const asked = STEM_SOUND_NAMES.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]]))
  return {
    ...NEUTRAL_SOUND,
    ...Object.fromEntries(asked),
    ...{ tone_amount: 0, dynamics_amount: 0, image_amount: 0 },
    skip_repairs: REPAIR_KINDS.filter((kind) => !repairs.includes(kind)),
  }
}
