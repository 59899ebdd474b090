/** The batch: songs on their way to being mastered. The server keeps it; the page keeps its last reading and what is not there yet. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import { type Batch, type BatchSong, type Preset, type Source, summaryOf } from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import type { SendSong } from '../api/upload.ts'
import { createMasterAgain } from './batch-again.ts'
import { Analyses, type AnalysesDeps } from './batch-analyses.ts'
import { createChanges } from './batch-changes.ts'
import { Commands } from './batch-commands.ts'
import { createMarks } from './batch-marks.ts'
import { firstOrder, mergedBatch, mergedOrder } from './batch-merge.ts'
import { BatchOrder } from './batch-order.ts'
import { References } from './batch-references.ts'
import { BatchRows } from './batch-rows.ts'
import { BatchSettings } from './batch-settings.ts'
import { createStarts } from './batch-starts.ts'
import { type BatchState, SORTS, type Sort, songIn, withSong, withSongStates, withStoredSong } from './batch-state.ts'
import { Uploads } from './batch-uploads.ts'
import { readStored } from './browser-storage.ts'
import type { JobsStore } from './jobs.ts'
import type { NoticesActions } from './notices.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'
import { NO_SELECTION, type Selection } from './selection.ts'
import type { Upload } from './song-rows.ts'

export interface BatchDeps {
  readonly client: Client
  readonly upload: (song: SendSong) => Promise<Source>
  /** Songs sent at once. */
  readonly uploadsAtOnce: number
  readonly jobs: JobsStore
  readonly notices: NoticesActions
  readonly newId: () => string
  /** Runs what only one page of a browser may do at a time; without it this page is alone. */
  readonly alone?: AnalysesDeps['alone']
  /** Keeps marks, the chosen order and refused files over a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
}

const SORT_KEY = 'loudsmith.sort'

const storedSort = (storage: BatchDeps['storage']) =>
  readStored<Sort | null>(storage, SORT_KEY, (stored) => stored === null || SORTS.includes(stored), 'added')

function createBatchStore(storage: BatchDeps['storage']): StoreApi<BatchState> {
  return createStore<BatchState>(() => ({
    batch: null,
    order: [],
    sort: storedSort(storage),
    selection: NO_SELECTION,
    broughtBackId: null,
    failure: null,
  }))
}

/** Creates the store of the batch with its actions. */
export function createBatch(deps: BatchDeps) {
  const { client, upload, jobs, notices, newId, storage } = deps
  const store = createBatchStore(storage)
  const { getState, setState } = store
  const songOf = (sourceId: string) => songIn(getState(), sourceId)
  /** Ids of the songs that uploads became: an action on the one goes on with the other. */
  const storedAs = new Map<string, string>()
  const currentId = (rowId: string) => storedAs.get(rowId) ?? rowId
  const clearFailure = () => setState({ failure: null })
  /** Failure of what the server was not told because it was away. */
  let untold: Refusal | null = null

  const marks = createMarks(storage)
  /** Rows that start by themselves once they are measured. */
  const armed = createStore<{ readonly rowIds: readonly string[] }>(() => ({ rowIds: [] }))
  const order = () => getState().order
  const uploads = new Uploads({ send: upload, atOnce: deps.uploadsAtOnce, newId, storage, order, onStored })
  const references = new References({
    client,
    send: upload,
    use: (reference_source_id, rowId) => settings.put({ reference_source_id }, rowId ? [rowId] : []),
  })
  const commands = new Commands({
    client,
    jobs,
    show: showReading,
    onRefused(error) {
      const failure = refusalOf(error)
      if (isNotReached(failure.code)) untold = failure
      setState({ failure })
    },
  })
  const command = (run: () => Promise<Batch>) => commands.tell(run).catch(() => undefined)
  const act = (run: () => Promise<Batch>) => {
    clearFailure()
    return command(run)
  }
  /** Changes of settings, by their target: a source_id or ALL_SONGS. */
  const changes = createChanges(commands.tell)
  const settings = new BatchSettings({ client, store, uploads, changes, notices, currentId, clearFailure })
  const rowOrder = new BatchOrder({ client, store, notices, currentId, command })
  const rows = new BatchRows({
    client,
    store,
    uploads,
    notices,
    currentId,
    command,
    act,
    onTakenOff(rowIds) {
      starts.letGo(rowIds)
      armed.setState((state) => ({ rowIds: state.rowIds.filter((id) => !rowIds.includes(id)) }))
    },
  })
  const analyses = createBatchAnalyses(store, client, () => commands.read(), deps.alone)
  const starts = createBatchStarts({ client, store, references, settings, changes, command })
  store.subscribe((state, before) => {
    if (state.sort !== before.sort) storage.setItem(SORT_KEY, JSON.stringify(state.sort))
    if (state.order !== before.order) uploads.saveResting()
  })

  /** Shows the batch as it was read. A failure stays to be read, except that the server was away when it was told something. */
  function showReading(read: Batch): void {
    const { batch: known, order: shown } = getState()
    // A song whose upload has not been answered yet is still shown as that upload, in its place.
    const isArriving = ({ source }: BatchSong) => !shown.includes(source.source_id) && uploads.isArriving(source)
    const songs = starts.shown(read.songs.filter((song) => !isArriving(song)))
    const batch = mergedBatch(known, { ...read, songs }, changes.holds)
    const uploadIds = uploads.store.getState().uploads.map((one) => one.uploadId)
    const merged = known
      ? mergedOrder(shown, batch, uploadIds, rowOrder.heldIn(shown))
      : firstOrder(batch, uploadIds, uploads.keptOrder, shown)
    // Another page that has ordered the list has stored its criterion.
    const sort = storedSort(storage)
    setState(({ failure }) => ({ batch, order: merged, sort, failure: failure === untold ? null : failure }))
    rowOrder.heldIn(merged)
    if (!known && shown.length > 0) rowOrder.tell()
    for (const { source } of batch.songs) {
      const left = uploads.claim(source)
      if (left) onStored(left, source)
    }
    references.readMissing(batch)
    void analyses.run()
  }

  /** Puts a stored song in the place of its upload, with the settings that were chosen for it. */
  function onStored({ uploadId, settings: own = null, replaces }: Upload, source: Source): void {
    const sourceId = source.source_id
    commands.outdate()
    storedAs.set(uploadId, sourceId)
    references.follow(uploadId, sourceId)
    armed.setState(({ rowIds }) => ({ rowIds: rowIds.map((id) => (id === uploadId ? sourceId : id)) }))
    const change = withStoredSong(getState(), uploadId, source)
    setState(change)
    if (own) settings.changeSong(sourceId, own)
    if (replaces) void rows.replace(replaces, change.order)
    // Small files overtake large ones, and the server puts what arrives at the end.
    else if (change.order.slice(change.order.indexOf(sourceId) + 1).some((id) => songOf(id))) rowOrder.tell()
    void analyses.run()
  }

  return {
    store,
    uploads,
    marks,
    armed,
    references,
    analyses,
    addFiles: rows.addFiles,
    showRefused: rows.showRefused,
    remove: rows.remove,
    move: rowOrder.move,
    hold: rowOrder.hold,
    arrange: rowOrder.arrange,
    ...createStartActions({ client, store, jobs, starts, armed, act, clearFailure }),
    ...createViewActions(store),
    /** Reads the batch again. Throws ApiError. */
    read: commands.read,
    /** Sends settings that the server has not confirmed so that they outlive the page. Called when the page goes. */
    leave: changes.leave,
    changeSettings: settings.change,
    clearOwnSettings: settings.clearOwn,
    masterAgain: createMasterAgain(
      { client, store, notices, clearFailure },
      againOperations({ client, store, references, rows, settings, commands, marks, currentId }),
    ),
    /** Analyses a song again whose analysis failed. */
    analyseAgain(sourceId: string) {
      analyses.forgetError(sourceId)
      void analyses.run()
    },
  }
}

