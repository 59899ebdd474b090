/** Command-line options for the settings of a master, and their values. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { MAX_REFERENCES } from '../src-contract/limits.ts'
import { SETTING_NAMES, SETTINGS, type SettingName } from '../src-contract/settings.ts'
import { ACCEPT_ANY, type Accept } from '../src-contract/song-files.ts'
import { programName } from '../src-contract/wire-values.ts'
import type { ClientOptions } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import type { Messages } from './messages.ts'

/** Options of commands that take a song and the settings of its master. */
export interface MasteringOptions extends ClientOptions {
  readonly out?: string
  readonly title?: string
  readonly reference?: readonly string[]
  readonly referenceWeights?: string
  readonly target?: readonly string[]
  readonly recipe?: string
  readonly preset?: string
  readonly convert?: true
  /** Texts of the settings by the names of their options. */
  readonly [option: string]: unknown
}

/** Option with a comma-separated list; shells complete one of its words. */
export class ListOption extends Option {
  readonly words: readonly string[]

  constructor(flags: string, about: string, words: readonly string[]) {
    super(flags, about)
    this.words = words
  }
}

/** Returns the option of a setting: `--ai-service <service>` for `ai_service`. */
export function settingOption(name: SettingName, { language }: Pick<Messages, 'language'>): Option {
  const setting = SETTINGS[name]
  const value = setting.kind === 'flag' ? '' : ` <${setting.placeholder}>`
  const flags = `--${name.replaceAll('_', '-')}${value}`
  if (setting.kind === 'words') return new ListOption(flags, setting.help[language], setting.values)
  const option = new Option(flags, setting.help[language])
  return setting.kind === 'choice' ? option.choices(setting.values) : option
}

/** Adds the options for references, tracks and saved targets; `pathOf` parses the path of a track. */
export function withReferences(command: Command, messages: Messages, pathOf: (text: string) => string): void {
  const say = messages.master
  const upTo =
    (parse: (text: string) => string) =>
    (text: string, before: readonly string[] = []) => {
      if (before.length === MAX_REFERENCES) throw new InvalidArgumentError(say.mostReferences(MAX_REFERENCES))
      return [...before, parse(text)]
    }
  command
    .option('--reference <file>', say.reference, upTo(pathOf))
    .option('--reference-weights <list>', say.referenceWeights)
    .option('--target <file>', say.target, upTo(absolutePath(messages)))
}

/** Settings of songs without a reference. */
export const OWN_NAMES = SETTING_NAMES.filter((name) => name !== 'reference_amount')

/** Returns the given settings as JSON. Unreadable values stay texts, which the service refuses by name. */
export function givenSettings(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const texts = SETTING_NAMES.map((name) => [name, options[programName(name)]] as const)
  return Object.fromEntries(
    texts.filter(([, text]) => text !== undefined).map(([name, text]) => [name, settingValue(name, text)]),
  )
}

function settingValue(name: SettingName, value: unknown): unknown {
  if (typeof value !== 'string') return value
  switch (SETTINGS[name].kind) {
    case 'words':
      return wordsOf(value)
    case 'amount':
    case 'decimal':
    case 'optional_decimal':
      return value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value)
    default:
      return value
  }
}

/** Returns the files that a command takes: with `--convert` those of other containers too. */
export const acceptOf = ({ convert }: { readonly convert?: unknown }): Accept => (convert ? ACCEPT_ANY : undefined)

/** Returns the words of a comma-separated list. */
export const wordsOf = (list: string): string[] => list.split(',').map((word) => word.trim())
