/** Tables on screen: Markdown, so that they can be pasted into docs/engine.md. */

/** Returns a table with a head. Numbers are given as text by {@link fixed}. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n')
}

/** Returns a number with that many decimals, or a dash where there is none. */
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
