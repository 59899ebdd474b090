/** Files on their way to the batch, and those that were refused or interrupted. What arrives is the batch's. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Source } from '../../src-contract/app.ts'
import { MAX_SOURCE_BYTES } from '../../src-contract/limits.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import type { SendSong } from '../api/upload.ts'
import { placedOrder } from './batch-merge.ts'
import { readStored } from './browser-storage.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'
import type { Upload } from './song-rows.ts'

export interface UploadsDeps {
  readonly send: (song: SendSong) => Promise<Source>
  /** Files sent at once; without a limit where the desktop takes them and goes on without this page. */
  readonly atOnce: number
  readonly newId: () => string
  /** Keeps refused and interrupted files over a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
  /** Ids of all rows as they are shown: the places of uploads survive with them. */
  readonly order: () => readonly string[]
  /** Called when a song is stored and its upload is gone. */
  readonly onStored: (upload: Upload, source: Source) => void
}

/** A file that was not taken, and why. */
export interface RefusedFile extends Refusal {
  readonly filename: string
}

const KEPT_KEY = 'loudsmith.uploads'

interface Kept {
  readonly uploads: readonly Upload[]
  readonly order: readonly string[]
}

const isKept = ({ uploads, order }: Kept) =>
  Array.isArray(order) && uploads.every((one) => typeof one.uploadId === 'string' && typeof one.filename === 'string')

const isOf = (name: string, sizeBytes: number) => (upload: Upload) =>
  upload.filename.normalize() === name.normalize() && upload.sizeBytes === sizeBytes

const isPending = ({ state }: Pick<Upload, 'state'>) => state === 'queued' || state === 'sending'

interface UploadsState {
  readonly uploads: readonly Upload[]
}

/** Creates the keeper of refused and interrupted uploads over a reload, beside those of other pages of this browser. */
function createKeeper(storage: UploadsDeps['storage'], shownOrder: UploadsDeps['order']) {
  const read = () => readStored<Kept>(storage, KEPT_KEY, isKept, { uploads: [], order: [] })
  const kept = read()
  /** Uploads that this page shows or showed: all others that are kept belong to other pages. */
  const owned = new Set(kept.uploads.map((one) => one.uploadId))
  let saved = ''
  return {
    kept,
    own(uploads: readonly Upload[]) {
      for (const { uploadId } of uploads) owned.add(uploadId)
    },
    /** Keeps uploads with their places in the list. */
    save(uploads: readonly Upload[]) {
      const order = uploads.length > 0 ? shownOrder() : []
      const text = JSON.stringify({ uploads, order })
      if (text === saved) return
      saved = text
      const stored = read()
      const others = stored.uploads.filter((one) => !owned.has(one.uploadId))
      const otherIds = others.map((one) => one.uploadId)
      const all: Kept = { uploads: [...uploads, ...others], order: placedOrder(order, otherIds, stored.order) }
      storage.setItem(KEPT_KEY, JSON.stringify(all))
    },
  }
}

/** Creates the state of a file that was given: too large a one is refused at once. */
function uploadOf(file: File, uploadId: string): Upload {
  const row = { uploadId, filename: file.name, sizeBytes: file.size, sent: 0, addedAt: now() }
  if (file.size <= MAX_SOURCE_BYTES) return { ...row, state: 'queued' }
  const values = { maxMegabytes: MAX_SOURCE_BYTES / 1024 ** 2 }
  return { ...row, state: 'refused', error: { code: 'FILE_TOO_LARGE', values } }
}

interface SenderDeps extends Pick<UploadsDeps, 'send' | 'atOnce' | 'onStored'> {
  readonly store: StoreApi<UploadsState>
  readonly files: Map<string, File>
  readonly change: (uploadId: string, more: Partial<Upload>) => void
  readonly drop: (uploadIds: ReadonlySet<string>) => void
}

/** Creates the sender of queued files, so many at once. */
function createSender({ send, atOnce, onStored, store: { getState }, files, change, drop }: SenderDeps) {
  /** Requests under way. */
  const sending = new Map<string, AbortController>()

  async function sendOne(uploadId: string, file: File): Promise<void> {
    const stop = new AbortController()
    sending.set(uploadId, stop)
    change(uploadId, { state: 'sending' })
    try {
      const onSent = (sent: number, total: number) => change(uploadId, { sent: total > 0 ? sent / total : 0 })
      const source = await send({ file, purpose: 'song', onSent, signal: stop.signal })
      const upload = getState().uploads.find((one) => one.uploadId === uploadId)
      files.delete(uploadId)
      drop(new Set([uploadId]))
      if (upload) onStored(upload, source)
    } catch (error) {
      if (!stop.signal.aborted) change(uploadId, { state: 'refused', error: refusalOf(error) })
    } finally {
      sending.delete(uploadId)
      sendPending()
    }
  }

  function sendPending(): void {
    for (const { uploadId, state } of getState().uploads) {
      if (sending.size >= atOnce) return
      const file = files.get(uploadId)
      if (state === 'queued' && file && !sending.has(uploadId)) void sendOne(uploadId, file)
    }
  }

  return { sendPending, abort: (uploadId: string) => sending.get(uploadId)?.abort() }
}

