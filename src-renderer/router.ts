/**
 * The address within the page: `#/history`, `#/listen/<job>`, `#/listen/<job>/<other job or "compare">`. A fragment, so that the
 * page works under any base address.
 */
import { useSyncExternalStore } from 'react'

export const SCREENS = ['master', 'history', 'automate', 'settings', 'listen'] as const
export type Screen = (typeof SCREENS)[number]

export interface Route {
  readonly screen: Screen
  /** What follows the screen: a section of the settings, the job to listen to and what it is compared with. May be empty. */
  readonly detail: string
}

const HOME: Route = { screen: 'master', detail: '' }

/**
 * Reads a fragment. A screen that it does not know, and listening to no job, is the Master screen; a detail that cannot be read is
 * none.
 */
export function routeOf(fragment: string): Route {
  const [name = '', ...rest] = fragment.replace(/^#\/?/, '').split('/')
  const screen = SCREENS.find((one) => one === name)
  const detail = decoded(rest.join('/'))
  const isOfNoJob = screen === 'listen' && (detail === '' || detail.startsWith('/'))
  return screen && !isOfNoJob ? { screen, detail } : HOME
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
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

/** The list that was on screen last. */
let lastList: 'master' | 'history' = 'master'

/** The list from which a song was opened to be heard: where the way back from the Listen screen leads. */
export const originOfListen = () => lastList

const subscribe = (onChange: () => void) => {
  addEventListener('hashchange', onChange)
  return () => removeEventListener('hashchange', onChange)
}

function currentFragment(): string {
  const { screen } = routeOf(location.hash)
  // Noted with the reading, not with the event: a screen may be drawn for another reason before the event comes.
  if (screen === 'master' || screen === 'history') lastList = screen
  return location.hash
}

/** The current route, as it changes. */
export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, currentFragment))
}
