/** Order of the passages that are to be rendered: those of the newest sound go before those of the sounds it replaced. */
import { setImmediate } from 'node:timers/promises'

interface Waiting {
  readonly sound: string
  readonly render: () => void
}

export class PassageTurns {
  /** In the order in which they were asked for. */
  readonly #waiting: Waiting[] = []
  #newest = ''
  #isRunning = false

  /** Puts the passages of a sound, the newest, before those of all others. */
  prefer(sound: string): void {
    this.#newest = sound
  }

  /** Renders a passage of a sound when it is its turn; between two passages messages are received. Rejects with what `render` throws. */
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
