/** History: the jobs that match a search, page by page, and the selection among them. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { Job, JobQuery } from '../../src-contract/jobs.ts'
import { MAX_PAGE_SIZE } from '../../src-contract/limits.ts'
import type { JobsStore } from './jobs.ts'
import type { NoticesActions } from './notices.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'

/** Filter of the list: a status of the API, or the finished jobs whose files are gone. */
export type ShownStatus = NonNullable<JobQuery['status']> | 'expired'

export interface HistoryFilter {
  readonly q: string
  readonly status: ShownStatus | undefined
  readonly platform: JobQuery['platform'] | undefined
  readonly sort: NonNullable<JobQuery['sort']>
}

/** Returns whether a filter excludes jobs from the list. */
export function isNarrowed({ q, status, platform }: HistoryFilter): boolean {
  return q !== '' || status !== undefined || platform !== undefined
}

export interface HistoryState {
  readonly filter: HistoryFilter
  /** Ids of the jobs read so far, in the order of the answer. */
  readonly ids: readonly string[]
  readonly total: number
  readonly nextCursor: string | null
  readonly isReading: boolean
  readonly hasRead: boolean
  /** Failure of the last reading. */
  readonly failure: Refusal | null
  /** Number of jobs that could not be deleted, and the reason. */
  readonly refusal: (Refusal & { readonly count: number }) | null
  readonly selected: Readonly<Record<string, true>>
  readonly isGrouped: boolean
  /** Loudness of songs before mastering, LUFS, by their SHA-256; null if unknown. Read for the rows in view. */
  readonly before: Readonly<Record<string, number | null>>
  /** Deleted in this page but not yet on the server, as the deletion can still be undone. */
  readonly hidden: Readonly<Record<string, true>>
}

export interface HistoryGroup {
  readonly groupId: string
  readonly batchId: string | null
  readonly jobs: readonly Job[]
  /** The group is complete, which is needed for its count. */
  readonly isWhole: boolean
}

export interface GroupOptions {
  readonly dayOf: (iso: string) => string
  /** These groups may miss jobs anywhere. */
  readonly isFiltered: boolean
  /** More jobs follow that are not loaded yet. */
  readonly hasMore: boolean
}

/** Returns consecutive groups of jobs: one per batch, and one for the single songs of each day. */
export function groupsOf(jobs: readonly Job[], { dayOf, isFiltered, hasMore }: GroupOptions): HistoryGroup[] {
  const groups = new Map<string, Job[]>()
  for (const job of jobs) {
    const groupId = job.batch_id ?? `single ${dayOf(job.created_at)}`
    const members = groups.get(groupId)
    if (members) members.push(job)
    else groups.set(groupId, [job])
  }
  const last = jobs.at(-1)
  return [...groups].map(([groupId, members]) => ({
    groupId,
    batchId: members[0]?.batch_id ?? null,
    jobs: members,
    isWhole: !isFiltered && !(hasMore && last !== undefined && members.includes(last)),
  }))
}

export interface HistoryDeps {
  readonly client: Client
  readonly jobs: JobsStore
  readonly notices: NoticesActions
}

const FIRST_STATE: HistoryState = {
  filter: { q: '', status: undefined, platform: undefined, sort: 'newest' },
  ids: [],
  total: 0,
  nextCursor: null,
  isReading: false,
  hasRead: false,
  failure: null,
  refusal: null,
  selected: {},
  isGrouped: true,
  before: {},
  hidden: {},
}

/** The store of the history with its actions. */
export class HistoryStore {
  readonly store = createStore<HistoryState>(() => FIRST_STATE)
  readonly #client: Client
  readonly #notices: NoticesActions
  readonly #pages: HistoryPages
  readonly #deleteNow: ReturnType<typeof createDeletion>
  /** Reads the loudness of a job's song, which only its report has. One at a time. Never throws. */
  readonly readBefore: (job: Job) => Promise<void>

  constructor(deps: HistoryDeps) {
    this.#client = deps.client
    this.#notices = deps.notices
    this.#pages = new HistoryPages(deps, this.store)
    this.#deleteNow = createDeletion(deps, this.store)
    this.readBefore = createReportReader(deps.client, this.store)
  }

  /** Reads the first page. Never throws: a failure is in `failure`. */
  read(): Promise<void> {
    return this.#pages.read(false)
  }

  /** Reloads the list, also after a failed read, if this screen was ever open. */
  async refresh(): Promise<void> {
    const { hasRead, failure } = this.store.getState()
    if (hasRead || failure) await this.#pages.read(true)
  }

