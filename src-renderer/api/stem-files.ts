/** Files that may be the stems of one song, as far as a page can tell before they are sent. */
import { rolesOfNames } from '../../src-contract/stem-roles.ts'

/** Fewest files that are asked about, and the most that their lengths differ, s. */
const FEWEST = 3
const MOST_APART_SECONDS = 0.5
/** Time after which a file whose length the browser does not tell counts as one of unknown length, ms. */
const READING_MS = 3000

export const isZip = ({ name }: Pick<File, 'name'>): boolean => /\.zip$/i.test(name)

/** Returns whether names are those of stems: all but at most one name a role, and not all the same one. Pure. */
export function areStemNames(names: readonly string[]): boolean {
  if (names.length < FEWEST) return false
  const roles = rolesOfNames(names).filter((role) => role !== undefined)
  return roles.length >= names.length - 1 && new Set(roles).size > 1
}

/** Returns the number of stems among files of a set: all but the one named as the full mix. Pure. */
export const stemCountOf = (files: readonly Pick<File, 'name'>[]): number =>
  rolesOfNames(files.map(({ name }) => name)).filter((role) => role !== 'mix').length

/** Returns whether lengths are those of stems; unknown ones count as equal. Pure. */
function areEqualLengths(seconds: readonly (number | null)[]): boolean {
  const known = seconds.filter((one) => one !== null)
  return known.length === 0 || Math.max(...known) - Math.min(...known) <= MOST_APART_SECONDS
}

/** Returns whether files look like the stems of one song, by their names and lengths. Never throws. */
export async function areStems(files: readonly File[]): Promise<boolean> {
  return areStemNames(files.map(({ name }) => name)) && areEqualLengths(await Promise.all(files.map(secondsOf)))
}

/** Returns the length of a file as the browser reads it, s; null where it cannot. */
function secondsOf(file: File): Promise<number | null> {
  const address = URL.createObjectURL(file)
  return new Promise<number | null>((resolve) => {
    const audio = new Audio()
    audio.preload = 'metadata'
    audio.onloadedmetadata = () => resolve(Number.isFinite(audio.duration) ? audio.duration : null)
    audio.onerror = () => resolve(null)
    setTimeout(resolve, READING_MS, null)
    audio.src = address
  }).finally(() => URL.revokeObjectURL(address))
}
