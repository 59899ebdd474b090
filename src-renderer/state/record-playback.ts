/** The sequence player: a release heard in its order, with its rests, fades and cuts. */
import { createStore } from 'zustand/vanilla'
import type { Client } from '../../src-contract/client.ts'
import { RELEASE } from '../../src-contract/delivery-target.ts'
import type { Release, Track as ReleaseTrack } from '../../src-contract/releases.ts'
import type { createPlayer, Player } from '../player/player.ts'
import { joinParts, type SequencePart, startsOf } from '../player/sequence.ts'
import { type LaterTrack, openLater, type Track } from '../player/track.ts'
import { openPatiently } from './patient-open.ts'
import { gainOfDb, type MatchedLevels, type RecordVersion, underMasters } from './record-comparison.ts'

/** A track in its place in the record. */
export interface PlacedTrack {
  readonly trackId: string
  readonly position: number
  readonly title: string
  readonly startSeconds: number
  readonly endSeconds: number
  readonly restSeconds: number
  /** The master is heard, else the song as it came. */
  readonly isMaster: boolean
}

export interface RecordPlaybackState {
  readonly isPlaying: boolean
  readonly isWaiting: boolean
  readonly hasFailed: boolean
  readonly placed: readonly PlacedTrack[]
  readonly durationSeconds: number
  /** Sound that is heard: the masters as they are written, or masters and originals at equal loudness. */
  readonly version: RecordVersion
  /** Number of the track whose join with the next is heard, from 0; null while the record is heard. */
  readonly join: number | null
}

export interface RecordPlaybackDeps {
  readonly client: Client
  readonly createPlayer: typeof createPlayer
}

/** Length that is heard of each side of a join, s. */
export const JOIN_SECONDS = 8
/** Rate of a record whose files do not tell one, Hz. */
const USUAL_RATE_HZ = 48_000
/** Decoded songs that are kept: what is heard, and what follows. */
const DECODED = 3
const RECORD = 'record'
const ORIGINAL = 'original'

const FIRST: RecordPlaybackState = {
  ...{ isPlaying: false, isWaiting: false, hasFailed: false },
  ...{ placed: [], durationSeconds: 0, join: null, version: 'file' as const },
}

/** A track with the file that is heard of it. */
interface HeardTrack {
  readonly track: ReleaseTrack
  readonly isMaster: boolean
  /** Trim and fades are part of the file. */
  readonly hasEdges: boolean
  readonly open: (headers: Record<string, string>) => Promise<Response>
}

/** A record that is open in the player. */
interface OpenedRecord {
  readonly heard: readonly HeardTrack[]
  readonly parts: readonly SequencePart[]
  readonly rateHz: number
  readonly decode: (bytes: ArrayBuffer) => Promise<AudioBuffer>
  hasOriginal?: boolean
}

/** Returns the tracks of a release that can be heard. */
function heardTracks(client: Client, { tracks }: Release): HeardTrack[] {
  return tracks.flatMap((track): HeardTrack[] => {
    const { master } = track
    const madeId = master?.state === 'done' ? master.job_id : undefined
    const jobId = madeId ?? (track.state === 'done' ? track.job_id : undefined)
    if (jobId) return [{ track, isMaster: true, hasEdges: madeId !== undefined, open: openMaster(client, jobId) }]
    const sourceId = track.state === 'stored' || track.state === 'done' ? track.source_id : undefined
    if (!sourceId) return []
    const open = (headers: Record<string, string>) =>
      client.open('readSourceFile', { params: { source_id: sourceId }, headers })
    return [{ track, isMaster: false, hasEdges: false, open }]
  })
}

/** Opens the song of a track as it came: the stored one, else that of its job. */
function openSong(client: Client, { source_id, job_id, master }: ReleaseTrack): HeardTrack['open'] {
  const jobId = job_id ?? master?.job_id ?? ''
  return (headers) =>
    source_id
      ? client.open('readSourceFile', { params: { source_id }, headers })
      : client.open('readJobFile', { params: { job_id: jobId, file: 'source' }, query: {}, headers })
}

/** Opens the master for all services, or that of the first platform where a job has none. */
function openMaster(client: Client, job_id: string) {
  let file: Promise<typeof RELEASE | string> | undefined
  return async (headers: Record<string, string>) => {
    file ??= client
      .call('readJob', { params: { job_id } })
      .then(({ release, results }) => (release ? RELEASE : (results?.[0]?.platform ?? RELEASE)))
    return client.open('readJobFile', { params: { job_id, file: (await file) as typeof RELEASE }, query: {}, headers })
  }
}

/** Returns what of a release its sound depends on. Pure. */
export function soundKeyOf({ release_id, tracks }: Release): string {
  const facts = tracks.map(
    ({
      title: _title,
      artists: _artists,
      composers: _composers,
      lyricists: _lyricists,
      isrc: _isrc,
      version: _version,
      explicit: _explicit,
      settings: _settings,
      ...sound
    }) => sound,
  )
  return JSON.stringify([release_id, facts])
}

