/** Builds the tracks and names of a release from songs and their metadata. Pure. */
import type { BatchSong } from '../../src-contract/app.ts'
import type { Job } from '../../src-contract/jobs.ts'
import type { TrackChange } from '../../src-contract/releases.ts'
import { titleOfFile } from './releases.ts'

/** A track made from a song, and the song's statements about the release. */
export interface TrackOf {
  readonly artist: string | undefined
  readonly album: string | undefined
  readonly track: TrackChange & { readonly title: string }
}

/** Returns the title of a song; a title taken from the file name loses its leading number. */
function ownTitle(title: string, filename: string): string {
  return title === filename.replace(/\.[^.]+$/, '') ? titleOfFile(filename) : title
}

const namesIn = (text: string) => text.split(';').flatMap((name) => name.trim() || [])

/** Returns the track of a stored song; its metadata overrides the tags of its file. */
export function trackOfSong({ source, metadata }: Pick<BatchSong, 'source' | 'metadata'>): TrackOf {
  const { source_id, filename } = source
  const artist = metadata.artist ?? source.artist
  const track = {
    source_id,
    title: metadata.title ?? ownTitle(source.title, filename),
    ...(artist === undefined ? {} : { artists: namesIn(artist) }),
    ...(metadata.composer === undefined ? {} : { composers: namesIn(metadata.composer) }),
    ...(metadata.isrc === undefined ? {} : { isrc: metadata.isrc }),
  }
  return { artist, album: metadata.album ?? source.tags.album, track }
}

/** Returns the track of a mastered song. */
export function trackOfJob({
  job_id,
  title,
  artist,
  filename,
}: Pick<Job, 'job_id' | 'title' | 'artist' | 'filename'>): TrackOf {
  return { artist, album: undefined, track: { job_id, title: ownTitle(title, filename) } }
}

/**
 * Returns the names of a release from its songs: the artist of the first with one, and the album that all name, or the
 * title of a single song without one.
 */
export function releaseNamesOf(songs: readonly TrackOf[]): { readonly title?: string; readonly artist?: string } {
  const [first] = songs
  const isOneAlbum = first?.album !== undefined && songs.every(({ album }) => album === first.album)
  const title = isOneAlbum ? first.album : songs.length === 1 ? first?.track.title : undefined
  const artist = songs.find((song) => song.artist)?.artist
  return { ...(title === undefined ? {} : { title }), ...(artist === undefined ? {} : { artist }) }
}
