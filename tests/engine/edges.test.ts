/** Edges on samples, against their definitions. */
import { describe, expect, it } from 'vitest'
import { edgeFault, FADE_SHAPES, type FadeShape } from '../../src-contract/edges.ts'
import { WHOLE_SONG } from '../../src-contract/settings.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { type Audio, allocateAudio, sliceBlock } from '../../src-engine/dsp/block.ts'
import { proposeEdges } from '../../src-engine/edge-proposal.ts'
import { finishEdges, paddingOf, shapeEdges, trimmed, withSilentPadding } from '../../src-engine/edges.ts'
import { createQuantiser } from '../../src-engine/finalise/dither.ts'
import { largest } from '../support/sounds.ts'

const RATE_HZ = 44_100

/** A ramp, different in both channels, that is never 0: every frame tells its place. */
function ramp(frames: number): Audio {
  const audio = allocateAudio(2, frames, RATE_HZ)
  for (const [c, samples] of audio.channels.entries()) for (let i = 0; i < frames; i++) samples[i] = (i + 1) * (c + 1)
  return audio
}

const FORMULAE: Readonly<Record<FadeShape, (part: number) => number>> = {
  linear: (part) => part,
  equal_power: (part) => part ** 0.5,
  smooth: (part) => 0.5 - 0.5 * Math.cos(Math.PI * part),
}

describe('fades', () => {
  it.each(FADE_SHAPES)('follow their formula at every frame: %s', (shape) => {
    const seconds = 0.1
    const frames = 4410
    const edges = {
      fade_in_seconds: seconds,
      fade_in_shape: shape,
      fade_out_seconds: 2 * seconds,
      fade_out_shape: shape,
    }
    const faded = finishEdges(ramp(RATE_HZ), { ...WHOLE_SONG, ...edges })
    for (const [c, samples] of faded.channels.entries()) {
      const gain = (i: number) => samples[i]! / ((i + 1) * (c + 1))
      const fadeIn = (i: number) => gain(i) - FORMULAE[shape](i / frames)
      const fadeOut = (i: number) => gain(RATE_HZ - 1 - i) - FORMULAE[shape](i / (2 * frames))
      expect(largest(0, frames, fadeIn)).toBeLessThan(5e-7)
      expect(largest(frames, RATE_HZ - 2 * frames, (i) => gain(i) - 1)).toBe(0)
      expect(largest(0, 2 * frames, fadeOut)).toBeLessThan(5e-7)
    }
  })

  it('are the same in stretches as in one piece, with the silence around them', () => {
    const edges = { ...WHOLE_SONG, fade_in_seconds: 0.03, fade_out_seconds: 0.05, fade_out_shape: 'smooth' as const }
    const padded = { ...edges, pad_start_seconds: 0.01, pad_end_seconds: 0.02 }
    const whole = finishEdges(ramp(10_000), padded)
    expect(whole.frames).toBe(441 + 10_000 + 882)
    for (const stretchFrames of [64, 1000, 4096]) {
      for (let first = 0; first < whole.frames; first += stretchFrames) {
        const end = Math.min(whole.frames, first + stretchFrames)
        const stretch = allocateAudio(2, end - first, RATE_HZ)
        for (const [c, samples] of stretch.channels.entries())
          for (let i = 0; i < end - first; i++) samples[i] = (first + i - 441 + 1) * (c + 1)
        shapeEdges(stretch, first, whole.frames, padded)
        const expected = sliceBlock(whole, first, end)
        for (const [c, samples] of stretch.channels.entries())
          expect(samples.every((value, i) => value === expected.channels[c]![i])).toBe(true)
      }
    }
  })

  it('leave the very audio where there are none', () => {
    const audio = ramp(100)
    expect(finishEdges(audio, WHOLE_SONG)).toBe(audio)
  })
})

describe('trims', () => {
  it('cut at the rounded sample', () => {
    const { frames, channels } = trimmed(ramp(1000), {
      trim_start_seconds: 100.6 / RATE_HZ,
      trim_end_seconds: 99.4 / RATE_HZ,
    })
    expect(frames).toBe(1000 - 101 - 99)
    expect([channels[0]![0], channels[1]!.at(-1)]).toEqual([102, 2 * 901])
  })

  it('that meet leave nothing', () => {
    expect(trimmed(ramp(1000), { trim_start_seconds: 1, trim_end_seconds: 1 }).frames).toBe(0)
  })
})

