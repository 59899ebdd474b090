/** Covers as shops ask for them: upright sRGB with 8 bits for each channel, without alpha, profile and private data. */

import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { CoverChange } from '../../src-contract/covers.ts'
import { type ColorProfile, interpolate, isSrgb, profileBytes, readColorProfile } from './color-profile.ts'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, FfmpegError, runFfmpeg } from './ffmpeg.ts'
import { type PictureFacts, wholePictureFacts } from './picture.ts'
import { orientationOf, plainPicture } from './plain-picture.ts'

/** A cover, and the changes made to the picture that was sent. */
export interface SrgbCover {
  readonly bytes: Buffer
  readonly facts: PictureFacts
  readonly changes: readonly CoverChange[]
}

/** Form of a cover apart from its colours. */
export interface CoverFit {
  readonly signal: AbortSignal
  readonly mostBytes: number
  /** Longest side; when absent, the most that a receiver accepts, and unlimited for an unchanged picture. */
  readonly mostPx?: number
  /** True for a JPEG whatever was sent. */
  readonly isJpeg?: boolean
}

/** Longest side of a cover whose colours are converted, pixels: the most that a receiver takes. */
const MOST_SIDE_PX = 6000
/** Longest side of a cover that was too large a file, pixels: accepted by shops. */
const SMALLER_SIDE_PX = 3000
/** Largest picture that is decoded, pixels: 8000 × 8000. It takes four bytes for each. */
const MOST_PIXELS = 64_000_000
/** Pixels converted at a time: other work of the process continues in between. */
const SLICE_PX = 32_768
/** Nodes for each channel of the table that CMYK is converted by. */
const CMYK_NODES = 17
/** Quantiser scales of ffmpeg's JPEG encoder that are tried, the finest first. */
const QUALITIES = [2, 5, 10, 20] as const
const UPRIGHT = 1
/** Option of ffmpeg that admits covers beyond its general limit. */
const PIXEL_LIMIT = ['-max_pixels', String(MOST_PIXELS)] as const

/** Filters of ffmpeg that turn a picture upright, by its orientation in Exif. */
const TURNS: Readonly<Record<number, string>> = {
  ...{
    2: 'hflip',
    3: 'hflip,vflip',
    4: 'vflip',
    5: 'transpose=0',
    6: 'transpose=1',
    7: 'transpose=3',
    8: 'transpose=2',
  },
}

/**
 * Returns a picture as the cover of a release: with its colours converted to sRGB by its profile (without one sRGB is assumed, and plain
 * inks for CMYK), turned upright, on white where it was transparent, without profile and private data, at most `mostBytes`, of which larger
 * files become a smaller JPEG. A picture that already qualifies keeps its coded data; one that ffmpeg cannot read is kept as {@link
 * plainPicture} leaves it. Undefined unless it is a whole JPEG or PNG. Throws the reason of `signal`, and a {@link FfmpegError} when ffmpeg
 * is missing or killed.
 */
export async function srgbCover(
  ffmpeg: () => Promise<Ffmpeg>,
  sent: Buffer,
  { signal, mostBytes, mostPx, isJpeg = false }: CoverFit,
): Promise<SrgbCover | undefined> {
  const facts = wholePictureFacts(sent)
  if (!facts) return undefined
  const embedded = profileBytes(sent)
  const profile = embedded && readColorProfile(embedded)
  const isForeign = profile !== undefined && !isSrgb(profile)
  const orientation = orientationOf(sent)
  const isClear = hasAlpha(sent, facts)
  const plain = plainPicture(sent, { hasProfile: embedded !== undefined && !profile })
  const isTooMuch = plain.length > mostBytes
  const sidePx = Math.min(mostPx ?? MOST_SIDE_PX, isTooMuch ? SMALLER_SIDE_PX : MOST_SIDE_PX)
  const longestPx = Math.max(facts.widthPx, facts.heightPx)
  const mimeType = isJpeg || isTooMuch ? 'image/jpeg' : facts.mimeType
  const isFitting = !isTooMuch && longestPx <= (mostPx ?? Infinity) && facts.mimeType === mimeType
  const isPlain = facts.colorModel === 'rgb' && !isForeign && orientation === UPRIGHT && !isClear && isFitting
  const isPrivate = plainPicture(sent, { hasProfile: true }).length !== sent.length
  const removed: CoverChange[] = isPrivate ? ['private_data'] : []
  if (isPlain) return { bytes: plain, facts, changes: removed }
  const pixels = await decoded(await ffmpeg(), sent, facts, { orientation, sidePx, signal })
  // Its colours are reported when it is stored.
  const unchanged = isTooMuch ? undefined : { bytes: plainPicture(sent), facts, changes: removed }
  if (!pixels) return unchanged
  const { rgb, isFlattened } = await rgbOf(pixels, profile, signal)
  const bytes = await encoded(await ffmpeg(), { ...pixels, rgb }, mimeType, { signal, mostBytes })
  const made = bytes && wholePictureFacts(bytes)
  if (!made) return unchanged
  const isConverted = isForeign || facts.colorModel !== 'rgb'
  return {
    bytes,
    facts: made,
    changes: [
      ...(isConverted ? (['colors'] as const) : []),
      ...(isConverted && !profile && facts.colorModel === 'cmyk' ? (['assumed_inks'] as const) : []),
      ...(isConverted && !profile && facts.colorModel !== 'cmyk' ? (['assumed_srgb'] as const) : []),
      ...(orientation === UPRIGHT ? [] : (['turned'] as const)),
      ...(isFlattened ? (['flattened'] as const) : []),
      ...(longestPx > sidePx ? (['resized'] as const) : []),
      ...(made.mimeType === facts.mimeType ? [] : (['jpeg'] as const)),
      ...removed,
    ],
  }
}

