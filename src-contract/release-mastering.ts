/** Mastering of a release as one record: its state, its masters, and the plan that is free (extension). */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, orNull, Uuid } from './common.ts'
import { ERROR_CODES, FAILURE_CODES } from './errors.ts'
import { PLATFORMS } from './platforms/index.ts'
import { CHANGED_SETTINGS } from './setting-schemas.ts'

/** Loudness of a release: as one record that preserves the levels between tracks, or each track on its own. */
export const RELEASE_LOUDNESS_MODES = ['album', 'track'] as const
export type ReleaseLoudnessMode = (typeof RELEASE_LOUDNESS_MODES)[number]

/** Sound settings of a whole record; absent ones have their defaults. */
export const ReleaseSettings = exactly(
  {
    platforms: Type.Optional(Type.Array(oneOf(PLATFORMS), { minItems: 1, uniqueItems: true })),
    ...CHANGED_SETTINGS,
  },
  'Sound settings of the whole record; those of a track stand over them.',
)
export type ReleaseSettings = Static<typeof ReleaseSettings>

export const MASTERING_STATES = ['idle', 'mastering', 'done', 'failed'] as const

/** A track that keeps the whole record below its target. */
const HeldBack = exactly(
  {
    track_id: Uuid,
    down_lu: Type.Number({ description: 'Distance of the record below its target, LU.' }),
  },
  'The record is softer than its target, so that relations hold: this track cannot be louder.',
)

/** State of the mastering of a release. */
export const Mastering = exactly({
  state: oneOf(MASTERING_STATES),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Mean of the tracks, percent.' }),
  round: Type.Optional(
    Type.Integer({ description: 'Round of the renders, from 1; later ones correct what was measured.' }),
  ),
  target_lufs: Type.Optional(Type.Number({ description: 'Target of the record in its release masters, LUFS.' })),
  record_lufs: Type.Optional(
    Type.Number({
      description: 'Loudness of all release masters laid end to end (BS.1770), measured on the files, LUFS.',
    }),
  ),
  largest_relation_error_lu: Type.Optional(
    Type.Number({ description: 'Largest error of the relation of two tracks, measured on the files, LU.' }),
  ),
  held_back: Type.Optional(HeldBack),
  failure: Type.Optional(
    exactly({
      code: oneOf(
        [...ERROR_CODES, ...FAILURE_CODES],
        'Reason for which it ended; that of the first track that failed.',
      ),
      message: Type.String(),
      track_id: Type.Optional(Uuid),
    }),
  ),
})
export type Mastering = Static<typeof Mastering>

/** Corrections that coherence makes, each toward the record and at most 1.5 dB. */
export const Corrections = exactly({
  offset_lu: Type.Optional(Type.Number({ description: 'Change of the loudness in the record, LU.' })),
  tilt_db: Type.Optional(Type.Number()),
  bass_db: Type.Optional(Type.Number()),
  presence_db: Type.Optional(Type.Number()),
  air_db: Type.Optional(Type.Number()),
  width_percent: Type.Optional(Type.Integer()),
})
export type Corrections = Static<typeof Corrections>

export const TRACK_MASTER_STATES = ['waiting', 'queued', 'done', 'failed', 'gone'] as const

/** A release's master of a track. */
export const TrackMaster = exactly({
  job_id: Type.Optional(Uuid),
  state: oneOf(TRACK_MASTER_STATES, 'State of its job; `waiting` before there is one, `gone` where it was deleted.'),
  integrated_lufs: Type.Optional(Type.Number({ description: 'Loudness of its release master, LUFS.' })),
  target_lufs: Type.Optional(Type.Number({ description: 'Target of its release master, LUFS.' })),
  offset_lu: Type.Optional(Type.Number({ description: 'Its target against that of the record, LU.' })),
  corrections: Type.Optional(Corrections),
})
export type TrackMaster = Static<typeof TrackMaster>

export const OUTLIER_KINDS = ['loudness', 'tone', 'width'] as const

const Outlier = exactly({
  kind: oneOf(OUTLIER_KINDS),
  distance_db: Type.Number({
    description:
      "Distance from the record's median: loudness of the loud parts in LU, third octaves of the tone (root mean square) and width in dB.",
  }),
  limit_db: Type.Number({ description: 'Distance from which a track is an outlier.' }),
})

const PlannedTrack = exactly({
  track_id: Uuid,
  position: Type.Integer({ minimum: 1 }),
  title: Type.String(),
  continuous_with_next: Type.Boolean({
    description:
      'True where it is mastered with the next as one: target, corrections and outliers are those of all of them.',
  }),
  needs_credit: Type.Boolean({ description: 'True until this song of this track was charged once.' }),
  source_lufs: orNull(Type.Number({ description: 'Loudness of the song, LUFS; null for silence.' })),
  levelled_lu: Type.Optional(
    Type.Number({
      description: 'Change of the level that the song of a generator has beside the others, LU; absent without one.',
    }),
  ),
  is_measured: Type.Boolean({ description: 'False while its song is being measured.' }),
  target_lufs: Type.Optional(Type.Number({ description: 'Planned target of its release master, LUFS.' })),
  offset_lu: Type.Optional(Type.Number({ description: 'That target against that of the record, LU.' })),
  most_lufs: Type.Optional(
    Type.Number({ description: 'Loudness that it reaches at least within the budget of effort, LUFS; an estimate.' }),
  ),
  outliers: Type.Array(Outlier, { description: 'Kinds in which it lies outside the record.' }),
  corrections: Type.Optional(Corrections),
})

/** Plan of the mastering of a release. */
export const ReleasePlan = exactly({
  loudness_mode: oneOf(RELEASE_LOUDNESS_MODES),
  coherence: Type.Boolean(),
  target_lufs: Type.Number({ description: 'Target of the record in its release masters, LUFS.' }),
  is_complete: Type.Boolean({
    description:
      'False while songs are being measured: what follows from all of them is absent. Ask again, or follow `release.changed`.',
  }),
  planned_lufs: Type.Optional(
    Type.Number({
      description: 'Loudness of the record as planned, LUFS; it differs where an anchor track holds its own.',
    }),
  ),
  credits_needed: Type.Integer(),
  credits_available: Type.Integer(),
  expected_held_back: Type.Optional(HeldBack),
  tracks: Type.Array(PlannedTrack, { description: 'Tracks in order.' }),
})
export type ReleasePlan = Static<typeof ReleasePlan>
