/** Jobs: one song in, one master per platform out (specification sections 2 to 4; extensions as marked). */
import Type, { type Static } from 'typebox'
import {
  anyObject,
  exactly,
  IdempotencyHeaders,
  JobPath,
  oneOf,
  orNull,
  PageSize,
  SONG_MEDIA_TYPES,
  Timestamp,
  Uuid,
} from './common.ts'
import { COVER_FACTS } from './covers.ts'
import { RELEASE } from './delivery-target.ts'
import { ProposedEdges } from './edge-proposals.ts'
import { endpoints } from './endpoint.ts'
import { FAILURE_CODES } from './errors.ts'
import { FORMAT_NAMES } from './formats.ts'
import {
  DEFAULT_PREVIEW_SECONDS,
  MAX_CLIENT_METADATA_BYTES,
  MAX_CLIENT_REFERENCE_LENGTH,
  MAX_DURATION_SECONDS,
  MAX_PREVIEW_SECONDS,
  MAX_RECIPE_BYTES,
  MAX_REFERENCES,
  MAX_TITLE_LENGTH,
  MAX_URL_LENGTH,
  MAX_WAIT_SECONDS,
  MIN_PREVIEW_SECONDS,
} from './limits.ts'
import { CHANGED_METADATA, METADATA_FIELDS, SHOWN_METADATA } from './metadata-schemas.ts'
import { PLATFORMS } from './platforms/index.ts'
import { PlaybackForecast } from './playback-forecast.ts'
import { MasterResult, Pictured, RENDER_WARNING_CODES, ReleaseResult, Repair, Report, Warning } from './report.ts'
import { SavedTarget } from './saved-targets.ts'
import {
  CHANGED_SETTINGS,
  HasRecipe,
  RecipeId,
  SETTING_FIELDS,
  SettingRecipe,
  SettingTargets,
  SHOWN_SETTINGS,
  ShownTargets,
} from './setting-schemas.ts'
import { MADE_WITH } from './settings.ts'
import { ACCEPT_ANY, OTHER_CONTAINERS } from './song-files.ts'
import { StemMix } from './stem-mix-schemas.ts'
import { Suggestion } from './suggestion.ts'

