/** The desk: songs on their way to being mastered. The server keeps it; here are its last reading and what is not there yet. */
import { createStore } from 'zustand/vanilla'
import type { Desk, DeskSong, MasterSettings, Preset, Source } from '../../src-server/contract/app.ts'
import { MAX_SOURCE_BYTES } from '../../src-server/contract/limits.ts'
import { errorText } from '../../src-server/contract/text/text.ts'
import { ApiError, type Client } from '../api/client.ts'
import type { SendSong } from '../api/upload.ts'
import type { JobsActions } from './jobs.ts'
import type { NoticesActions } from './notices.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { movedOrder, type Upload } from './song-rows.ts'

export interface DeskState {
  readonly desk: Desk | null
  readonly uploads: readonly Upload[]
  readonly order: readonly string[]
  readonly accepted: Readonly<Record<string, true>>
  readonly analysisErrors: Readonly<Record<string, Refusal>>
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
  readonly jobs: JobsActions
  readonly notices: NoticesActions
  readonly language: () => 'en' | 'ko'
  readonly newId: () => string
  /** Where accepted warnings and refused files survive a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
}

const ACCEPTED_KEY = 'loudsmith.accepted'
const REFUSED_KEY = 'loudsmith.refused'
/** What common settings are kept under, beside the source_ids of the songs' own. */
const ALL = 'all songs'
const SETTLE_MS = 250
const RETRY_MS = 1500

function stored<Value>(storage: DeskOptions['storage'], key: string, fallback: Value): Value {
  try {
    return JSON.parse(storage.getItem(key) ?? '') as Value
  } catch {
    return fallback
  }
}

interface Unconfirmed {
  /** Runs while the hand has not rested; absent once the change is on its way. */
  timer?: ReturnType<typeof setTimeout>
  send: () => Promise<void>
}

/** The server's reading of the desk, with what this page already knows better: analyses that have just arrived. */
export function mergedDesk(known: Desk | null, read: Desk): Desk {
  const analyses = new Map(known?.songs.map((song) => [song.source.source_id, song.analysis]))
  const songs = read.songs.map((song) =>
    song.analysis ? song : { ...song, analysis: analyses.get(song.source.source_id) ?? null },
  )
  return { ...read, songs }
}

/** The order to show after a reading: places that are known stay, new songs follow in the server's order. */
export function mergedOrder(order: readonly string[], desk: Desk, uploads: readonly Upload[]): readonly string[] {
  const present = new Set([...desk.songs.map((s) => s.source.source_id), ...uploads.map((u) => u.uploadId)])
  const kept = order.filter((id) => present.has(id))
  const known = new Set(kept)
  return [...kept, ...[...present].filter((id) => !known.has(id))]
}

/** Makes the store of the desk with its actions. */
export function createDesk({ client, upload, jobs, notices, language, newId, storage }: DeskOptions) {
  const store = createStore<DeskState>(() => {
    const uploads = stored<Upload[]>(storage, REFUSED_KEY, [])
    return {
      desk: null,
      uploads,
      order: uploads.map((one) => one.uploadId),
      accepted: stored<Record<string, true>>(storage, ACCEPTED_KEY, {}),
      analysisErrors: {},
      selectedId: null,
      isWholeBatch: true,
      reference: null,
      referenceUpload: null,
      failure: null,
    }
  })
  const { getState, setState } = store
  store.subscribe((state, before) => {
    if (state.accepted !== before.accepted) storage.setItem(ACCEPTED_KEY, JSON.stringify(state.accepted))
    if (state.uploads !== before.uploads)
      storage.setItem(REFUSED_KEY, JSON.stringify(state.uploads.filter((one) => one.state === 'refused')))
  })

  const files = new Map<string, { file: File; replaces?: string }>()
  const hidden = new Set<string>()
  /** Settings that the hand has changed and the server has not confirmed, by what they are of: a source_id or ALL. */
  const unconfirmed = new Map<string, Unconfirmed>()
  /** Counts confirmations: a reading that began before the last one may be older than what it confirmed. */
  let confirmations = 0

  const songOf = (sourceId: string) => getState().desk?.songs.find((song) => song.source.source_id === sourceId)

  /** A song whose upload has not been answered yet is still shown as that upload, in its place. */
  const isArriving = (song: DeskSong, { order, uploads }: DeskState) =>
    !order.includes(song.source.source_id) &&
    uploads.some(
      (one) =>
        one.state === 'sending' &&
        one.filename.normalize() === song.source.filename.normalize() &&
        one.sizeBytes === song.source.size_bytes,
    )

  const keep = (read: Desk) => {
    const state = getState()
    const known = state.desk
    const shown = read.songs.filter((song) => !hidden.has(song.source.source_id) && !isArriving(song, state))
    const merged = mergedDesk(known, { ...read, songs: shown })
    const own = new Map(known?.songs.map((song) => [song.source.source_id, song.settings]))
    const desk: Desk = {
      ...merged,
      settings: known && unconfirmed.has(ALL) ? known.settings : merged.settings,
      songs: merged.songs.map((song) => {
        const id = song.source.source_id
        return unconfirmed.has(id) ? { ...song, settings: own.get(id) ?? null } : song
      }),
    }
    setState({ desk, order: mergedOrder(state.order, desk, state.uploads), failure: null })
    void jobs.readMissing(desk.songs.flatMap((song) => song.job_ids.slice(0, 1)))
    void readReference()
    void analysePending()
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

  async function readReference() {
    const { desk, reference } = getState()
    const id = desk?.settings.reference_source_id ?? null
    if (!id) return setState({ reference: null })
    if (reference?.source_id === id) return
    const read = await client.call('readSource', { params: { source_id: id } }).catch(() => null)
    if (read) setState({ reference: read })
  }

  let isSending = false
  const changeUpload = (uploadId: string, change: Partial<Upload>) =>
    setState(({ uploads }) => ({
      uploads: uploads.map((one) => (one.uploadId === uploadId ? { ...one, ...change } : one)),
    }))

  /** A stored song takes the place of its upload, so that no row moves. */
  const settleUpload = (uploadId: string, source: Source) => {
    const replaces = files.get(uploadId)?.replaces
    files.delete(uploadId)
    const { uploads, order, desk } = getState()
    const song: DeskSong = { source, state: 'ready', settings: null, analysis: null, job_ids: [] }
    const isNew = !desk?.songs.some((one) => one.source.source_id === source.source_id)
    setState({
      uploads: uploads.filter((one) => one.uploadId !== uploadId),
      order: order.filter((id) => id !== source.source_id).map((id) => (id === uploadId ? source.source_id : id)),
      ...(desk && isNew ? { desk: { ...desk, songs: [...desk.songs, song] } } : {}),
    })
    if (replaces) void removeFor(replaces, getState().order)
    void analysePending()
  }

  /** Takes the replaced song off and tells the server where the new one stands. */
  const removeFor = (sourceId: string, order: readonly string[]) =>
    command(async () => {
      await client.call('removeSongs', { body: { source_ids: [sourceId] } })
      return client.call('changeDesk', { body: { order: order.filter((id) => songOf(id) && id !== sourceId) } })
    })

  async function sendPending(): Promise<void> {
    if (isSending) return
    isSending = true
    for (;;) {
      const next = getState().uploads.find((one) => one.state === 'queued')
      const waiting = next && files.get(next.uploadId)
      if (!next || !waiting) break
      changeUpload(next.uploadId, { state: 'sending' })
      try {
        const onSent = (sent: number, total: number) =>
          changeUpload(next.uploadId, { sent: total > 0 ? sent / total : 0 })
        settleUpload(next.uploadId, await upload({ file: waiting.file, purpose: 'song', onSent }))
      } catch (error) {
        const isGone = !getState().uploads.some((one) => one.uploadId === next.uploadId)
        if (!isGone) changeUpload(next.uploadId, { state: 'refused', error: refusalOf(error, language()) })
      }
    }
    isSending = false
  }

  let isAnalysing = false
  async function analysePending(): Promise<void> {
    if (isAnalysing) return
    isAnalysing = true
    for (;;) {
      const { desk, order, analysisErrors } = getState()
      const pending = desk?.songs.filter(
        (s) => !s.analysis && !analysisErrors[s.source.source_id] && s.state !== 'refused',
      )
      const next = order.map((id) => pending?.find((s) => s.source.source_id === id)).find((s) => s !== undefined)
      if (!next || !desk) break
      const sourceId = next.source.source_id
      try {
        const ai_service = (next.settings ?? desk.settings).ai_service
        const analysis = await client.call('analyze', { fields: { source_id: sourceId, ai_service } })
        const song = songOf(sourceId)
        if (song) keepSong({ ...song, analysis })
      } catch (error) {
        if (error instanceof ApiError && (error.code === 'CONCURRENT_LIMIT' || error.code === 'UNAVAILABLE')) {
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        } else if (error instanceof ApiError && error.code === 'UNREACHABLE') break
        else
          setState(({ analysisErrors: all }) => ({
            analysisErrors: { ...all, [sourceId]: refusalOf(error, language()) },
          }))
      }
    }
    isAnalysing = false
  }

  const addFile = (file: File, replaces?: string): Upload => {
    const uploadId = newId()
    const isTooLarge = file.size > MAX_SOURCE_BYTES
    if (!isTooLarge) files.set(uploadId, { file, ...(replaces ? { replaces } : {}) })
    const message = errorText('FILE_TOO_LARGE', { maxMegabytes: MAX_SOURCE_BYTES / 1024 ** 2 }, language())
    return {
      uploadId,
      filename: file.name,
      sizeBytes: file.size,
      state: isTooLarge ? 'refused' : 'queued',
      sent: 0,
      ...(isTooLarge ? { error: { code: 'FILE_TOO_LARGE', message } } : {}),
    }
  }

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
  const flush = async () => {
    await Promise.all([...unconfirmed.values()].map((change) => change.timer && change.send()))
  }

  /** Takes rows off the list; the toast can put them back. */
  const remove = (rowIds: readonly string[], text: string) => {
    const { desk, uploads, order } = getState()
    const gone = new Set(rowIds)
    const sourceIds = rowIds.filter((id) => songOf(id))
    for (const id of sourceIds) hidden.add(id)
    setState({
      uploads: uploads.filter((one) => !gone.has(one.uploadId)),
      order: order.filter((id) => !gone.has(id)),
      ...(desk ? { desk: { ...desk, songs: desk.songs.filter((s) => !gone.has(s.source.source_id)) } } : {}),
    })
    if (gone.has(getState().selectedId ?? '')) setState({ selectedId: null, isWholeBatch: true })
    if (sourceIds.length > 0) void command(() => client.call('removeSongs', { body: { source_ids: sourceIds } }))
    notices.show({
      text,
      undo: () => {
        for (const id of sourceIds) hidden.delete(id)
        setState({ uploads, order, desk })
        if (sourceIds.length > 0) void command(() => client.call('restoreSongs', { body: { source_ids: sourceIds } }))
        void sendPending()
      },
      settle: () => {
        for (const id of rowIds) files.delete(id)
        for (const id of sourceIds) hidden.delete(id)
      },
    })
  }

  return {
    store,
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
      const added = list.map((file, index) => addFile(file, index === 0 ? replaces : undefined))
      const ids = added.map((one) => one.uploadId)
      const { order, uploads } = getState()
      const at = replaces ? order.indexOf(replaces) + 1 : order.length
      setState({ uploads: [...uploads, ...added], order: [...order.slice(0, at), ...ids, ...order.slice(at)] })
      void sendPending()
    },
    /** Whether files are still on their way: closing the page would lose them. */
    hasPending: () => getState().uploads.some((one) => one.state !== 'refused'),
    /** Shows files that the desktop was handed without this page and did not take. */
    showRefused(refused: readonly { filename: string; code: string; message: string }[]) {
      const added = refused.map(({ filename, code, message }) => ({
        uploadId: newId(),
        filename,
        sizeBytes: 0,
        state: 'refused' as const,
        sent: 0,
        error: { code, message },
      }))
      setState(({ uploads, order }) => ({
        uploads: [...uploads, ...added],
        order: [...order, ...added.map((one) => one.uploadId)],
      }))
    },
    /** Sends a refused file again, when this page still has it. */
    canResend: (uploadId: string) => files.has(uploadId),
    resend(uploadId: string) {
      changeUpload(uploadId, { state: 'queued', sent: 0 })
      void sendPending()
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
    changeSettings(settings: MasterSettings, sourceId: string | null) {
      const { desk } = getState()
      if (!desk) return
      if (!sourceId) {
        setState({ desk: { ...desk, settings } })
        changeSoon(ALL, () => client.call('changeDesk', { body: { settings } }))
        return
      }
      const song = songOf(sourceId)
      if (!song) return
      keepSong({ ...song, settings })
      changeSoon(sourceId, () => client.call('changeDeskSong', { params: { source_id: sourceId }, body: { settings } }))
    },
    /** Gives one song the common settings again. */
    clearOwnSettings(sourceId: string) {
      const song = songOf(sourceId)
      if (song) keepSong({ ...song, settings: null })
      changeSoon(sourceId, () =>
        client.call('changeDeskSong', { params: { source_id: sourceId }, body: { settings: null } }),
      )
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
      void command(() => client.call('changeDesk', { body: { order: moved.filter((id) => songOf(id)) } }))
    },
    /** Puts the rows into the given order. */
    arrange(order: readonly string[]) {
      setState({ order })
      void command(() => client.call('changeDesk', { body: { order: order.filter((id) => songOf(id)) } }))
    },
    /** Looks at a song again whose analysis failed. */
    analyseAgain(sourceId: string) {
      setState(({ analysisErrors: { [sourceId]: _gone, ...rest } }) => ({ analysisErrors: rest }))
      void analysePending()
    },
    clearFailure: () => setState({ failure: null }),
  }
}

export type DeskActions = ReturnType<typeof createDesk>
