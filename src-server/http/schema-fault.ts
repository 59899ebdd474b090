/** Location and rule of a JSON value's schema violation, in the words of the API: the validator's own (typebox) stay in this file. */
import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import type { Detail } from '../../src-contract/text/details.ts'

/** A value that breaks its schema. */
export interface SchemaFault {
  /** Name of the value from the outside in, such as `settings.tilt_db` or `tracks[1].isrc`; empty for the whole. */
  readonly place: string
  readonly detail: Detail
}

/** Longest name in a path, characters: an unknown name can be as long as the request. */
const MAX_NAME_LENGTH = 100

/** Names of the JSON types as a rule. */
const TYPES: Readonly<Record<string, Detail>> = {
  integer: { rule: 'whole_number' },
  number: { rule: 'number' },
  string: { rule: 'text' },
  boolean: { rule: 'flag' },
  array: { rule: 'list' },
  object: { rule: 'object' },
}

/** Returns the first fault of `value`; undefined if it is valid. Pure; never throws. */
export function schemaFault(schema: TSchema, value: unknown): SchemaFault | undefined {
  if (Value.Check(schema, value)) return undefined
  // A choice of schemas is reported by its first one, and an unknown member before the object that contains it.
  const [fault] = Value.Errors(schema, value)
  if (!fault) return { place: '', detail: { rule: 'form' } }
  const { requiredProperties: [missing] = [] } = fault.params as Given
  const names = namesIn(fault.instancePath)
  return {
    place: placeOf(value, missing === undefined ? names : [...names, missing]),
    detail: detailOf(fault.keyword, fault.params, memberAt(schema, namesIn(fault.schemaPath))),
  }
}

/** Splits a JSON pointer (RFC 6901), with or without a leading `#`. */
function namesIn(pointer: string): string[] {
  const [, ...names] = pointer.split('/')
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Writes the way from `value` inwards: entries of lists in brackets, counted from 0. */
function placeOf(value: unknown, names: readonly string[]): string {
  let place = ''
  let at = value
  for (const name of names) {
    const shown = name.slice(0, MAX_NAME_LENGTH).toWellFormed()
    place += Array.isArray(at) ? `[${shown}]` : `${place && '.'}${shown}`
    at = (at as Readonly<Record<string, unknown>> | undefined)?.[name]
  }
  return place
}

/** Returns the part of a schema that a fault is about. */
function memberAt(schema: TSchema, names: readonly string[]): unknown {
  return names.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], schema)
}

/** Parameters of a fault, by its keyword of JSON Schema. */
interface Given {
  readonly limit?: number
  readonly type?: string
  readonly format?: string
  readonly allowedValue?: unknown
  readonly allowedValues?: readonly unknown[]
  readonly requiredProperties?: readonly string[]
}

interface Bounded {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly examples?: readonly string[]
}

/** Returns the broken rule; a number's rule always includes both bounds. */
function detailOf(keyword: string, params: object, member: unknown): Detail {
  const { type, minimum, maximum, examples: [example] = [] } = (member ?? {}) as Bounded
  if ((type === 'integer' || type === 'number') && minimum !== undefined && maximum !== undefined) {
    return { rule: type === 'integer' ? 'between' : 'number_between', least: minimum, most: maximum }
  }
  const given = params as Given
  const limit = given.limit ?? 0
  switch (keyword) {
    case 'enum':
      return { rule: 'one_of', words: (given.allowedValues ?? []).map(String) }
    case 'const':
      return { rule: 'one_of', words: [String(given.allowedValue)] }
    case 'type':
      return TYPES[given.type ?? ''] ?? { rule: 'form' }
    case 'minimum':
      return { rule: 'at_least', limit }
    case 'maximum':
      return { rule: 'at_most', limit }
    case 'minLength':
      return { rule: 'characters_at_least', limit }
    case 'maxLength':
      return { rule: 'characters_at_most', limit }
    case 'minItems':
      return { rule: 'items_at_least', limit }
    case 'maxItems':
      return { rule: 'items_at_most', limit }
    case 'uniqueItems':
      return { rule: 'each_once' }
    case 'required':
      return { rule: 'members', names: given.requiredProperties ?? [] }
    case 'boolean':
    case 'additionalProperties':
      return { rule: 'unknown_member' }
    case 'format':
      return given.format === 'uuid' ? { rule: 'uuid' } : { rule: 'form' }
    default:
      return { rule: 'form', ...(example === undefined ? {} : { example }) }
  }
}
