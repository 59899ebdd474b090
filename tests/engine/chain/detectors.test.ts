import { describe, expect, it } from 'vitest'
import { addClicks, addOffset, addResonance, addTone, clipHard, toneDamages } from '../../../bench/damage.ts'
import { analyseSource, examineSamples, type SourceAnalysis } from '../../../src-engine/analysis/analysis.ts'
import { findClipping, flatTops } from '../../../src-engine/analysis/clipping.ts'
import { describePeakRelief } from '../../../src-engine/analysis/peak-relief.ts'
import { describeTone, toneDeviation } from '../../../src-engine/analysis/tone-evidence.ts'
import { hasVoiceBursts } from '../../../src-engine/analysis/voice-bursts.ts'
import { bandPass, highShelf, peaking } from '../../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../../src-engine/dsp/biquad-cascade.ts'
import { type Audio, allocateAudio } from '../../../src-engine/dsp/block.ts'
import { createConvolver } from '../../../src-engine/dsp/fir.ts'
import { curveStepSeconds, measureWaveform } from '../../../src-engine/dsp/meters/dynamics.ts'
import { measureBandFrames, octaveBands } from '../../../src-engine/dsp/meters/spectrum.ts'
import { createMatchFilter } from '../../../src-engine/stages/match/curve-filter.ts'
import { designLowPass } from '../../support/low-pass.ts'
import { copyOf, filterWhole, noise, ordinaryMusic, rmsDbfs, sine } from './signals.ts'

const analyse = (audio: Audio): SourceAnalysis => analyseSource(audio, { lossy: false })
const music = ordinaryMusic(12)

/** Music with a burst of noise between 4 and 10 kHz twice a second, with soft edges, and tones of a voice, `sung` loud, that stop for it. */
function spoken(sung: number, softSeconds: number): Audio {
  const song = copyOf(music)
  const hiss = noise(12, 1, 48_000, 3)
  createBiquadCascade([bandPass(6500, 48_000, 1.2)]).process(hiss)
  for (let i = 0; i < song.frames; i++) {
    const seconds = (i % 24_000) / 48_000 - 0.375
    const edge = Math.min(1, Math.abs(seconds) / softSeconds, (0.125 - seconds) / softSeconds)
    const tone = [1000, 1500, 2300].reduce((sum, hz) => sum + Math.sin((2 * Math.PI * hz * i) / 48_000), 0)
    for (const [c, samples] of song.channels.entries())
      samples[i]! += edge * (seconds > 0 ? 0.5 * hiss.channels[c]![i]! : sung * tone)
  }
  return song
}

/** A codec's low-pass at 16 kHz and 48 kHz. */
const createLowPass = () => {
  const kernel = designLowPass(1023, 16_000, 48_000, 12)
  return createConvolver(kernel, kernel)
}

describe('ordinary music', () => {
  const analysis = analyse(music)

  it('has none of the faults that are looked for', () => {
    expect(analysis.clipping.count).toBe(0)
    expect(analysis.clicks.flat()).toEqual([])
    expect(analysis.resonances).toEqual([])
    expect(analysis.bandwidthHz).toBeNull()
    expect(analysis.deadChannel).toBeNull()
    expect(analysis.isMono).toBe(false)
    expect(Math.abs(analysis.dcOffsets[0]!)).toBeLessThan(1e-3)
    expect(analysis.subsonic.levelDbfs).toBeLessThan(-45)
  })

  it('gives no evidence for a fault of tone', () => {
    for (const amount of Object.values(analysis.tone)) expect(Math.abs(amount)).toBeLessThan(2)
  })

  it('is measured as it was made', () => {
    expect(analysis.samplePeakDbfs).toBeCloseTo(-6.02, 1)
    expect(analysis.sideToMidDb!).toBeGreaterThan(-6)
    expect(analysis.sideToMidDb!).toBeLessThan(-2)
    expect(analysis.curves.peakDbfs).toHaveLength(120)
    expect(analysis.curves.shortTermLufs[28]).toBeNull()
    expect(analysis.curves.shortTermLufs[29]).toBeTypeOf('number')
  })
})

