/** Tracks that come to a player and go while it plays: one that another has taken the place of is let go of once it has faded out. */

/** Reports in which what is chosen was heard after which what was heard before it has faded out. */
const FADED_REPORTS = 4

/** The names of the tracks that are on the player, or on their way to it. */
export class PassingTracks {
  readonly #open = new Set<string>()
  /** Those of them that are still opened: they are not left. */
  readonly #coming = new Set<string>()
  /** Reports in which what is chosen was heard, since the last track came. */
  #reports = 0

  has(track: string): boolean {
    return this.#open.has(track)
  }

  /** Adds a track that is being opened. */
  add(track: string): void {
    this.#open.add(track)
    this.#coming.add(track)
  }

  /** Call once a track is open. */
  settle(track: string): void {
    this.#coming.delete(track)
    this.#reports = 0
  }

  /** Takes a track away that was dropped or could not be opened. */
  remove(track: string): void {
    this.#open.delete(track)
    this.#coming.delete(track)
  }

  /**
   * Call with every report of the player. Returns the tracks that are to be dropped now and forgets them: those that are neither kept
   * nor on their way, once what is chosen (`isHeard`) was heard for as long as a fade takes.
   */
  faded(isHeard: boolean, isKept: (track: string) => boolean): string[] {
    const left = [...this.#open].filter((track) => !isKept(track) && !this.#coming.has(track))
    if (!isHeard || left.length === 0) return []
    this.#reports += 1
    if (this.#reports < FADED_REPORTS) return []
    for (const track of left) this.#open.delete(track)
    this.#reports = 0
    return left
  }

  clear(): void {
    this.#open.clear()
    this.#coming.clear()
  }
}
