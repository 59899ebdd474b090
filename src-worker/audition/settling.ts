/** Wait for a sound to settle: no whole song is rendered that the next change of a moving control would throw away. */
import { setTimeout } from 'node:timers/promises'

/** Time without a change until a sound counts as settled, ms. */
const SETTLED_MS = 250

interface SettlingDeps {
  readonly nowMs: () => number
  /** Resolves after a time, or when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const MACHINE: SettlingDeps = {
  nowMs: () => performance.now(),
  wait: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
}

export class Settling {
  readonly #deps: SettlingDeps
  #changedAtMs = Number.NEGATIVE_INFINITY

  constructor(deps = MACHINE) {
    this.#deps = deps
  }

  /** Call with every new sound. */
  change(): void {
    this.#changedAtMs = this.#deps.nowMs()
  }

  /** Resolves once the sound has settled. Rejects with the reason of an aborted `signal`. */
  async settled(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const leftMs = this.#changedAtMs + SETTLED_MS - this.#deps.nowMs()
      if (leftMs <= 0) return
      await this.#deps.wait(leftMs, signal)
    }
  }
}
