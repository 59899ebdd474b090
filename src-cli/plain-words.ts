/** Sentences of the service for a person at the terminal: with options and commands in place of the API's fields and addresses. */
import type { ErrorEnvelope } from '../src-contract/errors.ts'
import { SETTING_NAMES } from '../src-contract/settings.ts'

/** Options whose names differ from their fields. */
const OPTIONS: Readonly<Record<string, string>> = {
  cover_file: '--cover',
  expires_in: '--expires',
  output_folder: '--out',
  reference_file: '--reference',
  release_artist: '--artist',
  release_title: '--title',
  start_seconds: '--start',
}

/** Commands by the lists of the API. */
const LISTS: Readonly<Record<string, string>> = {
  jobs: '"loudsmith jobs list"',
  releases: '"loudsmith release list"',
  batches: '"loudsmith batches list"',
  presets: '"loudsmith presets list"',
}

/** Returns the sentence of a refusal for a person: `"tilt_db"` becomes `--tilt-db`, and a list's address becomes its command. */
export function inPlainWords({ error: { message, param } }: ErrorEnvelope): string {
  const said = param === undefined ? message : message.replaceAll(`"${param}"`, optionOf(param))
  return said.replace(/GET \/api\/v1\/(jobs|releases|batches|presets)\b/g, (_, name: string) => LISTS[name] ?? '')
}

/** Returns the option of a field, or else its name in words. */
function optionOf(param: string): string {
  const name = param.split('.').at(-1) ?? param
  if ((SETTING_NAMES as readonly string[]).includes(name)) return `--${name.replaceAll('_', '-')}`
  return OPTIONS[name] ?? `"${name.replaceAll('_', ' ')}"`
}
