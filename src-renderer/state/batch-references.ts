/** Reference tracks: those on their way to the server, and the facts of those that settings name. */
import { createStore } from 'zustand/vanilla'
import type { Batch, Source } from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import type { SendSong } from '../api/upload.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { createSerialQueue } from './serial-queue.ts'

/** A reference on its way, or why it was not taken. */
export interface SendingReference {
  readonly sendingId: number
  /** The row for which it is; null for all songs. */
  readonly rowId: string | null
  readonly filename: string
  /** The part that is there, 0 to 1. */
  readonly sent: number
  readonly error?: Refusal
}

export interface ReferencesState {
  /** By source_id. */
  readonly known: Readonly<Record<string, Source>>
  readonly sending: readonly SendingReference[]
}

/**
 * Returns the reference on its way that the settings of a row, or with null those of all songs, show: its own, or the one of all songs
 * while the row has no settings of its own. Pure.
 */
export function sendingFor(
  { sending }: ReferencesState,
  rowId: string | null,
  hasOwnSettings: boolean,
): SendingReference | undefined {
  const of = (id: string | null) => sending.find((one) => one.rowId === id)
  return of(rowId) ?? (hasOwnSettings ? undefined : of(null))
}

export interface ReferencesOptions {
  readonly client: Client
  readonly send: (song: SendSong) => Promise<Source>
  /** Puts a stored reference among the settings of a row, or with null of all songs. */
  readonly use: (reference_source_id: string, rowId: string | null) => void
}

/** Makes the store of references with its actions. */
export function createReferences({ client, send, use }: ReferencesOptions) {
  const store = createStore<ReferencesState>(() => ({ known: {}, sending: [] }))
  const { getState, setState } = store
  /** Those whose facts are being read. */
  const reading = new Set<string>()
  /** By sendingId; resolves to whether the settings have it. */
  const underWay = new Map<number, Promise<boolean>>()
  const inTurn = createSerialQueue()
  let nextId = 1

  const sendReference = (file: File, onSent: SendSong['onSent']) =>
    send({ file, purpose: 'reference', ...(onSent ? { onSent } : {}) })
  const keep = (source: Source) => setState(({ known }) => ({ known: { ...known, [source.source_id]: source } }))
  const drop = (sendingId: number) =>
    setState(({ sending }) => ({ sending: sending.filter((one) => one.sendingId !== sendingId) }))
  const show = (sendingId: number, change: Partial<SendingReference>) =>
    setState(({ sending }) => ({
      sending: sending.map((one) => (one.sendingId === sendingId ? { ...one, ...change } : one)),
    }))

  /** Shows a reference as being sent from now on, until it is among the settings. Rejects with why it is not. */
  function bring(filename: string, rowId: string | null, load: (onSent: SendSong['onSent']) => Promise<Source>) {
    const sendingId = nextId++
    setState(({ sending }) => ({ sending: [{ sendingId, rowId, filename, sent: 0 }, ...sending] }))
    const arrive = async () => {
      const source = await load((sent, total) => show(sendingId, { sent: total > 0 ? sent / total : 0 }))
      keep(source)
      // The row may be that of the stored song by now.
      const now = getState().sending.find((one) => one.sendingId === sendingId)
      drop(sendingId)
      use(source.source_id, now ? now.rowId : rowId)
    }
    const arriving = arrive()
    const isUsed = arriving
      .then(
        () => true,
        () => false,
      )
      .finally(() => underWay.delete(sendingId))
    underWay.set(sendingId, isUsed)
    return { sendingId, arriving }
  }

  return {
    store,
    /** Reads the facts of references that settings of the batch name and this page does not know. Never throws. */
    readMissing({ settings, songs }: Batch): void {
      for (const { reference_source_id: id } of [settings, ...songs.flatMap((song) => song.settings ?? [])]) {
        if (!id || getState().known[id] || reading.has(id)) continue
        reading.add(id)
        const asked = client.call('readSource', { params: { source_id: id } })
        void asked.then(keep, () => undefined).finally(() => reading.delete(id))
      }
    },
    /** Sends a file for a row, or with null for all songs, and puts it among its settings; why it was refused stays shown. Never throws. */
    async take(file: File, rowId: string | null): Promise<void> {
      const { sendingId, arriving } = bring(file.name, rowId, (onSent) => sendReference(file, onSent))
      await arriving.catch((error: unknown) => show(sendingId, { sent: 0, error: refusalOf(error) }))
    },
    /** As `take`, with a file that has to be read first. Throws what `read` and the sending throw. */
    async fetch(filename: string, rowId: string, read: () => Promise<File>): Promise<void> {
      // One after another: many whole files would not fit into memory.
      const { sendingId, arriving } = bring(filename, rowId, (onSent) =>
        inTurn(async () => sendReference(await read(), onSent)),
      )
      await arriving.finally(() => drop(sendingId))
    },
    /**
     * Resolves once no reference is on its way to the settings that a row has, to whether all of them got there; undefined where
     * none is on its way.
     */
    arrivalFor(rowId: string, hasOwnSettings: boolean): Promise<boolean> | undefined {
      const isIts = (one: SendingReference) => one.rowId === rowId || (one.rowId === null && !hasOwnSettings)
      const its = getState()
        .sending.filter(isIts)
        .flatMap(({ sendingId }) => underWay.get(sendingId) ?? [])
      return its.length > 0 ? Promise.all(its).then((all) => all.every(Boolean)) : undefined
    },
    /** Call when an upload was stored: what is on its way for its row is for that of the song. */
    follow: (uploadId: string, sourceId: string) =>
      setState(({ sending }) => ({
        sending: sending.map((one) => (one.rowId === uploadId ? { ...one, rowId: sourceId } : one)),
      })),
    /** Takes one that was refused away. */
    drop,
    /** Name of the file of a reference; undefined while it is not known, or for none. */
    nameOf: (sourceId: string | null | undefined) => getState().known[sourceId ?? '']?.filename,
  }
}
