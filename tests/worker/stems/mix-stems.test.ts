import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { chosenMix, isTreated } from '../../../src-contract/stem-mix.ts'
import type { StemMix } from '../../../src-contract/stem-mix-schemas.ts'
import { measureLoudness } from '../../../src-engine/dsp/meters/loudness.ts'
import { probeAudio } from '../../../src-server/uploads/probe.ts'
import { decodeSong } from '../../../src-worker/media/decode.ts'
import { audioOfBlocks, StemSum, sumBlocks, writeMix } from '../../../src-worker/media/decoded-stems.ts'
import { changeRate } from '../../../src-worker/media/resample.ts'
import { keptLanes, mixRateHz, stemGains } from '../../../src-worker/media/stem-lanes.ts'
import type { StoredStem } from '../../../src-worker/media/stored-stem.ts'
import { mixStems } from '../../../src-worker/stems/mix-stems.ts'
import { treatStem } from '../../../src-worker/stems/treat-stem.ts'
import { seededRandom } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, songLike, writeFloatWav } from '../media/make-audio.ts'

const folder = temporaryFolder()
const RATE_HZ = 44_100
const never = new AbortController().signal

async function stemOf(file: string): Promise<StoredStem> {
  const probe = await probeAudio(file, { ffmpeg })
  if (!probe.ok) throw new Error(probe.reason)
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
  return { path: file, filename: path.basename(file), sha256, facts: probe.facts, role: 'other' }
}

const mix = (stems: readonly StoredStem[], settings?: StemMix) =>
  mixStems(
    { ffmpeg, folder: mkdtempSync(path.join(folder, 'mix-')), stems, tags: {}, ...(settings ? { mix: settings } : {}) },
    never,
  )

/** Samples of a WAV with a plain header of 44 bytes, or of one that the application wrote, whose sound comes last. */
function samplesOf(file: string): Float32Array {
  const bytes = readFileSync(file)
  const at = bytes.indexOf('data', 12, 'latin1')
  const sound = bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4))
  return new Float32Array(sound.buffer.slice(sound.byteOffset, sound.byteOffset + sound.length))
}

/** The sum as docs/stems.md defines it, by another hand: planes of two channels, whole in memory. */
function defined(
  stems: readonly { readonly sha256: string; readonly filename: string; readonly sound: Float32Array }[],
) {
  const inOrder = [...stems].sort((a, b) =>
    a.sha256 === b.sha256 ? (a.filename < b.filename ? -1 : 1) : a.sha256 < b.sha256 ? -1 : 1,
  )
  const samples = new Float64Array(Math.max(...stems.map(({ sound }) => sound.length)))
  for (const { sound } of inOrder) for (const [i, value] of sound.entries()) samples[i]! += value
  return Float32Array.from(samples)
}

/** Uniform random numbers, 0 to 1. */
const uniform = (seed: number) => {
  const next = seededRandom(seed)
  return () => (next() + 1) / 2
}

/** Stems of random length, level and channels, some of them equal, silent or far above full scale. */
async function randomSet(random: () => number, name: string) {
  const count = 2 + Math.floor(random() * 7)
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const channels = random() < 0.3 ? 1 : 2
      const frames = 1 + Math.floor(random() * 150_000)
      const level = random() < 0.1 ? 0 : 10 ** (random() * 3 - 2)
      const planes = Array.from({ length: channels }, () =>
        Float32Array.from({ length: frames }, () => level * (2 * random() - 1)),
      )
      const stem = await stemOf(writeFloatWav(path.join(folder, `${name}-${index}.wav`), planes, RATE_HZ))
      const [left, right = left] = planes
      return {
        ...stem,
        sound: Float32Array.from({ length: 2 * frames }, (_, i) => (i % 2 === 0 ? left : right)![i >> 1]!),
      }
    }),
  )
}

