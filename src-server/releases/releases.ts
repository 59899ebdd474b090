/** The service of releases: making, changing, duplicating and deleting them. */
import { DEFAULT_PAGE_SIZE } from '../../src-contract/common.ts'
import type {
  NewRelease,
  Release,
  ReleaseChange,
  ReleasePage,
  ReleaseQuery,
  ReleaseSummary,
  Track,
  TrackChange,
  TrackState,
} from '../../src-contract/releases.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { type Clock, isoTime, type Random } from '../../src-system/system.ts'
import type { SrgbCover } from '../../src-worker/media/srgb-cover.ts'
import type { Db } from '../db/open.ts'
import { AppError, unusable } from '../http/app-error.ts'
import type { Caller } from '../http/route.ts'
import { type CoverRow, coverRow } from '../uploads/cover-row.ts'
import type { TrackRow, TrackTable } from './csv-columns.ts'
import { type ReleaseNames, releasesOf, requireDistinct } from './csv-import.ts'
import { beyondRelease } from './disclosure.ts'
import type { ReleaseMastering } from './mastering.ts'
import {
  changedFacts,
  changedSong,
  changedTrackFacts,
  eachTrack,
  inOrder,
  loudnessModeOf,
  type ReleaseRecord,
  replaced,
  type SongNames,
  type TrackRecord,
  type TrackSong,
  withTracks,
} from './release.ts'
import type { ListedRelease, ReleaseStore } from './store.ts'

/** Facts of the song of a track. */
export interface SongFacts extends SongNames {
  readonly state: TrackState
  readonly durationSeconds: number
}

export interface ReleasesDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly random: Pick<Random, 'newUuid'>
  readonly store: ReleaseStore
  readonly sourceFacts: (sourceId: string) => SongFacts | undefined
  readonly jobFacts: (jobId: string) => SongFacts | undefined
  /** Resolves with whether the song of a job can be read now; true for an unknown job. Never rejects. */
  readonly hasSong: (jobId: string) => Promise<boolean>
  /** Called inside the transaction of a change with all jobs that are songs of tracks: their files do not expire. */
  readonly keepJobs: (jobIds: readonly string[]) => void
  /** The mastering of releases; deleting a release stops its mastering. */
  readonly mastering: Pick<ReleaseMastering, 'show' | 'showMaster' | 'cancel'>
  /** Jobs that the mastering of releases needs. */
  readonly masteringJobs: () => readonly string[]
  /** Called after a change of a release. */
  readonly onChanged: (releaseId: string) => void
}

/** Longest wait of a release for the disks of its songs, ms. */
const LOOK_LIMIT_MS = 1000

/** The releases. Every method is one transaction; a refused change leaves nothing behind. */
export class Releases {
  readonly #deps: ReleasesDeps
  /** Jobs whose songs were missing at the last check. */
  readonly #gone = new Set<string>()

  constructor(deps: ReleasesDeps) {
    this.#deps = deps
  }

  /** Returns one page of releases, newest first. Throws INVALID_REQUEST for an invalid cursor. */
  list({ q = '', limit = DEFAULT_PAGE_SIZE, cursor }: ReleaseQuery): ReleasePage {
    const words = q.split(/\s+/).filter((word) => word !== '')
    const beforeSerial = cursor === undefined ? undefined : readCursor(cursor)
    // One more than requested shows whether there is another page.
    const filter = { words, limit: limit + 1, ...(beforeSerial === undefined ? {} : { beforeSerial }) }
    const { releases, total } = this.#deps.store.list(filter)
    const page = releases.slice(0, limit)
    const last = page.at(-1)
    const next = releases.length > limit && last ? { next_cursor: writeCursor(last) } : {}
    return { releases: page.map(summary), total, ...next }
  }

