/** Releases without a database: the effect of a change. Pure. */

import { cleanName } from '../../src-contract/clean-name.ts'
import type { StoredCover } from '../../src-contract/covers.ts'
import { DISCLOSURE_CATEGORIES, RELEASE_SUBJECTS } from '../../src-contract/disclosure.ts'
import { isrcOf } from '../../src-contract/isrc.ts'
import { MAX_RELEASE_TRACKS } from '../../src-contract/limits.ts'
import type { Release, ReleaseChange, Track, TrackChange } from '../../src-contract/releases.ts'
import { SETTINGS } from '../../src-contract/settings.ts'
import { AppError, checkedAt, unusable } from '../http/app-error.ts'
import { requireName } from '../http/display-name.ts'
import { isDate, languageOf, upcOf } from './codes.ts'
import { changedDisclosure } from './disclosure.ts'

/** Facts of a release, with their names on the wire; the loudness mode is absent if it follows from the kind. */
export type ReleaseFacts = Omit<
  Release,
  'release_id' | 'cover' | 'created_at' | 'changed_at' | 'tracks' | 'mastering' | 'loudness_mode'
> &
  Partial<Pick<Release, 'loudness_mode'>>

/** Facts of a track, with their names on the wire. */
export type TrackFacts = Omit<
  Track,
  'track_id' | 'position' | 'source_id' | 'job_id' | 'state' | 'duration_seconds' | 'master'
>

/** The song of a track: a stored one, a job's, or none yet. */
export interface TrackSong {
  readonly sourceId?: string
  readonly jobId?: string
}

export interface TrackRecord extends TrackSong {
  readonly trackId: string
  readonly facts: TrackFacts
}

/** A stored release. Times are milliseconds since 1970. */
export interface ReleaseRecord {
  readonly releaseId: string
  /** The creating key; absent for the app itself. */
  readonly keyId?: string
  readonly facts: ReleaseFacts
  readonly tracks: readonly TrackRecord[]
  readonly cover?: StoredCover
  readonly createdAtMs: number
  readonly changedAtMs: number
}

/** Title and artist of a song, the defaults of its track. */
export interface SongNames {
  readonly title: string
  readonly artist?: string
}

/** Default facts of a release and a track: those of an earlier version lack some. */
export const NEW_RELEASE = { coherence: false, level_generated: true }
export const NEW_TRACK: TrackFacts = {
  ...{ title: '', artists: [], composers: [], lyricists: [], explicit: false },
  ...{
    gap_before_seconds: 0,
    gap_in_file: false,
    continuous_with_next: false,
    trim_start_seconds: 0,
    trim_end_seconds: 0,
  },
  ...{ fade_in_seconds: 0, fade_in_shape: SETTINGS.fade_in_shape.standard },
  ...{ fade_out_seconds: 0, fade_out_shape: SETTINGS.fade_out_shape.standard },
}

const OPTIONAL_FACTS = ['release_date', 'label', 'upc', 'genre', 'language', 'p_line', 'c_line'] as const
const OPTIONAL_TRACK_FACTS = ['version', 'isrc'] as const

/**
 * Returns the facts of a release after a change; an empty value removes an optional one. Throws INVALID_REQUEST, naming the field, for an
 * empty title or artist, a wrong UPC and a day that does not exist.
 */
export function changedFacts(
  { disclosure: stated, ...facts }: Partial<ReleaseFacts>,
  { settings, anchor_track_id: anchor, disclosure: change, ...changes }: ReleaseChange,
): ReleaseFacts {
  const disclosure = changedDisclosure(RELEASE_SUBJECTS, stated, change)
  const { settings: keptSettings, anchor_track_id: keptAnchor, ...kept } = { ...NEW_RELEASE, ...facts }
  const given = {
    ...kept,
    ...cleaned(changes),
    ...(Object.keys(disclosure).length > 0 ? { disclosure } : {}),
  } as ReleaseFacts
  const { receivers, ...others } = given
  const own = settings === undefined ? keptSettings : withoutNull(settings ?? {})
  const anchorId = anchor === undefined ? keptAnchor : (anchor ?? undefined)
  requireName(given.title, 'title')
  requireName(given.artist, 'artist')
  const upc = given.upc === undefined || given.upc === '' ? undefined : upcOf(given.upc)
  if (given.upc && upc === undefined) throw unusable('upc', { rule: 'upc' })
  const language = given.language && languageOf(given.language)
  if (given.language && !language) throw unusable('language', { rule: 'language' })
  if (given.release_date && !isDate(given.release_date)) throw unusable('release_date', { rule: 'date' })
  return {
    ...withoutEmpty(
      { ...others, ...(upc === undefined ? {} : { upc }), ...(language ? { language } : {}) },
      OPTIONAL_FACTS,
    ),
    ...(own && Object.keys(own).length > 0 ? { settings: own } : {}),
    ...(anchorId === undefined ? {} : { anchor_track_id: anchorId }),
    ...(receivers && receivers.length > 0 ? { receivers } : {}),
  }
}

