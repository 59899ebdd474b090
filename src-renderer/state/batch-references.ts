/** Reference tracks: files on their way, and the facts of the references in settings. */
import { createStore } from 'zustand/vanilla'
import type { Batch, Source } from '../../src-contract/app.ts'
import { atMost } from '../../src-contract/at-most.ts'
import type { Client } from '../../src-contract/client.ts'
import type { SavedTarget } from '../../src-contract/saved-targets.ts'
import { ACCEPT_ANY } from '../../src-contract/song-files.ts'
import type { SendSong } from '../api/upload.ts'
import { type Refusal, refusalOf } from './refusal.ts'

/** A reference on its way, or the reason for its refusal. */
export interface SendingReference {
  readonly sendingId: number
  /** The row it belongs to; null for all songs. */
  readonly rowId: string | null
  readonly filename: string
  /** True for a further reference, kept as its measurements alone. */
  readonly isFurther: boolean
  /** Uploaded part, 0 to 1. */
  readonly sent: number
  readonly error?: Refusal
}

export interface ReferencesState {
  /** By source_id. */
  readonly known: Readonly<Record<string, Source>>
  readonly sending: readonly SendingReference[]
}

/**
 * Returns the reference on its way to the settings of a row, or with null of all songs: its own, or the one of all
 * songs while the row has no settings of its own. Pure.
 */
export function sendingFor(
  { sending }: ReferencesState,
  rowId: string | null,
  hasOwnSettings: boolean,
  isFurther = false,
): SendingReference | undefined {
  const of = (id: string | null) => sending.find((one) => one.rowId === id && one.isFurther === isFurther)
  return of(rowId) ?? (hasOwnSettings ? undefined : of(null))
}

export interface ReferencesDeps {
  readonly client: Client
  readonly send: (song: SendSong) => Promise<Source>
  /** Adds a stored reference to the settings of a row, or with null of all songs. */
  readonly use: (reference_source_id: string, rowId: string | null) => void
  /** Adds the measurements of a further reference to them. */
  readonly addTarget: (target: SavedTarget, rowId: string | null) => void
}

/** Sends a file, and returns what then puts it into the settings of a row. */
type Load = (onSent: SendSong['onSent']) => Promise<(rowId: string | null) => void>

/** The store of references with its actions. */
export class References {
  readonly store = createStore<ReferencesState>(() => ({ known: {}, sending: [] }))
  readonly #deps: ReferencesDeps
  /** Ids whose facts are being read. */
  readonly #reading = new Set<string>()
  /** By sendingId; resolves to whether the settings have it. */
  readonly #underWay = new Map<number, Promise<boolean>>()
  readonly #inTurn = atMost(1)
  #nextId = 1

  constructor(deps: ReferencesDeps) {
    this.#deps = deps
  }