  /** Returns a release in answer form, with the reason of a failure in a language. Throws RELEASE_NOT_FOUND. */
  show(releaseId: string, language: Language = 'en'): Release {
    const release = this.require(releaseId)
    return {
      ...shownFacts(release),
      mastering: this.#deps.mastering.show(releaseId, language),
      tracks: release.tracks.map((track, index) => this.#shownTrack(releaseId, track, index)),
    }
  }

  /** Checks whether the songs of the tracks still exist, for at most a second: a drive may hang. Throws RELEASE_NOT_FOUND. */
  async look(releaseId: string): Promise<void> {
    const { hasSong, clock } = this.#deps
    const looks = this.require(releaseId).tracks.map(async ({ jobId }) => {
      if (jobId === undefined) return
      if (await hasSong(jobId)) this.#gone.delete(jobId)
      else this.#gone.add(jobId)
    })
    const limit = new AbortController()
    await Promise.race([Promise.all(looks), clock.sleep(LOOK_LIMIT_MS, limit.signal).catch(() => {})])
    limit.abort()
  }

  /** Returns a stored release. Throws RELEASE_NOT_FOUND. */
  require(releaseId: string): ReleaseRecord {
    const release = this.#deps.store.find(releaseId)
    if (!release) throw new AppError('RELEASE_NOT_FOUND')
    return release
  }

  /** Makes a release. Throws INVALID_REQUEST, naming the field and the track at fault. */
  create({ tracks = [], ...facts }: NewRelease, caller: Caller): Release {
    const now = this.#deps.clock.now()
    return this.#save({
      releaseId: this.#deps.random.newUuid(),
      ...(caller.via === 'key' ? { keyId: caller.keyId } : {}),
      facts: changedFacts({}, facts),
      tracks: eachTrack(tracks, (track) => this.#newTrack(track, caller)),
      createdAtMs: now,
      changedAtMs: now,
    })
  }

  /** Changes the facts of a release. Throws RELEASE_NOT_FOUND, INVALID_REQUEST. */
  change(releaseId: string, change: ReleaseChange): Release {
    return this.#update(releaseId, ({ facts }) => ({ facts: changedFacts(facts, change) }))
  }

