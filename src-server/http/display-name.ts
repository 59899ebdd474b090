/** Names entered by a user: of songs, keys and presets, and notes. */
import { cleanName } from '../../src-contract/clean-name.ts'
import { unusable } from './app-error.ts'

/** As {@link cleanName}, for a required name. Throws INVALID_REQUEST with `param` when nothing is left. */
export function requireName(text: string, param: string): string {
  const name = cleanName(text)
  if (name !== '') return name
  throw unusable(param, { rule: 'characters_at_least', limit: 1 })
}
