/** Coded copies of finished masters, made at the first request and kept in the folder of their job. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { atMost } from '../../src-contract/at-most.ts'
import { COPY_CODEC_NAMES, COPY_CODECS, type CopyCodec } from '../../src-contract/codecs.ts'
import type { CopyCodecState } from '../../src-contract/coded-copies.ts'
import { heardCodec, type LossyCodec } from '../../src-worker/media/encode.ts'
import { type Ffmpeg, FfmpegError, listEncoders } from '../../src-worker/media/ffmpeg.ts'
import { type MasterBytes, writeHeardCopy } from '../../src-worker/media/heard-copy.ts'
import { FfmpegMissingError } from '../../src-worker/media/locate.ts'
import { AppError } from '../http/app-error.ts'

export interface CodedCopiesDeps {
  /** Throws a FfmpegMissingError. */
  readonly ffmpeg: () => Promise<Ffmpeg>
  /** Throws INSUFFICIENT_STORAGE unless this many bytes can be written. */
  readonly requireDisk: (bytes: number) => void
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

/** A finished master and the folder of its job's copies. */
export interface CopiedMaster {
  readonly sha256: string
  readonly sizeBytes: number
  /** Runs `use` with the place of its bytes. */
  readonly withBytes: (use: (place: MasterBytes) => Promise<void>) => Promise<void>
  readonly copiesFolder: string
}

/** A copy on disk. */
export interface CodedCopy {
  readonly path: string
  /** Entity tag: the same for the same bytes. */
  readonly tag: string
}

/** Largest size of a copy relative to its master: 32 bits instead of 16 at least, and the coded file. */
const COPY_FACTOR = 2.5

/** A copy being made, shared by all requests for it. */
interface Making {
  readonly end: Promise<void>
  readonly giveUp: AbortController
  waiting: number
}

/** The coded copies of all jobs. One is made at a time: a listener waits for one, and encoders use whole processors. */
export class CodedCopies {
  readonly #deps: CodedCopiesDeps
  readonly #making = new Map<string, Making>()
  readonly #inTurn = atMost(1)
  #known: { readonly path: string; readonly version: string; readonly encoders: ReadonlySet<string> } | undefined

  constructor(deps: CodedCopiesDeps) {
    this.#deps = deps
  }

  /** Returns every codec with this ffmpeg's encoder for it. Throws UNAVAILABLE without ffmpeg. */
  async codecs(): Promise<CopyCodecState[]> {
    const encoders = await this.#encodersOf(await this.#ffmpeg())
    return COPY_CODEC_NAMES.map((codec) => {
      const known = heardCodec(COPY_CODECS[codec], encoders)
      return known ? { codec, encoder: known.name } : { codec }
    })
  }

  /**
   * Returns the copy of a master, encoding it if necessary; concurrent callers share the work, which is abandoned when the last of them
   * leaves. Throws UNAVAILABLE if ffmpeg or the encoder is missing or fails, INSUFFICIENT_STORAGE, RESULT_EXPIRED if the master has been
   * removed meanwhile, and the reason of an aborted `signal`.
   */
  async copyOf(master: CopiedMaster, name: CopyCodec, signal: AbortSignal): Promise<CodedCopy> {
    const ffmpeg = await this.#ffmpeg()
    const codec = heardCodec(COPY_CODECS[name], await this.#encodersOf(ffmpeg))
    if (!codec) throw new AppError('UNAVAILABLE', { reason: 'no_encoder', codec: COPY_CODECS[name].codec })
    // The file depends on the encoder.
    const tag = createHash('sha256').update(`${master.sha256} ${codec.name} ${ffmpeg.version}`).digest('hex')
    const target = path.join(master.copiesFolder, `${name}-${tag.slice(0, 16)}.wav`)
    if (!existsSync(target)) await this.#shared(target, signal, (end) => this.#make(ffmpeg, codec, master, target, end))
    return { path: target, tag }
  }

  /** Resolves when no copy is in the making; `stopping` ends those under way. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#making.values()].map(({ end }) => end))
  }

  async #shared(target: string, signal: AbortSignal, make: (end: AbortSignal) => Promise<void>): Promise<void> {
    const known = this.#making.get(target)
    const making = known && !known.giveUp.signal.aborted ? known : this.#begin(target, make)
    making.waiting++
    const leave = () => {
      if (--making.waiting === 0) making.giveUp.abort(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      await making.end
      signal.throwIfAborted()
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #begin(target: string, make: (end: AbortSignal) => Promise<void>): Making {
    const giveUp = new AbortController()
    const signal = AbortSignal.any([giveUp.signal, this.#deps.stopping])
    const end = this.#inTurn(() => make(signal)).finally(() => {
      if (this.#making.get(target) === making) this.#making.delete(target)
    })
    const making: Making = { end, giveUp, waiting: 0 }
    this.#making.set(target, making)
    return making
  }

  async #make(ffmpeg: Ffmpeg, codec: LossyCodec, master: CopiedMaster, target: string, signal: AbortSignal) {
    signal.throwIfAborted()
    this.#deps.requireDisk(COPY_FACTOR * master.sizeBytes)
    const unfinished = `${target}.part`
    try {
      await master.withBytes(async (place) => {
        await mkdir(master.copiesFolder, { mode: 0o700 }).catch(passOver('EEXIST'))
        await writeHeardCopy(ffmpeg, codec, place, unfinished, signal)
      })
      await rename(unfinished, target)
    } catch (cause) {
      signal.throwIfAborted()
      throw refusalOf(cause)
    }
  }

  async #ffmpeg(): Promise<Ffmpeg> {
    try {
      return await this.#deps.ffmpeg()
    } catch (cause) {
      throw refusalOf(cause)
    }
  }

  async #encodersOf(ffmpeg: Ffmpeg): Promise<ReadonlySet<string>> {
    const { path: file, version } = ffmpeg
    if (this.#known?.path !== file || this.#known.version !== version) {
      this.#known = { path: file, version, encoders: await listEncoders(ffmpeg) }
    }
    return this.#known.encoders
  }
}

const passOver = (code: string) => (cause: NodeJS.ErrnoException) => {
  if (cause.code !== code) throw cause
}

/** Returns the answer for a copy that could not be made. */
function refusalOf(cause: unknown): unknown {
  // The master, or the folder of its job.
  if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return new AppError('RESULT_EXPIRED', {}, { cause })
  if (cause instanceof FfmpegMissingError) return new AppError('UNAVAILABLE', { reason: cause.lack }, { cause })
  const isFull = (cause as NodeJS.ErrnoException).code === 'ENOSPC'
  if (isFull || (cause instanceof FfmpegError && cause.fault === 'disk_full'))
    return new AppError('INSUFFICIENT_STORAGE', {}, { cause })
  return cause instanceof FfmpegError ? new AppError('UNAVAILABLE', { reason: 'ffmpeg_broken' }, { cause }) : cause
}
