/** Parses a whole number of decimal digits only; undefined for a sign, a blank, a point or another base. */
export function wholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined
}
