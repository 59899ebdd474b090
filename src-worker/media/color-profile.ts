/** ICC profiles of pictures, and the conversion of their colours to sRGB (ICC.1:2022, ICC.1:2001-04). Pure. */
import { inflateSync } from 'node:zlib'
import { isText } from './file-bytes.ts'

/** Colour spaces of profiles that are converted, with their numbers of channels. */
const CHANNELS = { GRAY: 1, 'RGB ': 3, CMYK: 4 } as const
type Space = keyof typeof CHANNELS

/** Converts colours with 0 to 1 in each channel to sRGB with 0 to 1. */
type Convert = (channels: readonly number[]) => Triple
type Triple = [number, number, number]

export interface ColorProfile {
  readonly space: Space
  readonly toSrgb: Convert
}

/** White of the profile connection space: D50. */
const WHITE: Triple = [0.9642, 1, 0.8249]
/** XYZ relative to D50 to linear sRGB (Bradford adaptation; Lindbloom, "RGB/XYZ Matrices"). */
const XYZ_TO_SRGB: readonly Triple[] = [
  [3.1338561, -1.6168667, -0.4906146],
  [-0.9787684, 1.9161415, 0.033454],
  [0.0719453, -0.2289914, 1.4052427],
]
/** XYZ numbers of 16 bits reach this (ICC.1, table 11). */
const MOST_XYZ = 1 + 32767 / 32768
/** L* of 100 in the Lab numbers of version 2 with 16 bits. */
const OLD_LAB_SCALE = 65535 / 65280
/** Largest profile that is read, bytes: those of printers take about 2 MB. */
const MAX_PROFILE_BYTES = 8_000_000
const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n'

/** Returns the ICC profile that a JPEG or PNG carries; undefined without one. Never throws. */
export function profileBytes(bytes: Buffer): Buffer | undefined {
  return bytes.toString('latin1', 0, 8) === PNG_SIGNATURE ? profileOfPng(bytes) : profileOfJpeg(bytes)
}

function profileOfPng(bytes: Buffer): Buffer | undefined {
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (!isText(bytes, at + 4, 'iCCP')) continue
    const content = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at))
    try {
      return inflateSync(content.subarray(content.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE_BYTES })
    } catch {
      return undefined
    }
  }
  return undefined
}

