/** Treatment of one stem before it is added: the engine's own stages, by its own settings, and its level and place. */

import { REPAIR_KINDS } from '../../src-contract/repair-kinds.ts'
import type { Repair } from '../../src-contract/report.ts'
import { NEUTRAL_SOUND, type SoundSettings } from '../../src-contract/settings.ts'
import { isTreated, STEM_SOUND_NAMES } from '../../src-contract/stem-mix.ts'
import type { StemSettings } from '../../src-contract/stem-mix-schemas.ts'
import { analyseSource } from '../../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../../src-engine/chain.ts'
import { highPass } from '../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../src-engine/dsp/biquad-cascade.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { planRecipe } from '../../src-engine/plan.ts'

/** Strength of the repairs: the default of a song. */
const INTENSITY = 50

/**
 * Treats a stem in place as its settings ask, except for its gain and place, and returns the repairs that were made. Only the repairs that
 * are named are made, and only where the stem needs them; silence stays. Rates below 44.1 kHz are refused with a RangeError.
 */
export function treatStem(audio: Audio, settings: StemSettings, isLossy: boolean): readonly Repair[] {
  if (!isTreated(settings)) return []
  const sound = soundOf(settings)
  const analysis = analyseSource(audio, { lossy: isLossy })
  const { recipe } = planRecipe({
    ...{ analysis, sound, genre: 'other', ai_service: 'other', intensity: INTENSITY, reference_amount: 0 },
  })
  const { repairs } = applyRecipe(audio, recipe)
  if (settings.low_cut_hz !== undefined)
    createBiquadCascade([highPass(settings.low_cut_hz, audio.sampleRateHz)]).process(audio)
  return repairs
}

/** Returns settings of the sound with which the engine makes the named repairs, what is asked for, and nothing else. */
function soundOf({ repairs = [], ...settings }: StemSettings): SoundSettings {
  const asked = STEM_SOUND_NAMES.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]]))
  return {
    ...NEUTRAL_SOUND,
    ...Object.fromEntries(asked),
    ...{ tone_amount: 0, dynamics_amount: 0, image_amount: 0 },
    skip_repairs: REPAIR_KINDS.filter((kind) => !repairs.includes(kind)),
  }
}