  /** Reads the next page, if there is one. Never throws. */
  readMore(): Promise<void> {
    return this.#pages.readMore()
  }

  filter(change: Partial<HistoryFilter>): void {
    this.store.setState(({ filter }) => ({ filter: { ...filter, ...change }, selected: {} }))
    void this.read()
  }

  group(isGrouped: boolean): void {
    this.store.setState({ isGrouped })
  }

  select(jobIds: readonly string[], isSelected: boolean): void {
    this.store.setState(({ selected }) => {
      const rest = Object.entries(selected).filter(([id]) => !jobIds.includes(id))
      return { selected: Object.fromEntries(isSelected ? [...rest, ...marked(jobIds)] : rest) }
    })
  }

  /** Deletes jobs after the time to undo. */
  remove(jobIds: readonly string[], text: string): void {
    const { setState } = this.store
    const marks = Object.fromEntries(marked(jobIds))
    setState(({ hidden }) => ({ hidden: { ...hidden, ...marks }, selected: {}, refusal: null }))
    this.#notices.show({
      text,
      undo: () => setState(({ hidden }) => ({ hidden: without(hidden, jobIds) })),
      settle: (isLeaving) => void this.#deleteNow(jobIds, isLeaving),
    })
  }

  /** Returns all finished jobs created before `before`, oldest first, for freeing the disk. Throws ApiError. */
  async findEnded(before: Date): Promise<Job[]> {
    const found: Job[] = []
    let cursor: string | undefined
    do {
      const answer = await this.#client.call('listJobs', {
        query: { status: 'done', sort: 'oldest', limit: MAX_PAGE_SIZE, ...(cursor ? { cursor } : {}) },
      })
      found.push(...answer.jobs.filter((job) => new Date(job.created_at) < before))
      cursor = answer.jobs.some((job) => new Date(job.created_at) >= before) ? undefined : answer.next_cursor
    } while (cursor)
    return found
  }

  /** Deletes jobs at once and reports how many are gone so far. Never throws. */
  async deleteAll(jobIds: readonly string[], onDeleted: (count: number) => void): Promise<void> {
    this.clearRefusal()
    let count = 0
    for (const jobId of jobIds) {
      count += await this.#deleteNow([jobId])
      onDeleted(count)
    }
  }

  clearRefusal(): void {
    this.store.setState({ refusal: null })
  }
}

const marked = (ids: readonly string[]) => ids.map((id) => [id, true as const] as const)

const without = (marks: Readonly<Record<string, true>>, ids: readonly string[]): Record<string, true> =>
  Object.fromEntries(Object.entries(marks).filter(([id]) => !ids.includes(id)))

/** A page of the list as it was read. */
interface Page {
  readonly found: readonly string[]
  readonly total: number
  readonly nextCursor: string | null
}

/**
 * Returns the list after reading its first page. A refresh of the same list keeps the further pages shown, and their
 * cursor.
 */
function withFirstPage(
  { ids, nextCursor }: Pick<HistoryState, 'ids' | 'nextCursor'>,
  page: Page,
  isRefresh: boolean,
): Pick<HistoryState, 'ids' | 'total' | 'nextCursor'> {
  const keepsFurther = isRefresh && ids.length > MAX_PAGE_SIZE
  const further = keepsFurther ? ids.filter((id) => !page.found.includes(id)) : []
  return {
    ids: [...page.found, ...further],
    total: page.total,
    nextCursor: keepsFurther ? nextCursor : page.nextCursor,
  }
}

/** The reader of pages. An answer overtaken by another reading is dropped. */
class HistoryPages {
  readonly #client: Client
  readonly #jobs: JobsStore
  readonly #store: StoreApi<HistoryState>
  /** Number of the last reading. */
  #reading = 0
  /** Filter of the rows shown. */
  #shownFilter: HistoryFilter | undefined
  /** The end of the list came into view before the next page was read. */
  #wantsMore = false

  constructor({ client, jobs }: HistoryDeps, store: StoreApi<HistoryState>) {
    this.#client = client
    this.#jobs = jobs
    this.#store = store
  }

