/**
 * The one door to ffmpeg. It parses everything that strangers made, so every call has a name, a fixed argument array, a forced
 * demuxer, no network and a time limit, and every failure keeps the last lines that ffmpeg printed.
 */

import { access, constants } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Writable } from 'node:stream'
import fluentFfmpeg from 'fluent-ffmpeg'

/** Where an ffmpeg was found. */
export type FfmpegOrigin = 'setting' | 'packaged' | 'ffmpeg-static' | 'system' | 'npm-fallback'

/** A working ffmpeg: plain data, so that a work order can carry it. */
export interface Ffmpeg {
  /** Absolute. */
  readonly path: string
  /** Version as the program prints it, e.g. `6.1.1-static`. */
  readonly version: string
  readonly origin: FfmpegOrigin
  /** Whether this build can convert rates with the SoX resampler; otherwise ffmpeg's own is used. */
  readonly hasSoxr: boolean
}

/** Why a call of ffmpeg did not do what it was asked. */
export type FfmpegFault = 'missing' | 'failed' | 'time_limit' | 'disk_full'

/** A call of ffmpeg that failed: for the log, never for a user. An aborted call throws the signal's reason instead. */
export class FfmpegError extends Error {
  readonly operation: string
  readonly fault: FfmpegFault
  /** What ffmpeg printed last, oldest line first. */
  readonly lastLines: readonly string[]

  constructor(operation: string, fault: FfmpegFault, lastLines: readonly string[], cause?: unknown) {
    super(`ffmpeg could not ${operation}: ${fault}`, { cause })
    this.name = 'FfmpegError'
    this.operation = operation
    this.fault = fault
    this.lastLines = lastLines
  }
}

/** One call of ffmpeg. */
export interface FfmpegCall {
  /** What is done, as a verb phrase: "decode the song". */
  readonly operation: string
  /** A file or a stream of bytes, and the demuxer it must be read with. */
  readonly input: { readonly from: string | Readable; readonly format: string; readonly options?: readonly string[] }
  /** Everything between the input and the output, muxer (`-f`) included. */
  readonly outputOptions: readonly string[]
  /** A file to be written, or the receiver of ffmpeg's output; it runs before the next chunk is read and may throw. */
  readonly output: string | ((chunk: Uint8Array) => void)
  readonly timeLimitSeconds: number
  readonly signal?: AbortSignal | undefined
  /** Receives each line that ffmpeg prints about its input and output. */
  readonly onLine?: (line: string) => void
}

/** ffmpeg reads any song within seconds, and within minutes on a machine that does ten other things; beyond this it hangs. */
export const DEFAULT_TIME_LIMIT_SECONDS = 300

const KEPT_LINES = 40

/**
 * Runs ffmpeg once and resolves when it has ended well and all its output has been received. Rejects with a {@link FfmpegError},
 * with what `output` threw, or with the reason of the aborted `signal`; ffmpeg is then dead.
 */
export async function runFfmpeg(ffmpeg: Ffmpeg, call: FfmpegCall): Promise<void> {
  call.signal?.throwIfAborted()
  // fluent-ffmpeg crashes on a program that has gone since it first ran.
  await access(ffmpeg.path, constants.X_OK).catch((error: unknown) => {
    throw new FfmpegError(call.operation, 'missing', [], error)
  })
  const { input, output, operation, signal } = call
  const isFile = typeof input.from === 'string'
  const command = fluentFfmpeg(input.from, { timeout: call.timeLimitSeconds, stdoutLines: KEPT_LINES })
  command.setFfmpegPath(ffmpeg.path)
  command.inputOptions(['-hide_banner', '-nostats', ...(isFile ? ['-nostdin'] : [])])
  command.inputOptions(['-protocol_whitelist', 'file,pipe', ...(input.options ?? []), '-f', input.format])
  command.outputOptions([...call.outputOptions])
  if (call.onLine) command.on('stderr', call.onLine)

  const sink = typeof output === 'string' ? undefined : receiver(output)
  const kill = () => command.kill('SIGKILL')
  const received = sink && new Promise<void>((resolve) => sink.once('finish', resolve))
  const ended = new Promise<void>((resolve, reject) => {
    // Killing is only possible once the process exists.
    command.on('start', () => signal?.aborted && kill())
    command.on('end', () => resolve())
    command.on('error', (error: Error, _stdout, stderr) => {
      kill()
      reject(explain(operation, error, stderr ?? ''))
    })
  })
  signal?.addEventListener('abort', kill)
  try {
    if (sink) command.pipe(sink)
    else command.save(output as string)
    await ended
    await received
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', kill)
  }
}

/** A stream that never emits `close`: fluent-ffmpeg takes a close that comes 20 ms before the exit for a failure. */
function receiver(output: (chunk: Uint8Array) => void): Writable {
  return new Writable({
    autoDestroy: false,
    emitClose: false,
    write(chunk: Uint8Array, _encoding, done) {
      try {
        output(chunk)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
  })
}

function explain(
  operation: string,
  error: Error & { outputStreamError?: Error; code?: string },
  stderr: string,
): Error {
  if (error.outputStreamError) return error.outputStreamError
  const fault = /timeout/.test(error.message)
    ? 'time_limit'
    : error.code === 'ENOENT' || error.code === 'EACCES' || /Cannot find ffmpeg/.test(error.message)
      ? 'missing'
      : /No space left on device/.test(stderr)
        ? 'disk_full'
        : 'failed'
  return new FfmpegError(operation, fault, stderr.split('\n').slice(-KEPT_LINES), error)
}

/** Returns the names of the audio encoders that this ffmpeg has. Throws a {@link FfmpegError} when it does not run. */
export async function listEncoders(ffmpeg: Ffmpeg): Promise<ReadonlySet<string>> {
  return new Promise((resolve, reject) => {
    const command = fluentFfmpeg()
    command.setFfmpegPath(ffmpeg.path)
    command.getAvailableEncoders((error, encoders) => {
      if (error) reject(new FfmpegError('list the encoders', 'missing', [], error))
      else resolve(new Set(Object.keys(encoders).filter((name) => encoders[name]?.type === 'audio')))
    })
  })
}
