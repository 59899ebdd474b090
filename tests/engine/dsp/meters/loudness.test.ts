import { describe, expect, test } from 'vitest'
import { type Audio, allocateAudio } from '../../../../src-engine/dsp/block.ts'
import { createLoudnessMeter, type Loudness, measureLoudness } from '../../../../src-engine/dsp/meters/loudness.ts'
import { sine } from '../../../support/sounds.ts'

const rates = [44_100, 48_000, 96_000]

/** A piece of a test signal: seconds and peak level in dBFS of a 1 kHz tone; −Infinity is silence. */
type Step = readonly [seconds: number, peakDbfs: number]

/** 1 kHz stereo tone in steps, phase running on (EBU Tech 3341 v4, table 1). */
function steps(list: readonly Step[], sampleRateHz: number): Audio {
  const ends = list.map((_, i) => Math.round(list.slice(0, i + 1).reduce((sum, [s]) => sum + s, 0) * sampleRateHz))
  const audio = allocateAudio(2, ends.at(-1)!, sampleRateHz)
  const left = audio.channels[0]!
  let from = 0
  for (const [i, [, level]] of list.entries()) {
    const amplitude = 10 ** (level / 20)
    for (let n = from; n < ends[i]!; n++) left[n] = amplitude * Math.sin((2 * Math.PI * 1000 * n) / sampleRateHz)
    from = ends[i]!
  }
  audio.channels[1]!.set(left)
  return audio
}

const silence = -Infinity
const repeat = (list: readonly Step[], times: number): Step[] => Array.from({ length: times }, () => list).flat()

interface Case {
  readonly name: string
  readonly signal: readonly Step[]
  readonly expected: Partial<Loudness>
  readonly tolerance: number
}

const cases: readonly Case[] = [
  {
    name: 'Tech 3341 case 1',
    signal: [[20, -23]],
    expected: { integratedLufs: -23, shortTermMaxLufs: -23, momentaryMaxLufs: -23 },
    tolerance: 0.1,
  },
  {
    name: 'Tech 3341 case 2',
    signal: [[20, -33]],
    expected: { integratedLufs: -33, shortTermMaxLufs: -33, momentaryMaxLufs: -33 },
    tolerance: 0.1,
  },
  {
    name: 'Tech 3341 case 3',
    signal: [
      [10, -36],
      [60, -23],
      [10, -36],
    ],
    expected: { integratedLufs: -23 },
    tolerance: 0.1,
  },
  {
    name: 'Tech 3341 case 4',
    signal: [
      [10, -72],
      [10, -36],
      [60, -23],
      [10, -36],
      [10, -72],
    ],
    expected: { integratedLufs: -23 },
    tolerance: 0.1,
  },
  {
    name: 'Tech 3341 case 5',
    signal: [
      [20, -26],
      [20.1, -20],
      [20, -26],
    ],
    expected: { integratedLufs: -23 },
    tolerance: 0.1,
  },
  {
    name: 'Tech 3341 case 12',
    signal: repeat(
      [
        [0.18, -20],
        [0.22, -30],
      ],
      25,
    ),
    expected: { momentaryMaxLufs: -23 },
    tolerance: 0.1,
  },
  ...Array.from({ length: 20 }, (_, i) => ({
    name: `Tech 3341 case 10, file ${i + 1}`,
    signal: [
      [i * 0.15, silence],
      [3, -23],
      [1, silence],
    ] as const,
    expected: { shortTermMaxLufs: -23 },
    tolerance: 0.1,
  })),
  ...Array.from({ length: 20 }, (_, i) => ({
    name: `Tech 3341 case 11, segment ${i + 1}`,
    signal: [
      [i * 0.15, silence],
      [3, -38 + i],
      [3 - i * 0.15, silence],
    ] as const,
    expected: { shortTermMaxLufs: -38 + i },
    tolerance: 0.1,
  })),
  ...Array.from({ length: 20 }, (_, i) => ({
    name: `Tech 3341 case 13, file ${i + 1}`,
    signal: [
      [i * 0.02, silence],
      [0.4, -23],
      [1, silence],
    ] as const,
    expected: { momentaryMaxLufs: -23 },
    tolerance: 0.1,
  })),
  ...Array.from({ length: 20 }, (_, i) => ({
    name: `Tech 3341 case 14, segment ${i + 1}`,
    signal: [
      [i * 0.02, silence],
      [0.4, -38 + i],
      [0.4 - i * 0.02, silence],
    ] as const,
    expected: { momentaryMaxLufs: -38 + i },
    tolerance: 0.1,
  })),
  ...[
    { levels: [-20, -30], range: 10 },
    { levels: [-20, -15], range: 5 },
    { levels: [-40, -20], range: 20 },
    { levels: [-50, -35, -20, -35, -50], range: 15 },
  ].map(({ levels, range }, i) => ({
    name: `Tech 3342 case ${i + 1}`,
    signal: levels.map((level) => [20, level] as const),
    expected: { loudnessRangeLu: range },
    tolerance: 1,
  })),
]

