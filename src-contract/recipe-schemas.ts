/**
 * A recipe as it is written in reports and sent with requests: every stage with its settings in the names of the wire, and the targets of
 * the masters. Bounds are those of the processors; a name ends in its unit.
 */
import Type, { type Static, type TSchema } from 'typebox'
import { exactly, oneOf, orNull } from './common.ts'
import { MAX_DURATION_SECONDS } from './limits.ts'
import { RELEASE } from './master-name.ts'
import { PLATFORMS } from './platforms/index.ts'
import type { StageKind } from './stages/index.ts'

/** Version that reports carry: 2 is complete, 1 had rounded stages alone. */
export const RECIPE_VERSION = 2

const between = (minimum: number, maximum: number, description?: string) =>
  Type.Number({ minimum, maximum, ...(description === undefined ? {} : { description }) })
const listOf = <Schema extends TSchema>(schema: Schema, minItems: number, maxItems: number) =>
  Type.Array(schema, { minItems, maxItems })

/** Frequency of a filter that exists at every working rate, Hz. */
const hz = between(10, 20_000)
const q = between(0.3, 30)
const channels = <Schema extends TSchema>(schema: Schema) => listOf(schema, 2, 2)

/** Most stages of a recipe, sections of an equaliser and cuts of a dynamic one. */
const MOST_STAGES = 32
const MOST_SECTIONS = 24
const MOST_CUTS = 12
/** Most points of a curve, and most clicks of a channel. */
const MOST_POINTS = 400
const MOST_PLACES = 100_000
/** Highest frame of a song at the highest rate. */
const LAST_FRAME = MAX_DURATION_SECONDS * 192_000 * 2

export const GainCurve = exactly({
  frequency_hz: listOf(between(1, 100_000), 0, MOST_POINTS),
  gain_db: listOf(between(-24, 24), 0, MOST_POINTS),
})

export const CompressionBand = exactly({
  threshold_db: between(-150, 20),
  ratio: between(1, 8),
  knee_db: between(0, 24),
  attack_ms: between(0.5, 200),
  release_ms: between(10, 2000),
  max_reduction_db: between(0, 12),
})

const place = {
  frequency_hz: hz,
  q,
  channel: Type.Optional(oneOf(['mid', 'side'], 'What is filtered; both when absent.')),
}
const Section = Type.Union([
  exactly({ shape: oneOf(['peak', 'low_shelf', 'high_shelf']), gain_db: between(-18, 18), ...place }),
  exactly({ shape: oneOf(['low_pass', 'high_pass', 'notch']), ...place }),
])

export const BandCut = exactly({
  repair: oneOf(['resonance', 'sibilance'], 'What the report calls it.'),
  frequency_hz: between(1000, 16_000),
  q: between(0.5, 30),
  reference_hz: between(20, 20_000, 'The band that it is compared with.'),
  reference_q: between(0.1, 30),
  reference_sections: Type.Unsafe<1 | 3>({ type: 'integer', enum: [1, 3] }),
  tolerance_db: between(-60, 60),
  attack_ms: between(1, 500),
  release_ms: between(1, 500),
  max_mid_cut_db: between(0, 6),
  max_side_cut_db: between(0, 6),
})

const seconds = between(0, 2 * MAX_DURATION_SECONDS)

