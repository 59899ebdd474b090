/** Files on their way to the batch, and refused or interrupted ones. A file that has arrived belongs to the batch. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BatchSong, Source } from '../../src-contract/app.ts'
import { MAX_SOURCE_BYTES } from '../../src-contract/limits.ts'
import type { OwnMetadata } from '../../src-contract/metadata.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import { MAX_STEM_SET_BYTES } from '../../src-contract/stem-limits.ts'
import { stemCountOf } from '../api/stem-files.ts'
import type { SendSong } from '../api/upload.ts'
import { placedOrder } from './batch-merge.ts'
import { readStored } from './browser-storage.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'
import type { Upload } from './song-rows.ts'

export interface UploadsDeps {
  readonly send: (song: SendSong) => Promise<Source>
  /** Files sent at once; unlimited where the desktop takes them over. */
  readonly atOnce: number
  readonly newId: () => string
  /** Stores refused and interrupted files over a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
  /** Ids of all rows in display order: the places of uploads are stored with them. */
  readonly order: () => readonly string[]
  /** Called when a song is stored and its upload is gone. */
  readonly onStored: (upload: Upload, source: Source) => void
}

/** A refused file with the reason. */
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

/** Creates the storage of refused and interrupted uploads over a reload, alongside those of other pages of this browser. */
function createKeeper(storage: UploadsDeps['storage'], shownOrder: UploadsDeps['order']) {
  const read = () => readStored<Kept>(storage, KEPT_KEY, isKept, { uploads: [], order: [] })
  const kept = read()
  /** Uploads that this page shows or showed: all other stored ones belong to other pages. */
  const owned = new Set(kept.uploads.map((one) => one.uploadId))
  let saved = ''
  return {
    kept,
    own(uploads: readonly Upload[]) {
      for (const { uploadId } of uploads) owned.add(uploadId)
    },
    /** Stores uploads with their places in the list. */
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

/** Returns the initial state of a file; a file that is too large is refused at once. */
function uploadOf({ name, size }: Pick<File, 'name' | 'size'>, uploadId: string, mostBytes = MAX_SOURCE_BYTES): Upload {
  const row = { uploadId, filename: name, sizeBytes: size, sent: 0, addedAt: now() }
  if (size <= mostBytes) return { ...row, state: 'queued' }
  const values = { maxMegabytes: mostBytes / 1024 ** 2 }
  return { ...row, state: 'refused', error: { code: 'FILE_TOO_LARGE', values } }
}

/** The store of uploads with its actions. */
export class Uploads {
  readonly store: StoreApi<UploadsState>
  /** Ids of rows, songs included, in display order when uploads were last stored. */
  readonly keptOrder: readonly string[]
  readonly #deps: UploadsDeps
  readonly #keeper: ReturnType<typeof createKeeper>
  /** Bytes of the files that have not arrived, by uploadId. */
  readonly #files = new Map<string, File>()
  /** Stems of the songs that have not arrived and come as such, by uploadId; the first of them is also among the files. */
  readonly #stems = new Map<string, readonly File[]>()
  /** Requests under way, by uploadId. */
  readonly #sending = new Map<string, AbortController>()

  constructor(deps: UploadsDeps) {
    this.#deps = deps
    this.#keeper = createKeeper(deps.storage, deps.order)
    const { uploads, order } = this.#keeper.kept
    this.keptOrder = order
    this.store = createStore<UploadsState>(() => ({ uploads }))
    this.store.subscribe(() => this.saveResting())
  }

  /**
   * Queues files and returns the ids of new rows, one per file unless it resumes an interrupted upload. `more` is
   * stored with the first of them.
   */
  add(list: readonly File[], more: Pick<Upload, 'replaces' | 'settings' | 'metadata'> = {}): string[] {
    const ids: string[] = []
    for (const file of list) {
      const isIts = isOf(file.name, file.size)
      const left = this.#uploads().find((one) => one.state === 'interrupted' && isIts(one))
      if (left) this.#change(left.uploadId, { state: 'queued', sent: 0 })
      const upload = left ?? { ...uploadOf(file, this.#deps.newId()), ...(ids.length === 0 ? more : {}) }
      if (upload.state !== 'refused') this.#files.set(upload.uploadId, file)
      if (!left) {
        this.#put([upload])
        ids.push(upload.uploadId)
      }
    }
    this.#sendPending()
    return ids
  }

  /** Queues the stems of one song, several files or a ZIP, as one upload, and returns its id. */
  addStems(files: readonly File[], more: Pick<Upload, 'replaces' | 'settings'> = {}): string[] {
    const [first] = files
    if (!first) return []
    const size = files.reduce((sum, file) => sum + file.size, 0)
    const upload = { ...uploadOf({ name: first.name, size }, this.#deps.newId(), MAX_STEM_SET_BYTES), ...more }
    this.#stems.set(upload.uploadId, files)
    if (upload.state !== 'refused') this.#files.set(upload.uploadId, first)
    this.#put([{ ...upload, ...(files.length > 1 ? { stemCount: stemCountOf(files) } : {}) }])
    this.#sendPending()
    return [upload.uploadId]
  }

  /** Shows files that were refused without this page and returns their ids. */
  showRefused(refused: readonly RefusedFile[]): string[] {
    const added = refused.map(({ filename, ...error }): Upload => {
      const row = { uploadId: this.#deps.newId(), filename, sizeBytes: 0, sent: 0, addedAt: now() }
      return { ...row, state: 'refused', error }
    })
    this.#put(added)
    return added.map((one) => one.uploadId)
  }

  /** Gives a song settings of its own before it is stored. */
  changeSettings(uploadId: string, settings: MasterSettings | null): void {
    this.#change(uploadId, { settings })
  }

  /** Writes texts of a song before it is stored; they are validated then. */
  changeMetadata(uploadId: string, texts: OwnMetadata): void {
    const before = this.#uploads().find((one) => one.uploadId === uploadId)?.metadata
    this.#change(uploadId, { metadata: { ...before, ...texts } })
  }

  /** Removes uploads and stops those under way. The result restores them, or releases their bytes. */
  takeOff(uploadIds: ReadonlySet<string>) {
    const taken = this.#uploads().filter((one) => uploadIds.has(one.uploadId))
    this.#drop(uploadIds)
    for (const id of uploadIds) this.#sending.get(id)?.abort()
    return {
      count: taken.length,
      putBack: () => {
        this.#put(taken.map((one) => (one.state === 'sending' ? { ...one, state: 'queued', sent: 0 } : one)))
        this.#sendPending()
      },
      forget: () => {
        for (const { uploadId } of taken) this.#letGo(uploadId)
      },
    }
  }

  /** Returns whether this page still has the bytes of a refused file. */
  canResend(uploadId: string): boolean {
    return this.#files.has(uploadId)
  }

  resend(uploadId: string): void {
    this.#change(uploadId, { state: 'queued', sent: 0 })
    this.#sendPending()
  }

  /** Sends again the files that never reached the program, once it is reachable. */
  resendUnreached(): void {
    this.store.setState(({ uploads }) => ({
      uploads: uploads.map((one) => {
        if (!this.#isUnreached(one)) return one
        const { error: _gone, ...rest } = one
        return { ...rest, state: 'queued', sent: 0 }
      }),
    }))
    this.#sendPending()
  }

  /** Returns the number of files that never reached the program and whose bytes only this page has. */
  unreached(): number {
    return this.#uploads().filter((one) => this.#isUnreached(one)).length
  }

  /** Returns whether the bytes of files would be lost with the page. */
  hasPending(): boolean {
    return this.#uploads().some(isPending)
  }

  /** Stores the refused and interrupted files with their places in the list. Called when rows have moved. */
  saveResting(): void {
    this.#keeper.save(this.#keepable().filter((one) => !isPending(one) && !this.#isUnreached(one)))
  }

  /** Stores unfinished files as interrupted, to be chosen again. Called when the page closes. */
  leave(): void {
    this.#keeper.save(
      this.#keepable().map(({ error, ...one }): Upload => {
        if (isPending(one) || isNotReached(error?.code)) return { ...one, state: 'interrupted', sent: 0 }
        return { ...one, ...(error ? { error } : {}) }
      }),
    )
  }

  /** Returns whether a stored song is still being sent by this page: its bytes are there before the answer is. */
  isArriving({ source, stem_count }: Pick<BatchSong, 'source' | 'stem_count'>): boolean {
    const isFile = isOf(source.filename, source.size_bytes)
    return this.#uploads().some((one) => {
      // The song of stems has neither their names nor their size.
      const isIts = this.#stems.has(one.uploadId)
        ? stem_count !== undefined && source.created_at >= one.addedAt
        : isFile(one)
      return one.state === 'sending' && isIts
    })
  }

  /** Removes and returns the interrupted upload of a song that arrived after all; undefined without one. */
  claim({ filename, size_bytes, created_at }: Source): Upload | undefined {
    const isIts = isOf(filename, size_bytes)
    const found = this.#uploads().find((one) => one.state === 'interrupted' && isIts(one) && created_at >= one.addedAt)
    if (found) this.#drop(new Set([found.uploadId]))
    return found
  }

  /** Returns the uploads that are shown after a reload: the files of a set would look like single songs then. */
  #keepable(): readonly Upload[] {
    return this.#uploads().filter(({ uploadId }) => !this.#stems.has(uploadId))
  }

  #uploads(): readonly Upload[] {
    return this.store.getState().uploads
  }

  #put(added: readonly Upload[]): void {
    this.#keeper.own(added)
    this.store.setState(({ uploads }) => ({ uploads: [...uploads, ...added] }))
  }

  #change(uploadId: string, more: Partial<Upload>): void {
    this.store.setState(({ uploads }) => ({
      uploads: uploads.map((one) => (one.uploadId === uploadId ? { ...one, ...more } : one)),
    }))
  }

  #drop(uploadIds: ReadonlySet<string>): void {
    this.store.setState(({ uploads }) => ({ uploads: uploads.filter((one) => !uploadIds.has(one.uploadId)) }))
  }

  /** Releases the bytes of a song. */
  #letGo(uploadId: string): void {
    this.#files.delete(uploadId)
    this.#stems.delete(uploadId)
  }

  /** Returns whether only this page has the bytes of a file that the program never received. */
  #isUnreached({ uploadId, error }: Upload): boolean {
    return this.#files.has(uploadId) && isNotReached(error?.code)
  }

  /** Sends queued files, `atOnce` at a time. */
  #sendPending(): void {
    for (const { uploadId, state } of this.#uploads()) {
      if (this.#sending.size >= this.#deps.atOnce) return
      const file = this.#files.get(uploadId)
      if (state === 'queued' && file && !this.#sending.has(uploadId)) void this.#sendOne(uploadId, file)
    }
  }

  async #sendOne(uploadId: string, file: File): Promise<void> {
    const stop = new AbortController()
    this.#sending.set(uploadId, stop)
    this.#change(uploadId, { state: 'sending' })
    try {
      const stems = this.#stems.get(uploadId)
      const originalId = this.#uploads().find((one) => one.uploadId === uploadId)?.replaces
      const onSent = (sent: number, total: number) => this.#change(uploadId, { sent: total > 0 ? sent / total : 0 })
      const source = await this.#deps.send({
        ...{ file, purpose: 'song', onSent, signal: stop.signal },
        ...(stems ? { stems } : {}),
        ...(stems && originalId ? { originalId } : {}),
      })
      const upload = this.#uploads().find((one) => one.uploadId === uploadId)
      this.#letGo(uploadId)
      this.#drop(new Set([uploadId]))
      if (upload) this.#deps.onStored(upload, source)
    } catch (error) {
      if (!stop.signal.aborted) this.#change(uploadId, { state: 'refused', error: refusalOf(error) })
    } finally {
      this.#sending.delete(uploadId)
      this.#sendPending()
    }
  }
}

const now = () => new Date().toISOString()
