import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { analyseSource, type SourceAnalysis } from '../../../src-engine/analysis/analysis.ts'
import { type BandLevels, silentDb } from '../../../src-engine/dsp/meters/spectrum.ts'
import { measureMaster } from '../../../src-worker/mastering/measure-master.ts'
import { targetBeside } from '../../../src-worker/mastering/report-facts.ts'
import { createWavWriter } from '../../../src-worker/media/wav.ts'
import { seededRandom, stereo, twoChannels } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { runPlain, writeFloatWav } from '../media/make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const rate = 44_100
const gainDb = -5

/** Notes of a tenth of a second, each in a third octave of its own and seldom: what is measured depends on where one looks. */
function sparseMusic() {
  const random = seededRandom(7)
  let hz = 0
  let level = 0
  return stereo(150 * rate, rate, (i) => {
    if (i % 4410 === 0) {
      hz = 50 * 2 ** (8 * Math.abs(random()))
      level = random() > 0 ? 0.3 * Math.abs(random()) : 0.001
    }
    return level * Math.sin((2 * Math.PI * hz * i) / rate) * Math.sin((Math.PI * (i % 4410)) / 4410)
  })
}

let song: SourceAnalysis
let before: BandLevels

/** Largest difference of any audible band of the mid from what the gain alone would make of the song, dB. */
function largestChangeDb({ midDb }: BandLevels): number {
  const changes = midDb.flatMap((level, b) =>
    before.midDb[b]! > -80 ? [Math.abs(level - before.midDb[b]! - gainDb)] : [],
  )
  expect(changes.length).toBeGreaterThan(20)
  return Math.max(...changes)
}

describe('a master that differs from its song by a gain alone', () => {
  beforeAll(() => {
    const music = sparseMusic()
    song = analyseSource(music, { lossy: false })
    before = song.comparedSpectrum
    writeFloatWav(at('song.wav'), music.channels, rate)
    const volume = ['-af', `volume=${gainDb}dB`, '-c:a', 'pcm_s16le']
    runPlain('-i', at('song.wav'), ...volume, at('master.wav'))
    runPlain('-i', at('song.wav'), ...volume, '-ar', '48000', at('master48.wav'))
  })

  it('shows no other change of its spectrum', () => {
    expect(largestChangeDb(measureMaster(at('master.wav')).spectrum)).toBeLessThan(0.01)
  })

  it('shows little at another rate, where frames last 0.17 s in place of 0.19 s', () => {
    expect(largestChangeDb(measureMaster(at('master48.wav')).spectrum)).toBeLessThan(1.5)
  })

  it('shows silence in the side of a song that has none', () => {
    expect(Math.max(...measureMaster(at('master.wav')).spectrum.sideDb)).toBe(silentDb)
  })
})

describe('a short master', () => {
  it('is read whole: its width is that of all its samples', () => {
    const random = seededRandom(3)
    const notes = Array.from({ length: 60 }, () => ({ hz: 200 * 2 ** (4 * Math.abs(random())), right: random() }))
    const sound = (i: number) => {
      const { hz, right } = notes[Math.floor(i / 8820)]!
      return [0.3 * Math.sin((2 * Math.PI * hz * i) / rate) * Math.sin((Math.PI * (i % 8820)) / 8820), right] as const
    }
    const song = twoChannels(
      12 * rate,
      rate,
      (i) => sound(i)[0],
      (i) => sound(i)[0] * sound(i)[1],
    )
    const [left, right] = song.channels as [Float32Array, Float32Array]
    let [mid, side] = [0, 0]
    for (let i = 0; i < song.frames; i++) {
      mid += (left[i]! + right[i]!) ** 2
      side += (left[i]! - right[i]!) ** 2
    }
    const file = writeFloatWav(at('short.wav'), song.channels, rate)
    runPlain('-i', file, '-c:a', 'pcm_s16le', at('short16.wav'))
    const read = [measureMaster(at('short16.wav')).sideToMidDb]
    read.push(analyseSource(song, { lossy: false }).sideToMidDb ?? Number.NaN)
    for (const sideToMidDb of read) expect(Math.abs(sideToMidDb - 10 * Math.log10(side / mid))).toBeLessThan(0.1)
  })
})

describe('the curves of a master', () => {
  it.each([
    ['ends with a step', 10 * 4410, 10],
    ['ends within a step', 10 * 4410 + 1, 11],
  ])('have a point for every 100 ms that it has begun, where it %s', (name, frames, points) => {
    const tone = stereo(frames, rate, (i) => 0.5 * Math.sin((2 * Math.PI * 997 * i) / rate))
    const file = at(`${name}.wav`)
    runPlain('-i', writeFloatWav(at(`${name} float.wav`), tone.channels, rate), '-c:a', 'pcm_s16le', file)
    const { peakDbfs, correlation } = measureMaster(file).curves
    expect([peakDbfs.length, correlation.length]).toEqual([points, points])
    for (const peak of peakDbfs.slice(0, 10)) expect(peak).toBeCloseTo(-6.02, 1)
  })
})

test('a master with one bit changed since it was written is refused, wherever the bit is', () => {
  const file = at('bit.wav')
  const wav = createWavWriter(file, { sampleRateHz: rate, bitDepth: 24, frames: rate }, { tags: { title: '등불' } })
  wav.write(new Uint8Array(6 * rate))
  const written = { ...wav.finish(), frames: rate }
  expect(() => measureMaster(file, written)).not.toThrow()
  const bytes = readFileSync(file)
  for (const place of [bytes.indexOf('INAM') + 9, bytes.length - 1]) {
    writeFileSync(file, bytes.with(place, bytes[place]! ^ 1))
    expect(() => measureMaster(file, written)).toThrow(/reads back different/)
  }
})

describe('the target of a song', () => {
  it('has the planned distance to the song, in whichever frames they are measured', () => {
    const { bandHz, midDb, sideDb } = song.spectrum
    const isHeard = (b: number) => midDb[b]! > silentDb && before.midDb[b]! > silentDb
    const apart = bandHz.map((_, b) => Math.abs(midDb[b]! - before.midDb[b]!)).filter((_, b) => isHeard(b))
    expect(Math.max(...apart)).toBeGreaterThan(1)
    const planned = { band_hz: [...bandHz], mid_db: midDb.map((level) => level + 2), side_db: sideDb.map(() => null) }
    const { mid_db, side_db } = targetBeside(song, planned)
    for (const b of bandHz.keys()) if (isHeard(b)) expect(mid_db[b]! - before.midDb[b]!).toBeCloseTo(2, 9)
    expect(side_db).toEqual(planned.side_db)
  })
})
