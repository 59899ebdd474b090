/** Links: addresses of a result for programs of this machine that hold no key (extension). */
import Type, { type Static } from 'typebox'
import { exactly, JobPath, Timestamp, Uuid } from './common.ts'
import { endpoints } from './endpoint.ts'
import { DEFAULT_LINK_SECONDS, MAX_LINK_SECONDS, MAX_LINKS_PER_JOB, MAX_LINKS_PER_KEY } from './limits.ts'

/** Path prefix of links. */
export const LINK_PATH = '/l/'

/** A link in lists: without its address. */
export const Link = exactly({
  link_id: Uuid,
  key_id: Type.Optional(
    Type.String({ ...Uuid, description: 'The key that made it; absent for one of the application.' }),
  ),
  created_at: Timestamp,
  expires_at: Type.String({ ...Timestamp, description: 'End of the link by the clock of this machine.' }),
})
export type Link = Static<typeof Link>

/** The only answer with the address. */
export const CreatedLink = exactly({
  ...Link.properties,
  url: Type.String({ format: 'uri', description: 'Address of the ZIP, for GET and HEAD without a key.' }),
})
export type CreatedLink = Static<typeof CreatedLink>

const tag = 'Links'
const ZIP = ['application/zip']

export const linkEndpoints = endpoints({
  createLink: {
    method: 'POST',
    path: '/api/v1/jobs/{job_id}/links',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Make an address of the result that needs no key (extension)',
    description: `A key has at most ${MAX_LINKS_PER_JOB} links that work to one result and ${MAX_LINKS_PER_KEY} to all: one more is 429 CONCURRENT_LIMIT until one ends by its time or by \`DELETE /api/v1/jobs/{job_id}/links/{link_id}\`.`,
    params: JobPath,
    body: exactly({
      expires_in: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_LINK_SECONDS,
          default: DEFAULT_LINK_SECONDS,
          description: 'Time after which the link ends, s; a week at most.',
        }),
      ),
    }),
    isBodyOptional: true,
    answers: { 201: { description: 'The link with its address, which is shown only this once.', schema: CreatedLink } },
    errors: ['JOB_NOT_FOUND', 'JOB_NOT_READY', 'JOB_FAILED', 'RESULT_EXPIRED', 'FILE_GONE', 'CONCURRENT_LIMIT'],
  },
  listLinks: {
    method: 'GET',
    path: '/api/v1/jobs/{job_id}/links',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'List the links to the result of a job (extension)',
    params: JobPath,
    answers: {
      200: {
        description: 'Links that work, newest first.',
        schema: exactly({ links: Type.Array(Link, { description: 'Without their addresses.' }) }),
      },
    },
    errors: ['JOB_NOT_FOUND'],
  },
  deleteLink: {
    method: 'DELETE',
    path: '/api/v1/jobs/{job_id}/links/{link_id}',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Take a link back at once and for good (extension)',
    description: 'A key with the scope `master` takes back the links that it made; those of others need `all`.',
    params: exactly({ job_id: Type.String(), link_id: Type.String() }),
    answers: { 204: { description: 'The address answers 404 from now on.' } },
    errors: ['JOB_NOT_FOUND', 'LINK_NOT_FOUND'],
  },
  openLink: {
    method: 'GET',
    path: `${LINK_PATH}{token}`,
    access: 'open',
    tag,
    summary: 'Download a result by a link (extension)',
    params: exactly({ token: Type.String({ description: 'Last part of the address that was given.' }) }),
    answers: {
      200: { description: 'The whole ZIP.', mediaTypes: ZIP },
      206: { description: 'The range asked for.', mediaTypes: ZIP },
      304: { description: 'Unchanged.' },
    },
    errors: ['LINK_NOT_FOUND', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'],
  },
})
