/** Rules that hold for every route of the published description, on a real socket. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import openApi from '../../../src-contract/openapi.json' with { type: 'json' }
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly string[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Readonly<Record<string, Operation>>).map(([method, operation]) => ({
    ...{ path, method: method.toUpperCase(), ...operation },
    // A key that names nothing, so that no request reaches beyond the service.
    address: path.replace(/\{[^}]+\}/g, 'none'),
  })),
)
const reads = operations.filter(({ method }) => method === 'GET')
const queryOf = ({ parameters }: Operation) => parameters.filter((one) => one.in === 'query')
const schemas = openApi.components.schemas as Readonly<Record<string, Schema>>
const resolved = (schema: Schema): Schema => schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema

let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: createHeldEngine().fork })
})
afterAll(() => service.stop())

/** Sends a request and returns status, code and name at fault; the body of an answer that succeeds is not waited for. */
async function tried(method: string, address: string, init: RequestInit = {}) {
  const response = await fetch(service.baseUrl + address, {
    ...init,
    method,
    headers: { authorization: `Bearer ${service.sessionCredential}`, ...init.headers },
  })
  if (response.status < 400 || method === 'HEAD') {
    await response.body?.cancel()
    return [response.status]
  }
  const { error } = (await response.json()) as { error: { code: string; param?: string; details?: string[] } }
  return [response.status, error.code, error.param, error.details?.[0]]
}

describe('the query', () => {
  test('of a read may have parameters that the route does not know, once or several times', async () => {
    for (const { address } of reads) {
      for (const method of ['GET', 'HEAD']) {
        const plain = await tried(method, address)
        const more = await tried(method, `${address}?_=1&_=2&constructor=x&__proto__=y&platforms[]=z&utm_source`)
        expect([method, address, more]).toEqual([method, address, plain])
      }
    }
  })

  test('of a read has its own parameters checked beside those', async () => {
    const declared = reads.flatMap((read) => queryOf(read).map(({ name, schema }) => ({ ...read, name, schema })))
    expect(declared.length).toBeGreaterThan(15)
    for (const { address, name, schema } of declared) {
      const twice = await tried('GET', `${address}?_=1&${name}=1&${name}=1`)
      expect([address, ...twice]).toEqual([address, 400, 'INVALID_REQUEST', name, 'It may be sent only once.'])
      const isText = resolved(schema).type === 'string' && !resolved(schema).enum && !resolved(schema).format
      if (isText) continue
      expect([address, ...(await tried('GET', `${address}?${name}=~&_=1`))].slice(0, 4)).toEqual([
        ...[address, 400, 'INVALID_REQUEST', name],
      ])
    }
  })

  test('of any other request may not have the fields of its body', async () => {
    const fields = operations
      .filter(({ method }) => method !== 'GET')
      .flatMap(({ requestBody, ...operation }) => {
        const { schema } = requestBody?.content['multipart/form-data'] ?? requestBody?.content['application/json'] ?? {}
        return Object.keys(resolved(schema ?? {}).properties ?? {}).map((name) => ({ ...operation, requestBody, name }))
      })
    expect(fields.length).toBeGreaterThan(200)
    for (const { method, address, name, requestBody } of fields) {
      const type = requestBody?.content['application/json'] ? 'application/json' : 'multipart/form-data; boundary=x'
      const init = { headers: { 'content-type': type }, body: '{}' }
      const answer = await tried(method, `${address}?${name}=1`, init)
      expect([method, address, ...answer.slice(0, 3)]).toEqual([method, address, 400, 'INVALID_REQUEST', name])
    }
  })

  test('of a deletion may not be mistyped: the job would be deleted instead of cancelled', async () => {
    expect(await tried('DELETE', '/api/v1/jobs/none?statuss=queued')).toEqual([
      ...[400, 'INVALID_REQUEST', 'statuss', 'There is no field of this name.'],
    ])
  })
})

describe('the body of a request that needs none', () => {
  const json = (body: string | undefined, type = 'application/json') => ({
    ...(body === undefined ? {} : { body }),
    headers: { 'content-type': type },
  })
  const bare = operations.filter(({ method, requestBody }) => method !== 'GET' && !requestBody)

  test('is closed: a member that the route does not know is named, and nothing is done', async () => {
    expect(bare.length).toBeGreaterThan(20)
    for (const { method, address } of bare) {
      expect([method, address, ...(await tried(method, address, json('{"confirm":true,"x":1}')))]).toEqual([
        ...[method, address, 400, 'INVALID_REQUEST', 'confirm', 'There is no field of this name.'],
      ])
    }
    const { method, address } = bare[0]!
    for (const body of ['[]', '1', 'null', '{'])
      expect((await tried(method, address, json(body))).slice(0, 2)).toEqual([400, 'INVALID_REQUEST'])
    expect((await tried(method, address, json('x=1', 'text/plain'))).slice(0, 2)).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ])
  })

  test('may be absent, empty or an empty object, whatever its type', async () => {
    for (const { method, address } of bare) {
      const plain = await tried(method, address)
      const empty = new ReadableStream({ start: (controller) => controller.close() })
      for (const init of [json('{}'), { body: empty, duplex: 'half' }])
        expect([method, address, await tried(method, address, init as RequestInit)]).toEqual([method, address, plain])
    }
  })
})

describe('the cause in words', () => {
  const messageOf = async (method: string, address: string, init: RequestInit = {}, language = 'en') => {
    const { body } = await service.call(method, address, {
      ...init,
      headers: { ...init.headers, 'accept-language': language },
    })
    return [body.error.code, body.error.message]
  }

  test('of an address that ends with a slash', async () => {
    for (const { method, address } of operations.filter(({ path }) => !/^\/(docs|l\/)/.test(path))) {
      expect([method, address, ...(await messageOf(method, `${address}/?x=1`))]).toEqual([
        ...[method, address, 'NOT_FOUND', expect.stringMatching(/ends with a slash\. Leave out the slash/)],
      ])
    }
    expect(await messageOf('GET', '/api/v1/jobs/', {}, 'ko')).toEqual(['NOT_FOUND', expect.stringContaining('슬래시')])
    expect((await messageOf('GET', '/api/v1/jobs//download'))[0]).toBe('NOT_FOUND')
    expect((await messageOf('GET', '/api/v1/nothing/'))[1]).not.toContain('slash')
  })

  test('of JSON behind a byte order mark', async () => {
    const headers = { 'content-type': 'application/json' }
    for (const [mark, encoding] of [
      ['\ufeff', 'utf8'],
      ['\ufeff', 'utf16le'],
    ] as const) {
      const body = new Uint8Array(Buffer.from(`${mark}{"url":"http://127.0.0.1:9/"}`, encoding))
      const [code, message] = await messageOf('POST', '/api/v1/webhooks', { body, headers })
      expect([code, message]).toEqual([
        'INVALID_REQUEST',
        expect.stringMatching(/byte order mark \(BOM\).*without BOM/),
      ])
    }
  })

  test.each(['platforms[]', 'platforms[0]'])('of platforms that were sent as %s', async (name) => {
    const { status, body } = await service.master({ platforms: [], [name]: 'spotify' })
    expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_PLATFORM', 'platforms'])
    expect(body.error.message).toContain(`sent as "${name}"`)
  })
})
