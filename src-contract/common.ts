/** Schemas that more than one resource uses. Wire names are snake_case; times are ISO 8601 in UTC. */
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { MAX_PAGE_SIZE } from './limits.ts'
import { OTHER_CONTAINERS } from './song-files.ts'

/** Form of a UUID in lower case. */
export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

/** Identifier of a job, a source or a batch: a UUID in canonical form. */
export const Uuid = Type.String({
  format: 'uuid',
  pattern: UUID_PATTERN,
})

/** A moment, ISO 8601 in UTC with milliseconds, e.g. `2026-03-01T12:00:00.000Z`. */
export const Timestamp = Type.String({ format: 'date-time' })

/** A closed list of words: its schema, its values and its type come from the one array. `standard` is the default. */
export function oneOf<const Values extends readonly string[]>(
  values: Values,
  description?: string,
  standard?: Values[number],
) {
  return Type.Unsafe<Values[number]>({
    type: 'string',
    enum: [...values],
    ...(standard === undefined ? {} : { default: standard }),
    ...(description ? { description } : {}),
  })
}

/** An object with a closed list of members; others are refused in input and never sent in output. */
export function exactly<Properties extends TProperties>(properties: Properties, description?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(description ? { description } : {}) })
}

/** An object with any members. */
export function anyObject(description?: string) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    ...(description ? { description } : {}),
  })
}

/** A value that a measurement may not have, such as the loudness of silence (−∞ has no JSON form). */
export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** Default number of entries on a page of a list. */
export const DEFAULT_PAGE_SIZE = 50

/** Query parameter: number of entries on a page of a list. */
export const PageSize = Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE })

/** Path parameters of all endpoints below one job. A plain string, so a malformed identifier is an unknown job. */
export const JobPath = exactly({ job_id: Type.String() })
export type JobPath = Static<typeof JobPath>

/** Media types of songs and masters. */
export const SONG_MEDIA_TYPES = [
  ...['audio/wav', 'audio/mpeg', 'audio/flac'],
  ...Object.values(OTHER_CONTAINERS).map(({ mediaType }) => mediaType),
]

/** Answer of deletions. */
export const Deleted = exactly({ deleted: Type.Literal(true) })

/** Header that makes a repeated POST harmless. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Extension: makes a repeated request harmless. For 24 hours the same request with the same key gets the first 201 again and is not charged; another request with it is 422.',
    }),
  ),
})
