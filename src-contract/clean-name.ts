/** Returns `text` as a name: NFC, on one line, trimmed; empty when nothing is left. Never throws. */
export function cleanName(text: string): string {
  // Control characters would break tags, file names, tables and logs.
  return text
    .normalize('NFC')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}
