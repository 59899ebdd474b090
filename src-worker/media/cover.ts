/** Choice of the cover of a song, and conversion of pictures that are neither JPEG nor PNG to JPEG. */
import { Readable } from 'node:stream'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, FfmpegError, runFfmpeg } from './ffmpeg.ts'
import { isText } from './file-bytes.ts'
import { plainPicture } from './plain-picture.ts'

/** The picture of a song, as its masters carry it. */
export interface Cover {
  readonly mimeType: 'image/jpeg' | 'image/png'
  readonly bytes: Uint8Array
}

/** A picture as a file carries it, whatever it calls itself. */
export interface Picture {
  /** True if its type is the front cover (ID3v2.4 native frames, section 4.14; FLAC has the same). */
  readonly isFront: boolean
  readonly bytes: Buffer
}

/** Reason for which no picture of a song could be kept. */
export type CoverFault = 'format' | 'size' | 'broken'

/** The cover that is kept, or the reason why none is; neither if a song has no picture. */
export interface ChosenCover {
  readonly cover?: Cover
  readonly fault?: CoverFault
}

/** Largest cover that is kept as it is, and largest picture that is looked at, bytes. */
const MAX_COVER_BYTES = 16_000_000
const MAX_PICTURE_BYTES = 64_000_000
/** Largest number of pictures that are tried: a file can contain thousands of invalid ones. */
const MAX_PICTURES = 8
/** Longer side of a cover that is made smaller, pixels: accepted by shops. */
const SMALLER_SIDE_PIXELS = 3000

/** Quantiser scales of ffmpeg's JPEG encoder that are tried, the finest first: noise fits 10 MB only with a coarser one. */
const QUALITIES = [2, 5, 10, 20] as const

/** First bytes of the pictures that are known, and the demuxer of ffmpeg that reads each. */
const KINDS = [
  { demuxer: 'jpeg_pipe', isIt: (bytes: Buffer) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff },
  { demuxer: 'png_pipe', isIt: (bytes: Buffer) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n' },
  { demuxer: 'gif', isIt: (bytes: Buffer) => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)) },
  { demuxer: 'bmp_pipe', isIt: (bytes: Buffer) => bytes.toString('latin1', 0, 2) === 'BM' },
  { demuxer: 'tiff_pipe', isIt: (bytes: Buffer) => /^(II\*\0|MM\0\*)$/.test(bytes.toString('latin1', 0, 4)) },
  {
    demuxer: 'webp_pipe',
    isIt: (bytes: Buffer) => isText(bytes, 0, 'RIFF') && isText(bytes, 8, 'WEBP'),
  },
] as const

/**
 * Returns the cover of a song: its first front cover that can be kept, or its first other picture. JPEG and PNG up to 16 MB stay, as
 * {@link plainPicture} leaves them; WebP, GIF, BMP and TIFF, and what is larger, become a JPEG of at most 3000 pixels a side. Throws the reason of an aborted
 * `signal`, or a {@link FfmpegError} when ffmpeg is missing or killed.
 */
export async function chooseCover(
  ffmpeg: Ffmpeg,
  pictures: readonly Picture[],
  signal?: AbortSignal,
): Promise<ChosenCover> {
  const fronts = pictures.filter(({ isFront }) => isFront)
  const frontsFirst = [...fronts, ...pictures.filter(({ isFront }) => !isFront)]
  let fault: CoverFault | undefined
  for (const { bytes } of frontsFirst.slice(0, MAX_PICTURES)) {
    const found = await keep(ffmpeg, bytes, signal)
    if (typeof found !== 'string') return { cover: found }
    fault ??= found
  }
  return fault === undefined ? {} : { fault }
}

async function keep(ffmpeg: Ffmpeg, bytes: Buffer, signal: AbortSignal | undefined): Promise<Cover | CoverFault> {
  if (bytes.length > MAX_PICTURE_BYTES) return 'size'
  const kind = KINDS.find(({ isIt }) => isIt(bytes))
  if (!kind) return 'format'
  const isKept = kind.demuxer === 'jpeg_pipe' || kind.demuxer === 'png_pipe'
  if (isKept && !sizeOf(kind.demuxer, bytes)) return 'broken'
  if (isKept && bytes.length <= MAX_COVER_BYTES) {
    return { mimeType: kind.demuxer === 'png_pipe' ? 'image/png' : 'image/jpeg', bytes: plainPicture(bytes) }
  }
  const jpeg = await convert(ffmpeg, kind.demuxer, bytes, { signal, mostBytes: MAX_COVER_BYTES })
  if (!jpeg) return isKept ? 'size' : 'broken'
  return { mimeType: 'image/jpeg', bytes: plainPicture(jpeg) }
}

