/** Auditions: a song heard with settings before any job, first as an estimate, then as the master that the job would write. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, orNull, Uuid } from './common.ts'
import { endpoints } from './endpoint.ts'
import { ERROR_CODES } from './errors.ts'
import { MasterSettings } from './master-settings-schema.ts'
import { PLATFORMS } from './platforms/index.ts'
import type { Recipe } from './recipe.ts'
import { Decision, Measurement, Pictured, Spectrum } from './report.ts'
import { TargetPrice } from './target-price.ts'

export { TargetPrice }

export const AUDITION_STATES = ['estimated', 'exact', 'failed'] as const

export const PROOF_STATES = ['none', 'open', 'running', 'done'] as const

/** Filter gains of a recipe on mid and side, dB: planned by the analysis, and set by the user. */
export const PlannedResponse = exactly({
  frequency_hz: Type.Array(Type.Number()),
  planned_mid_db: Type.Array(Type.Number(), { description: 'Gain that was planned for the mid, dB.' }),
  planned_side_db: Type.Array(Type.Number(), { description: 'Gain that was planned for the sides, dB.' }),
  own_mid_db: Type.Array(Type.Number(), { description: 'Further gain on the mid by own settings of the sound, dB.' }),
  own_side_db: Type.Array(Type.Number(), {
    description: 'Further gain on the sides by own settings of the sound, dB.',
  }),
})
export type PlannedResponse = Static<typeof PlannedResponse>

/** One song with one set of settings for one platform. It is immutable except for its results. */
export const Audition = exactly({
  audition_id: Type.String({ description: 'Hash of song, settings and platform: the same ones have the same.' }),
  source_id: Uuid,
  platform: oneOf(PLATFORMS),
  state: oneOf(
    AUDITION_STATES,
    '`exact` once the whole master is rendered as the job would write it; `estimated` before that.',
  ),
  proof: oneOf(
    PROOF_STATES,
    'Codec proof of tier premium: `none` for standard; while it is not `done`, exact means exact before candidates and codec proof.',
  ),
  duration_seconds: Type.Number(),
  start_seconds: Type.Optional(
    Type.Number({
      description:
        'Place in the song at which the master begins, s: what is cut off less the silence before it. Absent where it is 0.',
    }),
  ),
  sample_rate_hz: Type.Integer(),
  bit_depth: Type.Integer(),
  target_lufs: Type.Number(),
  ceiling_dbtp: Type.Number(),
  loudness_lufs: Type.Number({ description: 'Loudness of the master, LUFS; estimated until it is exact.' }),
  gain_db: Type.Number({
    description: 'Gain from the source to the master before limiting; estimated until it is exact.',
  }),
  true_peak_dbtp: Type.Optional(Type.Number({ description: 'True peak of the exact master, dBTP.' })),
  mean_gain_reduction_db: Type.Optional(
    Type.Number({
      description: 'Mean loudness lost by the 400 ms blocks that are at least as loud as the song. Once it is exact.',
    }),
  ),
  verdict: Type.Optional(oneOf(['on_target', 'below_target'], 'Once it is exact.')),
  recipe: Type.Unsafe<Recipe>({
    type: 'object',
    description: 'Stages of the chain before clipper and limiter, with their settings.',
  }),
  planned: PlannedResponse,
  target_spectrum: orNull(Spectrum),
  decisions: Type.Array(Decision),
  price: Type.Optional(
    Type.Array(TargetPrice, { description: 'Costs of four loudness targets, rising; absent until they are known.' }),
  ),
  error: Type.Optional(
    exactly(
      { code: oneOf(ERROR_CODES), message: Type.String() },
      'Reason for which there is no exact master; only when it failed.',
    ),
  ),
})
export type Audition = Static<typeof Audition>

