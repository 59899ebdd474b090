/** The batch: songs on their way to being mastered. The server keeps it; here are its last reading and what is not there yet. */
import { createStore } from 'zustand/vanilla'
import {
  type Batch,
  type BatchSong,
  type MasterSettings,
  type Preset,
  type Source,
  summaryOf,
} from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import type { Job } from '../../src-contract/jobs.ts'
import type { SendSong } from '../api/upload.ts'
import { type AgainBatch, bringBack } from './batch-again.ts'
import { createLooks, type LooksOptions } from './batch-analyses.ts'
import { ALL_SONGS, createChanges } from './batch-changes.ts'
import { createCommands } from './batch-commands.ts'
import { createMarks } from './batch-marks.ts'
import { firstOrder, mergedBatch, mergedOrder, placedOrder, songIdsOf } from './batch-merge.ts'
import { createReferences } from './batch-references.ts'
import { createStarts, inState } from './batch-starts.ts'
import { createUploads, type RefusedFile } from './batch-uploads.ts'
import type { JobsActions } from './jobs.ts'
import type { NoticesActions } from './notices.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'
import { movedOrder, type Upload } from './song-rows.ts'
import { readStored } from './stored.ts'

export const SORTS = ['added', 'title', 'length'] as const
export type Sort = (typeof SORTS)[number]

export interface BatchState {
  readonly batch: Batch | null
  readonly order: readonly string[]
  /** By what the list was ordered last; null once it stands in an order of its own. */
  readonly sort: Sort | null
  /** The song whose own settings the column shows; null for all songs. */
  readonly selectedId: string | null
  readonly isWholeBatch: boolean
  /** The row that came back from elsewhere and is to be scrolled to; null once it is in view. */
  readonly broughtBackId: string | null
  /** Something about the batch as a whole failed. */
  readonly failure: Refusal | null
}