test('the sum of random sets is the defined one, bit for bit, in whatever order the stems come', async () => {
  const random = uniform(7)
  for (let round = 0; round < Number(process.env.STEM_ROUNDS ?? 4); round++) {
    const stems = await randomSet(random, `set-${round}`)
    const due = defined(stems)
    const shuffled = [...stems].sort(() => random() - 0.5)
    const made = [await mix(stems), await mix(shuffled)]
    for (const { path: file, frames, sampleRateHz, sizeBytes, sha256 } of made) {
      const bytes = readFileSync(file)
      expect({ sizeBytes, sha256 }).toEqual({
        sizeBytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      })
      const samples = samplesOf(file)
      expect({ frames, sampleRateHz }).toEqual({ frames: due.length / 2, sampleRateHz: RATE_HZ })
      expect(Buffer.from(samples.buffer).equals(Buffer.from(due.buffer))).toBe(true)
    }
    // Nothing but the mix is left.
    expect(readdirSync(path.dirname(made[0]!.path))).toEqual(['mix.wav'])
  }
})

test('the order of addition counts: large numbers that cancel lose what is added before', async () => {
  const plane = (value: number) => [new Float32Array(10).fill(value)]
  const sound = (value: number) => new Float32Array(20).fill(value)
  const values = [2 ** 5, 2 ** -60, -(2 ** 5)]
  const stems = await Promise.all(
    values.map(async (value, i) => {
      const stem = await stemOf(writeFloatWav(path.join(folder, `big-${i}.wav`), plane(value), RATE_HZ))
      return { ...stem, sound: sound(value) }
    }),
  )
  const [one, two, three] = stems as [(typeof stems)[0], (typeof stems)[0], (typeof stems)[0]]
  for (const order of [
    [one, two, three],
    [one, three, two],
    [three, one, two],
  ])
    expect(samplesOf((await mix(order)).path)).toEqual(defined(stems))
})

test('stems of other rates are converted to the highest and told to be silent where they are', async () => {
  const random = uniform(3)
  const plane = (frames: number, level: number) => Float32Array.from({ length: frames }, () => level * (random() - 0.5))
  const low = await stemOf(writeFloatWav(path.join(folder, 'low.wav'), [plane(22_050, 1), plane(22_050, 1)], 22_050))
  const high = await stemOf(writeFloatWav(path.join(folder, 'high.wav'), [plane(24_000, 1), plane(24_000, 1)], 48_000))
  const silent = await stemOf(writeFloatWav(path.join(folder, 'silent.wav'), [plane(100, 0)], 32_000))
  const { audio } = await decodeSong(ffmpeg, low.path, low.facts)
  const converted = await changeRate(ffmpeg, audio, 48_000)
  const made = await mix([silent, low, high])
  expect(made).toMatchObject({ sampleRateHz: 48_000, frames: converted.frames, silent: [0] })
  const interleaved = ({ channels, frames }: typeof converted) =>
    Float32Array.from({ length: 2 * frames }, (_, i) => channels[i % 2]![i >> 1]!)
  const due = defined([
    { ...low, sound: interleaved(converted) },
    { ...high, sound: samplesOf(high.path) },
  ])
  expect(Buffer.from(samplesOf(made.path).buffer).equals(Buffer.from(due.buffer))).toBe(true)
})

test('the rate is the highest of the stems, at most 96 kHz', () => {
  const rateOf = (...rates: number[]) => mixRateHz(rates.map((sampleRateHz) => ({ facts: { sampleRateHz } })))
  expect([rateOf(8000, 11_025), rateOf(44_100, 48_000), rateOf(96_000, 88_200)]).toEqual([11_025, 48_000, 96_000])
  expect([rateOf(44_100, 192_000), rateOf(176_400), rateOf(384_000)]).toEqual([96_000, 88_200, 96_000])
})

