import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileKernels, generatedModule } from '../../../../scripts/build-kernels.ts'
import { highPass, kWeighting, lowPass, peaking } from '../../../../src-engine/dsp/biquad.ts'
import { createBiquadCascade, kernelCoefficients } from '../../../../src-engine/dsp/biquad-cascade.ts'
import { onePoleCoefficient } from '../../../../src-engine/dsp/envelope.ts'
import { createComplexFft, createKernelFft, createRealFft } from '../../../../src-engine/dsp/fft.ts'
import { compile, kernelFrames, loadKernels } from '../../../../src-engine/dsp/kernels/kernels.ts'
import { createEnergyFilter } from '../../../../src-engine/dsp/meters/loudness.ts'
import { bandFramesOf, frameMeter, octaveBands } from '../../../../src-engine/dsp/meters/spectrum.ts'
import { sumStereo } from '../../../../src-engine/dsp/meters/sums.ts'
import { createTruePeakVerifier, detectPeaks } from '../../../../src-engine/dsp/meters/true-peak.ts'
import { planesOfPcm } from '../../../../src-engine/dsp/pcm.ts'
import { clipErrorCutoff, clipKnee, clipStretch } from '../../../../src-engine/finalise/clipper.ts'
import { createQuantiser } from '../../../../src-engine/finalise/dither.ts'
import {
  applyControls,
  controlCount,
  limitedEnergies,
  limiterControls,
} from '../../../../src-engine/finalise/limiter.ts'
import { noise, seededRandom, twoChannels } from '../../../support/sounds.ts'
import {
  bandEnergiesReference,
  bandSumReference,
  bandSumsReference,
  bandsReference,
  biquadCascadeReference,
  differenceBandsReference,
  fourierReference,
  gainCurveReference,
  gridPeakReference,
  halfPointsReference,
  limitedEnergiesReference,
  limiterReference,
  midSidePowersReference,
  planesOfPcmReference,
  quantiseReference,
  saturationErrorReference,
  softClipReference,
  stereoSumsReference,
  weightedEnergiesReference,
  windowedLagsReference,
} from './reference-kernels.ts'

/** Largest difference, as part of the largest expected value. */
function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(actual.length).toBe(expected.length)
  let peak = 0
  let error = 0
  for (let i = 0; i < expected.length; i++) {
    peak = Math.max(peak, Math.abs(expected[i]!))
    error = Math.max(error, Math.abs(actual[i]! - expected[i]!))
  }
  return error / peak
}

const tolerance = 1e-6

