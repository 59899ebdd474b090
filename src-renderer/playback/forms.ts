/**
 * Forms of a version: a master as uploaded or after a codec, a sound by its newest audition. Each form is a track of
 * its own in the audio graph.
 */
import type { CopyCodec } from '../../src-contract/codecs.ts'
import type { Refusal } from '../state/refusal.ts'

/** The form of one master. */
export interface MasterForm {
  /** The codec of the copy that plays; null while the master plays as uploaded. */
  readonly codec: CopyCodec | null
  /** The codec of the copy in preparation; the current form plays until then. */
  readonly making: CopyCodec | null
  /** The copy that could not be made or read, and the reason. */
  readonly failed: { readonly codec: CopyCodec; readonly refusal: Refusal } | null
}

/** Forms of the masters that do not play as uploaded, by version. */
export type MasterForms = Readonly<Record<string, MasterForm>>

export const AS_UPLOADED: MasterForm = { codec: null, making: null, failed: null }

/** Returns the name of a form in the audio graph. */
export const formTrack = (version: string, form: string): string => `${version} ${form}`

/** Returns the version and the form of a track; null for a version as it is. */
export function partsOfTrack(track: string): { readonly version: string; readonly form: string | null } {
  const [version = '', form = null] = track.split(' ')
  return { version, form }
}

/** Returns the name in the audio graph of a version's current form. */
export function trackOf(copies: MasterForms, version: string): string {
  const codec = copies[version]?.codec
  return codec ? formTrack(version, codec) : version
}

/** Reports with the chosen track audible until the previous one counts as faded out. */
const FADED_REPORTS = 4

/** Forms loaded or loading in the audio graph. A replaced form is dropped after its fade-out. */
export class FormTracks {
  readonly #tracks = new Map<string, { readonly control: AbortController; isOpen: boolean }>()
  /** Reports with the chosen track audible since the last track opened. */
  #reports = 0

  has(track: string): boolean {
    return this.#tracks.has(track)
  }

  /** Adds a track that is loading; the signal fires when it is dropped. */
  add(track: string): AbortSignal {
    const control = new AbortController()
    this.#tracks.set(track, { control, isOpen: false })
    return control.signal
  }

  /** Marks a track as open, so that it can be dropped. */
  settle(track: string): void {
    const entry = this.#tracks.get(track)
    if (entry) entry.isOpen = true
    this.#reports = 0
  }

  /** Removes a track that was dropped or could not be opened. */
  remove(track: string): void {
    this.#tracks.get(track)?.control.abort()
    this.#tracks.delete(track)
  }

  /** Removes and returns the tracks to drop; call with every report. `isHeard`: the chosen track is audible. */
  faded(isHeard: boolean, isKept: (track: string) => boolean): string[] {
    const left = [...this.#tracks].filter(([track, { isOpen }]) => isOpen && !isKept(track)).map(([track]) => track)
    if (!isHeard || left.length === 0) return []
    this.#reports += 1
    if (this.#reports < FADED_REPORTS) return []
    for (const track of left) this.remove(track)
    this.#reports = 0
    return left
  }

  clear(): void {
    for (const track of [...this.#tracks.keys()]) this.remove(track)
  }
}
