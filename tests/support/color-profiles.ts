/** ICC profiles made by hand, and pictures that carry them. */
import { crc32, deflateSync } from 'node:zlib'

const fixed = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(Math.round(value * 65536))
  return bytes
}
const xyz = (values: readonly number[]) => Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), ...values.map(fixed)])
const gamma = (value: number) => {
  const bytes = Buffer.from('curv\0\0\0\0\0\0\0\x01\0\0', 'latin1')
  bytes.writeUInt16BE(Math.round(value * 256), 12)
  return bytes
}
/** Curve of sRGB as a parametric one of type 3 (ICC.1, table 68). */
const SRGB_CURVE = Buffer.concat([
  Buffer.from('para\0\0\0\0\0\x03\0\0', 'latin1'),
  ...[2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].map(fixed),
])

/** Returns a profile of these tags. */
function profile(space: string, pcs: string, tags: Readonly<Record<string, Buffer>>, kind = 'mntr'): Buffer {
  const entries = Object.entries(tags)
  const head = Buffer.alloc(132 + 12 * entries.length)
  let at = head.length
  const bodies = entries.map(([name, tag], index) => {
    const padded = Buffer.concat([tag, Buffer.alloc((4 - (tag.length % 4)) % 4)])
    head.write(name, 132 + 12 * index, 'latin1')
    head.writeUInt32BE(at, 136 + 12 * index)
    head.writeUInt32BE(tag.length, 140 + 12 * index)
    at += padded.length
    return padded
  })
  head.writeUInt32BE(at, 0)
  head.writeUInt32BE(0x02400000, 8)
  head.write(`${kind}${space}${pcs}`, 12, 'latin1')
  head.write('acsp', 36, 'latin1')
  for (const [index, value] of [0.9642, 1, 0.8249].entries())
    head.writeInt32BE(Math.round(value * 65536), 68 + 4 * index)
  head.writeUInt32BE(entries.length, 128)
  return Buffer.concat([head, ...bodies])
}

const ASCII = Buffer.from('desc\0\0\0\0\0\0\0\x02x\0', 'latin1')
const TEXTS = { desc: Buffer.concat([ASCII, Buffer.alloc(78)]), cprt: Buffer.from('text\0\0\0\0x\0', 'latin1') }
const WHITE = { wtpt: xyz([0.9642, 1, 0.8249]) }

/** Returns a profile of three primaries (XYZ relative to D50) and one curve. */
function ofPrimaries(columns: readonly (readonly number[])[], curve: Buffer): Buffer {
  const names = ['r', 'g', 'b']
  const tags = names.flatMap((name, index) => [
    [`${name}XYZ`, xyz(columns[index]!)] as const,
    [`${name}TRC`, curve] as const,
  ])
  return profile('RGB ', 'XYZ ', { ...TEXTS, ...WHITE, ...Object.fromEntries(tags) })
}

export const DISPLAY_P3 = ofPrimaries(
  [
    [0.51512, 0.2412, -0.00105],
    [0.29198, 0.69225, 0.04189],
    [0.1571, 0.06657, 0.78407],
  ],
  SRGB_CURVE,
)
export const ADOBE_RGB = ofPrimaries(
  [
    [0.60974, 0.31111, 0.01947],
    [0.20528, 0.62567, 0.06087],
    [0.14919, 0.06322, 0.74457],
  ],
  gamma(2.19921875),
)
export const SRGB = ofPrimaries(
  [
    [0.43607, 0.22249, 0.01392],
    [0.38515, 0.71687, 0.09708],
    [0.14307, 0.06061, 0.7141],
  ],
  SRGB_CURVE,
)
export const GREY_18 = profile('GRAY', 'XYZ ', { ...TEXTS, ...WHITE, kTRC: gamma(1.8) })