describe('a fault that was put in', () => {
  it('clipping is found at its level, in the places that are clipped', () => {
    const clipped = copyOf(music)
    clipHard(clipped, -4)
    const { clipping } = analyse(clipped)
    expect(clipping.count).toBeGreaterThan(10)
    expect(clipping.levels[0]!.positive ?? clipping.levels[1]!.positive).toBeCloseTo(0.5 * 10 ** (-4 / 20), 4)
  })

  it('every flat top is counted once, wherever it lies and on either side', () => {
    const song = allocateAudio(2, 60_000, 44_100)
    const [left, right] = song.channels
    const tops = [
      [0, 4],
      [4094, 4099],
      [8192, 8196],
      [12_280, 12_288],
      [30_000, 30_003],
      [59_995, 60_000],
    ] as const
    for (const [first, end] of tops) {
      left!.fill(0.2, Math.max(0, first - 1), end + 1).fill(0.5, first, end)
      right!.fill(-0.2, Math.max(0, first - 1), end + 1).fill(-0.4, first, end)
    }
    const { levels, count } = findClipping(song)
    expect(levels).toEqual([
      { positive: 0.5, negative: null },
      { positive: null, negative: Math.fround(-0.4) },
    ])
    expect(count).toBe(2 * tops.length)
    expect(flatTops(left!, levels[0]!)).toEqual(tops)
    expect(flatTops(right!, levels[1]!)).toEqual(tops)
  })

  it('the crest of a loud low note is not clipping', () => {
    expect(analyse(sine(10, 40, 0.99)).clipping.count).toBe(0)
  })

  it.each([
    ['loud in 8 bit', 0.9, 128],
    ['very quiet in 16 bit', 0.003, 32_768],
  ])('the crest of a low note, %s, is not clipping', (_, amplitude, steps) => {
    const note = sine(10, 40, amplitude)
    for (const samples of note.channels) {
      for (let i = 0; i < samples.length; i++) samples[i] = Math.round(samples[i]! * steps) / steps
    }
    expect(analyse(note).clipping.count).toBe(0)
  })

  it('every click is found, in its own channel, and nothing else', () => {
    const clicked = copyOf(music)
    const frames = addClicks(clicked, 0.7, 0.4)
    const [left, right] = analyse(clicked).clicks
    expect(right).toEqual([])
    expect(left).toHaveLength(frames.length)
    for (const [k, [first, last]] of left!.entries()) {
      expect(first).toBeLessThanOrEqual(frames[k]!)
      expect(last).toBeGreaterThan(frames[k]!)
    }
  })

  it.each([0, 1e-4])('clicks are the piece where there is nothing else but noise of %d', (amplitude) => {
    const track = noise(12, amplitude)
    addClicks(track, 0.7, 0.8)
    expect(analyse(track).clicks.flat()).toEqual([])
  })

  it('a single impulse in silence is the piece, a stray click in a very quiet song is not', () => {
    const impulse = noise(4, 0)
    impulse.channels[0]![96_000] = 0.9
    expect(analyse(impulse).clicks.flat()).toEqual([])
    const quiet = copyOf(music)
    for (const samples of quiet.channels) for (let i = 0; i < samples.length; i++) samples[i]! *= 0.005
    quiet.channels[0]![96_000] = 0.9
    expect(analyse(quiet).clicks.flat()).toHaveLength(1)
  })

  it.each([
    ['a deep tone', (t: number) => (t < 0.5 ? Math.cos(2 * Math.PI * 55 * t) : 0)],
    ['a tone', (t: number) => (t < 0.5 ? Math.cos(2 * Math.PI * 220 * t) : 0)],
    ['a kick', (t: number) => Math.exp(-30 * t) * Math.cos(2 * Math.PI * 60 * t)],
  ])('%s that begins or ends abruptly beside digital silence is no click', (_, sample) => {
    const notes = noise(12, 0)
    for (let start = 48_000; start < notes.frames; start += 120_000) {
      for (const channel of notes.channels) {
        for (let i = 0; i < 48_000; i++) channel[start + i] = 0.7 * sample(i / 48_000)
      }
    }
    expect(analyse(notes).clicks.flat()).toEqual([])
  })

  it('an offset that begins before its music and ends behind it is no click', () => {
    const moved = copyOf(music)
    const last = moved.frames - 96_000
    for (const samples of moved.channels) {
      for (let i = 0; i < moved.frames; i++) {
        const isMusic = i >= 96_000 && i < last
        const isOffset = i >= 48_000 && i < last + 48_000
        samples[i] = (isMusic ? samples[i]! : 0) + (isOffset ? 0.1 : 0)
      }
    }
    expect(analyse(moved).clicks.flat()).toEqual([])
    moved.channels[0]![60_000]! += 0.3
    expect(analyse(moved).clicks.flat()).toHaveLength(1)
  })

  it('drum hits are not clicks', () => {
    const drums = copyOf(music)
    for (let hit = 1; hit < 11; hit++) {
      for (let i = 0; i < 12_000; i++) {
        const sample = 0.5 * Math.exp(-i / 600) * Math.sin(i * 0.9 + Math.sin(i * 2.7))
        for (const channel of drums.channels) channel[hit * 48_000 + i]! += sample
      }
    }
    expect(analyse(drums).clicks.flat()).toEqual([])
  })

  it('a drum that begins at its full height is not a click', () => {
    const drums = copyOf(music)
    for (const channel of drums.channels) {
      for (let start = 24_000; start < drums.frames - 24_000; start += 33_600) {
        for (let i = 0; i < 24_000; i++) {
          channel[start + i]! += 0.4 * Math.cos((2 * Math.PI * 55 * i) / 48_000) * Math.exp(-i / 5760)
        }
      }
    }
    expect(analyse(drums).clicks.flat()).toEqual([])
  })

  it('the end of a chord that is cut off above a bass drum is not a click', () => {
    const audio = allocateAudio(2, 12 * 48_000, 48_000)
    const buzz = (t: number, hz: number, phase: number) => {
      let sum = 0
      for (let k = 1; k * hz < 3000; k++) sum += Math.sin(2 * Math.PI * k * (hz * t + phase)) / k
      return sum
    }
    for (let i = 0; i < audio.frames; i++) {
      const t = i / 48_000
      // So that every chord ends in another phase.
      const chord =
        t % 0.347 < 0.083 ? 0.1 * (buzz(t, 220, 0.1) + buzz(t, 262, 0.6) + buzz(t, 330, 0.3) + buzz(t, 440, 0.8)) : 0
      const beat = t % 0.5
      const drum = 0.6 * Math.exp(-beat / 0.12) * Math.sin(2 * Math.PI * 50 * beat + 10 * (1 - Math.exp(-beat / 0.015)))
      for (const samples of audio.channels) samples[i] = drum + chord
    }
    expect(analyse(audio).clicks.flat()).toEqual([])
  })

  it('the top of a pulse is not clipping, the same cut off later is', () => {
    const pulses = allocateAudio(2, 4 * 48_000, 48_000)
    for (const samples of pulses.channels) for (let i = 0; i < samples.length; i++) samples[i] = i % 109 < 27 ? 0.6 : 0
    expect(findClipping(pulses).count).toBe(0)
    addTone(pulses, 300, -12)
    clipHard(pulses, -2)
    expect(findClipping(pulses).count).toBeGreaterThan(100)
  })

  it.each([3000, 4900, 7000])('the top of a square wave behind a low-pass at %i Hz is not clipping', (cutoffHz) => {
    const square = allocateAudio(2, 4 * 48_000, 48_000)
    const part = 1 - Math.exp((-2 * Math.PI * cutoffHz) / 48_000)
    for (const samples of square.channels) {
      let level = 0
      for (let i = 0; i < samples.length; i++) {
        // Every note begins at its full height, and becomes softer in steps.
        const note = 220 * 2 ** ((Math.floor(i / 7200) % 5) / 5)
        const volume = 1 - Math.floor((i % 7200) / 800) / 15
        level += part * ((((i * note) / 48_000) % 1 < 0.5 ? 0.7 : -0.7) * volume - level)
        samples[i] = level
      }
    }
    expect(findClipping(square).count).toBe(0)
  })

  it('an offset, rumble and a resonance are found where they are', () => {
    const shifted = copyOf(music)
    addOffset(shifted, 0.05)
    expect(analyse(shifted).dcOffsets[1]).toBeCloseTo(0.05, 3)
    const rumbling = copyOf(music)
    addTone(rumbling, 15, -30)
    const { subsonic } = analyse(rumbling)
    expect(subsonic.frequencyHz).toBeCloseTo(15, 0)
    expect(subsonic.levelDbfs).toBeCloseTo(-33, 0)
    const ringing = copyOf(music)
    addResonance(ringing, 6000)
    const [resonance] = analyse(ringing).resonances
    expect(resonance!.frequencyHz / 6000).toBeCloseTo(1, 1)
    expect(resonance!.excessDb).toBeGreaterThan(5)
  })

  it.each([
    ['a partial that rests for one second in eight is a note', 96, 8, 0],
    ['one that stays but for one second in sixteen is a resonance', 96, 16, 1],
    ['of a short piece it may be a chord', 16, 16, 0],
  ])('%s', (_, seconds, restsEvery, found) => {
    const song = ordinaryMusic(seconds)
    for (let i = 0; i < song.frames; i++) {
      if (Math.floor(i / 48_000) % restsEvery === 0) continue
      for (const channel of song.channels) channel[i]! += 0.03 * Math.sin((2 * Math.PI * 6000 * i) / 48_000)
    }
    expect(analyse(song).resonances).toHaveLength(found)
  })

  it('a whistle that the loud fifth of a song hides is found', () => {
    const song = ordinaryMusic(96)
    for (let i = 0; i < song.frames; i++) {
      const gain = Math.floor(i / 48_000) % 5 === 0 ? 1 : 0.03
      for (const channel of song.channels)
        channel[i] = gain * channel[i]! + 0.001 * Math.sin((2 * Math.PI * 6000 * i) / 48_000)
    }
    expect(analyse(song).resonances.map(({ frequencyHz }) => Math.round(frequencyHz / 200) * 200)).toEqual([6000])
  })

  it('a step of the spectrum is no resonance', () => {
    const song = noise(20, 0.2, 48_000, 5)
    const step = { frequencyHz: [5900, 6100], gainDb: [0, -14] }
    createMatchFilter(step, step, 48_000).process(song)
    expect(analyse(song).resonances).toEqual([])
  })

  it.each([
    ['a voice that stops for each s has sibilants', { sung: 0.05, softSeconds: 0.06 }, true],
    ['bursts over a voice range that plays on are none', { sung: 0, softSeconds: 0.06 }, false],
    ['nor are bursts as hard as a drum', { sung: 0.05, softSeconds: 0.001 }, false],
  ])('%s', (_, { sung, softSeconds }, isOfVoice) => {
    const { sibilance } = analyse(spoken(sung, softSeconds))
    expect(sibilance.sharpestDb - sibilance.typicalDb).toBeGreaterThan(10)
    expect(sibilance.isOfVoice).toBe(isOfVoice)
  })

  it.each([
    ['in', true],
    ['between', false],
  ])('a voice %s the three passages of a long song that are heard: %s', (_, isHeard) => {
    const voice = spoken(0.05, 0.06)
    const song = allocateAudio(2, 120 * 48_000, 48_000)
    for (const [c, samples] of song.channels.entries()) {
      for (let i = 0; i < samples.length; i++) {
        const isInPassage = Math.abs(((i / 48_000) % 40) - 20) <= 10
        samples[i] = (isInPassage === isHeard ? voice : music).channels[c]![i % music.frames]!
      }
    }
    expect(hasVoiceBursts(song)).toBe(isHeard)
  })

  it('what nobody hears is no resonance', () => {
    expect(analyse(sine(5, 50, 0.9)).resonances).toEqual([])
  })

  it('a cutoff at 16 kHz and a dead channel are named', () => {
    const limited = allocateAudio(2, music.frames, music.sampleRateHz)
    for (const [c, samples] of limited.channels.entries()) samples.set(music.channels[c]!)
    filterWhole(limited, createLowPass())
    expect(analyse(limited).bandwidthHz! / 16_000).toBeCloseTo(1, 1)
    const dead = copyOf(music)
    dead.channels[1]!.fill(0)
    expect(analyse(dead).deadChannel).toBe('right')
  })
})

