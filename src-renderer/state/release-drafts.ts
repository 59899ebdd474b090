/** Unsaved changes of a release. Pure. */
import { DISCLOSURE_CATEGORIES, RELEASE_SUBJECTS, type ReleaseDisclosureChange } from '../../src-contract/disclosure.ts'
import type { Release, ReleaseChange, Track, TrackChange } from '../../src-contract/releases.ts'

/** Name of the facts of the release itself among the parts of a draft; tracks are named by their id. */
export const FACTS = 'release'

/** Returns the empty AI statements of a part, written out: a change keeps the members it omits. The cover is the release's alone. */
export function noStatements(part: string): ReleaseDisclosureChange {
  const subjects = part === FACTS ? RELEASE_SUBJECTS : DISCLOSURE_CATEGORIES
  return Object.fromEntries(subjects.map((subject) => [subject, null]))
}

/** Changes of one part: members with their new values. */
export type PartChange = Readonly<Record<string, unknown>>

/** Changes of a release by part. Empty without any. */
export type Draft = Readonly<Record<string, PartChange>>

/** Identity of one field of a draft. */
export const fieldOf = (part: string, member: string): string => `${part}.${member}`

/** Returns the draft with further changes of one part. */
export function withChange(draft: Draft, part: string, change: PartChange): Draft {
  return { ...draft, [part]: { ...draft[part], ...change } }
}

/** Returns the draft without the stored members, except those changed again meanwhile. */
export function withoutStored(draft: Draft, part: string, stored: PartChange): Draft {
  const { [part]: own = {}, ...others } = draft
  const left = Object.entries(own).filter(([member, value]) => !isSame(value, stored[member]))
  return left.length > 0 ? { ...others, [part]: Object.fromEntries(left) } : others
}

/** Returns the draft without a part. */
export function withoutPart(draft: Draft, part: string): Draft {
  const { [part]: _gone, ...others } = draft
  return others
}

/** Returns the next part with sendable changes, without those in `refused`; undefined without any. */
export function nextPart(draft: Draft, refused: Readonly<Record<string, string>>) {
  for (const [part, change] of Object.entries(draft)) {
    const entries = Object.entries(change).filter(([member]) => refused[fieldOf(part, member)] === undefined)
    if (entries.length > 0) return { part, change: Object.fromEntries(entries) }
  }
  return undefined
}

/**
 * Returns a release as edited: with its draft, its tracks in `order`, without those in `hidden`. Unchanged tracks stay
 * the same objects.
 */
export function written(
  release: Release,
  draft: Draft,
  order: readonly string[] | null,
  hidden: readonly string[],
): Release {
  const placeOf = new Map(order?.map((id, place) => [id, place]))
  const tracks = release.tracks
    .filter(({ track_id }) => !hidden.includes(track_id))
    .sort(
      (a, b) =>
        (placeOf.get(a.track_id) ?? Number.MAX_SAFE_INTEGER) - (placeOf.get(b.track_id) ?? Number.MAX_SAFE_INTEGER),
    )
    .map((track, index) => writtenTrack(track, draft[track.track_id], index + 1))
  return { ...release, ...(draft[FACTS] as ReleaseChange | undefined), tracks } as Release
}

function writtenTrack(track: Track, change: PartChange | undefined, position: number): Track {
  if (!change && track.position === position) return track
  return { ...track, ...(change as TrackChange | undefined), position } as Track
}

/** Returns a newer reading that reuses the equal objects of the older one. */
export function sharing(newer: Release, older: Release | null): Release {
  if (older?.release_id !== newer.release_id) return newer
  const known = new Map(older.tracks.map((track) => [track.track_id, track]))
  const tracks = newer.tracks.map((track) => {
    const before = known.get(track.track_id)
    return before && isSame(before, track) ? before : track
  })
  return { ...newer, tracks }
}

/** Returns whether two values of a member are equal. */
export const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
