/** Covers in sRGB: colours against formulas and, where it is installed, against LittleCMS; turned, flattened, without private data. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isSrgb, profileBytes, readColorProfile } from '../../../src-worker/media/color-profile.ts'
import { pictureFacts } from '../../../src-worker/media/picture.ts'
import { srgbCover } from '../../../src-worker/media/srgb-cover.ts'
import {
  ADOBE_RGB,
  DISPLAY_P3,
  GREY_18,
  inkPicture,
  pixelPicture,
  pressProfile,
  SRGB,
} from '../../support/color-profiles.ts'
import { pngPicture } from '../../support/pictures.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain } from './make-audio.ts'

const SIDE = 12
const MEGABYTE = 1e6
const signal = new AbortController().signal
const cover = (bytes: Buffer, mostBytes = MEGABYTE) => srgbCover(async () => ffmpeg, bytes, { signal, mostBytes })
/** Colours from corner to corner of the cube. */
const colors = Buffer.from(
  Array.from({ length: SIDE * SIDE }, (_, at) => [(at * 37) % 256, (at * 91) % 256, (at * 143) % 256]).flat(),
)
const square = { width: SIDE, height: SIDE } as const
const rgbPicture = (icc?: Buffer) => pixelPicture({ ...square, channels: 3 }, colors, icc ? { icc } : {})

/** Returns the pixels of a picture as RGB. */
function pixelsOf(bytes: Buffer, name = 'cover'): Buffer {
  const file = path.join(temporaryFolder(onTestFinished), name)
  writeFileSync(file, bytes)
  return runPlain('-noautorotate', '-i', file, '-frames:v', '1', '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-')
}

/** Largest difference of two series of bytes. */
const apart = (one: Buffer, other: Buffer) => {
  expect(one.length).toBe(other.length)
  return one.reduce((most, value, at) => Math.max(most, Math.abs(value - other[at]!)), 0)
}

const decode = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const encode = (value: number) => {
  const held = Math.min(1, Math.max(0, value))
  return held <= 0.0031308 ? 12.92 * held : 1.055 * held ** (1 / 2.4) - 0.055
}
/** Display P3 and Adobe RGB (1998) to sRGB, both with D65 (Lindbloom). */
const MATRICES = {
  p3: [
    [1.22494, -0.22494, 0],
    [-0.04206, 1.04206, 0],
    [-0.01964, -0.07864, 1.09828],
  ],
  adobe: [
    [1.39836, -0.39836, 0],
    [0, 1, 0],
    [0, -0.04293, 1.04293],
  ],
} as const
const bySums = (matrix: readonly (readonly number[])[], curve: (value: number) => number) =>
  Buffer.from(
    Array.from({ length: colors.length / 3 }, (_, at) => {
      const linear = [0, 1, 2].map((channel) => curve(colors[3 * at + channel]! / 255))
      return matrix.map((row) =>
        Math.round(255 * encode(row.reduce((sum, one, index) => sum + one * linear[index]!, 0))),
      )
    }).flat(),
  )

