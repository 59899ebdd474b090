/** Generator of the client package's types, free of dependencies, from the OpenAPI description, whose schemas are the contract's own. */
import { ERROR_CODES } from '../src-contract/errors.ts'
import { buildOpenApi } from '../src-server/docs/openapi.ts'

type Schema = { readonly [key: string]: unknown }
interface Operation {
  readonly operationId: string
  readonly security: readonly Schema[]
  readonly summary: string
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Schema }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>

/** Parts of a call, named as their types in `src-contract/endpoints.ts`. */
const PARTS = ['Params', 'Query', 'Body', 'Fields', 'Answer'] as const

/** Returns the operations available with or without a key. */
function callableOperations(description: Schema): Operation[] {
  const paths = Object.values(description.paths as Record<string, Record<string, Operation>>)
  return (
    paths
      .flatMap((methods) => Object.values(methods))
      .filter(({ security }) => security.length === 0 || security.some((one) => 'apiKey' in one))
      // openSession exchanges the page's ticket.
      .filter(({ operationId }) => operationId !== 'openSession')
  )
}

/** Names of the endpoints that are in the client package. */
export const callableNames = (): string[] =>
  callableOperations(buildOpenApi('', '')).map(({ operationId }) => operationId)

/** Declarations that replace the contract's `endpoints.ts`, `errors.ts` and `events.ts`, by file name. */
export interface ContractTypes {
  readonly files: Readonly<Record<string, string>>
  /** Names of the schemas among them, such as `Job`. */
  readonly names: readonly string[]
}

/** Returns the declarations of all requests and answers. */
export function contractTypes(): ContractTypes {
  const description = buildOpenApi('', '')
  const { schemas } = description.components as { schemas: Record<string, Schema> }
  const calls = callableOperations(description).map((operation) => {
    const parts = partsOf(operation)
    const lines = PARTS.map((part) => `    ${part.toLowerCase()}: ${parts[part] ?? 'never'}\n`)
    return `  /** ${operation.summary}. */\n  ${operation.operationId}: {\n${lines.join('')}  }\n`
  })
  const names = namesIn(calls.join(''), schemas)
  const named = names.map((name) => {
    const schema = schemas[name] as Schema
    return `${comment(schema, '')}export type ${name} = ${typeOf(schema, '')}\n`
  })
  const files = {
    'endpoints.d.ts': [
      ...named,
      '/** Calls of the API by name, with the types of what is sent and answered. */\n',
      `export interface Calls {\n${calls.join('')}}\n`,
      'export type EndpointName = keyof Calls\n',
      ...PARTS.map(
        (part) => `export type ${part}Of<Name extends EndpointName> = Calls[Name]['${part.toLowerCase()}']\n`,
      ),
    ].join(''),
    'errors.d.ts': [
      `export type ErrorCode = ${ERROR_CODES.map((code) => JSON.stringify(code)).join(' | ')}\n`,
      'export type ErrorParams = Readonly<Record<string, string | number>>\n',
      `export type { ErrorEnvelope } from './endpoints.js'\n`,
    ].join(''),
    'events.d.ts': `export type { JobCompleted, JobFailed, LiveEvent, WebhookTest } from './endpoints.js'\n`,
  }
  return { files, names }
}

/** Schemas used by the client but by no answer. */
const ALWAYS = ['ErrorEnvelope', 'JobCompleted', 'JobFailed', 'LiveEvent', 'WebhookTest']

/** Returns the names of the schemas referenced by a text of types, directly or indirectly, in order. */
function namesIn(text: string, schemas: Readonly<Record<string, Schema>>): string[] {
  const found = new Set<string>()
  const visit = (types: string): void => {
    for (const [name = ''] of types.replace(/\/\*\*.*?\*\/|"[^"]*"/g, '').matchAll(/\b[A-Z]\w+\b/g)) {
      const schema = schemas[name]
      if (!schema || found.has(name)) continue
      found.add(name)
      visit(typeOf(schema, ''))
    }
  }
  visit(text)
  visit(ALWAYS.join(' '))
  return [...found].sort()
}

function partsOf({ parameters, requestBody, responses }: Operation): Partial<Record<(typeof PARTS)[number], string>> {
  const group = (place: string) => {
    const members = parameters.filter((parameter) => parameter.in === place)
    if (members.length === 0) return {}
    const properties = Object.fromEntries(members.map(({ name, schema }) => [name, schema]))
    const required = members.filter((member) => member.required).map(({ name }) => name)
    return { type: typeOf({ type: 'object', properties, required }, '    ') }
  }
  const { type: params } = group('path')
  const { type: query } = group('query')
  const body = requestBody?.content['application/json']?.schema
  const form = requestBody?.content['multipart/form-data']?.schema
  const answers = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .map(([, { content }]) => content?.['application/json']?.schema)
    .filter((schema) => schema !== undefined)
  return {
    ...(params ? { Params: params } : {}),
    ...(query ? { Query: query } : {}),
    ...(body ? { Body: typeOf(body, '    ') } : {}),
    ...(form ? { Fields: typeOf(textFields(form), '    ') } : {}),
    ...(answers.length > 0 ? { Answer: [...new Set(answers.map((one) => typeOf(one, '    ')))].join(' | ') } : {}),
  }
}

/** Returns the schema of a form without its files, which a call passes separately. */
function textFields(form: Schema): Schema {
  const properties = Object.entries(form.properties as Record<string, Schema>).filter(
    ([, schema]) => schema.format !== 'binary',
  )
  return { ...form, properties: Object.fromEntries(properties) }
}

/** Returns the TypeScript type of a JSON schema of the contract, indented by `indent`. Throws for an unknown keyword. */
export function typeOf(schema: Schema, indent: string): string {
  if (typeof schema.$ref === 'string') return schema.$ref.slice('#/components/schemas/'.length)
  const either = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (either) return `(${either.map((one) => typeOf(one, indent)).join(' | ')})`
  if (Array.isArray(schema.allOf)) return `(${schema.allOf.map((one) => typeOf(one, indent)).join(' & ')})`
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `(${typeOf((schema.items ?? {}) as Schema, indent)})[]`
    case 'object':
      return objectType(schema, indent)
    case undefined:
      return 'unknown'
    default:
      throw new Error(`the client's types know no ${JSON.stringify(schema)}`)
  }
}

function objectType(schema: Schema, indent: string): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const required = (schema.required ?? []) as string[]
  const others = Object.values((schema.patternProperties ?? {}) as Record<string, Schema>)
  const open = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties as Schema] : others
  if (properties.length === 0) {
    const [values] = open
    return values ? `{ [key: string]: ${typeOf(values, indent)} }` : '{}'
  }
  const deeper = `${indent}  `
  const members = properties.map(([name, value]) => {
    const mark = required.includes(name) ? '' : '?'
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    return `${comment(value, deeper)}${deeper}${key}${mark}: ${typeOf(value, deeper)}\n`
  })
  return `{\n${members.join('')}${indent}}`
}

const comment = ({ description }: Schema, indent: string) =>
  typeof description === 'string'
    ? `${indent}/** ${description.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */\n`
    : ''
