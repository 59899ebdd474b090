/** The tray: current work of the service, its address, and access to the window. */
import { Menu, nativeImage, Tray } from 'electron'
import type { Activity } from './activity.ts'
import type { Words } from './text.ts'
import { activityLine, type TrayActions, trayTemplate } from './tray-menu.ts'

/** Creates the tray. */
export function createTray(deps: {
  readonly icon: string
  readonly baseUrl: string
  readonly words: () => Words
  readonly actions: TrayActions
}) {
  const image = nativeImage.createFromPath(deps.icon)
  if (process.platform === 'darwin') image.setTemplateImage(true)
  const tray = new Tray(image)
  tray.on('click', () => deps.actions.open())
  let shown = ''
  return {
    show(activity: Activity): void {
      const words = deps.words()
      const line = activityLine(activity, words)
      // Progress comes many times a second; an open menu must not be replaced under the pointer needlessly.
      const next = [words.open, line, activity.isOffline].join('|')
      if (next === shown) return
      shown = next
      tray.setToolTip(words.tooltip(line))
      tray.setContextMenu(Menu.buildFromTemplate(trayTemplate(deps.baseUrl, activity, words, deps.actions)))
    },
    destroy: () => tray.destroy(),
  }
}
