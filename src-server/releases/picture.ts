/** Facts of a cover picture, read from its own bytes. */
import type { ReleaseCover } from '../../src-contract/releases.ts'

export type PictureFacts = Pick<ReleaseCover, 'media_type' | 'width_px' | 'height_px'>

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** The last chunk of every PNG, with its checksum (ISO/IEC 15948). */
const PNG_END = Buffer.from('\0\0\0\0IEND\xae\x42\x60\x82', 'latin1')
/** Markers of JPEG frames (ITU-T T.81, table B.1): those from C0 to CF that are no tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Returns what kind of picture bytes are and how large it is; undefined for anything but a whole JPEG or PNG. Never throws. */
export function pictureFacts(bytes: Buffer): PictureFacts | undefined {
  const size = bytes.subarray(0, 8).equals(PNG_SIGNATURE) ? pngSize(bytes) : jpegSize(bytes)
  return size && size.width_px > 0 && size.height_px > 0 ? size : undefined
}

function pngSize(bytes: Buffer): PictureFacts | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR' || !bytes.includes(PNG_END)) return undefined
  return { media_type: 'image/png', width_px: bytes.readUInt32BE(16), height_px: bytes.readUInt32BE(20) }
}

function jpegSize(bytes: Buffer): PictureFacts | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) < 2) return undefined
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    if (isFrame(marker))
      return { media_type: 'image/jpeg', width_px: bytes.readUInt16BE(at + 7), height_px: bytes.readUInt16BE(at + 5) }
    // Fill bytes before a marker may be repeated.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
