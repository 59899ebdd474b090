/** Rendering order of passages: the newest sound's passages come before those of the sounds it replaced. */
import { setImmediate } from 'node:timers/promises'

interface Waiting {
  readonly sound: string
  readonly render: () => void
}

export class PassageTurns {
  /** In the order of the requests. */
  readonly #waiting: Waiting[] = []
  #newest = ''
  #isRunning = false

  /** Marks a sound as the newest; its passages go before all others. */
  prefer(sound: string): void {
    this.#newest = sound
  }

  /** Renders a passage when its turn comes; messages are received between two passages. Rejects with the error of `render`. */
  take<Result>(sound: string, render: () => Result): Promise<Result> {
    const rendered = new Promise<Result>((resolve, reject) => {
      this.#waiting.push({
        sound,
        render() {
          try {
            resolve(render())
          } catch (error) {
            reject(error)
          }
        },
      })
    })
    if (!this.#isRunning) void this.#run()
    return rendered
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await setImmediate()
      const newest = this.#waiting.findIndex(({ sound }) => sound === this.#newest)
      const [next] = this.#waiting.splice(Math.max(0, newest), 1)
      next!.render()
    }
    this.#isRunning = false
  }
}
