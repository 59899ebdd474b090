import path from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { Messages } from './messages.ts'

/**
 * Returns the desktop application's data directory for this user, shared by the command line: `data` in Electron's `userData` folder. Never
 * throws; creates nothing.
 */
export function defaultDataDir(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const applications =
    platform === 'darwin'
      ? path.join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? environment.APPDATA || path.join(home, 'AppData', 'Roaming')
        : configFolder(environment.XDG_CONFIG_HOME, home)
  return path.join(applications, 'Loudsmith', 'data')
}

/** Returns the user's configuration folder; an empty or relative variable counts as not set (XDG Base Directory Specification 0.8). */
function configFolder(named: string | undefined, home: string): string {
  return named !== undefined && path.isAbsolute(named) ? named : path.join(home, '.config')
}

/**
 * Returns the parser of a path option; relative paths start at the folder of the call. It throws InvalidArgumentError for an empty path, as
 * from an unset variable: it would mean that folder itself.
 */
export function absolutePath(messages: Messages): (text: string) => string {
  return (text) => {
    if (text === '') throw new InvalidArgumentError(messages.emptyPath)
    // npm runs scripts in the project's folder and passes the user's folder in INIT_CWD.
    return path.resolve(process.env.INIT_CWD ?? '', text)
  }
}
