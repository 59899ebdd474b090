/** Facts of a JPEG or PNG, read from its bytes. */
import type { COVER_TYPES, ColorModel } from '../../src-contract/covers.ts'
import { isText } from './file-bytes.ts'

/** Size of a picture, pixels. */
export interface PictureSize {
  readonly widthPx: number
  readonly heightPx: number
}

export interface PictureFacts extends PictureSize {
  readonly mimeType: (typeof COVER_TYPES)[number]
  readonly colorModel: ColorModel
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Last bytes of a whole picture: the last chunk of a PNG with its checksum (ISO/IEC 15948), the end of image of a JPEG. */
const ENDS = {
  'image/png': Buffer.from('\0\0\0\0IEND\xae\x42\x60\x82', 'latin1'),
  'image/jpeg': Buffer.from([0xff, 0xd9]),
} as const
/** Markers of JPEG frames (ITU-T T.81, table B.1): C0 to CF except the markers of tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

const BITS_PER_CHANNEL = 8
/** Bit of the colour type of a PNG that is unset for grey (ISO/IEC 15948, table 11.1). */
const PNG_COLOR = 2
/** Colour models by the number of components of a JPEG; four are CMYK or YCCK, its coded form. */
const JPEG_MODELS: Readonly<Record<number, ColorModel>> = { 1: 'greyscale', 3: 'rgb', 4: 'cmyk' }
const ICC_SEGMENT = 0xe2
const ICC_MARK = 'ICC_PROFILE\0'
/** Place of the colour space in an ICC segment: behind the mark, two counters, and 16 bytes of the profile (ICC.1, table 17). */
const ICC_COLOR_SPACE = ICC_MARK.length + 2 + 16

/** Returns the facts in a picture's headers; undefined for anything but a JPEG or PNG. Never throws. */
export function pictureFacts(bytes: Buffer): PictureFacts | undefined {
  const facts = bytes.subarray(0, 8).equals(PNG_SIGNATURE) ? pngFacts(bytes) : jpegFacts(bytes)
  return facts && facts.widthPx > 0 && facts.heightPx > 0 ? facts : undefined
}

/** Returns the facts of a picture that has its end too. Never throws. */
export function wholePictureFacts(bytes: Buffer): PictureFacts | undefined {
  const facts = pictureFacts(bytes)
  return facts && bytes.includes(ENDS[facts.mimeType]) ? facts : undefined
}

function pngFacts(bytes: Buffer): PictureFacts | undefined {
  if (bytes.length <= 33 || !isText(bytes, 12, 'IHDR')) return undefined
  const [bits, colorType] = [bytes[24]!, bytes[25]!]
  return {
    mimeType: 'image/png',
    widthPx: bytes.readUInt32BE(16),
    heightPx: bytes.readUInt32BE(20),
    colorModel: (colorType & PNG_COLOR) === 0 ? 'greyscale' : bits > BITS_PER_CHANNEL ? 'deep_rgb' : 'rgb',
  }
}

function jpegFacts(bytes: Buffer): PictureFacts | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  let isLab = false
  for (let at = 2; at + 10 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!
    if (isFrame(marker)) {
      const [bits, components] = [bytes[at + 4]!, bytes[at + 9]!]
      const model = isLab ? 'lab' : (JPEG_MODELS[components] ?? 'other')
      return {
        mimeType: 'image/jpeg',
        widthPx: bytes.readUInt16BE(at + 7),
        heightPx: bytes.readUInt16BE(at + 5),
        colorModel: model === 'rgb' && bits > BITS_PER_CHANNEL ? 'deep_rgb' : model,
      }
    }
    isLab ||=
      marker === ICC_SEGMENT && isText(bytes, at + 4, ICC_MARK) && isText(bytes, at + 4 + ICC_COLOR_SPACE, 'Lab ')
    // Fill bytes before a marker may be repeated.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