export const JOB_STATUSES = ['queued', 'done', 'failed'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** Stage of an unfinished job. The public status stays `queued` until the job ends. */
export const STAGES = ['waiting', 'decoding', 'analysing', 'rendering', 'verifying', 'packaging'] as const
export type Stage = (typeof STAGES)[number]

const specified = {
  job_id: Uuid,
  status: oneOf(JOB_STATUSES),
  platforms: Type.Array(oneOf(PLATFORMS)),
  credits_used: Type.Integer(),
  credits_remaining: Type.Integer({ description: 'Balance right after the charge.' }),
}

/** The 201 of `POST /api/v1/master`. */
export const CreatedJob = exactly({
  ...specified,
  created_at: Timestamp,
  warnings: Type.Optional(
    Type.Array(Warning, {
      description: 'Extension: fields that were ignored. Warnings about the song are in the job.',
    }),
  ),
})
export type CreatedJob = Static<typeof CreatedJob>

const ClientReference = Type.String({
  maxLength: MAX_CLIENT_REFERENCE_LENGTH,
  description: 'Reference of the client, as it was sent.',
})
const ClientMetadata = anyObject(`JSON object of the client, as it was sent; up to ${MAX_CLIENT_METADATA_BYTES} bytes.`)

/** One job as `GET /api/v1/jobs/{job_id}` shows it. */
export const Job = exactly({
  ...specified,
  download_url: Type.Optional(Type.String({ format: 'uri', description: 'Once the job is done.' })),
  download_size_bytes: Type.Optional(
    Type.Integer({ description: 'Size of the ZIP at `download_url`, bytes; absent once it has expired.' }),
  ),
  error_message: Type.Optional(Type.String({ description: 'Only when the job failed.' })),
  failure_code: Type.Optional(oneOf(FAILURE_CODES)),
  progress: Type.Integer({ minimum: 0, maximum: 100 }),
  stage: Type.Optional(oneOf(STAGES, 'While the job is queued.')),
  queue_position: Type.Optional(Type.Integer({ minimum: 1, description: 'Position while the job waits; 1 is next.' })),
  batch_id: Type.Optional(Uuid),
  source_id: Type.Optional(Uuid),
  stem_mix: Type.Optional(StemMix),
  stem_count: Type.Optional(Type.Integer({ description: 'Extension: number of stems whose sum the song is.' })),
  source_sha256: Type.String(),
  retry_of: Type.Optional(Uuid),
  client_reference: Type.Optional(ClientReference),
  metadata: Type.Optional(ClientMetadata),
  created_at: Timestamp,
  started_at: Type.Optional(Timestamp),
  completed_at: Type.Optional(Timestamp),
  expires_at: Type.Optional(Timestamp),
  expired: Type.Optional(Type.Literal(true)),
  title: Type.String(),
  artist: Type.Optional(Type.String()),
  ...SHOWN_METADATA,
  cover: Type.Optional(exactly(COVER_FACTS, 'The cover that was sent with the request.')),
  filename: Type.String(),
  reference_filename: Type.Optional(Type.String()),
  duration_seconds: Type.Number(),
  codec: Type.String(),
  ...SHOWN_SETTINGS,
  saved_targets: ShownTargets,
  has_recipe: HasRecipe,
  recipe_id: RecipeId,
  warnings: Type.Array(Warning),
  results: Type.Array(MasterResult),
  forecast: Type.Optional(
    Type.Array(PlaybackForecast, {
      description:
        'Extension: what twelve services do when it is played, mode by mode; each gets the master that goes there. Absent without results.',
    }),
  ),
  summary: Type.Optional(
    Type.String({
      description:
        'Extension: what was changed, in a sentence or two, in the language of `Accept-Language`. Absent in results of older versions.',
    }),
  ),
  release: Type.Optional(ReleaseResult),
  credits_refunded: Type.Integer(),
  output_folder: Type.Optional(
    Type.String({ description: 'Only for the app: folder to which the masters were copied.' }),
  ),
})
export type Job = Static<typeof Job>

const songName = (description: string) => Type.String({ maxLength: MAX_TITLE_LENGTH, description })

const { genre, ai_service, tier, intensity, reference_amount, ...furtherSettings } = SETTING_FIELDS

/** Files that are accepted besides MP3, WAV and FLAC. */
export const AcceptField = Type.Optional(
  oneOf(
    [ACCEPT_ANY],
    `Extension: also takes ${Object.values(OTHER_CONTAINERS)
      .map(({ name }) => name)
      .join(
        ', ',
      )} with one or two channels of AAC, ALAC, FLAC, MP3, Opus, PCM, Vorbis or WavPack, as song and as reference.`,
  ),
)

/** Parts of a form with reference tracks. */
export const REFERENCE_FILES = ['reference_file', 'reference_file_2', 'reference_file_3', 'reference_file_4'] as const
export type ReferenceFile = (typeof REFERENCE_FILES)[number]

const FURTHER_REFERENCE = {
  required: false,
  description:
    'Extension: one more reference, with the same limits. Only its measurements are kept, as one of `targets`.',
}
const REFERENCE_PARTS = {
  reference_file: { required: false, description: 'A track whose tone to match; the same limits, at least 5 s.' },
  reference_file_2: FURTHER_REFERENCE,
  reference_file_3: FURTHER_REFERENCE,
  reference_file_4: FURTHER_REFERENCE,
}

const RECIPE_PART = {
  required: false,
  description: `Extension: the field \`recipe\` as a file, at most ${MAX_RECIPE_BYTES / 2 ** 20} MiB.`,
}

const RecipeField = Type.Optional(
  Type.String({
    description: `Extension: \`recipe\` of a report.json, or one of your own, as JSON (a file part beyond 64 KiB). Its stages and targets replace the plan: the same song, engine and ffmpeg give the same WAVs again. No setting of the sound and no reference may stand beside it.`,
  }),
)

/** Unparsed text fields of `POST /api/v1/master`, since multipart carries strings. They are checked in this order. */
export const MasterFields = exactly({
  platforms: Type.String({ description: `Comma-separated list of: ${PLATFORMS.join(', ')}.` }),
  genre,
  ai_service,
  tier,
  webhook_url: Type.Optional(Type.String({ format: 'uri', maxLength: MAX_URL_LENGTH })),
  accept: AcceptField,
  preset: Type.Optional(
    Type.String({ description: 'Extension: name of a preset whose settings count where the form names none.' }),
  ),
  intensity,
  reference_amount,
  ...furtherSettings,
  reference_weights: Type.Optional(
    Type.String({
      description:
        'Extension: weights of the reference files in their order, separated by commas, such as `2,1`; 0.01 to 100 each, all alike when absent.',
    }),
  ),
  targets: Type.Optional(
    Type.String({
      description: `Extension: references without their audio, a JSON list of \`target\` as \`POST /api/v1/analyze\` answers it, each with a \`weight\` and a \`name\` if you like; at most ${MAX_REFERENCES} with the reference files. Each has the effect of its file; the tone moves toward the weighted mean of all.`,
    }),
  ),
  recipe: RecipeField,
  title: Type.Optional(songName('Extension: title of the masters, else that of the tag or the file name.')),
  artist: Type.Optional(songName('Extension: artist of the masters, else that of the tag.')),
  ...METADATA_FIELDS,
  batch_id: Type.Optional(
    Type.String({ ...Uuid, description: 'Extension: a UUID of your own, by which jobs can be listed together.' }),
  ),
  client_reference: Type.Optional(
    Type.String({
      maxLength: MAX_CLIENT_REFERENCE_LENGTH,
      description: 'Extension: a reference of your own, returned with the job and found by searching.',
    }),
  ),
  metadata: Type.Optional(
    Type.String({
      description: `Extension: a JSON object of your own, up to ${MAX_CLIENT_METADATA_BYTES} bytes, returned with the job and found by searching.`,
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      description: `Extension: run every check and the analysis, charge nothing, make no job. Its warnings are those of the job but for ${RENDER_WARNING_CODES.join(' and ')}, which only the written masters show. One at a time per caller, as analyze.`,
    }),
  ),
  stems: Type.Optional(
    Type.String({
      description:
        'Extension, with a set of stems as `source_id`: the settings of its mix, a JSON object of the schema `StemMix`; the plain sum when absent.',
    }),
  ),
  source_id: Type.Optional(
    Type.String({
      description:
        'Extension: a set of stems of `POST /api/v1/sources` instead of `file`; for the app, any stored song.',
    }),
  ),
  reference_source_id: Type.Optional(
    Type.String({ description: 'Extension, app session only: a stored song as reference.' }),
  ),
})

/** Text fields of `POST /api/v1/preview`: those of a job, and the passage. */
export const PreviewFields = exactly({
  ...MasterFields.properties,
  platforms: Type.String({ description: `One of: ${PLATFORMS.join(', ')}.` }),
  start_seconds: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_DURATION_SECONDS,
      description: 'Start of the passage in the song, s; the loudest passage when absent.',
    }),
  ),
  seconds: Type.Optional(
    Type.Number({
      minimum: MIN_PREVIEW_SECONDS,
      maximum: MAX_PREVIEW_SECONDS,
      default: DEFAULT_PREVIEW_SECONDS,
      description: 'Length of the passage, s; it ends with the song.',
    }),
  ),
})

