import type { TSchema } from 'typebox'
import type { Detail } from '../../src-contract/text/details.ts'

/** Fault reported by the schema validator (typebox uses the keywords of JSON Schema). */
export interface SchemaFault {
  readonly keyword: string
  readonly params: object
}

/** Names of the JSON types as a rule. */
const TYPES: Readonly<Record<string, Detail>> = {
  integer: { rule: 'whole_number' },
  number: { rule: 'number' },
  string: { rule: 'text' },
  boolean: { rule: 'flag' },
  array: { rule: 'list' },
  object: { rule: 'object' },
}

/**
 * Returns the API's detail for a fault of the validator; `member` is the schema of the invalid value, where that is known: a
 * number out of bounds gets both bounds. Pure; never throws.
 */
export function schemaDetail({ keyword, params }: SchemaFault, member?: TSchema): Detail {
  const { type, minimum, maximum } = boundsOf(member)
  if ((type === 'integer' || type === 'number') && minimum !== undefined && maximum !== undefined) {
    return { rule: type === 'integer' ? 'between' : 'number_between', least: minimum, most: maximum }
  }
  const given = params as {
    readonly limit?: number
    readonly type?: string
    readonly format?: string
    readonly allowedValues?: readonly unknown[]
    readonly requiredProperties?: readonly string[]
  }
  const limit = given.limit ?? 0
  switch (keyword) {
    case 'enum':
      return { rule: 'one_of', words: (given.allowedValues ?? []).map(String) }
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
      return { rule: 'form' }
  }
}

interface Bounded {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** Returns type and bounds of a value, or those of the number where it may also be null. */
function boundsOf(member: TSchema | undefined): Bounded {
  const schema = (member ?? {}) as Bounded & { readonly anyOf?: readonly Bounded[] }
  return schema.anyOf?.find(({ type }) => type === 'number') ?? schema
}
