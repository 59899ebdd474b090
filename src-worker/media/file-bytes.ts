/** Reads from files before their format is known. */
import { type FileHandle, open } from 'node:fs/promises'
import type { ByteRange } from '../../src-engine/dsp/riff.ts'

/** Returns the bytes of a file from `position` on: `length` of them, or those up to its end. Throws the system's error. */
export async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await handle.read(bytes, 0, length, position)
  return bytes.subarray(0, bytesRead)
}

/** Size of the pieces of {@link piecesIn}, bytes: whole frames of every sample size. */
const PIECE_BYTES = 3 << 16

/**
 * Yields the bytes of ranges of a file in pieces; each is valid until the next, since new memory for every piece costs more than the
 * reading. Throws the system's error, and an Error if the file ends before a range.
 */
export async function* piecesIn(path: string, ranges: readonly ByteRange[]): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r')
  const memory = Buffer.alloc(PIECE_BYTES)
  try {
    for (const { offset, length } of ranges) {
      for (let at = 0; at < length; ) {
        const { bytesRead } = await handle.read(memory, 0, Math.min(PIECE_BYTES, length - at), offset + at)
        if (bytesRead === 0) throw new Error('the file ends too early')
        at += bytesRead
        yield memory.subarray(0, bytesRead)
      }
    }
  } finally {
    await handle.close()
  }
}

/** Returns whether the bytes from `at` on spell `text`, a character a byte (Latin-1). Never throws. */
export function isText(bytes: Buffer, at: number, text: string): boolean {
  return bytes.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))
}
