/** Reference tracks: those on their way to the server, and the facts of those that settings name. */
import { createStore } from 'zustand/vanilla'
import type { Desk, Source } from '../../src-server/contract/app.ts'
import type { Client } from '../api/client.ts'
import type { SendSong } from '../api/upload.ts'
import { type Refusal, refusalOf } from './refusal.ts'

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
}

/** Makes the store of references with its actions. */
export function createReferences({ client, send }: ReferencesOptions) {
  const store = createStore<ReferencesState>(() => ({ known: {}, sending: [] }))
  const { getState, setState } = store
  /** Those whose facts are being read. */
  const reading = new Set<string>()
  let nextId = 1

  const keep = (source: Source) => setState(({ known }) => ({ known: { ...known, [source.source_id]: source } }))
  const drop = (sendingId: number) =>
    setState(({ sending }) => ({ sending: sending.filter((one) => one.sendingId !== sendingId) }))
  const sendKept = async (file: File, onSent?: SendSong['onSent']) => {
    const source = await send({ file, purpose: 'reference', ...(onSent ? { onSent } : {}) })
    keep(source)
    return source
  }

  return {
    store,
    /** Reads the facts of references that settings of the desk name and this page does not know. Never throws. */
    readMissing({ settings, songs }: Desk): void {
      for (const { reference_source_id: id } of [settings, ...songs.flatMap((song) => song.settings ?? [])]) {
        if (!id || getState().known[id] || reading.has(id)) continue
        reading.add(id)
        const asked = client.call('readSource', { params: { source_id: id } })
        void asked.then(keep, () => undefined).finally(() => reading.delete(id))
      }
    },
    /** Sends a file for a row, or with null for all songs, and answers its source_id; null when it was refused, which `sending` shows. */
    async take(file: File, rowId: string | null): Promise<string | null> {
      const sendingId = nextId++
      const show = (change: Partial<SendingReference>) =>
        setState(({ sending }) => ({
          sending: sending.map((one) => (one.sendingId === sendingId ? { ...one, ...change } : one)),
        }))
      setState(({ sending }) => ({ sending: [{ sendingId, rowId, filename: file.name, sent: 0 }, ...sending] }))
      try {
        const source = await sendKept(file, (sent, total) => show({ sent: total > 0 ? sent / total : 0 }))
        drop(sendingId)
        return source.source_id
      } catch (error) {
        show({ sent: 0, error: refusalOf(error) })
        return null
      }
    },
    /** As `take`, shown nowhere. */
    takeQuietly: (file: File): Promise<string | null> =>
      sendKept(file).then(
        ({ source_id }) => source_id,
        () => null,
      ),
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