/** Stored cover of a request. */
export interface StoredCover extends PictureSize {
  /** Absolute path. */
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
  readonly mimeType: Cover['mimeType']
}

/** A cover that a request sent, and its size. */
export interface SizedCover extends PictureSize {
  readonly cover: Cover
}

/** Last bytes of a whole picture: the end of image of a JPEG, the last chunk of a PNG. */
const ENDS = { jpeg_pipe: Buffer.from([0xff, 0xd9]), png_pipe: Buffer.from('IEND\xae\x42\x60\x82', 'latin1') } as const

/**
 * Returns a picture as the cover of masters: as {@link plainPicture} leaves it up to `mostBytes`, else as a JPEG of at most 3000 pixels a side. Undefined for
 * anything but a whole JPEG or PNG, and for one that stays too large. Throws as {@link chooseCover} does; `ffmpeg` is asked for only
 * where the picture is made smaller.
 */
export async function fitCover(
  ffmpeg: () => Promise<Ffmpeg>,
  bytes: Buffer,
  { signal, mostBytes }: { readonly signal: AbortSignal; readonly mostBytes: number },
): Promise<SizedCover | undefined> {
  const demuxer = KINDS.find(({ isIt }) => isIt(bytes))?.demuxer
  if (demuxer !== 'jpeg_pipe' && demuxer !== 'png_pipe') return undefined
  const size = sizeOf(demuxer, bytes)
  if (!size || !bytes.includes(ENDS[demuxer])) return undefined
  if (bytes.length <= mostBytes) {
    return {
      ...size,
      cover: { mimeType: demuxer === 'png_pipe' ? 'image/png' : 'image/jpeg', bytes: plainPicture(bytes) },
    }
  }
  for (const quality of QUALITIES) {
    const jpeg = await convert(await ffmpeg(), demuxer, bytes, { signal, mostBytes, quality })
    const smaller = jpeg && sizeOf('jpeg_pipe', jpeg)
    if (smaller) return { ...smaller, cover: { mimeType: 'image/jpeg', bytes: plainPicture(jpeg) } }
  }
  return undefined
}

/** Size of a picture, pixels. */
export interface PictureSize {
  readonly widthPx: number
  readonly heightPx: number
}

/** Returns how large a picture says it is: a JPEG in a frame header (ITU-T T.81, B.2.2), a PNG in its first chunk. */
function sizeOf(demuxer: 'jpeg_pipe' | 'png_pipe', bytes: Buffer): PictureSize | undefined {
  const size = demuxer === 'png_pipe' ? pngSize(bytes) : jpegSize(bytes)
  return size && size.widthPx > 0 && size.heightPx > 0 ? size : undefined
}

function pngSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length <= 33 || !isText(bytes, 12, 'IHDR')) return undefined
  return { widthPx: bytes.readUInt32BE(16), heightPx: bytes.readUInt32BE(20) }
}

function jpegSize(bytes: Buffer): PictureSize | undefined {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { widthPx: bytes.readUInt16BE(at + 7), heightPx: bytes.readUInt16BE(at + 5) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** A picture as a JPEG; undefined where ffmpeg cannot read it, or where it stays too large. */
async function convert(
  ffmpeg: Ffmpeg,
  demuxer: string,
  bytes: Buffer,
  {
    signal,
    mostBytes,
    quality = QUALITIES[0],
  }: { readonly signal: AbortSignal | undefined; readonly mostBytes: number; readonly quality?: number },
): Promise<Buffer | undefined> {
  const side = SMALLER_SIDE_PIXELS
  const scale = `scale=w='min(${side},iw)':h='min(${side},ih)':force_original_aspect_ratio=decrease`
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    await runFfmpeg(ffmpeg, {
      operation: 'convert the cover',
      // Whole in one packet: ffmpeg cannot tell where a TIFF ends.
      input: {
        from: Readable.from([bytes]),
        format: demuxer,
        options: demuxer === 'gif' ? [] : ['-frame_size', String(bytes.length)],
      },
      outputOptions: [
        '-map',
        '0:v:0',
        '-frames:v',
        '1',
        '-vf',
        `${scale},format=yuvj444p`,
        '-q:v',
        String(quality),
        '-c:v',
        'mjpeg',
        '-f',
        'image2pipe',
      ],
      output: (chunk) => {
        size += chunk.length
        if (size > mostBytes) throw new FfmpegError('convert the cover', 'failed', ['too much'])
        chunks.push(chunk)
      },
      timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
      signal,
    })
  } catch (error) {
    if (error instanceof FfmpegError && error.fault === 'failed') return undefined
    throw error
  }
  return size > 0 ? Buffer.concat(chunks) : undefined
}