describe('colours', () => {
  test('of Display P3 and Adobe RGB become those of sRGB', async () => {
    const p3 = (await cover(rgbPicture(DISPLAY_P3)))!
    expect(p3).toMatchObject({ facts: { mimeType: 'image/png', colorModel: 'rgb' }, changes: ['colors'] })
    expect(profileBytes(p3.bytes)).toBeUndefined()
    expect(meanDifference(pixelsOf(p3.bytes), bySums(MATRICES.p3, decode))).toBeLessThan(0.3)
    const adobe = (await cover(rgbPicture(ADOBE_RGB)))!
    const wanted = bySums(MATRICES.adobe, (value) => value ** 2.19921875)
    expect(meanDifference(pixelsOf(adobe.bytes), wanted)).toBeLessThan(0.3)
  })

  test('of grey become RGB, by its curve or as sRGB, which is told', async () => {
    const levels = Buffer.from(
      Array.from({ length: SIDE * SIDE }, (_, at) => Math.round((at * 255) / (SIDE * SIDE - 1))),
    )
    const grey = (icc?: Buffer) => cover(pixelPicture({ ...square, channels: 1 }, levels, icc ? { icc } : {}))
    const plain = (await grey())!
    expect(plain).toMatchObject({ facts: { colorModel: 'rgb' }, changes: ['colors', 'assumed_srgb'] })
    expect(apart(pixelsOf(plain.bytes), Buffer.from([...levels].flatMap((one) => [one, one, one])))).toBe(0)
    const curved = (await grey(GREY_18))!
    expect(curved.changes).toEqual(['colors'])
    const wanted = [...levels].map((one) => Math.round(255 * encode((one / 255) ** 1.8)))
    expect(apart(pixelsOf(curved.bytes), Buffer.from(wanted.flatMap((one) => [one, one, one])))).toBeLessThanOrEqual(1)
  })

  test('of inks become RGB: by the table of the press, else as plain inks, which is told', async () => {
    const plain = (await cover(inkPicture()))!
    expect(plain).toMatchObject({
      facts: { mimeType: 'image/jpeg', colorModel: 'rgb' },
      changes: ['colors', 'assumed_inks'],
    })
    // The flats hold C 0 to 255 from left to right, M downward, Y and K between them.
    const at = (pixels: Buffer, x: number, y: number) => [...pixels.subarray(3 * (64 * y + x), 3 * (64 * y + x) + 3)]
    const left = (ink: number, k: number) => ((255 - ink) * (255 - k)) / 255
    for (const [x, y] of [
      [0, 0],
      [3, 0],
      [0, 3],
      [2, 1],
    ] as const) {
      const [c, m, ye, k] = [x * 85, y * 85, ((x + y) * 40) % 256, (x * y * 25) % 200]
      for (const [index, value] of at(pixelsOf(plain.bytes), 16 * x + 8, 16 * y + 8).entries())
        expect(Math.abs(value - left([c, m, ye][index]!, k))).toBeLessThan(8)
    }
    const press = (await cover(inkPicture(pressProfile(16))))!
    expect(press.changes).toEqual(['colors'])
    expect(profileBytes(press.bytes)).toBeUndefined()
  })

  test('of sRGB stay as they are coded, without the profile', async () => {
    const { bytes, changes } = (await cover(rgbPicture(SRGB)))!
    expect([changes, profileBytes(bytes)]).toEqual([[], undefined])
    expect(apart(pixelsOf(bytes), colors)).toBe(0)
    expect((await cover(rgbPicture()))!.bytes.equals(rgbPicture())).toBe(true)
    expect([SRGB, DISPLAY_P3, GREY_18].map((one) => isSrgb(readColorProfile(one)!))).toEqual([true, false, false])
  })

  test('of a broken profile are left alone, and a picture without data keeps what it says', async () => {
    for (const broken of [
      Buffer.alloc(0),
      DISPLAY_P3.subarray(0, 200),
      Buffer.concat([DISPLAY_P3.subarray(0, 128), Buffer.alloc(400, 255)]),
    ])
      expect(readColorProfile(broken)).toBeUndefined()
    const noise = Buffer.from(pressProfile(8))
    noise.writeUInt32BE(0xffffffff, 140)
    expect(() => readColorProfile(noise)).not.toThrow()
    expect(await cover(Buffer.from('no picture'))).toBeUndefined()
  })
})

/** Exif with an orientation and a camera. */
function exif(orientation: number): Buffer {
  const block = Buffer.alloc(80)
  block.write('MM\0*\0\0\0\x08\0\x02', 'latin1')
  block.writeUInt16BE(0x010f, 10)
  block.set([0, 2, 0, 0, 0, 20, 0, 0, 0, 50], 12)
  block.writeUInt16BE(0x0112, 22)
  block.set([0, 3, 0, 0, 0, 1, 0, orientation], 24)
  block.write('SecretCameraOfMine', 50, 'latin1')
  return block
}