/** The store of what is heard of a release, with its actions. Nothing is read before it is played. */
export class RecordPlayback {
  readonly store = createStore<RecordPlaybackState>(() => FIRST)
  readonly #deps: RecordPlaybackDeps
  #player: Player | null = null
  #key = ''
  /** The opened record, to which originals can be added. */
  #opened: OpenedRecord | null = null
  #levels: MatchedLevels | null = null
  /** Counts openings: what belongs to an earlier one is let go of. */
  #visit = 0
  /** Place at which the playback of a join ends, s. */
  #endSeconds = Number.POSITIVE_INFINITY

  constructor(deps: RecordPlaybackDeps) {
    this.#deps = deps
  }

  /** Plays the record, or pauses and goes on. */
  toggle(release: Release): void {
    if (this.store.getState().isPlaying) {
      this.pause()
      return
    }
    this.#endSeconds = Number.POSITIVE_INFINITY
    this.store.setState({ join: null })
    void this.#ready(release).then((isReady) => isReady && this.#play())
  }

  /** Plays the end of a track and the beginning of the next, `index` being the number of the first, from 0. */
  playJoin(release: Release, index: number): void {
    void this.#ready(release).then((isReady) => {
      const { placed } = this.store.getState()
      const [one, next] = [placed[index], placed[index + 1]]
      if (!isReady || !one || !next) return
      this.#endSeconds = Math.min(next.endSeconds, next.startSeconds + JOIN_SECONDS)
      this.store.setState({ join: index })
      this.#player?.seek(Math.max(one.startSeconds, one.endSeconds - JOIN_SECONDS))
      this.#play()
    })
  }

  /** Plays the record from a track on. */
  playFrom(release: Release, trackId: string): void {
    void this.#ready(release).then((isReady) => {
      const one = this.store.getState().placed.find((placed) => placed.trackId === trackId)
      if (!isReady || !one) return
      this.seek(one.startSeconds)
      this.#play()
    })
  }

  /** Hears the record in another way; `levels` are those at which masters and originals are equally loud. Never throws. */
  hear(version: RecordVersion, levels: MatchedLevels | null): void {
    this.#levels = levels
    this.store.setState({ version: levels ? version : 'file' })
    void this.#chooseVersion()
  }

  seek(seconds: number): void {
    this.#endSeconds = Number.POSITIVE_INFINITY
    this.store.setState({ join: null })
    this.#player?.seek(Math.max(0, Math.min(this.store.getState().durationSeconds, seconds)))
  }

  pause(): void {
    this.store.setState({ isPlaying: false, isWaiting: false })
    this.#player?.pause()
  }

  /** Position that is heard at this moment, in seconds of the record. */
  position = (): number => this.#player?.position() ?? 0

  /** Takes a release that has changed: it is opened anew when it is heard next. */
  follow(release: Release): void {
    if (this.#player && soundKeyOf(release) !== this.#key) this.leave()
  }

  /** Lets go of the record. */
  leave(): void {
    this.#visit += 1
    this.#player?.close()
    this.#player = null
    this.#opened = null
    this.#key = ''
    this.store.setState({ ...FIRST, version: this.store.getState().version })
  }

  #play(): void {
    this.store.setState({ isPlaying: true, isWaiting: true })
    this.#player?.play()
  }

  /** Chooses what is heard, at its level; the originals are opened when they are first. */
  async #chooseVersion(): Promise<void> {
    const [player, opened, levels] = [this.#player, this.#opened, this.#levels]
    if (!player || !opened) return
    if (this.store.getState().version === 'original' && levels && !opened.hasOriginal) {
      opened.hasOriginal = true
      try {
        const original = await this.#openOriginal(opened, levels)
        if (this.#player !== player) return
        player.put(ORIGINAL, original)
      } catch {
        if (this.#player === player) this.store.setState({ hasFailed: true })
        return
      }
    }
    const { version } = this.store.getState()
    player.setLevels({ [RECORD]: version === 'file' ? 1 : gainOfDb(levels?.masterDb ?? 0), [ORIGINAL]: 1 })
    player.choose(version === 'original' ? ORIGINAL : RECORD)
  }

  async #openOriginal({ heard, parts, rateHz, decode }: OpenedRecord, { originalDb }: MatchedLevels): Promise<Track> {
    const visit = this.#visit
    const songs = heard.map(({ track }) => ({ track, hasEdges: false, open: openSong(this.#deps.client, track) }))
    const opened = await Promise.all(
      songs.map(({ open, track }) =>
        openLater(
          openPatiently(open, () => visit !== this.#visit),
          track.duration_seconds ?? 0,
        ),
      ),
    )
    const readers = createReaders(opened, rateHz, decode)
    const originals = songs.map((one, at) =>
      partOf({ heard: one, before: undefined, fileFrames: opened[at]!.frames(rateHz), rateHz, read: readers[at]! }),
    )
    return joinParts(
      underMasters(
        parts,
        originals,
        heard.map(({ track }) => originalDb[track.track_id] ?? 0),
      ),
    )
  }

  async #ready(release: Release): Promise<boolean> {
    const key = soundKeyOf(release)
    if (this.#player && this.#key === key && !this.store.getState().hasFailed) return true
    this.leave()
    const visit = this.#visit
    this.store.setState({ isWaiting: true })
    try {
      const { player, placed, durationSeconds, ...opened } = await this.#open(release, visit)
      if (visit !== this.#visit) {
        player.close()
        return false
      }
      this.#player = player
      this.#opened = opened
      this.#key = key
      this.store.setState({ placed, durationSeconds })
      await this.#chooseVersion()
      return true
    } catch {
      if (visit === this.#visit) this.store.setState({ hasFailed: true, isWaiting: false, isPlaying: false })
      return false
    }
  }

  async #open(release: Release, visit: number) {
    const { client, createPlayer: create } = this.#deps
    const isClosed = () => visit !== this.#visit
    const heard = heardTracks(client, release)
    const opened = await Promise.all(
      heard.map(({ open, track }) => openLater(openPatiently(open, isClosed), track.duration_seconds ?? 0)),
    )
    const rateHz = usualRate(opened)
    const decode = (bytes: ArrayBuffer) => new OfflineAudioContext(2, 1, rateHz).decodeAudioData(bytes)
    const readers = createReaders(opened, rateHz, decode)
    const parts = heard.map((one, at) =>
      partOf({ heard: one, before: heard[at - 1], fileFrames: opened[at]!.frames(rateHz), rateHz, read: readers[at]! }),
    )
    const record = joinParts(parts)
    const durationSeconds = record.frames / rateHz
    const player = await create({
      rateHz,
      durationSeconds,
      onReport: ({ isPlaying, isWaiting }) => {
        const now = this.store.getState()
        if (now.isPlaying !== isPlaying || now.isWaiting !== isWaiting) this.store.setState({ isPlaying, isWaiting })
        if (isPlaying && this.position() >= this.#endSeconds) this.pause()
      },
      onReady: () => undefined,
      onFailure: () => !isClosed() && this.store.setState({ hasFailed: true, isPlaying: false, isWaiting: false }),
    })
    player.put(RECORD, record)
    player.choose(RECORD)
    player.setLevels({ [RECORD]: 1 })
    return { player, heard, parts, rateHz, decode, placed: placedTracks(heard, parts, rateHz), durationSeconds }
  }
}

/** Returns the rate of most files. Pure. */
function usualRate(tracks: readonly Pick<LaterTrack, 'fileRateHz'>[]): number {
  const rates = tracks.flatMap(({ fileRateHz }) => fileRateHz ?? [])
  const count = (rate: number) => rates.filter((one) => one === rate).length
  return (
    rates.reduce<number | undefined>(
      (best, rate) => (best === undefined || count(rate) > count(best) ? rate : best),
      undefined,
    ) ?? USUAL_RATE_HZ
  )
}

/** Returns the readers of songs: each is opened when it is first read, and of the decoded ones the last few are kept. */
function createReaders(
  tracks: readonly LaterTrack[],
  rateHz: number,
  decode: (bytes: ArrayBuffer) => Promise<AudioBuffer>,
): Track['read'][] {
  const decoded: number[] = []
  const open = new Map<number, Promise<Track>>()
  return tracks.map((track, at) => async (start, count) => {
    let mine = open.get(at)
    if (!mine) {
      mine = track.at(rateHz, decode)
      open.set(at, mine)
      if (track.fileRateHz === undefined) decoded.push(at)
      if (decoded.length > DECODED) open.delete(decoded.shift()!)
    }
    return (await mine).read(start, count)
  })
}

interface PartDeps {
  readonly heard: Pick<HeardTrack, 'track' | 'hasEdges'>
  /** The track that is heard before it. */
  readonly before: HeardTrack | undefined
  readonly fileFrames: number
  readonly rateHz: number
  readonly read: Track['read']
}

function partOf({ heard: { track, hasEdges }, before, fileFrames, rateHz, read }: PartDeps): SequencePart {
  const toFrames = (seconds: number) => (hasEdges ? 0 : Math.round(seconds * rateHz))
  const fromFrame = toFrames(track.trim_start_seconds)
  const frames = Math.max(0, fileFrames - fromFrame - toFrames(track.trim_end_seconds))
  return {
    restFrames: Math.round(restSecondsOf(track, before) * rateHz),
    fromFrame,
    frames,
    fadeIn: { frames: Math.min(frames, toFrames(track.fade_in_seconds)), shape: track.fade_in_shape },
    fadeOut: { frames: Math.min(frames, toFrames(track.fade_out_seconds)), shape: track.fade_out_shape },
    read,
  }
}

/** Returns the rest before a track, s: none where the track before goes over into it, or has that silence in its file. Pure. */
export function restSecondsOf(
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