export interface BatchOptions {
  readonly client: Client
  readonly upload: (song: SendSong) => Promise<Source>
  /** Songs sent at once. */
  readonly uploadsAtOnce: number
  readonly jobs: JobsActions
  readonly notices: NoticesActions
  readonly newId: () => string
  /** Runs what only one page of a browser may do at a time; without it this page is alone. */
  readonly alone?: LooksOptions['alone']
  /** Where marks, the chosen order and refused files survive a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
}

const SORT_KEY = 'loudsmith.sort'

/** Makes the store of the batch with its actions. */
export function createBatch(options: BatchOptions) {
  const { client, upload, jobs, notices, newId, storage } = options
  const uploads = createUploads({
    send: upload,
    atOnce: options.uploadsAtOnce,
    newId,
    storage,
    order: () => store.getState().order,
    onStored,
  })
  const references = createReferences({
    client,
    send: upload,
    use: (reference_source_id, rowId) => putSettings({ reference_source_id }, rowId),
  })
  const marks = createMarks(storage)
  /** Rows that start by themselves once they are measured. */
  const armed = createStore<{ readonly rowIds: readonly string[] }>(() => ({ rowIds: [] }))
  const uploadIds = () => uploads.store.getState().uploads.map((one) => one.uploadId)
  const storedSort = () =>
    readStored<Sort | null>(storage, SORT_KEY, (stored) => stored === null || SORTS.includes(stored), 'added')
  const store = createStore<BatchState>(() => ({
    batch: null,
    order: [],
    sort: storedSort(),
    selectedId: null,
    isWholeBatch: true,
    broughtBackId: null,
    failure: null,
  }))
  const { getState, setState } = store
  store.subscribe((state, before) => {
    if (state.sort !== before.sort) storage.setItem(SORT_KEY, JSON.stringify(state.sort))
    if (state.order !== before.order) uploads.saveResting()
  })

  /** Uploads that became songs: what was begun with the one goes on with the other. */
  const storedAs = new Map<string, string>()
  const idNow = (rowId: string) => storedAs.get(rowId) ?? rowId

  /** The row that is being dragged. */
  let heldId: string | null = null

  const songOf = (sourceId: string) => getState().batch?.songs.find((song) => song.source.source_id === sourceId)

  /** A song whose upload has not been answered yet is still shown as that upload, in its place. */
  const isArriving = ({ source }: BatchSong) =>
    !getState().order.includes(source.source_id) && uploads.isArriving(source)

  /** What was not told the server because it was away. */
  let untold: Refusal | null = null
  /** Shows the batch as it was read. What failed stays to be read, but not that the server was away when it was told something. */
  const keep = (read: Batch) => {
    const { batch: known, order: shown } = getState()
    const songs = starts.shown(read.songs.filter((song) => !isArriving(song)))
    const batch = mergedBatch(known, { ...read, songs }, changes.holds)
    const order = known
      ? mergedOrder(shown, batch, uploadIds(), heldId)
      : firstOrder(batch, uploadIds(), uploads.keptOrder, shown)
    // Another page that has ordered the list has stored by what.
    setState(({ failure }) => ({ batch, order, sort: storedSort(), failure: failure === untold ? null : failure }))
    // No drag ends whose row is gone.
    if (heldId && !order.includes(heldId)) heldId = null
    if (!known && shown.length > 0) tellOrder()
    for (const { source } of batch.songs) {
      const left = uploads.claim(source)
      if (left) onStored(left, source)
    }
    references.readMissing(batch)
    void looks.run()
  }

  const commands = createCommands({
    client,
    jobs,
    show: keep,
    onRefused(error) {
      const failure = refusalOf(error)
      if (isNotReached(failure.code)) untold = failure
      setState({ failure })
    },
  })
  /** Of settings, by what they are of: a source_id or ALL_SONGS. */
  const changes = createChanges(commands.tell)
  /** As `tell`, where nobody waits for more than its end. Never throws. */
  const command = (run: () => Promise<Batch>) => commands.tell(run).catch(() => undefined)
  const clearFailure = () => setState({ failure: null })
  /** As `command`, for what is done by hand: who goes on has read what failed before. */
  const act = (run: () => Promise<Batch>) => {
    clearFailure()
    return command(run)
  }

  const keepSong = (song: BatchSong) => {
    const { batch } = getState()
    if (!batch) return
    setState({
      batch: { ...batch, songs: batch.songs.map((s) => (s.source.source_id === song.source.source_id ? song : s)) },
    })
  }

  /** The stored songs in the order in which they are shown. */
  const songOrder = () => getState().order.filter((id) => songOf(id))

  /** Tells the server in which order the stored songs are shown: so they are mastered, and shown again. */
  const tellOrder = () => {
    const order = songOrder()
    void command(() => client.call('changeDesk', { body: { order } }))
  }

  /** A stored song takes the place of its upload, so that no row moves, and the settings that were chosen for it. */
  function onStored({ uploadId, settings = null, replaces }: Upload, source: Source): void {
    const { batch, selectedId } = getState()
    const sourceId = source.source_id
    const song: BatchSong = { source, state: 'ready', settings: null, analysis: null, job_ids: [] }
    commands.outdate()
    storedAs.set(uploadId, sourceId)
    references.follow(uploadId, sourceId)
    armed.setState(({ rowIds }) => ({ rowIds: rowIds.map((id) => (id === uploadId ? sourceId : id)) }))
    const isNew = !batch?.songs.some((one) => one.source.source_id === sourceId)
    const order = getState()
      .order.filter((id) => id !== sourceId)
      .map((id) => (id === uploadId ? sourceId : id))
    setState({
      order,
      selectedId: selectedId === uploadId ? sourceId : selectedId,
      ...(batch && isNew ? { batch: { ...batch, songs: [...batch.songs, song] } } : {}),
    })
    if (settings) changeSongSettings(sourceId, settings)
    if (replaces) void removeFor(replaces, order)
    // Small files overtake large ones, and the server puts what arrives at the end.
    else if (order.slice(order.indexOf(sourceId) + 1).some((id) => songOf(id))) tellOrder()
    void looks.run()
  }

  /** Takes the replaced song off and tells the server where the new one stands. */
  const removeFor = (sourceId: string, order: readonly string[]) =>
    command(async () => {
      await client.call('removeSongs', { body: { source_ids: [sourceId] } })
      return client.call('changeDesk', { body: { order: order.filter((id) => songOf(id) && id !== sourceId) } })
    })

  const looks = createLooks({
    client,
    shown: getState,
    onFound(sourceId, analysis) {
      const song = songOf(sourceId)
      if (song) keepSong({ ...song, analysis: summaryOf(analysis) })
    },
    alone: options.alone ?? ((run) => run(false)),
    read: () => commands.read(),
  })

  /** Gives one song settings of its own, or null for the common ones; one that is not stored yet keeps them until it is. */
  function changeSongSettings(rowId: string, settings: MasterSettings | null): void {
    const song = songOf(rowId)
    if (!song) {
      uploads.changeSettings(rowId, settings)
      return
    }
    keepSong({ ...song, settings })
    changes.soon(rowId, async (keepalive = false) => {
      await client.call('changeDeskSong', { params: { source_id: rowId }, body: { settings }, keepalive })
      return client.call('readDesk', {})
    })
  }
  /** Changes settings of all songs, or of one. Shown at once, sent when the hand rests. */
  function putSettings(change: Partial<MasterSettings>, rowId: string | null): void {
    const { batch } = getState()
    if (!batch) return
    if (rowId) {
      const id = idNow(rowId)
      changeSongSettings(id, { ...(ownSettingsOf(id) ?? batch.settings), ...change })
      return
    }
    const settings = { ...batch.settings, ...change }
    setState({ batch: { ...batch, settings } })
    changes.soon(ALL_SONGS, (keepalive = false) => client.call('changeDesk', { body: { settings }, keepalive }))
  }
  /** The settings that a song, stored or on its way, has of its own; null without. */
  const ownSettingsOf = (rowId: string): MasterSettings | null =>
    (songOf(rowId) ?? uploads.store.getState().uploads.find((one) => one.uploadId === rowId))?.settings ?? null
  /** Puts files at the end of the list, or in the place of a song, begins to send them and answers the ids of new rows. */
  const add = (list: readonly File[], more: Pick<Upload, 'replaces' | 'settings'>): readonly string[] => {
    const ids = uploads.add(list, more)
    const { order, sort } = getState()
    const at = more.replaces ? order.indexOf(more.replaces) + 1 : order.length
    // What comes at the end of songs in the order of their titles has no place among them.
    setState({
      order: [...order.slice(0, at), ...ids, ...order.slice(at)],
      sort: sort === 'added' && !more.replaces ? sort : null,
    })
    return ids
  }

  const showState = (sourceIds: readonly string[], state: BatchSong['state']) => {
    const { batch } = getState()
    if (!batch) return
    const chosen = new Set(sourceIds)
    const songs = batch.songs.map((song) => (chosen.has(song.source.source_id) ? inState(song, state) : song))
    setState({ batch: { ...batch, songs } })
  }
  const starts = createStarts({
    stateOf: (sourceId) => songOf(sourceId)?.state ?? 'ready',
    showState,
    arrivalFor: (sourceId) => references.arrivalFor(sourceId, ownSettingsOf(sourceId) !== null),
    startNow(sourceIds) {
      const settled = changes.flush()
      settled.catch(() => undefined)
      return command(async () => {
        await settled
        return client.call('startSongs', { body: { source_ids: [...sourceIds] } })
      })
    },
    onMissing() {
      const refused = references.store.getState().sending.find(({ error }) => error)
      if (refused?.error) setState({ failure: refused.error })
    },
  })

  /** Takes rows off the list. What is answered puts them back, or makes it final. */
  const takeOff = (rowIds: readonly string[]) => {
    const { batch, order } = getState()
    const gone = new Set(rowIds)
    const songs = batch?.songs.filter((song) => gone.has(song.source.source_id)) ?? []
    const body = { source_ids: songs.map((song) => song.source.source_id) }
    const taken = uploads.takeOff(gone)
    starts.letGo(rowIds)
    armed.setState((state) => ({ rowIds: state.rowIds.filter((id) => !gone.has(id)) }))
    setState({
      order: order.filter((id) => !gone.has(id)),
      ...(batch ? { batch: { ...batch, songs: batch.songs.filter((song) => !songs.includes(song)) } } : {}),
    })
    if (gone.has(getState().selectedId ?? '')) setState({ selectedId: null, isWholeBatch: true })
    if (songs.length > 0) void act(() => client.call('removeSongs', { body }))
    return {
      putBack: () => {
        const { batch: now, order: shown } = getState()
        const missing = rowIds.filter((id) => !shown.includes(id))
        const back = songs.filter((song) => missing.includes(song.source.source_id))
        setState({
          order: placedOrder(shown, missing, order.map(idNow)),
          ...(now ? { batch: { ...now, songs: [...now.songs, ...back] } } : {}),
        })
        taken.putBack()
        if (songs.length === 0) return
        const told = songOrder()
        void act(async () => {
          await client.call('restoreSongs', { body })
          // The server has put these behind all that were moved meanwhile.
          return client.call('changeDesk', { body: { order: told } })
        })
      },
      forget: taken.forget,
    }
  }
  /** Takes rows off the list; the toast can put them back. */
  const remove = (rowIds: readonly string[], text: string) => {
    const taken = takeOff(rowIds)
    notices.show({ text, undo: taken.putBack, settle: taken.forget })
  }

  /** How the songs of ended jobs come back. */
  const againBatch: Omit<AgainBatch, 'onBack'> = {
    songOf,
    fetchReference: references.fetch,
    add: (file, settings) => add([file], { settings })[0] ?? '',
    takeOff: (rowId) => takeOff([idNow(rowId)]).forget(),
    restore: (sourceId) => commands.ask(() => client.call('restoreSongs', { body: { source_ids: [sourceId] } })),
    changeSettings(sourceId, settings) {
      changeSongSettings(sourceId, settings)
      void changes.flush().catch(() => undefined)
    },
    mark: marks.markAgain,
  }

  return {
    store,
    uploads,
    marks,
    armed,
    references,
    looks,
    remove,
    /** Reads the batch again. Throws ApiError. */
    read: commands.read,
    /** Call when the page goes: settings that the server has not confirmed are sent so that they outlive it. */
    leave: changes.leave,
    /** Puts files at the end of the list and begins to send them; `replaces` names the song whose place the first one takes. */
    addFiles(list: readonly File[], replaces?: string) {
      const settings = replaces ? (songOf(replaces)?.settings ?? null) : null
      add(list, { ...(replaces ? { replaces } : {}), ...(settings ? { settings } : {}) })
    },
    /** Shows files that the desktop was handed without this page and did not take. */
    showRefused(refused: readonly RefusedFile[]) {
      const ids = uploads.showRefused(refused)
      setState(({ order }) => ({ order: [...order, ...ids] }))
    },
    select(selectedId: string | null) {
      setState(selectedId ? { selectedId } : { selectedId, isWholeBatch: true })
    },
    /** Call when the row that came back is in view. */
    seen: () => setState({ broughtBackId: null }),
    scope: (isWholeBatch: boolean) => setState({ isWholeBatch }),
    /** Changes settings of all songs, or of one. Shown at once, sent when the hand rests. */
    changeSettings(change: Partial<MasterSettings>, rowId: string | null) {
      clearFailure()
      putSettings(change, rowId)
    },
    /** Gives songs the common settings again; the toast can put back those that they had. */
    clearOwnSettings(rowIds: readonly string[], text: string) {
      clearFailure()
      const had = rowIds.map((rowId) => [rowId, ownSettingsOf(rowId)] as const)
      const put = (all: readonly (readonly [string, MasterSettings | null])[]) => {
        for (const [rowId, settings] of all) changeSongSettings(idNow(rowId), settings)
        void changes.flush().catch(() => undefined)
      }
      put(rowIds.map((rowId) => [rowId, null]))
      notices.show({ text, undo: () => put(had) })
    },
    /**
     * Puts the songs of ended jobs among those that can be started, with the settings that they had; one alone is selected, and what
     * is changed from then on is its own. Resolves once their references are back too. Nothing is spent until they are started, and
     * the toast takes it back. A song that the batch has forgotten is sent to it anew from what its job has kept. `text` is given the title of the first, how many others there are, and whether the reference of one is gone.
     * Throws ApiError: RESULT_EXPIRED for a song that is kept nowhere.
     */
    async masterAgain(jobs: readonly Job[], text: (title: string, others: number, isReferenceGone: boolean) => string) {
      clearFailure()
      let isFirst = true
      const onBack = (rowId: string) => {
        if (isFirst) setState({ broughtBackId: rowId })
        isFirst = false
        if (jobs.length === 1) setState({ selectedId: rowId, isWholeBatch: false })
      }
      const { back, error } = await bringBack(jobs, client, { ...againBatch, onBack })
      const [first] = back
      if (first) {
        const isReferenceGone = back.some((song) => song.isReferenceGone)
        notices.show({
          text: text(first.title, back.length - 1, isReferenceGone),
          undo: () => {
            for (const song of back) song.undo()
          },
        })
      }
      if (error) throw error
    },
    /** Changes the presets: `change` makes the new ones of those that are there. */
    changePresets(change: (presets: readonly Preset[]) => Preset[]) {
      const { batch } = getState()
      if (!batch) return Promise.resolve()
      const presets = change(batch.presets)
      setState({ batch: { ...batch, presets } })
      return act(() => client.call('changeDesk', { body: { presets } }))
    },
    setPaused(isPaused: boolean) {
      const { batch } = getState()
      if (batch) setState({ batch: { ...batch, is_paused: isPaused } })
      return act(() => client.call('changeDesk', { body: { is_paused: isPaused } }))
    },
    /**
     * Starts songs. One with a reference on its way waits for it, so that it is mastered as it is shown; where the reference does not
     * arrive, it is not started.
     */
    async start(sourceIds: readonly string[]) {
      if (sourceIds.length === 0) return
      clearFailure()
      await starts.start(sourceIds)
    },
    /** Lets rows that are still sent or measured start by themselves later. */
    arm: (rowIds: readonly string[]) => armed.setState((state) => ({ rowIds: [...state.rowIds, ...rowIds] })),
    disarm: () => armed.setState({ rowIds: [] }),
    stop(sourceIds: readonly string[]) {
      starts.letGo(sourceIds)
      return act(() => client.call('stopSongs', { body: { source_ids: [...sourceIds] } })).then(() =>
        jobs.readMissing(
          sourceIds.flatMap((id) => songOf(id)?.job_ids.slice(0, 1) ?? []),
          true,
        ),
      )
    },
    /** Moves one row by `step` places. */
    move(rowId: string, step: number) {
      const { order } = getState()
      const moved = movedOrder(order, rowId, step)
      if (moved === order) return
      setState({ order: moved, sort: null, failure: null })
      tellOrder()
    },
    /** Call when a row is taken into the hand: what is read leaves it in its place. null lets go of it there. */
    hold(rowId: string | null) {
      const { batch } = getState()
      heldId = rowId
      if (rowId === null && batch && songIdsOf(batch).join() !== songOrder().join()) tellOrder()
    },
    /** Puts the rows into the given order, which is that of `sort`. */
    arrange(order: readonly string[], sort: Sort) {
      setState({ order, sort, failure: null })
      tellOrder()
    },
    /** Looks at a song again whose analysis failed. */
    analyseAgain(sourceId: string) {
      looks.forgetError(sourceId)
      void looks.run()
    },
    /** Shows why something that belongs to no row did not work. */
    fail: (error: unknown) => setState({ failure: refusalOf(error) }),
    clearFailure,
  }
}

export type BatchActions = ReturnType<typeof createBatch>