describe('a picture', () => {
  // Left to right: red, green; below blue, white.
  const four = Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255])
  const turned = (orientation: number) =>
    cover(pixelPicture({ width: 2, height: 2, channels: 3 }, four, { more: [['eXIf', exif(orientation)]] }))

  test.each([
    [1, 'rgbw'],
    [2, 'grwb'],
    [3, 'wbgr'],
    [4, 'bwrg'],
    [5, 'rbgw'],
    [6, 'brwg'],
    [7, 'wgbr'],
    [8, 'gwrb'],
  ])('whose camera says %i is turned upright, and its camera is forgotten', async (orientation, wanted) => {
    const { bytes, changes } = (await turned(orientation))!
    const names: Readonly<Record<string, string>> = {
      '255,0,0': 'r',
      '0,255,0': 'g',
      '0,0,255': 'b',
      '255,255,255': 'w',
    }
    const pixels = pixelsOf(bytes)
    expect([0, 3, 6, 9].map((at) => names[[...pixels.subarray(at, at + 3)].join()]).join('')).toBe(wanted)
    expect(changes).toEqual([...(orientation === 1 ? [] : ['turned']), 'private_data'])
    expect(bytes.includes('SecretCamera')).toBe(false)
  })

  test('that is wider than high is higher than wide when it was turned', async () => {
    const wide = pixelPicture({ width: 2, height: 1, channels: 3 }, four.subarray(0, 6), { more: [['eXIf', exif(6)]] })
    expect((await cover(wide))!.facts).toMatchObject({ widthPx: 1, heightPx: 2 })
  })

  test('with alpha is put on white', async () => {
    const clear = Buffer.from([255, 0, 0, 0, 0, 0, 0, 128, 0, 255, 0, 255, 9, 9, 9, 255])
    const { bytes, changes } = (await cover(pixelPicture({ width: 2, height: 2, channels: 4 }, clear)))!
    expect([...pixelsOf(bytes)]).toEqual([255, 255, 255, 127, 127, 127, 0, 255, 0, 9, 9, 9])
    expect([changes, bytes[25]]).toEqual([['flattened'], 2])
  })

  test('that is too large as a PNG becomes a JPEG', async () => {
    const noise = Buffer.from(
      Array.from({ length: 64 * 64 * 3 }, (_, at) => (at * at * 31 + at * 7 + (at >> 3) ** 3) % 256),
    )
    const { facts, bytes } = (await cover(
      pixelPicture({ width: 64, height: 64, channels: 3 }, noise, { icc: DISPLAY_P3 }),
      4000,
    ))!
    expect([facts.mimeType, pictureFacts(bytes)?.widthPx, bytes.length <= 4000]).toEqual(['image/jpeg', 64, true])
  })
})

describe('a cover for a receiver', () => {
  test('is a JPEG within its size, which is told', async () => {
    const fit = { signal, mostBytes: MEGABYTE, isJpeg: true, mostPx: 6 }
    const { facts, changes } = (await srgbCover(async () => ffmpeg, rgbPicture(), fit))!
    expect(facts).toEqual({ mimeType: 'image/jpeg', widthPx: 6, heightPx: 6, colorModel: 'rgb' })
    expect(changes).toEqual(['resized', 'jpeg'])
    const wide = pixelPicture({ width: 12, height: 4, channels: 3 }, Buffer.alloc(144, 99))
    const other = (await srgbCover(async () => ffmpeg, wide, fit))!
    expect([other.facts.widthPx, other.facts.heightPx]).toEqual([6, 2])
  })

  test('is made of a picture of more than 16 million pixels too', async () => {
    const large = runPlain(
      ...[
        '-f',
        'lavfi',
        '-i',
        'color=gray:s=4100x4100',
        '-frames:v',
        '1',
        '-pix_fmt',
        'gray',
        '-f',
        'image2pipe',
        '-c:v',
        'png',
        '-',
      ],
    )
    const { facts, changes } = (await srgbCover(async () => ffmpeg, large, {
      signal,
      mostBytes: MEGABYTE,
      isJpeg: true,
    }))!
    expect([facts.mimeType, facts.widthPx, facts.colorModel]).toEqual(['image/jpeg', 4100, 'rgb'])
    expect(changes).toEqual(['colors', 'assumed_srgb', 'jpeg'])
  })

  test('that is too large a file becomes a JPEG of at most 3000 pixels a side', async () => {
    const noise = Buffer.from(
      Array.from({ length: 64 * 64 * 3 }, (_, at) => Math.imul(at ^ (at >> 5), 0x9e3779b1) >>> 24),
    )
    const { facts, changes, bytes } = (await cover(pixelPicture({ width: 64, height: 64, channels: 3 }, noise), 6000))!
    expect([facts.mimeType, facts.widthPx, changes, bytes.length <= 6000]).toEqual(['image/jpeg', 64, ['jpeg'], true])
    expect(await cover(pngPicture(64, 64), 10)).toBeUndefined()
  })
})