/** A long profile is spread over segments, each with its number and their count. */
function profileOfJpeg(bytes: Buffer): Buffer | undefined {
  const parts = new Map<number, Buffer>()
  for (let at = 2; at + 18 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0xda; ) {
    if (bytes[at + 1] === 0xff) {
      at++
      continue
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    if (bytes[at + 1] === 0xe2 && isText(bytes, at + 4, 'ICC_PROFILE\0'))
      parts.set(bytes[at + 16]!, bytes.subarray(at + 18, end))
    at = end
  }
  const ordered = [...parts].toSorted(([one], [other]) => one - other).map(([, part]) => part)
  return ordered.length > 0 ? Buffer.concat(ordered) : undefined
}

/** Returns a profile that can be converted: of grey, RGB or CMYK; undefined for any other and for a broken one. Never throws. */
export function readColorProfile(bytes: Buffer): ColorProfile | undefined {
  try {
    const space = bytes.toString('latin1', 16, 20)
    if (!isText(bytes, 36, 'acsp') || !(space in CHANNELS)) return undefined
    const known = space as Space
    const isLab = isText(bytes, 20, 'Lab ')
    const tags = tagsOf(bytes)
    const table = tags.get('A2B0') ?? tags.get('A2B1')
    const toPcs = table ? tableOf(table, CHANNELS[known], isLab) : curvesOf(tags, known, isLab)
    return toPcs && { space: known, toSrgb: (channels) => srgbOf(toPcs(channels)) }
  } catch {
    return undefined
  }
}

/** Returns whether a profile shows RGB as sRGB does, to less than a step of 8 bits. */
export function isSrgb({ space, toSrgb }: ColorProfile): boolean {
  if (space !== 'RGB ') return false
  const levels = [0, 0.25, 0.5, 0.75, 1]
  return levels.every((r) =>
    levels.every((g) =>
      levels.every((b) => toSrgb([r, g, b]).every((value, at) => Math.abs(value - [r, g, b][at]!) < 1 / 255)),
    ),
  )
}

function tagsOf(bytes: Buffer): Map<string, Buffer> {
  const tags = new Map<string, Buffer>()
  for (let index = 0; index < Math.min(bytes.readUInt32BE(128), 100); index++) {
    const at = 132 + 12 * index
    const start = bytes.readUInt32BE(at + 4)
    tags.set(bytes.toString('latin1', at, at + 4), bytes.subarray(start, start + bytes.readUInt32BE(at + 8)))
  }
  return tags
}

const fixed = (bytes: Buffer, at: number) => bytes.readInt32BE(at) / 65536
const clamp = (value: number) => Math.min(1, Math.max(0, value))

type Curve = (value: number) => number

/** Returns a curve of type `curv` or `para`, and its size in bytes. */
function curveAt(bytes: Buffer, at = 0): { readonly curve: Curve; readonly size: number } {
  if (isText(bytes, at, 'para')) {
    const kind = bytes.readUInt16BE(at + 8)
    const count = [1, 3, 4, 5, 7][kind]!
    const values = Array.from({ length: count }, (_, index) => fixed(bytes, at + 12 + 4 * index))
    return { curve: parametric(kind, values), size: 12 + 4 * count }
  }
  if (!isText(bytes, at, 'curv')) throw new RangeError('no curve')
  const count = bytes.readUInt32BE(at + 8)
  const size = 12 + 2 * count
  if (count === 0) return { curve: (value) => value, size }
  if (count === 1) {
    const gamma = bytes.readUInt16BE(at + 12) / 256
    return { curve: (value) => clamp(value) ** gamma, size }
  }
  return {
    curve: sampled(Array.from({ length: count }, (_, index) => bytes.readUInt16BE(at + 12 + 2 * index) / 65535)),
    size,
  }
}

/** Parametric curves of ICC.1, table 68. */
function parametric(kind: number, [g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0]: readonly number[]): Curve {
  const power = (value: number) => Math.max(0, a * value + b) ** g
  if (kind === 0) return (value) => clamp(value) ** g
  if (kind === 1) return (value) => (value >= -b / a ? power(value) : 0)
  if (kind === 2) return (value) => (value >= -b / a ? power(value) + c : c)
  return (value) => (value >= d ? power(value) + e : c * value + f)
}

function sampled(values: readonly number[]): Curve {
  const last = values.length - 1
  return (value) => {
    const place = clamp(value) * last
    const low = Math.min(last - 1, Math.floor(place))
    return values[low]! + (values[low + 1]! - values[low]!) * (place - low)
  }
}

/** Returns the conversion of a profile of curves to XYZ. */
function curvesOf(tags: ReadonlyMap<string, Buffer>, space: Space, isLab: boolean): Convert | undefined {
  if (space === 'GRAY') {
    const { curve } = curveAt(tags.get('kTRC')!)
    return ([grey = 0]) =>
      isLab ? xyzOfLab([100 * curve(grey), 0, 0]) : (WHITE.map((one) => one * curve(grey)) as Triple)
  }
  if (space !== 'RGB ') return undefined
  const names = ['r', 'g', 'b'] as const
  const curves = names.map((name) => curveAt(tags.get(`${name}TRC`)!).curve)
  const columns = names.map((name) => [8, 12, 16].map((at) => fixed(tags.get(`${name}XYZ`)!, at)))
  return (channels) => {
    const linear = channels.map((value, index) => curves[index]!(value))
    return [0, 1, 2].map((row) =>
      linear.reduce((sum, value, index) => sum + value * columns[index]![row]!, 0),
    ) as Triple
  }
}

/** Returns the conversion of a table (`mft1`, `mft2`, `mAB `) to XYZ. */
function tableOf(tag: Buffer, channels: number, isLab: boolean): Convert | undefined {
  if (tag[8] !== channels || tag[9] !== 3) return undefined
  return isText(tag, 0, 'mAB ') ? newTable(tag, channels, isLab) : oldTable(tag, channels, isLab)
}

function oldTable(tag: Buffer, channels: number, isLab: boolean): Convert | undefined {
  const isWide = isText(tag, 0, 'mft2')
  if (!isWide && !isText(tag, 0, 'mft1')) return undefined
  const [bytes, most] = isWide ? [2, 65535] : [1, 255]
  const [inputs, outputs] = isWide ? [tag.readUInt16BE(48), tag.readUInt16BE(50)] : [256, 256]
  let at = isWide ? 52 : 48
  const take = (count: number) => {
    const values = new Float64Array(count)
    for (let index = 0; index < count; index++, at += bytes)
      values[index] = (isWide ? tag.readUInt16BE(at) : tag[at]!) / most
    return values
  }
  const before = Array.from({ length: channels }, () => sampled([...take(inputs)]))
  const grid = Array.from({ length: channels }, () => tag[10]!)
  const cells = take(tag[10]! ** channels * 3)
  const after = Array.from({ length: 3 }, () => sampled([...take(outputs)]))
  const scale = isLab && isWide ? OLD_LAB_SCALE : 1
  return (values) => {
    const mixed = interpolate(
      cells,
      grid,
      values.map((value, index) => before[index]!(value)),
    )
    return pcsOf(mixed.map((value, index) => after[index]!(value) * scale) as Triple, isLab)
  }
}

function newTable(tag: Buffer, channels: number, isLab: boolean): Convert {
  const [bAt, matrixAt, mAt, gridAt, aAt] = [12, 16, 20, 24, 28].map((at) => tag.readUInt32BE(at))
  const curves = (start: number, count: number) => {
    let at = start
    return Array.from({ length: count }, () => {
      const { curve, size } = curveAt(tag, at)
      at += Math.ceil(size / 4) * 4
      return curve
    })
  }
  const b = curves(bAt!, 3)
  const m = mAt ? curves(mAt, 3) : undefined
  const matrix = matrixAt ? Array.from({ length: 12 }, (_, index) => fixed(tag, matrixAt + 4 * index)) : undefined
  const a = aAt ? curves(aAt, channels) : undefined
  const grid = gridAt ? Array.from({ length: channels }, (_, index) => tag[gridAt + index]!) : []
  const isWide = gridAt ? tag[gridAt + 16] === 2 : false
  const count = gridAt ? grid.reduce((all, one) => all * one, 3) : 0
  const cells = Float64Array.from({ length: count }, (_, index) =>
    isWide ? tag.readUInt16BE(gridAt! + 20 + 2 * index) / 65535 : tag[gridAt! + 20 + index]! / 255,
  )
  return (values) => {
    const shaped = a ? values.map((value, index) => a[index]!(value)) : values
    let out = gridAt ? interpolate(cells, grid, shaped) : ([...shaped] as Triple)
    if (m) out = out.map((value, index) => m[index]!(value)) as Triple
    if (matrix) {
      const from = out
      out = [0, 1, 2].map(
        (row) => from.reduce((sum, value, index) => sum + value * matrix[3 * row + index]!, 0) + matrix[9 + row]!,
      ) as Triple
    }
    return pcsOf(out.map((value, index) => b[index]!(value)) as Triple, isLab)
  }
}

/** Interpolates linearly between the cells of a grid with three values each, the last channel varying fastest. */
export function interpolate(cells: ArrayLike<number>, grid: readonly number[], values: readonly number[]): Triple {
  const out: Triple = [0, 0, 0]
  const dimensions = grid.length
  const [lows, parts] = [new Array<number>(dimensions), new Array<number>(dimensions)]
  const strides = new Array<number>(dimensions)
  let stride = 3
  for (let index = dimensions - 1; index >= 0; index--) {
    const place = clamp(values[index]!) * (grid[index]! - 1)
    lows[index] = Math.max(0, Math.min(grid[index]! - 2, Math.floor(place)))
    parts[index] = place - lows[index]!
    strides[index] = stride
    stride *= grid[index]!
  }
  for (let corner = 0; corner < 1 << dimensions; corner++) {
    let [weight, at] = [1, 0]
    for (let index = 0; index < dimensions; index++) {
      const isHigh = (corner >> index) & 1
      weight *= isHigh ? parts[index]! : 1 - parts[index]!
      at += (lows[index]! + isHigh) * strides[index]!
    }
    if (weight === 0) continue
    for (let index = 0; index < 3; index++) out[index]! += weight * cells[at + index]!
  }
  return out
}

/** Returns XYZ of numbers of the connection space from 0 to 1. */
function pcsOf([x, y, z]: Triple, isLab: boolean): Triple {
  return isLab ? xyzOfLab([100 * x, 255 * y - 128, 255 * z - 128]) : [x * MOST_XYZ, y * MOST_XYZ, z * MOST_XYZ]
}

function xyzOfLab([lightness, a, b]: Triple): Triple {
  const y = (lightness + 16) / 116
  const cube = (value: number) => (value > 6 / 29 ? value ** 3 : 3 * (6 / 29) ** 2 * (value - 4 / 29))
  return [WHITE[0] * cube(y + a / 500), WHITE[1] * cube(y), WHITE[2] * cube(y - b / 200)]
}

/** Encodes XYZ as sRGB (IEC 61966-2-1); colours outside of it are clipped. */
function srgbOf(xyz: Triple): Triple {
  return XYZ_TO_SRGB.map((row) => {
    const linear = clamp(row[0] * xyz[0] + row[1] * xyz[1] + row[2] * xyz[2])
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055
  }) as Triple
}
