import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ByteRange, inFrames, readLater, readNow, readWave, type WaveFile } from '../../../src-engine/dsp/riff.ts'

/** A chunk of a file that is made here; `size` is written in its place where it is given. */
interface Part {
  readonly name: string
  readonly content: Uint8Array
  readonly size?: number
  readonly isUnpadded?: boolean
}

const format = Buffer.from('0100020044ac000010b1020004001000', 'hex')
const fmt: Part = { name: 'fmt ', content: format }
const data = (content: Uint8Array, size?: number): Part => ({
  name: 'data',
  content,
  ...(size === undefined ? {} : { size }),
})

function bytesOfPart({ name, content, size = content.length, isUnpadded = false }: Part): Buffer {
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1')
  head.writeUInt32LE(size, 4)
  return Buffer.concat([head, content, Buffer.alloc(isUnpadded ? 0 : content.length % 2)])
}

function file(parts: readonly Part[], container = 'RIFF'): Buffer {
  const body = Buffer.concat(parts.map(bytesOfPart))
  const head = Buffer.from(`${container}\0\0\0\0WAVE`, 'latin1')
  head.writeUInt32LE(container === 'RIFF' ? body.length + 4 : 0xffff_ffff, 4)
  return Buffer.concat([head, body])
}

/** Sizes of `data` and of other chunks as RF64 and BW64 keep them. */
function ds64(dataBytes: number, table: readonly (readonly [name: string, bytes: number])[] = []): Part {
  const content = Buffer.alloc(28 + 12 * table.length)
  content.writeBigUInt64LE(BigInt(dataBytes), 8)
  content.writeUInt32LE(table.length, 24)
  for (const [i, [name, bytes]] of table.entries()) {
    content.write(name, 28 + 12 * i, 'latin1')
    content.writeBigUInt64LE(BigInt(bytes), 32 + 12 * i)
  }
  return { name: 'ds64', content }
}

function read(bytes: Uint8Array): WaveFile {
  const found = readNow(readWave(bytes.length), (offset, length) => bytes.subarray(offset, offset + length))
  return found ?? expect.fail('not taken for a WAVE file')
}

const cut = (bytes: Uint8Array, ranges: readonly ByteRange[]) =>
  Buffer.concat(ranges.map(({ offset, length }) => bytes.subarray(offset, offset + length)))
const soundOf = (bytes: Uint8Array) => cut(bytes, read(bytes).sound.flat())
const namesOf = (bytes: Uint8Array) => read(bytes).chunks.map(({ name }) => name)

/** Sound that no chunk's name can be made of, so that no chain of chunks lies in it by chance. */
const sound = fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => bytes.map((value) => value | 0x80))
const content = fc.uint8Array({ maxLength: 90 })
const anyName = fc.constantFrom('LIST', 'bext', 'id3 ', 'JUNK', 'cue ', 'Zz9_', 'iXML', 'SyLp', '_PMX')
const other = fc.record({ name: anyName, content })
const others = fc.array(other, { maxLength: 5 })
const unknownSize = fc.constantFrom(0, 0xffff_ffff, 0xffff_ffff - 36, 0x7fff_ffff, 0x7fff_ffff - 36, 0x7fff_f000)

