/** A stored song as a playback item: the original, and the song with its sound. */
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import type { VersionLevel } from './levels.ts'
import type { PlaybackItem } from './state.ts'

export interface SongItem extends PlaybackItem {
  readonly kind: 'song'
}

export interface StoredSong {
  readonly title: string
  readonly sourceId: string
  readonly durationSeconds: number
  readonly rateHz: number
  readonly level: VersionLevel
}

/** Returns a stored song as a playback item; the song itself plays until its audition is ready. Pure. */
export function songItem({ title, sourceId, durationSeconds, rateHz, level }: StoredSong): SongItem {
  return {
    kind: 'song',
    id: sourceId,
    title,
    songId: sourceId,
    durationSeconds,
    rateHz,
    versions: [
      { id: 'source', kind: 'source', source: { kind: 'song', sourceId }, level },
      { id: 'audition', kind: 'audition', source: null, track: 'source', level },
    ],
    first: { version: 'source', lastHeard: 'audition', levelMode: 'matched', service: PLATFORMS[0] },
    keeps: ['levelMode', 'service'],
  }
}
