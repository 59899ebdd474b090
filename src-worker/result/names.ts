/** Names of songs, in lists and on every file system that a ZIP may be unpacked on. */
import type { MasterName } from '../../src-contract/delivery-target.ts'
import { type Format, formatFacts } from '../../src-contract/formats.ts'
import { MAX_TITLE_LENGTH } from '../../src-contract/limits.ts'
import type { NamingToken } from '../../src-contract/settings.ts'
import { isOtherContainer, withoutAnyExtension, withoutSongExtension } from '../../src-contract/song-files.ts'

/** UTF-16 units, as Windows and JavaScript count: an emoji is two of them. */
const MAX_TITLE_UNITS = 80
/**
 * Longest title in the name of the ZIP and its folder, UTF-16 units. Explorer unpacks no path of 260 units and names a folder after the
 * ZIP:
 * `C:\Users\<20>\Downloads\` is 40, `<title>_master_<8> (1)\<title>_master_<8>\` 2 × 40 + 38, and a file of 80 with the longest ending 96,
 * which leaves five.
 */
const MAX_FOLDER_TITLE_UNITS = 40
/** File systems stop at 255 bytes for a whole name; the longest ending is `_report_<8>.html`. */
const MAX_TITLE_BYTES = 228
/**
 * Device names of Windows, with or without an extension, also with blanks before it (Microsoft, "Naming Files, Paths, and
 * Namespaces").
 */
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i
const FORBIDDEN = /[<>:"/\\|?*]|\p{Cc}|(?!\u200d)\p{Cf}|\p{Zl}|\p{Zp}|\p{Co}/gu

/**
 * Returns a title that is safe as part of a file name: NFC, no characters that Windows forbids, no invisible ones, no reserved device name,
 * no leading or trailing dots and spaces, at most 80 UTF-16 units (no character cut in half) or the given number, never empty. Never
 * throws.
 */
export function safeTitle(title: string, maxUnits = MAX_TITLE_UNITS): string {
  const clean = title.toWellFormed().normalize('NFC').replace(FORBIDDEN, ' ').replace(/\s+/gu, ' ')
  const graphemes = [...new Intl.Segmenter('und').segment(clean)].map(({ segment }) => segment)
  let kept = ''
  for (const grapheme of graphemes) {
    const longer = kept + grapheme
    if (longer.length > maxUnits || Buffer.byteLength(longer) > MAX_TITLE_BYTES) break
    kept = longer
  }
  const trimmed = kept.replace(/^[\s.]+|[\s.]+$/gu, '')
  if (trimmed === '') return 'Untitled'
  return RESERVED.test(trimmed) ? safeTitle(`_${trimmed}`, maxUnits) : trimmed
}

/**
 * Returns the name of a master's file within a result: `<title>_<platform>.wav` for its WAV, `<title>_release.wav` for that of all
 * services; other formats have a suffix if the extension is ambiguous.
 */
export function masterFileName(stem: string, name: MasterName, format?: Format): string {
  const { suffix, container } = format ? formatFacts(format) : { suffix: '', container: 'wav' }
  return `${stem}_${name}${suffix === '' ? '' : `_${suffix}`}.${container}`
}

/** Values of the tokens of a pattern, of one file. */
export type NameValues = Readonly<Partial<Record<NamingToken, string>>>

/** Longest name of a file without its extension, UTF-16 units: with the folder around it Explorer unpacks it. */
const MAX_NAME_UNITS = 96

/**
 * Fills the tokens of a file name pattern, without extension, and makes it as safe as {@link safeTitle} does. The separators behind an
 * empty token are dropped. `endings` keep the name unique within the result if the pattern does not. Never throws.
 */
export function patternName(
  pattern: string,
  values: NameValues,
  endings: readonly { readonly token: NamingToken; readonly text: string }[],
): string {
  const filled = pattern.replace(/\{([a-z]+)\}([-_. ]*)/g, (_, token: NamingToken, separator: string) => {
    const value = values[token]
    return value ? value + separator : ''
  })
  const bare = filled.replace(/^[-_. ]+|[-_. ]+$/g, '')
  const missing = endings.filter(({ token, text }) => text !== '' && !pattern.includes(`{${token}}`))
  const ending = missing.map(({ text }) => `_${text}`).join('')
  return `${safeTitle(bare, MAX_NAME_UNITS - ending.length)}${ending}`
}

/** Returns the name of a song's file, from which {@link chooseTitle} removes the extension of an MP3, WAV or FLAC alone. */
export function titleFile({
  filename,
  facts,
}: {
  readonly filename: string
  readonly facts: { readonly format: string }
}): string {
  return isOtherContainer(facts.format) ? withoutAnyExtension(filename) : filename
}

/** Returns the first non-empty title: the request's, the tag's, else the file's name without its extension. */
export function chooseTitle(...candidates: readonly [...(string | undefined)[], string]): string {
  const filename = candidates.at(-1)!
  const stem = withoutSongExtension(filename.replace(/^.*[/\\]/, ''))
  return [...candidates.slice(0, -1), stem].map((text) => text?.normalize('NFC').trim()).find(Boolean) ?? 'Untitled'
}

/** Shortens a title or an artist for lists: a tag can be as long as a story. No character is cut in half. */
export function listed(text: string): string {
  return [...text].slice(0, MAX_TITLE_LENGTH).join('')
}

/**
 * Name of the one folder in the ZIP, of the ZIP and of the folder in the output folder: `<safe title>_master_<first 8 of the job id>`,
 * the title of at most 40 UTF-16 units.
 */
export function resultFolderName(title: string, jobId: string): string {
  return `${safeTitle(title, MAX_FOLDER_TITLE_UNITS)}${folderEnding(jobId)}`
}

const folderEnding = (jobId: string) => `_master_${jobId.slice(0, 8)}`

/** Returns whether a name could come from {@link resultFolderName} for this job, with any title. Never throws. */
export function isResultFolderName(name: string, jobId: string): boolean {
  return name === resultFolderName(name.slice(0, -folderEnding(jobId).length), jobId)
}

/** Largest name of a file on common file systems, bytes. */
const MAX_NAME_BYTES = 255

/** Returns whether a name is a valid file name on every file system, and not a path. Never throws. */
export function isSafeName(name: string): boolean {
  const isPlain = name.search(FORBIDDEN) < 0 && !/^[\s.]|[\s.]$/u.test(name) && !RESERVED.test(name)
  return name !== '' && isPlain && name.isWellFormed() && Buffer.byteLength(name) <= MAX_NAME_BYTES
}

/** Names of the texts in a result; the README is included only if the request goes beyond the plain masters. */
export const RESULT_TEXTS = {
  json: 'report.json',
  html: 'report.html',
  readme: 'README.txt',
  /** Checksums of all other files, in the format of `sha256sum`. */
  sums: 'SHA256SUMS',
} as const

/** Returns the name, without extension, of a separately saved report: `<safe title>_report_<first 8 of the job id>`. */
export function reportName(resultFolder: string): string {
  return resultFolder.replace(/_master_(?=.{8}$)/, '_report_')
}
