/**
 * The only place that starts ffmpeg, which parses untrusted input: every call has a name, a fixed argument array, a forced demuxer, parser
 * limits, no network and a time limit, and every failure keeps the last lines that ffmpeg printed.
 */

import type { ChildProcess } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isExhausted, killGroup, startGroup } from '../../src-system/process-group.ts'
import { afterAwake, systemClock } from '../../src-system/system.ts'
import { type FfmpegCall, ffmpegArguments } from './ffmpeg-arguments.ts'

/** Place where an ffmpeg was found. */
export type FfmpegOrigin = 'setting' | 'packaged' | 'ffmpeg-static' | 'system' | 'npm-fallback'

/** A working ffmpeg as plain data that a work order can carry. */
export interface Ffmpeg {
  /** Absolute. */
  readonly path: string
  /** Version as the program prints it, e.g. `6.1.1-static`. */
  readonly version: string
  readonly origin: FfmpegOrigin
  /** True if this build has the SoX resampler; otherwise ffmpeg's own is used. */
  readonly hasSoxr: boolean
}

/**
 * Reason that a call of ffmpeg failed:
 * - `missing`: there is no program that can be run;
 * - `not_started`: the system had no process or file descriptor left for it, nor a while later;
 * - `failed`: it reported an error;
 * - `short`: it reported success, but did not read its input to the end or gave less output than it should have;
 * - `time_limit`: it took too long in all, or too long without output;
 * - `disk_full`: there was no room for its output;
 * - `out_of_memory`: the system refused it memory;
 * - `killed`: from outside, such as by a system short of memory; it says nothing about the song;
 * - `crashed`: by its own fault (SIGSEGV, SIGILL …), perhaps provoked by the song or the processor.
 */
export type FfmpegFault =
  | 'missing'
  | 'not_started'
  | 'failed'
  | 'short'
  | 'time_limit'
  | 'disk_full'
  | 'out_of_memory'
  | 'killed'
  | 'crashed'

/** A call of ffmpeg that failed: for the log, never for a user. An aborted call throws the signal's reason instead. */
export class FfmpegError extends Error {
  readonly operation: string
  readonly fault: FfmpegFault
  /** Last lines that ffmpeg printed, oldest first. */
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

/** Limit for one song: ffmpeg takes seconds, and minutes on a very busy machine. */
export const DEFAULT_TIME_LIMIT_SECONDS = 300

/** Time without output until ffmpeg counts as hanging: it decodes many times faster than real time, whatever the length. */
const DEFAULT_STALL_SECONDS = 20

/** Time limit for ffmpeg's answers about itself: the start of the service waits for them. */
const ANSWER_SECONDS = 10

/** Checks per stall time: after a pause of the whole machine ffmpeg can give output before the next one. */
const STALL_STEPS = 4

/** Time that a killed ffmpeg has to end. */
const KILL_SECONDS = 2

/** Lines kept for the log, and characters of each: a tag of megabytes is one line. */
const KEPT_LINES = 40
const KEPT_CHARACTERS = 2000

/**
 * Runs ffmpeg once and resolves when it has succeeded and all its output has been received. Rejects with a {@link FfmpegError}, an error
 * of `output` or of the input stream, or the reason of the aborted `signal`; ffmpeg and its child processes are then killed.
 */
export function runFfmpeg(ffmpeg: Ffmpeg, call: FfmpegCall): Promise<void> {
  return run(ffmpeg.path, ffmpegArguments(call), call)
}

/** Returns ffmpeg's own description, such as its version or its encoders. `file` is its path. Throws a {@link FfmpegError}. */
export async function askFfmpeg(file: string, operation: string, question: string): Promise<string> {
  const chunks: Uint8Array[] = []
  const output = (chunk: Uint8Array) => void chunks.push(chunk)
  await run(file, ['-hide_banner', question], { operation, output, timeLimitSeconds: ANSWER_SECONDS })
  return Buffer.concat(chunks).toString('utf8')
}

type Run = Omit<FfmpegCall, 'input' | 'outputOptions'> & Partial<Pick<FfmpegCall, 'input'>>

async function run(file: string, arguments_: readonly string[], call: Run): Promise<void> {
  const { output, operation, signal } = call
  const from = call.input?.from instanceof Readable ? call.input.from : undefined
  signal?.throwIfAborted()
  const child = await startGroup(systemClock, file, {
    arguments: arguments_,
    stdio: [from ? 'pipe' : 'ignore', typeof output === 'string' ? 'ignore' : 'pipe', 'pipe'],
    givesWay: call.givesWay === true,
  }).catch((error: unknown) => {
    throw new FfmpegError(operation, isExhausted(error) ? 'not_started' : 'missing', [], error)
  })
  const closed = endOf(child)
  const kill = () => killGroup(child)
  let signsOfLife = 0
  let failure: { readonly error: unknown } | undefined
  const fail = (error: unknown) => {
    failure ??= { error }
    kill()
  }
  const lines: string[] = []
  readLines(child.stderr!, (line) => {
    signsOfLife++
    if (lines.push(line.slice(0, KEPT_CHARACTERS)) > KEPT_LINES) lines.shift()
    call.onLine?.(line)
  })
  if (typeof output !== 'string') {
    child.stdout!.on('data', (chunk: Uint8Array) => {
      signsOfLife++
      try {
        if (!failure) output(chunk)
      } catch (error) {
        fail(error)
      }
    })
  }
  if (from) feed(from, child.stdin!, fail)
  const over = new AbortController()
  const readSigns = async () => signsOfLife + (typeof output === 'string' ? await sizeOf(output) : 0)
  signal?.addEventListener('abort', kill)
  try {
    if (signal?.aborted) kill()
    const end = await Promise.race([closed, untilHanging(call, over.signal, readSigns)])
    signal?.throwIfAborted()
    if (failure) throw failure.error
    const fault = typeof end === 'string' ? ({ fault: 'time_limit', reason: end } as const) : faultOf(end, lines)
    if (!fault) return
    if (typeof end === 'string') {
      kill()
      // A process that waits for a drive that does not respond cannot be killed.
      await Promise.race([closed, systemClock.sleep(KILL_SECONDS * 1000)])
    }
    throw new FfmpegError(operation, fault.fault, lines, new Error(fault.reason))
  } finally {
    over.abort()
    signal?.removeEventListener('abort', kill)
  }
}

interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Resolves when a process has ended and its output is closed. */
function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })))
}

