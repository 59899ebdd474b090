/** Names and texts of an exported folder. Pure. */
import type { MasterResult } from '../../src-contract/report.ts'
import { safeTitle } from '../../src-worker/result/names.ts'
import type { ReleaseRecord, TrackFacts, TrackRecord } from './release.ts'

/** Least digits of the number of a track. */
const NUMBER_DIGITS = 2
/** Frames of a second in a cue sheet (CDRWIN, "Cue sheet commands"). */
const CUE_FRAMES = 75

/** A track with its exported file and the measurements of that. */
export interface ExportedTrack {
  readonly track: TrackRecord
  readonly fileName: string
  readonly durationSeconds: number
  readonly jobId: string
  readonly master: MasterResult
}

/** Returns the title of a track with its version. */
export function fullTitle({ title, version }: Pick<TrackFacts, 'title' | 'version'>): string {
  return version === undefined ? title : `${title} (${version})`
}

/** Returns the name of the folder of a release. */
export function folderName({ artist, title }: ReleaseRecord['facts']): string {
  return safeTitle(`${artist} - ${title}`)
}

/** Returns the file names of tracks, `01 Title.wav`, with as many digits as the last number has. */
export function fileNames(tracks: readonly TrackRecord[]): string[] {
  const digits = Math.max(NUMBER_DIGITS, String(tracks.length).length)
  return tracks.map(
    ({ facts }, index) => `${String(index + 1).padStart(digits, '0')} ${safeTitle(fullTitle(facts))}.wav`,
  )
}

/** Tells whether a track asks for edges that are not part of its file yet. */
export function hasEdges({ facts }: TrackRecord, index: number): boolean {
  const { trim_start_seconds, trim_end_seconds, fade_in_seconds, fade_out_seconds, gap_before_seconds } = facts
  const own = trim_start_seconds + trim_end_seconds + fade_in_seconds + fade_out_seconds
  return own > 0 || (index > 0 && gap_before_seconds > 0)
}

/** Returns a cue sheet with a file for each track; a gap before a track is a PREGAP, which players make of silence. */
export function cueSheet({ facts }: ReleaseRecord, tracks: readonly ExportedTrack[]): string {
  const lines = [
    ...(facts.upc === undefined ? [] : [`CATALOG ${facts.upc.padStart(13, '0')}`]),
    `PERFORMER ${quoted(facts.artist)}`,
    `TITLE ${quoted(facts.title)}`,
    ...tracks.flatMap(({ track, fileName }, index) => {
      const { facts: own } = track
      return [
        `FILE ${quoted(fileName)} WAVE`,
        `  TRACK ${String(index + 1).padStart(2, '0')} AUDIO`,
        `    TITLE ${quoted(fullTitle(own))}`,
        `    PERFORMER ${quoted(own.artists.join(', ') || facts.artist)}`,
        ...(own.composers.length > 0 ? [`    SONGWRITER ${quoted(own.composers.join(', '))}`] : []),
        ...(own.isrc === undefined ? [] : [`    ISRC ${own.isrc}`]),
        ...(index > 0 && own.gap_before_seconds > 0 ? [`    PREGAP ${cueTime(own.gap_before_seconds)}`] : []),
        '    INDEX 01 00:00:00',
      ]
    }),
  ]
  return `${lines.join('\r\n')}\r\n`
}

/** A cue sheet knows no quotation mark inside a text. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', "'")}"`
}

function cueTime(seconds: number): string {
  const frames = Math.round(seconds * CUE_FRAMES)
  const parts = [Math.floor(frames / CUE_FRAMES / 60), Math.floor(frames / CUE_FRAMES) % 60, frames % CUE_FRAMES]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** Returns the report of a release: its facts, and each track with its file, its job and the measurements of the file. */
export function releaseReport({ releaseId, facts, cover }: ReleaseRecord, tracks: readonly ExportedTrack[]): string {
  const report = {
    report_version: 1,
    release_id: releaseId,
    ...facts,
    ...(cover ? { cover } : {}),
    duration_seconds: tracks.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0),
    tracks: tracks.map(({ track, fileName, durationSeconds, jobId, master }, index) => ({
      position: index + 1,
      file: fileName,
      ...track.facts,
      job_id: jobId,
      duration_seconds: durationSeconds,
      has_unapplied_edges: hasEdges(track, index),
      // In the folder it has another name, and is one file for all platforms.
      master: { ...master, file: fileName, same_bytes_as: undefined },
    })),
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

/** Returns checksums in the format of `sha256sum`. */
export function sha256Sums(files: readonly { readonly name: string; readonly sha256: string }[]): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
}
