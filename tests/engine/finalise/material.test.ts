import { expect, test } from 'vitest'
import { createEnergyFilter } from '../../../src-engine/dsp/meters/loudness.ts'
import { detectPeaks, peakGroupFrames } from '../../../src-engine/dsp/meters/true-peak.ts'
import { clipStretch } from '../../../src-engine/finalise/clipper.ts'
import { prepareFinalise } from '../../../src-engine/finalise/finalise.ts'
import { clipMaterial } from '../../../src-engine/finalise/material.ts'
import { songLike } from '../../support/sounds.ts'

const rate = 44_100

test.each([0.1, 0.3, 0.6])('the material of a song clipped at %f is what the clipped samples say', (limit) => {
  const audio = songLike(6, rate)
  const source = prepareFinalise(audio)
  const known = clipMaterial(source, limit)
  const channels = audio.channels.map((samples) => {
    const out = new Float32Array(audio.frames)
    clipStretch(samples, source.peaks, 0, limit, rate, out)
    return out
  })
  const peaks = new Float32Array(source.peaks.length)
  detectPeaks(channels, limit * 0.75, peaks)
  for (let g = 0; g < peaks.length; g++) {
    if (peaks[g]! > limit * 0.85) expect(Math.abs(known.peaks[g]! - peaks[g]!)).toBeLessThan(1e-4)
  }
  let energy = 0
  const filter = createEnergyFilter(rate)
  const sums = new Float64Array(512)
  for (let first = 0; first < audio.frames; first += 4096) {
    const [left, right] = channels.map((samples) => samples.subarray(first, first + 4096))
    filter.push(left!, right!, peakGroupFrames, sums)
    for (let g = 0; g < Math.ceil(left!.length / peakGroupFrames); g++) energy += sums[g]!
  }
  const predicted = known.energies.reduce((sum, each) => sum + each, 0)
  expect(Math.abs(10 * Math.log10(predicted / energy))).toBeLessThan(0.02)
})
