/**
 * `node scripts/make-icons.ts`: draws every icon from the mark, bars hanging from one level, and writes resources/icons.
 * The pictures are committed; the same script gives the same bytes.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { crc32, deflateSync } from 'node:zlib'

type Colour = readonly [red: number, green: number, blue: number]

interface Picture {
  readonly size: number
  /** RGBA, 8 bit each, row by row. */
  readonly pixels: Uint8Array
}

/** Side of the square that holds the mark. */
const GRID = 20
/** x and height of each bar; all are 2 wide and hang from the level. */
const BARS: readonly (readonly [x: number, height: number])[] = [
  [2.5, 4],
  [5.75, 2.6],
  [9, 11.2],
  [12.25, 6.8],
  [15.5, 5.2],
]
const BAR_WIDTH = 2
const LEVEL = 4.5
const STEEL: Colour = [0x10, 0x14, 0x17]
const STRAW: Colour = [0xea, 0xd0, 0x8a]
const BLACK: Colour = [0, 0, 0]
/** Sampling points per pixel and direction, for its coverage. */
const SAMPLES = 8

const inBars = (x: number, y: number) =>
  BARS.some(([left, height]) => x >= left && x < left + BAR_WIDTH && y >= LEVEL && y < LEVEL + height)

function inPlate(x: number, y: number, radius: number): boolean {
  if (x < 0 || y < 0 || x >= GRID || y >= GRID) return false
  const dx = Math.max(radius - x, x - (GRID - radius), 0)
  const dy = Math.max(radius - y, y - (GRID - radius), 0)
  return dx * dx + dy * dy <= radius * radius
}

/** Draws the colours that `colourAt` gives for the points of the mark's square, surrounded by a free `margin` in its units. */
function draw(size: number, margin: number, colourAt: (x: number, y: number) => Colour | undefined): Picture {
  const pixels = new Uint8Array(size * size * 4)
  const scale = (GRID + 2 * margin) / size
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const sum = [0, 0, 0]
      let covered = 0
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
        const x = (column + ((sample % SAMPLES) + 0.5) / SAMPLES) * scale - margin
        const y = (row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) * scale - margin
        const colour = colourAt(x, y)
        if (!colour) continue
        covered++
        for (const channel of [0, 1, 2] as const) sum[channel] = (sum[channel] ?? 0) + colour[channel]
      }
      const at = (row * size + column) * 4
      for (const channel of [0, 1, 2]) pixels[at + channel] = covered ? Math.round((sum[channel] ?? 0) / covered) : 0
      pixels[at + 3] = Math.round((covered / SAMPLES ** 2) * 255)
    }
  return { size, pixels }
}

const plate = (size: number, margin = 0) =>
  draw(size, margin, (x, y) => (inPlate(x, y, 4) ? (inBars(x, y) ? STRAW : STEEL) : undefined))
const bars = (size: number, colour: Colour) => draw(size, -1, (x, y) => (inBars(x, y) ? colour : undefined))
const dot = (size: number, colour: Colour) =>
  draw(size, 0, (x, y) => ((x - GRID / 2) ** 2 + (y - GRID / 2) ** 2 <= (GRID / 2) ** 2 ? colour : undefined))

/** Encodes a picture as PNG (W3C PNG, third edition): 8-bit RGBA, no interlace. */
function png({ size, pixels }: Picture): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
    const framed = Buffer.alloc(8 + named.length)
    framed.writeUInt32BE(body.length, 0)
    named.copy(framed, 4)
    framed.writeUInt32BE(crc32(named), 4 + named.length)
    return framed
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const rows = Buffer.alloc(size * (size * 4 + 1))
  for (let row = 0; row < size; row++)
    rows.set(pixels.subarray(row * size * 4, (row + 1) * size * 4), row * (size * 4 + 1) + 1)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Packs PNGs as a Windows icon. */
function ico(pictures: readonly Picture[]): Buffer {
  const header = Buffer.alloc(6 + 16 * pictures.length)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(pictures.length, 4)
  const bodies = pictures.map(png)
  let offset = header.length
  pictures.forEach(({ size }, at) => {
    const entry = 6 + 16 * at
    const length = bodies[at]?.length ?? 0
    header.set([size % 256, size % 256, 0, 0], entry)
    header.writeUInt16LE(1, entry + 4)
    header.writeUInt16LE(32, entry + 6)
    header.writeUInt32LE(length, entry + 8)
    header.writeUInt32LE(offset, entry + 12)
    offset += length
  })
  return Buffer.concat([header, ...bodies])
}

/** Packs PNGs as an Apple icon image. */
function icns(pictures: readonly Picture[]): Buffer {
  const types: Record<number, string> = { 128: 'ic07', 256: 'ic08', 512: 'ic09', 1024: 'ic10' }
  const parts = pictures.map((picture) => {
    const body = png(picture)
    const head = Buffer.alloc(8)
    head.write(types[picture.size] ?? '', 'latin1')
    head.writeUInt32BE(body.length + 8, 4)
    return Buffer.concat([head, body])
  })
  const head = Buffer.alloc(8)
  head.write('icns', 'latin1')
  head.writeUInt32BE(8 + parts.reduce((sum, part) => sum + part.length, 0), 4)
  return Buffer.concat([head, ...parts])
}

if (import.meta.main) {
  const folder = path.join(import.meta.dirname, '..', 'resources', 'icons')
  mkdirSync(folder, { recursive: true })
  const write = (name: string, bytes: Buffer) => writeFileSync(path.join(folder, name), bytes)
  write('icon.png', png(plate(512)))
  write('icon.ico', ico([16, 24, 32, 48, 64, 128, 256].map((size) => plate(size))))
  // Apple's icons leave a tenth free on each side.
  write('icon.icns', icns([128, 256, 512, 1024].map((size) => plate(size, 2.4))))
  write('tray.png', png(plate(16)))
  write('tray@2x.png', png(plate(32)))
  write('trayTemplate.png', png(bars(16, BLACK)))
  write('trayTemplate@2x.png', png(bars(32, BLACK)))
  write('drag.png', png(plate(64)))
  write('badge.png', png(dot(16, STRAW)))
}
