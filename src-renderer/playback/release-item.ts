/**
 * A release as a playback item: its tracks in order with their pauses, fades and cuts, and the originals below them.
 */
import type { Client } from '../../src-contract/client.ts'
import type { Release, Track as ReleaseTrack } from '../../src-contract/releases.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import { type SequencePart, startsOf, underMasters } from './sequence.ts'
import { type FileSource, fileOpener } from './source.ts'
import type { Join, PlacedTrack, PlaybackItem, PlaybackState, ReadItem } from './state.ts'
import { openSoundFile, type SoundFile, type Track } from './track.ts'

/** Gains that make masters and originals equally loud, dB. */
export interface MatchedLevels {
  /** Gain of every master: the same for all, which keeps their relative levels. 0 or less. */
  readonly masterDb: number
  /** Gains of the originals by track id. 0 or less. */
  readonly originalDb: Readonly<Record<string, number>>
}

/** A release in its order. `levels` is null until its masters and songs are measured. */
export interface ReleaseItem extends PlaybackItem {
  readonly kind: 'release'
  readonly levels: MatchedLevels | null
}

/** Length played of each side of a join, s. */
const JOIN_SECONDS = 8
/** Rate of a release whose files do not state one, Hz. */
const USUAL_RATE_HZ = 48_000
/** Decoded songs to keep: the current one and the next ones. */
const DECODED = 3

/** Returns a release as a playback item. Its id changes with everything that affects its sound. Pure. */
export function releaseItem(release: Release, levels: MatchedLevels | null): ReleaseItem {
  const level = (integratedLufs: number) => ({ integratedLufs, truePeakDbtp: null })
  return {
    kind: 'release',
    id: soundKeyOf(release),
    title: release.title,
    durationSeconds: 0,
    rateHz: USUAL_RATE_HZ,
    versions: [
      // The originals already have their gains, so only the difference of both counts.
      { id: 'record', kind: 'record', source: null, level: level(0 - (levels?.masterDb ?? 0)) },
      { id: 'source', kind: 'source', source: null, level: level(0), isOnDemand: true },
    ],
    first: { version: 'record', lastHeard: 'record', levelMode: 'file', service: null },
    keeps: ['version', 'levelMode'],
    levels,
    read: (client, signal, now) => readRelease({ client, signal, release, levels: () => levelsOf(now()) }),
  }
}

const levelsOf = (item: PlaybackItem | null) => (item?.kind === 'release' ? (item as ReleaseItem).levels : null)

/** Returns the members of a release that affect its sound, as a key. Pure. */
export function soundKeyOf({ release_id, tracks }: Release): string {
  const facts = tracks.map(
    ({
      title: _title,
      artists: _artists,
      composers: _composers,
      featured_artists: _guests,
      lyricists: _lyricists,
      disclosure: _disclosure,
      isrc: _isrc,
      version: _version,
      explicit: _explicit,
      settings: _settings,
      ...sound
    }) => sound,
  )
  return JSON.stringify([release_id, facts])
}

/**
 * Returns the gains that make each original as loud as its master without raising anything above its file; null if a
 * track is not mastered or the loudness of a master or song is unknown.
 */
export function matchedLevels(
  { tracks }: Pick<Release, 'tracks'>,
  sourceLufs: Readonly<Record<string, number | null>>,
): MatchedLevels | null {
  const lifts = tracks.map(({ track_id, master }) => {
    const source = sourceLufs[track_id]
    const made = master?.state === 'done' ? master.integrated_lufs : undefined
    return made === undefined || source === null || source === undefined ? null : ([track_id, made - source] as const)
  })
  const known = lifts.filter((one) => one !== null)
  if (known.length === 0 || known.length < lifts.length) return null
  const down = Math.max(0, ...known.map(([, lift]) => lift))
  // Never −0.
  const lowered = (lift: number) => lift - down || 0
  return {
    masterDb: lowered(0),
    originalDb: Object.fromEntries(known.map(([id, lift]) => [id, lowered(lift)])),
  }
}