test('a stem that changed since it was stored fails the mix, and nothing is left', async () => {
  const stem = await stemOf(writeFloatWav(path.join(folder, 'changed.wav'), [new Float32Array(500)], RATE_HZ))
  const other = await stemOf(writeFloatWav(path.join(folder, 'other.wav'), [new Float32Array(500).fill(0.1)], RATE_HZ))
  writeFileSync(stem.path, Buffer.concat([readFileSync(stem.path), Buffer.alloc(4)]))
  const target = mkdtempSync(path.join(folder, 'failed-'))
  const order = { ffmpeg, folder: target, stems: [other, stem], tags: {} }
  await expect(mixStems(order, never)).rejects.toMatchObject({ failureCode: 'UNREADABLE_AUDIO' })
  expect(readdirSync(target)).toEqual([])
})

test('a decoded stem that is cut short, and an abort, end the sum', async () => {
  const short = path.join(folder, 'short')
  writeFileSync(short, Buffer.alloc(79))
  const form = { sampleRateHz: RATE_HZ, frames: 10 }
  const blocks = () => sumBlocks([{ path: short, frames: 10, gains: [1, 1] }], 10)
  const target = path.join(folder, 'cut.wav')
  await expect(writeMix(target, blocks(), form, { tags: {} }, { signal: never })).rejects.toThrow('ends too early')
  const signal = AbortSignal.abort(new Error('stopped'))
  await expect(writeMix(target, [new Float64Array(20)], form, { tags: {} }, { signal })).rejects.toThrow('stopped')
})

/** Two stems of the same length: something like music, and noise. */
async function twoStems() {
  const [left, right] = songLike(3) as [Float32Array, Float32Array]
  const random = uniform(5)
  const noise = Float32Array.from(left, () => 0.2 * (random() - 0.5))
  const music = await stemOf(writeFloatWav(path.join(folder, 'music.wav'), [left, right], RATE_HZ))
  const hiss = await stemOf(writeFloatWav(path.join(folder, 'hiss.wav'), [noise, noise], RATE_HZ))
  return { stems: [music, hiss], music: samplesOf(music.path), hiss: samplesOf(hiss.path) }
}

test('gains and places are linear to −120 dB, and muted stems count for the length alone', async () => {
  const { stems, music, hiss } = await twoStems()
  const made = await mix(stems, {
    stems: [
      { stem: 1, gain_db: -3.7, pan_percent: 40 },
      { stem: 2, gain_db: 6 },
    ],
  })
  const angle = (1.4 * Math.PI) / 4
  const gain = 10 ** (-3.7 / 20) * Math.SQRT2
  const [l, r] = [gain * Math.cos(angle), gain * Math.sin(angle)]
  const samples = samplesOf(made.path)
  const farthest = samples.reduce((most, value, i) => {
    const due = music[i]! * (i % 2 === 0 ? l : r) + hiss[i]! * 10 ** (6 / 20)
    return Math.max(most, Math.abs(value - due) / Math.max(1, Math.abs(due)))
  }, 0)
  expect(20 * Math.log10(farthest)).toBeLessThan(-120)
  const muted = await mix(stems, { stems: [{ stem: 1, mute: true }] })
  expect(samplesOf(muted.path)).toEqual(hiss)
  const alone = await mix(stems, { stems: [{ stem: 1, solo: true }] })
  expect(samplesOf(alone.path)).toEqual(music)
})

test('settings that change nothing are none, and give the sum', async () => {
  const neutral = { mute: false, solo: false, gain_db: 0, pan_percent: 0, width_percent: 100, tilt_db: 0, repairs: [] }
  expect(chosenMix({ voice_forward_db: 0, stems: [{ stem: 1, role: 'voice', ...neutral }] })).toBeUndefined()
  expect(chosenMix({ stems: [{ stem: 2, ...neutral, gain_db: 1 }] })).toEqual({ stems: [{ stem: 2, gain_db: 1 }] })
  expect(stemGains({ gain_db: 0, pan_percent: 0 })).toEqual([1, 1])
  expect(isTreated({ stem: 1, gain_db: 3, pan_percent: -10, mute: true, ...{ tilt_db: 0, repairs: [] } })).toBe(false)
  const { stems } = await twoStems()
  const [plain, given] = [await mix(stems), await mix(stems, { stems: [{ stem: 1, ...neutral }] })]
  expect(given.sha256).toBe(plain.sha256)
})

