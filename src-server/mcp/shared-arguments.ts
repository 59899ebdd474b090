/** Arguments that several tools have, each with one name, one type and one meaning. */
import Type from 'typebox'
import { MAX_WAIT_SECONDS } from '../../src-contract/limits.ts'

/** Confirmation for calls that cost credits, give others access, or write a folder. */
export const Confirm = Type.Optional(
  Type.Boolean({ description: 'True to do it. Without it the answer says what it would do, and nothing is done.' }),
)

export const IdempotencyKey = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    // It travels as a header.
    pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$',
    description: 'A word of your own, of ASCII: the same call with it is made and charged once.',
  }),
)

/** Returns the header that makes a repeated call the same. */
export const idempotent = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'Idempotency-Key': key }

/** Returns the schema of the time that a call waits; `unless` describes the default. */
export const waitSeconds = (unless: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      description: `Longest time for which the answer waits for the end of the job, s. ${unless}`,
    }),
  )

/** Rows of a list that an agent can handle at once. */
export const PageSize = Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 10 }))
export const DEFAULT_ROWS = 10

/** Schema of a path; it is read by {@link fullPath}. */
export const pathArgument = (description: string) => Type.String({ minLength: 1, description })
