/** Exports of releases: the running one, and the last result of each release. */
import { createStore } from 'zustand/vanilla'
import type { CallArguments, Client } from '../../src-contract/client.ts'
import type { ExportedRelease, VerifiedFolder } from '../../src-contract/release-exports.ts'
import { type Refusal, refusalOf } from './refusal.ts'

export interface ReleaseExportsState {
  /** The release being exported. */
  readonly runningId: string | null
  readonly done: Readonly<Record<string, ExportedRelease>>
  readonly failure: Refusal | null
}

/** Options of an export. */
export type ExportWish = NonNullable<CallArguments<'exportRelease'>['body']>

export class ReleaseExports {
  readonly store = createStore<ReleaseExportsState>(() => ({ runningId: null, done: {}, failure: null }))
  readonly #client: Pick<Client, 'call'>
  #running: AbortController | null = null

  constructor(client: Pick<Client, 'call'>) {
    this.#client = client
  }

  /** Exports a release; the failure is in the store. Returns whether it was written. Never throws. */
  async run(releaseId: string, body: ExportWish): Promise<boolean> {
    if (this.#running) return false
    this.#running = new AbortController()
    this.store.setState({ runningId: releaseId, failure: null })
    const { signal } = this.#running
    try {
      const params = { release_id: releaseId }
      const exported = await this.#client.call('exportRelease', { params, body, signal })
      this.store.setState(({ done }) => ({ done: { ...done, [releaseId]: exported } }))
      return true
    } catch (error) {
      if (!signal.aborted) this.store.setState({ failure: refusalOf(error) })
      return false
    } finally {
      this.#running = null
      this.store.setState({ runningId: null })
    }
  }

  /** Stops the running export: finished files stay, and the next export continues from there. */
  stop(): void {
    this.#running?.abort()
  }

  /** Checks a folder against its certificate. Throws ApiError. */
  verify(folder: string): Promise<VerifiedFolder> {
    return this.#client.call('verifyFolder', { body: { folder } })
  }
}

/** Outcomes of the receivers of an export, counted. Pure. */
export function tallyOf({ receivers }: Pick<ExportedRelease['certificate'], 'receivers'>) {
  const passed = receivers.filter(({ outcome }) => outcome !== 'remedy').length
  return { passed, all: receivers.length }
}