test('a stem is treated by its own settings alone: only the repairs that are named are made, and tone where it is asked for', async () => {
  const { stems, music, hiss } = await twoStems()
  const clicked = music.slice()
  for (const frame of [20_011, 50_023, 90_037]) for (const c of [0, 1]) clicked[2 * frame + c]! += 0.9
  const plane = (c: number) => clicked.filter((_, i) => i % 2 === c)
  const click = await stemOf(writeFloatWav(path.join(folder, 'click.wav'), [plane(0), plane(1)], RATE_HZ))
  const pair = [click, stems[1]!]
  const distance = (file: string, other: Float32Array) =>
    samplesOf(file).reduce((most, value, i) => Math.max(most, Math.abs(value - other[i]!)), 0)
  const sum = music.map((value, i) => value + hiss[i]!)
  const mended = await mix(pair, { stems: [{ stem: 1, repairs: ['clicks'] }] })
  expect(mended.repairs).toMatchObject([{ stem: 1, repairs: [{ kind: 'clicks', count: 6 }] }])
  expect(distance(mended.path, sum)).toBeLessThan(0.1)
  const left = await mix(pair, { stems: [{ stem: 1, repairs: ['sibilance'] }] })
  expect(left.repairs).toEqual([])
  expect(distance(left.path, sum)).toBeGreaterThan(0.8)
  // 6 dB per octave and more of the hiss lie below the low cut; the music is as it was.
  const cut = await mix(stems, { stems: [{ stem: 2, low_cut_hz: 400, solo: true }] })
  const energy = (samples: Float32Array) => samples.reduce((total, value) => total + value * value, 0)
  const lost = 10 * Math.log10(energy(samplesOf(cut.path)) / energy(hiss))
  expect(lost).toBeGreaterThan(-0.2)
  expect(lost).toBeLessThan(-0.05)
  const narrow = samplesOf((await mix(stems, { stems: [{ stem: 1, width_percent: 0, solo: true }] })).path)
  expect(
    narrow.every((value, i) => Math.abs(value - narrow[i ^ 1]!) < 1e-6 * Math.max(1, Math.abs(value)) || i < 40_000),
  ).toBe(true)
})

test('a bass that is late in one channel is brought to one time; one of unrelated channels has the bass of one', () => {
  const bass = (transpose: number) => {
    const random = uniform(17)
    const notes = Array.from({ length: 12 }, () => 55 * 2 ** ((Math.floor(random() * 7) + transpose) / 12))
    return Float32Array.from({ length: 3 * RATE_HZ }, (_, i) => {
      const t = i / RATE_HZ
      const tone = (k: number) => Math.sin(2 * Math.PI * k * notes[Math.floor(4 * t)]! * t) / k
      return 0.2 * (tone(1) + tone(2) + tone(3)) * Math.exp(-3 * (t % 0.25))
    })
  }
  const treated = (left: Float32Array, right: Float32Array) => {
    const audio = { channels: [left.slice(), right.slice()], frames: left.length, sampleRateHz: RATE_HZ }
    return { audio, made: treatStem(audio, { stem: 1, repairs: ['mono_bass'] }, false) }
  }
  const early = bass(0)
  const late = new Float32Array(early.length)
  late.set(early.subarray(0, -210), 210)
  for (const [channel, left, right] of [
    ['right', early, late],
    ['left', late, early],
  ] as const) {
    const { audio, made } = treated(left, right)
    expect(made).toEqual([{ kind: 'mono_bass', channel, delay_ms: 4.8 }])
    for (const samples of audio.channels) expect(samples.subarray(0, -210)).toEqual(early.subarray(0, -210))
  }
  expect(treated(early, bass(5)).made).toEqual([{ kind: 'mono_bass', frequency_hz: 110, channel: 'side' }])
})

