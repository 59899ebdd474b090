/**
 * The address within the page: `#/history`, `#/listen/<job>`, `#/listen/<job>/<other job or "compare">`. A fragment, so that the
 * page works under any base address.
 */
import { useSyncExternalStore } from 'react'

/** Navigation properties of a screen. */
interface ScreenRoute {
  /** Shown in the navigation, in the order of the table. */
  readonly isInNavigation: boolean
  /** An address without a detail leads to the Master screen instead. */
  readonly requiresDetail?: true
}

/**
 * Every screen by its path. Its component (screens/screens.tsx) and its title in each language (`screens` of text/en.ts and text/ko.ts)
 * are typed by this table: a screen without one of them does not compile.
 */
export const SCREENS = {
  master: { isInNavigation: true },
  release: { isInNavigation: true },
  history: { isInNavigation: true },
  automate: { isInNavigation: false },
  settings: { isInNavigation: false },
  listen: { isInNavigation: false, requiresDetail: true },
} as const satisfies Readonly<Record<string, ScreenRoute>>
export type Screen = keyof typeof SCREENS

const routeFacts = (screen: Screen): ScreenRoute => SCREENS[screen]
const screens = Object.keys(SCREENS) as Screen[]

/** Screens of the navigation, in order. */
export const NAVIGATION: readonly Screen[] = screens.filter((screen) => routeFacts(screen).isInNavigation)

export interface Route {
  readonly screen: Screen
  /** Rest of the address: a section of the settings, or the job to play and the one to compare. May be empty. */
  readonly detail: string
}

const HOME: Route = { screen: 'master', detail: '' }

/**
 * Parses a fragment. An unknown screen, and the address of a job without one, gives the Master screen; an invalid detail
 * is empty.
 */
export function routeOf(fragment: string): Route {
  const [name = '', ...rest] = fragment.replace(/^#\/?/, '').split('/')
  const screen = screens.find((one) => one === name)
  const detail = decoded(rest.join('/'))
  if (!screen) return HOME
  const lacksDetail = routeFacts(screen).requiresDetail && (detail === '' || detail.startsWith('/'))
  return !lacksDetail ? { screen, detail } : HOME
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Returns the fragment of a route, for `href`. */
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

const currentFragment = () => location.hash

/** Returns the current route, as it changes. */
export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, currentFragment))
}