/** Returns whether a PNG has an alpha channel or transparent colours. */
function hasAlpha(bytes: Buffer, { mimeType }: PictureFacts): boolean {
  return (
    mimeType === 'image/png' && ((bytes[25]! & 4) !== 0 || bytes.subarray(0, bytes.indexOf('IDAT')).includes('tRNS'))
  )
}

/** Form of raw pixels: RGB with alpha in turn, or the four inks, each as a plane. */
type Form = 'rgba' | 'inks' | 'ycck'

interface Pixels {
  readonly form: Form
  readonly widthPx: number
  readonly heightPx: number
  readonly bytes: Buffer
}

/** Decodes a picture into upright pixels; undefined if ffmpeg cannot read it. */
async function decoded(
  ffmpeg: Ffmpeg,
  sent: Buffer,
  { mimeType, colorModel, widthPx, heightPx }: PictureFacts,
  {
    orientation,
    sidePx,
    signal,
  }: { readonly orientation: number; readonly sidePx: number; readonly signal: AbortSignal },
): Promise<Pixels | undefined> {
  const adobe = adobeTransform(sent)
  const form: Form = colorModel !== 'cmyk' ? 'rgba' : adobe === 2 ? 'ycck' : 'inks'
  const scale = Math.min(1, sidePx / Math.max(widthPx, heightPx))
  const [width, height] = [widthPx, heightPx].map((side) => Math.max(1, Math.round(side * scale)))
  const isTurned = orientation > 4
  const filters = [
    ...(scale < 1 ? [`scale=${width}:${height}:flags=area`] : []),
    ...(TURNS[orientation] ? [TURNS[orientation]] : []),
    `format=${form === 'rgba' ? 'rgba' : 'yuva444p'}`,
  ]
  const input = form === 'rgba' ? sent : asPlanes(sent)
  const bytes = await output(ffmpeg, 'decode the cover', {
    input: {
      from: Readable.from([input]),
      format: mimeType === 'image/png' ? 'png_pipe' : 'jpeg_pipe',
      options: ['-noautorotate', ...PIXEL_LIMIT, '-frame_size', String(input.length)],
    },
    outputOptions: [
      ...['-map', '0:v:0', '-frames:v', '1', '-sws_flags', 'accurate_rnd+full_chroma_int+full_chroma_inp+bicubic'],
      ...['-vf', filters.join(','), '-f', 'rawvideo'],
    ],
    mostBytes: 4 * width! * height!,
    signal,
  })
  if (bytes?.length !== 4 * width! * height!) return undefined
  const inverted = adobe === undefined || form === 'rgba' ? bytes : bytes.map((value) => 255 - value)
  return {
    form,
    bytes: inverted as Buffer,
    widthPx: isTurned ? height! : width!,
    heightPx: isTurned ? width! : height!,
  }
}

/** Returns the colour transform in Adobe's marker of a JPEG: 0 for none, 2 for YCCK; undefined without the marker. */
function adobeTransform(bytes: Buffer): number | undefined {
  const at = bytes.indexOf('Adobe', 0, 'latin1')
  return at >= 4 && bytes[at - 4] === 0xff && bytes[at - 3] === 0xee ? bytes[at + 11] : undefined
}

