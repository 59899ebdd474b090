import type { ErrorParams, FailureCode } from '../../src-contract/errors.ts'
import { isDiskFull } from '../../src-system/disk.ts'
import { hasMemoryKillSince, memoryKills } from '../../src-system/memory-kills.ts'
import { isExhausted } from '../../src-system/process-group.ts'
import { InvalidSamplesError, UnreadableAudioError } from '../media/decode.ts'
import { FfmpegError } from '../media/ffmpeg.ts'
import { FfmpegBrokenError } from '../media/trial.ts'
import type { WorkFailed } from './work-order.ts'

/** Error of a job that cannot be finished, with a code for the user. */
export class WorkFailure extends Error {
  readonly failureCode: FailureCode
  readonly params: ErrorParams

  constructor(failureCode: FailureCode, params: ErrorParams = {}, cause?: unknown) {
    super(failureCode, { cause })
    this.name = 'WorkFailure'
    this.failureCode = failureCode
    this.params = params
  }
}

/** Returns the message to the server about an error: the code for the user; message, ffmpeg's last lines and stack for the log. */
export function describeFailure(error: unknown): WorkFailed {
  const { failureCode, params } = classify(error)
  const cause = error instanceof WorkFailure && error.cause !== undefined ? error.cause : error
  const message = cause instanceof Error ? cause.message : String(cause)
  const lines = cause instanceof FfmpegError ? `\n${cause.lastLines.join('\n')}` : ''
  const stack = cause instanceof Error ? cause.stack : undefined
  return { type: 'failed', failureCode, params, message: message + lines, ...(stack ? { stack } : {}) }
}

/** Processes that the system had killed for memory when this one started. */
const killsAtStart = memoryKills()

function classify(error: unknown): { failureCode: FailureCode; params: ErrorParams } {
  if (error instanceof WorkFailure) return error
  return { failureCode: codeOf(error), params: error instanceof InvalidSamplesError ? { percent: error.percent } : {} }
}

/** Recognises the errors of V8 and Node when an array, a WebAssembly memory or a thread gets no memory: RangeErrors have no code. */
function isOutOfMemory(error: unknown): boolean {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return true
  return error instanceof RangeError && /allocation failed|could not allocate memory|out of memory/i.test(error.message)
}

function codeOf(error: unknown): FailureCode {
  if (error instanceof InvalidSamplesError) return 'INVALID_SAMPLES'
  if (error instanceof UnreadableAudioError) return 'UNREADABLE_AUDIO'
  if (error instanceof FfmpegBrokenError) return 'FFMPEG_BROKEN'
  if (error instanceof FfmpegError && error.fault === 'missing') return 'FFMPEG_MISSING'
  if (error instanceof FfmpegError && error.fault === 'time_limit') return 'ENGINE_TIMEOUT'
  if (error instanceof FfmpegError && error.fault === 'disk_full') return 'DISK_FULL'
  if (error instanceof FfmpegError && error.fault === 'crashed') return 'ENGINE_CRASHED'
  if (error instanceof FfmpegError && error.fault === 'killed')
    return hasMemoryKillSince(killsAtStart) ? 'OUT_OF_MEMORY' : 'ENGINE_CRASHED'
  if (error instanceof FfmpegError && ['out_of_memory', 'not_started'].includes(error.fault)) return 'OUT_OF_MEMORY'
  if (isOutOfMemory(error) || isExhausted(error)) return 'OUT_OF_MEMORY'
  return isDiskFull(error) ? 'DISK_FULL' : 'ENGINE_FAILED'
}