/** CIEDE2000 (Sharma, Wu, Dalal 2005) of two colours in sRGB. */
function difference(one: readonly number[], other: readonly number[]): number {
  const [l1, a1, b1] = lab(one)
  const [l2, a2, b2] = lab(other)
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2
  const g = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)))
  const [x1, x2] = [a1 * (1 + g), a2 * (1 + g)]
  const [c1, c2] = [Math.hypot(x1, b1), Math.hypot(x2, b2)]
  const angle = (b: number, a: number) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) * (180 / Math.PI) + 360) % 360)
  const [h1, h2] = [angle(b1, x1), angle(b2, x2)]
  const turn = c1 * c2 === 0 ? 0 : ((h2 - h1 + 540) % 360) - 180
  const hue = c1 * c2 === 0 ? h1 + h2 : Math.abs(h1 - h2) <= 180 ? (h1 + h2) / 2 : ((h1 + h2 + 360) / 2) % 360
  const cos = (degrees: number) => Math.cos((degrees * Math.PI) / 180)
  const t = 1 - 0.17 * cos(hue - 30) + 0.24 * cos(2 * hue) + 0.32 * cos(3 * hue + 6) - 0.2 * cos(4 * hue - 63)
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2]
  const [sl, sc, sh] = [1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2), 1 + 0.045 * c, 1 + 0.015 * c * t]
  const rotation =
    -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * Math.sin((60 * Math.exp(-(((hue - 275) / 25) ** 2)) * Math.PI) / 180)
  const [dl, dc, dh] = [
    (l2 - l1) / sl,
    (c2 - c1) / sc,
    (2 * Math.sqrt(c1 * c2) * Math.sin((turn * Math.PI) / 360)) / sh,
  ]
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh)
}

function lab(rgb: readonly number[]): [number, number, number] {
  const [r, g, b] = rgb.map((value) => decode(value / 255)) as [number, number, number]
  const f = (value: number) => (value > 216 / 24389 ? Math.cbrt(value) : (24389 / 27 / 116) * value + 16 / 116)
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b)
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

/** Mean difference of two pictures. */
function meanDifference(one: Buffer, other: Buffer): number {
  expect(one.length).toBe(other.length)
  const count = one.length / 3
  const at = (bytes: Buffer, pixel: number) => [...bytes.subarray(3 * pixel, 3 * pixel + 3)]
  return Array.from({ length: count }, (_, pixel) => difference(at(one, pixel), at(other, pixel))).reduce(
    (sum, value) => sum + value / count,
    0,
  )
}

test('the measure of differences is CIEDE2000', () => {
  expect(difference([255, 0, 0], [255, 0, 0])).toBe(0)
  expect(difference([255, 255, 255], [0, 0, 0])).toBeCloseTo(100, 0)
  expect(difference([0, 0, 255], [0, 0, 250])).toBeLessThan(1)
})

const SCRIPT = `
import sys, io
from PIL import Image, ImageCms
image = Image.open(sys.argv[1])
profile = ImageCms.ImageCmsProfile(io.BytesIO(image.info['icc_profile']))
made = ImageCms.profileToProfile(image, profile, ImageCms.createProfile('sRGB'), outputMode='RGB')
sys.stdout.buffer.write(made.tobytes())
`
const hasLittleCms = spawnSync('python3', ['-c', 'from PIL import ImageCms']).status === 0

describe.skipIf(!hasLittleCms)('against LittleCMS (where Python has Pillow)', () => {
  test.each([
    ['display_p3.png', rgbPicture(DISPLAY_P3)],
    ['adobe_rgb.png', rgbPicture(ADOBE_RGB)],
    ['grey.png', pixelPicture({ ...square, channels: 1 }, colors.subarray(0, SIDE * SIDE), { icc: GREY_18 })],
    ['press_16.jpg', inkPicture(pressProfile(16))],
    ['press_8.jpg', inkPicture(pressProfile(8))],
  ])('%s differs by at most 2 on average (CIEDE2000)', async (name, bytes) => {
    const file = path.join(temporaryFolder(onTestFinished), name)
    writeFileSync(file, bytes)
    const { stdout, stderr } = spawnSync('python3', ['-c', SCRIPT, file])
    expect(String(stderr)).toBe('')
    const own = pixelsOf((await cover(bytes))!.bytes)
    expect(meanDifference(own, stdout)).toBeLessThanOrEqual(2)
  })
})