/** Settings that a retry changes; unnamed ones stay as they were. */
export const RetryChanges = exactly({
  // Checked as in a form: an unknown one is INVALID_PLATFORM.
  platforms: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, description: `Some of: ${PLATFORMS.join(', ')}.` }),
  ),
  accept: AcceptField,
  // Without defaults: unnamed settings stay.
  ...CHANGED_SETTINGS,
  targets: SettingTargets,
  recipe: SettingRecipe,
  title: Type.Optional(songName('Title of the masters; empty for that of the tag or the file name.')),
  artist: Type.Optional(songName('Artist of the masters; empty for that of the tag.')),
  ...CHANGED_METADATA,
  client_reference: Type.Optional(ClientReference),
  metadata: Type.Optional(ClientMetadata),
  // Checked by the policy for callbacks: a refused address is INVALID_WEBHOOK_URL.
  webhook_url: Type.Optional(
    Type.String({ description: "Callback target of the new job alone; it never has the first job's." }),
  ),
})
export type RetryChanges = Static<typeof RetryChanges>

/** The 200 of a dry run. */
export const DryRun = exactly({
  dry_run: Type.Literal(true, { description: 'Distinguishes this answer from that of a job.' }),
  would_charge: Type.Integer(),
  credits_remaining: Type.Integer(),
  platforms: Type.Array(oneOf(PLATFORMS)),
  proposed_edges: Type.Optional(ProposedEdges),
  summary: Type.String({
    description:
      'What the plan changes, in a sentence or two, in the language of `Accept-Language`. Its levels lead from the loudness of the song to the targets.',
  }),
  warnings: Type.Array(Warning),
})

