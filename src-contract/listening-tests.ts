/** Listening tests: masters compared blind, in a folder that opens from a disk in any browser; results come back as files (extension). */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, Timestamp, Uuid } from './common.ts'
import { endpoints } from './endpoint.ts'
import { MAX_DURATION_SECONDS, MAX_TITLE_LENGTH } from './limits.ts'
import { RELEASE } from './master-name.ts'
import { PLATFORMS } from './platforms/index.ts'
import { LANGUAGES } from './text/language.ts'

export const LISTENING_KINDS = ['preference', 'abx'] as const

/** Most versions of a test, and most trials of one listener. */
export const MOST_VERSIONS = 4
export const MOST_TRIALS = 50

const Token = Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Sound, by its random name in the test.' })

/** One master of a job to compare. */
const Version = exactly({
  job_id: Type.String(),
  master: oneOf([...PLATFORMS, RELEASE], 'Which of its masters.'),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 60,
      description: 'What results call it; v1, v2 … when absent. Never in the folder.',
    }),
  ),
})

export const ListeningTestRequest = exactly({
  kind: Type.Optional(
    oneOf(LISTENING_KINDS, 'Which one is liked better, or whether two can be told apart (`abx`).', 'preference'),
  ),
  versions: Type.Array(Version, { minItems: 2, maxItems: MOST_VERSIONS, description: 'Two for `abx`.' }),
  title: Type.Optional(
    Type.String({ maxLength: MAX_TITLE_LENGTH, description: 'Title of the test; that of the first job when absent.' }),
  ),
  start_seconds: Type.Optional(
    Type.Number({ minimum: 0, maximum: MAX_DURATION_SECONDS, description: 'Start of the passage, s; 0 when absent.' }),
  ),
  seconds: Type.Optional(
    Type.Number({ minimum: 2, maximum: 30, default: 15, description: 'Length of the passage, s.' }),
  ),
  trials: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MOST_TRIALS, default: 7, description: 'Comparisons of one listener.' }),
  ),
  language: Type.Optional(oneOf(LANGUAGES, 'Language of the page; that of `Accept-Language` when absent.')),
  folder: Type.Optional(
    Type.String({
      description:
        'Full path of the folder in which that of the test is made. A program names one inside the folders that the owner allowed; for the application it is the output folder when absent.',
    }),
  ),
})
export type ListeningTestRequest = Static<typeof ListeningTestRequest>

/** One listener's result file. */
export const ListeningResult = exactly({
  loudsmith_listening_test: Type.Literal(1, { description: 'Form of the file.' }),
  test_id: Uuid,
  result_id: Token,
  voter: Type.String({ maxLength: 60, description: 'Name that the listener gave.' }),
  trials: Type.Array(
    exactly({
      a: Token,
      b: Token,
      x: Type.Optional(Token),
      answer: Type.Union([Token, Type.Null()], { description: 'The chosen sound; null for no difference.' }),
    }),
    { minItems: 1, maxItems: MOST_TRIALS, description: 'Comparisons, in order.' },
  ),
})
export type ListeningResult = Static<typeof ListeningResult>

export const ListeningTest = exactly({
  test_id: Uuid,
  title: Type.String(),
  kind: oneOf(LISTENING_KINDS),
  created_at: Timestamp,
  versions: Type.Array(
    exactly({
      name: Type.String(),
      job_id: Uuid,
      master: oneOf([...PLATFORMS, RELEASE]),
      gain_db: Type.Number({ description: 'Gain that matches its loudness to the quietest.' }),
      chosen: Type.Integer({ description: 'Comparisons in which it was chosen.' }),
      compared: Type.Integer({ description: 'Comparisons that it was in.' }),
    }),
    { description: 'What was compared, in the order of the request.' },
  ),
  results: Type.Array(
    exactly({
      result_id: Type.String(),
      voter: Type.String(),
      received_at: Timestamp,
      trials: Type.Integer({ description: 'Number of comparisons.' }),
      correct: Type.Optional(Type.Integer({ description: 'Of `abx`: those in which X was found.' })),
    }),
    { description: 'Results that came back, oldest first.' },
  ),
  correct: Type.Optional(Type.Integer({ description: 'Of `abx`: of all listeners.' })),
  p_value: Type.Optional(Type.Number({ description: 'Of `abx`: chance of as many by guessing, one-sided binomial.' })),
  summary: Type.String({ description: 'The outcome in a sentence.' }),
})
export type ListeningTest = Static<typeof ListeningTest>

const tag = 'Jobs'
const params = exactly({ test_id: Type.String() })

export const listeningTestEndpoints = endpoints({
  createListeningTest: {
    method: 'POST',
    path: '/api/v1/listening-tests',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Make a blind listening test as a folder (extension)',
    description:
      'Writes one page with all its sounds inside, which any browser opens from a disk and which asks for nothing. The sounds are a passage of the masters at one loudness, of equal length, without tags, under random names; what they are is kept here alone. Whether a listener tells the truth is not known.',
    body: ListeningTestRequest,
    answers: {
      201: {
        description: 'The test.',
        schema: exactly({
          test_id: Uuid,
          file: Type.String({ description: 'Full path of the page.' }),
          size_bytes: Type.Integer(),
          loudness_lufs: Type.Number({ description: 'Loudness of every sound.' }),
        }),
      },
    },
    errors: [
      'JOB_NOT_FOUND',
      'JOB_NOT_READY',
      'JOB_FAILED',
      'RESULT_EXPIRED',
      'FILE_GONE',
      'PATH_NOT_ALLOWED',
      'FOLDER_TAKEN',
    ],
  },
  readListeningTest: {
    method: 'GET',
    path: '/api/v1/listening-tests/{test_id}',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read a listening test and its results (extension)',
    description: 'What was compared, who chose what, and the outcome in a sentence.',
    params,
    answers: { 200: { description: 'The test.', schema: ListeningTest } },
    errors: ['NOT_FOUND'],
  },
  addListeningResult: {
    method: 'POST',
    path: '/api/v1/listening-tests/{test_id}/results',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Read the result file of a listener (extension)',
    description: 'The file as the page saved it. The same file again changes nothing.',
    params,
    body: ListeningResult,
    answers: { 200: { description: 'The test with all its results.', schema: ListeningTest } },
    errors: ['NOT_FOUND'],
  },
})