/** Sounds of a release: its masters as written, or masters and originals at equal loudness. */
export type ReleaseSound = 'file' | 'master' | 'original'

/** Returns the current sound of a release. Pure. */
export function soundOf({ version, levelMode }: Pick<PlaybackState, 'version' | 'levelMode'>): ReleaseSound {
  if (version === 'source') return 'original'
  return levelMode === 'file' ? 'file' : 'master'
}

/** Returns the sound that a key of the switch selects; undefined for any other key. Pure. */
export function soundOfKey(key: string, sound: ReleaseSound): ReleaseSound | undefined {
  if (key === 'x') return sound === 'original' ? 'master' : 'original'
  if (key === 'l') return sound === 'file' ? 'master' : 'file'
  return undefined
}

/** Played part of a release. */
export interface ReleasePart {
  readonly startSeconds: number
  readonly join: Join | null
}

/** Returns the release from a track onwards. Pure. */
export const partFrom =
  (trackId: string) =>
  (placed: readonly PlacedTrack[]): ReleasePart | null => {
    const track = placed.find((one) => one.trackId === trackId)
    return track ? { startSeconds: track.startSeconds, join: null } : null
  }

/** Returns the end of a track and the beginning of the next, `index` being the number of the first, from 0. Pure. */
export const joinPart =
  (index: number) =>
  (placed: readonly PlacedTrack[]): ReleasePart | null => {
    const [one, next] = [placed[index], placed[index + 1]]
    if (!one || !next) return null
    return {
      startSeconds: Math.max(one.startSeconds, one.endSeconds - JOIN_SECONDS),
      join: { index, endSeconds: Math.min(next.endSeconds, next.startSeconds + JOIN_SECONDS) },
    }
  }

/** Returns the index of the track at a position, from 0; during a pause, the previous track. Pure. */
export function trackAt({ placed }: Pick<PlaybackState, 'placed'>, seconds: number): number {
  return Math.max(
    0,
    placed.findLastIndex((one) => one.startSeconds <= seconds + 0.001),
  )
}

/** A track with its playback file. */
interface HeardTrack {
  readonly track: ReleaseTrack
  readonly isMaster: boolean
  /** Trim and fades are part of the file. */
  readonly hasEdges: boolean
  readonly source: FileSource
}

/** Returns the playable tracks of a release. */
function heardTracks({ tracks }: Release): HeardTrack[] {
  return tracks.flatMap((track): HeardTrack[] => {
    const { master } = track
    const madeId = master?.state === 'done' ? master.job_id : undefined
    const jobId = madeId ?? (track.state === 'done' ? track.job_id : undefined)
    if (jobId) return [{ track, isMaster: true, hasEdges: madeId !== undefined, source: { kind: 'master', jobId } }]
    const sourceId = track.state === 'stored' || track.state === 'done' ? track.source_id : undefined
    return sourceId ? [{ track, isMaster: false, hasEdges: false, source: { kind: 'song', sourceId } }] : []
  })
}

interface SongOrigin {
  readonly source_id?: string | undefined
  readonly job_id?: string | undefined
  readonly master?: ReleaseTrack['master'] | undefined
}

/** Returns the original of a track: the stored song, else that of its job. */
export function songOf({ source_id, job_id, master }: SongOrigin): FileSource {
  if (source_id) return { kind: 'song', sourceId: source_id }
  return { kind: 'master', jobId: job_id ?? master?.job_id ?? '', file: 'source' }
}

interface ReadDeps {
  readonly client: Client
  readonly signal: AbortSignal
  readonly release: Release
  readonly levels: () => MatchedLevels | null
}

