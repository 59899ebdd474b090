/** Every endpoint of the service, by name. */
import Type, { type Static, type TSchema } from 'typebox'
import { accountEndpoints } from './account.ts'
import { appEndpoints } from './app.ts'
import { auditionEndpoints } from './auditions.ts'
import { batchEndpoints } from './batches.ts'
import { codedCopyEndpoints } from './coded-copies.ts'
import { exactly } from './common.ts'
import { endpoints } from './endpoint.ts'
import { eventEndpoints } from './events.ts'
import { jobEndpoints } from './jobs.ts'
import { linkEndpoints } from './links.ts'
import { listeningTestEndpoints } from './listening-tests.ts'
import { machineEndpoints } from './machines.ts'
import { presetEndpoints } from './presets.ts'
import { releaseExportEndpoints } from './release-exports.ts'
import { releaseEndpoints } from './releases.ts'
import { sessionEndpoints } from './session.ts'
import { stemEndpoints } from './stems.ts'
import { webhookEndpoints } from './webhooks.ts'
import { wordsEndpoints } from './words.ts'

const openEndpoints = endpoints({
  readHealth: {
    method: 'GET',
    path: '/healthz',
    access: 'open',
    tag: 'Service',
    summary: 'Tell whether the service is up',
    answers: {
      200: {
        description: 'The service is up.',
        schema: exactly({ status: Type.Literal('ok'), version: Type.String() }),
      },
    },
    errors: [],
  },
  readOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    tag: 'Service',
    summary: 'Read this description',
    answers: { 200: { description: 'OpenAPI 3.1.', mediaTypes: ['application/json'] } },
    errors: [],
  },
  readDocs: {
    method: 'GET',
    path: '/docs',
    access: 'open',
    tag: 'Service',
    summary: 'Read and try this description in a browser',
    answers: { 200: { description: 'The page.', mediaTypes: ['text/html'] } },
    errors: [],
  },
  readDocsFile: {
    method: 'GET',
    path: '/docs/{file}',
    access: 'open',
    tag: 'Service',
    summary: 'Read a file of that page',
    params: exactly({ file: Type.String() }),
    answers: { 200: { description: 'The file.', mediaTypes: ['*/*'] } },
    errors: ['NOT_FOUND'],
  },
})

export const ENDPOINTS = {
  ...jobEndpoints,
  ...wordsEndpoints,
  ...presetEndpoints,
  ...stemEndpoints,
  ...linkEndpoints,
  ...listeningTestEndpoints,
  ...batchEndpoints,
  ...releaseEndpoints,
  ...releaseExportEndpoints,
  ...accountEndpoints,
  ...webhookEndpoints,
  ...eventEndpoints,
  ...appEndpoints,
  ...codedCopyEndpoints,
  ...auditionEndpoints,
  ...machineEndpoints,
  ...sessionEndpoints,
  ...openEndpoints,
} as const

export type EndpointName = keyof typeof ENDPOINTS

type Table = typeof ENDPOINTS
type Part<Name extends EndpointName, Key extends string> = Table[Name] extends { readonly [K in Key]: infer Schema }
  ? Schema extends TSchema
    ? Static<Schema>
    : never
  : never
/** Path parameters of the endpoint `Name`; `never` without any, as for the parts below. */
export type ParamsOf<Name extends EndpointName> = Part<Name, 'params'>
export type QueryOf<Name extends EndpointName> = Part<Name, 'query'>
export type BodyOf<Name extends EndpointName> = Part<Name, 'body'>
/** Text fields of the form of the endpoint `Name`. */
export type FieldsOf<Name extends EndpointName> = Table[Name] extends {
  readonly form: { readonly fields: infer Schema }
}
  ? Schema extends TSchema
    ? Static<Schema>
    : never
  : never

type JsonOf<Answer> = Answer extends { readonly schema: infer Schema extends TSchema } ? Static<Schema> : never
/** The JSON that the endpoint `Name` answers with, over all its successes. */
export type AnswerOf<Name extends EndpointName> = {
  [Status in keyof Table[Name]['answers']]: JsonOf<Table[Name]['answers'][Status]>
}[keyof Table[Name]['answers']]
