/** The tone of a reference without its audio: the measurements for a match, kept with a job, a preset or a client. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, orNull } from './common.ts'
import { MAX_DURATION_SECONDS, MAX_REFERENCES } from './limits.ts'

/** Bands of the spectra: third and sixth octaves with centres from 25 Hz to 20 kHz. */
const THIRDS = 30
const SIXTHS = 59

const hz = orNull(Type.Number({ minimum: 20, maximum: 96_000 }))
const levels = (count: number) =>
  Type.Array(Type.Number({ minimum: -200, maximum: 100 }), { minItems: count, maxItems: count })
const levelsOf = (count: number, description: string) =>
  exactly({ mid_db: levels(count), side_db: levels(count) }, description)

export const SavedTarget = exactly({
  name: Type.Optional(Type.String({ maxLength: 200, description: 'What the target is called in reports.' })),
  weight: Type.Optional(
    Type.Number({ minimum: 0.01, maximum: 100, description: 'Weight beside other references; 1 when absent.' }),
  ),
  sample_rate_hz: Type.Integer({ minimum: 8000, maximum: 384_000 }),
  frames: Type.Integer({ minimum: 1, maximum: 384_000 * (MAX_DURATION_SECONDS + 1) }),
  integrated_lufs: orNull(Type.Number({ minimum: -120, maximum: 30, description: 'LUFS; null for silence.' })),
  side_to_mid_db: orNull(Type.Number({ minimum: -300, maximum: 300 })),
  is_mono: Type.Boolean(),
  dead_channel: orNull(oneOf(['left', 'right'])),
  is_lossy: Type.Boolean(),
  bandwidth_hz: hz,
  side_bandwidth_hz: hz,
  spectrum: levelsOf(THIRDS, 'Long-term levels of mid and side in third octaves from 25 Hz to 20 kHz, dB.'),
  fine_spectrum: levelsOf(SIXTHS, 'The same in sixth octaves.'),
})
export type SavedTarget = Static<typeof SavedTarget>

/** Targets of a request besides its `reference_file`. */
export const SavedTargets = Type.Array(SavedTarget, { maxItems: MAX_REFERENCES })
