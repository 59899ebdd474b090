import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { TSchema } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { generateDocuments } from '../../../scripts/openapi.ts'
import { codesOf, type Endpoint, ERRORS_OF_ACCESS } from '../../../src-contract/endpoint.ts'
import { ENDPOINTS } from '../../../src-contract/endpoints.ts'
import { ERROR_CODES, ERRORS, FAILURE_CODES } from '../../../src-contract/errors.ts'
import { JobCompleted, JobFailed, LIVE_EVENTS } from '../../../src-contract/events.ts'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { WARNING_CODES } from '../../../src-contract/report.ts'
import * as en from '../../../src-contract/text/en.ts'
import * as ko from '../../../src-contract/text/ko.ts'
import { LANGUAGES } from '../../../src-contract/text/language.ts'
import { REQUEST_REASONS } from '../../../src-contract/text/reasons.ts'
import { errorText, failureText, warningText } from '../../../src-contract/text/text.ts'
import { exampleParams } from '../../../src-server/docs/example-params.ts'

interface Operation {
  operationId: string
  summary: string
  security?: object[]
  parameters: { name: string; in: string; required: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; headers?: object; content?: Record<string, { examples?: object }> }>
}
interface Schema {
  properties: Record<string, object>
  required?: string[]
}
interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema>; examples: Record<string, { value: unknown }> }
}

const table = Object.entries(ENDPOINTS) as [string, Endpoint][]
let committed: Document
let page: string

beforeAll(() => {
  committed = JSON.parse(readFileSync('src-contract/openapi.json', 'utf8')) as Document
  page = readFileSync('docs/errors.md', 'utf8')
})

const operations = () =>
  Object.entries(committed.paths).flatMap(([at, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ at, method, operation })),
  )

test('the committed documents are what the contract gives today: run `npm run openapi` when this fails', () => {
  for (const [file, text] of generateDocuments()) expect(readFileSync(path.resolve(file), 'utf8')).toBe(text)
})

