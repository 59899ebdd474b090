/** Sizes as the report writes them; all else is written as in every sentence of the contract. */

/** A size: `43.7 MB`, decimal. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
