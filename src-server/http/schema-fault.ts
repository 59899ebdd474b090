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
  const choice = choiceAtFault(schema, value, [])
  return choice ? faultIn(value, choice) : faultOf(value, { schema, value, names: [] })
}

/** A value inside another, with its schema and the names that lead to it. */
interface Inner {
  readonly schema: TSchema
  readonly value: unknown
  readonly names: readonly string[]
}

function faultOf(whole: unknown, { schema, value, names: outer }: Inner): SchemaFault {
  // A choice of schemas is reported by its first one, and an unknown member before the object that contains it.
  const [fault] = Value.Errors(schema, value)
  if (!fault) return { place: '', detail: { rule: 'form' } }
  const { requiredProperties: [missing] = [] } = fault.params as Given
  const names = [...outer, ...namesIn(fault.instancePath), ...(missing === undefined ? [] : [missing])]
  return {
    place: placeOf(whole, names),
    detail: detailOf(fault.keyword, fault.params, memberAt(schema, namesIn(fault.schemaPath))),
  }
}

/** Members that identify the alternatives of a choice. */
const TELLING = ['kind', 'shape'] as const

type Telling = (typeof TELLING)[number]

/** The parts of a schema that identify the alternative of a value. */
interface Parts {
  readonly anyOf?: readonly (TSchema & Parts)[]
  readonly items?: TSchema
  readonly properties?: Readonly<
    Record<string, TSchema & { readonly const?: unknown; readonly enum?: readonly unknown[] }>
  >
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values of the member that identifies an alternative. */
function wordsOf({ properties }: Parts, telling: Telling): readonly unknown[] {
  const member = properties?.[telling]
  return member?.enum ?? (member?.const === undefined ? [] : [member.const])
}

/** Returns the outermost faulty value among alternatives identified by a member; undefined without a fault. */
function choiceAtFault(schema: TSchema, value: unknown, names: readonly string[]): Inner | undefined {
  const { anyOf, items, properties } = schema as Parts
  if (anyOf) {
    const telling = TELLING.find((name) => anyOf.some((one) => wordsOf(one, name).length > 0))
    if (telling) return { schema, value, names }
    const object = anyOf.find((one) => one.properties)
    return object && isObject(value) ? choiceAtFault(object, value, names) : undefined
  }
  if (items && Array.isArray(value)) {
    const index = value.findIndex((entry) => !Value.Check(items, entry))
    return index < 0 ? undefined : choiceAtFault(items, value[index], [...names, String(index)])
  }
  if (!properties || !isObject(value)) return undefined
  for (const [name, member] of Object.entries(properties)) {
    if (value[name] === undefined || Value.Check(member, value[name])) continue
    const inner = choiceAtFault(member, value[name], [...names, name])
    if (inner) return inner
  }
  return undefined
}

/** Returns the fault of a value in its alternative, or the fault of naming none. */
function faultIn(whole: unknown, { schema, value, names }: Inner): SchemaFault {
  const { anyOf = [] } = schema as Parts
  const telling = TELLING.find((name) => anyOf.some((one) => wordsOf(one, name).length > 0)) ?? 'kind'
  const named = isObject(value) ? value[telling] : undefined
  const chosen = anyOf.find((one) => wordsOf(one, telling).includes(named))
  if (!chosen) {
    const words = anyOf.flatMap((one) => wordsOf(one, telling)).map(String)
    return { place: placeOf(whole, [...names, telling]), detail: { rule: 'one_of', words } }
  }
  const inner = choiceAtFault(chosen, value, names)
  return inner ? faultIn(whole, inner) : faultOf(whole, { schema: chosen, value, names })
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
