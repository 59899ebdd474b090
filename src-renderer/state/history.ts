/** History: the jobs that match a search, page by page, and what is selected among them. */
import { createStore } from 'zustand/vanilla'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { Job, JobQuery } from '../../src-contract/jobs.ts'
import { MAX_PAGE_SIZE } from '../../src-contract/limits.ts'
import type { JobsActions } from './jobs.ts'
import type { NoticesActions } from './notices.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'

/** What the list is narrowed to: a status of the API, or the finished jobs whose files are gone. */
export type ShownStatus = NonNullable<JobQuery['status']> | 'expired'

export interface HistoryFilter {
  readonly q: string
  readonly status: ShownStatus | undefined
  readonly platform: JobQuery['platform'] | undefined
  readonly sort: NonNullable<JobQuery['sort']>
}

export interface HistoryState {
  readonly filter: HistoryFilter
  /** Ids of the jobs read so far, in the order of the answer. */
  readonly ids: readonly string[]
  readonly total: number
  readonly nextCursor: string | null
  readonly isReading: boolean
  readonly hasRead: boolean
  /** Why the last reading failed. */
  readonly failure: Refusal | null
  /** How many jobs that were deleted here are still there, and why. */
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
  /** Whether these are all of its jobs: only then they can be counted. */
  readonly isWhole: boolean
}