describe('the sound of a WAVE file', () => {
  it('is what was put in, in any order and size of the chunks around it', () => {
    fc.assert(
      fc.property(others, others, others, fc.array(sound, { minLength: 1, maxLength: 4 }), (a, b, c, sounds) => {
        const bytes = file([...a, fmt, ...b, ...sounds.map((one) => data(one)), ...c])
        const found = read(bytes)
        expect(cut(bytes, found.sound.flat())).toEqual(Buffer.concat(sounds))
        expect(found.claimedSoundBytes).toBe(Buffer.concat(sounds).length)
        expect(found.strayBytes).toBe(0)
        expect(found.chunks.map(({ name }) => name)).toEqual([...a, fmt, ...b, ...c].map(({ name }) => name))
        const contents = found.chunks.map((chunk) => cut(bytes, [chunk]))
        expect(contents).toEqual([...a, fmt, ...b, ...c].map((part) => Buffer.from(part.content)))
      }),
    )
  })

  it('ends where chunks begin that follow each other to the end of the file, when its size was never filled in', () => {
    fc.assert(
      fc.property(others, sound, others, unknownSize, (before, samples, behind, size) => {
        const bytes = file([...before, fmt, data(samples, size), ...behind])
        const found = soundOf(bytes)
        // A pad byte without a size to tell it from sound counts as sound.
        const pad = samples.length % 2 === 1 ? 1 : 0
        expect(found.subarray(0, samples.length)).toEqual(Buffer.from(samples))
        expect(found.length).toBeLessThanOrEqual(samples.length + pad)
        expect(namesOf(bytes)).toEqual([...before, fmt, ...behind].map(({ name }) => name))
        expect(read(bytes).claimedSoundBytes).toBeUndefined()
      }),
    )
  })

  it('is all of it where whole files were put one behind the other, whether their sizes are known or not', () => {
    const piece = fc.record({ samples: sound, size: fc.option(unknownSize, { nil: undefined }), tags: others })
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
        const even = pieces.map(({ samples, ...rest }) => ({ ...rest, samples: Buffer.concat([samples, samples]) }))
        const bytes = Buffer.concat(
          even.map(({ samples, size, tags }) => {
            const one = file([fmt, data(samples, size), ...tags])
            if (size !== undefined) one.writeUInt32LE(size, 4)
            return one
          }),
        )
        expect(soundOf(bytes)).toEqual(Buffer.concat(even.map(({ samples }) => samples)))
        expect(read(bytes).strayBytes).toBe(0)
      }),
    )
  })

  it.each(['RF64', 'BW64'])('is as long as ds64 says in %s, among chunks whose sizes lie there too', (container) => {
    fc.assert(
      fc.property(others, sound, content, others, (before, samples, xml, behind) => {
        const long = { name: 'axml', content: xml, size: 0xffff_ffff }
        const table = [
          ['bext', 7],
          ['axml', xml.length],
        ] as const
        const parts = [ds64(samples.length, table), ...before, fmt, data(samples, 0xffff_ffff), long, ...behind]
        const bytes = file(parts, container)
        expect(soundOf(bytes)).toEqual(Buffer.from(samples))
        expect(read(bytes).claimedSoundBytes).toBe(samples.length)
        expect(cut(bytes, [read(bytes).chunks.find(({ name }) => name === 'axml')!])).toEqual(Buffer.from(xml))
        expect(namesOf(bytes).slice(-behind.length || Infinity)).toEqual(behind.map(({ name }) => name))
      }),
    )
  })

  it('is found behind chunks of odd size without a pad byte', () => {
    const known = fc.record({ name: fc.constantFrom('LIST', 'bext', 'id3 '), content, isUnpadded: fc.constant(true) })
    fc.assert(
      fc.property(fc.array(known), sound, fc.array(known), (before, samples, behind) => {
        const bytes = file([...before, { ...fmt, isUnpadded: true }, { ...data(samples), isUnpadded: true }, ...behind])
        expect(soundOf(bytes)).toEqual(Buffer.from(samples))
        expect(namesOf(bytes)).toEqual([...before, fmt, ...behind].map(({ name }) => name))
      }),
    )
  })

  it('of a file that was cut short is what is left of it, beside what it claims', () => {
    fc.assert(
      fc.property(others, sound, fc.nat(), (before, samples, left) => {
        const whole = file([...before, fmt, data(samples)])
        const start = whole.length - samples.length - (samples.length % 2)
        const bytes = whole.subarray(0, start + (left % samples.length))
        expect(soundOf(bytes)).toEqual(Buffer.from(samples.subarray(0, left % samples.length)))
        expect(read(bytes).claimedSoundBytes).toBe(samples.length)
      }),
    )
  })

  it('is not what lies behind it uncounted, which is told; zeros and cut tags are nothing to be told', () => {
    const samples = Buffer.alloc(100, 0xa7)
    const tags = { name: 'LIST', content: Buffer.from('INFOINAM\x02\0\0\0x\0', 'latin1') }
    const start = file([fmt, data(samples)])
    const told = (behind: Uint8Array) => {
      const bytes = Buffer.concat([start, behind])
      expect(soundOf(bytes)).toEqual(samples)
      return { strayBytes: read(bytes).strayBytes, names: namesOf(bytes) }
    }
    const rest = Buffer.alloc(60, 0x93)
    expect(told(rest)).toEqual({ strayBytes: 60, names: ['fmt '] })
    expect(told(Buffer.concat([rest, Buffer.alloc(30)]))).toEqual({ strayBytes: 60, names: ['fmt '] })
    expect(told(Buffer.concat([rest, bytesOfPart(tags)]))).toEqual({ strayBytes: 60, names: ['fmt ', 'LIST'] })
    expect(told(Buffer.alloc(500))).toEqual({ strayBytes: 0, names: ['fmt '] })
    const cutTags = bytesOfPart({ name: 'id3 ', content: rest, size: 5000 })
    expect(told(cutTags)).toEqual({ strayBytes: 0, names: ['fmt ', 'id3 '] })
  })

  it('of pieces in another format is not mixed in, and is told', () => {
    const mono = Buffer.from(format)
    mono.writeUInt16LE(1, 2)
    const samples = Buffer.alloc(64, 0x91)
    const bytes = Buffer.concat([file([fmt, data(samples)]), file([{ name: 'fmt ', content: mono }, data(samples)])])
    expect(soundOf(bytes)).toEqual(samples)
    expect(read(bytes)).toMatchObject({ strayBytes: 64, format: { channels: 2 } })
  })

  it('never reaches beyond the file nor lies in two places, whatever the bytes are', () => {
    const broken = fc
      .tuple(others, sound, others, fc.option(unknownSize, { nil: undefined }), fc.array(fc.tuple(fc.nat(), fc.nat())))
      .map(([before, samples, behind, size, changes]) => {
        const bytes = file([...before, fmt, data(samples, size), ...behind])
        for (const [place, value] of changes) bytes[12 + (place % (bytes.length - 12))] = value % 256
        return bytes
      })
    const rubbish = fc.uint8Array().map((bytes) => Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), bytes]))
    fc.assert(
      fc.property(fc.oneof(broken, rubbish), fc.nat({ max: 20 }), (whole, missing) => {
        const bytes = whole.subarray(0, Math.max(12, whole.length - missing))
        let end = 12
        const { sound: ranges, chunks, strayBytes } = read(bytes)
        for (const { offset, length } of [...ranges.flat(), ...chunks].sort((a, b) => a.offset - b.offset)) {
          expect(offset).toBeGreaterThanOrEqual(end)
          end = offset + length
        }
        expect(end).toBeLessThanOrEqual(bytes.length)
        expect(strayBytes).toBeLessThanOrEqual(bytes.length - 12)
      }),
    )
  })
})

