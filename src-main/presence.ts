/** Presence of running work on the desktop: badge, taskbar, notifications, and keeping the machine awake. */
import { app, Notification, nativeImage, powerSaveBlocker } from 'electron'
import type { Activity, EndedBatch } from './activity.ts'
import { batchNotice, placeOfBatch } from './batch-notice.ts'
import type { Place } from './bridge.ts'
import type { Words } from './text.ts'
import type { MainWindow } from './window.ts'

/** Returns the indicators of work outside the window; nothing is shown before the first `show`. */
export function createPresence(deps: {
  readonly window: MainWindow
  readonly words: () => Words
  readonly notifies: () => boolean
  readonly openPlace: (place: Place) => void
  readonly badgeIcon: string
}) {
  let blocker: number | undefined
  /** Shown notifications: a garbage-collected one no longer reacts to clicks. */
  const shown = new Set<Notification>()

  function keepAwake(isNeeded: boolean): void {
    if (isNeeded && blocker === undefined) blocker = powerSaveBlocker.start('prevent-app-suspension')
    if (!isNeeded && blocker !== undefined) {
      powerSaveBlocker.stop(blocker)
      blocker = undefined
    }
  }

  function showCount(count: number): void {
    if (process.platform !== 'win32') {
      app.setBadgeCount(count)
      return
    }
    const icon = count > 0 ? nativeImage.createFromPath(deps.badgeIcon) : null
    deps.window.current()?.setOverlayIcon(icon, count > 0 ? deps.words().working(count) : '')
  }

  return {
    /** Shows the current state of the work. */
    show({ unfinished, waiting, isPaused, fraction }: Activity): void {
      keepAwake(unfinished > 0)
      showCount(unfinished + waiting)
      deps.window.current()?.setProgressBar(fraction ?? -1, { mode: isPaused ? 'paused' : 'normal' })
    },
    /** Notifies of an ended batch, unless the window is in front or the user has disabled it. */
    announce(batch: EndedBatch): void {
      if (!deps.notifies() || !Notification.isSupported() || deps.window.current()?.isFocused()) return
      const notification = new Notification({ ...batchNotice(batch, deps.words()), silent: true })
      shown.add(notification)
      notification.on('click', () => deps.openPlace(placeOfBatch(batch)))
      notification.on('close', () => shown.delete(notification))
      notification.show()
    },
    /** Lets the machine sleep again and clears the badge at the end of the program. */
    clear(): void {
      keepAwake(false)
      showCount(0)
    },
  }
}
