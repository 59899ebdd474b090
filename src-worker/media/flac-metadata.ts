/** The comments and pictures of a FLAC (RFC 9639, sections 8.6 and 8.8), which ffmpeg hands over merged and renamed. */
import type { FileHandle } from 'node:fs/promises'
import type { Picture } from './cover.ts'
import { readAt } from './file-bytes.ts'
import type { TagEntry } from './tag-fields.ts'
import { cleanText } from './tag-text.ts'

const COMMENTS = 4
const PICTURE = 6
const FRONT_COVER = 3

/** Most blocks and comments that are read, and largest block, bytes: a file with more is not a song. */
const MAX_BLOCKS = 256
const MAX_COMMENTS = 4096

/** Returns the complete comments and pictures of the FLAC that starts at `start`. Throws the system's error. */
export async function readFlacMetadata(
  handle: FileHandle,
  start: number,
): Promise<{ readonly comments: readonly TagEntry[]; readonly pictures: readonly Picture[] }> {
  const comments: TagEntry[] = []
  const pictures: Picture[] = []
  let position = start + 4
  for (let blocks = 0; blocks < MAX_BLOCKS; blocks++) {
    const head = await readAt(handle, position, 4)
    if (head.length < 4) break
    const type = head[0]! & 0x7f
    const size = head.readUIntBE(1, 3)
    if (type === COMMENTS) {
      for (const comment of readComments(await readAt(handle, position + 4, size))) comments.push(comment)
    }
    const picture = type === PICTURE ? readPicture(await readAt(handle, position + 4, size)) : undefined
    if (picture) pictures.push(picture)
    if ((head[0]! & 0x80) > 0) break
    position += 4 + size
  }
  return { comments, pictures: [...pictures, ...comments.flatMap(pictureInComment)] }
}

/** Returns the comments of a block of Vorbis comments, and the pictures in them. Never throws. */
export function commentTags(block: Buffer): {
  readonly comments: readonly TagEntry[]
  readonly pictures: readonly Picture[]
} {
  const comments = [...readComments(block)]
  return { comments, pictures: comments.flatMap(pictureInComment) }
}

/** Returns the number of comments that a block of Vorbis comments claims to hold. Never throws. */
export function commentCount(block: Buffer): number {
  const at = block.length < 4 ? 0 : 4 + block.readUInt32LE(0)
  return at + 4 <= block.length ? block.readUInt32LE(at) : 0
}

/** The vendor's name, then `NAME=value` in UTF-8, each behind its length. */
function* readComments(block: Buffer): Generator<TagEntry> {
  if (block.length < 8) return
  let at = 4 + block.readUInt32LE(0) + 4
  for (let comments = 0; comments < MAX_COMMENTS && at + 4 <= block.length; comments++) {
    const end = at + 4 + block.readUInt32LE(at)
    if (end > block.length) return
    const comment = block.toString('utf8', at + 4, end)
    const nameEnd = comment.indexOf('=')
    const [name, text] = [cleanText(comment.slice(0, nameEnd)), cleanText(comment.slice(nameEnd + 1))]
    if (nameEnd > 0 && name !== '' && text !== '') yield { name, text }
    at = end
  }
}

/** Returns pictures that programs store in comments, as in Ogg. */
function pictureInComment({ name, text }: TagEntry): Picture[] {
  if (/^metadata_block_picture$/i.test(name)) {
    const picture = readPicture(Buffer.from(text, 'base64'))
    return picture ? [picture] : []
  }
  return /^coverart$/i.test(name) ? [{ isFront: true, bytes: Buffer.from(text, 'base64') }] : []
}

/** Type, media type, description, four numbers about the picture, and its bytes. */
function readPicture(block: Buffer): Picture | undefined {
  if (block.length < 8) return undefined
  const descriptionAt = 8 + block.readUInt32BE(4)
  if (descriptionAt + 4 > block.length) return undefined
  const sizeAt = descriptionAt + 4 + block.readUInt32BE(descriptionAt) + 16
  if (sizeAt + 4 > block.length) return undefined
  const bytes = block.subarray(sizeAt + 4, sizeAt + 4 + block.readUInt32BE(sizeAt))
  return { isFront: block.readUInt32BE(0) === FRONT_COVER, bytes }
}