function createBatchAnalyses(
  store: StoreApi<BatchState>,
  client: Client,
  read: () => Promise<void>,
  alone: AnalysesDeps['alone'] = (run) => run(false),
) {
  return new Analyses({
    client,
    alone,
    read,
    shown: store.getState,
    onFound(sourceId, analysis) {
      const song = songIn(store.getState(), sourceId)
      if (song) store.setState(withSong(store.getState(), { ...song, analysis: summaryOf(analysis) }))
    },
  })
}

interface BatchStartsDeps {
  readonly client: Client
  readonly store: StoreApi<BatchState>
  readonly references: References
  readonly settings: Pick<BatchSettings, 'ownOf'>
  readonly changes: ReturnType<typeof createChanges>
  readonly command: (run: () => Promise<Batch>) => Promise<void>
}

function createBatchStarts({ client, store, references, settings, changes, command }: BatchStartsDeps) {
  const { getState, setState } = store
  return createStarts({
    stateOf: (sourceId) => songIn(getState(), sourceId)?.state ?? 'ready',
    showState: (sourceIds, state) => setState(withSongStates(getState(), sourceIds, state)),
    arrivalFor: (sourceId) => references.arrivalFor(sourceId, settings.ownOf(sourceId) !== null),
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
}

interface AgainDeps {
  readonly client: Client
  readonly store: StoreApi<BatchState>
  readonly references: References
  readonly rows: BatchRows
  readonly settings: BatchSettings
  readonly commands: Commands
  readonly marks: ReturnType<typeof createMarks>
  readonly currentId: (rowId: string) => string
}

/** Returns the operations on the batch by which songs of ended jobs come back. */
function againOperations(deps: AgainDeps): Parameters<typeof createMasterAgain>[1] {
  const { client, store, references, rows, settings, commands, marks, currentId } = deps
  return {
    songOf: (sourceId) => songIn(store.getState(), sourceId),
    fetchReference: (filename, rowId, read) => references.fetch(filename, rowId, read),
    add: (file, own) => rows.add([file], { settings: own })[0] ?? '',
    takeOff: (rowId) => rows.takeOff([currentId(rowId)]).forget(),
    restore: (sourceId) => commands.ask(() => client.call('restoreSongs', { body: { source_ids: [sourceId] } })),
    changeSettings(sourceId, own) {
      settings.changeSong(sourceId, own)
      settings.sendNow()
    },
    mark: marks.markAgain,
  }
}

interface StartActionsDeps {
  readonly client: Client
  readonly store: StoreApi<BatchState>
  readonly jobs: Pick<JobsStore, 'readMissing'>
  readonly starts: ReturnType<typeof createStarts>
  readonly armed: StoreApi<{ readonly rowIds: readonly string[] }>
  readonly act: (run: () => Promise<Batch>) => Promise<void>
  readonly clearFailure: () => void
}

/** Creates the actions that start, stop and pause songs, and change presets. */
function createStartActions({ client, store, jobs, starts, armed, act, clearFailure }: StartActionsDeps) {
  const { getState, setState } = store
  return {
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
    async stop(sourceIds: readonly string[]) {
      starts.letGo(sourceIds)
      await act(() => client.call('stopSongs', { body: { source_ids: [...sourceIds] } }))
      const jobIds = sourceIds.flatMap((id) => songIn(getState(), id)?.job_ids.slice(0, 1) ?? [])
      return jobs.readMissing(jobIds, true)
    },
  }
}

/** Creates the actions on what the screen shows of the batch. */
function createViewActions({ setState }: StoreApi<BatchState>) {
  return {
    select: (selection: Selection) => setState({ selection }),
    /** Call when the row that came back is in view. */
    seen: () => setState({ broughtBackId: null }),
    /** Shows the failure of something that belongs to no row. */
    fail: (error: unknown) => setState({ failure: refusalOf(error) }),
    clearFailure: () => setState({ failure: null }),
  }
}

export type BatchActions = ReturnType<typeof createBatch>
