/** Parser of the command line: `loudsmith [--data-dir=folder] [--adopt-dir] [--port=n] [--hidden] [songs…]`. */
import path from 'node:path'
import { DEFAULT_PORT } from '../src-contract/limits.ts'
import { isAnySongName } from '../src-contract/song-files.ts'
import { wholeNumber } from '../src-contract/whole-number.ts'

/** Argument of a start at login: the API starts, the window stays closed. */
export const HIDDEN_ARGUMENT = '--hidden'

/** Returns the value of `--name=value` or `--name value` among arguments; undefined if it is missing. */
export function argumentValue(argv: readonly string[], name: string): string | undefined {
  const at = argv.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`))
  if (at < 0) return undefined
  const [, ...value] = argv[at]?.split('=') ?? []
  return value.length > 0 ? value.join('=') : argv[at + 1]
}

/** Returns the port to listen on: the given one, 0 for a free one, or the default. Throws for anything but a port. */
export function portFrom(given: string | undefined): number {
  if (given === undefined) return DEFAULT_PORT
  const port = wholeNumber(given)
  if (port === undefined || port > 65_535) throw new Error(`--port takes a number from 0 to 65535, not "${given}".`)
  return port
}

/**
 * Returns the files of an argument list: all arguments after the program and the app except switches, made absolute. `cwd` is the caller's
 * folder. Pure.
 */
export function filesInArguments(argv: readonly string[], cwd: string): string[] {
  return argv
    .filter((word, at) => at > 0 && !word.startsWith('-') && isAnySongName(path.basename(word)))
    .map((word) => path.resolve(cwd, word))
}
