/** Exports of releases: the running one, and the last result of each release. */
import { createStore } from 'zustand/vanilla'
import type { CallArguments, Client } from '../../src-contract/client.ts'
import type { MasterName } from '../../src-contract/delivery-target.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import type { Format } from '../../src-contract/formats.ts'
import type { ExportedRelease, FILE_LABELS, VerifiedFolder } from '../../src-contract/release-exports.ts'
import { NAMING_FORM } from '../../src-contract/settings.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { type Refusal, refusalOf } from './refusal.ts'

export interface ReleaseExportsState {
  /** The release being exported. */
  readonly runningId: string | null
  /** Progress of the running export in sound files; null before the first report. */
  readonly progress: ExportProgress | null
  readonly done: Readonly<Record<string, ExportedRelease>>
  readonly failure: Refusal | null
  readonly choices: ExportChoices
}

/** Complete sound files, all of them, and the one that is being made. */
export interface ExportProgress {
  readonly done: number
  readonly of: number
  readonly file: string | null
}

/** Choices of an export; all but the folder default to the receiver's wishes. */
export interface ExportChoices {
  /** Folder in which that of the release is made; null for the usual one. */
  readonly folder: string | null
  /** Empty for what the receiver asks for. */
  readonly formats: readonly Format[]
  /** null for the masters that all tracks have. */
  readonly platform: MasterName | null
  readonly isByPlatform: boolean
  readonly labels: (typeof FILE_LABELS)[number]
  readonly naming: string
  readonly hasAsciiNames: boolean
  /** null for the page's language. */
  readonly language: Language | null
  readonly isZipped: boolean
  /** Carries over the C2PA manifests of sources. */
  readonly carriesManifests: boolean
}

const UNCHOSEN: ExportChoices = {
  ...{ folder: null, formats: [], platform: null, isByPlatform: false, labels: 'release', naming: '' },
  ...{ hasAsciiNames: false, language: null, isZipped: false, carriesManifests: true },
}

/** Folder of masters in the music folder of the service's user. */
const USUAL_FOLDER = '~/Music/Loudsmith'

const NAMING = new RegExp(NAMING_FORM.pattern, 'u')

/** Tells whether a pattern of file names can be sent. Pure. */
export const isNaming = (naming: string): boolean => NAMING.test(naming.trim())

/** Returns the folder of an export: the chosen one, that of the settings, or the usual one. Pure. */
export const folderOf = ({ folder }: Pick<ExportChoices, 'folder'>, ofSettings: string | null | undefined): string =>
  folder ?? ofSettings ?? USUAL_FOLDER

/** Returns the request for the choices, without those left alone. Pure. */
export function wishOf(choices: ExportChoices, language: Language): Omit<ExportWish, 'folder'> {
  const { formats, platform, isByPlatform, labels, naming, hasAsciiNames, isZipped, carriesManifests } = choices
  return {
    ...(formats.length === 0 ? {} : { formats: [...formats] }),
    ...(platform === null ? {} : { platform }),
    ...(isByPlatform ? { by_platform: true } : {}),
    ...(labels === 'release' ? {} : { file_tags: labels }),
    ...(naming.trim() === '' ? {} : { naming: naming.trim() }),
    ...(hasAsciiNames ? { ascii_names: true } : {}),
    ...(isZipped ? { zip: true } : {}),
    ...(carriesManifests ? {} : { content_credentials: false }),
    language: choices.language ?? language,
  }
}

/** Options of an export. */
export type ExportWish = NonNullable<CallArguments<'exportRelease'>['body']>

export class ReleaseExports {
  readonly store = createStore<ReleaseExportsState>(() => ({
    ...{ runningId: null, progress: null, done: {}, failure: null, choices: UNCHOSEN },
  }))
  readonly #client: Pick<Client, 'call'>
  #running: AbortController | null = null

  constructor(client: Pick<Client, 'call'>) {
    this.#client = client
  }

  choose(change: Partial<ExportChoices>): void {
    this.store.setState(({ choices }) => ({ choices: { ...choices, ...change } }))
  }

  /** Exports a release; the failure is in the store. Returns whether it was written. Never throws. */
  async run(releaseId: string, body: ExportWish): Promise<boolean> {
    if (this.#running) return false
    this.#running = new AbortController()
    this.store.setState({ runningId: releaseId, progress: null, failure: null })
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

  /** Takes the progress of the running export from a live event. */
  apply({ event, release_id, files_done: done, files: of, file }: LiveEvent): void {
    if (event !== 'export.progress' || release_id !== this.store.getState().runningId) return
    if (done !== undefined && of !== undefined) this.store.setState({ progress: { done, of, file: file ?? null } })
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
