/** Quitting in order: one question when songs are in work, then the server closes before the program ends. */
import { app, dialog, powerMonitor } from 'electron'
import { endProcess } from '../src-system/system.ts'
import type { Activity } from './activity.ts'
import type { Words } from './text.ts'
import type { MainWindow } from './window.ts'

export interface QuitParts {
  readonly window: MainWindow
  readonly words: () => Words
  readonly activity: () => Activity
  /** Tells whether the program stays when its window is closed. */
  readonly keepsRunning: () => boolean
  /** Stops the work and closes the server; running songs go on at the next start. */
  readonly stop: () => Promise<void>
}

/**
 * Takes over `before-quit` and the end of the system's session. Returns what must be told when the activity changes, and what a
 * closing window means.
 */
export function installQuit(parts: QuitParts) {
  let stage: 'running' | 'asking' | 'finishing' | 'stopping' | 'stopped' = 'running'

  async function stopAndQuit(): Promise<void> {
    stage = 'stopping'
    await parts.stop().catch(() => {})
    stage = 'stopped'
    await endProcess(() => app.quit())
  }

  async function ask(count: number): Promise<void> {
    stage = 'asking'
    const words = parts.words()
    const options = {
      type: 'question' as const,
      message: words.quitTitle(count),
      detail: words.quitDetail,
      buttons: [words.quitFinish, words.quitStop, words.cancel],
      defaultId: 0,
      cancelId: 2,
      noLink: true,
    }
    const owner = parts.window.owner()
    const { response } = await (owner ? dialog.showMessageBox(owner, options) : dialog.showMessageBox(options))
    // The system may have ended the session meanwhile.
    if (stage !== 'asking') return
    if (response === 1) await stopAndQuit()
    else if (response === 0) {
      stage = 'finishing'
      finishIfIdle()
    } else stage = 'running'
  }

  function finishIfIdle(): void {
    const { unfinished, waiting } = parts.activity()
    if (stage === 'finishing' && unfinished + waiting === 0) void stopAndQuit()
  }

  app.on('before-quit', (event) => {
    if (stage === 'stopped') return
    event.preventDefault()
    // Asked once: a second wish to quit while the songs finish means now.
    if (stage === 'finishing') void stopAndQuit()
    if (stage !== 'running') return
    const { unfinished, waiting } = parts.activity()
    if (unfinished + waiting > 0) void ask(unfinished + waiting)
    else void stopAndQuit()
  })

  // The system that shuts down, or signs the user out, waits for no answer: on macOS a question would call its own end off. What is
  // in work goes on at the next start.
  const sessionEnds = (event: Electron.Event) => {
    event.preventDefault()
    if (stage !== 'stopping' && stage !== 'stopped') void stopAndQuit()
  }
  powerMonitor.on('shutdown', sessionEnds as () => void)

  /**
   * Returns what becomes of a window that the user closes: it is closed, or hidden while the program goes on, or it stays because
   * closing it would end the program in the middle of its work, and that is asked first.
   */
  function closedByUser(): 'closes' | 'hides' | 'stays' {
    if (stage === 'stopping' || stage === 'stopped') return 'closes'
    if (stage === 'asking') return 'stays'
    if (stage === 'finishing' || parts.keepsRunning()) return 'hides'
    const { unfinished, waiting } = parts.activity()
    if (unfinished + waiting === 0) return 'closes'
    app.quit()
    return 'stays'
  }

  return { activityChanged: finishIfIdle, closedByUser }
}
