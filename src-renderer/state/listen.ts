/** Store of the Listen screen for one job: its report, and the other jobs of the same song. */
import { createStore } from 'zustand/vanilla'
import type { Client } from '../../src-contract/client.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { MAX_PAGE_SIZE } from '../../src-contract/limits.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import type { Report } from '../../src-contract/report.ts'
import { comparedPlatform, type OtherMaster } from './listen-versions.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { createSerialQueue } from './serial-queue.ts'

export interface ListenState {
  readonly job: Job | null
  readonly report: Report | null
  /** Reason why nothing can be heard: the job is unknown, unfinished, failed or expired, or the server is away. */
  readonly failure: Refusal | null
  /** Finished jobs of the same source, this one among them: at first those of its title, then all. */
  readonly siblings: readonly Job[]
  readonly hasAllSiblings: boolean
  readonly other: OtherMaster | null
  /** Reason why the version to compare with is missing. */
  readonly otherFailure: Refusal | null
}

export interface ListenOptions {
  readonly client: Client
  readonly jobId: string
  /** Another job of the same song, whose master is to be in the switch from the start. */
  readonly otherId?: string | undefined
}

/** Makes the store of one visit to the screen, with its actions. */
export function createListen({ client, jobId, otherId }: ListenOptions) {
  const store = createStore<ListenState>(() => ({
    job: null,
    report: null,
    failure: null,
    siblings: [],
    hasAllSiblings: false,
    other: null,
    otherFailure: null,
  }))

  const inTurn = createSerialQueue()
  const readReport = (id: string) => client.call('readReport', { params: { job_id: id } })

  /** Adds to the siblings those of `jobs` that come from the same bytes and are still there. */
  function addSiblings(job: Job, jobs: readonly Job[]) {
    const same = jobs.filter((one) => one.source_sha256 === job.source_sha256 && !one.expired)
    const { siblings, other } = store.getState()
    const all = [job, ...(other ? [other.job] : []), ...siblings, ...same]
    store.setState({ siblings: [...new Map(all.map((one) => [one.job_id, one])).values()] })
  }

  /** The list is searched by words, so this finds the versions that kept their title. */
  async function readSiblings(job: Job) {
    const query = { q: job.title, status: 'done', limit: MAX_PAGE_SIZE } as const
    const { jobs } = await client.call('listJobs', { query }).catch(() => ({ jobs: [] }))
    addSiblings(job, jobs)
  }

  async function readOther(id: string): Promise<{ job: Job; report: Report }> {
    const known = store.getState().siblings.find((one) => one.job_id === id)
    const job = known ?? (await client.call('readJob', { params: { job_id: id } }))
    return { job, report: await readReport(id) }
  }

  /** Puts the master that `job` is to be compared with at its place; anything but another master of the same song is none. */
  async function seatOther(job: Job, id: string) {
    try {
      const other = await readOther(id)
      const platform = comparedPlatform(job, other.job)
      if (other.job.source_sha256 === job.source_sha256 && id !== jobId && platform) {
        store.setState({ other: { ...other, platform } })
      }
    } catch (error) {
      store.setState({ otherFailure: refusalOf(error) })
    }
  }

  async function readAll() {
    store.setState({ failure: null, otherFailure: null })
    try {
      const job = await client.call('readJob', { params: { job_id: jobId } })
      store.setState({ job })
      const report = await readReport(jobId)
      if (otherId) await seatOther(job, otherId)
      store.setState({ report })
      await readSiblings(job)
    } catch (error) {
      store.setState({ failure: refusalOf(error) })
    }
  }

  return {
    store,
    /** Reads the job and its report, but not again once they are there. Never throws: what fails is in `failure`. */
    read: () =>
      inTurn(async () => {
        const { job, report } = store.getState()
        if (!report || job?.status === 'queued') await readAll()
      }),
    /** Reads a finished job of the same song to be compared. Throws ApiError. */
    readOther,
    /** Looks through all finished jobs for versions under other titles. Throws ApiError. */
    async findSiblings() {
      const { job, hasAllSiblings } = store.getState()
      if (!job || hasAllSiblings) return
      let cursor: string | undefined
      do {
        const query = { status: 'done', limit: MAX_PAGE_SIZE, ...(cursor ? { cursor } : {}) } as const
        const page = await client.call('listJobs', { query })
        addSiblings(job, page.jobs)
        cursor = page.next_cursor
      } while (cursor)
      store.setState({ hasAllSiblings: true })
    },
    /** Brings a master of another job into the switch, or takes it out. */
    bring(other: { job: Job; report: Report; platform: Platform } | null) {
      store.setState({ other })
    },
  }
}

export type ListenActions = ReturnType<typeof createListen>
