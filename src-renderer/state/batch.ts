/** The batch: songs to be mastered. The server keeps it; the page keeps its last reading and its own unsent changes. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import { type Batch, type Preset, type Source, summaryOf } from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import type { SendSong } from '../api/upload.ts'
import { createMasterAgain } from './batch-again.ts'
import { Analyses, type AnalysesDeps } from './batch-analyses.ts'
import { type ArmedState, BatchArrivals } from './batch-arrivals.ts'
import { createChanges } from './batch-changes.ts'
import { Commands } from './batch-commands.ts'
import { createMarks } from './batch-marks.ts'
import { BatchMetadata } from './batch-metadata.ts'
import { BatchOrder } from './batch-order.ts'
import { References } from './batch-references.ts'
import { BatchRows } from './batch-rows.ts'
import { BatchSettings } from './batch-settings.ts'
import { createStarts } from './batch-starts.ts'
import { type BatchState, SORTS, type Sort, songIn, withSong, withSongStates } from './batch-state.ts'
import { Uploads } from './batch-uploads.ts'
import { readStored } from './browser-storage.ts'
import type { JobsStore } from './jobs.ts'
import type { NoticesActions } from './notices.ts'
import { refusalOf } from './refusal.ts'
import { FIRST_SCOPE, type ScopeChoice, type SettingsPart } from './scope.ts'
import { NO_SELECTION, type Selection } from './selection.ts'

export interface BatchDeps {
  readonly client: Client
  readonly upload: (song: SendSong) => Promise<Source>
  /** Songs sent at once. */
  readonly uploadsAtOnce: number
  readonly jobs: JobsStore
  readonly notices: NoticesActions
  readonly newId: () => string
  /** Runs a task that only one page of a browser may run at a time; without it this page is alone. */
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
    scope: FIRST_SCOPE,
    broughtBackId: null,
    failure: null,
  }))
}

/** Creates the store of the batch with its actions. */
export function createBatch(deps: BatchDeps) {
  const { client, jobs, notices } = deps
  const parts = connectParts(deps)
  const { store, armed, marks, uploads, references, analyses, settings, metadata, rows, rowOrder } = parts
  const { changes, commands, starts, act, clearFailure } = parts
  return {
    store,
    uploads,
    marks,
    armed,
    references,
    analyses,
    addFiles: rows.addFiles,
    addStems: rows.addStems,
    showRefused: rows.showRefused,
    remove: rows.remove,
    move: rowOrder.move,
    hold: rowOrder.hold,
    arrange: rowOrder.arrange,
    ...createStartActions({ client, store, jobs, starts, armed, act, clearFailure }),
    ...createViewActions(store),
    /** Reloads the batch. Throws ApiError. */
    read: commands.read,
    /** Sends unconfirmed settings in requests that outlive the page. Called when the page closes. */
    leave: changes.leave,
    changeSettings: settings.change,
    clearOwnSettings: settings.clearOwn,
    metadata,
    masterAgain: createMasterAgain({ client, store, notices, clearFailure }, againOperations(client, parts)),
    /** Retries the failed analysis of a song. */
    analyseAgain(sourceId: string) {
      analyses.forgetError(sourceId)
      void analyses.run()
    },
  }
}