export const JOB_SORTS = ['newest', 'oldest', 'title'] as const

export const JobQuery = exactly({
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words in title, artist, file name, client reference or metadata.' }),
  ),
  status: Type.Optional(oneOf(JOB_STATUSES)),
  platform: Type.Optional(oneOf(PLATFORMS)),
  batch_id: Type.Optional(Uuid),
  sort: Type.Optional(oneOf(JOB_SORTS)),
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
})
export type JobQuery = Static<typeof JobQuery>

export const JobPage = exactly({
  jobs: Type.Array(Job),
  total: Type.Integer({ description: 'Jobs that match, on all pages.' }),
  next_cursor: Type.Optional(Type.String()),
})
export type JobPage = Static<typeof JobPage>

/** Service that made a song, as its file names it. */
export const MadeWith = Type.Optional(
  oneOf(MADE_WITH, 'The service that made the song, where its tags or its C2PA manifest name it; never guessed.'),
)

/** Result of the free analysis of a song. */
export const Analysis = exactly({
  duration_seconds: Type.Number(),
  codec: Type.String(),
  sample_rate_hz: Type.Integer(),
  channels: Type.Integer(),
  bandwidth_hz: orNull(Type.Number()),
  made_with: MadeWith,
  ...Pictured.properties,
  waveform: Type.Array(Type.Number(), { description: 'Peak of each of equal slices, linear 0 to 1.' }),
  repairs: Type.Array(Repair, { description: 'Repairs that mastering would make.' }),
  proposed_edges: Type.Optional(ProposedEdges),
  suggestion: Type.Optional(Suggestion),
  forecast: Type.Optional(
    Type.Array(PlaybackForecast, {
      description: 'Extension: what twelve services do when it is played, mode by mode as it is. Absent for silence.',
    }),
  ),
  target: Type.Optional({
    ...SavedTarget,
    description: 'The song as one of `targets` for others, if `target` asks for it.',
  }),
  summary: Type.String({
    description:
      'What mastering with default settings would change in the sound, in a sentence or two, in the language of `Accept-Language`.',
  }),
  warnings: Type.Array(Warning),
})
export type Analysis = Static<typeof Analysis>

/** Text fields of an analysis. */
export const AnalysisFields = exactly({
  ai_service,
  accept: AcceptField,
  price: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Also finds what loudness costs the song, `suggestion.price`, and suggests a target where −14 LUFS costs too much. It takes up to as long again.',
    }),
  ),
  target: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Also answers the song as a reference for others: `target`, for the field `targets`.',
    }),
  ),
  source_id: Type.Optional(
    Type.String({
      description: 'A set of stems or one of its stems instead of `file`; for the app, any stored song.',
    }),
  ),
})

/** Values of `{file}` of a job: a platform of the job, its master for all services, its source, or its reference. */
const JOB_FILES = [...PLATFORMS, RELEASE, 'source', 'reference'] as const

