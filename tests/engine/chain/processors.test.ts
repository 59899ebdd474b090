import { describe, expect, it } from 'vitest'
import type { RecipeStage } from '../../../src-contract/stages/index.ts'
import { applyRecipe, createProcessor } from '../../../src-engine/chain.ts'
import { highPass } from '../../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../../src-engine/dsp/biquad-cascade.ts'
import { type Audio, allocateAudio } from '../../../src-engine/dsp/block.ts'
import { controlFrames } from '../../../src-engine/dsp/processor.ts'
import { staticReductionDb } from '../../../src-engine/stages/compressor.ts'
import { chain } from '../../../src-engine/stages/index.ts'
import { copyOf, filterWhole, largestDifference, noise, ordinaryMusic, rmsDbfs, sine } from './signals.ts'

const rate = 48_000
const band = { thresholdDb: -30, ratio: 3, kneeDb: 6, attackMs: 5, releaseMs: 80, maxReductionDb: 8 }
const idle = { ...band, ratio: 1 }
const curve = (gainDb: number[]) => ({ frequencyHz: [100, 1000, 8000], gainDb })
const cut = {
  repair: 'resonance' as const,
  ...{ frequencyHz: 6000, q: 8, referenceHz: 6000, referenceQ: 2, referenceSections: 1 as const, toleranceDb: -6 },
  ...{ attackMs: 10, releaseMs: 100, maxMidCutDb: 4, maxSideCutDb: 4 },
}
const attacks = {
  ...{ halfwayDb: 2, thresholdDb: 3.5, releaseMs: 40, lookAheadMs: 1.5, crossoversHz: [120, 1000, 5000] },
  bands: Array.from({ length: 4 }, () => ({ fastMs: 1, slowMs: 15 })),
}
const section = { shape: 'peak' as const, frequencyHz: 250, gainDb: -4, q: 1 }

/** Every streaming stage at work, and the same with settings that ask for nothing. */
const stages: { name: string; active: RecipeStage; neutral: RecipeStage | null }[] = [
  {
    name: 'rumble filter',
    active: { kind: 'rumble_filter', frequencyHz: 18.5, order: 8, isAgainstRumble: true },
    neutral: null,
  },
  {
    name: 'gentle rumble filter',
    active: { kind: 'rumble_filter', frequencyHz: 8, order: 1, isAgainstRumble: false },
    neutral: null,
  },
  { name: 'mono bass', active: { kind: 'mono_bass', frequencyHz: 110, from: 'left' }, neutral: null },
  {
    name: 'equaliser',
    active: { kind: 'equalise', sections: [section, { ...section, shape: 'high_shelf' }] },
    neutral: { kind: 'equalise', sections: [{ ...section, gainDb: 0 }] },
  },
  {
    name: 'matching filter',
    active: { kind: 'match', mid: curve([3, -2, 4]), side: curve([0, 2, -3]) },
    neutral: { kind: 'match', mid: curve([0, 0, 0]), side: curve([0, 0, 0]) },
  },
  {
    name: 'width',
    active: { kind: 'match', mid: curve([0, 0, 0]), side: curve([-4, -4, -4]) },
    neutral: { kind: 'match', mid: { frequencyHz: [], gainDb: [] }, side: { frequencyHz: [], gainDb: [] } },
  },
  {
    name: 'dynamic cut',
    active: { kind: 'dynamic_cut', cuts: [cut] },
    neutral: { kind: 'dynamic_cut', cuts: [{ ...cut, maxMidCutDb: 0, maxSideCutDb: 0 }] },
  },
  {
    name: 'density',
    active: { kind: 'density', compression: band },
    neutral: { kind: 'density', compression: idle },
  },
  {
    name: 'multiband compressor',
    active: { kind: 'multiband', crossoversHz: [120, 1000, 5000], bands: [band, band, band, band] },
    neutral: { kind: 'multiband', crossoversHz: [120, 1000, 5000], bands: [idle, idle, idle, idle] },
  },
  {
    name: 'tone that was set',
    active: { kind: 'steer_tone', sections: [{ shape: 'tilt', frequencyHz: 800, gainDb: 2 }] },
    neutral: null,
  },
  {
    name: 'width that was set',
    active: { kind: 'steer_width', crossoversHz: [200, 2000], sideGains: [1, 2, 1.5] },
    neutral: null,
  },
  { name: 'mono', active: { kind: 'steer_width', crossoversHz: [], sideGains: [0] }, neutral: null },
  { name: 'punch', active: { kind: 'punch', mostGainDb: 9, ...attacks }, neutral: null },
  { name: 'glue of attacks', active: { kind: 'punch', mostGainDb: -9, ...attacks }, neutral: null },
  {
    name: 'warmth',
    active: { kind: 'warmth', asymmetry: 0.32, bend: 0.71, lowestHz: 20, levelMs: 400 },
    neutral: null,
  },
]