describe('the end of the band', () => {
  it('is found where the level falls by 30 dB and no farther, as after a codec', () => {
    const limited = copyOf(music)
    filterWhole(limited, createLowPass())
    const leaking = copyOf(limited)
    const late = 511 + createLowPass().latencySamples
    for (const [c, samples] of leaking.channels.entries()) {
      for (let i = late; i < samples.length; i++) samples[i]! += music.channels[c]![i - late]! * 10 ** (-30 / 20)
    }
    expect(analyse(leaking).bandwidthHz! / 16_000).toBeCloseTo(1, 1)
  })

  it('is not a shelf, however deep', () => {
    const dull = copyOf(music)
    filterWhole(dull, createBiquadCascade([highShelf(8000, 48_000, -12), highShelf(9000, 48_000, -12)]))
    expect(analyse(dull).bandwidthHz).toBeNull()
  })
})

describe('a song that is examined at the rate of its file', () => {
  it('is measured in tenths of a second, also where they are no whole number of frames', () => {
    const song = noise(60, 0.1, 11_025)
    song.channels[0]![Math.round(59.51 * 11_025)] = 0.8
    const { peakDbfs } = examineSamples(song).waveform
    expect(peakDbfs).toHaveLength(600)
    expect(peakDbfs.indexOf(Math.max(...peakDbfs))).toBe(595)
  })

  it('shares an offset that its last frames happen to leave, but not one that a tenth of a second leaves', () => {
    const standing = (silentFrames: number) => {
      const song = noise(10.01, 0.005, 48_000)
      addOffset(song, 0.02)
      for (const samples of song.channels) samples.fill(0, song.frames - silentFrames)
      return examineSamples(song).waveform.standingOffsets.map((offset) => Number(offset.toFixed(3)))
    }
    expect(standing(480)).toEqual([0.02, 0.02])
    expect(standing(480 + 4800)).toEqual([0, 0])
  })

  it('of 192 kHz has the rumble that is there, and none where its middle line wanders', () => {
    const swaying = (hz: number) => examineSamples(sine(8, hz, 0.1, 192_000)).subsonic
    expect(swaying(15).levelDbfs).toBeCloseTo(-23, 0)
    expect(swaying(15).frequencyHz).toBeCloseTo(15, 0)
    expect(swaying(0.3).levelDbfs).toBeLessThan(-46)
  })

  it('has no true peak below its highest sample', () => {
    const own = sine(2, 997, 0.5, 192_000)
    own.channels[0]![200_000] = 0.9
    const heard = sine(2, 997, 0.5, 96_000)
    const { samplePeakDbfs, truePeakDbtp } = analyseSource(heard, { lossy: false, samples: examineSamples(own) })
    expect(samplePeakDbfs).toBeCloseTo(20 * Math.log10(0.9), 4)
    expect(truePeakDbtp).toBe(samplePeakDbfs)
  })
})

