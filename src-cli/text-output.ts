/** Text output of the command line for a person. */

/** Returns the width of a text in a terminal, columns: two for each wide character (Unicode Standard Annex 11, W and F). */
export function displayWidth(text: string): number {
  return [...text].reduce((width, character) => width + (WIDE.test(character) ? 2 : 1), 0)
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/

/** Returns rows as columns padded to their widest cell, two spaces apart; no trailing blanks. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell))
    })
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Returns a size in the largest unit that keeps it at 1 or more: `512 B`, `3.4 MB`. Powers of 1000. */
export function formatBytes(sizeBytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = sizeBytes
  let unit = 0
  // From here on the value would round to 1000.
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}

/** Width of the progress bar, columns. */
const BAR_WIDTH = 28

/** Returns a bar with the percent and a word beside it, e.g. `[#####-----]  50 %  rendering`. */
function progressBar(percent: number, word: string): string {
  const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * BAR_WIDTH)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${String(Math.round(percent)).padStart(3)} %  ${word}`
}

/**
 * Returns a writer of progress: on a terminal one overwritten line, elsewhere a line whenever the word changes. `end` leaves the cursor on
 * a fresh line.
 */
export function createProgressLine(out: NodeJS.WriteStream): {
  show(percent: number, word: string): void
  end(): void
} {
  let lastWord = ''
  let isDrawn = false
  return {
    show(percent, word) {
      if (out.isTTY) {
        out.write(`\r\x1b[2K${progressBar(percent, word)}`)
        isDrawn = true
      } else if (word !== lastWord) {
        out.write(`${word}\n`)
      }
      lastWord = word
    },
    end() {
      if (isDrawn) out.write('\n')
      isDrawn = false
    },
  }
}