/**
 * Returns a JPEG of four inks as one of four planes without a meaning: ffmpeg multiplies the first three by the last where the names of the
 * components (C, M, Y, K) or Adobe's marker say that they are inks. Both are changed; the coded data stays.
 */
function asPlanes(sent: Buffer): Buffer {
  const bytes = Buffer.from(sent)
  const numbers = new Map<number, number>()
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = bytes[at + 1]!
    const isCoded = bytes[at] !== 0xff || marker === 0xff || marker === 0 || (marker >= 0xd0 && marker <= 0xd7)
    if (isCoded) {
      at = Math.max(at + 1, bytes.indexOf(0xff, at + 1))
      continue
    }
    if (marker === 0xd9) break
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (marker === 0xee && bytes.toString('latin1', at + 4, at + 9) === 'Adobe') bytes[at + 15] = 1
    if (isFrame)
      for (let index = 0; index < bytes[at + 9]!; index++) {
        numbers.set(bytes[at + 10 + 3 * index]!, index + 1)
        bytes[at + 10 + 3 * index] = index + 1
      }
    if (marker === 0xda)
      for (let index = 0; index < bytes[at + 4]!; index++)
        bytes[at + 5 + 2 * index] = numbers.get(bytes[at + 5 + 2 * index]!) ?? 0
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return bytes
}

/** Converts pixels to RGB on white, a slice at a time. */
async function rgbOf(
  { form, bytes, widthPx, heightPx }: Pixels,
  profile: ColorProfile | undefined,
  signal: AbortSignal,
): Promise<{ readonly rgb: Buffer; readonly isFlattened: boolean }> {
  const count = widthPx * heightPx
  const rgb = Buffer.alloc(3 * count)
  const convert = form === 'rgba' ? rgbConverter(profile) : inkConverter(profile, form === 'ycck', bytes, count)
  let isFlattened = false
  for (let from = 0; from < count; from += SLICE_PX) {
    signal.throwIfAborted()
    const to = Math.min(count, from + SLICE_PX)
    for (let pixel = from; pixel < to; pixel++) {
      const at = 3 * pixel
      convert(bytes, pixel, rgb, at)
      const alpha = form === 'rgba' ? bytes[4 * pixel + 3]! : 255
      if (alpha === 255) continue
      isFlattened = true
      for (let channel = at; channel < at + 3; channel++)
        rgb[channel] = Math.round((rgb[channel]! * alpha + 255 * (255 - alpha)) / 255)
    }
    await setImmediate()
  }
  return { rgb, isFlattened }
}

type PixelConverter = (bytes: Buffer, pixel: number, rgb: Buffer, at: number) => void

const BYTE_LEVELS = Array.from({ length: 256 }, (_, level) => level / 255)

/** Returns the converter of RGB or grey: by a table of its own for grey, by one of 33 nodes for RGB. */
function rgbConverter(profile: ColorProfile | undefined): PixelConverter {
  if (!profile || profile.space === 'CMYK')
    return (bytes, pixel, rgb, at) => {
      bytes.copy(rgb, at, 4 * pixel, 4 * pixel + 3)
    }
  if (profile.space === 'GRAY') {
    const levels = BYTE_LEVELS.map((level) => Math.round(255 * profile.toSrgb([level])[1]))
    return (bytes, pixel, rgb, at) => rgb.fill(levels[bytes[4 * pixel]!]!, at, at + 3)
  }
  const nodes = 33
  const cells = cellsOf(nodes, 3, profile)
  const grid = [nodes, nodes, nodes]
  const values = [0, 0, 0]
  return (bytes, pixel, rgb, at) => {
    for (let channel = 0; channel < 3; channel++) values[channel] = BYTE_LEVELS[bytes[4 * pixel + channel]!]!
    const found = interpolate(cells, grid, values)
    for (let channel = 0; channel < 3; channel++) rgb[at + channel] = Math.round(found[channel]!)
  }
}

