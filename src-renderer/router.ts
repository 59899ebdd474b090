/** The address within the page: `#/history`, `#/listen/<job>`, `#/listen/<job>/<other job or "compare">`. A fragment, so that the page works under any base address. */
import { useSyncExternalStore } from 'react'

export const SCREENS = ['master', 'history', 'automate', 'settings', 'listen'] as const
export type Screen = (typeof SCREENS)[number]

export interface Route {
  readonly screen: Screen
  /** What follows the screen: a section of the settings, the job to listen to and what it is compared with. May be empty. */
  readonly detail: string
}

/** Reads a fragment; what it does not know is the Master screen. */
export function routeOf(fragment: string): Route {
  const [screen = '', ...rest] = fragment.replace(/^#\/?/, '').split('/')
  const known = SCREENS.find((one) => one === screen)
  return { screen: known ?? 'master', detail: known ? decodeURIComponent(rest.join('/')) : '' }
}

/** The fragment of a route, for `href`. */
export function addressOf(screen: Screen, detail = ''): string {
  const parts = detail.split('/').map(encodeURIComponent).join('/')
  return screen === 'master' ? '#/' : `#/${screen}${detail ? `/${parts}` : ''}`
}

/** Goes to a screen. */
export function go(screen: Screen, detail = ''): void {
  location.hash = addressOf(screen, detail)
}

const subscribe = (onChange: () => void) => {
  addEventListener('hashchange', onChange)
  return () => removeEventListener('hashchange', onChange)
}

/** The current route, as it changes. */
export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, () => location.hash))
}
