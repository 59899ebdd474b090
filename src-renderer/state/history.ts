/** History: the jobs that match a search, page by page, and what is selected among them. */
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

/** Returns whether a filter leaves jobs out of the list. */
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
  /** Loudness of what came in, LUFS, by its SHA-256; null where it cannot be told. Read for the rows that are looked at. */
  readonly before: Readonly<Record<string, number | null>>
  /** Deleted in this page but not yet on the server: their time to undo is running. */
  readonly hidden: Readonly<Record<string, true>>
}

export interface HistoryGroup {
  readonly groupId: string
  readonly batchId: string | null
  readonly jobs: readonly Job[]
  /** Tells whether these are all of its jobs: only then they can be counted. */
  readonly isWhole: boolean
}

export interface GroupOptions {
  readonly dayOf: (iso: string) => string
  /** Tells whether jobs of these groups may be missing anywhere. */
  readonly isFiltered: boolean
  /** Tells whether more jobs follow that are not read yet. */
  readonly hasMore: boolean
}

/** Jobs in groups as they follow each other: one per batch, and one for the single songs of each day. */
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

/** Bytes that the results of a job take; 0 once they have expired. */
export function sizeOf(job: Job): number {
  return job.expired ? 0 : job.results.reduce((sum, result) => sum + result.size_bytes, 0)
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

/** Creates the store of the history with its actions. */
export function createHistory(deps: HistoryDeps) {
  const { client, notices } = deps
  const store = createStore<HistoryState>(() => FIRST_STATE)
  const { getState, setState } = store
  const { read, readMore } = createPages(deps, store)
  const deleteNow = createDeletion(deps, store)

  return {
    store,
    read: () => read(false),
    /** Reads again what is shown, or could not be read, when this screen was ever open. */
    async refresh() {
      const { hasRead, failure } = getState()
      if (hasRead || failure) await read(true)
    },
    readMore,
    readBefore: createReportReader(client, store),
    filter(change: Partial<HistoryFilter>) {
      setState(({ filter }) => ({ filter: { ...filter, ...change }, selected: {} }))
      void read(false)
    },
    group: (isGrouped: boolean) => setState({ isGrouped }),
    select(jobIds: readonly string[], isSelected: boolean) {
      setState(({ selected }) => {
        const rest = Object.entries(selected).filter(([id]) => !jobIds.includes(id))
        return { selected: Object.fromEntries(isSelected ? [...rest, ...marked(jobIds)] : rest) }
      })
    },
    /** Deletes jobs after the time to undo. */
    remove(jobIds: readonly string[], text: string) {
      const marks = Object.fromEntries(marked(jobIds))
      setState(({ hidden }) => ({ hidden: { ...hidden, ...marks }, selected: {}, refusal: null }))
      notices.show({
        text,
        undo: () => setState(({ hidden }) => ({ hidden: without(hidden, jobIds) })),
        settle: (isLeaving) => void deleteNow(jobIds, isLeaving),
      })
    },
    /** Returns all finished jobs created before `before`, oldest first, for freeing the disk. Throws ApiError. */
    async findEnded(before: Date): Promise<Job[]> {
      const found: Job[] = []
      let cursor: string | undefined
      do {
        const answer = await client.call('listJobs', {
          query: { status: 'done', sort: 'oldest', limit: MAX_PAGE_SIZE, ...(cursor ? { cursor } : {}) },
        })
        found.push(...answer.jobs.filter((job) => new Date(job.created_at) < before))
        cursor = answer.jobs.some((job) => new Date(job.created_at) >= before) ? undefined : answer.next_cursor
      } while (cursor)
      return found
    },
    /** Deletes jobs at once and reports how many are gone so far. Never throws. */
    async deleteAll(jobIds: readonly string[], onDeleted: (count: number) => void) {
      setState({ refusal: null })
      let count = 0
      for (const jobId of jobIds) {
        count += await deleteNow([jobId])
        onDeleted(count)
      }
    },
    clearRefusal: () => setState({ refusal: null }),
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
 * Returns the list after its first page was read. A refresh of the same list keeps the further pages that are shown, and their
 * cursor.
 */
export function withFirstPage(
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

/** Creates the reader of pages. An answer that another reading has overtaken is dropped. */
function createPages({ client, jobs }: HistoryDeps, { getState, setState }: StoreApi<HistoryState>) {
  /** Number of the last reading. */
  let reading = 0
  /** Filter of the rows that are shown. */
  let shownFilter: HistoryFilter | undefined
  /** The end of the list came in view, and what follows it has not been read. */
  let wantsMore = false

  /**
   * Reads what follows `from`: a page, or for the expired jobs, for which the API has no filter, as many pages as it takes to fill
   * one. Returns null when another reading has begun meanwhile. Throws ApiError.
   */
  async function readPage(number: number, from: string | null = null): Promise<Page | null> {
    const { q, status, platform, sort } = getState().filter
    const isExpired = status === 'expired'
    const asked = isExpired ? 'done' : status
    const filter = { ...(q ? { q } : {}), ...(asked ? { status: asked } : {}), ...(platform ? { platform } : {}) }
    const found: Job[] = []
    let cursor = from
    let total = 0
    do {
      const query = { sort, limit: MAX_PAGE_SIZE, ...filter, ...(cursor ? { cursor } : {}) }
      const answer = await client.call('listJobs', { query })
      if (number !== reading) return null
      found.push(...(isExpired ? answer.jobs.filter((job) => job.expired) : answer.jobs))
      cursor = answer.next_cursor ?? null
      total = isExpired ? found.length : answer.total
    } while (isExpired && cursor && found.length < MAX_PAGE_SIZE)
    jobs.keep(found)
    return { found: found.map((job) => job.job_id), total, nextCursor: cursor }
  }

  /** Reads a page and shows it, unless another reading overtakes it; a failure is shown too. `onEnd` follows either. */
  async function run(number: number, from: string | null, show: (page: Page) => void, onEnd: () => void) {
    setState({ isReading: true })
    try {
      const page = await readPage(number, from)
      if (page) show(page)
    } catch (error) {
      if (number === reading) setState({ failure: refusalOf(error) })
    } finally {
      if (number === reading) onEnd()
    }
  }

  /** Reads the first page. */
  async function read(isRefresh: boolean): Promise<void> {
    reading += 1
    const { filter } = getState()
    wantsMore &&= isRefresh
    const show = (page: Page) => {
      const isSameList = isRefresh && filter === shownFilter
      shownFilter = filter
      setState({ ...withFirstPage(getState(), page, isSameList), hasRead: true, failure: null })
    }
    await run(reading, null, show, () => {
      setState({ isReading: false })
      if (wantsMore) void readMore()
    })
  }

  /** Reads the next page at the end of the list; behind a refresh that is under way, and again when one has overtaken it. */
  async function readMore(): Promise<void> {
    const { filter, nextCursor, isReading } = getState()
    if (!nextCursor) return
    wantsMore = true
    if (isReading || filter !== shownFilter) return
    const show = ({ found, total, nextCursor: next }: Page) => {
      const known = new Set(getState().ids)
      setState(({ ids }) => ({ ids: [...ids, ...found.filter((id) => !known.has(id))], total, nextCursor: next }))
    }
    await run(reading, nextCursor, show, () => {
      wantsMore = false
      setState({ isReading: false })
    })
  }

  return { read, readMore }
}

/**
 * Creates the function that deletes jobs one after another; all at once when the page is leaving and sees no answer any more. It
 * returns how many are gone; those that the server keeps are shown again, and why. Never throws.
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

/** Creates the function that reads the loudness of the song of a finished job, which its report alone has. One at a time. Never throws. */
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
        // Unknown while the program is away: it is asked for again when the list is read again.
        if (isNotReached(refusalOf(error).code)) return
      }
      setState(({ before }) => ({ before: { ...before, [source_sha256]: lufs } }))
    })
    return last
  }
}