describe('reading a WAVE file', () => {
  it('takes no more steps over a million empty chunks than over a few thousand', () => {
    const empty = Buffer.alloc(8_000_000, Buffer.from('abcd\0\0\0\0', 'latin1'))
    const samples = Buffer.alloc(400, 0x99)
    for (const size of [samples.length, 0]) {
      const bytes = Buffer.concat([file([fmt, data(samples, size)]), empty])
      let steps = 0
      const found = readNow(readWave(bytes.length), (offset, length) => {
        steps++
        return bytes.subarray(offset, offset + length)
      })
      expect(found!.chunks.length).toBeLessThanOrEqual(16_384)
      expect(steps).toBeLessThan(100)
      const [first] = found!.sound.flat()
      expect(cut(bytes, [first!]).subarray(0, 400)).toEqual(samples)
    }
  })

  it('looks at the heads of an ordinary file alone, wherever its sound ends', () => {
    const cover = { name: 'id3 ', content: Buffer.alloc(3_000_000, 0x85) }
    const bytes = file([fmt, cover, data(Buffer.alloc(5_000_000, 0x91)), { name: 'LIST', content: Buffer.alloc(40) }])
    let readBytes = 0
    readNow(readWave(bytes.length), (offset, length) => {
      readBytes += length
      return bytes.subarray(offset, offset + length)
    })
    expect(readBytes).toBeLessThan(30_000)
  })

  it('finds the same whether its bytes come at once or later, and in windows of any size', async () => {
    const bytes = Buffer.concat([file([fmt, data(Buffer.alloc(90, 0x99), 0), { name: 'LIST', content: format }])])
    const give = (offset: number, length: number) => bytes.subarray(offset, offset + length)
    for (const window of [1, 13, 70_000]) {
      expect(await readLater(readWave(bytes.length, window), async (...range) => give(...range))).toEqual(read(bytes))
    }
  })

  it('knows no other file', () => {
    for (const start of ['RIFF', 'RIFF\0\0\0\0AVI LIST', 'FORM\0\0\0\0WAVE', 'RIFX\0\0\0\0WAVE', '']) {
      const bytes = Buffer.from(start, 'latin1')
      expect(readNow(readWave(bytes.length), (from, length) => bytes.subarray(from, from + length))).toBeUndefined()
    }
  })
})

describe('whole frames', () => {
  it('go through the chunks of one header, and end with the sound of each', () => {
    const ranges = (...lengths: number[]) => lengths.map((length, i) => ({ offset: 1000 * i, length }))
    const lengths = (sound: ByteRange[][], frameBytes: number) =>
      inFrames(sound, frameBytes).map(({ length }) => length)
    expect(lengths([ranges(5, 7)], 4)).toEqual([5, 7])
    expect(lengths([ranges(5, 2)], 4)).toEqual([4])
    expect(lengths([ranges(5), ranges(7)], 4)).toEqual([4, 4])
    expect(lengths([ranges(3)], 4)).toEqual([])
  })
})
