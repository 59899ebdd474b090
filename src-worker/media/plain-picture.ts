/**
 * Pictures without the metadata of cameras and programs: location, camera, thumbnails, other pictures. The picture data stays unchanged.
 */
import { crc32 } from 'node:zlib'
import { isText } from './file-bytes.ts'

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** PNG chunks that affect the look of a picture; all critical ones are kept as well (ISO/IEC 15948; APNG). */
const LOOKED_AT_CHUNKS: readonly string[] = [
  ...['tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'sBIT', 'bKGD', 'pHYs', 'hIST', 'sPLT'],
  ...['acTL', 'fcTL', 'fdAT'],
]
/** JPEG application segments that affect decoding and colours: JFIF, ICC profile, Adobe's colour transform. */
const LOOKED_AT_SEGMENTS: readonly (readonly [marker: number, mark: string])[] = [
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]
/** Marks of colour profiles in both. */
const PROFILE_MARKS: readonly string[] = ['ICC_PROFILE\0', 'iCCP']
const EXIF_MARK = 'Exif\0\0'
/** JPEG markers (ITU-T T.81, table B.1). */
const START_OF_SCAN = 0xda
const END_OF_IMAGE = 0xd9
const isApplication = (marker: number): boolean => marker >= 0xe0 && marker <= 0xef
const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7

const MAX_SEGMENT_BYTES = 65_533
const ORIENTATION = 0x0112
const UPRIGHT = 1

/** Returns the orientation of a JPEG or PNG in its Exif, 1 to 8; 1 without one. Never throws. */
export function orientationOf(bytes: Buffer): number {
  const isPng = bytes.subarray(0, 8).equals(PNG_SIGNATURE)
  const at = isPng ? bytes.indexOf('eXIf', 8, 'latin1') + 4 : bytes.indexOf(EXIF_MARK, 2, 'latin1') + EXIF_MARK.length
  const isFound = at >= 8
  return (isFound ? orientationIn(bytes.subarray(at, at + MAX_SEGMENT_BYTES)) : undefined) ?? UPRIGHT
}

/**
 * Returns a JPEG or PNG without Exif (its GPS, maker's notes and thumbnail), XMP, IPTC, texts of a PNG, and any bytes behind its end.
 * Pixels, colour profile (unless `hasProfile` is false) and orientation stay. Broken pictures and other bytes are returned unchanged. Pure.
 */
export function plainPicture(bytes: Buffer, { hasProfile = true }: { readonly hasProfile?: boolean } = {}): Buffer {
  const isKept = (mark: string) => hasProfile || !PROFILE_MARKS.includes(mark)
  const parts = bytes.subarray(0, 8).equals(PNG_SIGNATURE) ? pngParts(bytes, isKept) : jpegParts(bytes, isKept)
  const isPlain = parts === undefined || parts.reduce((sum, { length }) => sum + length, 0) === bytes.length
  return isPlain ? bytes : Buffer.concat(parts)
}

type IsKept = (mark: string) => boolean

function jpegParts(bytes: Buffer, isKept: IsKept): Buffer[] | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  const kept: Buffer[] = [bytes.subarray(0, 2)]
  let orientation = UPRIGHT
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!
    // Fill bytes before a marker may be repeated.
    if (marker === 0xff) {
      at++
      continue
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    if (marker === START_OF_SCAN) {
      const pictureEnd = endOfPicture(bytes, at)
      if (orientation !== UPRIGHT) kept.splice(kept[1]?.[1] === 0xe0 ? 2 : 1, 0, exifSegment(orientation))
      return [...kept, bytes.subarray(at, pictureEnd)]
    }
    const isExif = marker === 0xe1 && isText(bytes, at + 4, EXIF_MARK)
    if (isExif) orientation = orientationIn(bytes.subarray(at + 4 + EXIF_MARK.length, end)) ?? orientation
    const isLookedAt = LOOKED_AT_SEGMENTS.some(
      ([own, mark]) => own === marker && isText(bytes, at + 4, mark) && isKept(mark),
    )
    if (isLookedAt || !isApplication(marker)) kept.push(bytes.subarray(at, end))
    at = end
  }
  return undefined
}

/** Returns the position behind the end of the image whose scans start at `start`. */
function endOfPicture(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at)) {
    const marker = bytes[at + 1]!
    if (marker === END_OF_IMAGE) return at + 2
    const isInScan = marker === 0 || isRestart(marker)
    at += isInScan ? 2 : marker === 0xff || at + 4 > bytes.length ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return bytes.length
}

function pngParts(bytes: Buffer, isKept: IsKept): Buffer[] | undefined {
  const kept: Buffer[] = [bytes.subarray(0, 8)]
  for (let at = 8; at + 12 <= bytes.length; ) {
    const name = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 12 + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    const orientation = name === 'eXIf' ? orientationIn(bytes.subarray(at + 8, end - 4)) : undefined
    if (orientation !== undefined && orientation !== UPRIGHT) kept.push(pngChunk('eXIf', exifOf(orientation)))
    if (/^[A-Z]/.test(name) || (LOOKED_AT_CHUNKS.includes(name) && isKept(name))) kept.push(bytes.subarray(at, end))
    if (name === 'IEND') return kept
    at = end
  }
  return undefined
}

/** Returns the orientation in the first directory of an Exif block (Exif 3.0, section 4.6.5), 1 to 8; undefined without one. */
function orientationIn(exif: Buffer): number | undefined {
  const isLittle = isText(exif, 0, 'II')
  if (exif.length < 14 || !(isLittle || isText(exif, 0, 'MM'))) return undefined
  const read16 = (at: number) => (at + 2 > exif.length ? 0 : isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at))
  const first = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4)
  const count = read16(first)
  for (let entry = 0; entry < count; entry++) {
    const at = first + 2 + 12 * entry
    if (at + 12 > exif.length) return undefined
    const value = read16(at + 8)
    if (read16(at) === ORIENTATION) return value >= 1 && value <= 8 ? value : undefined
  }
  return undefined
}

/** Returns an Exif block with only an orientation. */
function exifOf(orientation: number): Buffer {
  const block = Buffer.alloc(26)
  block.write('MM\0*', 'latin1')
  block.writeUInt32BE(8, 4)
  block.writeUInt16BE(1, 8)
  block.writeUInt16BE(ORIENTATION, 10)
  // One short.
  block.writeUInt16BE(3, 12)
  block.writeUInt32BE(1, 14)
  block.writeUInt16BE(orientation, 18)
  return block
}

function exifSegment(orientation: number): Buffer {
  const content = Buffer.concat([Buffer.from(EXIF_MARK, 'latin1'), exifOf(orientation)])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

function pngChunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
