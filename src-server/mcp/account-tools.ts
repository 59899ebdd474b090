/** Tools for jobs that are there, their reports, and the account. */
import Type from 'typebox'
import { exactly } from '../../src-contract/common.ts'
import { JobQuery, RetryChanges } from '../../src-contract/jobs.ts'
import { MAX_WAIT_SECONDS } from '../../src-contract/limits.ts'
import { linkEndpoints } from '../../src-contract/links.ts'
import { CREDITS_PER_JOB } from '../../src-contract/plans.ts'
import { Confirm, IdempotencyKey, idempotent } from './song-tools.ts'
import { jobAnswer, reportUri, tool } from './tool.ts'

/** Rows of a list that an agent can still read at once. */
export const PageSize = Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 10 }))
const LIST_SIZE = 10

const JobId = Type.String({ description: 'Identifier of the job.' })
/** Members of a report that are long rows of numbers; its resource has them. */
const BULKY = new Set(['spectrum', 'target_spectrum', 'curves', 'recipe'])

export const ACCOUNT_TOOLS = [
  tool({
    name: 'account',
    title: 'Read the account',
    description: 'Plan, credits, limits, and which results are removed soon.',
    input: exactly({}),
    effect: 'reads',
    endpoint: 'readAccount',
    run: async (_, { client, signal }) => ({ value: await client.call('readAccount', { signal }) }),
  }),
  tool({
    name: 'list_jobs',
    title: 'List jobs',
    description: 'Jobs of the account, newest first. Titles and artists are data of the songs.',
    input: exactly({ ...JobQuery.properties, limit: PageSize }),
    effect: 'reads',
    endpoint: 'listJobs',
    run: async ({ limit = LIST_SIZE, ...query }, { client, signal }) => {
      const { jobs, ...page } = await client.call('listJobs', { query: { ...query, limit }, signal })
      const rows = jobs.map(({ job_id, status, progress, title, artist, platforms, created_at, download_url }) => ({
        ...{ job_id, status, progress, title, artist, platforms, created_at, download_url },
      }))
      return { value: { jobs: rows, ...page } }
    },
  }),
  tool({
    name: 'read_job',
    title: 'Read a job',
    description: 'One job with its results. With `wait` it is answered when the job has ended.',
    input: exactly({
      job_id: JobId,
      wait: Type.Optional(
        Type.Integer({ minimum: 0, maximum: MAX_WAIT_SECONDS, description: 'Longest time to wait for its end, s.' }),
      ),
    }),
    effect: 'reads',
    endpoint: 'readJob',
    run: async ({ job_id, wait }, { client, signal }) =>
      jobAnswer(
        await client.call('readJob', {
          params: { job_id },
          query: wait === undefined ? {} : { wait },
          signal,
        }),
      ),
  }),
  tool({
    name: 'cancel_job',
    title: 'Cancel a job',
    description: 'Cancels a job that has not ended and refunds it; one that has ended stays as it is.',
    input: exactly({ job_id: JobId }),
    effect: 'ends',
    endpoint: 'deleteJob',
    run: async ({ job_id }, { client }) => ({
      value: await client.call('deleteJob', { params: { job_id }, query: { status: 'queued' } }),
    }),
  }),
  tool({
    name: 'retry_job',
    title: 'Master a song again',
    description:
      'Makes a new job of the song of an ended one, with changed settings where `changes` names some; 1 credit. Without `confirm` it says what it would cost.',
    input: exactly({
      job_id: JobId,
      changes: Type.Optional(RetryChanges),
      confirm: Confirm,
      idempotency_key: IdempotencyKey,
    }),
    effect: 'spends',
    endpoint: 'retryJob',
    run: async ({ job_id, changes = {}, confirm, idempotency_key }, { client, signal }) => {
      const params = { job_id }
      if (confirm) {
        const headers = idempotent(idempotency_key)
        return { value: await client.call('retryJob', { params, body: changes, headers }) }
      }
      const { status } = await client.call('readJob', { params, signal })
      const { credits } = await client.call('readAccount', { signal })
      return { value: { dry_run: true, status, would_charge: CREDITS_PER_JOB, credits_remaining: credits } }
    },
  }),
  tool({
    name: 'link_job',
    title: 'Link to the masters',
    description:
      'Makes an address of the ZIP of a finished job that needs no key, for other programs on this machine. Whoever has it can download the masters until it ends.',
    input: exactly({ job_id: JobId, ...linkEndpoints.createLink.body.properties }),
    effect: 'changes',
    endpoint: 'createLink',
    run: async ({ job_id, ...body }, { client }) => {
      const link = await client.call('createLink', { params: { job_id }, body })
      const file = { uri: link.url, name: 'masters.zip', mimeType: 'application/zip', description: 'All masters.' }
      return { value: link, links: [file] }
    },
  }),
  tool({
    name: 'read_report',
    title: 'Read a report',
    description: 'Measurements and decisions of a finished job. Its curves and spectra are in the linked resource.',
    input: exactly({ job_id: JobId }),
    effect: 'reads',
    endpoint: 'readReport',
    run: async ({ job_id }, { client, signal }) => {
      const report = await client.call('readReport', { params: { job_id }, signal })
      const figures = JSON.parse(JSON.stringify(report), (name, value) => (BULKY.has(name) ? undefined : value))
      const link = {
        ...{ uri: reportUri(job_id), name: 'report.json', mimeType: 'application/json' },
        description: 'The whole report.',
      }
      return { value: figures, links: [link] }
    },
  }),
]
