/** The desk: songs on their way to being mastered. The server keeps it; here are its last reading and what is not there yet. */
import { createStore } from 'zustand/vanilla'
import {
  type Desk,
  type DeskSong,
  type MasterSettings,
  type Preset,
  type Source,
  summaryOf,
} from '../../src-server/contract/app.ts'
import type { Client } from '../api/client.ts'
import type { SendSong } from '../api/upload.ts'
import { createLooks } from './desk-looks.ts'
import { createUploads, placedOrder, readStored } from './desk-uploads.ts'
import type { JobsActions } from './jobs.ts'
import type { NoticesActions } from './notices.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { movedOrder, type Upload } from './song-rows.ts'

export interface DeskState {
  readonly desk: Desk | null
  readonly order: readonly string[]
  readonly accepted: Readonly<Record<string, true>>
  /** The song whose own settings the column shows; null for all songs. */
  readonly selectedId: string | null
  readonly isWholeBatch: boolean
  /** Facts of the reference track in use. */
  readonly reference: Source | null
  readonly referenceUpload: { readonly filename: string; readonly sent: number; readonly error?: Refusal } | null
  /** Something about the desk as a whole failed. */
  readonly failure: Refusal | null
}

export interface DeskOptions {
  readonly client: Client
  readonly upload: (song: SendSong) => Promise<Source>
  /** Songs sent at once. */
  readonly uploadsAtOnce: number
  readonly jobs: JobsActions
  readonly notices: NoticesActions
  readonly language: () => 'en' | 'ko'
  readonly newId: () => string
  /** Where accepted warnings and refused files survive a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
}

const ACCEPTED_KEY = 'loudsmith.accepted'
/** What common settings are kept under, beside the source_ids of the songs' own. */
const ALL = 'all songs'
const SETTLE_MS = 250

interface Unconfirmed {
  /** Runs while the hand has not rested; absent once the change is on its way. */
  timer?: ReturnType<typeof setTimeout>
  send: () => Promise<void>
}

/**
 * The server's reading of the desk, with what this page already knows better: analyses that have just arrived. A song of which
 * nothing new is read stays the same object.
 */
export function mergedDesk(known: Desk | null, read: Desk): Desk {
  const before = new Map(known?.songs.map((song) => [song.source.source_id, song]))
  const songs = read.songs.map((song) => {
    const old = before.get(song.source.source_id)
    const merged = song.analysis ? song : { ...song, analysis: old?.analysis ?? null }
    return old && JSON.stringify(old) === JSON.stringify(merged) ? old : merged
  })
  return { ...read, songs }
}

/** The order to show after a reading: places that are known stay, new songs follow in the server's order. */
export function mergedOrder(order: readonly string[], desk: Desk, uploadIds: readonly string[]): readonly string[] {
  const present = new Set([...desk.songs.map((s) => s.source.source_id), ...uploadIds])
  const kept = order.filter((id) => present.has(id))
  const known = new Set(kept)
  return [...kept, ...[...present].filter((id) => !known.has(id))]
}

/** Makes the store of the desk with its actions. */
export function createDesk(options: DeskOptions) {
  const { client, upload, jobs, notices, language, newId, storage } = options
  const uploads = createUploads({
    send: upload,
    atOnce: options.uploadsAtOnce,
    language,
    newId,
    storage,
    order: () => store.getState().order,
    onStored,
  })
  const uploadIds = () => uploads.store.getState().uploads.map((one) => one.uploadId)
  const store = createStore<DeskState>(() => ({
    desk: null,
    order: [],
    accepted: readStored<Record<string, true>>(storage, ACCEPTED_KEY, {}),
    selectedId: null,
    isWholeBatch: true,
    reference: null,
    referenceUpload: null,
    failure: null,
  }))
  const { getState, setState } = store
  store.subscribe((state, before) => {
    if (state.accepted !== before.accepted) storage.setItem(ACCEPTED_KEY, JSON.stringify(state.accepted))
    if (state.order !== before.order) uploads.saveResting()
  })

  /** Taken off here; what the server says of them is not shown. */
  const hidden = new Set<string>()
  /** Put back here; a reading that lacks them was made before the server heard of it. */
  const returning = new Set<string>()
  /** Settings that the hand has changed and the server has not confirmed, by what they are of: a source_id or ALL. */
  const unconfirmed = new Map<string, Unconfirmed>()
  /** Counts confirmations: a reading that began before the last one may be older than what it confirmed. */
  let confirmations = 0

  const songOf = (sourceId: string) => getState().desk?.songs.find((song) => song.source.source_id === sourceId)

  /** A song whose upload has not been answered yet is still shown as that upload, in its place. */
  const isArriving = ({ source }: DeskSong) =>
    !getState().order.includes(source.source_id) && uploads.isArriving(source)

  const keep = (read: Desk) => {
    const known = getState().desk
    const present = new Set(read.songs.map((song) => song.source.source_id))
    const back = known?.songs.filter(({ source }) => returning.has(source.source_id) && !present.has(source.source_id))
    const shown = read.songs.filter((song) => !hidden.has(song.source.source_id) && !isArriving(song))
    const merged = mergedDesk(known, { ...read, songs: [...shown, ...(back ?? [])] })
    const own = new Map(known?.songs.map((song) => [song.source.source_id, song.settings]))
    const desk: Desk = {
      ...merged,
      settings: known && unconfirmed.has(ALL) ? known.settings : merged.settings,
      songs: merged.songs.map((song) => {
        const id = song.source.source_id
        return unconfirmed.has(id) ? { ...song, settings: own.get(id) ?? null } : song
      }),
    }
    const shownOrder = getState().order
    const order = mergedOrder(known ? shownOrder : [...orderBefore(desk, shownOrder), ...shownOrder], desk, uploadIds())
    setState({ desk, order, failure: null })
    if (!known && shownOrder.length > 0) tellOrder()
    for (const { source } of desk.songs) {
      const left = uploads.claim(source)
      if (left) onStored(left, source)
    }
    void jobs.readMissing(desk.songs.flatMap((song) => song.job_ids.slice(0, 1)))
    void readReference()
    void looks.run()
  }

  /** Rows of the first reading but those of files that were given to this page before it was answered. */
  const orderBefore = (desk: Desk, given: readonly string[]) => {
    const isOlder = (id: string) => !given.includes(id)
    const songIds = desk.songs.map((song) => song.source.source_id)
    return placedOrder(songIds.filter(isOlder), uploadIds().filter(isOlder), uploads.keptOrder)
  }

  const keepSong = (song: DeskSong) => {
    const { desk } = getState()
    if (!desk) return
    setState({
      desk: { ...desk, songs: desk.songs.map((s) => (s.source.source_id === song.source.source_id ? song : s)) },
    })
  }

  /** Runs a command of the desk and shows its failure on the desk instead of throwing. */
  const command = async (run: () => Promise<Desk | undefined>) => {
    try {
      const desk = await run()
      if (desk) keep(desk)
    } catch (error) {
      setState({ failure: refusalOf(error, language()) })
    }
  }

  /** Tells the server in which order the stored songs are shown: so they are mastered, and shown again. */
  const tellOrder = () => {
    const order = getState().order.filter((id) => songOf(id))
    void command(() => client.call('changeDesk', { body: { order } }))
  }

  /** Songs are taken off and put back in the order in which the hand did it. */
  let lastTurn: Promise<void> = Promise.resolve()
  const inTurn = (run: () => Promise<Desk | undefined>) => {
    lastTurn = lastTurn.then(() => command(run))
    return lastTurn
  }

  async function readReference() {
    const { desk, reference } = getState()
    const id = desk?.settings.reference_source_id ?? null
    if (!id) return setState({ reference: null })
    if (reference?.source_id === id) return
    const read = await client.call('readSource', { params: { source_id: id } }).catch(() => null)
    if (read) setState({ reference: read })
  }

  /** A stored song takes the place of its upload, so that no row moves, and the settings that were chosen for it. */
  function onStored({ uploadId, settings = null, replaces }: Upload, source: Source): void {
    const { desk, selectedId } = getState()
    const sourceId = source.source_id
    const song: DeskSong = { source, state: 'ready', settings: null, analysis: null, job_ids: [] }
    const isNew = !desk?.songs.some((one) => one.source.source_id === sourceId)
    const order = getState()
      .order.filter((id) => id !== sourceId)
      .map((id) => (id === uploadId ? sourceId : id))
    setState({
      order,
      selectedId: selectedId === uploadId ? sourceId : selectedId,
      ...(desk && isNew ? { desk: { ...desk, songs: [...desk.songs, song] } } : {}),
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
    language,
    nextSong(failed) {
      const { desk, order } = getState()
      const pending = desk?.songs.filter((s) => !s.analysis && !failed[s.source.source_id] && s.state !== 'refused')
      const next = order.map((id) => pending?.find((s) => s.source.source_id === id)).find((s) => s !== undefined)
      if (!desk || !next) return undefined
      return { sourceId: next.source.source_id, aiService: (next.settings ?? desk.settings).ai_service }
    },
    onFound(sourceId, analysis) {
      const song = songOf(sourceId)
      if (song) keepSong({ ...song, analysis: summaryOf(analysis) })
    },
  })

  /** Sends settings when the hand rests; until the server has confirmed them they win over what it says. */
  const changeSoon = (target: string, request: () => Promise<unknown>) => {
    const before = unconfirmed.get(target)
    if (before?.timer) clearTimeout(before.timer)
    const change: Unconfirmed = {
      send: async () => {
        if (change.timer) clearTimeout(change.timer)
        delete change.timer
        await request()
          .catch((error) => setState({ failure: refusalOf(error, language()) }))
          .finally(() => {
            confirmations += 1
            if (unconfirmed.get(target) === change) unconfirmed.delete(target)
          })
      },
    }
    change.timer = setTimeout(() => void change.send(), SETTLE_MS)
    unconfirmed.set(target, change)
  }
  /** Gives one song settings of its own, or null for the common ones; one that is not stored yet keeps them until it is. */
  function changeSongSettings(rowId: string, settings: MasterSettings | null): void {
    const song = songOf(rowId)
    if (!song) {
      uploads.changeSettings(rowId, settings)
      return
    }
    keepSong({ ...song, settings })
    changeSoon(rowId, () => client.call('changeDeskSong', { params: { source_id: rowId }, body: { settings } }))
  }
  const flush = async () => {
    await Promise.all([...unconfirmed.values()].map((change) => change.timer && change.send()))
  }

  /** Takes rows off the list; the toast can put them back. */
  const remove = (rowIds: readonly string[], text: string) => {
    const { desk, order } = getState()
    const gone = new Set(rowIds)
    const sourceIds = rowIds.filter((id) => songOf(id))
    for (const id of sourceIds) {
      hidden.add(id)
      returning.delete(id)
    }
    const taken = uploads.takeOff(gone)
    setState({
      order: order.filter((id) => !gone.has(id)),
      ...(desk ? { desk: { ...desk, songs: desk.songs.filter((s) => !gone.has(s.source.source_id)) } } : {}),
    })
    if (gone.has(getState().selectedId ?? '')) setState({ selectedId: null, isWholeBatch: true })
    const body = { source_ids: sourceIds }
    if (sourceIds.length > 0) void inTurn(() => client.call('removeSongs', { body }))
    notices.show({
      text,
      undo: () => {
        for (const id of sourceIds) {
          hidden.delete(id)
          returning.add(id)
        }
        setState({ order, desk })
        taken.putBack()
        if (sourceIds.length === 0) return
        void inTurn(() => client.call('restoreSongs', { body })).then(() => {
          for (const id of sourceIds) returning.delete(id)
        })
      },
      settle: () => {
        taken.forget()
        for (const id of sourceIds) hidden.delete(id)
      },
    })
  }

  return {
    store,
    uploads,
    looks,
    flush,
    remove,
    /** Reads the desk again. Throws ApiError. */
    async read() {
      for (;;) {
        const before = confirmations
        const desk = await client.call('readDesk', {})
        if (before !== confirmations) continue
        return keep(desk)
      }
    },
    /** Puts files at the end of the list and begins to send them; `replaces` names the song whose place the first one takes. */
    addFiles(list: readonly File[], replaces?: string) {
      const settings = replaces ? (songOf(replaces)?.settings ?? null) : null
      const ids = uploads.add(list, { ...(replaces ? { replaces } : {}), ...(settings ? { settings } : {}) })
      const { order } = getState()
      const at = replaces ? order.indexOf(replaces) + 1 : order.length
      setState({ order: [...order.slice(0, at), ...ids, ...order.slice(at)] })
    },
    /** Shows files that the desktop was handed without this page and did not take. */
    showRefused(refused: readonly ({ readonly filename: string } & Refusal)[]) {
      const ids = uploads.showRefused(refused)
      setState(({ order }) => ({ order: [...order, ...ids] }))
    },
    async takeReference(file: File) {
      setState({ referenceUpload: { filename: file.name, sent: 0 } })
      try {
        const onSent = (sent: number, total: number) =>
          setState({ referenceUpload: { filename: file.name, sent: total > 0 ? sent / total : 0 } })
        const reference = await upload({ file, purpose: 'reference', onSent })
        setState({ reference, referenceUpload: null })
        return reference.source_id
      } catch (error) {
        setState({ referenceUpload: { filename: file.name, sent: 0, error: refusalOf(error, language()) } })
        return null
      }
    },
    dropReferenceError: () => setState({ referenceUpload: null }),
    /** Uses songs as they are, warnings read. */
    accept(rowIds: readonly string[]) {
      setState(({ accepted }) => ({ accepted: { ...accepted, ...Object.fromEntries(rowIds.map((id) => [id, true])) } }))
    },
    select(selectedId: string | null) {
      setState(selectedId ? { selectedId } : { selectedId, isWholeBatch: true })
    },
    scope: (isWholeBatch: boolean) => setState({ isWholeBatch }),
    /** Changes the settings of all songs, or those of one. Shown at once, sent when the hand rests. */
    changeSettings(settings: MasterSettings, rowId: string | null) {
      const { desk } = getState()
      if (!desk) return
      if (rowId) return changeSongSettings(rowId, settings)
      setState({ desk: { ...desk, settings } })
      changeSoon(ALL, () => client.call('changeDesk', { body: { settings } }))
    },
    /** Gives one song the common settings again. */
    clearOwnSettings(rowId: string) {
      changeSongSettings(rowId, null)
      void flush()
    },
    changePresets: (presets: Preset[]) => command(() => client.call('changeDesk', { body: { presets } })),
    setPaused(isPaused: boolean) {
      const { desk } = getState()
      if (desk) setState({ desk: { ...desk, is_paused: isPaused } })
      return command(() => client.call('changeDesk', { body: { is_paused: isPaused } }))
    },
    start(sourceIds: readonly string[]) {
      if (sourceIds.length === 0) return Promise.resolve()
      const settled = flush()
      const chosen = new Set(sourceIds)
      const { desk } = getState()
      if (desk) {
        const songs = desk.songs.map((s) => (chosen.has(s.source.source_id) ? { ...s, state: 'waiting' as const } : s))
        setState({ desk: { ...desk, songs } })
      }
      return command(async () => {
        await settled
        return client.call('startSongs', { body: { source_ids: [...sourceIds] } })
      }).then(() => {
        if (getState().failure) void client.call('readDesk', {}).then(keep, () => undefined)
      })
    },
    stop: (sourceIds: readonly string[]) =>
      command(() => client.call('stopSongs', { body: { source_ids: [...sourceIds] } })).then(() =>
        jobs.readMissing(
          sourceIds.flatMap((id) => songOf(id)?.job_ids.slice(0, 1) ?? []),
          true,
        ),
      ),
    /** Moves one row by `step` places. */
    move(rowId: string, step: number) {
      const { order } = getState()
      const moved = movedOrder(order, rowId, step)
      if (moved === order) return
      setState({ order: moved })
      tellOrder()
    },
    /** Puts the rows into the given order. */
    arrange(order: readonly string[]) {
      setState({ order })
      tellOrder()
    },
    /** Looks at a song again whose analysis failed. */
    analyseAgain(sourceId: string) {
      looks.forgetError(sourceId)
      void looks.run()
    },
    clearFailure: () => setState({ failure: null }),
  }
}

export type DeskActions = ReturnType<typeof createDesk>
