/** Choice of a song's cover, and conversion of other picture formats to JPEG. */
import { Readable } from 'node:stream'
import type { ColorModel, CoverChange } from '../../src-contract/covers.ts'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, FfmpegError, runFfmpeg } from './ffmpeg.ts'
import { isText } from './file-bytes.ts'
import { type PictureFacts, pictureFacts } from './picture.ts'
import { plainPicture } from './plain-picture.ts'

/** The picture of a song, in the form that its masters contain. */
export interface Cover {
  readonly mimeType: 'image/jpeg' | 'image/png'
  readonly bytes: Uint8Array
}

/** A picture in a file, whatever its declared type. */
export interface Picture {
  /** True if its type is the front cover (ID3v2.4 native frames, section 4.14; FLAC has the same). */
  readonly isFront: boolean
  readonly bytes: Buffer
}

/** Reason that no picture of a song could be kept. */
export type CoverFault = 'format' | 'size' | 'broken'

/** The cover that is kept, or the reason that none is; both are absent for a song without pictures. */
export interface ChosenCover {
  readonly cover?: Cover
  readonly fault?: CoverFault
}

/** Largest cover that is kept unchanged, and largest picture that is read, bytes. */
const MAX_COVER_BYTES = 16_000_000
const MAX_PICTURE_BYTES = 64_000_000
/** Largest number of pictures that are tried: a file can contain thousands of invalid ones. */
const MAX_PICTURES = 8
/** Longer side of a cover that is made smaller, pixels: accepted by shops. */
const SMALLER_SIDE_PIXELS = 3000

/** Quantiser scale of ffmpeg's JPEG encoder, the finest. */
const QUALITY = 2

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
 * Returns the cover of a song: its first usable front cover, or its first other picture. JPEG and PNG up to 16 MB stay, as
 * {@link plainPicture} leaves them; WebP, GIF, BMP, TIFF and larger pictures become a JPEG of at most 3000 pixels a side. Throws the reason
 * of an aborted `signal`, or a {@link FfmpegError} when ffmpeg is missing or killed.
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
  if (isKept && !pictureFacts(bytes)) return 'broken'
  if (isKept && bytes.length <= MAX_COVER_BYTES) {
    return { mimeType: kind.demuxer === 'png_pipe' ? 'image/png' : 'image/jpeg', bytes: plainPicture(bytes) }
  }
  const jpeg = await convert(ffmpeg, kind.demuxer, bytes, { signal, mostBytes: MAX_COVER_BYTES })
  if (!jpeg) return isKept ? 'size' : 'broken'
  return { mimeType: 'image/jpeg', bytes: plainPicture(jpeg) }
}

/** Stored cover of a request. */
export interface StoredCover extends Omit<PictureFacts, 'colorModel'> {
  /** Absolute path. */
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
  /** Absent if it was stored before this was recorded. */
  readonly colorModel?: ColorModel
  /** Changes made to the picture that was sent; absent if nothing was, or it was stored before that was recorded. */
  readonly changes?: readonly CoverChange[]
}

/** Converts a picture to JPEG; undefined if ffmpeg cannot read it or it stays too large. */
async function convert(
  ffmpeg: Ffmpeg,
  demuxer: string,
  bytes: Buffer,
  { signal, mostBytes }: { readonly signal: AbortSignal | undefined; readonly mostBytes: number },
): Promise<Buffer | undefined> {
  const side = SMALLER_SIDE_PIXELS
  const scale = `scale=w='min(${side},iw)':h='min(${side},ih)':force_original_aspect_ratio=decrease`
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    await runFfmpeg(ffmpeg, {
      operation: 'convert the cover',
      // The whole file as one packet: ffmpeg cannot find the end of a TIFF.
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
        String(QUALITY),
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