/** Figures of an audition for drawing, equal to those in report.json of a job with these settings. */
export const AuditionPicture = exactly({
  audition_id: Type.String(),
  state: oneOf(AUDITION_STATES),
  source: Pictured,
  master: Type.Optional(Pictured),
  reference: Type.Optional(exactly({ measurement: Measurement, spectrum: Spectrum })),
})
export type AuditionPicture = Static<typeof AuditionPicture>

const AuditionPath = exactly({ audition_id: Type.String() })
const tag = 'App'
const WAV = ['audio/wav']

/** Failures of the engine, of ffmpeg and of the song while it is worked on. */
const WORK_ERRORS = [
  'NOT_FOUND',
  'UNSUPPORTED_FORMAT',
  'TRIMMED_AWAY',
  'FADES_OVERLAP',
  'CEILING_NOT_HELD',
  'AUDITION_ENDED',
  'INSUFFICIENT_STORAGE',
] as const
const soundAnswers = {
  200: { description: 'The whole WAV.', mediaTypes: WAV },
  206: { description: 'The range asked for.', mediaTypes: WAV },
  304: { description: 'Unchanged.' },
}

export const auditionEndpoints = endpoints({
  createAudition: {
    method: 'POST',
    path: '/app/auditions',
    access: 'session',
    tag,
    summary: 'Hear a stored song with settings, before any job',
    description:
      'Answers with an estimate; the whole master is rendered in the background, and `audition.changed` says when it is there. A newer audition goes before it. Free: no job is made.',
    body: exactly({ source_id: Type.String(), platform: oneOf(PLATFORMS), settings: MasterSettings }),
    answers: { 200: { description: 'The audition, as far as it is known.', schema: Audition } },
    errors: WORK_ERRORS,
  },
  readAudition: {
    method: 'GET',
    path: '/app/auditions/{audition_id}',
    access: 'session',
    tag,
    summary: 'Read an audition',
    description: 'One that a newer one has interrupted is rendered again when it is read, once nothing else waits.',
    params: AuditionPath,
    answers: { 200: { description: 'The audition, as far as it is known.', schema: Audition } },
    errors: ['NOT_FOUND'],
  },
  readAuditionPicture: {
    method: 'GET',
    path: '/app/auditions/{audition_id}/picture',
    access: 'session',
    tag,
    summary: 'Read the measurements, spectra and curves of an audition',
    description:
      'Those that report.json of a job with these settings has: of the source and the reference at once, of the master once the audition is exact. Read as the audition itself is.',
    params: AuditionPath,
    answers: { 200: { description: 'The figures, as far as they are known.', schema: AuditionPicture } },
    errors: ['NOT_FOUND'],
  },
  readEstimate: {
    method: 'GET',
    path: '/app/auditions/{audition_id}/estimate.wav',
    access: 'session',
    tag,
    summary: 'Hear the estimate of an audition',
    description:
      'Rendered around the range that is asked for, with the estimated gain, at the rate of the song; it stays as it was first heard.',
    params: AuditionPath,
    answers: soundAnswers,
    errors: [...WORK_ERRORS, 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'],
  },
  readExact: {
    method: 'GET',
    path: '/app/auditions/{audition_id}/exact.wav',
    access: 'session',
    tag,
    summary: 'Hear the exact master of an audition',
    description: 'The samples are those of the file that a job with these settings writes; only its tags are missing.',
    params: AuditionPath,
    answers: soundAnswers,
    errors: [...WORK_ERRORS, 'AUDITION_NOT_READY', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'],
  },
  proofAudition: {
    method: 'POST',
    path: '/app/auditions/{audition_id}/proof',
    access: 'session',
    tag,
    summary: 'Try the candidates and proof the codecs of a premium audition',
    description:
      'Takes as long as a premium job. The exact master is then that of the job; `audition.changed` says when. Changes nothing for tier standard.',
    params: AuditionPath,
    answers: { 202: { description: 'The audition; its proof is running or done.', schema: Audition } },
    errors: ['NOT_FOUND'],
  },
})