test('stems of a low rate are treated at a rate of the engine', async () => {
  const random = uniform(9)
  const plane = Float32Array.from({ length: 12_000 }, () => random() - 0.5)
  const low = await stemOf(writeFloatWav(path.join(folder, 'telephone.wav'), [plane], 8000))
  const made = await mix([low, low], { stems: [{ stem: 1, tilt_db: 1 }] })
  expect(made).toMatchObject({ sampleRateHz: 44_100, frames: 66_150 })
})

/** Integrated loudness and, of the steps of 100 ms in which the voice sounds, the K-weighted energy, by a meter of whole signals. */
function levelOf(samples: Float32Array, firstSecond = 0, lastSecond = 1000): number {
  const plane = (c: number) =>
    samples.filter((_, i) => i % 2 === c).subarray(firstSecond * RATE_HZ, lastSecond * RATE_HZ)
  const channels = [plane(0), plane(1)]
  return measureLoudness({ channels, frames: channels[0]!.length, sampleRateHz: RATE_HZ }).integratedLufs
}

test.each([4, 1, -3])(
  'the voice comes forward by %d dB where it sounds, and the whole stays as loud',
  async (forwardDb) => {
    const seconds = 6
    const frames = seconds * RATE_HZ
    const random = uniform(21)
    // A voice in the middle third alone: tones of its own, so that it is found in the mix.
    const sings = (i: number) => i >= 2 * RATE_HZ && i < 4 * RATE_HZ
    const tone = (i: number, hertz: number) => Math.sin((2 * Math.PI * hertz * i) / RATE_HZ)
    const voice = Float32Array.from({ length: frames }, (_, i) => (sings(i) ? 0.1 * (tone(i, 700) + tone(i, 1900)) : 0))
    const rest = Float32Array.from({ length: frames }, () => 0.8 * (random() - 0.5))
    const voiceStem = {
      ...(await stemOf(writeFloatWav(path.join(folder, 'voice.wav'), [voice, voice], RATE_HZ))),
      role: 'voice' as const,
    }
    const restStem = await stemOf(writeFloatWav(path.join(folder, 'rest.wav'), [rest, rest], RATE_HZ))
    const stems = [voiceStem, restStem]
    const settings = { voice_forward_db: forwardDb }
    const [sum, moved] = [await mix(stems), await mix(stems, settings)].map((made) => samplesOf(made.path))
    expect(Math.abs(levelOf(moved!) - levelOf(sum!))).toBeLessThan(0.05)
    // The rest alone, as it is in the mix: where the voice is silent, its gain; where it sounds, its gain and cut.
    const [restSamples, voiceSamples] = [samplesOf(restStem.path), samplesOf(voiceStem.path)]
    const restGain = moved![1000]! / restSamples[1000]!
    const project = (one: Float32Array, other: Float32Array) => {
      let [product, power] = [0, 0]
      for (let i = 2 * 2.5 * RATE_HZ; i < 2 * 3.5 * RATE_HZ; i++) {
        product += one[i]! * other[i]!
        power += other[i]! ** 2
      }
      return product / power
    }
    const voiceGain = project(moved!, voiceSamples)
    const restIn = moved!.map((value, i) => value - voiceGain * voiceSamples[i]!)
    const cutDb =
      levelOf(restIn, 2.5, 3.5) -
      levelOf(
        restSamples.map((value) => restGain * value),
        2.5,
        3.5,
      )
    const changeDb = 20 * Math.log10(voiceGain / restGain) - cutDb
    expect(Math.abs(changeDb - forwardDb)).toBeLessThan(0.15)
    if (forwardDb > 0) expect(cutDb).toBeLessThan(-0.02)
    else expect(Math.abs(cutDb)).toBeLessThan(0.02)
    expect(cutDb).toBeGreaterThan(-2)
  },
)

