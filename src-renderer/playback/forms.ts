/**
 * The forms in which a version is heard: a master as uploaded or as a codec leaves it, a sound by its newest audition. Each form is a
 * track of its own in the audio graph.
 */
import type { CopyCodec } from '../../src-contract/codecs.ts'
import type { Refusal } from '../state/refusal.ts'

/** The form of one master. */
export interface MasterForm {
  /** The codec whose copy is heard; null while the master is heard as uploaded. */
  readonly codec: CopyCodec | null
  /** The codec whose copy is being made; what was heard before is heard until it is there. */
  readonly making: CopyCodec | null
  /** The copy that could not be made or read, and why. */
  readonly failed: { readonly codec: CopyCodec; readonly refusal: Refusal } | null
}

/** Forms of the masters that are not heard as uploaded, by their versions. */
export type MasterForms = Readonly<Record<string, MasterForm>>

export const AS_UPLOADED: MasterForm = { codec: null, making: null, failed: null }

/** Returns the name of a form in the audio graph. */
export const formTrack = (version: string, form: string): string => `${version} ${form}`

/** Returns the version and the form of a track; null for a version as it is. */
export function partsOfTrack(track: string): { readonly version: string; readonly form: string | null } {
  const [version = '', form = null] = track.split(' ')
  return { version, form }
}

/** Returns the name in the audio graph of what is heard of a version. */
export function trackOf(copies: MasterForms, version: string): string {
  const codec = copies[version]?.codec
  return codec ? formTrack(version, codec) : version
}

/** Reports in which what is chosen was heard after which what was heard before it has faded out. */
const FADED_REPORTS = 4

/** The forms in the audio graph, or on their way into it. One that another has taken the place of is let go of once it has faded out. */
export class FormTracks {
  readonly #tracks = new Map<string, { readonly control: AbortController; isOpen: boolean }>()
  /** Reports in which what is chosen was heard, since the last track came. */
  #reports = 0

  has(track: string): boolean {
    return this.#tracks.has(track)
  }

  /** Adds a track that is being opened; the signal fires when it is let go of. */
  add(track: string): AbortSignal {
    const control = new AbortController()
    this.#tracks.set(track, { control, isOpen: false })
    return control.signal
  }

  /** Call once a track is open: from then on it can be let go of. */
  settle(track: string): void {
    const entry = this.#tracks.get(track)
    if (entry) entry.isOpen = true
    this.#reports = 0
  }

  /** Takes a track away that was dropped or could not be opened. */
  remove(track: string): void {
    this.#tracks.get(track)?.control.abort()
    this.#tracks.delete(track)
  }

  /** Call with every report. Returns the tracks to drop now, and forgets them; `isHeard` tells that what is chosen is heard. */
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