describe('what is no music', () => {
  it('silence is silent and has no loudness', () => {
    const analysis = analyse(allocateAudio(2, 48_000, 48_000))
    expect(analysis.isSilent).toBe(true)
    expect([analysis.integratedLufs, analysis.truePeakDbtp, analysis.plrDb]).toEqual([null, null, null])
  })

  it.each([0, 1, 100, 20_000])('a piece of %i frames is analysed without an error', (frames) => {
    const short = allocateAudio(2, frames, 48_000)
    for (const samples of short.channels) samples.fill(0.1)
    expect(analyse(short).frames).toBe(frames)
  })

  it('silence at the edges is measured', () => {
    const framed = allocateAudio(2, 8 * 48_000, 48_000)
    for (const [c, samples] of framed.channels.entries()) samples.set(noise(3, 0.5).channels[c]!, 3 * 48_000)
    const { leadingSilenceSeconds, trailingSilenceSeconds } = analyse(framed)
    expect(leadingSilenceSeconds).toBeCloseTo(3, 1)
    expect(trailingSilenceSeconds).toBeCloseTo(2, 1)
  })
})

describe('music that was limited and damaged afterwards', () => {
  const limited = ordinaryMusic(31)
  clipHard(limited, -9)
  const untouched = analyse(limited).peakRelief

  it.each([
    ['mud +4 dB at 250 Hz', 'mud'],
    ['harsh +5 dB at 6 kHz', 'harshness'],
    ['narrowed by 6 dB', 'narrowed'],
    ['over-wide by 6 dB', 'widened'],
  ] as const)('%s shows in peaks that line up again once it is undone, and undamaged does not', (damage, fault) => {
    const damaged = copyOf(limited)
    toneDamages[damage]!(damaged)
    const before = untouched.faults[fault]
    expect(before.crest).toBeLessThan(0)
    expect(before.edge).toBeLessThan(0)
    expect(before.edgeAgain).toBeGreaterThan(0)
    const after = analyse(damaged).peakRelief.faults[fault]
    expect(after.crest).toBeGreaterThan(0.1)
    expect(after.edge).toBeGreaterThan(0.1)
    expect(after.edgeAgain).toBeGreaterThan(0)
  })

  it('is known by its loudest half minute, whatever comes before', () => {
    const late = allocateAudio(2, 2 * limited.frames, limited.sampleRateHz)
    for (const [c, samples] of late.channels.entries()) {
      samples.set(music.channels[c]!.map((sample) => sample / 8))
      samples.set(limited.channels[c]!, limited.frames)
    }
    const { whole } = describePeakRelief(late, measureWaveform(late).peakDbfs, curveStepSeconds)
    expect(whole.crestDb).toBeCloseTo(untouched.crestDb, 1)
  })

  it('says less the shorter it is, and nothing of silence', () => {
    const start = allocateAudio(2, 10 * 48_000, 48_000)
    for (const [c, samples] of start.channels.entries()) samples.set(limited.channels[c]!.subarray(0, start.frames))
    const short = analyse(start).peakRelief
    for (const statistic of ['crest', 'edge', 'edgeAgain'] as const) {
      const ratio = short.faults.mud[statistic] / untouched.faults.mud[statistic]
      expect(ratio).toBeGreaterThan(0.1)
      expect(ratio).toBeLessThan(0.5)
    }
    expect(untouched.crestDb).toBeLessThan(1)
    expect(short.crestDb).toBeGreaterThan(1.5)
    for (const silence of [allocateAudio(2, 500, 48_000), allocateAudio(2, 5 * 48_000, 48_000)]) {
      const { crestDb, faults } = analyse(silence).peakRelief
      expect(crestDb).toBe(2.5)
      for (const relief of Object.values(faults)) expect(relief).toEqual({ crest: 0, edge: 0, edgeAgain: 0 })
    }
  })
})

