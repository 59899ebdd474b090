/** Messages of the command line: help, refusals, outcomes. JSON output is English and never changes. */
import { type Language, languageOfLocale } from '../src-contract/text/language.ts'
import { en, type Messages } from './text/en.ts'
import { ko } from './text/ko.ts'

export type { Messages }

const MESSAGES: Readonly<Record<Language, Messages>> = { en, ko }

/**
 * Returns the messages of a terminal: Korean if the first set variable among LC_ALL, LC_MESSAGES and LANG begins with `ko` (POSIX.1-2017
 * section 8.2) or, if none is set, as on Windows, the system's own language does; else English. Never throws.
 */
export function terminalMessages(
  environment: Readonly<Record<string, string | undefined>>,
  systemLocale: string,
): Messages {
  const locale = environment.LC_ALL || environment.LC_MESSAGES || environment.LANG || systemLocale
  return MESSAGES[languageOfLocale(locale)]
}

/** Returns the messages of the whole program, with or without `--json`. */
export const messagesFor = (messages: Messages, { json }: { readonly json?: boolean }): Messages =>
  json ? en : messages

/** Returns whether the arguments ask for JSON, even if they are otherwise invalid. Never throws. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json')
}
