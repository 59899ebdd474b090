/** Covers in requests. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { MAX_COVER_BYTES } from '../../src-contract/limits.ts'
import { syncFile } from '../../src-system/disk.ts'
import { fitCover, type StoredCover } from '../../src-worker/media/cover.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { type SrgbCover, srgbCover } from '../../src-worker/media/srgb-cover.ts'
import { AppError } from '../http/app-error.ts'
import { serviceFailure } from './inspect.ts'
import type { ReceivedFile } from './receive.ts'

/** Returns a received picture as a cover of masters; throws INVALID_REQUEST for anything but a whole JPEG or PNG. */
export type InspectCover = (file: ReceivedFile, signal: AbortSignal) => Promise<StoredCover>

/** Returns the inspection of covers; it shrinks an oversized one in place. Throws UNAVAILABLE as the inspection of songs does. */
export function createInspectCover(ffmpeg: () => Promise<Ffmpeg>): InspectCover {
  return async ({ path, sha256 }, signal) => {
    const sent = await readFile(path)
    const fitted = await fitCover(ffmpeg, sent, { signal, mostBytes: MAX_COVER_BYTES }).catch((cause: unknown) => {
      signal.throwIfAborted()
      throw serviceFailure(cause)
    })
    if (!fitted) {
      throw new AppError('INVALID_REQUEST', {}, { param: 'cover_file', details: [{ rule: 'picture' }] })
    }
    const { cover, ...facts } = fitted
    if (cover.bytes !== sent) await writeFile(path, cover.bytes, { mode: 0o600 })
    await syncFile(path)
    const kept = cover.bytes === sent ? sha256 : createHash('sha256').update(cover.bytes).digest('hex')
    return { path, sha256: kept, sizeBytes: cover.bytes.length, ...facts }
  }
}

/** Returns a picture as the cover of a release. Throws INVALID_REQUEST for anything but a whole JPEG or PNG. */
export type ReadyCover = (sent: Buffer, signal: AbortSignal) => Promise<SrgbCover>

/** Returns the preparation of covers of releases. Throws UNAVAILABLE as the inspection of songs does. */
export function createReadyCover(ffmpeg: () => Promise<Ffmpeg>): ReadyCover {
  return async (sent, signal) => {
    const cover = await srgbCover(ffmpeg, sent, { signal, mostBytes: MAX_COVER_BYTES }).catch((cause: unknown) => {
      signal.throwIfAborted()
      throw serviceFailure(cause)
    })
    if (!cover) throw new AppError('INVALID_REQUEST', {}, { param: 'file', details: [{ rule: 'picture' }] })
    return cover
  }
}
