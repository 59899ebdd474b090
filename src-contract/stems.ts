/** Sets of stems: the files that make one song. A set is a stored song, the sum of its stems; `source_id` names it. */
import Type, { type Static } from 'typebox'
import { Deleted, exactly, oneOf, orNull, Timestamp, Uuid } from './common.ts'
import { endpoints } from './endpoint.ts'
import { AcceptField } from './jobs.ts'
import { MAX_TITLE_LENGTH } from './limits.ts'
import {
  MAX_ACCOUNT_STEM_BYTES,
  MAX_STEM_SET_BYTES,
  MAX_STEMS,
  MAX_UNUSED_STEM_SETS,
  MIN_STEMS,
  STEM_SET_HOURS,
} from './stem-limits.ts'
import { StemRest } from './stem-mix-schemas.ts'
import { STEM_ROLES } from './stem-roles.ts'

const Stem = exactly({
  stem: Type.Integer({ minimum: 1, maximum: MAX_STEMS, description: 'Number of the stem: by role, then by name.' }),
  source_id: Type.String({ ...Uuid, description: 'Identifier of its file, which the application plays.' }),
  filename: Type.String(),
  role: oneOf(STEM_ROLES, 'Recognised by the file name; `other` without a known one.'),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
  codec: Type.String(),
  sample_rate_hz: Type.Integer(),
  channels: Type.Integer(),
  duration_seconds: Type.Number(),
  is_silent: Type.Optional(Type.Literal(true)),
  waveform_percent: Type.Optional(
    Type.Array(Type.Integer(), {
      description: 'Mean of the peaks in each of at most 200 equal slices, percent of full scale; absent in lists.',
    }),
  ),
})

const Likeness = exactly(
  {
    offset_samples: Type.Integer({
      description: 'Samples of the sum by which the mix comes later; negative when earlier.',
    }),
    is_inverted: Type.Boolean({ description: 'True if the polarity of the mix is the other one.' }),
    gain_db: Type.Number({ description: 'Gain of the sum that fits the mix best, dB.' }),
    ...StemRest.properties,
    is_song: Type.Boolean({ description: 'False if the mix is of another song.' }),
    summary: Type.String({ description: 'The same in a sentence, in the language of `Accept-Language`.' }),
  },
  'How the stereo mix is related to the sum of the stems.',
)

/** A stored set of stems. */
export const StemSet = exactly({
  source_id: Uuid,
  title: Type.String(),
  stems: Type.Array(Stem),
  sample_rate_hz: Type.Integer({ description: 'Rate of the sum: the highest of the stems, at most 96 kHz.' }),
  duration_seconds: Type.Number({ description: 'Length of the longest stem; shorter ones are padded at their end.' }),
  size_bytes: Type.Integer({ description: 'Room that the set takes: its stems and their sum.' }),
  original: Type.Optional(
    exactly(
      {
        source_id: Type.String({ ...Uuid, description: 'Identifier of its file, which the application plays.' }),
        filename: Type.String(),
        likeness: orNull(Likeness),
      },
      'Stereo mix of the song: compared with the sum, not added.',
    ),
  ),
  notes: Type.Array(Type.String(), {
    description:
      'Silent stems, a mix among them, converted rates and padded lengths, in the language of `Accept-Language`; in the answer to the upload also fields that were ignored.',
  }),
  created_at: Timestamp,
  expires_at: Type.Optional(
    Type.String({
      ...Timestamp,
      description: `When the set is removed unless a job is made from it: ${STEM_SET_HOURS} hours after its upload. Absent for one that is used, and for the application's.`,
    }),
  ),
})
export type StemSet = Static<typeof StemSet>

/** Unparsed text fields of `POST /api/v1/sources`. */
export const StemSetFields = exactly({
  kind: oneOf(['stems'], 'Always `stems`: the song is uploaded as its stems.'),
  title: Type.Optional(
    Type.String({
      maxLength: MAX_TITLE_LENGTH,
      description: 'Title of the song; otherwise the name of the ZIP, or what the names of the stems have in common.',
    }),
  ),
  accept: AcceptField,
  original_source_id: Type.Optional(
    Type.String({
      ...Uuid,
      description:
        'App session only: the stored song whose stems these are. The set has its tags, and it is the mix with which their sum is compared unless one is sent.',
    }),
  ),
  add_to_batch: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'App session only: the set becomes a song of the batch and stays as long as that.',
    }),
  ),
})

const SourcePath = exactly({ source_id: Type.String() })

const gigabytes = (bytes: number) => `${bytes / 2 ** 30} GB`

export const stemEndpoints = endpoints({
  createStemSet: {
    method: 'POST',
    path: '/api/v1/sources',
    access: 'caller',
    scope: 'master',
    tag: 'Stems',
    summary: 'Store the stems of a song, to master their sum (extension)',
    description: [
      `Send either one ZIP as \`file\` or ${MIN_STEMS} to ${MAX_STEMS} parts named \`stems\`, each WAV, FLAC or MP3, at most ${gigabytes(MAX_STEM_SET_BYTES)} together and 10 minutes each.`,
      'The answer comes when the stems are added up. `POST /api/v1/master` with its `source_id` instead of `file` masters the song: one job, one credit.',
      `An account has at most ${MAX_UNUSED_STEM_SETS} sets without a job and ${gigabytes(MAX_ACCOUNT_STEM_BYTES)} of sets; a set without a job is removed after ${STEM_SET_HOURS} hours, one with jobs when the last of them has expired or is deleted.`,
    ].join(' '),
    form: {
      fields: StemSetFields,
      files: {
        file: { required: false, description: 'ZIP of the stems. Other files in it are left out.' },
        original: {
          required: false,
          description:
            'Stereo mix of the song, to compare with the sum of the stems. A file among them that is named as the mix is taken for it.',
        },
        stems: { required: false, description: `Stem; this part is repeated, ${MIN_STEMS} to ${MAX_STEMS} times.` },
      },
    },
    answers: { 201: { description: 'The set is stored.', schema: StemSet } },
    errors: ['UNUSABLE_STEMS', 'STEM_SET_LIMIT', 'FILE_TOO_LARGE'],
  },
  listStemSets: {
    method: 'GET',
    path: '/api/v1/sources',
    access: 'caller',
    scope: 'read',
    tag: 'Stems',
    summary: 'List the stored sets of stems, newest first (extension)',
    description:
      'Those of programs and of the application, each with its size and, if it is not used, the time of its removal.',
    answers: { 200: { description: 'All sets.', schema: exactly({ sources: Type.Array(StemSet) }) } },
    errors: [],
  },
  readStemSet: {
    method: 'GET',
    path: '/api/v1/sources/{source_id}',
    access: 'caller',
    scope: 'read',
    tag: 'Stems',
    summary: 'Read a set of stems (extension)',
    description: 'Its stems with their roles, and the room that they take.',
    params: SourcePath,
    answers: { 200: { description: 'The set.', schema: StemSet } },
    errors: ['NOT_FOUND'],
  },
  deleteStemSet: {
    method: 'DELETE',
    path: '/api/v1/sources/{source_id}',
    access: 'caller',
    scope: 'master',
    tag: 'Stems',
    summary: 'Remove a set of stems (extension)',
    description: 'Only of sets that programs have stored. Its jobs stay, and keep what they need.',
    params: SourcePath,
    answers: { 200: { description: 'The set is removed.', schema: Deleted } },
    errors: ['NOT_FOUND'],
  },
})