test('a voice that is silent, or a rest that is, leaves the sum', async () => {
  const { stems } = await twoStems()
  const voiceOnly = stems.map((stem) => ({ ...stem, role: 'voice' as const }))
  expect((await mix(voiceOnly, { voice_forward_db: 3 })).sha256).toBe((await mix(stems)).sha256)
  // Inaudible, but not digital silence.
  const plane = new Float32Array(RATE_HZ).fill(1e-6)
  const faint = await stemOf(writeFloatWav(path.join(folder, 'faint.wav'), [plane], RATE_HZ))
  const withFaint = [...stems, { ...faint, role: 'voice' as const }]
  expect((await mix(withFaint, { voice_forward_db: 3 })).sha256).toBe((await mix(withFaint)).sha256)
})

test('a voice that only sounds alone is moved by its level', async () => {
  const tone = (first: number, last: number) =>
    Float32Array.from({ length: 4 * RATE_HZ }, (_, i) =>
      i >= first * RATE_HZ && i < last * RATE_HZ ? 0.1 * Math.sin(0.1 * i) : 0,
    )
  const [sung, other] = [tone(0, 2), tone(2, 4)]
  const voice = {
    ...(await stemOf(writeFloatWav(path.join(folder, 'alone.wav'), [sung], RATE_HZ))),
    role: 'voice' as const,
  }
  const rest = await stemOf(writeFloatWav(path.join(folder, 'then.wav'), [other], RATE_HZ))
  const moved = samplesOf((await mix([voice, rest], { voice_forward_db: 3 })).path)
  const gain = (second: number, samples: Float32Array) => {
    const i = Math.round(second * RATE_HZ) + 10
    return moved[2 * i]! / samples[i]!
  }
  expect(20 * Math.log10(gain(1, sung) / gain(3, other))).toBeCloseTo(3, 4)
})

test('a sum in a file is that in memory', () => {
  const random = uniform(41)
  const sums = [new StemSum(), new StemSum(path.join(folder, 'sum'))]
  for (const frames of [70_000, 200_001, 1]) {
    const channels = [0, 1].map(() => Float32Array.from({ length: frames }, random))
    for (const sum of sums) sum.add({ channels, frames }, [0.3, 0.7])
  }
  const invert = (block: Float64Array) => block.set(block.map((value) => 1 / (1 + value)))
  for (const sum of sums) sum.change(150_000, invert)
  const digestOf = (block: Float64Array) =>
    createHash('sha256').update(new Uint8Array(block.slice().buffer)).digest('hex')
  const [inMemory, onDisk] = sums.map((sum) => Array.from(sum.blocks(300_000), digestOf))
  expect(new Set(inMemory).size).toBe(5)
  expect(onDisk).toEqual(inMemory)
  for (const sum of sums) sum.close()
})

