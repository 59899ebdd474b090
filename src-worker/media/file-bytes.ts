/** Reads from files before their format is known. */
import type { FileHandle } from 'node:fs/promises'

/** Returns the bytes of a file from `position` on: `length` of them, or those up to its end. Throws the system's error. */
export async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await handle.read(bytes, 0, length, position)
  return bytes.subarray(0, bytesRead)
}

/** Returns whether the bytes from `at` on spell `text`, a character a byte (Latin-1). Never throws. */
export function isText(bytes: Buffer, at: number, text: string): boolean {
  return bytes.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))
}
