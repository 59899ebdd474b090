/** The loop: a part of the item that repeats. */
export interface LoopRange {
  readonly startSeconds: number
  readonly endSeconds: number
}

/** The loop's part of the playback state. */
export interface LoopState {
  readonly loop: LoopRange | null
  readonly isLooping: boolean
}

export interface LoopingDeps {
  readonly state: () => LoopState & { readonly durationSeconds: number }
  readonly change: (next: Partial<LoopState>) => void
  /** Passes the loop to the audio graph. */
  readonly setRange: (range: LoopRange | null) => void
  readonly position: () => number
  readonly seek: (seconds: number, restartsIntegrated: boolean) => void
}

const SHORTEST_LOOP_SECONDS = 0.5
const NEW_LOOP_SECONDS = 8

/** The actions of the loop. */
export class Looping {
  readonly #deps: LoopingDeps

  constructor(deps: LoopingDeps) {
    this.#deps = deps
  }

  markStart(): void {
    const { loop } = this.#deps.state()
    const now = this.#deps.position()
    const end = loop && loop.endSeconds > now ? loop.endSeconds : now + NEW_LOOP_SECONDS
    this.#change({ loop: this.#between(now, end) })
  }

  markEnd(): void {
    const { loop } = this.#deps.state()
    const now = this.#deps.position()
    const start = loop && loop.startSeconds < now ? loop.startSeconds : now - NEW_LOOP_SECONDS
    this.#change({ loop: this.#between(start, now) })
  }

  set({ startSeconds, endSeconds }: LoopRange): void {
    this.#change({ loop: this.#between(startSeconds, endSeconds), isLooping: true })
  }

  readonly toggle = (): void => {
    const { loop, isLooping } = this.#deps.state()
    const now = this.#deps.position()
    this.#change({ isLooping: !isLooping, loop: loop ?? this.#between(now, now + NEW_LOOP_SECONDS) })
  }

  /** Applies the loop and moves the playhead into it. */
  apply(): void {
    const { state, setRange, position, seek } = this.#deps
    const { loop, isLooping } = state()
    setRange(isLooping ? loop : null)
    if (!isLooping || !loop) return
    if (position() < loop.startSeconds || position() >= loop.endSeconds) seek(loop.startSeconds, true)
  }

  #change(next: Partial<LoopState>): void {
    this.#deps.change(next)
    this.apply()
  }

  /** Returns the loop between two positions, inside the item and no shorter than the minimum. */
  #between(startSeconds: number, endSeconds: number): LoopRange {
    const { durationSeconds } = this.#deps.state()
    const start = Math.max(0, Math.min(startSeconds, durationSeconds - SHORTEST_LOOP_SECONDS))
    return {
      startSeconds: start,
      endSeconds: Math.min(durationSeconds, Math.max(endSeconds, start + SHORTEST_LOOP_SECONDS)),
    }
  }
}