describe('padding', () => {
  it.each([16, 24] as const)('has no dither, and all else has the bytes that it has without: %d bit', (bitDepth) => {
    const edges = { ...WHOLE_SONG, pad_start_seconds: 700 / RATE_HZ, pad_end_seconds: 333 / RATE_HZ }
    const audio = finishEdges(ramp(5000), edges)
    for (const samples of audio.channels) for (let i = 0; i < samples.length; i++) samples[i]! *= 1e-5
    const settings = { bitDepth, sampleRateHz: RATE_HZ, seed: 3 }
    const plain = createQuantiser(settings)
    const silent = withSilentPadding(createQuantiser(settings), paddingOf(edges, RATE_HZ), { frames: audio.frames })
    const [with_, without] = [silent, plain].map((quantiser) => {
      const bytes = new Uint8Array(audio.frames * quantiser.bytesPerFrame)
      for (let first = 0; first < audio.frames; first += 512) {
        const block = sliceBlock(audio, first, first + 512)
        const out = new Uint8Array(block.frames * quantiser.bytesPerFrame)
        quantiser.write(block, out)
        bytes.set(out, first * quantiser.bytesPerFrame)
      }
      return bytes
    })
    const [start, end] = [700, 5700].map((frame) => frame * plain.bytesPerFrame)
    expect(with_!.subarray(0, start).every((byte) => byte === 0)).toBe(true)
    expect(with_!.subarray(end).every((byte) => byte === 0)).toBe(true)
    expect(without!.subarray(0, start).some((byte) => byte !== 0)).toBe(true)
    expect(with_!.subarray(start, end)).toEqual(without!.subarray(start, end))
  })
})

describe('edges that a song cannot have', () => {
  const fault = (edges: Partial<typeof WHOLE_SONG>, seconds = 10) => edgeFault({ ...WHOLE_SONG, ...edges }, seconds)
  it('are told by the setting at fault', () => {
    expect(fault({})).toBeUndefined()
    expect(fault({}, 0.4)).toBeUndefined()
    expect(fault({ trim_start_seconds: 5, trim_end_seconds: 4 })).toBeUndefined()
    expect(fault({ trim_start_seconds: 5, trim_end_seconds: 4.1 })).toMatchObject({
      code: 'TRIMMED_AWAY',
      param: 'trim_end_seconds',
      values: { leftSeconds: 0.9 },
    })
    expect(fault({ trim_start_seconds: 11 })).toMatchObject({ param: 'trim_start_seconds', values: { leftSeconds: 0 } })
    expect(fault({ fade_in_seconds: 4, fade_out_seconds: 6 })).toBeUndefined()
    expect(fault({ fade_in_seconds: 4, fade_out_seconds: 6, trim_start_seconds: 1 })).toMatchObject({
      code: 'FADES_OVERLAP',
      param: 'fade_out_seconds',
      values: { seconds: 10, leftSeconds: 9 },
    })
    expect(fault({ fade_in_seconds: 12 })).toMatchObject({ code: 'FADES_OVERLAP', param: 'fade_in_seconds' })
  })
})

describe('proposed edges', () => {
  const proposed = (start: number, end: number, trims = WHOLE_SONG, isSilent = false) =>
    proposeEdges({ isSilent, leadingSilenceSeconds: start, trailingSilenceSeconds: end } as SourceAnalysis, trims)
  it('leave a usual rest of long silence, on top of the trims of now', () => {
    expect(proposed(0.3, 3.3)).toEqual({
      trim_end_seconds: 2.3,
      reasons: [{ code: 'SILENCE_AT_END', silence_seconds: 3.3, kept_seconds: 1 }],
    })
    expect(proposed(1.5, 2.5, { ...WHOLE_SONG, trim_start_seconds: 2, trim_end_seconds: 1 })).toMatchObject({
      trim_start_seconds: 3.3,
      trim_end_seconds: 2.5,
    })
  })
  it('are none where nothing is long, and after they were taken', () => {
    expect(proposed(0.9, 1.9)).toBeUndefined()
    expect(proposed(0.2, 1)).toBeUndefined()
    expect(proposed(9, 9, WHOLE_SONG, true)).toBeUndefined()
  })
})