describe('a fault of tone', () => {
  const withPeak = (frequencyHz: number, q: number, gainDb: number) => {
    const song = copyOf(music)
    filterWhole(song, createBiquadCascade([peaking(frequencyHz, song.sampleRateHz, q, gainDb)]))
    return analyse(song).tonePlaces
  }

  it.each([
    ['harshness', 6000, 1],
    ['harshness', 7600, Math.SQRT2],
    ['harshness', 4800, 1],
    ['mud', 250, 1],
    ['mud', 200, Math.SQRT2],
    ['mud', 320, 1],
  ] as const)('is placed where the song has it: %s at %i Hz, Q %d', (kind, frequencyHz, q) => {
    const place = withPeak(frequencyHz, q, 8)[kind]
    expect(Math.abs(Math.log2(place.frequencyHz / frequencyHz))).toBeLessThan(0.2)
    expect(Math.abs(Math.log2(place.q / q))).toBeLessThanOrEqual(0.51)
    expect(place.evidenceDb).toBeGreaterThan(5)
  })

  it('is looked for in alternate blocks too, so that what comes and goes with them is not in both', () => {
    const song = ordinaryMusic(40)
    const section = createBiquadCascade([peaking(6000, song.sampleRateHz, 1, 8)])
    for (const first of [0, 20]) {
      const [start, end] = [first, first + 10].map((seconds) => seconds * song.sampleRateHz)
      section.reset()
      section.process({ channels: song.channels.map((samples) => samples.subarray(start, end)), frames: end! - start! })
    }
    const { tone, halves } = analyse(song)
    expect(halves[0].tone.harshness - halves[1].tone.harshness).toBeGreaterThan(6)
    expect(tone.harshness).toBeLessThan(halves[0].tone.harshness)
    expect(tone.harshness).toBeGreaterThan(halves[1].tone.harshness)
  })

  it('is the same in both halves of even music, and in all of a piece without halves', () => {
    const { tone, width, peakRelief, halves } = analyse(ordinaryMusic(40))
    for (const half of halves) {
      for (const kind of ['mud', 'harshness', 'dullness'] as const) {
        expect(Math.abs(half.tone[kind] - tone[kind])).toBeLessThan(1)
        expect(Math.abs(half.peakRelief.faults[kind].crest - peakRelief.faults[kind].crest)).toBeLessThan(0.3)
      }
      expect(Math.abs(half.width.widestDb - width.widestDb)).toBeLessThan(0.5)
    }
    const short = allocateAudio(2, 4000, 48_000)
    for (const [c, samples] of short.channels.entries()) samples.set(music.channels[c]!.subarray(0, 4000))
    const piece = analyse(short)
    for (const half of piece.halves) expect(half.tone).toEqual(piece.tone)
  })
})