/** Every kind of stage with its settings. */
const STAGES = {
  remove_dc: exactly({ kind: Type.Literal('remove_dc'), offsets_full_scale: channels(between(-1, 1)) }),
  rumble_filter: exactly({
    kind: Type.Literal('rumble_filter'),
    frequency_hz: between(3, 40),
    order: Type.Unsafe<1 | 8>({ type: 'integer', enum: [1, 8] }),
    is_against_rumble: Type.Boolean({ description: 'False for a mere offset.' }),
  }),
  declip: exactly({
    kind: Type.Literal('declip'),
    levels_full_scale: channels(
      exactly({ positive: orNull(between(1e-6, 1000)), negative: orNull(between(-1000, -1e-6)) }),
    ),
  }),
  declick: exactly({
    kind: Type.Literal('declick'),
    clicks_frames: channels(
      Type.Array(channels(Type.Integer({ minimum: 0, maximum: LAST_FRAME })), { maxItems: MOST_PLACES }),
    ),
  }),
  whistle_notch: exactly({
    kind: Type.Literal('whistle_notch'),
    whistles: Type.Array(
      exactly({
        frequency_hz: between(200, 48_000, 'Nothing is done where the song has no such frequency.'),
        reach_hz: between(0, 100),
        start_seconds: seconds,
        end_seconds: seconds,
        excess_db: between(0, 60),
      }),
      { maxItems: 1000 },
    ),
  }),
  deflutter: exactly({
    kind: Type.Literal('deflutter'),
    borders_hz: listOf(hz, 1, 16),
    swing_step_seconds: between(1, 600, 'Time from one of `swings_db` to the next, s.'),
    lines: Type.Array(
      exactly({
        channel: oneOf(['left', 'right']),
        band: Type.Integer({ minimum: 0, maximum: 16 }),
        frequency_hz: between(0.1, 1000),
        swings_db: Type.Array(between(0, 3), {
          minItems: 2,
          maxItems: 1000,
          description: 'Swing of the band at each step, dB; between two it goes straight.',
        }),
        phase: between(-10, 10),
      }),
      { minItems: 1, maxItems: 1000 },
    ),
  }),
  equalise: exactly({ kind: Type.Literal('equalise'), sections: listOf(Section, 0, MOST_SECTIONS) }),
  dynamic_cut: exactly({ kind: Type.Literal('dynamic_cut'), cuts: listOf(BandCut, 0, MOST_CUTS) }),
  mono_bass: exactly({
    kind: Type.Literal('mono_bass'),
    frequency_hz: between(40, 200),
    from: oneOf(['left', 'right'], 'The channel whose bass both get.'),
  }),
  match: exactly({ kind: Type.Literal('match'), mid: GainCurve, side: GainCurve }),
  steer_tone: exactly({
    kind: Type.Literal('steer_tone'),
    sections: listOf(
      exactly({
        shape: oneOf(['tilt', 'low_shelf', 'peak', 'high_shelf']),
        frequency_hz: hz,
        gain_db: between(-6, 6),
        q: Type.Optional(q),
        up_to_hz: Type.Optional(between(20, 48_000)),
      }),
      0,
      MOST_SECTIONS,
    ),
  }),
  steer_width: exactly({
    kind: Type.Literal('steer_width'),
    crossovers_hz: listOf(between(20, 20_000), 0, 8),
    side_gains: Type.Array(between(0, 2), {
      minItems: 1,
      maxItems: 9,
      description: 'Gains of the side, one more than crossovers, 1 leaves it; 0 alone is mono.',
    }),
  }),
  density: exactly({ kind: Type.Literal('density'), compression: CompressionBand }),
  multiband: exactly({
    kind: Type.Literal('multiband'),
    crossovers_hz: listOf(between(20, 20_000), 0, 3),
    bands: listOf(CompressionBand, 1, 4),
  }),
  punch: exactly({
    kind: Type.Literal('punch'),
    most_gain_db: between(-12, 12),
    halfway_db: between(0.1, 48),
    threshold_db: between(0, 24),
    release_ms: between(1, 1000),
    look_ahead_ms: between(0, 5),
    crossovers_hz: listOf(between(20, 20_000), 3, 3),
    bands: listOf(exactly({ fast_ms: between(0.05, 200), slow_ms: between(0.05, 1000) }), 4, 4),
  }),
  warmth: exactly({
    kind: Type.Literal('warmth'),
    asymmetry: between(-1e6, 1e6),
    bend: between(0, 1e12),
    lowest_hz: between(5, 1000),
    level_ms: between(1, 5000),
  }),
} satisfies Record<StageKind, TSchema>

/** Named one by one, as a client's types have them. */
const Stage = Type.Union([
  STAGES.remove_dc,
  STAGES.rumble_filter,
  STAGES.declip,
  STAGES.declick,
  STAGES.whistle_notch,
  STAGES.deflutter,
  STAGES.equalise,
  STAGES.dynamic_cut,
  STAGES.mono_bass,
  STAGES.match,
  STAGES.steer_tone,
  STAGES.steer_width,
  STAGES.density,
  STAGES.multiband,
  STAGES.punch,
  STAGES.warmth,
])
/** A stage as it is written. */
export type WrittenStage = Static<typeof Stage>

/** Treatment of the peaks of one master in place of that chosen by trials. */
const Peaks = exactly(
  {
    clip_above_db: orNull(
      between(
        -6,
        12,
        'Level of the soft clipper above the ceiling at the gain that reaches the target; null without one.',
      ),
    ),
    limiter: exactly({
      look_ahead_ms: between(0.2, 10),
      fast_release_ms: between(0, 1000),
      slow_rise_ms: between(0, 1000),
      slow_fall_ms: between(0, 5000),
    }),
  },
  'Clipper and limiter; the best by trials when absent.',
)

/** Target of one master. */
export const MasterGoal = exactly({
  target_lufs: between(-60, -5),
  ceiling_dbtp: between(-20, 0),
  peaks: Type.Optional(Peaks),
})

const masterNames = [...PLATFORMS, RELEASE] as const

/** A recipe as it is sent. */
export const WrittenRecipe = exactly({
  version: Type.Integer({
    minimum: 1,
    maximum: RECIPE_VERSION,
    description: 'Stages of version 1 are rounded; it has nothing else.',
  }),
  engine_version: Type.Optional(Type.String({ maxLength: 20, description: 'Engine that wrote it.' })),
  source: Type.Optional(
    exactly(
      {
        sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        trim_start_seconds: between(0, MAX_DURATION_SECONDS),
        trim_end_seconds: between(0, MAX_DURATION_SECONDS),
      },
      'The song that it was made for; absent if it was made for none.',
    ),
  ),
  intensity: Type.Optional(between(0, 100, 'Dynamics that may be given up for the targets; the setting when absent.')),
  stages: Type.Array(Stage, {
    maxItems: MOST_STAGES,
    description: 'In the order of processing; edits of single samples (remove_dc to deflutter) run first.',
  }),
  masters: Type.Optional(
    exactly(
      Object.fromEntries(masterNames.map((name) => [name, Type.Optional(MasterGoal)])) as {
        [Name in (typeof masterNames)[number]]: ReturnType<typeof Type.Optional<typeof MasterGoal>>
      },
      'Target and ceiling by master; that of the platform when absent.',
    ),
  ),
})
export type WrittenRecipe = Static<typeof WrittenRecipe>
export type MasterGoal = Static<typeof MasterGoal>