async function readRelease({ client, signal, release, levels }: ReadDeps): Promise<ReadItem> {
  const openAll = (tracks: readonly HeardTrack[]) =>
    Promise.all(
      tracks.map(({ source, track }) =>
        openSoundFile(fileOpener(client, source, signal), { durationSeconds: track.duration_seconds }),
      ),
    )
  const heard = heardTracks(release)
  const files = await openAll(heard)
  const rateHz = usualRate(files)
  const parts = partsOf(heard, files, rateHz)
  const readOriginals = async () => {
    const songs = heard.map(({ track }) => ({ track, isMaster: false, hasEdges: false, source: songOf(track) }))
    const originals = partsOf(songs, await openAll(songs), rateHz)
    const gains = heard.map(({ track }) => dbToGain(levels()?.originalDb[track.track_id] ?? 0))
    return underMasters(parts, originals, gains)
  }
  const last = startsOf(parts).at(-1) ?? 0
  return {
    rateHz,
    durationSeconds: (last + (parts.at(-1)?.frames ?? 0)) / rateHz,
    placed: placedTracks(heard, parts, rateHz),
    sources: {
      record: { kind: 'sequence', readParts: async () => parts },
      source: { kind: 'sequence', readParts: readOriginals },
    },
  }
}

/** Returns the rate of most files. Pure. */
function usualRate(files: readonly Pick<SoundFile, 'rateHz'>[]): number {
  const rates = files.flatMap(({ rateHz }) => rateHz ?? [])
  const count = (rate: number) => rates.filter((one) => one === rate).length
  return rates.toSorted((a, b) => count(b) - count(a))[0] ?? USUAL_RATE_HZ
}

/** Returns the readers of songs: each opens on its first read, and the last few decoded ones are kept. */
function createReaders(files: readonly SoundFile[], rateHz: number): Track['read'][] {
  const decoded: number[] = []
  const open = new Map<number, Promise<Track>>()
  return files.map((file, at) => async (start, count) => {
    const mine = open.get(at) ?? file.track(rateHz)
    if (!open.has(at)) {
      open.set(at, mine)
      if (file.rateHz === undefined) decoded.push(at)
      if (decoded.length > DECODED) open.delete(decoded.shift()!)
    }
    return (await mine).read(start, count)
  })
}

/** Returns tracks as parts of a sequence. */
function partsOf(heard: readonly HeardTrack[], files: readonly SoundFile[], rateHz: number): SequencePart[] {
  const readers = createReaders(files, rateHz)
  return heard.map(({ track, hasEdges }, at) => {
    const toFrames = (seconds: number) => (hasEdges ? 0 : Math.round(seconds * rateHz))
    const fromFrame = toFrames(track.trim_start_seconds)
    const frames = Math.max(0, files[at]!.frames(rateHz) - fromFrame - toFrames(track.trim_end_seconds))
    return {
      restFrames: Math.round(restSecondsOf(track, heard[at - 1]) * rateHz),
      fromFrame,
      frames,
      fadeIn: { frames: Math.min(frames, toFrames(track.fade_in_seconds)), shape: track.fade_in_shape },
      fadeOut: { frames: Math.min(frames, toFrames(track.fade_out_seconds)), shape: track.fade_out_shape },
      read: readers[at]!,
    }
  })
}

/**
 * Returns the pause before a track, s: 0 where the previous track runs into it or has the silence in its file. Pure.
 */
function restSecondsOf(
  { gap_before_seconds, gap_in_file }: Pick<ReleaseTrack, 'gap_before_seconds' | 'gap_in_file'>,
  before: { readonly track: Pick<ReleaseTrack, 'continuous_with_next'>; readonly hasEdges: boolean } | undefined,
): number {
  if (!before || before.track.continuous_with_next) return 0
  return gap_in_file && before.hasEdges ? 0 : gap_before_seconds
}

function placedTracks(heard: readonly HeardTrack[], parts: readonly SequencePart[], rateHz: number): PlacedTrack[] {
  const starts = startsOf(parts)
  return heard.map(({ track, isMaster }, at) => ({
    trackId: track.track_id,
    position: track.position,
    title: track.title,
    startSeconds: starts[at]! / rateHz,
    endSeconds: (starts[at]! + parts[at]!.frames) / rateHz,
    restSeconds: parts[at]!.restFrames / rateHz,
    isMaster,
  }))
}