const FILE_ERRORS = [
  'INVALID_REQUEST',
  'UNSUPPORTED_MEDIA_TYPE',
  'FILE_TOO_LARGE',
  'UNSUPPORTED_FORMAT',
  'FILE_TOO_LONG',
] as const
/** Edges that the song cannot have. */
const EDGE_ERRORS = ['TRIMMED_AWAY', 'FADES_OVERLAP'] as const
/** Failures of reading a result. */
export const RESULT_ERRORS = ['JOB_NOT_FOUND', 'JOB_NOT_READY', 'JOB_FAILED', 'RESULT_EXPIRED', 'FILE_GONE'] as const
const tag = 'Jobs'

export const jobEndpoints = endpoints({
  createJob: {
    method: 'POST',
    path: '/api/v1/master',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Create a mastering job',
    headers: IdempotencyHeaders,
    form: {
      fields: MasterFields,
      files: {
        file: { required: true, description: 'MP3, WAV or FLAC, at most 50 MB and 10 minutes.' },
        ...REFERENCE_PARTS,
        recipe: RECIPE_PART,
        cover_file: {
          required: false,
          description:
            'Extension: cover of the masters instead of that of the file, JPEG or PNG; square and at least 1400 pixels a side is advised. Above 10 MB it becomes a smaller JPEG.',
        },
      },
    },
    answers: {
      201: { description: 'The job is queued and charged.', schema: CreatedJob },
      200: { description: 'Extension: the answer of a dry run.', schema: DryRun },
    },
    errors: [
      ...FILE_ERRORS,
      'INVALID_PLATFORM',
      'INVALID_WEBHOOK_URL',
      ...EDGE_ERRORS,
      'INSUFFICIENT_CREDITS',
      'CONCURRENT_LIMIT',
      'IDEMPOTENCY_IN_PROGRESS',
      'IDEMPOTENCY_MISMATCH',
    ],
  },
  listJobs: {
    method: 'GET',
    path: '/api/v1/jobs',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'List jobs (extension)',
    query: JobQuery,
    answers: { 200: { description: 'One page of jobs.', schema: JobPage } },
    errors: [],
  },
  readJob: {
    method: 'GET',
    path: '/api/v1/jobs/{job_id}',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read a job',
    params: JobPath,
    query: exactly({
      wait: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_WAIT_SECONDS,
          description: 'Extension: time for which the answer waits for the end of the job, s.',
        }),
      ),
    }),
    answers: { 200: { description: 'The job.', schema: Job } },
    errors: ['JOB_NOT_FOUND'],
  },
  deleteJob: {
    method: 'DELETE',
    path: '/api/v1/jobs/{job_id}',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Cancel an unfinished job, or delete a finished one (extension)',
    description:
      'A job may end while the request is on its way. To cancel only, send `status=queued`: a job that has ended then stays. A key with the scope `master` can only cancel jobs that it made itself; all else needs `all`.',
    params: JobPath,
    query: exactly({
      status: Type.Optional(
        oneOf(['queued'], 'Cancel only: a job that has ended is answered as it is and not deleted.'),
      ),
    }),
    answers: {
      200: { description: 'The job: cancelled and refunded, or as it had ended before.', schema: Job },
      204: { description: 'The finished job and its files are deleted.' },
    },
    errors: ['JOB_NOT_FOUND'],
  },
  retryJob: {
    method: 'POST',
    path: '/api/v1/jobs/{job_id}/retry',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Make a new job from the stored source of an ended one; it costs a credit (extension)',
    description:
      'Costs 1 credit like any job, whatever the result of the first one. Without a body the new job has the settings of the first. A JSON body may contain changed settings and a `webhook_url`: that of the first job is not called again. With an `Idempotency-Key` a repeated call makes and charges one job.',
    params: JobPath,
    headers: IdempotencyHeaders,
    body: RetryChanges,
    isBodyOptional: true,
    answers: { 201: { description: 'The new job, with `retry_of`.', schema: CreatedJob } },
    errors: [
      'INVALID_PLATFORM',
      'INVALID_WEBHOOK_URL',
      ...EDGE_ERRORS,
      'JOB_NOT_FOUND',
      'JOB_NOT_READY',
      'RESULT_EXPIRED',
      'FILE_GONE',
      'INSUFFICIENT_CREDITS',
      'CONCURRENT_LIMIT',
      'IDEMPOTENCY_IN_PROGRESS',
      'IDEMPOTENCY_MISMATCH',
    ],
  },
  downloadResult: {
    method: 'GET',
    path: '/api/v1/jobs/{job_id}/download',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Download the result',
    description:
      'A ZIP with one WAV per platform, the files of `formats` and `release_master` with a README.txt, report.json, report.html and SHA256SUMS. Ranges and conditional requests work; the entity tag is strong and opaque.',
    params: JobPath,
    answers: {
      200: { description: 'The whole ZIP.', mediaTypes: ['application/zip'] },
      206: { description: 'The range asked for.', mediaTypes: ['application/zip'] },
      304: { description: 'Unchanged.' },
    },
    errors: [...RESULT_ERRORS, 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'],
  },
  readReport: {
    method: 'GET',
    path: '/api/v1/jobs/{job_id}/report',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read the report (extension)',
    description:
      'Where a batch has delivered the masters into a folder, the report is read there, as long as the owner allows that folder.',
    params: JobPath,
    query: exactly({ format: Type.Optional(oneOf(['json', 'html'])) }),
    answers: {
      200: {
        description: 'report.json, or report.html with `format=html`.',
        schema: Report,
        mediaTypes: ['text/html'],
      },
    },
    errors: RESULT_ERRORS,
  },
  readJobFile: {
    method: 'GET',
    path: '/api/v1/jobs/{job_id}/files/{file}',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read one master, the source or the reference (extension)',
    params: exactly({ job_id: Type.String(), file: oneOf(JOB_FILES) }),
    query: exactly({
      format: Type.Optional(
        oneOf(
          FORMAT_NAMES,
          'The file of a master in this format, where the job made one; its WAV of 24 bit when absent.',
        ),
      ),
    }),
    answers: {
      200: { description: 'The whole file.', mediaTypes: SONG_MEDIA_TYPES },
      206: { description: 'The range asked for.', mediaTypes: SONG_MEDIA_TYPES },
      304: { description: 'Unchanged.' },
    },
    errors: [...RESULT_ERRORS, 'NOT_FOUND', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'],
  },
  preview: {
    method: 'POST',
    path: '/api/v1/preview',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Hear a passage of the master before there is a job (extension, free, one at a time per caller)',
    description:
      'Takes the fields of `POST /api/v1/master` with exactly one platform; those that concern a job alone are checked and have no effect. The whole master is rendered, with candidates and codec proof in tier premium, and the passage is cut out of it: its samples are those of the file that the job would write.',
    form: {
      fields: PreviewFields,
      files: {
        file: { required: true, description: 'MP3, WAV or FLAC, at most 50 MB and 10 minutes.' },
        ...REFERENCE_PARTS,
        recipe: RECIPE_PART,
      },
    },
    answers: { 200: { description: 'The passage.', mediaTypes: ['audio/wav'] } },
    errors: [
      ...FILE_ERRORS,
      'INVALID_PLATFORM',
      'INVALID_WEBHOOK_URL',
      ...EDGE_ERRORS,
      'CONCURRENT_LIMIT',
      'CEILING_NOT_HELD',
    ],
  },
  analyze: {
    method: 'POST',
    path: '/api/v1/analyze',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Analyse a song without mastering it (extension, free, one at a time per caller)',
    form: {
      fields: AnalysisFields,
      files: { file: { required: false, description: 'MP3, WAV or FLAC, at most 50 MB and 10 minutes.' } },
    },
    answers: { 200: { description: 'Measurements and findings.', schema: Analysis } },
    errors: [...FILE_ERRORS, 'NOT_FOUND', 'CONCURRENT_LIMIT'],
  },
})
