/** Graceful quitting: one question if songs are in progress, then the server closes before the program ends. */
import { app, dialog, powerMonitor } from 'electron'
import { endProcess } from '../src-system/system.ts'
import type { Activity } from './activity.ts'
import type { Words } from './text.ts'
import type { MainWindow } from './window.ts'

export interface QuitDeps {
  readonly window: Pick<MainWindow, 'owner'>
  readonly words: () => Words
  readonly activity: () => Activity
  /** Returns whether the program keeps running when its window is closed. */
  readonly keepsRunning: () => boolean
  /** Stops the work and closes the server; running songs continue at the next start. */
  readonly stop: () => Promise<void>
}

/** Shutdown of the program. Handles `before-quit` and the end of the system's session from `install` on. */
export class Quit {
  readonly #deps: QuitDeps
  #stage: 'running' | 'asking' | 'finishing' | 'stopping' | 'stopped' = 'running'

  constructor(deps: QuitDeps) {
    this.#deps = deps
  }

  install(): void {
    app.on('before-quit', (event) => {
      if (this.#stage === 'stopped') return
      event.preventDefault()
      this.#wishToQuit()
    })
    // A system shutdown or sign-out waits for no answer, and on macOS a question would cancel it. Songs in progress continue at the next
    // start.
    const sessionEnds = (event: Electron.Event) => {
      event.preventDefault()
      if (this.#stage !== 'stopping' && this.#stage !== 'stopped') void this.#stopAndQuit()
    }
    powerMonitor.on('shutdown', sessionEnds as () => void)
  }

  /** Quits if the user chose to let the songs finish and the last one has; call it when the activity changes. */
  activityChanged(): void {
    if (this.#stage === 'finishing' && this.#countSongs() === 0) void this.#stopAndQuit()
  }

  /**
   * Returns how to handle a window that the user closes: it closes, hides while the program keeps running, or stays until a question is
   * answered, because closing it would end the program during work.
   */
  closedByUser(): 'closes' | 'hides' | 'stays' {
    if (this.#stage === 'stopping' || this.#stage === 'stopped') return 'closes'
    if (this.#stage === 'asking') return 'stays'
    if (this.#stage === 'finishing' || this.#deps.keepsRunning()) return 'hides'
    if (this.#countSongs() === 0) return 'closes'
    app.quit()
    return 'stays'
  }

  /** Returns the number of songs in progress or waiting. */
  #countSongs(): number {
    const { unfinished, waiting } = this.#deps.activity()
    return unfinished + waiting
  }

  #wishToQuit(): void {
    // Asked once: a second quit while the songs finish means now.
    if (this.#stage === 'finishing') void this.#stopAndQuit()
    if (this.#stage !== 'running') return
    const count = this.#countSongs()
    if (count > 0) void this.#ask(count)
    else void this.#stopAndQuit()
  }

  async #ask(count: number): Promise<void> {
    this.#stage = 'asking'
    const words = this.#deps.words()
    const options = {
      type: 'question' as const,
      message: words.quitTitle(count),
      detail: words.quitDetail,
      buttons: [words.quitFinish, words.quitStop, words.cancel],
      defaultId: 0,
      cancelId: 2,
      noLink: true,
    }
    const owner = this.#deps.window.owner()
    const { response } = await (owner ? dialog.showMessageBox(owner, options) : dialog.showMessageBox(options))
    // The system may have ended the session meanwhile.
    if (this.#stage !== 'asking') return
    if (response === 1) await this.#stopAndQuit()
    else if (response === 0) {
      this.#stage = 'finishing'
      this.activityChanged()
    } else this.#stage = 'running'
  }

  async #stopAndQuit(): Promise<void> {
    this.#stage = 'stopping'
    await this.#deps.stop().catch(() => {})
    this.#stage = 'stopped'
    await endProcess(() => app.quit())
  }
}
