/** ZIPs written by hand (PKWARE APPNOTE), right or wrong in any field. */
import { crc32, deflateRawSync } from 'node:zlib'

/** A file in a ZIP; what is absent is right. */
export interface ZipPart {
  readonly name: string | Buffer
  readonly content: Buffer
  readonly isDeflated?: boolean
  readonly flags?: number
  readonly method?: number
  /** Unix mode with the type of the file; none when absent. */
  readonly mode?: number
  readonly crc32?: number
  readonly compressedSize?: number
  readonly uncompressedSize?: number
  /** Position of the local header as the directory says. */
  readonly offset?: number
  readonly extra?: Buffer
}

/** Returns a ZIP of files; `entryCount` as its last record says. */
export function zipOf(parts: readonly ZipPart[], { entryCount = parts.length, comment = '' } = {}): Buffer {
  const local: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const part of parts) {
    const { content, isDeflated = false, flags = 0, mode = 0, extra = Buffer.alloc(0) } = part
    const name = Buffer.from(part.name)
    const data = isDeflated ? deflateRawSync(content) : content
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(flags, 2)
    fields.writeUInt16LE(part.method ?? (isDeflated ? 8 : 0), 4)
    fields.writeUInt32LE(part.crc32 ?? crc32(content), 10)
    fields.writeUInt32LE(part.compressedSize ?? data.length, 14)
    fields.writeUInt32LE(part.uncompressedSize ?? content.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), fields, name])
    local.push(head, data)
    const entry = Buffer.alloc(16)
    fields.writeUInt16LE(extra.length, 24)
    entry.writeUInt32LE(mode * 65_536, 8)
    entry.writeUInt32LE(part.offset ?? at, 12)
    const madeBy = mode === 0 ? [20, 0] : [20, 3]
    // Comment, disk and internal attributes come before the external ones.
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from(madeBy), fields, entry.subarray(2), name, extra)
    at += head.length + data.length
  }
  const body = Buffer.concat(local)
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entryCount, 4)
  end.writeUInt16LE(entryCount, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(body.length, 12)
  end.writeUInt16LE(comment.length, 16)
  return Buffer.concat([body, list, Buffer.from('PK\x05\x06'), end, Buffer.from(comment)])
}
