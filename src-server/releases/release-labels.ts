/** Labels of the files of a release: its own facts, completed by the tags of each track's song. Pure. */
import type { SongTags } from '../../src-worker/media/audio-facts.ts'
import { EXPLICIT, fieldOf, VALUE_BREAK } from '../../src-worker/media/tag-fields.ts'
import { fullTitle } from './export-plan.ts'
import type { ReleaseRecord } from './release.ts'

/** MusicBrainz Picard's names for facts of a release without a standard tag. */
const BARCODE = 'BARCODE'
/** Tags that belong to a song's earlier album, by the names of their fields or their own, in lower case. */
const OF_ANOTHER_ALBUM: ReadonlySet<string> = new Set([
  ...['disc', 'discsubtitle', 'compilation', 'album-sort', 'albumartist-sort', 'originalalbum', 'releasedate'],
  ...['catalognumber', 'asin', 'script', 'itunesadvisory'],
  ...['status', 'type', 'release country', 'id', 'artist id'].map((name) => `musicbrainz album ${name}`),
  ...['release group id', 'release track id', 'disc id'].map((name) => `musicbrainz ${name}`),
])
/** A release has one barcode, under any of these names. */
const BARCODES: ReadonlySet<string> = new Set(['barcode', 'upc', 'ean'])

/**
 * Returns the tags for the files of a track. The release's facts override the song's, and its other tags stay: lyrics, comments, tempo.
 * Numbers and identifiers of an earlier album are dropped, unless it has the same title.
 */
export function releaseTags(
  { facts, tracks }: Pick<ReleaseRecord, 'facts' | 'tracks'>,
  index: number,
  song: SongTags,
): SongTags {
  const track = tracks[index]!.facts
  const { title: _title, track: _track, albumArtist: _artist, other = {}, ...kept } = song
  const [isSameAlbum, isSameTitle] = [song.album === facts.title, song.title === fullTitle(track)]
  const isKept = (name: string) => {
    const known = (fieldOf(name)?.name ?? name).toLowerCase()
    if (BARCODES.has(known)) return false
    return (isSameAlbum || !OF_ANOTHER_ALBUM.has(known)) && (isSameTitle || known !== 'title-sort')
  }
  const further = {
    ...Object.fromEntries(Object.entries(other).filter(([name]) => isKept(name))),
    ...present('publisher', facts.label),
    ...present('lyricist', track.lyricists.join(VALUE_BREAK)),
    ...present(BARCODE, facts.upc),
    ...(track.explicit ? { [EXPLICIT]: '1' } : {}),
  }
  return {
    ...kept,
    title: fullTitle(track),
    artist: track.artists.join(VALUE_BREAK) || facts.artist,
    album: facts.title,
    albumArtist: facts.artist,
    track: `${index + 1}/${tracks.length}`,
    ...present('date', facts.release_date),
    ...present('genre', facts.genre),
    ...present('isrc', track.isrc),
    ...present('composer', track.composers.join(VALUE_BREAK)),
    ...present('copyright', rightsOf(facts)),
    ...(Object.keys(further).length > 0 ? { other: further } : {}),
  }
}

/** Only MP4 tags distinguish the two rights, and hardly any player reads them: both lines are one text, each with its sign. */
function rightsOf({ p_line, c_line }: ReleaseRecord['facts']): string {
  const signed = (sign: string, line: string | undefined) =>
    line === undefined ? [] : [line.startsWith(sign) ? line : `${sign} ${line}`]
  return [...signed('℗', p_line), ...signed('©', c_line)].join(VALUE_BREAK)
}

function present(name: string, text: string | undefined): Readonly<Record<string, string>> {
  return text ? { [name]: text } : {}
}
