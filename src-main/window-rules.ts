/** Rules for a window's position and for links out of it. Pure. */
import type { WindowPlace } from './desktop-settings.ts'

/** Height of the page's title bar, CSS pixels. */
export const BAR_HEIGHT = 48

/** Returns the place, without its coordinates if no display shows enough of it to grab. Pure. */
export function onScreen(
  place: WindowPlace,
  displays: readonly { readonly workArea: { x: number; y: number; width: number; height: number } }[],
): WindowPlace {
  const { x, y, width } = place
  if (x === undefined || y === undefined) return place
  const isVisible = displays.some(({ workArea }) => {
    const overlap = Math.min(x + width, workArea.x + workArea.width) - Math.max(x, workArea.x)
    return overlap >= 120 && y >= workArea.y - 8 && y <= workArea.y + workArea.height - BAR_HEIGHT
  })
  if (isVisible) return place
  return { width, height: place.height, isMaximized: place.isMaximized }
}

/** Returns whether a link or a script may open an address outside the window: the web, and our own reference pages. */
export function mayOpenOutside(address: string, origin: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, origin: target, pathname } = new URL(address)
  return protocol === 'https:' || (target === origin && (pathname === '/docs' || pathname.startsWith('/docs/')))
}