it('rumble is found wherever in the song it lies', () => {
  const late = copyOf(music)
  for (const samples of late.channels) {
    for (let i = 9 * 48_000; i < samples.length; i++) samples[i]! += 0.1 * Math.sin((2 * Math.PI * 10 * i) / 48_000)
  }
  expect(analyse(late).subsonic.levelDbfs).toBeGreaterThan(-32)
})

it('low notes are told apart at 96 kHz as they are at 48', () => {
  const [one, other] = [48_000, 96_000].map((rate) => analyse(sine(3, 40, 0.5, rate)).spectrum.midDb)
  for (const [b, level] of one!.entries()) if (level > -60) expect(other![b]!).toBeCloseTo(level, 0)
})

describe('what plays hardly or too often', () => {
  it('a channel with ten clicks a second is made of them, and has none', () => {
    const clicking = copyOf(music)
    addClicks(clicking, 0.1, 0.4)
    expect(analyse(clicking).clicks).toEqual([[], []])
    const now = copyOf(music)
    const places = addClicks(now, 1, 0.4)
    expect(analyse(now).clicks[0]).toHaveLength(places.length)
  })

  it('a pause says nothing of the width, however wide its hiss', () => {
    const narrow = copyOf(music)
    const [left, right] = narrow.channels as [Float32Array, Float32Array]
    const hiss = noise(12, 0.001)
    for (let i = 0; i < narrow.frames; i++) {
      const [l, r] = [left[i]!, right[i]!]
      const isPause = i % 96_000 > 48_000
      left[i] = isPause ? hiss.channels[0]![i]! : 0.6 * l + 0.4 * r
      right[i] = isPause ? -hiss.channels[0]![i]! : 0.4 * l + 0.6 * r
    }
    expect(analyse(narrow).width.widestDb).toBeLessThan(-5)
  })

  it('the rests of a centred voice are wide by time, and not by energy', () => {
    const centred = copyOf(music)
    const [left, right] = centred.channels as [Float32Array, Float32Array]
    for (let i = 0; i < centred.frames; i++) {
      const middle = (left[i]! + right[i]!) / 2
      const isRest = i % 96_000 > 72_000
      left[i] = isRest ? 0.1 * middle : middle
      right[i] = isRest ? -0.09 * middle : 0.8 * middle
    }
    const { widestDb, widestEnergyDb } = analyse(centred).width
    expect(widestDb).toBeGreaterThan(8)
    expect(Math.max(...widestEnergyDb)).toBeLessThan(0)
  })

  it('a pause says nothing of the sibilants either, where it is 33 dB softer than the music', () => {
    const paused = copyOf(music)
    const hiss = noise(12, 1)
    const range = { frequencyHz: [3500, 5000, 9000, 12_000], gainDb: [-60, 0, 0, -60] }
    filterWhole(hiss, createMatchFilter(range, range, 48_000))
    const gain = 10 ** ((rmsDbfs(music) - 33 - rmsDbfs(hiss)) / 20)
    for (const [c, samples] of paused.channels.entries()) {
      for (let i = 0; i < samples.length; i++) if (i % 96_000 > 72_000) samples[i] = gain * hiss.channels[c]![i]!
    }
    expect(analyse(paused).sibilance.sharpestDb).toBeLessThan(analyse(music).sibilance.sharpestDb + 2)
  })
})

