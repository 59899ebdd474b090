/** Names given by a person: of songs, keys and presets, and notes. */
import { AppError } from './app-error.ts'

/** Returns `text` as a name: composed (NFC), on one line, without blanks around it; empty when nothing is left. Never throws. */
export function cleanName(text: string): string {
  // Control characters would break tags, file names, tables and logs.
  return text
    .normalize('NFC')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

/** As {@link cleanName}, for a required name. Throws INVALID_REQUEST with `param` when nothing is left. */
export function requireName(text: string, param: string): string {
  const name = cleanName(text)
  if (name !== '') return name
  throw new AppError('INVALID_REQUEST', {}, { param, details: [{ rule: 'characters_at_least', limit: 1 }] })
}