describe('the OpenAPI document', () => {
  test('is 3.1, and every reference in it leads somewhere', () => {
    expect(committed.openapi).toBe('3.1.0')
    const references = [...JSON.stringify(committed).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, target]) => target ?? '',
    )
    expect(references.length).toBeGreaterThan(50)
    for (const reference of new Set(references)) {
      const target = reference
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], committed)
      expect(target, reference).toBeDefined()
    }
  })

  test('holds every endpoint of the table under its name, and no other', () => {
    const described = operations().map(({ at, method, operation }) => [operation.operationId, method.toUpperCase(), at])
    expect(described.sort()).toEqual(table.map(([name, { method, path: at }]) => [name, method, at]).sort())
  })

  test('names for every endpoint exactly the statuses it can answer with, and each failure code once', () => {
    for (const [name, endpoint] of table) {
      const operation = operations().find(({ operation }) => operation.operationId === name)?.operation
      const codes = codesOf(endpoint)
      const statuses = [...Object.keys(endpoint.answers), ...codes.map((code) => String(ERRORS[code].status))]
      expect(Object.keys(operation?.responses ?? {}).sort(), name).toEqual([...new Set(statuses)].sort())
      const described = Object.values(operation?.responses ?? {}).flatMap(({ content }) =>
        Object.keys(content?.['application/json']?.examples ?? {}),
      )
      expect(described.sort(), name).toEqual([...codes].sort())
    }
  })

  test('declares each parameter of a path, and asks for a credential exactly where one is needed', () => {
    for (const { at, operation } of operations()) {
      const named = [...at.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect(declared.sort(), at).toEqual(named.sort())
      const isOpen = (ENDPOINTS as Record<string, Endpoint>)[operation.operationId]?.access === 'open'
      expect(operation.security, at).toEqual(isOpen ? [] : expect.arrayContaining([expect.anything()]))
    }
  })

  test('describes POST /api/v1/master with the field names of the specification and their values', () => {
    const form = committed.paths['/api/v1/master']?.post?.requestBody?.content['multipart/form-data']?.schema
    const specified = ['file', 'platforms', 'genre', 'ai_service', 'tier', 'webhook_url', 'reference_file']
    expect(Object.keys(form?.properties ?? {})).toEqual(expect.arrayContaining(specified))
    expect(form?.required?.sort()).toEqual(['file', 'platforms'])
    expect(form?.properties.genre).toMatchObject({ enum: ['kpop', 'edm', 'ballad', 'hiphop', 'pop', 'other'] })
    expect(form?.properties.ai_service).toMatchObject({ enum: ['suno', 'udio', 'elevenlabs', 'other'] })
    expect(form?.properties.tier).toMatchObject({ enum: ['standard', 'premium'] })
    for (const platform of PLATFORMS)
      expect(form?.properties.platforms).toMatchObject({ description: expect.stringContaining(platform) })
    const defaults = { genre: 'other', ai_service: 'other', tier: 'standard' }
    for (const [name, word] of Object.entries(defaults)) expect(form?.properties[name]).toMatchObject({ default: word })
  })

  test('says of everything under /api/v1 beyond the specification that it is an extension', () => {
    const specified = ['createJob', 'readJob', 'downloadResult']
    const beyond = operations().filter(
      ({ at, operation }) => at.startsWith('/api/v1/') && !specified.includes(operation.operationId),
    )
    expect(beyond.length).toBeGreaterThan(10)
    for (const { operation } of beyond) expect(operation.summary).toMatch(/\(extension[,)]/)

    const create = committed.paths['/api/v1/master']?.post
    const form = create?.requestBody?.content['multipart/form-data']?.schema
    const fields = ['file', 'platforms', 'genre', 'ai_service', 'tier', 'webhook_url', 'reference_file']
    for (const [name, field] of Object.entries(form?.properties ?? {})) {
      if (!fields.includes(name))
        expect(field, name).toMatchObject({ description: expect.stringMatching(/^Extension/) })
    }
  })

  test('tells what an Idempotency-Key does, and how a repeated answer is known', () => {
    const create = committed.paths['/api/v1/master']?.post
    const key = create?.parameters.find(({ name }) => name === 'Idempotency-Key')
    expect(key).toMatchObject({ in: 'header', required: false, description: expect.stringContaining('24 hours') })
    expect(create?.responses['201']?.headers).toHaveProperty('Idempotent-Replayed')
  })

  test('names the headers of a refusal that say how to go on', () => {
    const { responses } = committed.paths['/api/v1/jobs/{job_id}/download']?.get ?? {}
    const headersOf = (status: string) => Object.keys(responses?.[status]?.headers ?? {})
    expect(['401', '409', '416', '429'].map(headersOf)).toEqual([
      ['WWW-Authenticate'],
      ['Retry-After'],
      ['Content-Range'],
      ['Retry-After'],
    ])
  })

  test('has the two callbacks of the specification with exactly their four members, and the test event', () => {
    expect(Object.keys(committed.webhooks)).toEqual(['job.completed', 'job.failed', 'webhook.test'])
    const members = (schema: TSchema) => Object.keys((schema as unknown as Schema).properties)
    expect(members(JobCompleted)).toEqual(['event', 'job_id', 'status', 'download_url'])
    expect(members(JobFailed)).toEqual(['event', 'job_id', 'status', 'error_message'])
    for (const name of ['JobCompleted', 'JobFailed', 'WebhookTest']) {
      const schema = committed.components.schemas[name]
      expect(schema?.required?.length).toBe(4)
    }
    const headers = committed.webhooks['job.completed']?.post.parameters.map(({ name }) => name)
    expect(headers).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
  })

  test('describes the live events, every one of them', () => {
    const event = committed.components.schemas.LiveEvent?.properties.event as { enum: string[] }
    expect(event.enum).toEqual([...LIVE_EVENTS])
  })

  test('describes every operation, parameter and member', () => {
    for (const { operation } of operations()) {
      expect((operation as { description?: string }).description, operation.operationId).toBeTruthy()
      for (const { name, description } of operation.parameters as { name: string; description?: string }[])
        expect(description, `${operation.operationId} ${name}`).toBeTruthy()
    }
    const undescribed: string[] = []
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { properties } = value as { properties?: Record<string, { description?: string; $ref?: string }> }
      // `properties` is a schema's word where it holds schemas.
      for (const [name, member] of Object.entries(properties ?? {})) {
        if (!member.description && !member.$ref) undescribed.push(`${at} ${name}`)
      }
      for (const [key, member] of Object.entries(value)) look(member, `${at}/${key}`)
    }
    look({ ...committed, components: { schemas: committed.components.schemas } }, '')
    expect(undescribed).toEqual([])
  })

  test('leaves answers open, so that a client which checks them survives another member, and closes JSON requests', () => {
    const closed = (value: unknown, at: string): string[] => {
      if (typeof value !== 'object' || value === null) return []
      const own = (value as { additionalProperties?: unknown }).additionalProperties === false ? [at] : []
      return [...own, ...Object.entries(value).flatMap(([key, member]) => closed(member, `${at}/${key}`))]
    }
    const resolved = (schema: unknown): unknown => {
      const name = /schemas\/(\w+)$/.exec((schema as { $ref?: string }).$ref ?? '')?.[1]
      return name === undefined ? schema : committed.components.schemas[name]
    }
    for (const { operation } of operations()) {
      const { requestBody, responses } = operation
      const json = requestBody?.content['application/json']?.schema
      if (json) expect(resolved(json), operation.operationId).toMatchObject({ additionalProperties: false })
      const form = requestBody?.content['multipart/form-data']?.schema
      if (form) expect(form).not.toHaveProperty('additionalProperties')
      expect(closed(responses, operation.operationId)).toEqual([])
    }
    expect(closed(committed.webhooks, '')).toEqual([])
    // Those that only requests refer to may be closed, as may what these refer to.
    const ofRequests = closed(committed.components.schemas, '').map((at) => at.split('/')[1])
    const answers = JSON.stringify([operations().map(({ operation }) => operation.responses), committed.webhooks])
    for (const name of ofRequests) expect(answers).not.toContain(`"#/components/schemas/${name}"`)
    expect(committed.components.schemas.MasterSettingsInput).toMatchObject({ additionalProperties: false })
    expect(committed.components.schemas.MasterSettings).not.toHaveProperty('additionalProperties')
  })

  test('tells a dry run from a job, and what the messages of the live stream are', () => {
    const { responses } = committed.paths['/api/v1/master']?.post ?? {}
    const schemaOf = (status: string) => responses?.[status]?.content?.['application/json'] as { schema?: object }
    expect(schemaOf('200').schema).toEqual({ $ref: '#/components/schemas/DryRun' })
    expect(schemaOf('201').schema).toEqual({ $ref: '#/components/schemas/CreatedJob' })
    expect(committed.components.schemas.DryRun).toMatchObject({
      required: expect.arrayContaining(['dry_run']),
      properties: { dry_run: { const: true } },
    })
    expect(committed.components.schemas.CreatedJob?.properties).not.toHaveProperty('dry_run')
    const stream = committed.paths['/api/v1/events']?.get?.responses['200']?.content as Record<string, object>
    expect(stream['text/event-stream']).toEqual({ schema: { $ref: '#/components/schemas/LiveEvent' } })
  })

  test('has schemas that are valid JSON Schema 2020-12, and examples that fit theirs', () => {
    const { default: Ajv } = createRequire(import.meta.url)('ajv/dist/2020') as {
      default: new (
        options: object,
      ) => { addSchema(schema: object): void; validate(name: object, value: unknown): boolean }
    }
    const ajv = new Ajv({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'loudsmith', components: committed.components })
    for (const name of Object.keys(committed.components.schemas)) {
      expect(() => ajv.validate({ $ref: `loudsmith#/components/schemas/${name}` }, {})).not.toThrow()
    }
    for (const [code, { value }] of Object.entries(committed.components.examples)) {
      expect(ajv.validate({ $ref: 'loudsmith#/components/schemas/ErrorEnvelope' }, value), code).toBe(true)
    }
  })
})

