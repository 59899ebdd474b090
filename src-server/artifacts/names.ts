/** What songs are called: in lists, and on every file system a ZIP may be unpacked on. */
import { MAX_TITLE_LENGTH } from '../contract/limits.ts'

const MAX_TITLE_CHARACTERS = 80
/** File systems stop at 255 bytes for a whole name; the longest ending is `_report_<8>.html`. */
const MAX_TITLE_BYTES = 228
/**
 * Device names of Windows, with or without an extension, also with blanks before it (Microsoft, "Naming Files, Paths, and
 * Namespaces").
 */
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i
const FORBIDDEN = /[<>:"/\\|?*]|\p{Cc}|(?!\u200d)\p{Cf}|\p{Zl}|\p{Zp}|\p{Co}/gu

/**
 * Returns a title that is safe as part of a file name: NFC, no characters that Windows forbids, no invisible ones, no reserved device
 * name, no leading or trailing dots and spaces, at most 80 characters (none cut in half), never empty. Never throws.
 */
export function safeTitle(title: string): string {
  const clean = title.toWellFormed().normalize('NFC').replace(FORBIDDEN, ' ').replace(/\s+/gu, ' ')
  const graphemes = [...new Intl.Segmenter('und').segment(clean)].map(({ segment }) => segment)
  let kept = ''
  for (const grapheme of graphemes) {
    const longer = kept + grapheme
    if ([...longer].length > MAX_TITLE_CHARACTERS || Buffer.byteLength(longer) > MAX_TITLE_BYTES) break
    kept = longer
  }
  const trimmed = kept.replace(/^[\s.]+|[\s.]+$/gu, '')
  if (trimmed === '') return 'Untitled'
  return RESERVED.test(trimmed) ? `_${trimmed}` : trimmed
}

/** Returns the first title that says something: the request's, the tag's, else the file's name without its extension. */
export function chooseTitle(...candidates: readonly [...(string | undefined)[], string]): string {
  const filename = candidates.at(-1)!
  const stem = filename.replace(/^.*[/\\]/, '').replace(/\.(mp3|wav|wave|flac)$/i, '')
  return [...candidates.slice(0, -1), stem].map((text) => text?.normalize('NFC').trim()).find(Boolean) ?? 'Untitled'
}

/** Returns a title or an artist as lists show it: a tag can be as long as a story. No character is cut in half. */
export function listed(text: string): string {
  return [...text].slice(0, MAX_TITLE_LENGTH).join('')
}

/** Name of the one folder in the ZIP: `<safe title>_master_<first 8 of the job id>`. */
export function resultFolderName(title: string, jobId: string): string {
  return `${safeTitle(title)}_master_${jobId.slice(0, 8)}`
}

/** Name without its extension under which the report is saved by itself: `<safe title>_report_<first 8 of the job id>`. */
export function reportName(resultFolder: string): string {
  return resultFolder.replace(/_master_(?=.{8}$)/, '_report_')
}
