import type { WorkFailed } from '../../src-worker/mastering/work-order.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'

/** Returns the client's error for a failure of engine work outside jobs. */
export function engineFailure({ failureCode, message }: Pick<WorkFailed, 'failureCode' | 'message'>): AppError {
  const options = { cause: message }
  const unusable = (reason: string, param = 'file') =>
    new AppError('UNSUPPORTED_FORMAT', { reason }, { param, ...options })
  switch (failureCode) {
    case 'UNREADABLE_AUDIO':
      return unusable('damaged')
    case 'INVALID_SAMPLES':
      return unusable('not_numbers')
    case 'REFERENCE_UNREADABLE':
      return unusable('damaged', 'reference_file')
    case 'TOO_SHORT':
      return unusable('short')
    case 'DIGITAL_SILENCE':
      return unusable('silent')
    case 'SOURCE_LOST':
      return invalidRequest('song_gone', { param: 'source_id', ...options })
    case 'REFERENCE_LOST':
      return invalidRequest('reference_gone', { param: 'reference_source_id', ...options })
    case 'CEILING_BROKEN':
      return new AppError('CEILING_NOT_HELD', {}, options)
    case 'DISK_FULL':
      return new AppError('INSUFFICIENT_STORAGE', {}, options)
    case 'FFMPEG_MISSING':
      return new AppError('UNAVAILABLE', { reason: 'ffmpeg_missing' }, options)
    case 'FFMPEG_BROKEN':
      return new AppError('UNAVAILABLE', { reason: 'ffmpeg_broken' }, options)
    case 'ENCODER_MISSING':
    case 'ENGINE_TIMEOUT':
    case 'ENGINE_CRASHED':
    case 'OUT_OF_MEMORY':
    case 'MACHINES_LOST':
    case 'CANCELLED':
      return new AppError('UNAVAILABLE', {}, options)
    case 'ENGINE_FAILED':
      return new AppError('INTERNAL_ERROR', {}, options)
  }
}
