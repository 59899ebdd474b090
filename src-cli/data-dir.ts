import path from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { Messages } from './messages.ts'

/**
 * Returns the data directory that the desktop application uses for this user, so that the command line shares it:
 * Electron's `userData` folder and `data` in it. Never throws; creates nothing.
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
 * Returns the reader of a path option: relative ones start at the folder the command was called in. It throws InvalidArgumentError for
 * an empty one, as a variable leaves it that is not set: it would mean that folder itself.
 */
export function absolutePath(messages: Messages): (text: string) => string {
  return (text) => {
    if (text === '') throw new InvalidArgumentError(messages.emptyPath)
    // npm runs scripts in the project's folder and says in INIT_CWD where the user is.
    return path.resolve(process.env.INIT_CWD ?? '', text)
  }
}
