/** Store of one job on the stage: its report, and the other jobs of the same song. */
import { createStore } from 'zustand/vanilla'
import { atMost } from '../../src-contract/at-most.ts'
import type { Client } from '../../src-contract/client.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { MAX_PAGE_SIZE } from '../../src-contract/limits.ts'
import type { Report } from '../../src-contract/report.ts'
import { comparedPlatform, type OtherMaster, versionNumber } from './listen-versions.ts'
import { type Refusal, refusalOf } from './refusal.ts'

export interface ListenState {
  readonly job: Job | null
  readonly report: Report | null
  /** Reason why nothing can play: the job is unknown, unfinished, failed or expired, or the server is away. */
  readonly failure: Refusal | null
  /** Finished jobs of the same source, including this one: at first those with its title, then all. */
  readonly siblings: readonly Job[]
  readonly hasAllSiblings: boolean
  readonly other: OtherMaster | null
  /** Reason why the version to compare is missing. */
  readonly otherFailure: Refusal | null
}

export interface ListenDeps {
  readonly client: Client
  readonly jobId: string
  /** Another job of the same song, whose master is in the switch from the start. */
  readonly otherId?: string | undefined
}

const FIRST_STATE: ListenState = {
  job: null,
  report: null,
  failure: null,
  siblings: [],
  hasAllSiblings: false,
  other: null,
  otherFailure: null,
}

/** The store of one visit to the screen, with its actions. */
export class ListenStore {
  readonly store = createStore<ListenState>(() => FIRST_STATE)
  readonly #client: Client
  readonly #jobId: string
  readonly #otherId: string | undefined
  readonly #inTurn = atMost(1)

  constructor({ client, jobId, otherId }: ListenDeps) {
    this.#client = client
    this.#jobId = jobId
    this.#otherId = otherId
  }

  /** Reads the job and its report once. Never throws: a failure is kept in `failure`. */
  read(): Promise<void> {
    return this.#inTurn(async () => {
      const { job, report } = this.store.getState()
      if (!report || job?.status === 'queued') await this.#readAll()
    })
  }

  /** Reads a finished job of the same song for comparison. Throws ApiError. */
  async readOther(id: string): Promise<{ job: Job; report: Report }> {
    const known = this.store.getState().siblings.find((one) => one.job_id === id)
    const job = known ?? (await this.#client.call('readJob', { params: { job_id: id } }))
    return { job, report: await this.#readReport(id) }
  }

  /** Searches all finished jobs for versions under other titles. Throws ApiError. */
  async findSiblings(): Promise<void> {
    const { job, hasAllSiblings } = this.store.getState()
    if (!job || hasAllSiblings) return
    let cursor: string | undefined
    do {
      const query = { status: 'done', limit: MAX_PAGE_SIZE, ...(cursor ? { cursor } : {}) } as const
      const page = await this.#client.call('listJobs', { query })
      this.#addSiblings(job, page.jobs)
      cursor = page.next_cursor
    } while (cursor)
    this.store.setState({ hasAllSiblings: true })
  }

  /** Adds a master of another job to the switch, or removes it. */
  bring(other: OtherMaster | null): void {
    this.store.setState({ other })
  }

  async #readAll(): Promise<void> {
    const { setState } = this.store
    setState({ failure: null, otherFailure: null })
    try {
      const job = await this.#client.call('readJob', { params: { job_id: this.#jobId } })
      setState({ job })
      const report = await this.#readReport(this.#jobId)
      if (this.#otherId) {
        // The version to compare is named by its number among all.
        await this.#readSiblings(job)
        await this.#seatOther(job, this.#otherId)
      }
      setState({ report })
      if (!this.#otherId) await this.#readSiblings(job)
      else this.#addSiblings(job, [])
    } catch (error) {
      setState({ failure: refusalOf(error) })
    }
  }

  #readReport(id: string): Promise<Report> {
    return this.#client.call('readReport', { params: { job_id: id } })
  }

  /** Shows the master to compare `job` with; ignores anything but another master of the same song. */
  async #seatOther(job: Job, id: string): Promise<void> {
    try {
      const other = await this.readOther(id)
      const platform = comparedPlatform(job, other.job)
      if (other.job.source_sha256 === job.source_sha256 && id !== this.#jobId && platform) {
        const siblings = this.store.getState().siblings.filter(({ job_id }) => job_id !== id)
        this.bring({ ...other, platform, versionNumber: versionNumber(other.job, [...siblings, other.job]).number })
      }
    } catch (error) {
      this.store.setState({ otherFailure: refusalOf(error) })
    }
  }

  /** Reads the versions with the same title: the list can be searched only by words. */
  async #readSiblings(job: Job): Promise<void> {
    const query = { q: job.title, status: 'done', limit: MAX_PAGE_SIZE } as const
    const { jobs } = await this.#client.call('listJobs', { query }).catch(() => ({ jobs: [] }))
    this.#addSiblings(job, jobs)
  }

  /** Adds to the siblings those of `jobs` with the same bytes that still exist. */
  #addSiblings(job: Job, jobs: readonly Job[]): void {
    const same = jobs.filter((one) => one.source_sha256 === job.source_sha256 && !one.expired)
    const { siblings, other } = this.store.getState()
    const all = [job, ...(other ? [other.job] : []), ...siblings, ...same]
    this.store.setState({ siblings: [...new Map(all.map((one) => [one.job_id, one])).values()] })
  }
}
