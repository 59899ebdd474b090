/** The smallest pictures that say what they are and how large. */
import { crc32 } from 'node:zlib'

/** Returns a PNG of a size without any picture data. */
export function pngPicture(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IEND', Buffer.alloc(0))])
}

function pngChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** Returns a JPEG of a size without any picture data. */
export function jpegPicture(width: number, height: number): Buffer {
  const application = Buffer.from([0xff, 0xe0, 0, 4, 1, 2])
  const tables = Buffer.from([0xff, 0xc4, 0, 3, 0])
  const frame = Buffer.from([0xff, 0xc0, 0, 8, 8, height >> 8, height & 255, width >> 8, width & 255, 0])
  return Buffer.concat([Buffer.from([0xff, 0xd8]), application, tables, frame, Buffer.from([0xff, 0xd9])])
}