/** Errors of writing to a program that has closed its input: its exit code shows whether it had read enough. */
const REFUSED = new Set(['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'])

function feed(from: Readable, stdin: Writable, fail: (error: unknown) => void): void {
  pipeline(from, stdin).catch((error: NodeJS.ErrnoException) => {
    if (!REFUSED.has(String(error.code))) fail(error)
  })
}

/** Calls `onLine` with each line of a text, with any line ending; the rest of a line beyond a megabyte is dropped. */
function readLines(text: Readable, onLine: (line: string) => void): void {
  let unfinished = ''
  text.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (unfinished + chunk).split(/\r\n|\r|\n/)
    unfinished = lines.pop()!.slice(0, 1 << 20)
    for (const line of lines) onLine(line)
  })
  text.on('end', () => {
    if (unfinished !== '') onLine(unfinished)
  })
}

/** Resolves with the reason once a call exceeds a limit; never after `over` is aborted. */
async function untilHanging(
  { timeLimitSeconds, stallSeconds = DEFAULT_STALL_SECONDS }: Pick<FfmpegCall, 'timeLimitSeconds' | 'stallSeconds'>,
  over: AbortSignal,
  readSigns: () => Promise<number>,
): Promise<string> {
  const { promise: late, resolve } = Promise.withResolvers<string>()
  const forgetLimit = afterAwake(systemClock, timeLimitSeconds * 1000, () =>
    resolve(`it took longer than ${timeLimitSeconds} s`),
  )
  over.addEventListener('abort', forgetLimit)
  const stalled = untilSilent(stallSeconds, over, readSigns).then(() => `nothing came for ${stallSeconds} s`)
  return Promise.race([late, stalled])
}

/** Exit codes of a shell whose command ended by a signal: 128 plus the signal's number (POSIX, sh, 2.8.2). */
const SHELL_SIGNALS: Readonly<Record<number, NodeJS.Signals>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  132: 'SIGILL',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
}

/** Exit codes of Windows from here on are faults such as an access violation (NTSTATUS of severity "error"). */
const LEAST_NTSTATUS_ERROR = 0xc000_0000

/** Returns the fault and the cause of a process's end; undefined if it ended well. */
function faultOf(
  end: ProcessEnd,
  lines: readonly string[],
): { readonly fault: FfmpegFault; readonly reason: string } | undefined {
  const { code } = end
  const says = (text: RegExp) => lines.some((line) => text.test(line))
  if (code === 0) {
    // ffmpeg takes a read error for the end of the file. Text from tags is indented.
    const isShort = says(/^\S.*: Input\/output error$/)
    return isShort ? { fault: 'short', reason: 'its input could not be read to the end' } : undefined
  }
  const reason = end.signal ? `killed by ${end.signal}` : `exit code ${code}`
  if (says(/No space left on device$|Disk quota exceeded$/)) return { fault: 'disk_full', reason }
  const signal = end.signal ?? SHELL_SIGNALS[code!]
  if (signal) return { fault: /^SIG(KILL|TERM|HUP|INT)$/.test(signal) ? 'killed' : 'crashed', reason }
  if (code! >= LEAST_NTSTATUS_ERROR) return { fault: 'crashed', reason }
  if (says(/Cannot allocate memory$/)) return { fault: 'out_of_memory', reason }
  return { fault: says(/Input\/output error$/) ? 'short' : 'failed', reason }
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

/** Returns the names of this ffmpeg's audio encoders, one or more. Throws a {@link FfmpegError} if it lists none. */
export async function listEncoders(ffmpeg: Ffmpeg): Promise<ReadonlySet<string>> {
  const operation = 'list the encoders'
  const text = await askFfmpeg(ffmpeg.path, operation, '-encoders')
  const names = [...text.matchAll(/^ A[.A-Z]{5} ([^\s=]+)/gm)].map(([, name]) => name!)
  if (names.length === 0) throw new FfmpegError(operation, 'short', [text.slice(0, KEPT_CHARACTERS)])
  return new Set(names)
}