describe('the catalogue of failures', () => {
  test('has no code that nothing can answer with, and no endpoint or access a code that it lacks', () => {
    const declared = new Set(table.flatMap(([, endpoint]) => codesOf(endpoint)))
    // Answers to what reaches no endpoint at all.
    declared.add('METHOD_NOT_ALLOWED')
    expect([...declared].sort()).toEqual([...ERROR_CODES].sort())
    expect(Object.keys(ERRORS_OF_ACCESS)).toEqual(['open', 'caller', 'session'])
  })

  test('has a sentence for every code in both languages, and neither language has one more', () => {
    for (const texts of [en, ko]) {
      expect(Object.keys(texts.errors).sort()).toEqual([...ERROR_CODES].sort())
      expect(Object.keys(texts.failures).sort()).toEqual([...FAILURE_CODES].sort())
      expect(Object.keys(texts.warnings).sort()).toEqual([...WARNING_CODES].sort())
    }
  })

  test('says something whole of every code, also when values are missing, and Korean says it in Korean', () => {
    for (const language of LANGUAGES) {
      const withValues = ERROR_CODES.map((code) => errorText(code, exampleParams(code), language))
      const sentences = [...withValues, ...FAILURE_CODES.map((code) => failureText(code, {}, language))]
      for (const sentence of sentences) {
        expect(sentence).not.toMatch(/undefined|null|NaN|\[object/)
        expect(sentence.length).toBeGreaterThan(1)
        expect(/[가-힣]/.test(sentence)).toBe(language === 'ko')
      }
      for (const code of WARNING_CODES) expect(warningText(code, {}, language).length).toBeGreaterThan(5)
    }
  })

  test('says the cause and then what to do, of everything but what is itself an instruction or a wish of the caller', () => {
    const isWhole = (sentence: string) => (sentence.match(/[.](\s|$)/g) ?? []).length >= 2
    const instructions = new Set(['METHOD_NOT_ALLOWED', 'UNSUPPORTED_MEDIA_TYPE', 'CANCELLED'])
    for (const language of LANGUAGES) {
      const sentences = [
        ...ERROR_CODES.map((code) => [code, errorText(code, exampleParams(code), language)]),
        ...FAILURE_CODES.map((code) => [code, failureText(code, {}, language)]),
        ...Object.keys(REQUEST_REASONS).map((reason) => [reason, errorText('INVALID_REQUEST', { reason }, language)]),
      ] as [string, string][]
      expect(sentences.filter(([code, sentence]) => !instructions.has(code) && !isWhole(sentence))).toEqual([])
    }
  })

  test('is the page docs/errors.md, code by code, in both directions', () => {
    const section = (from: string, to: string) =>
      page.slice(page.indexOf(from), to === '' ? undefined : page.indexOf(to))
    const codesIn = (text: string) => [...text.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code)
    expect(codesIn(section('## Errors', '### Where'))).toEqual([...ERROR_CODES])
    expect(codesIn(section('### Where', '## Failures'))).toEqual([...ERROR_CODES])
    expect(codesIn(section('## Failures', '## Warnings'))).toEqual([...FAILURE_CODES])
    expect(codesIn(section('## Warnings', ''))).toEqual([...WARNING_CODES])
    for (const code of ERROR_CODES) expect(page).toContain(`| \`${code}\` | ${ERRORS[code].status} |`)
  })
})

test('the page’s files are in the package that ships them', () => {
  const folder = path.dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json'))
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    expect(existsSync(path.join(folder, 'static', file))).toBe(true)
  }
})
