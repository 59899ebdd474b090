/** Songs that a control of the workspace changes: sound belongs to a song, delivery to the batch. Pure. */
import { DEFAULT_SETTINGS, type MasterSettings } from '../../src-contract/settings.ts'

/** Parts of the settings, each with a scope of its own. */
export type SettingsPart = 'sound' | 'delivery'

/** Songs in scope: the selected ones, or all. */
export type ScopeChoice = 'selected' | 'all'

type SettingName = keyof MasterSettings

/** Settings of delivery; all others belong to the sound. */
const DELIVERY: readonly SettingName[] = [
  'platforms',
  'tier',
  'loudness',
  'target_lufs',
  'reference_loudness',
  'formats',
  'release_master',
  'release_level',
  'naming',
  'ascii_names',
  'file_tags',
]

/** The part with which each scope begins. */
export const FIRST_SCOPE: Readonly<Record<SettingsPart, ScopeChoice>> = { sound: 'selected', delivery: 'all' }

const names = Object.keys({ ...DEFAULT_SETTINGS, platforms: [] }) as SettingName[]

/** Names of the settings of each part. */
export const PARTS: Readonly<Record<SettingsPart, readonly SettingName[]>> = {
  sound: names.filter((name) => !DELIVERY.includes(name)),
  delivery: names.filter((name) => DELIVERY.includes(name)),
}

/** Returns whether two songs have the same value of a setting. */
export const isSameSetting = (a: MasterSettings, b: MasterSettings, name: SettingName): boolean =>
  JSON.stringify(a[name]) === JSON.stringify(b[name])

/**
 * Returns whether a song's own settings differ from those of all songs in a part. The service that made a song is a fact about it, not a
 * setting of its own.
 */
export const isOwn = (own: MasterSettings | null | undefined, common: MasterSettings, part: SettingsPart): boolean =>
  own !== null &&
  own !== undefined &&
  PARTS[part].some((name) => name !== 'ai_service' && !isSameSetting(own, common, name))

/**
 * Returns the own settings of a song after a change of all songs: only values that it shared follow. null where nothing of its own is left.
 */
export function followedSettings(
  own: MasterSettings,
  before: MasterSettings,
  change: Partial<MasterSettings>,
): MasterSettings | null {
  const shared = (Object.keys(change) as SettingName[]).filter((name) => isSameSetting(own, before, name))
  const next = { ...own, ...Object.fromEntries(shared.map((name) => [name, change[name]])) }
  return ownOrNull(next, { ...before, ...change })
}

/** Returns settings of a song's own, or null where they equal those of all songs. */
export const ownOrNull = (own: MasterSettings, common: MasterSettings): MasterSettings | null =>
  names.every((name) => isSameSetting(own, common, name)) ? null : own

/** Returns the own settings of a song with one part as in all songs; null where nothing of its own is left. */
export function withoutOwnPart(own: MasterSettings, common: MasterSettings, part: SettingsPart): MasterSettings | null {
  const values = PARTS[part].filter((name) => name !== 'ai_service').map((name) => [name, common[name]])
  return ownOrNull({ ...own, ...Object.fromEntries(values) }, common)
}

/** Returns the names of the settings that differ from the last in any of the others. */
export function mixedNames(all: readonly MasterSettings[]): ReadonlySet<string> {
  const last = all.at(-1)
  if (!last) return new Set()
  return new Set(names.filter((name) => all.some((one) => !isSameSetting(one, last, name))))
}
