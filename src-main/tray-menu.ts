/** Text and menu of the tray. */
import type { MenuItemConstructorOptions } from 'electron'
import type { Activity } from './activity.ts'
import type { Place } from './bridge.ts'
import type { Words } from './text.ts'

export interface TrayActions {
  open(): void
  copy(text: string): void
  openPlace(place: Place): void
  setPaused(isPaused: boolean): void
  quit(): void
}

/** Returns one line about the work. Pure. */
export function activityLine({ unfinished, waiting, isPaused }: Activity, words: Words): string {
  if (isPaused) return words.paused
  return unfinished + waiting > 0 ? words.working(unfinished + waiting) : words.idle
}

/** Returns a sample request for a key in `LOUDSMITH_KEY`; the key itself is shown only once, at its creation. */
export function sampleRequest(baseUrl: string): string {
  return `curl -H "Authorization: Bearer $LOUDSMITH_KEY" -F file=@song.wav -F platforms=spotify,youtube ${baseUrl}/api/v1/master`
}

/** Returns the menu of the tray as a template. Pure. */
export function trayTemplate(
  baseUrl: string,
  activity: Activity,
  words: Words,
  actions: TrayActions,
): MenuItemConstructorOptions[] {
  return [
    { id: 'open', label: words.open, click: () => actions.open() },
    { type: 'separator' },
    { id: 'api', label: words.apiAt(baseUrl), enabled: false },
    ...(activity.isOffline ? [{ id: 'offline', label: words.apiOffline, enabled: false }] : []),
    { id: 'activity', label: activityLine(activity, words), enabled: false },
    { id: 'copy-address', label: words.copyAddress, click: () => actions.copy(baseUrl) },
    { id: 'copy-request', label: words.copyRequest, click: () => actions.copy(sampleRequest(baseUrl)) },
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
