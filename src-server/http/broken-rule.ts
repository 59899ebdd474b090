import type { Detail } from '../contract/text/details.ts'

/** What the checker of schemas says of one fault (JSON Schema keywords; typebox names them so). */
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

/** Returns which rule of ours a fault of the checker breaks. Pure; never throws. */
export function brokenRule({ keyword, params }: SchemaFault): Detail {
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
