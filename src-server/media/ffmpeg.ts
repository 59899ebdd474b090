/**
 * The one door to ffmpeg. It parses everything that strangers made, so every call has a name, a fixed argument array, a forced
 * demuxer, no network and a time limit, and every failure keeps the last lines that ffmpeg printed.
 */

import { execFile } from 'node:child_process'
import { access, constants, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import fluentFfmpeg from 'fluent-ffmpeg'
import { afterAwake, systemClock } from '../system.ts'

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

/**
 * Why a call of ffmpeg did not do what it was asked; `time_limit` is too long in all, or too long without a sign of life. `killed` is by
 * somebody else, such as a system short of memory: it says nothing about the song.
 */
export type FfmpegFault = 'missing' | 'failed' | 'time_limit' | 'disk_full' | 'killed'

/** A call of ffmpeg that failed: for the log, never for a user. An aborted call throws the signal's reason instead. */
export class FfmpegError extends Error {
  readonly operation: string
  readonly fault: FfmpegFault
  /** What ffmpeg printed last, oldest line first. */
  readonly lastLines: readonly string[]

  constructor(operation: string, fault: FfmpegFault, lastLines: readonly string[], cause?: unknown) {
    const reason = cause instanceof Error ? ` (${cause.message.split('\n', 1)[0]})` : ''
    super(`ffmpeg could not ${operation}: ${fault}${reason}`, { cause })
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
  /** A time in which the machine was awake. */
  readonly timeLimitSeconds: number
  /** How long ffmpeg may give no sign of life, neither output nor a line; {@link DEFAULT_STALL_SECONDS} when absent. */
  readonly stallSeconds?: number
  readonly signal?: AbortSignal | undefined
  /** Receives each line that ffmpeg prints about its input and output. */
  readonly onLine?: (line: string) => void
}

/** ffmpeg reads any song within seconds, and within minutes on a machine that does ten other things; beyond this it hangs. */
export const DEFAULT_TIME_LIMIT_SECONDS = 300

/** Songs come out many times faster than they play: an ffmpeg that gives nothing for this long hangs, however long the song is. */
const DEFAULT_STALL_SECONDS = 20

/** Looks per stall time: after a pause of the whole machine ffmpeg has its chance before the next one. */
const STALL_STEPS = 4

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
  const command = fluentFfmpeg(input.from, { stdoutLines: KEPT_LINES })
  command.setFfmpegPath(ffmpeg.path)
  command.inputOptions(['-hide_banner', '-nostats', ...(isFile ? ['-nostdin'] : [])])
  command.inputOptions(['-protocol_whitelist', 'file,pipe', ...(input.options ?? []), '-f', input.format])
  command.outputOptions([...call.outputOptions])
  skipQuestions(command)

  let signsOfLife = 0
  command.on('stderr', (line: string) => {
    signsOfLife++
    call.onLine?.(line)
  })
  const sink =
    typeof output === 'string'
      ? undefined
      : receiver((chunk) => {
          signsOfLife++
          output(chunk)
        })
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
  const over = new AbortController()
  const { timeLimitSeconds, stallSeconds = DEFAULT_STALL_SECONDS } = call
  const readSigns = async () => signsOfLife + (sink ? 0 : await sizeOf(output))
  const stalled = untilSilent(stallSeconds, over.signal, readSigns).then(() => `nothing came for ${stallSeconds} s`)
  let forgetLimit = () => {}
  const late = new Promise<string>((resolve) => {
    const reason = `it took longer than ${timeLimitSeconds} s`
    forgetLimit = afterAwake(systemClock, timeLimitSeconds * 1000, () => resolve(reason))
  })
  signal?.addEventListener('abort', kill)
  try {
    if (sink) command.pipe(sink)
    else command.save(output as string)
    const hang = await Promise.race([ended, stalled, late])
    if (hang) {
      kill()
      ended.catch(() => {})
      throw new FfmpegError(operation, 'time_limit', [], new Error(hang))
    }
    await received
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    over.abort()
    forgetLimit()
    signal?.removeEventListener('abort', kill)
  }
}

/**
 * fluent-ffmpeg asks ffmpeg twice what it can do before it starts it: time for every engine process, and nobody could end an ffmpeg
 * that hangs there. Whether it can do what it is told, its exit says as well.
 */
function skipQuestions(command: fluentFfmpeg.FfmpegCommand): void {
  const inside = command as unknown as { _prepare: unknown; _getArguments(): string[] }
  inside._prepare = (ready: (error: null, args: string[]) => void) => ready(null, inside._getArguments())
}

/** Resolves when `readSigns` has not changed for `seconds`, or soon after, or once `over` is aborted. */
async function untilSilent(seconds: number, over: AbortSignal, readSigns: () => Promise<number>): Promise<void> {
  let seen = Number.NaN
  for (let silentSteps = 0; silentSteps < STALL_STEPS; ) {
    await systemClock.sleep((seconds * 1000) / STALL_STEPS, over).catch(() => {})
    if (over.aborted) return
    const signs = await readSigns()
    silentSteps = signs === seen ? silentSteps + 1 : 0
    seen = signs
  }
}

async function sizeOf(file: FfmpegCall['output']): Promise<number> {
  return stat(String(file)).then(
    ({ size }) => size,
    () => 0,
  )
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
  return new FfmpegError(operation, faultOf(error, stderr), stderr.split('\n').slice(-KEPT_LINES), error)
}

function faultOf({ code, message }: Error & { code?: string }, stderr: string): FfmpegFault {
  if (code === 'ENOENT' || code === 'EACCES' || /Cannot find ffmpeg/.test(message)) return 'missing'
  if (/No space left on device/.test(stderr)) return 'disk_full'
  // The signals of its own faults (SIGSEGV, SIGABRT …) may well be the song's doing.
  return /killed with signal SIG(KILL|TERM|HUP|INT)$/.test(message) ? 'killed' : 'failed'
}

/** Returns the names of the audio encoders that this ffmpeg has. Throws a {@link FfmpegError} when it does not run. */
export async function listEncoders(ffmpeg: Ffmpeg): Promise<ReadonlySet<string>> {
  const limits = { timeout: DEFAULT_STALL_SECONDS * 1000, killSignal: 'SIGKILL', windowsHide: true } as const
  const { stdout } = await promisify(execFile)(ffmpeg.path, ['-hide_banner', '-encoders'], limits).catch(
    (error: Error & { killed?: boolean; signal?: string }) => {
      // `killed` is by the time limit above; with a signal alone it was somebody else.
      const fault = error.killed ? 'time_limit' : error.signal ? 'killed' : 'missing'
      throw new FfmpegError('list the encoders', fault, [], error)
    },
  )
  return new Set([...stdout.matchAll(/^ A[.A-Z]{5} ([^\s=]+)/gm)].map(([, name]) => name!))
}
