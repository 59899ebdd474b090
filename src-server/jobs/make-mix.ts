/** Engine processes that mix stems, free of charge. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { atMost } from '../../src-contract/at-most.ts'
import { discardFolder } from '../../src-system/disk.ts'
import type { Log } from '../../src-system/log.ts'
import type { Random } from '../../src-system/system.ts'
import type { StemMixDone, StemMixOrder } from '../../src-worker/mastering/work-order.ts'
import { engineRateHz } from '../../src-worker/media/decode.ts'
import { sumFileBytes } from '../../src-worker/media/decoded-stems.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { FRAME_BYTES } from '../../src-worker/media/stem-lanes.ts'
import { AppError } from '../http/app-error.ts'
import { serviceFailure } from '../uploads/inspect.ts'
import type { Storage } from '../uploads/storage.ts'
import { engineFailure } from './engine-failure.ts'
import type { EngineEnd, WorkerPool } from './worker-pool.ts'

/** A mix in a separate folder, for the caller to discard. */
export interface MadeMix {
  readonly mix: StemMixDone['mix']
  discard(): Promise<void>
}

type MixOrder = Omit<StemMixOrder, 'ffmpeg' | 'folder'>

/**
 * Mixes stems. Resolves with the end of the engine process if there is no mix; nothing is then left on disk. Rejects with
 * INSUFFICIENT_STORAGE, without ffmpeg, and with the system's error.
 */
export type RunMix = (order: MixOrder, signal: AbortSignal) => Promise<MadeMix | EngineEnd>

/** Mixes stems for an answer. Rejects with the client's error for a failure, INSUFFICIENT_STORAGE, or the reason of `signal`. */
export type MakeMix = (order: MixOrder, signal: AbortSignal) => Promise<MadeMix>

/** Creates the mixing of stems, one set at a time. It ends when the server stops. */
export function createRunMix(deps: {
  readonly pool: Pick<WorkerPool, 'run'>
  readonly random: Pick<Random, 'newUuid'>
  readonly ffmpeg: () => Promise<Ffmpeg>
  readonly storage: Pick<Storage, 'requireDisk'>
  /** Folder for temporary files. */
  readonly tmp: string
  readonly timeLimitMs: number
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}): RunMix {
  // Each takes up to 1 GB of memory.
  const inTurn = atMost(1)
  return (order, signal) =>
    inTurn(async () => {
      const stopped = AbortSignal.any([signal, deps.stopping])
      if (stopped.aborted) return { kind: 'stopped' }
      const ffmpeg = await deps.ffmpeg()
      deps.storage.requireDisk(mixingBytes(order))
      const folder = path.join(deps.tmp, deps.random.newUuid())
      const discard = () => discardFolder(folder)
      await mkdir(folder, { mode: 0o700 })
      const command = { type: 'mix_stems', order: { ...order, ffmpeg, folder } } as const
      const end = await deps.pool.run({ command, timeLimitMs: deps.timeLimitMs, signal: stopped })
      if (end.kind === 'answered' && end.message.type === 'mixed') return { mix: end.message.mix, discard }
      await discard()
      return end
    })
}

/** Creates the mixing of stems for an answer. */
export function createMakeMix(deps: { readonly runMix: RunMix; readonly log: Log }): MakeMix {
  return async (order, signal) => {
    const made = await deps.runMix(order, signal).catch((cause: unknown) => {
      signal.throwIfAborted()
      throw serviceFailure(cause)
    })
    if ('mix' in made) return made
    signal.throwIfAborted()
    if (made.kind !== 'answered') throw new AppError('UNAVAILABLE', {}, { cause: made })
    const { message } = made
    if (message.type !== 'failed') throw new AppError('INTERNAL_ERROR', {}, { cause: message.type })
    const { failureCode, message: detail, stack } = message
    deps.log.warn('stems could not be mixed', { failureCode, detail, stack })
    throw engineFailure(message)
  }
}

/**
 * Returns the room that mixing takes at most: the mix, the stereo mix beside it, sums that are too long for memory, and if they are kept all
 * stems decoded, treated, and what they lack. Pure.
 */
export function mixingBytes({ stems, original, mix, kept }: Omit<MixOrder, 'tags'>): number {
  const rateHz = Math.max(...stems.map(({ facts }) => engineRateHz(facts.sampleRateHz)))
  const files = [...stems, ...(original ? [original.file] : [])]
  const framesOf = ({ facts }: (typeof files)[number]) => Math.ceil(facts.durationSeconds * rateHz)
  const frames = Math.max(...files.map(framesOf))
  const sums = 1 + (mix?.voice_forward_db ? 1 : 0) + (mix?.restore_missing ? 1 : 0)
  const treated = stems.filter((_, index) => mix?.stems?.some(({ stem }) => stem === index + 1))
  const keptFrames = kept === undefined ? 0 : [...files, ...treated].reduce((sum, file) => sum + framesOf(file), 0)
  return (keptFrames + (original ? 2 : 1) * frames) * FRAME_BYTES + sums * sumFileBytes(frames)
}