export interface GroupOptions {
  readonly dayOf: (iso: string) => string
  /** Whether jobs of these groups may be missing anywhere. */
  readonly isFiltered: boolean
  /** Whether more jobs follow that are not read yet. */
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

export interface HistoryOptions {
  readonly client: Client
  readonly jobs: JobsActions
  readonly notices: NoticesActions
}

/** Makes the store of the history with its actions. */
export function createHistory({ client, jobs, notices }: HistoryOptions) {
  const store = createStore<HistoryState>(() => ({
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
  }))
  const { getState, setState } = store
  let reading = 0
  /** What the rows that are shown were asked for with. */
  let shownFilter: HistoryFilter | undefined
  /** The end of the list came in view, and what follows it has not been read. */
  let wantsMore = false
  let reportsRead: Promise<void> = Promise.resolve()

  /**
   * Reads what follows `cursor`: a page, or for the expired jobs, which the API cannot be asked for, as many pages as it takes
   * to find a page of them. Answers null when another reading has begun meanwhile. Throws ApiError.
   */
  const page = async (mine: number, from: string | null = null) => {
    const { q, status, platform, sort } = getState().filter
    const isExpired = status === 'expired'
    const asked = isExpired ? 'done' : status
    const found: Job[] = []
    let cursor = from
    let total = 0
    do {
      const answer = await client.call('listJobs', {
        query: {
          sort,
          limit: MAX_PAGE_SIZE,
          ...(q ? { q } : {}),
          ...(asked ? { status: asked } : {}),
          ...(platform ? { platform } : {}),
          ...(cursor ? { cursor } : {}),
        },
      })
      if (mine !== reading) return null
      found.push(...(isExpired ? answer.jobs.filter((job) => job.expired) : answer.jobs))
      cursor = answer.next_cursor ?? null
      total = isExpired ? found.length : answer.total
    } while (isExpired && cursor && found.length < MAX_PAGE_SIZE)
    jobs.keep(found)
    return { found: found.map((job) => job.job_id), total, nextCursor: cursor }
  }

  /** Reads the first page. A refresh keeps the further pages that are shown. An overtaken answer is dropped. */
  const read = async (isRefresh: boolean) => {
    reading += 1
    const mine = reading
    const { filter } = getState()
    wantsMore &&= isRefresh
    setState({ isReading: true })
    try {
      const answer = await page(mine)
      if (!answer) return
      const first = answer.found
      const { ids, nextCursor } = getState()
      const hasFurther = isRefresh && filter === shownFilter && ids.length > MAX_PAGE_SIZE
      shownFilter = filter
      const further = hasFurther ? ids.filter((id) => !first.includes(id)) : []
      setState({
        ids: [...first, ...further],
        total: answer.total,
        nextCursor: hasFurther ? nextCursor : answer.nextCursor,
        hasRead: true,
        failure: null,
      })
    } catch (error) {
      if (mine === reading) setState({ failure: refusalOf(error) })
    } finally {
      if (mine === reading) {
        setState({ isReading: false })
        if (wantsMore) void readMore()
      }
    }
  }

  /** Reads the next page at the end of the list; behind a refresh that is under way, and again when one has overtaken it. */
  const readMore = async () => {
    const { filter, nextCursor, isReading } = getState()
    if (!nextCursor) return
    wantsMore = true
    if (isReading || filter !== shownFilter) return
    setState({ isReading: true })
    const mine = reading
    try {
      const answer = await page(mine, nextCursor)
      if (!answer) return
      const known = new Set(getState().ids)
      const fresh = answer.found.filter((id) => !known.has(id))
      setState(({ ids }) => ({ ids: [...ids, ...fresh], total: answer.total, nextCursor: answer.nextCursor }))
    } catch (error) {
      if (mine === reading) setState({ failure: refusalOf(error) })
    } finally {
      if (mine === reading) {
        wantsMore = false
        setState({ isReading: false })
      }
    }
  }

  /**
   * Deletes jobs one after another; all at once when the page is leaving and sees no answer any more. Answers how many are gone;
   * those that the server keeps are shown again, and why. Never throws.
   */
  const deleteNow = async (jobIds: readonly string[], isLeaving = false): Promise<number> => {
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
      hidden: Object.fromEntries(Object.entries(hidden).filter(([id]) => !jobIds.includes(id))),
      total: Math.max(0, total - gone.size),
    }))
    return gone.size
  }

  return {
    store,
    read: () => read(false),
    /** Reads again what is shown, or could not be read, when this screen was ever open. */
    async refresh() {
      const { hasRead, failure } = getState()
      if (hasRead || failure) await read(true)
    },
    readMore,
    /** Reads how loud the song of a finished job came in: it stands in the report only. One at a time. Never throws. */
    readBefore({ job_id, source_sha256 }: Job) {
      reportsRead = reportsRead.then(async () => {
        if (getState().before[source_sha256] !== undefined) return
        let lufs: number | null = null
        try {
          const report = await client.call('readReport', { params: { job_id } })
          lufs = report.source.measurement.integrated_lufs
        } catch (error) {
          // Nobody knows yet: it is asked for again when the list is read again.
          if (isNotReached(refusalOf(error).code)) return
        }
        setState(({ before }) => ({ before: { ...before, [source_sha256]: lufs } }))
      })
      return reportsRead
    },
    filter(change: Partial<HistoryFilter>) {
      setState(({ filter }) => ({ filter: { ...filter, ...change }, selected: {} }))
      void read(false)
    },
    group: (isGrouped: boolean) => setState({ isGrouped }),
    select(jobIds: readonly string[], isSelected: boolean) {
      setState(({ selected }) => {
        const next = { ...selected }
        for (const id of jobIds) {
          if (isSelected) next[id] = true
          else delete next[id]
        }
        return { selected: next }
      })
    },
    /** Deletes jobs after the time to undo. */
    remove(jobIds: readonly string[], text: string) {
      const marks = Object.fromEntries(jobIds.map((id) => [id, true as const]))
      setState(({ hidden }) => ({ hidden: { ...hidden, ...marks }, selected: {}, refusal: null }))
      notices.show({
        text,
        undo: () =>
          setState(({ hidden }) => ({
            hidden: Object.fromEntries(Object.entries(hidden).filter(([id]) => !marks[id])),
          })),
        settle: (isLeaving) => void deleteNow(jobIds, isLeaving),
      })
    },
    /** All finished jobs created before `before`, oldest last, for freeing the disk. Throws ApiError. */
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
    /** Deletes jobs at once, telling how many are gone. Never throws. */
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
