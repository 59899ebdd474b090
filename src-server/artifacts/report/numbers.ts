/** Durations and sizes as the report writes them; all but sizes are written as in every sentence of the contract. */

export { playingTime as clock } from '../../contract/text/numbers.ts'

/** A size: `43.7 MB`, decimal. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