describe.each(rates)('at %i Hz the loudness meter', (rate) => {
  test.each(cases)('reads $name within its tolerance', ({ signal, expected, tolerance }) => {
    const reading = measureLoudness(steps(signal, rate))
    for (const [name, value] of Object.entries(expected)) {
      const error = Math.abs(reading[name as keyof Loudness] - value)
      expect(error, `${name} is ${reading[name as keyof Loudness]}`).toBeLessThanOrEqual(tolerance)
    }
  })

  test('holds the short-term loudness of Tech 3341 case 9 at −23 from 3 s on', () => {
    const meter = createLoudnessMeter(rate)
    const signal = repeat(
      [
        [1.34, -20],
        [1.66, -30],
      ],
      5,
    )
    meter.push(steps(signal, rate))
    const series = meter.shortTermLufs()
    expect(series.length).toBe(121)
    for (const lufs of series) expect(Math.abs(lufs + 23)).toBeLessThanOrEqual(0.1)
  })

  test('reads 997 Hz at full scale in one channel as −3.01 (BS.1770-5 Annex 1)', () => {
    const tone = sine(997, 0, 5, rate)
    tone.channels[1]!.fill(0)
    expect(measureLoudness(tone).integratedLufs).toBeCloseTo(-3.01, 2)
  })

  test('counts one channel as a mono song played on both sides', () => {
    const tone = sine(997, -18, 5, rate)
    const mono = { channels: [tone.channels[0]!], frames: tone.frames, sampleRateHz: rate }
    expect(measureLoudness(mono)).toEqual(measureLoudness(tone))
  })
})

describe('the loudness meter', () => {
  test('reads −Infinity and no range from silence, from nothing and from less than 400 ms', () => {
    const nothing = {
      integratedLufs: -Infinity,
      momentaryMaxLufs: -Infinity,
      shortTermMaxLufs: -Infinity,
      loudnessRangeLu: 0,
    }
    expect(measureLoudness(allocateAudio(2, 48_000 * 5, 48_000))).toEqual(nothing)
    expect(measureLoudness(allocateAudio(2, 0, 48_000))).toEqual(nothing)
    expect(measureLoudness(sine(1000, -10, 0.39, 48_000))).toEqual(nothing)
  })

  test('reads the same however the signal is cut into blocks', () => {
    const audio = steps(
      [
        [2, -30],
        [2, -20],
        [3, -25],
      ],
      44_100,
    )
    const whole = measureLoudness(audio)
    for (const size of [1009, 4096, 100_000]) {
      const meter = createLoudnessMeter(44_100)
      for (let start = 0; start < audio.frames; start += size) {
        const channels = audio.channels.map((samples) => samples.subarray(start, start + size))
        meter.push({ channels, frames: channels[0]!.length })
      }
      const reading = meter.read()
      for (const key of Object.keys(whole) as (keyof Loudness)[]) expect(reading[key]).toBeCloseTo(whole[key], 9)
    }
  })
})
