/** The tray: what the service is doing, its address, and the way back to the window. */
import { clipboard, Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron'
import type { Activity } from './activity.ts'
import type { Place } from './bridge.ts'
import type { Words } from './text.ts'

export interface TrayActions {
  open(): void
  openPlace(place: Place): void
  setPaused(isPaused: boolean): void
  quit(): void
}

/** Returns one line about the work. Pure. */
export function activityLine({ unfinished, waiting, isPaused }: Activity, words: Words): string {
  if (isPaused) return words.paused
  return unfinished + waiting > 0 ? words.working(unfinished + waiting) : words.idle
}

/** Returns a request that works once the reader's key is in `LOUDSMITH_KEY`: the key itself is shown once, where it is made. */
export function sampleRequest(baseUrl: string): string {
  return `curl -H "Authorization: Bearer $LOUDSMITH_KEY" -F file=@song.wav -F platforms=spotify,youtube ${baseUrl}/api/v1/master`
}

/** Returns the menu of the tray as a template. Pure apart from what its items do. */
export function trayTemplate(
  baseUrl: string,
  activity: Activity,
  isOffline: boolean,
  words: Words,
  actions: TrayActions,
): MenuItemConstructorOptions[] {
  return [
    { id: 'open', label: words.open, click: () => actions.open() },
    { type: 'separator' },
    { id: 'api', label: words.apiAt(baseUrl), enabled: false },
    ...(isOffline ? [{ id: 'offline', label: words.apiOffline, enabled: false }] : []),
    { id: 'activity', label: activityLine(activity, words), enabled: false },
    { id: 'copy-address', label: words.copyAddress, click: () => clipboard.writeText(baseUrl) },
    { id: 'copy-request', label: words.copyRequest, click: () => clipboard.writeText(sampleRequest(baseUrl)) },
    { id: 'keys', label: words.keys, click: () => actions.openPlace({ screen: 'keys' }) },
    { type: 'separator' },
    {
      id: 'pause',
      label: activity.isPaused ? words.resume : words.pause,
      click: () => actions.setPaused(!activity.isPaused),
    },
    { id: 'quit', label: words.quit, click: () => actions.quit() },
  ]
}

/** Puts the tray up; null where the desktop has none. */
export function createTray(options: {
  readonly icon: string
  readonly baseUrl: string
  readonly words: () => Words
  readonly actions: TrayActions
}) {
  const image = nativeImage.createFromPath(options.icon)
  if (process.platform === 'darwin') image.setTemplateImage(true)
  const tray = new Tray(image)
  tray.on('click', () => options.actions.open())
  let shown = ''
  return {
    show(activity: Activity, isOffline: boolean): void {
      const words = options.words()
      const line = activityLine(activity, words)
      // Progress comes many times a second; an open menu must not be replaced under the pointer for nothing.
      const next = [words.open, line, isOffline].join('|')
      if (next === shown) return
      shown = next
      tray.setToolTip(words.tooltip(line))
      tray.setContextMenu(
        Menu.buildFromTemplate(trayTemplate(options.baseUrl, activity, isOffline, words, options.actions)),
      )
    },
    destroy: () => tray.destroy(),
  }
}
