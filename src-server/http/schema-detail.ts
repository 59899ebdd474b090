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
 * whole number out of bounds gets both bounds. Pure; never throws.
 */
export function schemaDetail({ keyword, params }: SchemaFault, member?: TSchema): Detail {
  const { type, minimum, maximum } = (member ?? {}) as { type?: string; minimum?: number; maximum?: number }
  if (type === 'integer' && minimum !== undefined && maximum !== undefined) {
    return { rule: 'between', least: minimum, most: maximum }
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