  /** Makes a copy with new tracks, the same songs, and the same cover. Throws RELEASE_NOT_FOUND. */
  duplicate(releaseId: string, { title }: { readonly title?: string }, caller: Caller): Release {
    const { db, store, random, clock } = this.#deps
    const { facts, tracks } = this.require(releaseId)
    const now = clock.now()
    const copyId = random.newUuid()
    return db.transaction(() => {
      const cover = store.cover(releaseId)
      this.#save({
        releaseId: copyId,
        ...(caller.via === 'key' ? { keyId: caller.keyId } : {}),
        facts: title === undefined ? facts : changedFacts(facts, { title }),
        tracks: tracks.map((track) => ({ ...track, trackId: random.newUuid() })),
        createdAtMs: now,
        changedAtMs: now,
      })
      if (cover) store.setCover(copyId, cover)
      return this.show(copyId)
    })()
  }

  /** Deletes a release; songs and jobs stay, and their retention starts now. Throws RELEASE_NOT_FOUND. */
  remove(releaseId: string): void {
    const { db, store, mastering, onChanged } = this.#deps
    this.require(releaseId)
    mastering.cancel(releaseId)
    db.transaction(() => {
      store.remove(releaseId)
      this.#keepJobs()
    })()
    onChanged(releaseId)
  }

  /** Adds tracks from a number on. Throws RELEASE_NOT_FOUND, TRACK_LIMIT, INVALID_REQUEST. */
  addTracks(releaseId: string, changes: readonly TrackChange[], position: number | undefined, caller: Caller): Release {
    return this.#update(releaseId, ({ tracks }) => {
      const added = eachTrack(changes, (change) => this.#newTrack(change, caller))
      return { tracks: withTracks(tracks, added, position) }
    })
  }

  /** Reorders the tracks. Throws RELEASE_NOT_FOUND, INVALID_REQUEST. */
  orderTracks(releaseId: string, trackIds: readonly string[]): Release {
    return this.#update(releaseId, ({ tracks }) => ({ tracks: inOrder(tracks, trackIds) }))
  }

  /** Changes a track; replacing the song keeps everything else. Throws RELEASE_NOT_FOUND, INVALID_REQUEST. */
  changeTrack(releaseId: string, trackId: string, change: TrackChange, caller: Caller): Release {
    return this.#update(releaseId, ({ tracks }) => ({
      tracks: replaced(tracks, trackId, (track) => [this.#changedTrack(track, change, caller)]),
    }))
  }

  /** Removes a track. Throws RELEASE_NOT_FOUND. */
  removeTrack(releaseId: string, trackId: string): Release {
    return this.#update(releaseId, ({ tracks }) => ({ tracks: replaced(tracks, trackId, () => []) }))
  }

  /**
   * Makes the releases of a table, in the order of their first rows; `names` apply to a release unnamed in the table. Throws
   * INVALID_REQUEST with the cells at fault, TRACK_LIMIT.
   */
  importTable(table: TrackTable, names: ReleaseNames, caller: Caller): Release[] {
    const { db, random, clock } = this.#deps
    const { faults } = table
    const read = releasesOf(table, names).map(({ facts, rows }) => ({
      facts,
      tracks: rows.flatMap((row) => faults.within(row, () => this.#newTrack(row.track, caller)) ?? []),
    }))
    faults.requireNone()
    const now = clock.now()
    return db.transaction(() =>
      read.map(({ facts, tracks }) =>
        this.#save({
          releaseId: random.newUuid(),
          ...(caller.via === 'key' ? { keyId: caller.keyId } : {}),
          facts: changedFacts({}, facts),
          tracks: withTracks([], tracks),
          createdAtMs: now,
          changedAtMs: now,
        }),
      ),
    )()
  }

  /**
   * Changes a release by a table. A row is matched to a track by identifier, else by number, else it is a new track; the tracks are ordered
   * like the rows, and tracks without a row follow. Throws RELEASE_NOT_FOUND, INVALID_REQUEST with the cells at fault, TRACK_LIMIT.
   */
  changeByTable(releaseId: string, { rows, faults }: TrackTable, caller: Caller): Release {
    return this.#update(releaseId, ({ facts, tracks }) => {
      requireDistinct(rows, faults)
      const left = new Map(tracks.map((track, index) => [track.trackId, { track, number: index + 1 }]))
      const take = ({ trackId, trackNumber }: TrackRow) => {
        const id = trackId ?? (trackNumber === undefined ? undefined : tracks[trackNumber - 1]?.trackId)
        const found = id === undefined ? undefined : left.get(id)
        if (trackId !== undefined && !found) throw unusable('track_id', { rule: 'unknown_track' })
        if (found) left.delete(found.track.trackId)
        return found?.track
      }
      const changed = rows.flatMap((row) => {
        const { disclosure, ...others } = row.track
        const own = disclosure && { disclosure: beyondRelease(disclosure, facts.disclosure) }
        const change = { ...others, ...own }
        const read = () => {
          const track = take(row)
          return track ? this.#changedTrack(track, change, caller) : this.#newTrack(change, caller)
        }
        return faults.within(row, read) ?? []
      })
      for (const { track, number } of left.values())
        for (const row of rows.filter((one) => one.track.isrc && one.track.isrc === track.facts.isrc))
          faults.addAt(row, 'isrc', { rule: 'same_as_track', track: number })
      faults.requireNone()
      const kept = [...left.values()].map(({ track }) => track)
      return { facts: changedFacts(facts, rows[0]?.release ?? {}), tracks: withTracks(changed, kept) }
    })
  }

  /** Returns the cover of a release. Throws RELEASE_NOT_FOUND, and NOT_FOUND without one. */
  cover(releaseId: string): CoverRow {
    this.require(releaseId)
    const cover = this.#deps.store.cover(releaseId)
    if (!cover) throw new AppError('NOT_FOUND')
    return cover
  }

  /** Sets the cover; undefined removes it. Throws RELEASE_NOT_FOUND. */
  setCover(releaseId: string, cover: SrgbCover | undefined): Release {
    const { db, store } = this.#deps
    return db.transaction(() => {
      this.require(releaseId)
      store.setCover(releaseId, cover && coverRow(cover))
      return this.#update(releaseId, () => ({}))
    })()
  }

  #newTrack(change: TrackChange, caller: Caller): TrackRecord {
    const song = this.#song({}, change, caller)
    return {
      trackId: this.#deps.random.newUuid(),
      ...song,
      facts: changedTrackFacts(undefined, change, this.#names(song)),
    }
  }

  #changedTrack(track: TrackRecord, change: TrackChange, caller: Caller): TrackRecord {
    const { trackId, facts, ...song } = track
    return { trackId, ...this.#song(song, change, caller), facts: changedTrackFacts(facts, change, undefined) }
  }

  /** Returns the song of a track after a change. Throws INVALID_REQUEST for a song that does not exist, or that the caller may not name. */
  #song(song: TrackSong, change: TrackChange, caller: Caller): TrackSong {
    const { source_id, job_id } = change
    if (source_id && caller.via !== 'session') throw unusable('source_id', { rule: 'session_only' })
    if (source_id && !this.#deps.sourceFacts(source_id)) throw unusable('source_id', { rule: 'unknown_song' })
    if (job_id && !this.#deps.jobFacts(job_id)) throw unusable('job_id', { rule: 'unknown_job' })
    return changedSong(song, change)
  }

  #names({ sourceId, jobId }: TrackSong): SongFacts | undefined {
    if (sourceId !== undefined) return this.#deps.sourceFacts(sourceId)
    return jobId === undefined ? undefined : this.#deps.jobFacts(jobId)
  }

  #update(releaseId: string, change: (release: ReleaseRecord) => Partial<ReleaseRecord>): Release {
    const release = this.require(releaseId)
    return this.#save({ ...release, ...change(release), changedAtMs: this.#deps.clock.now() })
  }

  #save(release: ReleaseRecord): Release {
    const { db, store, onChanged } = this.#deps
    db.transaction(() => {
      store.save(release)
      this.#keepJobs()
    })()
    onChanged(release.releaseId)
    return this.show(release.releaseId)
  }

  #keepJobs(): void {
    const { store, keepJobs, masteringJobs } = this.#deps
    keepJobs([...store.jobIds(), ...masteringJobs()])
  }

  #stateOf(jobId: string | undefined, song: SongFacts | undefined): TrackState {
    const isGone = jobId !== undefined && song?.state === 'done' && this.#gone.has(jobId)
    return isGone ? 'gone' : (song?.state ?? 'gone')
  }

  #shownTrack(releaseId: string, track: TrackRecord, index: number): Track {
    const { trackId, sourceId, jobId, facts } = track
    const song = this.#names(track)
    const isSilent = sourceId === undefined && jobId === undefined
    const master = this.#deps.mastering.showMaster(releaseId, track)
    return {
      track_id: trackId,
      position: index + 1,
      ...(sourceId === undefined ? {} : { source_id: sourceId }),
      ...(jobId === undefined ? {} : { job_id: jobId }),
      state: isSilent ? 'no_song' : this.#stateOf(jobId, song),
      ...(song ? { duration_seconds: song.durationSeconds } : {}),
      ...facts,
      ...(master ? { master } : {}),
    }
  }
}

function shownFacts({ releaseId, facts, cover, createdAtMs, changedAtMs }: Omit<ReleaseRecord, 'tracks'>) {
  return {
    release_id: releaseId,
    ...facts,
    loudness_mode: loudnessModeOf(facts),
    ...(cover ? { cover } : {}),
    created_at: isoTime(createdAtMs),
    changed_at: isoTime(changedAtMs),
  }
}

function summary(release: ListedRelease): ReleaseSummary {
  return { ...shownFacts(release), track_count: release.trackCount }
}

function writeCursor({ serial }: ListedRelease): string {
  return Buffer.from(JSON.stringify(['releases', serial])).toString('base64url')
}

function readCursor(cursor: string): number {
  try {
    const [of, serial] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    if (of === 'releases' && Number.isSafeInteger(serial)) return serial as number
  } catch {
    // An unreadable text cannot be our cursor.
  }
  throw unusable('cursor', { rule: 'cursor' })
}
