/** Tracks that run into the next: their grouping, whether they can be joined, and the information about neighbours for each job. Pure. */
import { MAX_DURATION_SECONDS } from '../../src-contract/limits.ts'
import type { JobSettings } from '../../src-contract/settings.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import { engineRateHz } from '../../src-worker/media/decode.ts'
import { AppError } from '../http/app-error.ts'
import type { MasterRequest } from '../uploads/form.ts'
import type { TrackFacts } from './release.ts'

/** Rate where the longest song takes all the memory allowed for a job, Hz. */
const HIGHEST_RATE_HZ = 96_000

/** A track that may go over into the next, and its song. */
export interface JoinableTrack {
  readonly facts: TrackFacts
  readonly title: string
  readonly song: Pick<StoredSong, 'facts'>
}

/** Returns places in order, those together that go over into each other. */
export function unitsOf(goesOver: readonly boolean[]): number[][] {
  const units: number[][] = []
  for (const place of goesOver.keys()) {
    if (goesOver[place - 1]) units.at(-1)!.push(place)
    else units.push([place])
  }
  return units
}

/** Returns whether each track runs into the next; the last never does. */
export function goOver(tracks: readonly { readonly facts: Pick<TrackFacts, 'continuous_with_next'> }[]): boolean[] {
  return tracks.map(({ facts }, i) => facts.continuous_with_next && i < tracks.length - 1)
}

/**
 * Throws TRACKS_NOT_CONTINUOUS, naming the track, if one cannot run into the next: songs of another rate or number of channels, other sound
 * settings, a fade or a gap between them, or more sound than one job can hold.
 */
export function requireContinuous(tracks: readonly JoinableTrack[]): void {
  const goesOver = goOver(tracks)
  for (const [i, track] of tracks.entries()) {
    const reason = goesOver[i] ? brokenBy(track, tracks[i + 1]!) : undefined
    if (reason) throw refused(i, track, { reason })
  }
  for (const unit of unitsOf(goesOver)) {
    const [first] = unit
    const track = tracks[first!]!
    const seconds = Math.floor(mostSeconds(track.song))
    const kept = unit.reduce((sum, place) => sum + keptOf(tracks[place]!), 0)
    if (unit.length > 1 && kept > seconds) throw refused(first!, track, { reason: 'length', seconds })
  }
}

function refused(index: number, { title }: JoinableTrack, values: { reason: string; seconds?: number }): AppError {
  return new AppError('TRACKS_NOT_CONTINUOUS', { track: index + 1, title, ...values })
}

function brokenBy({ facts, song }: JoinableTrack, next: JoinableTrack): string | undefined {
  const soundOf = ({ settings = {} }: TrackFacts) =>
    JSON.stringify(Object.entries(settings).sort(([one], [other]) => (one < other ? -1 : 1)))
  if (song.facts.sampleRateHz !== next.song.facts.sampleRateHz) return 'rate'
  if (song.facts.channels !== next.song.facts.channels) return 'channels'
  if (next.facts.gap_before_seconds > 0) return 'gap'
  if (facts.fade_out_seconds > 0 || next.facts.fade_in_seconds > 0) return 'fade'
  return soundOf(facts) === soundOf(next.facts) ? undefined : 'sound'
}

function mostSeconds({ facts }: Pick<StoredSong, 'facts'>): number {
  return (MAX_DURATION_SECONDS * HIGHEST_RATE_HZ) / engineRateHz(facts.sampleRateHz)
}

function keptOf({ facts, song }: JoinableTrack): number {
  return song.facts.durationSeconds - facts.trim_start_seconds - facts.trim_end_seconds
}

/** One of several joined songs, and the settings of its job. */
export interface JoinedPart {
  readonly song: Omit<StoredSong, 'path'>
  readonly settings: JobSettings
}

/** Returns the neighbours of one of several joined songs for its job; undefined for a single song. */
export function joinedWith(parts: readonly JoinedPart[], place: number): MasterRequest['joined'] {
  if (parts.length === 1) return undefined
  const { fade_in_seconds, fade_in_shape, pad_start_seconds } = parts[0]!.settings
  const { fade_out_seconds, fade_out_shape, pad_end_seconds } = parts.at(-1)!.settings
  const songs = parts.map(({ song: { filename, sha256, facts }, settings }) => ({
    ...{ filename, sha256, facts },
    trims: { trim_start_seconds: settings.trim_start_seconds, trim_end_seconds: settings.trim_end_seconds },
  }))
  return {
    before: songs.slice(0, place),
    after: songs.slice(place + 1),
    edges: { fade_in_seconds, fade_in_shape, pad_start_seconds, fade_out_seconds, fade_out_shape, pad_end_seconds },
  }
}
