/** Boxes of MP4 and QuickTime files (ISO 14496-12, section 4.2). */
import type { FileHandle } from 'node:fs/promises'
import { readAt } from './file-bytes.ts'

export const BOX_HEAD_BYTES = 8
/** A box of more than 4 GB states its size in another 8 bytes. */
const LARGE_HEAD_BYTES = 16

/** A box within some bytes. */
export interface Box {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly content: Buffer
}

/** Returns the complete boxes in some bytes. */
export function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at + BOX_HEAD_BYTES <= bytes.length; ) {
    const end = at + bytes.readUInt32BE(at)
    if (end < at + BOX_HEAD_BYTES || end > bytes.length) break
    boxes.push({
      name: bytes.toString('latin1', at + 4, at + 8),
      start: at,
      end,
      content: bytes.subarray(at + BOX_HEAD_BYTES, end),
    })
    at = end
  }
  return boxes
}

/** Returns the content of a nested box, the first of each name; undefined if it is missing. */
export function findBox(bytes: Buffer, ...path: readonly string[]): Buffer | undefined {
  return path.reduce<Buffer | undefined>(
    (inside, name) => inside && boxesIn(inside).find((one) => one.name === name)?.content,
    bytes,
  )
}

/** Returns the content of a nested box, the first of each name. Throws an Error if it is missing. */
export function boxAt(bytes: Buffer, ...path: readonly string[]): Buffer {
  const found = findBox(bytes, ...path)
  if (!found) throw new Error(`the file has no ${path.join('.')}`)
  return found
}

/** The position of a box in a file, and of its content. */
export interface FileBox {
  readonly name: string
  readonly start: number
  readonly contentStart: number
  readonly end: number
}

/** Yields the positions of the boxes of a file. Throws an Error for another kind of file, and where a box is cut short. */
export async function* fileBoxes(handle: FileHandle): AsyncGenerator<FileBox> {
  const { size } = await handle.stat()
  for (let start = 0; start < size; ) {
    const head = await readAt(handle, start, LARGE_HEAD_BYTES)
    if (head.length < BOX_HEAD_BYTES) throw new Error('not an MP4')
    const stated = head.readUInt32BE(0)
    const isLarge = stated === 1 && head.length === LARGE_HEAD_BYTES
    const contentStart = start + (isLarge ? LARGE_HEAD_BYTES : BOX_HEAD_BYTES)
    // A size of zero reaches to the end of the file.
    const end = stated === 0 ? size : start + (isLarge ? Number(head.readBigUInt64BE(8)) : stated)
    if (end < contentStart || end > size) throw new Error('not an MP4')
    yield { name: head.toString('latin1', 4, 8), start, contentStart, end }
    start = end
  }
}

/** Largest `moov` that is read, bytes: tables of ten minutes and the largest picture. */
const MAX_MOOV_BYTES = 128_000_000

/** Returns the content of the `moov` box of a file. Throws an Error if it is missing or too large, and the system's error. */
export async function readMoov(handle: FileHandle): Promise<Buffer> {
  for await (const { name, contentStart, end } of fileBoxes(handle)) {
    if (name !== 'moov') continue
    if (end - contentStart > MAX_MOOV_BYTES) break
    return readAt(handle, contentStart, end - contentStart)
  }
  throw new Error('the file has no moov that can be read')
}