/** Creates the store of uploads with its actions. */
export function createUploads(deps: UploadsDeps) {
  const { send, atOnce, newId, storage, onStored } = deps
  const keeper = createKeeper(storage, deps.order)
  const store = createStore<UploadsState>(() => ({ uploads: keeper.kept.uploads }))
  const { getState, setState } = store
  const files = new Map<string, File>()
  const change = (uploadId: string, more: Partial<Upload>) =>
    setState(({ uploads }) => ({
      uploads: uploads.map((one) => (one.uploadId === uploadId ? { ...one, ...more } : one)),
    }))
  /** Tells whether only this page has the bytes of a file that the program never got. */
  const isUnreached = ({ uploadId, error }: Upload) => files.has(uploadId) && isNotReached(error?.code)
  const put = (added: readonly Upload[]) => {
    keeper.own(added)
    setState(({ uploads }) => ({ uploads: [...uploads, ...added] }))
  }
  const drop = (uploadIds: ReadonlySet<string>) =>
    setState(({ uploads }) => ({ uploads: uploads.filter((one) => !uploadIds.has(one.uploadId)) }))

  const { sendPending, abort } = createSender({ send, atOnce, onStored, store, files, change, drop })
  const saveResting = () => keeper.save(getState().uploads.filter((one) => !isPending(one) && !isUnreached(one)))
  store.subscribe(saveResting)

  return {
    store,
    /** Ids of rows, songs included, as they were shown when uploads were kept last. */
    keptOrder: keeper.kept.order,
    /**
     * Queues files and answers the ids of new rows, one per file that is not the missing one of an interrupted upload. `more` is
     * kept with the first of them.
     */
    add(list: readonly File[], more: Pick<Upload, 'replaces' | 'settings'> = {}): string[] {
      const ids: string[] = []
      for (const file of list) {
        const isIts = isOf(file.name, file.size)
        const left = getState().uploads.find((one) => one.state === 'interrupted' && isIts(one))
        if (left) change(left.uploadId, { state: 'queued', sent: 0 })
        const upload = left ?? { ...uploadOf(file, newId()), ...(ids.length === 0 ? more : {}) }
        if (upload.state !== 'refused') files.set(upload.uploadId, file)
        if (!left) {
          put([upload])
          ids.push(upload.uploadId)
        }
      }
      sendPending()
      return ids
    },
    /** Shows files that were refused without this page and answers their ids. */
    showRefused(refused: readonly RefusedFile[]): string[] {
      const added = refused.map(({ filename, ...error }): Upload => {
        const row = { uploadId: newId(), filename, sizeBytes: 0, sent: 0, addedAt: now() }
        return { ...row, state: 'refused', error }
      })
      put(added)
      return added.map((one) => one.uploadId)
    },
    /** Gives a song settings of its own before it is stored. */
    changeSettings: (uploadId: string, settings: MasterSettings | null) => change(uploadId, { settings }),
    /** Takes uploads off and stops those under way. What is answered puts them back, or lets go of their bytes. */
    takeOff(uploadIds: ReadonlySet<string>) {
      const taken = getState().uploads.filter((one) => uploadIds.has(one.uploadId))
      drop(uploadIds)
      for (const id of uploadIds) abort(id)
      return {
        count: taken.length,
        putBack() {
          put(taken.map((one) => (one.state === 'sending' ? { ...one, state: 'queued', sent: 0 } : one)))
          sendPending()
        },
        forget() {
          for (const { uploadId } of taken) files.delete(uploadId)
        },
      }
    },
    /** Tells whether this page still has the bytes of a refused file. */
    canResend: (uploadId: string) => files.has(uploadId),
    resend(uploadId: string) {
      change(uploadId, { state: 'queued', sent: 0 })
      sendPending()
    },
    /** Call when the program can be reached again: sends what never came there. */
    resendUnreached() {
      setState(({ uploads }) => ({
        uploads: uploads.map((one) => {
          if (!isUnreached(one)) return one
          const { error: _gone, ...rest } = one
          return { ...rest, state: 'queued', sent: 0 }
        }),
      }))
      sendPending()
    },
    /** Returns the number of files that never reached the program and whose bytes only this page has. */
    unreached: () => getState().uploads.filter(isUnreached).length,
    /** Tells whether the bytes of files would be lost with the page. */
    hasPending: () => getState().uploads.some(isPending),
    /** Keeps the places of what rests, after rows have moved. */
    saveResting,
    /** Call when the page goes: what has not arrived waits as interrupted for its file to be given again. */
    leave: () =>
      keeper.save(
        getState().uploads.map(({ error, ...one }): Upload => {
          if (isPending(one) || isNotReached(error?.code)) return { ...one, state: 'interrupted', sent: 0 }
          return { ...one, ...(error ? { error } : {}) }
        }),
      ),
    /** Tells whether a stored song is one that is being sent: its bytes are there before the answer is. */
    isArriving: ({ filename, size_bytes }: Source) =>
      getState().uploads.some((one) => one.state === 'sending' && isOf(filename, size_bytes)(one)),
    /** Takes off and answers the interrupted upload of a song that had arrived all the same; undefined without one. */
    claim({ filename, size_bytes, created_at }: Source): Upload | undefined {
      const isIts = isOf(filename, size_bytes)
      const found = getState().uploads.find(
        (one) => one.state === 'interrupted' && isIts(one) && created_at >= one.addedAt,
      )
      if (found) drop(new Set([found.uploadId]))
      return found
    },
  }
}

const now = () => new Date().toISOString()