describe('music without a top', () => {
  it('is not taken for harsh or dull because of what is missing there', () => {
    const { tone } = analyse(ordinaryMusic(12, 22_050))
    expect(tone.harshness).toBeLessThan(3)
    expect(Math.abs(tone.dullness)).toBeLessThan(6)
    expect(Math.abs(tone.mud)).toBeLessThan(3)
  })

  it('is judged alike however empty its empty bands are', () => {
    const [frames] = measureBandFrames(music, [octaveBands(6, 25, 20_000)])
    const { centresHz } = frames!.bands
    const emptied = (gain: number) => {
      const mid = frames!.mid.map((power, i) =>
        Math.abs(centresHz[i % centresHz.length]! - 1200) < 200 ? power * gain : power,
      )
      return describeTone(toneDeviation({ ...frames!, mid }, 20_000))
    }
    expect(emptied(1e-12)).toEqual(emptied(1e-9))
  })

  const cutoffOf = (hz: number) => {
    const ending = copyOf(music)
    const kernel = designLowPass(4095, hz, 48_000, 12)
    filterWhole(ending, createConvolver(kernel, kernel))
    return analyse(ending).bandwidthHz
  }

  it.each([6000, 11_000, 15_000, 16_000, 18_000, 19_000])('has its cutoff at %i Hz, within 2 per cent', (hz) => {
    expect(Math.abs(cutoffOf(hz)! / hz - 1)).toBeLessThan(0.02)
  })

  it('has none where the audible band ends', () => {
    expect(cutoffOf(20_000)).toBeNull()
  })

  it('cannot be judged where the fault would lie: of what ends at 7 kHz nothing is said but of its mud', () => {
    const telephone = copyOf(music)
    const end = { frequencyHz: [6900, 7300], gainDb: [0, -90] }
    filterWhole(telephone, createMatchFilter(end, end, 48_000))
    const { tone, bandwidthHz } = analyse(telephone)
    expect(bandwidthHz).toBeCloseTo(7000, -3)
    expect([tone.harshness, tone.dullness]).toEqual([0, 0])
    expect(tone.mud).not.toBe(0)
  })
})
