/** Platforms of masters, in display order. */
import { appleMusic } from './apple_music.ts'
import { melon } from './melon.ts'
import type { PlatformFacts } from './platform.ts'
import { soundcloud } from './soundcloud.ts'
import { spotify } from './spotify.ts'
import { youtube } from './youtube.ts'

const ALL = [spotify, appleMusic, youtube, melon, soundcloud] as const

export type Platform = (typeof ALL)[number]['id']

/** Names of all platforms on the wire. */
export const PLATFORMS = ALL.map(({ id }) => id) as unknown as readonly [Platform, ...Platform[]]

const BY_ID = new Map<Platform, PlatformFacts>(ALL.map((facts) => [facts.id, facts]))

/** Returns the facts of a platform. */
export function platformFacts(platform: Platform): PlatformFacts {
  return BY_ID.get(platform)!
}

/** Returns the names of all platforms as a reader of `language` sees them. */
export function platformNames(language: keyof PlatformFacts['name']): Readonly<Record<Platform, string>> {
  return Object.fromEntries(ALL.map(({ id, name }) => [id, name[language]])) as Record<Platform, string>
}
