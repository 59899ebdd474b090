/** Names and texts of an exported folder. Pure. */
import type { StoredCover } from '../../src-contract/covers.ts'
import { trackDisclosure } from '../../src-contract/disclosure-answers.ts'
import type { ExportedFile, FileSet, ReceiverCheck } from '../../src-contract/release-exports.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { safeTitle } from '../../src-worker/result/names.ts'
import { asciiName } from '../../src-worker/result/romanise.ts'
import { fullTitle, type JobMaster } from './export-plan.ts'
import type { ReleaseRecord } from './release.ts'
import { sameSet, setName } from './set-names.ts'
import { gapBeside, lacksEdges, type MadeTrack } from './track-edges.ts'

/** Frames of a second in a cue sheet (CDRWIN, "Cue sheet commands"). */
const CUE_FRAMES = 75

/** A track with its exported file. */
export interface NamedTrack extends MadeTrack {
  /** Name within the folder of the cue sheet. */
  readonly fileName: string
}

/** A track with the job of its song, the job's measurements of the master, and the exported files. */
export interface ReportedTrack extends MadeTrack {
  readonly jobId: string
  readonly master: JobMaster
  readonly files: readonly ExportedFile[]
}

/** Returns the name of the folder of a release, in plain letters if requested. */
export function folderName({ artist, title }: ReleaseRecord['facts'], isPlain = false): string {
  const name = `${artist} - ${title}`
  return safeTitle(isPlain ? asciiName(name) : name)
}

/** Returns a cue sheet with a file for each track; a gap outside all files is a PREGAP, which players fill with silence. */
export function cueSheet({ facts }: Pick<ReleaseRecord, 'facts'>, tracks: readonly NamedTrack[]): string {
  const lines = [
    ...(facts.upc === undefined ? [] : [`CATALOG ${facts.upc.padStart(13, '0')}`]),
    `PERFORMER ${quoted(facts.artist)}`,
    `TITLE ${quoted(facts.title)}`,
    ...tracks.flatMap((made, index) => {
      const { track, fileName } = made
      const { facts: own } = track
      const gapSeconds = gapBeside(made, tracks[index - 1])
      return [
        `FILE ${quoted(fileName)} ${fileName.endsWith('.mp3') ? 'MP3' : 'WAVE'}`,
        `  TRACK ${String(index + 1).padStart(2, '0')} AUDIO`,
        `    TITLE ${quoted(fullTitle(own))}`,
        `    PERFORMER ${quoted(own.artists.join(', ') || facts.artist)}`,
        ...(own.composers.length > 0 ? [`    SONGWRITER ${quoted(own.composers.join(', '))}`] : []),
        ...(own.isrc === undefined ? [] : [`    ISRC ${own.isrc}`]),
        ...(gapSeconds > 0 ? [`    PREGAP ${cueTime(gapSeconds)}`] : []),
        '    INDEX 01 00:00:00',
      ]
    }),
  ]
  return `${lines.join('\r\n')}\r\n`
}

/** Quotes a text for a cue sheet, which cannot escape quotation marks. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', "'")}"`
}

function cueTime(seconds: number): string {
  const frames = Math.round(seconds * CUE_FRAMES)
  const parts = [Math.floor(frames / CUE_FRAMES / 60), Math.floor(frames / CUE_FRAMES) % 60, frames % CUE_FRAMES]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** Returns the report of a release: its facts, its exported cover, and each track with its files, its job and the job's measurements of the master. */
export function releaseReport(
  { releaseId, facts }: ReleaseRecord,
  tracks: readonly ReportedTrack[],
  cover: StoredCover | undefined,
): string {
  const durationOf = ({ files }: ReportedTrack) => files[0]?.sound?.duration_seconds ?? 0
  const report = {
    report_version: 1,
    release_id: releaseId,
    ...facts,
    ...(cover ? { cover } : {}),
    duration_seconds: tracks.reduce((sum, track) => sum + durationOf(track), 0),
    tracks: tracks.map((own, index) => ({
      position: index + 1,
      file: own.files[0]?.name,
      ...own.track.facts,
      disclosure: trackDisclosure(facts.disclosure, own.track.facts.disclosure),
      job_id: own.jobId,
      duration_seconds: durationOf(own),
      has_unapplied_edges: lacksEdges(own, tracks[index - 1]),
      // In the folder it has a different name, and so do the files of its formats.
      master: { ...own.master, file: undefined, files: undefined, same_bytes_as: undefined },
      files: own.files,
    })),
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

/** Returns the overview of a folder with several sets of files: the content and the receivers of each. */
export function overview(
  { facts }: Pick<ReleaseRecord, 'facts'>,
  sets: readonly FileSet[],
  receivers: readonly ReceiverCheck[],
  language: Language,
): string {
  const say = OVERVIEW[language]
  const lines = sets.flatMap((set) => {
    const names = receivers.filter(({ upload }) => sameSet(upload, set)).map(({ name }) => name)
    return [`- ${setName(set, language)}`, ...(names.length > 0 ? [`  ${say.upload}: ${names.join(', ')}`] : [])]
  })
  return `${[`${facts.artist} - ${facts.title}`, '', ...lines, '', say.more].join('\r\n')}\r\n`
}

const OVERVIEW = {
  en: { upload: 'Upload to', more: 'Rules, measurements and remedies: certificate.html. Checksums: SHA256SUMS.' },
  ko: { upload: '올릴 곳', more: '규칙, 측정값, 고칠 점: certificate.html. 체크섬: SHA256SUMS.' },
} as const

/** Returns checksums in the format of `sha256sum`. */
export function sha256Sums(files: readonly { readonly name: string; readonly sha256: string }[]): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
}