describe('every kernel equals its plain reference to 1e-6 of the peak', () => {
  test.each([1, 2, 3, 10])('biquad cascade of %i sections', (count) => {
    const sections = Array.from({ length: count }, (_, k) => peaking(60 * 1.7 ** k, 44_100, 1.2, k % 2 ? 5 : -4))
    const audio = noise(0.7, 0.4, 44_100, 11)
    const expected = audio.channels.map((samples) => biquadCascadeReference(samples, sections))
    createBiquadCascade(sections).process(audio)
    for (const [c, samples] of audio.channels.entries()) {
      expect(relativeError(samples, expected[c]!)).toBeLessThan(tolerance)
    }
  })

  test.each([2, 4, 8, 64, 512, 1024])('Fourier transform of %i points, and back', (size) => {
    const random = seededRandom(size)
    const re = Float64Array.from({ length: size }, random)
    const im = Float64Array.from({ length: size }, random)
    const original = re.slice()
    const expected = fourierReference(re, im)
    const fft = createComplexFft(size)
    fft.forward(re, im)
    expect(relativeError(re, expected.re)).toBeLessThan(1e-12)
    expect(relativeError(im, expected.im)).toBeLessThan(1e-12)
    fft.inverse(re, im)
    expect(relativeError(re, original)).toBeLessThan(1e-12)
  })

  test.each([4, 8, 256, 1024])('real transform of %i points, and back', (size) => {
    const samples = Float64Array.from({ length: size }, seededRandom(size))
    const expected = fourierReference(samples, new Float64Array(size))
    const re = new Float64Array(size / 2 + 1)
    const im = new Float64Array(size / 2 + 1)
    const fft = createRealFft(size)
    fft.forward(samples, re, im)
    expect(relativeError(re, expected.re.subarray(0, size / 2 + 1))).toBeLessThan(1e-12)
    expect(Math.max(...im.map((value, k) => Math.abs(value - expected.im[k]!)))).toBeLessThan(1e-10)
    const back = new Float64Array(size)
    fft.inverse(re, im, back)
    expect(relativeError(back, samples)).toBeLessThan(1e-12)
  })

  test('K-weighted energies', () => {
    const audio = noise(0.5, 0.05, 48_000, 3)
    const [left, right] = [audio.channels[0]!, audio.channels[1]!]
    const expected = weightedEnergiesReference(left, right, kWeighting(48_000), 37)
    const energies = new Float64Array(expected.length)
    createEnergyFilter(48_000).push(left, right, 37, energies)
    expect(relativeError(energies, expected)).toBeLessThan(tolerance)
  })

  test('true-peak envelope', () => {
    // Without the top of the band, where the detector would take its longer filter.
    const tones = (scale: number) => (i: number) =>
      0.4 * Math.sin(0.9 * scale * i) + 0.3 * Math.sin(1.7 * scale * i + 1) + 0.2 * Math.sin(0.1 * i)
    const envelope = (i: number) => Math.sin((Math.PI * i) / 400) ** 2
    const audio = twoChannels(
      400,
      44_100,
      (i) => tones(1)(i) * envelope(i),
      (i) => tones(0.93)(i) * envelope(i),
    )
    const groups = Math.ceil(audio.frames / 8)
    const peaks = new Float32Array(groups)
    detectPeaks(audio.channels, 0, peaks)
    const expected = peaks.map((_, g) =>
      Math.max(...audio.channels.map((samples) => gridPeakReference(samples, g * 8, 8, 8, 16, 5))),
    )
    expect(relativeError(peaks, expected)).toBeLessThan(tolerance)
  })

  test('true-peak envelope of sound up to half the sampling rate', () => {
    const audio = noise(0.9, 0.01, 44_100, 5)
    const groups = Math.ceil(audio.frames / 8)
    const peaks = new Float32Array(groups)
    detectPeaks(audio.channels, 0, peaks)
    const expected = peaks.map((_, g) =>
      Math.max(
        ...audio.channels.flatMap((samples) => [
          gridPeakReference(samples, g * 8, 8, 8, 16, 5),
          gridPeakReference(samples, g * 8, 8, 16, 128, 9),
        ]),
      ),
    )
    // The ends also hold what rings beyond them.
    expect(relativeError(peaks.slice(1, -1), expected.slice(1, -1))).toBeLessThan(tolerance)
    expect(peaks[0]).toBeGreaterThanOrEqual(expected[0]! * (1 - tolerance))
  })

  test.each([1, 4, 4410, 9001])('sums over two channels of %i frames', (frames) => {
    const { channels } = noise(0.8, 0.3, 44_100, 12)
    const [left, right] = channels.map((samples) => samples.subarray(7, 7 + frames)) as [Float32Array, Float32Array]
    const sums = sumStereo(left, right, 0, frames)
    const { left: l, right: r, leftSquare, rightSquare, product, peak } = sums
    const expected = stereoSumsReference(left, right)
    expect(relativeError([l, r, leftSquare, rightSquare, product, peak], expected)).toBeLessThan(tolerance)
    expect(sums).toMatchObject({ frames, isDualMono: false })
    expect(sumStereo(left, left, 0, frames).isDualMono).toBe(true)
    expect(
      sumStereo(
        left,
        Float32Array.from(left, (x, i) => (i === frames - 1 ? -x : x)),
        0,
        frames,
      ).isDualMono,
    ).toBe(false)
  })

  test.each([4, 64, 1024])('powers of mid and side of a frame of %i', (size) => {
    const [left, right] = noise(0.7, 0.1, 44_100, 5).channels.map((samples) => samples.subarray(0, size))
    const meter = frameMeter(size)
    const expected = midSidePowersReference(left!, right!)
    meter.powersOf(left!, right!)
    expect(relativeError(meter.mid.values, expected.mid)).toBeLessThan(tolerance)
    expect(relativeError(meter.side.values, expected.side)).toBeLessThan(tolerance)
    const short = left!.map((x, i) => (i < size - 2 ? x : 0))
    meter.powersOf(short.subarray(0, size - 2), short.subarray(0, size - 2))
    expect(relativeError(meter.mid.values, midSidePowersReference(short, short).mid)).toBeLessThan(tolerance)
    expect(Math.max(...meter.side.values)).toBeLessThan(1e-25)
  })

  test.each([44_100, 96_000])('sums of bands of all widths at %i Hz', (rate) => {
    const [left, right] = noise(0.7, 0.2, rate, 5).channels
    // The narrowest lie within one bin, the highest above half the rate.
    const sets = [octaveBands(1, 30, 60_000), octaveBands(3, 25, 20_000), octaveBands(24, 20, 48_000)]
    const size = rate > 64_000 ? 16_384 : 8192
    const frame = [left!, right!].map((samples) => samples.subarray(100, 100 + size))
    const found = bandFramesOf({ size, starts: [100, 100] }, rate, sets, () => frame)
    const meter = frameMeter(size)
    meter.powersOf(frame[0]!, frame[1]!)
    for (const [i, bands] of sets.entries()) {
      const edges = bands.edgesHz.map((hz) => (hz / rate) * size)
      for (const side of ['mid', 'side'] as const) {
        const expected = bandSumsReference(meter[side].values, edges)
        expect(relativeError(found[i]![side], [...expected, ...expected])).toBeLessThan(tolerance)
      }
    }
  })

  test.each([16, 24] as const)('planes of interleaved integers of %i bit', (bitDepth) => {
    const frames = kernelFrames + 5
    const random = seededRandom(bitDepth)
    const bytes = Uint8Array.from({ length: (frames * 2 * bitDepth) / 8 }, () => Math.floor(random() * 256))
    const [left, right] = [new Float32Array(frames + 4).fill(7), new Float32Array(frames + 4).fill(7)]
    planesOfPcm(bytes, `pcm_s${bitDepth}`, [left, right])
    const expected = planesOfPcmReference(bytes, bitDepth)
    expect([...left]).toEqual([...expected.left, 7, 7, 7, 7])
    expect([...right]).toEqual([...expected.right, 7, 7, 7, 7])
  })

  test.each([
    [65, 64],
    [1539, 40],
    [4096, 24],
  ] as const)('autocorrelation of %i samples up to lag %i', (length, order) => {
    const kernels = loadKernels()
    const samples = noise(0.7, 0.2, 44_100, 9).channels[0]!.subarray(0, length)
    const at = { samples: kernels.allocate(length * 4), window: kernels.allocate(length * 8) }
    const [lags, scratch] = [kernels.allocate((order + 1) * 8), kernels.allocate((length + 2) * 8)]
    kernels.f32.set(samples, at.samples >> 2)
    for (let i = 0; i < length; i++) {
      kernels.f64[(at.window >> 3) + i] = Math.sin((Math.PI * (i + 0.5)) / length) ** 2
      // The remains of an earlier call must not be heard.
      kernels.f64[(scratch >> 3) + i] = 5
    }
    kernels.windowedLags(at.samples, at.window, length, order, lags, scratch)
    const found = kernels.f64.subarray(lags >> 3, (lags >> 3) + order + 1)
    expect(relativeError(found, windowedLagsReference(samples, order))).toBeLessThan(tolerance)
  })

  test('the bands of what two pieces differ by, from four sides', () => {
    const kernels = loadKernels()
    const size = 256
    const gain = 1.7
    const edges = [1, 2, 5, 60, 128]
    const count = edges.length - 1
    const [x, y] = [3, 4].map((seed) => noise(0.7, 0.1, 44_100, seed).channels.map((all) => all.subarray(0, size)))
    const samples = [...x!, ...y!].map((one) => {
      const address = kernels.allocate(size * 4)
      kernels.f32.set(one, address >> 2)
      return address
    }) as [number, number, number, number]
    const window = kernels.allocate(size * 8)
    for (let i = 0; i < size; i++) kernels.f64[(window >> 3) + i] = Math.sin((Math.PI * (i + 0.5)) / size) ** 2
    const [table, sums] = [kernels.allocate(edges.length * 4), kernels.allocate(4 * count * 8)]
    kernels.i32.set(edges, table >> 2)
    const fft = createKernelFft(size)
    kernels.windowDifference(...samples, gain, window, size, fft.re, fft.im)
    const { re, im } = fft.forward()
    kernels.stereoBands(re, im, size, table, count, sums)
    const found = kernels.f64.subarray(sums >> 3, (sums >> 3) + 4 * count)
    expect(relativeError(found, differenceBandsReference(x!, y!, gain, edges))).toBeLessThan(tolerance)
  })

  test('dense peak of the verifier', () => {
    const audio = noise(0.9, 0.01, 44_100, 6)
    const meter = createTruePeakVerifier()
    meter.push(audio)
    const expected = Math.max(
      ...audio.channels.map((samples) => gridPeakReference(samples, -16, audio.frames + 32, 16, 128, 9)),
    )
    expect(Math.abs(meter.read().truePeak - expected) / expected).toBeLessThan(tolerance)
  })

  test('four bands, their energies and their sum with gains that move', () => {
    const kernels = loadKernels()
    const steps = 6
    const frames = steps * 32
    const place = (count: number) => kernels.allocate(count * 4)
    const at = { left: place(frames), right: place(frames), bands: place(8 * frames), energies: place(4 * steps) }
    const [coefficients, state, changes] = [place(60), place(24), place(4 * (steps + 1))]
    const channels = noise(0.7, frames / 44_100, 44_100, 21).channels.map((all) => all.subarray(0, frames))
    const lowPasses = [120, 1000, 5000].map((hz) => lowPass(hz, 44_100, 0.5))
    const gains = Array.from({ length: steps + 1 }, (_, s) => [0, 1, 2, 3].map((b) => (s < 2 ? 0 : 0.3 * s - 0.5 * b)))
    for (const [c, to] of [at.left, at.right].entries()) kernels.f32.set(channels[c]!, to >> 2)
    kernels.f64.set(kernelCoefficients(lowPasses), coefficients >> 3)
    kernels.f32.set(gains.flat(), changes >> 2)
    kernels.splitFourBands(at.left, at.right, steps, coefficients, state, at.bands, at.energies)
    kernels.addFourBands(at.left, at.right, steps, at.bands, changes)
    const bands = channels.map((samples) => bandsReference(samples, lowPasses))
    const energies = Array.from({ length: 4 * steps }, (_, k) =>
      bands.reduce(
        (sum, of) => of[k % 4]!.slice(32 * (k >> 2), 32 * (k >> 2) + 32).reduce((more, x) => more + x * x, sum),
        0,
      ),
    )
    expect(
      relativeError(kernels.f32.subarray(at.energies >> 2, (at.energies >> 2) + 4 * steps), energies),
    ).toBeLessThan(tolerance)
    for (const [c, from] of [at.left, at.right].entries()) {
      const expected = Array.from(channels[c]!, (x, n) => {
        const step = n >> 5
        const gain = (b: number) => gains[step]![b]! + ((gains[step + 1]![b]! - gains[step]![b]!) * ((n % 32) + 1)) / 32
        return bands[c]!.reduce((sum, band, b) => sum + gain(b) * band[n]!, x)
      })
      expect(relativeError(kernels.f32.subarray(from >> 2, (from >> 2) + frames), expected)).toBeLessThan(tolerance)
      expect([...kernels.f32.subarray(from >> 2, (from >> 2) + 32)]).toEqual([...channels[c]!.subarray(0, 32)])
    }
  })

  test.each([
    [0, 128],
    [5, 91],
    [31, 2],
  ])('a band of a compressor from frame %i of a step over %i frames, bit for bit', (offset, frames) => {
    const kernels = loadKernels()
    const steps = Math.ceil((offset + frames) / 32)
    const place = (count: number) => kernels.allocate((count + 4) * 4)
    const x = { left: place(frames), right: place(frames) }
    const band = { left: place(frames), right: place(frames) }
    const [energies, gains] = [place(2 * steps), place(2 * steps + 2)]
    const [signal, part] = [22, 23].map((seed) =>
      noise(0.7, 1, 44_100, seed).channels.map((all) => all.slice(0, frames)),
    ) as [Float32Array[], Float32Array[]]
    const at = (address: number) => kernels.f32.subarray(address >> 2, (address >> 2) + frames)
    for (const [c, side] of (['left', 'right'] as const).entries()) {
      at(x[side]).set(signal[c]!)
      at(band[side]).set(part[c]!)
    }
    const points = Array.from({ length: steps + 1 }, (_, s) => (s < 2 ? 1 : 1 / (s + 0.3)))
    kernels.f64.set(points, gains >> 3)
    kernels.stepEnergies(band.left, band.right, frames, offset, energies)
    kernels.addBand(x.left, x.right, band.left, band.right, frames, offset, gains)
    const sums = bandEnergiesReference(part, offset)
    expect([...kernels.f64.subarray(energies >> 3, (energies >> 3) + steps)]).toEqual(sums)
    const expected = signal.map((samples, c) => bandSumReference(samples, part[c]!, points, offset))
    expect([at(x.left), at(x.right)]).toEqual(expected)
    kernels.takeAway(x.left, band.left, frames)
    expect(at(x.left)).toEqual(expected[0]!.map((sample, i) => sample - part[0]![i]!))
  })

  test('soft saturation at the frames and between them', () => {
    const kernels = loadKernels()
    const [frames, count, asymmetry, bend] = [64, 12, 0.3, 0.7]
    const taps = Array.from({ length: count }, (_, t) => (t % 2 ? -1 : 1) / (t + 1.5))
    const [x, errors, table] = [kernels.allocate(400), kernels.allocate(400), kernels.allocate(count * 16)]
    const samples = noise(0.9, 0.01, 44_100, 4).channels[0]!.subarray(0, frames + 2 * count)
    kernels.f32.set(samples, x >> 2)
    kernels.f32.set(
      taps.flatMap((tap) => [tap, tap, tap, tap]),
      table >> 2,
    )
    const first = x + count * 4
    kernels.halfPoints(first, frames, table, count, errors)
    const points = halfPointsReference((n) => samples[n + count]!, frames, taps)
    const found = () => kernels.f32.subarray(errors >> 2, (errors >> 2) + frames)
    expect(relativeError(found(), points)).toBeLessThan(tolerance)
    kernels.f32.set(points, errors >> 2)
    kernels.saturationErrors(errors, frames, asymmetry, bend)
    const between = points.map((point) => saturationErrorReference(point, asymmetry, bend))
    expect(relativeError(found(), between)).toBeLessThan(tolerance)
    kernels.joinErrors(first, frames, asymmetry, bend, errors)
    const joined = between.map(
      (error, n) => (error + saturationErrorReference(samples[n + count]!, asymmetry, bend)) / 2,
    )
    expect(relativeError(found(), joined)).toBeLessThan(tolerance)
  })

  test('errors filtered, compared with the signal and added to it', () => {
    const kernels = loadKernels()
    const steps = 5
    const frames = steps * 32
    const [x, e] = [5, 6].map((seed) =>
      noise(0.7, 0.01, 44_100, seed).channels.map((samples) => samples.subarray(0, frames)),
    ) as [Float32Array[], Float32Array[]]
    const placed = [...x, ...e].map((samples) => {
      const address = kernels.allocate(frames * 4)
      kernels.f32.set(samples, address >> 2)
      return address
    }) as [number, number, number, number]
    const [coefficients, state, sums] = [kernels.allocate(80), kernels.allocate(32), kernels.allocate(steps * 16)]
    const section = highPass(300, 44_100)
    kernels.f64.set(kernelCoefficients([section]), coefficients >> 3)
    kernels.filterErrors(...placed, steps, coefficients, state, sums)
    const filtered = e.map((samples) => biquadCascadeReference(samples, [section]))
    const expectedSums = Array.from({ length: 2 * steps }, (_, k) =>
      x.reduce((sum, samples, c) => {
        const other = k % 2 === 0 ? samples : filtered[c]!
        for (let n = 32 * (k >> 1); n < 32 * (k >> 1) + 32; n++) sum += samples[n]! * other[n]!
        return sum
      }, 0),
    )
    expect(relativeError(kernels.f64.subarray(sums >> 3, (sums >> 3) + 2 * steps), expectedSums)).toBeLessThan(
      tolerance,
    )
    const gains = kernels.allocate((steps + 1) * 4)
    const points = [1, 1.2, 0.7, 0.7, 1.5, 1.1]
    kernels.f32.set(points, gains >> 2)
    for (const c of [0, 1] as const) {
      kernels.addErrors(placed[c], placed[c + 2]!, steps, gains)
      const expected = Array.from(x[c]!, (sample, n) => {
        const from = points[n >> 5]!
        return (sample + filtered[c]![n]!) * (from + ((points[(n >> 5) + 1]! - from) * ((n % 32) + 1)) / 32)
      })
      expect(relativeError(kernels.f32.subarray(placed[c] >> 2, (placed[c] >> 2) + frames), expected)).toBeLessThan(
        tolerance,
      )
    }
  })

  test.each([1, 2, 3, 4, 5, 6])('dense peak of the verifier without the top of the band, %i', (seed) => {
    const random = seededRandom(seed)
    const partials = Array.from({ length: 8 }, () => ({ step: 0.05 + 2 * random(), phase: 6.28 * random() }))
    const channels = [0, 1].map((channel) =>
      Float32Array.from({ length: 500 }, (_, n) => {
        const fade = Math.sin((Math.PI * (n + 0.5)) / 500) ** 2
        return 0.1 * fade * partials.reduce((sum, { step, phase }) => sum + Math.sin(n * step + phase + channel), 0)
      }),
    )
    const meter = createTruePeakVerifier()
    meter.push({ channels, frames: 500 })
    const expected = Math.max(...channels.map((samples) => gridPeakReference(samples, -16, 532, 16, 128, 9)))
    const coarse = Math.max(...channels.map((samples) => gridPeakReference(samples, -16, 532, 8, 16, 5)))
    expect(Math.abs(meter.read().truePeak - expected) / expected).toBeLessThan(tolerance)
    expect(Math.abs(coarse - expected) / expected, 'the detector alone reads something else').toBeGreaterThan(tolerance)
  })

  test.each([44_100, 96_000])('soft clipper at %i Hz', (rate) => {
    const samples = noise(0.9, 0.01, rate, 8).channels[0]!
    const out = new Float32Array(samples.length)
    const peaks = new Float32Array(Math.ceil(samples.length / 8))
    detectPeaks([samples], 0, peaks)
    clipStretch(samples, peaks, 0, 0.6, rate, out)
    const expected = softClipReference(samples, clipKnee * 0.6, 0.6, clipErrorCutoff(rate))
    expect(relativeError(out, expected)).toBeLessThan(tolerance)
  })

  test('energies after limiting, in sums of any length', () => {
    const random = seededRandom(5)
    const lengths = [1, 2, 3, 4, 551, 0, 552, 7, kernelFrames, kernelFrames - 1, 1, kernelFrames - 2, 3, 1102]
    const bounds = Int32Array.from([0, ...lengths.map((_, i) => lengths.slice(0, i + 1).reduce((sum, n) => sum + n))])
    const groups = bounds.at(-1)!
    const energies = Float32Array.from({ length: groups }, () => random() ** 2)
    const controls = Float32Array.from({ length: controlCount(groups) }, () => 0.5 + 0.5 * random())
    const sums = new Float64Array(lengths.length)
    limitedEnergies(energies, controls, bounds, sums)
    for (const [i, expected] of limitedEnergiesReference(energies, controls, bounds).entries()) {
      expect(Math.abs(sums[i]! - expected)).toBeLessThanOrEqual(tolerance * expected)
    }
  })

  test.each([
    { lookAheadMs: 1, fastReleaseMs: 0, slowRiseMs: 0, slowFallMs: 0 },
    { lookAheadMs: 5, fastReleaseMs: 40, slowRiseMs: 0, slowFallMs: 0 },
    { lookAheadMs: 8.5, fastReleaseMs: 60, slowRiseMs: 80, slowFallMs: 600 },
  ])('limiter gain with $lookAheadMs ms look-ahead and $fastReleaseMs ms release', (settings) => {
    const random = seededRandom(4)
    // Bursts with long pauses: the kernel skips what is quiet and must wake up right.
    const peaks = Float32Array.from({ length: 9000 }, (_, g) =>
      Math.floor(g / 700) % 3 === 0 ? Math.abs(random()) * 1.6 : 0.1,
    )
    const controls = new Float32Array(controlCount(peaks.length))
    limiterControls(peaks, 0.5, settings, 44_100, controls)
    const groupHz = 44_100 / 8
    const half = Math.round((settings.lookAheadMs * groupHz) / 1000)
    const expected = limiterReference(peaks, 0.5, {
      half,
      firstBox: Math.round((2 * half + 2) * 0.58),
      fastDecay: onePoleCoefficient(settings.fastReleaseMs, groupHz),
      slowRise: settings.slowRiseMs > 0 ? onePoleCoefficient(settings.slowRiseMs, groupHz) : 0,
      slowFall: onePoleCoefficient(settings.slowFallMs, groupHz),
    })
    expect(relativeError(controls, expected)).toBeLessThan(tolerance)
  })

  test('gain curve between control points', () => {
    const random = seededRandom(9)
    // Now and then 1, where the kernel takes a short cut, beside others in every order.
    const controls = Float32Array.from({ length: controlCount(1250) }, () => (random() > 0 ? 1 : random()))
    const block = noise(0.9, 10_000 / 44_100, 44_100, 2)
    const curve = gainCurveReference(controls, block.frames)
    const expected = block.channels.map((samples) => samples.map((x, n) => x * curve[n]!))
    applyControls(block, controls, 0, 1, block)
    for (const [c, samples] of block.channels.entries()) {
      expect(relativeError(samples, expected[c]!)).toBeLessThan(tolerance)
    }
  })

  test.each([
    { bitDepth: 16, sampleRateHz: 44_100, filter: [2.033, -2.165, 1.959, -1.59, 0.6149] },
    { bitDepth: 16, sampleRateHz: 48_000, filter: [] },
    { bitDepth: 24, sampleRateHz: 44_100, filter: [] },
  ] as const)('quantiser to $bitDepth bit at $sampleRateHz Hz', ({ bitDepth, sampleRateHz, filter }) => {
    // Not a whole number of the kernel's four frames.
    const frames = 8819
    const channels = noise(0.7, 0.2, sampleRateHz, 2).channels.map((samples) => samples.subarray(0, frames))
    const quantiser = createQuantiser({ bitDepth, sampleRateHz, seed: 42 })
    const bytes = new Uint8Array(frames * quantiser.bytesPerFrame)
    quantiser.write({ channels, frames }, bytes)
    const view = new DataView(bytes.buffer)
    for (const [c, samples] of channels.entries()) {
      const actual = samples.map((_, i) => {
        const at = ((2 * i + c) * bitDepth) / 8
        return bitDepth === 16 ? view.getInt16(at, true) : view.getUint16(at, true) | (view.getInt8(at + 2) << 16)
      })
      let state = scramble(42 + c * 0x632be5ab)
      const expected = quantiseReference(samples, bitDepth, filter, () => {
        state ^= state << 13
        state ^= state >>> 17
        state ^= state << 5
        return state
      })
      expect(relativeError(actual, expected)).toBeLessThan(tolerance)
    }
  })
})

/** The generator's start, as the quantiser's documentation names it: the finaliser of MurmurHash3. */
function scramble(seed: number): number {
  let h = seed | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

describe('the kernel module', () => {
  test('is what the sources compile to, byte for byte', async () => {
    const committed = readFileSync(path.join(import.meta.dirname, '../../../..', generatedModule), 'utf8')
    expect(await compileKernels()).toBe(committed)
  })

  test('refuses a machine that cannot run it with a message for people', () => {
    expect(() => compile(Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 255]))).toThrow(/WebAssembly SIMD/)
  })
})
