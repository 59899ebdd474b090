/** What the Listen screen shows of one job: its report, and the other jobs of the same song. */
import { createStore } from 'zustand/vanilla'
import type { Job } from '../../src-server/contract/jobs.ts'
import type { Platform } from '../../src-server/contract/platforms.ts'
import type { Report } from '../../src-server/contract/report.ts'
import type { Language } from '../../src-server/contract/text/text.ts'
import type { Client } from '../api/client.ts'
import type { OtherMaster } from './listen-versions.ts'
import { type Refusal, refusalOf } from './refusal.ts'

export interface ListenState {
  readonly job: Job | null
  readonly report: Report | null
  /** Why there is nothing to hear: the job is unknown, unfinished, failed or expired, or the server is away. */
  readonly failure: Refusal | null
  /** Finished jobs of the same source, this one among them. */
  readonly siblings: readonly Job[]
  readonly other: OtherMaster | null
}

export interface ListenOptions {
  readonly client: Client
  readonly jobId: string
  readonly language: () => Language
}

const MOST_SIBLINGS = 100

/** Makes the store of one visit to the screen, with its actions. */
export function createListen({ client, jobId, language }: ListenOptions) {
  const store = createStore<ListenState>(() => ({ job: null, report: null, failure: null, siblings: [], other: null }))

  const readReport = (id: string) => client.call('readReport', { params: { job_id: id } })

  /** The list is searched by words, so what it finds under this name is narrowed to what comes from the same bytes. */
  async function readSiblings(job: Job) {
    const page = await client.call('listJobs', { query: { q: job.title, status: 'done', limit: MOST_SIBLINGS } })
    const same = page.jobs.filter((one) => one.source_sha256 === job.source_sha256 && !one.expired)
    store.setState({ siblings: same.some((one) => one.job_id === job.job_id) ? same : [job, ...same] })
  }

  return {
    store,
    /** Reads the job and its report. Never throws: what fails is in `failure`. */
    async read() {
      store.setState({ failure: null })
      try {
        const job = await client.call('readJob', { params: { job_id: jobId } })
        store.setState({ job })
        store.setState({ report: await readReport(jobId) })
        await readSiblings(job).catch(() => store.setState({ siblings: [job] }))
      } catch (error) {
        store.setState({ failure: refusalOf(error, language()) })
      }
    },
    /** Reads a finished job of the same song to be compared. Throws ApiError. */
    async readOther(otherId: string): Promise<{ job: Job; report: Report }> {
      const known = store.getState().siblings.find((one) => one.job_id === otherId)
      const job = known ?? (await client.call('readJob', { params: { job_id: otherId } }))
      return { job, report: await readReport(otherId) }
    },
    /** Brings a master of another job into the switch, or takes it out. */
    bring(other: { job: Job; report: Report; platform: Platform } | null) {
      store.setState({ other })
    },
  }
}

export type ListenActions = ReturnType<typeof createListen>
