/** Reference tracks: one on its way to the server, and the facts of those that settings name. */
import { createStore } from 'zustand/vanilla'
import type { Desk, Source } from '../../src-server/contract/app.ts'
import type { Client } from '../api/client.ts'
import type { SendSong } from '../api/upload.ts'
import { type Refusal, refusalOf } from './refusal.ts'

export interface ReferencesState {
  /** By source_id. */
  readonly known: Readonly<Record<string, Source>>
  readonly sending: { readonly filename: string; readonly sent: number; readonly error?: Refusal } | null
}

export interface ReferencesOptions {
  readonly client: Client
  readonly send: (song: SendSong) => Promise<Source>
}

/** Makes the store of references with its actions. */
export function createReferences({ client, send }: ReferencesOptions) {
  const store = createStore<ReferencesState>(() => ({ known: {}, sending: null }))
  const { getState, setState } = store
  /** Those whose facts are being read. */
  const reading = new Set<string>()

  const keep = (source: Source) => setState(({ known }) => ({ known: { ...known, [source.source_id]: source } }))

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
    /** Sends a file and answers its source_id; null when it was refused, which `sending` shows. */
    async take(file: File): Promise<string | null> {
      const show = (sent: number, error?: Refusal) =>
        setState({ sending: { filename: file.name, sent, ...(error ? { error } : {}) } })
      show(0)
      try {
        const onSent = (sent: number, total: number) => show(total > 0 ? sent / total : 0)
        const source = await send({ file, purpose: 'reference', onSent })
        keep(source)
        setState({ sending: null })
        return source.source_id
      } catch (error) {
        show(0, refusalOf(error))
        return null
      }
    },
    /** Name of the file of a reference; undefined while it is not known, or for none. */
    nameOf: (sourceId: string | null | undefined) => getState().known[sourceId ?? '']?.filename,
    dropError: () => setState({ sending: null }),
  }
}
