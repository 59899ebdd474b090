/** Events of the desktop application: screens to open, files added outside the page, colours of the frame. */
import type { DesktopBridge, Place } from '../../src-main/bridge.ts'
import { go } from '../router.ts'
import type { BatchActions } from './batch.ts'
import type { PreferencesStore } from './preferences.ts'

function openPlace(place: Place): void {
  if (place.screen === 'listen') go('listen', place.jobId)
  else if (place.screen === 'keys') go('settings', 'api-keys')
  else if (place.screen === 'batch') go('history')
  else go(place.screen)
}

export interface DesktopParts {
  readonly bridge: DesktopBridge
  readonly preferences: PreferencesStore
  readonly batch: Pick<BatchActions, 'showRefused' | 'read'>
}

/** Connects the page with the desktop for as long as the page lives. */
export function followDesktop({ bridge, preferences, batch }: DesktopParts): void {
  const tell = () => {
    const { theme, language } = preferences.getState()
    void bridge.setAppearance({ theme, language }).catch(() => undefined)
  }
  preferences.subscribe(tell)
  tell()
  bridge.onOpenPlace(openPlace)
  bridge.onIntake((report) => {
    batch.showRefused(report.refused)
    void batch.read().catch(() => undefined)
  })
}
