/** Covers in requests. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { MAX_COVER_BYTES } from '../../src-contract/limits.ts'
import { syncFile } from '../../src-system/disk.ts'
import type { StoredCover } from '../../src-worker/media/cover.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { type CoverFit, type SrgbCover, srgbCover } from '../../src-worker/media/srgb-cover.ts'
import { unusable } from '../http/app-error.ts'
import { serviceFailure } from './inspect.ts'
import type { ReceivedFile } from './receive.ts'

/** Returns a received picture as a cover of masters; throws INVALID_REQUEST for anything but a whole JPEG or PNG. */
export type InspectCover = (file: ReceivedFile, signal: AbortSignal) => Promise<StoredCover>

/** Returns the inspection of covers; it makes them sRGB and shrinks oversized ones in place. Throws UNAVAILABLE as the inspection of songs does. */
export function createInspectCover(ffmpeg: () => Promise<Ffmpeg>): InspectCover {
  const readyCover = createReadyCover(ffmpeg, 'cover_file')
  return async ({ path, sha256 }, signal) => {
    const sent = await readFile(path)
    const { bytes, facts, changes } = await readyCover(sent, signal)
    if (bytes !== sent) await writeFile(path, bytes, { mode: 0o600 })
    await syncFile(path)
    const kept = bytes === sent ? sha256 : createHash('sha256').update(bytes).digest('hex')
    const told = changes.length > 0 ? { changes } : {}
    return { path, sha256: kept, sizeBytes: bytes.length, ...facts, ...told }
  }
}

/** Returns a picture as shops require it, in a smaller form if asked. Throws INVALID_REQUEST for anything but a whole JPEG or PNG. */
export type ReadyCover = (
  sent: Buffer,
  signal: AbortSignal,
  fit?: Pick<CoverFit, 'mostPx' | 'isJpeg'>,
) => Promise<SrgbCover>

/** Returns the preparation of covers, sent as the file `param`. Throws UNAVAILABLE as the inspection of songs does. */
export function createReadyCover(ffmpeg: () => Promise<Ffmpeg>, param = 'file'): ReadyCover {
  return async (sent, signal, fit) => {
    const limits = { signal, mostBytes: MAX_COVER_BYTES, ...fit }
    const cover = await srgbCover(ffmpeg, sent, limits).catch((cause: unknown) => {
      signal.throwIfAborted()
      throw serviceFailure(cause)
    })
    if (!cover) throw unusable(param, { rule: 'picture' })
    return cover
  }
}
