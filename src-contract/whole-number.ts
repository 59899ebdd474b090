/** Returns the whole number that `text` writes in decimal digits alone; undefined for a sign, a blank, a point or another base. */
export function wholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined
}
