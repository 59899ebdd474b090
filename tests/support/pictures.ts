/** The smallest pictures that say what they are and how large. */
import { crc32 } from 'node:zlib'

/** Returns a PNG of a size without any picture data, RGB with 8 bits where no other form is asked for (ISO/IEC 15948, table 11.1). */
export function pngPicture(width: number, height: number, { bits = 8, colorType = 2 } = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = bits
  header[9] = colorType
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

/** Returns a JPEG of a size without any picture data, of three components of 8 bits where no others are asked for. */
export function jpegPicture(width: number, height: number, { components = 3, bits = 8, iccSpace = '' } = {}): Buffer {
  const application = Buffer.from([0xff, 0xe0, 0, 4, 1, 2])
  const tables = Buffer.from([0xff, 0xc4, 0, 3, 0])
  const size = [height >> 8, height & 255, width >> 8, width & 255]
  const channels = Array.from({ length: components }, (_, index) => [index + 1, 0x11, 0]).flat()
  const frame = Buffer.from([0xff, 0xc0, 0, 8 + channels.length, bits, ...size, components, ...channels])
  const profile = Buffer.concat([
    Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'),
    Buffer.alloc(16),
    Buffer.from(iccSpace),
  ])
  const icc = iccSpace === '' ? [] : [Buffer.from([0xff, 0xe2, 0, 2 + profile.length]), profile]
  return Buffer.concat([Buffer.from([0xff, 0xd8]), application, ...icc, tables, frame, Buffer.from([0xff, 0xd9])])
}
