/** Finds FLAC files with so many comments or pictures that ffmpeg would never finish reading them. */
import { open } from 'node:fs/promises'
import { isText, readAt } from './file-bytes.ts'
import { id3TagBytes } from './id3.ts'

/** A song has some thirty; ffmpeg compares each comment with all before it: 50 000 took over a minute. */
const MAX_COMMENTS = 4096
/** A song has a handful of metadata blocks; ffmpeg makes a stream of every picture. */
const MAX_BLOCKS = 256

const VORBIS_COMMENT = 4

/** Returns whether a FLAC has more comments or metadata blocks than a song has (RFC 9639, section 8). Throws the system's error. */
export async function isCrowdedFlac(file: string): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const start = id3TagBytes(await readAt(handle, 0, 10))
    if (!isText(await readAt(handle, start, 4), 0, 'fLaC')) return false
    let position = start + 4
    for (let blocks = 0; blocks < MAX_BLOCKS; blocks++) {
      const header = await readAt(handle, position, 8)
      if (header.length < 8) return false
      if ((header[0]! & 0x7f) === VORBIS_COMMENT) {
        const vendorBytes = header.readUInt32LE(4)
        const count = await readAt(handle, position + 8 + vendorBytes, 4)
        if (count.length === 4 && count.readUInt32LE() > MAX_COMMENTS) return true
      }
      position += 4 + header.readUIntBE(1, 3)
      if ((header[0]! & 0x80) > 0) return false
    }
    return true
  } finally {
    await handle.close()
  }
}
