import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ColorModel } from '../../../src-contract/covers.ts'
import { chooseCover } from '../../../src-worker/media/cover.ts'
import { wholePictureFacts } from '../../../src-worker/media/picture.ts'
import { plainPicture } from '../../../src-worker/media/plain-picture.ts'
import { jpegPicture, pngPicture } from '../../support/pictures.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)

function hasExiftool(): boolean {
  try {
    execFileSync('exiftool', ['-ver'])
    return true
  } catch {
    return false
  }
}

const isRead = hasExiftool()

/** A picture of four colours with a place, a camera, a description and a thumbnail, turned by 90 degrees. */
function photo(name: string): Buffer {
  runPlain('-f', 'lavfi', '-i', 'testsrc=s=64x48', '-frames:v', '1', at(name))
  runPlain('-f', 'lavfi', '-i', 'testsrc=s=16x12', '-frames:v', '1', at('thumb.jpg'))
  const tags = ['-GPSLatitude=37.5', '-GPSLatitudeRef=N', '-GPSLongitude=127', '-GPSLongitudeRef=E', '-Make=Camera']
  const others = ['-XMP-exif:GPSLatitude=37.5', '-IPTC:City=Seoul', '-Comment=at home', '-n', '-Orientation=6']
  execFileSync('exiftool', [
    '-q',
    '-overwrite_original',
    ...tags,
    ...others,
    `-ThumbnailImage<=${at('thumb.jpg')}`,
    at(name),
  ])
  return readFileSync(at(name))
}

const read = (bytes: Buffer, name: string): Record<string, unknown> => {
  writeFileSync(at(name), bytes)
  const json = execFileSync('exiftool', ['-j', '-n', '-G1', '-ee', '-u', at(name)], { encoding: 'utf8' })
  return (JSON.parse(json) as Record<string, unknown>[])[0]!
}
const pixels = (name: string) => runPlain('-i', at(name), '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-')

describe.skipIf(!isRead)('a cover that a camera made, by another reader', () => {
  it.each(['photo.jpg', 'photo.png'])('keeps its picture and loses place, camera and thumbnail: %s', async (name) => {
    const bytes = photo(name)
    expect(Object.keys(read(bytes, `as-sent-${name}`)).filter((tag) => /GPS|Make$/.test(tag)).length).toBeGreaterThan(2)
    const plain = plainPicture(Buffer.concat([bytes, bytes]))
    const tags = read(plain, `plain-${name}`)
    expect(Object.keys(tags).filter((tag) => /GPS|Make|XMP|IPTC|Thumb|City|Trailer/i.test(tag))).toEqual([])
    expect(tags['IFD0:Orientation']).toBe(6)
    expect(tags).not.toHaveProperty('ExifTool:Warning')
    expect(pixels(`plain-${name}`)).toEqual(pixels(name))
    expect(plainPicture(plain)).toBe(plain)
    const stored = { mimeType: name.endsWith('png') ? 'image/png' : 'image/jpeg', bytes: plain }
    expect((await chooseCover(ffmpeg, [{ isFront: true, bytes }])).cover).toEqual(stored)
  })
})

describe('a picture', () => {
  it('tells its kind, its size and its colours', () => {
    const size = { widthPx: 1400, heightPx: 1399 }
    expect(wholePictureFacts(pngPicture(1400, 1399))).toEqual({ mimeType: 'image/png', ...size, colorModel: 'rgb' })
    expect(wholePictureFacts(jpegPicture(1400, 1399))).toEqual({ mimeType: 'image/jpeg', ...size, colorModel: 'rgb' })
  })

  it.each<[ColorModel, Buffer]>([
    ['greyscale', pngPicture(9, 9, { colorType: 0, bits: 16 })],
    ['greyscale', pngPicture(9, 9, { colorType: 4 })],
    ['deep_rgb', pngPicture(9, 9, { colorType: 2, bits: 16 })],
    ['deep_rgb', pngPicture(9, 9, { colorType: 6, bits: 16 })],
    ['rgb', pngPicture(9, 9, { colorType: 3 })],
    ['rgb', pngPicture(9, 9, { colorType: 6 })],
    ['greyscale', jpegPicture(9, 9, { components: 1 })],
    ['cmyk', jpegPicture(9, 9, { components: 4 })],
    ['other', jpegPicture(9, 9, { components: 2 })],
    ['deep_rgb', jpegPicture(9, 9, { bits: 12 })],
    ['lab', jpegPicture(9, 9, { iccSpace: 'Lab ' })],
    ['rgb', jpegPicture(9, 9, { iccSpace: 'RGB ' })],
  ])('tells its colours by its header: %s', (colorModel, bytes) => {
    expect(wholePictureFacts(bytes)?.colorModel).toBe(colorModel)
  })

  it('refuses one that is truncated, empty or of another type', () => {
    const [png, jpeg] = [pngPicture(8, 8), jpegPicture(8, 8)]
    const none = [Buffer.from('GIF89a'), pngPicture(0, 8), Buffer.from('ffd8ffd9', 'hex')]
    // Every length up to the whole, so that no header leads past the end.
    for (let length = 0; length < jpeg.length; length++)
      none.push(jpeg.subarray(0, length), png.subarray(0, length - 12))
    expect(none.filter((bytes) => wholePictureFacts(bytes) !== undefined)).toEqual([])
  })

  it('that is broken anywhere comes back without an error', () => {
    runPlain('-f', 'lavfi', '-i', 'testsrc=s=64x48', '-frames:v', '1', at('whole.jpg'))
    runPlain('-f', 'lavfi', '-i', 'testsrc=s=64x48', '-frames:v', '1', at('whole.png'))
    for (const name of ['whole.jpg', 'whole.png']) {
      const bytes = readFileSync(at(name))
      for (let length = 0; length < 700; length++) plainPicture(bytes.subarray(0, length))
      for (let place = 0; place < 700; place++) {
        const changed = Buffer.from(bytes)
        changed[place]! ^= 0xff
        plainPicture(changed)
      }
    }
  })
})