test('the stereo mix is placed to the sample beside the sum, and what the stems lack is restored', async () => {
  const { stems, music, hiss } = await twoStems()
  const random = uniform(31)
  // Later by 777 samples, turned over and louder, with a room that the stems do not have.
  const planes = [0, 1].map((c) => {
    const dry = Float32Array.from(
      { length: music.length / 2 },
      (_, i) => music[2 * i + c]! + hiss[2 * i + c]! + 0.02 * (random() - 0.5),
    )
    return Float32Array.from({ length: dry.length + 2000 }, (_, i) => -1.5 * (dry[i - 777] ?? 0))
  })
  const file = await stemOf(writeFloatWav(path.join(folder, 'original.wav'), planes, RATE_HZ))
  const order = { ffmpeg, stems, tags: {} }
  const compared = await mixStems(
    { ...order, folder: mkdtempSync(path.join(folder, 'mix-')), original: { file } },
    never,
  )
  expect(compared.sha256, 'the mix is not added').toBe((await mix(stems)).sha256)
  const { offsetFrames, isInverted, gainDb } = compared.likeness!
  expect({ offsetFrames, isInverted }).toEqual({ offsetFrames: 777, isInverted: true })
  expect(Math.abs(gainDb - 20 * Math.log10(1.5))).toBeLessThan(0.01)

  const likeness = { ...compared.likeness!, sampleRateHz: RATE_HZ }
  const restored = async (settings: StemMix) => {
    const target = mkdtempSync(path.join(folder, 'mix-'))
    const given = {
      ...order,
      folder: target,
      original: { file, likeness },
      mix: { restore_missing: true, ...settings },
    }
    const made = await mixStems(given, never)
    expect(readdirSync(target)).toEqual(['mix.wav'])
    return samplesOf(made.path)
  }
  const residualDb = (samples: Float32Array, due: (i: number, c: number) => number) => {
    let [rest, whole] = [0, 0]
    for (const [i, value] of samples.entries()) {
      const expected = due(i >> 1, i % 2)
      rest += (value - expected) ** 2
      whole += expected ** 2
    }
    return 10 * Math.log10(rest / whole)
  }
  const inPlace = (i: number, c: number) => (planes[c]![i + 777] ?? 0) / -(10 ** (gainDb / 20))
  expect(residualDb(await restored({}), inPlace)).toBeLessThan(-120)
  // A stem that is changed is changed alone.
  const without = await restored({ stems: [{ stem: 2, mute: true }] })
  expect(residualDb(without, (i, c) => inPlace(i, c) - (hiss[2 * i + c] ?? 0))).toBeLessThan(-110)
  const tilted = { stems: [{ stem: 1, tilt_db: 1 }] }
  const [dry, whole] = [samplesOf((await mix(stems, tilted)).path), await restored(tilted)]
  const lacking = (i: number, c: number) => inPlace(i, c) - (music[2 * i + c] ?? 0) - (hiss[2 * i + c] ?? 0)
  expect(residualDb(whole, (i, c) => (dry[2 * i + c] ?? 0) + lacking(i, c))).toBeLessThan(-110)
  const alone = await restored({ stems: [{ stem: 1, solo: true }] })
  expect(alone.subarray(0, music.length)).toEqual(music)
})

test('kept stems are the mix to the sample, and a change of levels needs no stem again', async () => {
  const { stems } = await twoStems()
  const kept = mkdtempSync(path.join(folder, 'kept-'))
  const settings = (gainDb: number): StemMix => ({
    stems: [
      { stem: 1, tilt_db: 1, gain_db: gainDb },
      { stem: 2, pan_percent: -30 },
    ],
  })
  const heard = (one: StemMix) => {
    const lanes = keptLanes({ stems }, one, kept)
    if (!lanes) return undefined
    const frames = Math.max(...lanes.map((lane) => lane.frames))
    const size = { frames: frames - 1000, sampleRateHz: RATE_HZ }
    const { channels } = audioOfBlocks(sumBlocks(lanes, frames, 1000), size, (length) => new Float32Array(length))
    return Float32Array.from({ length: 2 * size.frames }, (_, i) => channels[i % 2]![i >> 1]!)
  }
  expect(heard(settings(1))).toBeUndefined()
  const made = await mixStems(
    { ffmpeg, folder: mkdtempSync(path.join(folder, 'mix-')), stems, tags: {}, kept, mix: settings(1) },
    never,
  )
  expect(made.sha256).toBe((await mix(stems, settings(1))).sha256)
  expect(readdirSync(kept).length).toBe(3)
  for (const gainDb of [1, -4])
    expect(heard(settings(gainDb))).toEqual(samplesOf((await mix(stems, settings(gainDb))).path).subarray(2000))
  expect(heard({ stems: [{ stem: 1, tilt_db: 2 }] }), 'another treatment is not there').toBeUndefined()
  // The voice is moved by its level until its mix is made.
  const singing = [{ ...stems[0]!, role: 'voice' as const }, stems[1]!]
  const gains = keptLanes({ stems: singing }, { voice_forward_db: 4 }, kept)!.map(
    (lane) => 20 * Math.log10(lane.gains![0]),
  )
  expect(gains.map((db) => Math.round(10 * db) / 10).sort((a, b) => a - b)).toEqual([-1, 3])
})