it('every kind of stage that streams is among them', () => {
  const streaming = chain.filter((stage) => 'create' in stage).map(({ kind }) => kind)
  expect([...new Set(stages.map(({ active }) => active.kind))].sort()).toEqual(streaming.sort())
})

describe.each(stages)('$name', ({ active }) => {
  const input = ordinaryMusic(1.5)

  it('gives the same samples however the song is cut into blocks', () => {
    const whole = copyOf(input)
    filterWhole(whole, createProcessor(active, rate), [4096])
    const pieces = copyOf(input)
    filterWhole(pieces, createProcessor(active, rate), [1, 31, 32, 33, 4097, 7, 9000])
    expect(largestDifference(whole, pieces)).toBe(0)
    expect(largestDifference(whole, input)).toBeGreaterThan(1e-4)
  })

  it('stays finite for full-scale noise, steps and silence', () => {
    const harsh = noise(0.5, 4, rate, 3)
    harsh.channels[0]!.fill(0, 8000, 16_000)
    harsh.channels[1]!.fill(1, 8000, 16_000)
    filterWhole(harsh, createProcessor(active, rate))
    for (const samples of harsh.channels) expect(samples.every((sample) => Math.abs(sample) < 100)).toBe(true)
  })

  it('is late by whole control steps, so that the steps of later stages stay where they are without it', () => {
    if (active.kind === chain.at(-1)!.kind) return
    for (const hz of [44_100, 48_000, 88_200, 96_000, 192_000]) {
      expect(createProcessor(active, hz).latencySamples % controlFrames, `${hz} Hz`).toBe(0)
    }
  })

  it('is as late as it says', () => {
    const { latencySamples } = createProcessor(active, rate)
    const impulse = allocateAudio(2, latencySamples + 4096, rate)
    impulse.channels[0]![100] = 0.5
    impulse.channels[1]![100] = 0.25
    filterWhole(impulse, createProcessor(active, rate))
    const output = impulse.channels[0]!
    const first = output.findIndex((sample) => Math.abs(sample) > 0.02)
    expect(first).toBe(100 + latencySamples)
  })
})

describe.each(stages.flatMap(({ name, neutral }) => (neutral ? [{ name, neutral }] : [])))('$name', ({ neutral }) => {
  it('leaves every bit alone when it is asked for nothing', () => {
    const input = ordinaryMusic(1.5)
    const output = copyOf(input)
    filterWhole(output, createProcessor(neutral, rate))
    expect(largestDifference(output, input)).toBe(0)
  })
})

describe('the matching filter', () => {
  it('does not ring before a transient', () => {
    const impulse = allocateAudio(2, 48_000, rate)
    impulse.channels[0]![20_000] = 1
    impulse.channels[1]![20_000] = 1
    applyRecipe(impulse, { version: 1, stages: [{ kind: 'match', mid: curve([6, -6, 6]), side: curve([4, -4, 4]) }] })
    const before = impulse.channels[0]!.subarray(0, 20_000).reduce(
      (most, sample) => Math.max(most, Math.abs(sample)),
      0,
    )
    expect(20 * Math.log10(before)).toBeLessThan(-100)
  })

  it.each([44_100, 48_000, 96_000])(
    'follows its curve within half a decibel from 45 Hz to 18 kHz at %i Hz',
    (sampleRateHz) => {
      for (const [hz, wanted] of [
        [45, 6],
        [63, 6],
        [250, 0],
        [1000, -4],
        [6000, 3],
        [18_000, 3],
      ] as const) {
        const tone = sine(1, hz, 0.1, sampleRateHz)
        const before = rmsDbfs(tone, sampleRateHz / 4, (sampleRateHz * 3) / 4)
        const shape = { frequencyHz: [80, 200, 300, 900, 1100, 5000, 7000], gainDb: [6, 0, 0, -4, -4, 3, 3] }
        applyRecipe(tone, { version: 1, stages: [{ kind: 'match', mid: shape, side: shape }] })
        expect(Math.abs(rmsDbfs(tone, sampleRateHz / 4, (sampleRateHz * 3) / 4) - before - wanted)).toBeLessThan(0.5)
      }
    },
  )

  it.each([44_100, 96_000])('tells a third of an octave in the bass from its neighbours at %i Hz', (sampleRateHz) => {
    const shape = { frequencyHz: [40, 50, 63, 80, 100], gainDb: [0, 0, 6, 0, 0] }
    const change = (hz: number): number => {
      const tone = sine(1.5, hz, 0.1, sampleRateHz)
      const before = rmsDbfs(tone, sampleRateHz / 2, sampleRateHz)
      applyRecipe(tone, { version: 1, stages: [{ kind: 'match', mid: shape, side: shape }] })
      return rmsDbfs(tone, sampleRateHz / 2, sampleRateHz) - before
    }
    expect(Math.abs(change(63) - 6)).toBeLessThan(0.75)
    for (const hz of [50, 80]) expect(Math.abs(change(hz))).toBeLessThan(0.5)
  })
})