  /** Reads the first page. */
  async read(isRefresh: boolean): Promise<void> {
    const { getState, setState } = this.#store
    this.#reading += 1
    const { filter } = getState()
    this.#wantsMore &&= isRefresh
    const show = (page: Page) => {
      const isSameList = isRefresh && filter === this.#shownFilter
      this.#shownFilter = filter
      setState({ ...withFirstPage(getState(), page, isSameList), hasRead: true, failure: null })
    }
    await this.#run(this.#reading, null, show, () => {
      setState({ isReading: false })
      if (this.#wantsMore) void this.readMore()
    })
  }

  /** Reads the next page at the end of the list: after a refresh under way, and again if one has overtaken it. */
  async readMore(): Promise<void> {
    const { getState, setState } = this.#store
    const { filter, nextCursor, isReading } = getState()
    if (!nextCursor) return
    this.#wantsMore = true
    if (isReading || filter !== this.#shownFilter) return
    const show = ({ found, total, nextCursor: next }: Page) => {
      const known = new Set(getState().ids)
      setState(({ ids }) => ({ ids: [...ids, ...found.filter((id) => !known.has(id))], total, nextCursor: next }))
    }
    await this.#run(this.#reading, nextCursor, show, () => {
      this.#wantsMore = false
      setState({ isReading: false })
    })
  }

  /** Reads a page and shows it, unless another reading overtakes it; a failure is shown too. `onEnd` follows either. */
  async #run(number: number, from: string | null, show: (page: Page) => void, onEnd: () => void): Promise<void> {
    const { setState } = this.#store
    setState({ isReading: true })
    try {
      const page = await this.#readPage(number, from)
      if (page) show(page)
    } catch (error) {
      if (number === this.#reading) setState({ failure: refusalOf(error) })
    } finally {
      if (number === this.#reading) onEnd()
    }
  }

  /**
   * Reads the page after `from`. For expired jobs, for which the API has no filter, reads as many pages as it takes to
   * fill one. Returns null when another reading has begun meanwhile. Throws ApiError.
   */
  async #readPage(number: number, from: string | null): Promise<Page | null> {
    const { q, status, platform, sort } = this.#store.getState().filter
    const isExpired = status === 'expired'
    const asked = isExpired ? 'done' : status
    const filter = { ...(q ? { q } : {}), ...(asked ? { status: asked } : {}), ...(platform ? { platform } : {}) }
    const found: Job[] = []
    let cursor = from
    let total = 0
    do {
      const query = { sort, limit: MAX_PAGE_SIZE, ...filter, ...(cursor ? { cursor } : {}) }
      const answer = await this.#client.call('listJobs', { query })
      if (number !== this.#reading) return null
      found.push(...(isExpired ? answer.jobs.filter((job) => job.expired) : answer.jobs))
      cursor = answer.next_cursor ?? null
      total = isExpired ? found.length : answer.total
    } while (isExpired && cursor && found.length < MAX_PAGE_SIZE)
    this.#jobs.keep(found)
    return { found: found.map((job) => job.job_id), total, nextCursor: cursor }
  }
}

/**
 * Creates the function that deletes jobs one after another, or all at once when the page is closing, as it will see no
 * answer. It returns the number deleted; jobs the server keeps are shown again with the reason. Never throws.
 */
function createDeletion({ client, jobs }: HistoryDeps, { setState }: StoreApi<HistoryState>) {
  return async (jobIds: readonly string[], isLeaving = false): Promise<number> => {
    const gone = new Set<string>()
    const deleteOne = async (jobId: string) => {
      try {
        await client.call('deleteJob', { params: { job_id: jobId }, keepalive: isLeaving })
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'JOB_NOT_FOUND')
          return setState(({ refusal }) => ({
            refusal: { ...refusalOf(error), count: (refusal?.count ?? 0) + 1 },
          }))
      }
      gone.add(jobId)
      jobs.forget(jobId)
    }
    if (isLeaving) await Promise.all(jobIds.map(deleteOne))
    else for (const jobId of jobIds) await deleteOne(jobId)
    setState(({ ids, hidden, total }) => ({
      ids: ids.filter((id) => !gone.has(id)),
      hidden: without(hidden, jobIds),
      total: Math.max(0, total - gone.size),
    }))
    return gone.size
  }
}

/** Creates the function that reads the loudness of a job's song from its report. */
function createReportReader(client: Client, { getState, setState }: StoreApi<HistoryState>) {
  let last: Promise<void> = Promise.resolve()
  return ({ job_id, source_sha256 }: Job): Promise<void> => {
    last = last.then(async () => {
      if (getState().before[source_sha256] !== undefined) return
      let lufs: number | null = null
      try {
        const report = await client.call('readReport', { params: { job_id } })
        lufs = report.source.measurement.integrated_lufs
      } catch (error) {
        // Unknown while the program is away: requested again when the list is reloaded.
        if (isNotReached(refusalOf(error).code)) return
      }
      setState(({ before }) => ({ before: { ...before, [source_sha256]: lufs } }))
    })
    return last
  }
}
