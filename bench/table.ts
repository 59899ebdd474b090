/** Tables on screen, in Markdown for pasting into docs/engine. */

/** A column: its head and the width of its cells. */
export type Column = readonly [head: string, width?: number]

/**
 * Prints the head of a table and returns a printer of rows, which appear as soon as they are measured. Numbers are formatted by
 * {@link fixed}.
 */
export function startTable(
  columns: readonly Column[],
  say: (line: string) => void,
): (cells: readonly string[]) => void {
  const widths = columns.map(([head, width = 0]) => Math.max(head.length, width))
  const row = (cells: readonly string[]) =>
    say(`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
  row(columns.map(([head]) => head))
  say(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`)
  return row
}

/** Width of a column that names songs, or tools. */
export const NAME_WIDTH = 40

/** Returns a number with that many decimals, or a dash for none. */
export function fixed(value: number | undefined, decimals: number): string {
  return value === undefined || !Number.isFinite(value) ? '–' : value.toFixed(decimals)
}

export interface BenchInput {
  readonly files: readonly string[]
  /** Songs are cut to this length. */
  readonly seconds: number
  readonly peers: readonly import('./peer.ts').Peer[]
  /** Folder for scratch files. */
  readonly work: string
  readonly say: (line: string) => void
}
