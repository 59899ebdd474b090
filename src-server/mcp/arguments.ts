/** Arguments of tools as clients send them, read by the schema of the tool. */
import type { TObject } from 'typebox'
import { unusable } from '../http/app-error.ts'
import { checked, inOneCase } from '../http/route.ts'

/** The part of a schema that decides how a value is read. */
interface Shape {
  readonly type?: string
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
}

/** Member that a client must send as the boolean that it is: it spends. */
const CONFIRMATION = 'confirm'

/**
 * Returns arguments that match `schema`. Many clients send lists, objects, numbers and booleans as JSON in a string, and null for omitted
 * members; some send a title of digits as a number. A string is parsed where the schema does not accept one; if a member is optional, null
 * is dropped unless it is a value, and a whole number becomes a text where only a text is accepted. Throws INVALID_REQUEST with the name at
 * fault.
 */
export function readArguments(schema: TObject, given: unknown): Record<string, unknown> {
  const value = readValue(schema as Shape, given ?? {})
  if (jsonType(value) !== 'object') throw unusable('arguments', { rule: 'object' })
  return checked(schema, value) as Record<string, unknown>
}

function readValue(shape: Shape, given: unknown): unknown {
  const value = typeof given === 'string' && !branchFor(shape, given) ? parsed(given) : given
  const branch = branchFor(shape, value)
  // Unchanged, to make the refusal match the request.
  if (!branch) return given
  if (branch.items && Array.isArray(value)) return value.map((item) => readValue(branch.items as Shape, item))
  return branch.properties && jsonType(value) === 'object' ? readMembers(branch, value as object) : value
}

function readMembers({ properties = {}, required = [] }: Shape, given: object): object {
  const members = Object.entries(given).flatMap(([name, sent]) => {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!shape || name === CONFIRMATION) return [[name, sent]]
    const value = readValue(shape, sent)
    if (required.includes(name) || branchFor(shape, value)) return [[name, value]]
    if (value === null) return []
    return [[name, Number.isSafeInteger(value) && branchFor(shape, '') ? String(value) : value]]
  })
  return Object.fromEntries(members)
}

/** Returns the alternative of a schema that accepts values of the JSON type of `value`. */
function branchFor(shape: Shape, value: unknown): Shape | undefined {
  const type = jsonType(value)
  return (shape.anyOf ?? [shape]).find(
    (one) => one.type === undefined || one.type === type || (one.type === 'integer' && type === 'number'),
  )
}

function jsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Parses a text as JSON; returns the text itself if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text, inOneCase)
  } catch {
    return text
  }
}