  /** Reads the unknown facts of references in the batch's settings. Never throws. */
  readMissing({ settings, songs }: Batch): void {
    for (const { reference_source_id: id } of [settings, ...songs.flatMap((song) => song.settings ?? [])]) {
      if (!id || this.store.getState().known[id] || this.#reading.has(id)) continue
      this.#reading.add(id)
      const asked = this.#deps.client.call('readSource', { params: { source_id: id } })
      void asked
        .then(
          (source) => this.#keep(source),
          () => undefined,
        )
        .finally(() => this.#reading.delete(id))
    }
  }

  /**
   * Sends a file for a row, or with null for all songs, and adds it to its settings; a refusal stays shown. Never
   * throws.
   */
  async take(file: File, rowId: string | null): Promise<void> {
    await this.#bringShown(file.name, rowId, false, (onSent) => this.#send(file, onSent))
  }

  /** Measures a file and adds it to the references of a row, or with null of all songs; a refusal stays shown. Never throws. */
  async measure(file: File, rowId: string | null): Promise<void> {
    await this.#bringShown(file.name, rowId, true, async () => {
      const { target } = await this.#deps.client.call('analyze', {
        fields: { target: true, accept: ACCEPT_ANY },
        files: { file: { content: file, name: file.name } },
      })
      return (now) => target && this.#deps.addTarget(target, now)
    })
  }

  /** As `take`, with a file that has to be read first. Throws the error of `read` or of the upload. */
  async fetch(filename: string, rowId: string, read: () => Promise<File>): Promise<void> {
    // One after another: many whole files would not fit into memory.
    const { sendingId, arriving } = this.#bring(filename, rowId, false, (onSent) =>
      this.#inTurn(async () => this.#send(await read(), onSent)),
    )
    await arriving.finally(() => this.drop(sendingId))
  }

  /**
   * Resolves once no reference is on its way to the settings of a row, to whether all arrived; undefined if there are
   * no such uploads.
   */
  arrivalFor(rowId: string, hasOwnSettings: boolean): Promise<boolean> | undefined {
    const isIts = (one: SendingReference) => one.rowId === rowId || (one.rowId === null && !hasOwnSettings)
    const its = this.store
      .getState()
      .sending.filter(isIts)
      .flatMap(({ sendingId }) => this.#underWay.get(sendingId) ?? [])
    return its.length > 0 ? Promise.all(its).then((all) => all.every(Boolean)) : undefined
  }

  /** Moves the references on their way to an upload to the song it has become. */
  follow(uploadId: string, sourceId: string): void {
    this.store.setState(({ sending }) => ({
      sending: sending.map((one) => (one.rowId === uploadId ? { ...one, rowId: sourceId } : one)),
    }))
  }

  /** Removes a refused reference. */
  drop(sendingId: number): void {
    this.store.setState(({ sending }) => ({ sending: sending.filter((one) => one.sendingId !== sendingId) }))
  }

  /** Returns the file name of a reference; undefined while it is unknown, or without a reference. */
  nameOf(sourceId: string | null | undefined): string | undefined {
    return this.store.getState().known[sourceId ?? '']?.filename
  }

  /** Shows a reference as being sent until it is in the settings. `arriving` rejects with the reason of a failure. */
  #bring(filename: string, rowId: string | null, isFurther: boolean, load: Load) {
    const sendingId = this.#nextId++
    this.store.setState(({ sending }) => ({
      sending: [{ sendingId, rowId, filename, isFurther, sent: 0 }, ...sending],
    }))
    const arrive = async () => {
      const use = await load((sent, total) => this.#show(sendingId, { sent: total > 0 ? sent / total : 0 }))
      // The row may have become that of the stored song.
      const now = this.store.getState().sending.find((one) => one.sendingId === sendingId)
      this.drop(sendingId)
      use(now ? now.rowId : rowId)
    }
    const arriving = arrive()
    const isUsed = arriving
      .then(
        () => true,
        () => false,
      )
      .finally(() => this.#underWay.delete(sendingId))
    this.#underWay.set(sendingId, isUsed)
    return { sendingId, arriving }
  }

  /** As `#bring`; a refusal stays shown. Never throws. */
  async #bringShown(filename: string, rowId: string | null, isFurther: boolean, load: Load): Promise<void> {
    const { sendingId, arriving } = this.#bring(filename, rowId, isFurther, load)
    await arriving.catch((error: unknown) => this.#show(sendingId, { sent: 0, error: refusalOf(error) }))
  }

  async #send(file: File, onSent: SendSong['onSent']): ReturnType<Load> {
    const source = await this.#deps.send({ file, purpose: 'reference', ...(onSent ? { onSent } : {}) })
    this.#keep(source)
    return (rowId) => this.#deps.use(source.source_id, rowId)
  }

  #keep(source: Source): void {
    this.store.setState(({ known }) => ({ known: { ...known, [source.source_id]: source } }))
  }

  #show(sendingId: number, change: Partial<SendingReference>): void {
    this.store.setState(({ sending }) => ({
      sending: sending.map((one) => (one.sendingId === sendingId ? { ...one, ...change } : one)),
    }))
  }
}