/** Returns the converter of inks, where 255 is full ink; YCCK stores the complement of the first three as Y, Cb and Cr. */
function inkConverter(
  profile: ColorProfile | undefined,
  isYcck: boolean,
  planes: Buffer,
  count: number,
): PixelConverter {
  const cells = profile?.space === 'CMYK' ? cellsOf(CMYK_NODES, 4, profile) : undefined
  const grid = [CMYK_NODES, CMYK_NODES, CMYK_NODES, CMYK_NODES]
  const values = [0, 0, 0, 0]
  const plane = (index: number, pixel: number) => planes[index * count + pixel]!
  return (_, pixel, rgb, at) => {
    const [c, m, y] = isYcck
      ? inksOfYcc(plane(0, pixel), plane(1, pixel), plane(2, pixel))
      : [plane(0, pixel), plane(1, pixel), plane(2, pixel)]
    const k = plane(3, pixel)
    if (!cells) {
      const left = 255 - k
      for (const [channel, ink] of [c, m, y].entries()) rgb[at + channel] = Math.round(((255 - ink!) * left) / 255)
      return
    }
    for (const [channel, ink] of [c, m, y, k].entries()) values[channel] = ink! / 255
    const found = interpolate(cells, grid, values)
    for (let channel = 0; channel < 3; channel++) rgb[at + channel] = Math.round(found[channel]!)
  }
}

/** Inks of a pixel of YCCK (Adobe, Technical Note 5116): Y, Cb and Cr are those of the inks, and arrive inverted with the marker. */
function inksOfYcc(y: number, cb: number, cr: number): [number, number, number] {
  const [luma, blue, red] = [255 - y, 255 - cb - 128, 255 - cr - 128]
  const level = (value: number) => Math.min(255, Math.max(0, value))
  return [level(luma + 1.402 * red), level(luma - 0.344136 * blue - 0.714136 * red), level(luma + 1.772 * blue)]
}

/** Returns the table of a profile with sRGB from 0 to 255. */
function cellsOf(nodes: number, channels: number, { toSrgb }: ColorProfile): Float32Array {
  const cells = new Float32Array(3 * nodes ** channels)
  for (let cell = 0; cell < nodes ** channels; cell++) {
    const values = Array.from(
      { length: channels },
      (_, channel) => (Math.floor(cell / nodes ** (channels - 1 - channel)) % nodes) / (nodes - 1),
    )
    cells.set(
      toSrgb(values).map((value) => 255 * value),
      3 * cell,
    )
  }
  return cells
}

/** Encodes pixels as PNG if a PNG was sent and the result is small enough, else as JPEG; undefined if both are too large. */
async function encoded(
  ffmpeg: Ffmpeg,
  { rgb, widthPx, heightPx }: Pick<Pixels, 'widthPx' | 'heightPx'> & { readonly rgb: Buffer },
  mimeType: PictureFacts['mimeType'],
  { signal, mostBytes }: { readonly signal: AbortSignal; readonly mostBytes: number },
): Promise<Buffer | undefined> {
  const encoders = [
    ...(mimeType === 'image/png' ? [['-c:v', 'png']] : []),
    ...QUALITIES.map((quality) => [
      '-vf',
      'scale=out_range=pc,format=yuvj444p',
      '-c:v',
      'mjpeg',
      '-q:v',
      String(quality),
    ]),
  ]
  for (const encoder of encoders) {
    const size = `${widthPx}x${heightPx}`
    const bytes = await output(ffmpeg, 'encode the cover', {
      input: {
        from: Readable.from([rgb]),
        format: 'rawvideo',
        options: [...PIXEL_LIMIT, '-pixel_format', 'rgb24', '-video_size', size],
      },
      outputOptions: ['-map', '0:v:0', '-frames:v', '1', ...encoder, '-f', 'image2pipe'],
      mostBytes,
      signal,
    })
    if (bytes && bytes.length > 0) return plainPicture(bytes)
  }
  return undefined
}

/** Returns ffmpeg's output; undefined if it fails or gives more than `mostBytes`. */
async function output(
  ffmpeg: Ffmpeg,
  operation: string,
  {
    input,
    outputOptions,
    mostBytes,
    signal,
  }: Pick<Parameters<typeof runFfmpeg>[1], 'input' | 'outputOptions'> & {
    readonly mostBytes: number
    readonly signal: AbortSignal
  },
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    await runFfmpeg(ffmpeg, {
      ...{ operation, input, outputOptions, timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS, signal },
      output: (chunk) => {
        size += chunk.length
        if (size > mostBytes) throw new FfmpegError(operation, 'failed', ['too much'])
        chunks.push(chunk)
      },
    })
  } catch (error) {
    if (error instanceof FfmpegError && error.fault === 'failed') return undefined
    throw error
  }
  return Buffer.concat(chunks)
}