/** Returns the loudness mode of a release: the stated one, else an EP or an album as one record. */
export function loudnessModeOf({ loudness_mode, kind }: Pick<ReleaseFacts, 'loudness_mode' | 'kind'>) {
  return loudness_mode ?? (kind === 'single' ? 'track' : 'album')
}

/**
 * Returns the facts of a track after a change; a new track without title or artists takes its song's. Throws INVALID_REQUEST, naming the
 * field, without any title and for an invalid ISRC.
 */
export function changedTrackFacts(
  facts: TrackFacts | undefined,
  { settings, source_id: _source, job_id: _job, disclosure: stated, ...change }: TrackChange,
  song: SongNames | undefined,
): TrackFacts {
  const standard = facts ?? { ...NEW_TRACK, title: song?.title ?? '', artists: song?.artist ? [song.artist] : [] }
  const disclosure = changedDisclosure(DISCLOSURE_CATEGORIES, standard.disclosure, stated)
  const {
    settings: kept,
    featured_artists: guests = [],
    disclosure: _,
    ...given
  } = { ...standard, ...cleaned(change) } as TrackFacts
  requireName(given.title, 'title')
  const isrc = given.isrc === undefined || given.isrc === '' ? undefined : isrcOf(given.isrc)
  if (given.isrc && isrc === undefined) throw unusable('isrc', { rule: 'isrc' })
  const own = settings === undefined ? kept : withoutNull(settings ?? {})
  return {
    ...withoutEmpty({ ...given, ...(isrc === undefined ? {} : { isrc }) }, OPTIONAL_TRACK_FACTS),
    ...(guests.length > 0 ? { featured_artists: guests } : {}),
    ...(Object.keys(disclosure).length > 0 ? { disclosure } : {}),
    ...(own && Object.keys(own).length > 0 ? { settings: own } : {}),
  }
}

/** Returns the song of a track after a change: naming one of its two kinds replaces the other. Throws INVALID_REQUEST if both are named. */
export function changedSong(song: TrackSong, { source_id, job_id }: TrackChange): TrackSong {
  if (source_id && job_id) throw unusable('source_id', { rule: 'one_song' })
  if (source_id) return { sourceId: source_id }
  if (job_id) return { jobId: job_id }
  const { sourceId, jobId } = song
  return {
    ...(sourceId === undefined || source_id === null ? {} : { sourceId }),
    ...(jobId === undefined || job_id === null ? {} : { jobId }),
  }
}

/** Inserts tracks at a number, or at the end if it is absent or larger. Throws TRACK_LIMIT for too many. */
export function withTracks(
  tracks: readonly TrackRecord[],
  added: readonly TrackRecord[],
  position = tracks.length + 1,
): TrackRecord[] {
  if (tracks.length + added.length > MAX_RELEASE_TRACKS)
    throw new AppError('TRACK_LIMIT', { limit: MAX_RELEASE_TRACKS })
  return tracks.toSpliced(position - 1, 0, ...added)
}

/** Reorders the tracks. Throws INVALID_REQUEST unless each is named exactly once. */
export function inOrder(tracks: readonly TrackRecord[], trackIds: readonly string[]): TrackRecord[] {
  const byId = new Map(tracks.map((track) => [track.trackId, track]))
  const ordered = trackIds.flatMap((trackId) => byId.get(trackId) ?? [])
  const isEachOnce = trackIds.length === tracks.length && new Set(ordered).size === tracks.length
  if (!isEachOnce) throw unusable('track_ids', { rule: 'tracks_once' })
  return ordered
}

/** Removes or replaces one of the tracks. Throws RELEASE_NOT_FOUND for an unknown one. */
export function replaced(
  tracks: readonly TrackRecord[],
  trackId: string,
  replace: (track: TrackRecord) => readonly TrackRecord[],
): TrackRecord[] {
  if (!tracks.some((track) => track.trackId === trackId)) throw new AppError('RELEASE_NOT_FOUND')
  return tracks.flatMap((track) => (track.trackId === trackId ? replace(track) : [track]))
}

/** Runs `read` for every entry of the list `tracks` of a request. */
export function eachTrack<Entry, Result>(entries: readonly Entry[], read: (entry: Entry) => Result): Result[] {
  return entries.map((entry, index) => checkedAt(`tracks[${index}]`, () => read(entry)))
}

/** Returns a change with its texts as names: composed, on one line. */
function cleaned(change: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const clean = (value: unknown): unknown =>
    typeof value === 'string'
      ? cleanName(value)
      : Array.isArray(value)
        ? value.map(clean).filter((one) => one !== '')
        : value
  return Object.fromEntries(
    Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : [[name, clean(value)]])),
  )
}

/** Returns settings as in answers: null ones are left out. */
function withoutNull(settings: object): NonNullable<TrackFacts['settings']> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null))
}

function withoutEmpty<Facts extends object>(facts: Facts, optional: readonly string[]): Facts {
  const entries = Object.entries(facts).filter(([name, value]) => value !== '' || !optional.includes(name))
  return Object.fromEntries(entries) as Facts
}
