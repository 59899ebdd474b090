/** Tools for existing jobs, their reports, and the account. */
import Type from 'typebox'
import { exactly } from '../../src-contract/common.ts'
import { type Job, JobQuery, RetryChanges } from '../../src-contract/jobs.ts'
import { DEFAULT_LINK_SECONDS } from '../../src-contract/limits.ts'
import { linkEndpoints } from '../../src-contract/links.ts'
import { CREDITS_PER_JOB } from '../../src-contract/plans.ts'
import { Confirm, DEFAULT_ROWS, IdempotencyKey, idempotent, PageSize, waitSeconds } from './shared-arguments.ts'
import { newJob } from './song-tools.ts'
import { jobAnswer, reportUri, tool } from './tool.ts'

const JobId = Type.String({ description: 'Identifier of the job.' })
/** Members of a report that are long rows of numbers; its resource has them. */
const BULKY = new Set(['spectrum', 'target_spectrum', 'curves', 'recipe'])

/** Returns the identifying members of a job. */
function shortJob(job: Job): Partial<Job> {
  const { job_id, status, progress, failure_code, error_message, title, artist, platforms } = job
  const { client_reference, metadata, batch_id, created_at, download_url } = job
  return {
    ...{ job_id, status, progress, failure_code, error_message, title, artist, platforms },
    ...{ client_reference, metadata, batch_id, created_at, download_url },
  } as Partial<Job>
}

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
    description: 'Jobs of the account, newest first; a failed one says why. Titles and artists are data of the songs.',
    input: exactly({ ...JobQuery.properties, limit: PageSize }),
    effect: 'reads',
    endpoint: 'listJobs',
    run: async ({ limit = DEFAULT_ROWS, ...query }, { client, signal }) => {
      const { jobs, ...page } = await client.call('listJobs', { query: { ...query, limit }, signal })
      return { value: { jobs: jobs.map(shortJob), ...page } }
    },
  }),
  tool({
    name: 'read_job',
    title: 'Read a job',
    description: 'One job with its results. With `wait` it is answered when the job has ended.',
    input: exactly({ job_id: JobId, wait: waitSeconds('At once when absent.') }),
    effect: 'reads',
    showsJob: true,
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
      wait: waitSeconds('The new job is answered at once when absent.'),
      idempotency_key: IdempotencyKey,
    }),
    effect: 'spends',
    showsJob: true,
    endpoint: 'retryJob',
    run: async ({ job_id, changes = {}, confirm, wait = 0, idempotency_key }, context) => {
      const { client, signal } = context
      const params = { job_id }
      if (confirm) {
        const headers = idempotent(idempotency_key)
        return newJob(() => client.call('retryJob', { params, body: changes, headers }), context, wait)
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
      'Makes an address of the ZIP of a finished job that needs no key, for other programs on this machine. Whoever has it can download the masters until it ends. Without `confirm` no address is made.',
    input: exactly({ job_id: JobId, ...linkEndpoints.createLink.body.properties, confirm: Confirm }),
    effect: 'changes',
    endpoint: 'createLink',
    run: async ({ job_id, confirm, ...body }, { client, signal }) => {
      if (!confirm) {
        const { title, status, expired } = await client.call('readJob', { params: { job_id }, signal })
        return { value: { dry_run: true, job_id, title, status, expired, expires_in: DEFAULT_LINK_SECONDS, ...body } }
      }
      const link = await client.call('createLink', { params: { job_id }, body })
      const file = { uri: link.url, name: 'masters.zip', mimeType: 'application/zip', description: 'All masters.' }
      return { value: link, links: [file] }
    },
  }),
  tool({
    name: 'read_report',
    title: 'Read a report',
    description: 'Measurements and decisions of a finished job. Its curves and spectra are in the linked resource.',
    input: exactly({
      job_id: JobId,
      recipe: Type.Optional(
        Type.Boolean({
          description: 'Also its recipe, for `recipe` of master and preview. May be long; false when absent.',
        }),
      ),
    }),
    effect: 'reads',
    endpoint: 'readReport',
    run: async ({ job_id, recipe }, { client, signal }) => {
      const report = await client.call('readReport', { params: { job_id }, signal })
      const isLeftOut = (name: string) => BULKY.has(name) && !(recipe && name === 'recipe')
      const figures = JSON.parse(JSON.stringify(report), (name, value) => (isLeftOut(name) ? undefined : value))
      const link = {
        ...{ uri: reportUri(job_id), name: 'report.json', mimeType: 'application/json' },
        description: 'The whole report.',
      }
      return { value: figures, links: [link] }
    },
  }),
]
