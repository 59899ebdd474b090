/** Stored songs in a form that every browser plays: none plays AIFF, CAF or WavPack, and not all play ALAC and Ogg. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { discardFolder } from '../../src-system/disk.ts'
import { openRegularFile, type RegularFile } from '../../src-system/regular-file.ts'
import type { Random } from '../../src-system/system.ts'
import { writeDecoded } from '../../src-worker/media/decode.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { type InspectedSong, serviceFailure } from '../uploads/inspect.ts'
import type { Storage } from '../uploads/storage.ts'

/** Opens the sound of a song as a WAV of 32 bit float. Rejects with UNAVAILABLE, INSUFFICIENT_STORAGE or the reason of `signal`. */
export type OpenAsWav = (song: Pick<InspectedSong, 'path' | 'facts'>, signal: AbortSignal) => Promise<RegularFile>

const SAMPLE_BYTES = 4

export function createOpenAsWav(deps: {
  readonly ffmpeg: () => Promise<Ffmpeg>
  readonly tmp: string
  readonly random: Pick<Random, 'newUuid'>
  readonly storage: Pick<Storage, 'requireDisk'>
}): OpenAsWav {
  return async ({ path: file, facts }, signal) => {
    const folder = path.join(deps.tmp, deps.random.newUuid())
    const wav = path.join(folder, 'wav')
    deps.storage.requireDisk(SAMPLE_BYTES * facts.channels * facts.frames)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    try {
      await writeDecoded(await deps.ffmpeg(), file, facts, wav, signal)
      return await openRegularFile(wav)
    } catch (cause) {
      signal.throwIfAborted()
      throw serviceFailure(cause)
    } finally {
      // An open file can be read to its end although its name is gone.
      await discardFolder(folder)
    }
  }
}