/** Returns a profile of a press: a table of 9 nodes for each ink to Lab, of 8 or 16 bits, by a simple model of inks on paper. */
export function pressProfile(bits: 8 | 16): Buffer {
  const nodes = 9
  const step = bits / 8
  const most = bits === 16 ? 65535 : 255
  const head = Buffer.alloc(bits === 16 ? 52 : 48)
  head.write(bits === 16 ? 'mft2' : 'mft1', 'latin1')
  head.set([4, 3, nodes], 8)
  for (const at of [12, 28, 44]) head.writeInt32BE(65536, at)
  if (bits === 16) head.set([0, 2, 0, 2], 48)
  const number = (value: number) => {
    const bytes = Buffer.alloc(step)
    bytes.writeUIntBE(Math.round(Math.min(most, Math.max(0, value))), 0, step)
    return bytes
  }
  const line = (count: number) =>
    Buffer.concat(
      Array.from({ length: count }, () =>
        Buffer.concat(
          Array.from({ length: bits === 16 ? 2 : 256 }, (_, at) => number((at / (bits === 16 ? 1 : 255)) * most)),
        ),
      ),
    )
  const cells: Buffer[] = []
  for (let cell = 0; cell < nodes ** 4; cell++) {
    const [c, m, y, k] = [3, 2, 1, 0].map(
      (power) => (Math.floor(cell / nodes ** power) % nodes) / (nodes - 1),
    ) as number[]
    const light = (1 - 0.42 * c!) * (1 - 0.5 * m!) * (1 - 0.08 * y!) * (1 - 0.85 * k!)
    const left = 1 - k!
    const lab = [4 + 91 * light, (-36 * c! + 72 * m! - 4 * y!) * left, (-46 * c! - 6 * m! + 88 * y!) * left]
    const encoded =
      bits === 16
        ? [lab[0]! * 652.8, (lab[1]! + 128) * 256, (lab[2]! + 128) * 256]
        : [lab[0]! * 2.55, lab[1]! + 128, lab[2]! + 128]
    cells.push(...encoded.map(number))
  }
  const table = Buffer.concat([head, line(4), ...cells, line(3)])
  return profile('CMYK', 'Lab ', { ...TEXTS, ...WHITE, A2B0: table }, 'prtr')
}

/** A JPEG of 64 × 64 pixels with 16 flats of inks, as Adobe writes them. */
const INKS = Buffer.from(
  '/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwACAQEBAQECAQEBAgICAgIEAwICAgIFBAQDBAYFBgYGBQYGBgcJCAYHCQcGBggLCAkKCgoKCgYICwwLCgwJCgoK/8AAFAgAQABABEMRAE0RAFkRAEsRAP/EABgAAQEBAQEAAAAAAAAAAAAAAAAJCAoH/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAA4EQwBNAFkASwAAPwC/i/i/i/gAlWMvgAlWMvgAlWMvgA7/AAXgABKsZfABKsZfABKsZfAB3+JVqgAAlWMvvGwBKsZfeNgCVYy+8bAHf4LwKWACVYy+8bAEqxl942AJVjL7xsAd/iVaoClgAlWMvsbgCVYy+xuAJVjL7G4A7/BeB0sACVYy+xuAJVjL7G4AlWMvsbgDv8SrVAdLAAlWMvppgCVYy+mmAJVjL6+gA7/BeB7IAJVjL6aYAlWMvppgCVYy+voAP//Z',
  'base64',
)

/** Returns a JPEG of inks with a profile, or without one. */
export function inkPicture(icc?: Buffer): Buffer {
  const parts: Buffer[] = []
  const most = 65_519
  const count = icc ? Math.ceil(icc.length / most) : 0
  for (let index = 0; index < count; index++) {
    const content = Buffer.concat([
      Buffer.from('ICC_PROFILE\0', 'latin1'),
      Buffer.from([index + 1, count]),
      icc!.subarray(index * most, (index + 1) * most),
    ])
    const head = Buffer.from([0xff, 0xe2, 0, 0])
    head.writeUInt16BE(content.length + 2, 2)
    parts.push(head, content)
  }
  return Buffer.concat([INKS.subarray(0, 2), ...parts, INKS.subarray(2)])
}

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** Returns a PNG of pixels: grey (1 channel), RGB (3) or RGB with alpha (4). */
export function pixelPicture(
  { width, height, channels }: { readonly width: number; readonly height: number; readonly channels: 1 | 3 | 4 },
  pixels: Buffer,
  {
    icc,
    more = [],
  }: { readonly icc?: Buffer; readonly more?: readonly (readonly [name: string, content: Buffer])[] } = {},
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, channels === 1 ? 0 : channels === 3 ? 2 : 6], 8)
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.of(0), pixels.subarray(y * width * channels, (y + 1) * width * channels)]),
  )
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(icc ? [chunk('iCCP', Buffer.concat([Buffer.from('x\0\0', 'latin1'), deflateSync(icc)]))] : []),
    ...more.map(([name, content]) => chunk(name, content)),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
