/** Names of the values that sentences mention: snake_case on the wire and in reports, camelCase in the program. Pure. */

/** Numbers and words by name. */
export type NamedValues = Readonly<Record<string, number | string>>

/** Returns the values under their wire names: `gainDb` becomes `gain_db`. Wire names stay as they are. */
export function toWireValues(values: NamedValues): Record<string, number | string> {
  return renamed(values, wireName)
}

/** Returns the values under their program names: `gain_db` becomes `gainDb`. Program names, as in reports of version 1, stay. */
export function fromWireValues(values: NamedValues): Record<string, number | string> {
  return renamed(values, programName)
}

/** Returns a name of the program as the wire spells it: `gainDb` becomes `gain_db`. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns a name of the wire as the program spells it: `gain_db` becomes `gainDb`. */
export function programName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function renamed(values: NamedValues, rename: (name: string) => string): Record<string, number | string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [rename(name), value]))
}
