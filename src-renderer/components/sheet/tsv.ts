/** Clipboard format of spreadsheets: tab-separated cells, quoted if they contain a line break or a tab. Pure. */

/** Returns the rows of a text, ignoring a final line break. */
export function readTsv(text: string): string[][] {
  const rows: string[][] = [[]]
  const cell = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/y
  while (cell.lastIndex < text.length) {
    const [, quoted, plain = '', end] = cell.exec(text)!
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '\t' && cell.lastIndex === text.length) rows.at(-1)?.push('')
    if (end !== '\t' && end !== '' && cell.lastIndex < text.length) rows.push([])
  }
  return rows
}

/** Returns cells as a text for the clipboard. */
export function writeTsv(rows: readonly (readonly string[])[]): string {
  const quoted = (cell: string) => (/[\t\r\n]|^"/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  return rows.map((cells) => cells.map(quoted).join('\t')).join('\n')
}