describe('the compressor', () => {
  it('follows the soft-knee characteristic and stops at its largest reduction', () => {
    const settings = { ...band, thresholdDb: -20, ratio: 4, kneeDb: 6, maxReductionDb: 6 }
    expect(staticReductionDb(-24, settings)).toBe(0)
    expect(staticReductionDb(-20, settings)).toBeCloseTo((0.75 * 9) / 12, 9)
    expect(staticReductionDb(-14, settings)).toBeCloseTo(4.5, 9)
    expect(staticReductionDb(0, settings)).toBe(6)
    expect(staticReductionDb(Number.NEGATIVE_INFINITY, settings)).toBe(0)
  })

  it('turns a steady tone down by what its characteristic says', () => {
    // One period per control step: the level of every step is the tone's.
    const tone = sine(2, 1500, 0.5)
    const settings = { ...band, thresholdDb: -20, ratio: 2, kneeDb: 0, maxReductionDb: 12 }
    filterWhole(tone, createProcessor({ kind: 'density', compression: settings }, rate))
    const level = 20 * Math.log10(0.5) - 3.01
    expect(rmsDbfs(tone, rate, 2 * rate)).toBeCloseTo(level - (level + 20) / 2, 1)
  })

  it('leaves the stereo image where it is', () => {
    const audio = ordinaryMusic(2)
    for (let i = 0; i < audio.frames; i++) audio.channels[1]![i] = audio.channels[0]![i]! * 0.5
    filterWhole(audio, createProcessor({ kind: 'density', compression: band }, rate))
    for (let i = 0; i < audio.frames; i += 101) {
      expect(audio.channels[1]![i]!).toBeCloseTo(audio.channels[0]![i]! * 0.5, 6)
    }
  })
})

describe('the rumble filter', () => {
  const stage: RecipeStage = { kind: 'rumble_filter', frequencyHz: 18.5, order: 8, isAgainstRumble: true }
  const filtered = (audio: Audio): Audio => {
    const copy = copyOf(audio)
    applyRecipe(copy, { version: 1, stages: [stage] })
    return copy
  }

  it('takes 15 dB off 15 Hz and leaves a bass line at 35 Hz within 0.1 dB', () => {
    const change = (hz: number): number => {
      const tone = sine(4, hz, 0.2)
      return rmsDbfs(filtered(tone), rate, 3 * rate) - rmsDbfs(tone, rate, 3 * rate)
    }
    expect(change(15)).toBeLessThan(-14.5)
    expect(Math.abs(change(35))).toBeLessThan(0.1)
  })

  it('keeps the shape of waves above: a bass of pulses has the peaks that it had', () => {
    const bass = sine(4, 50, 0.5)
    for (const samples of bass.channels)
      for (let i = 0; i < samples.length; i++) samples[i] = 0.5 * Math.sign(samples[i]!)
    const middle = (audio: Audio) => audio.channels[0]!.subarray(rate, 3 * rate)
    const peak = Math.max(...middle(filtered(bass)).map(Math.abs))
    expect(20 * Math.log10(peak / 0.5)).toBeLessThan(0.2)
  })

  it('puts nothing before a beat that could be heard', () => {
    const beat = sine(3, 60, 0)
    for (const samples of beat.channels) {
      for (let i = rate; i < samples.length; i++) {
        const t = (i - rate) / rate
        samples[i] = Math.exp(-t / 0.1) * Math.sin(2 * Math.PI * 60 * t)
      }
    }
    const before = filtered(beat).channels[0]!.slice(0, rate)
    const peakDb = (samples: Float32Array) =>
      20 * Math.log10(samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0))
    expect(peakDb(before.subarray(0, rate - 0.02 * rate))).toBeLessThan(-30)
    // The little there is lies below all hearing.
    createBiquadCascade([0.541, 1.307, 0.541, 1.307].map((q) => highPass(30, rate, q))).process({
      channels: [before],
      frames: rate,
    })
    expect(peakDb(before)).toBeLessThan(-70)
  })
})
