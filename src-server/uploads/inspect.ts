import type { ReferenceFile } from '../../src-contract/jobs.ts'
import { MIN_REFERENCE_SECONDS } from '../../src-contract/limits.ts'
import type { Accept } from '../../src-contract/song-files.ts'
import { syncFile } from '../../src-system/disk.ts'
import type { AudioFacts } from '../../src-worker/media/audio-facts.ts'
import { type Ffmpeg, FfmpegError } from '../../src-worker/media/ffmpeg.ts'
import { FfmpegMissingError } from '../../src-worker/media/locate.ts'
import { FfmpegBrokenError } from '../../src-worker/media/trial.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import type { Probe } from './probe.ts'
import type { ReceivedFile } from './receive.ts'

/** A received file that is an accepted song. */
export interface InspectedSong extends ReceivedFile {
  readonly facts: AudioFacts
}

/** Inspects a received file, which may be in another container with `accept`; throws UNSUPPORTED_FORMAT, FILE_TOO_LONG, or INVALID_REQUEST for a short reference. */
export type Inspect = (
  file: ReceivedFile,
  field: 'file' | ReferenceFile,
  signal: AbortSignal,
  accept?: Accept,
) => Promise<InspectedSong>

/** Refusals that are costly enough to be remembered. */
const STOPS_FFMPEG: ReadonlySet<string> = new Set(['stalls', 'crashes'])
/** Most refusals kept in memory. */
const MAX_REMEMBERED = 256

/** Probes run at once; more only make each slower. */
const MAX_PARALLEL = 2

/**
 * Returns the inspection. An accepted file is safely on disk. Throws UNAVAILABLE without ffmpeg, or if it does not work or is killed,
 * INSUFFICIENT_STORAGE when the disk is full, and the reason of an aborted signal.
 */
export function createInspect(deps: {
  ffmpeg: () => Promise<Ffmpeg>
  probe: (path: string, options: { ffmpeg: Ffmpeg; signal: AbortSignal; accept?: Accept }) => Promise<Probe>
}): Inspect {
  const inTurn = createTurns(MAX_PARALLEL)
  /** Refusals of files that made ffmpeg stall or crash, by content and ffmpeg. */
  const stopped = new Map<string, Probe>()
  return async (file, field, signal, accept) => {
    const probeKnown = async (): Promise<Probe> => {
      const ffmpeg = await deps.ffmpeg()
      const known = `${file.sha256} ${ffmpeg.path} ${ffmpeg.version}`
      const probe =
        stopped.get(known) ?? (await deps.probe(file.path, { ffmpeg, signal, ...(accept ? { accept } : {}) }))
      if (!probe.ok && STOPS_FFMPEG.has(probe.reason)) stopped.set(known, probe)
      if (stopped.size > MAX_REMEMBERED) stopped.delete(stopped.keys().next().value!)
      return probe
    }
    const [probe] = await Promise.all([inTurn(probeKnown), syncFile(file.path)]).catch((cause: unknown) => {
      signal.throwIfAborted()
      throw serviceFailure(cause)
    })
    if (!probe.ok) throw new AppError(probe.code, probe.params, { param: field })
    if (field !== 'file' && probe.facts.durationSeconds < MIN_REFERENCE_SECONDS) {
      throw invalidRequest('reference_too_short', { param: field })
    }
    return { ...file, facts: probe.facts }
  }
}

/** Returns the client's error for a failure of ffmpeg that is not the song's fault; any other cause as it is. */
export function serviceFailure(cause: unknown): unknown {
  if (cause instanceof FfmpegError && cause.fault === 'disk_full')
    return new AppError('INSUFFICIENT_STORAGE', {}, { cause })
  if (cause instanceof FfmpegMissingError) return new AppError('UNAVAILABLE', { reason: cause.lack }, { cause })
  if (cause instanceof FfmpegBrokenError) return new AppError('UNAVAILABLE', { reason: 'ffmpeg_broken' }, { cause })
  if (!(cause instanceof FfmpegError)) return cause
  const reason = cause.fault === 'missing' ? { reason: 'ffmpeg_missing' } : {}
  return new AppError('UNAVAILABLE', reason, { cause })
}

/** Returns a function that runs at most `count` tasks at once, the others in the order of arrival. */
function createTurns(count: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = count
  return async (task) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
