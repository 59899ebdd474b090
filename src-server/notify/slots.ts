/** Slots for running attempts, divided among receivers to keep hanging ones from delaying the others. Pure. */

/** Limit of concurrent attempts in all. Each costs one socket. */
const MAX_AT_ONCE = 64
/** Attempts at once to origins not known to be prompt. The other slots are reserved for prompt origins. */
const MAX_UNPROVEN = 48
/** Limit of concurrent attempts to origins that were slow last time. */
const MAX_SLOW = 16
/** Attempts at once to one origin: two if the last attempt ended promptly, else one. */
const MAX_PER_PROMPT_ORIGIN = 2
/** Longest attempt that counts as prompt, accepted or refused. A failed connect takes no longer. */
const PROMPT_MS = 5000
/** Origins remembered, those attempted last. */
const MAX_REMEMBERED = 1000

/** The slots. An origin is unproven until its first attempt has ended. */
export class Slots {
  readonly #promptByOrigin = new Map<string, boolean>()

  /** Returns whether another attempt to `origin` may start with those in `taken` running, one entry per attempt. */
  isFree(origin: string, taken: readonly string[]): boolean {
    if (taken.length >= MAX_AT_ONCE) return false
    const own = taken.filter((one) => one === origin).length
    if (!this.#isUnproven(origin)) return own < MAX_PER_PROMPT_ORIGIN
    if (own > 0 || taken.filter((one) => this.#isUnproven(one)).length >= MAX_UNPROVEN) return false
    return !this.#isSlow(origin) || taken.filter((one) => this.#isSlow(one)).length < MAX_SLOW
  }

  /** Records how long an attempt held its slot, ms. */
  note(origin: string, heldMs: number): void {
    this.#promptByOrigin.delete(origin)
    this.#promptByOrigin.set(origin, heldMs < PROMPT_MS)
    const [oldest] = this.#promptByOrigin.keys()
    if (this.#promptByOrigin.size > MAX_REMEMBERED && oldest !== undefined) this.#promptByOrigin.delete(oldest)
  }

  #isUnproven(origin: string): boolean {
    return this.#promptByOrigin.get(origin) !== true
  }

  #isSlow(origin: string): boolean {
    return this.#promptByOrigin.get(origin) === false
  }
}