/** Creates the parts of the batch and connects them. */
function connectParts({ client, upload, uploadsAtOnce, jobs, notices, newId, alone, storage }: BatchDeps) {
  const store = createBatchStore(storage)
  const armed = createStore<ArmedState>(() => ({ rowIds: [] }))
  const clearFailure = () => store.setState({ failure: null })
  const currentId = (rowId: string) => arrivals.currentId(rowId)
  const uploads = new Uploads({
    send: upload,
    atOnce: uploadsAtOnce,
    newId,
    storage,
    order: () => store.getState().order,
    onStored: (stored, source) => arrivals.put(stored, source),
  })
  const references = new References({
    client,
    send: upload,
    use: (reference_source_id, rowId) => settings.put({ reference_source_id }, rowId ? [rowId] : []),
    addTarget: (target, rowId) => {
      const { targets = null } =
        (rowId ? settings.ownOf(currentId(rowId)) : null) ?? store.getState().batch?.settings ?? {}
      settings.put({ targets: [...(targets ?? []), target] }, rowId ? [rowId] : [])
    },
  })
  const commands = new Commands({
    client,
    jobs,
    show: (batch) => arrivals.show(batch),
    onRefused: (error) => arrivals.showRefusal(error),
  })
  const command = (run: () => Promise<Batch>) => commands.tell(run).catch(() => undefined)
  const act = (run: () => Promise<Batch>) => {
    clearFailure()
    return command(run)
  }
  const changes = createChanges(commands.tell)
  const settings = new BatchSettings({ client, store, uploads, changes, notices, currentId, clearFailure })
  const metadata = new BatchMetadata({
    client,
    store,
    changes,
    commands,
    notices,
    uploads,
    currentId,
    clearFailure,
    storage,
  })
  const rowOrder = new BatchOrder({ client, store, notices, currentId, command })
  const onTakenOff = (rowIds: readonly string[]) => {
    starts.letGo(rowIds)
    armed.setState((state) => ({ rowIds: state.rowIds.filter((id) => !rowIds.includes(id)) }))
  }
  const rows = new BatchRows({ client, store, uploads, notices, currentId, command, act, onTakenOff })
  const analyses = createBatchAnalyses(store, client, commands.read, alone)
  const starts = createBatchStarts({ client, store, references, settings, changes, command })
  const lists = { rows, rowOrder, analyses, starts }
  const parts = { store, armed, uploads, references, commands, changes, settings, metadata, ...lists }
  const arrivals = new BatchArrivals({ ...parts, storedSort: () => storedSort(storage) })
  store.subscribe((state, before) => {
    if (state.sort !== before.sort) storage.setItem(SORT_KEY, JSON.stringify(state.sort))
    if (state.order !== before.order) uploads.saveResting()
  })
  return { ...parts, marks: createMarks(storage), currentId, act, clearFailure }
}

type BatchParts = ReturnType<typeof connectParts>

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

/** Returns the batch operations that bring back songs of ended jobs. */
function againOperations(client: Client, parts: BatchParts): Parameters<typeof createMasterAgain>[1] {
  const { store, references, rows, settings, commands, marks, currentId } = parts
  return {
    songOf: (sourceId) => songIn(store.getState(), sourceId),
    fetchReference: (filename, rowId, read) => references.fetch(filename, rowId, read),
    add: (file, own, metadata) => rows.add([file], { settings: own, metadata })[0] ?? '',
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
  readonly armed: StoreApi<ArmedState>
  readonly act: (run: () => Promise<Batch>) => Promise<void>
  readonly clearFailure: () => void
}

/** Creates the actions that start, stop and pause songs, and change presets. */
function createStartActions({ client, store, jobs, starts, armed, act, clearFailure }: StartActionsDeps) {
  const { getState, setState } = store
  return {
    /** Changes the presets: `change` returns the new list for the current one. */
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
     * Starts songs. A song with a reference on its way waits for it, to be mastered as shown; if the reference does not
     * arrive, it is not started.
     */
    async start(sourceIds: readonly string[]) {
      if (sourceIds.length === 0) return
      clearFailure()
      await starts.start(sourceIds)
    },
    /** Makes rows that are still uploading or being measured start by themselves later. */
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

/** Creates the actions on the display of the batch. */
function createViewActions({ setState }: StoreApi<BatchState>) {
  return {
    select: (selection: Selection) => setState({ selection }),
    setScope: (part: SettingsPart, choice: ScopeChoice) =>
      setState(({ scope }) => ({ scope: { ...scope, [part]: choice } })),
    /** Call when the returned row is in view. */
    seen: () => setState({ broughtBackId: null }),
    /** Shows a failure that concerns no row. */
    fail: (error: unknown) => setState({ failure: refusalOf(error) }),
    clearFailure: () => setState({ failure: null }),
  }
}

export type BatchActions = ReturnType<typeof createBatch>
