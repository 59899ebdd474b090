import type { Repair } from '../../src-contract/report.ts'
import type { Deflutter, FlutterLine } from '../../src-contract/stages/deflutter.ts'
import { flutterBordersHz, largestSwingDb, swingStepSeconds } from '../analysis/flutter.ts'
import { lowPass } from '../dsp/biquad.ts'
import { type Audio, type AudioBlock, allocateBlock } from '../dsp/block.ts'
import { clamp, dbToGain, mix, rounded } from '../dsp/units.ts'
import { createZeroPhase } from '../dsp/zero-phase.ts'
import {
  type EditStage,
  nothingPlanned,
  type Planning,
  repairDecision,
  type StagePlan,
  unlessSkipped,
} from './stage.ts'

/** Frames between two computed gains, interpolated in between: 0.7 ms at 44.1 kHz, a ninth of the fastest movement's period. */
const stepFrames = 32
const blockFrames = 4096
/** Sections of the low-passes that divide the bands (order 4), and decay time of the lowest, at 1 kHz, s. */
const butterworthQs = [0.541, 1.307]
const tailSeconds = 0.01
/** Highest border with a band above it, as a part of the rate. */
const highestPart = 0.45

function planDeflutter({ analysis: { flutter } }: Planning): StagePlan<Deflutter> {
  if (flutter === null) return nothingPlanned
  const stage: Deflutter = { kind: 'deflutter', bordersHz: flutterBordersHz, swingStepSeconds, lines: flutter.lines }
  const values = { frequencyHz: rounded(flutter.frequencyHz), swingDb: rounded(mostMovedDb(stage)) }
  return { stages: [stage], decisions: [repairDecision('FLUTTER_STEADIED', values)] }
}

const linesOf = ({ lines }: Deflutter, c: number, band: number): FlutterLine[] =>
  lines.filter((line) => line.band === band && line.channel === (c === 0 ? 'left' : 'right'))

/** Largest movement of any band's level from its mean, dB. */
function mostMovedDb(stage: Deflutter): number {
  const knots = Math.max(0, ...stage.lines.map(({ swingsDb }) => swingsDb.length))
  const swings = stage.bordersHz.flatMap((_, band) =>
    [0, 1].flatMap((c) =>
      Array.from({ length: knots }, (_, knot) =>
        linesOf(stage, c, band).reduce((sum, { swingsDb }) => sum + (swingsDb[knot] ?? 0), 0),
      ),
    ),
  )
  return Math.max(0, ...swings)
}

/** Swing of a line at a time, dB. */
function swingAt({ swingsDb }: FlutterLine, seconds: number, stepSeconds: number): number {
  const at = clamp(seconds / stepSeconds, 0, swingsDb.length - 1)
  const knot = Math.min(Math.floor(at), swingsDb.length - 2)
  return mix(swingsDb[knot]!, swingsDb[knot + 1]!, at - knot)
}

/** Gain against the movements of one band at a time. */
const steadyingGain = (lines: readonly FlutterLine[], seconds: number, stepSeconds: number): number =>
  dbToGain(
    -lines.reduce(
      (sum, line) =>
        sum + swingAt(line, seconds, stepSeconds) * Math.cos(2 * Math.PI * line.frequencyHz * seconds + line.phase),
      0,
    ),
  )

/**
 * Steadies the bands of both channels in place: y = x + Σ (gain − 1) · band; a band is the difference of two low-passes. Frequencies well
 * below the first border keep their level.
 */
function steady(audio: Audio, stage: Deflutter): void {
  const { frames, sampleRateHz } = audio
  const borders = stage.bordersHz.filter((hz) => hz < highestPart * sampleRateHz)
  const filters = borders.map((hz) => {
    const sections = butterworthQs.map((q) => lowPass(hz, sampleRateHz, q))
    return createZeroPhase(sections, tailSeconds, sampleRateHz)
  })
  const latency = filters[0]?.latencySamples ?? 0
  const below = borders.map(() => allocateBlock(2, blockFrames))
  const whole = allocateBlock(2, blockFrames)
  for (let start = 0; start < frames + latency; start += blockFrames) {
    for (const [b, filter] of filters.entries()) filter.process(copyInto(below[b]!, audio, start))
    const edges = [...below, copyInto(whole, audio, start - latency)]
    for (const [c, samples] of audio.channels.entries()) {
      for (let band = 0; band < borders.length; band++) {
        const lines = linesOf(stage, c, band)
        if (lines.length === 0) continue
        const gains = (frame: number) => steadyingGain(lines, frame / sampleRateHz, stage.swingStepSeconds)
        turnBand(samples, start - latency, edges[band + 1]!.channels[c]!, edges[band]!.channels[c]!, gains)
      }
    }
  }
}

/** Copies the frames from `start` on, with silence outside the audio. */
function copyInto(block: AudioBlock, audio: Audio, start: number): AudioBlock {
  for (const [c, samples] of block.channels.entries()) {
    samples.fill(0)
    const from = Math.max(0, start)
    const end = Math.max(from, Math.min(audio.frames, start + block.frames))
    samples.set(audio.channels[c]!.subarray(from, end), from === end ? 0 : from - start)
  }
  return block
}

/** Adds a band, the difference of two signals, times (gain − 1) to the frames from `start` on. */
function turnBand(
  samples: Float32Array,
  place: number,
  upper: Float32Array,
  lower: Float32Array,
  gainAt: (frame: number) => number,
): void {
  const end = Math.min(upper.length, samples.length - place)
  let gain = gainAt(place)
  for (let step = 0; step < end; step += stepFrames) {
    const next = gainAt(place + step + stepFrames)
    for (let i = Math.max(step, -place); i < Math.min(end, step + stepFrames); i++) {
      samples[place + i]! += (mix(gain, next, (i - step) / stepFrames) - 1) * (upper[i]! - lower[i]!)
    }
    gain = next
  }
}

/** Correction of flutter. */
export const deflutter = {
  kind: 'deflutter',
  plan: (song) => unlessSkipped(song, 'flutter', planDeflutter(song)),
  edit(audio, stage) {
    steady(audio, stage)
    const strongest = stage.lines.reduce((most, line) => (largestSwingDb(line) > largestSwingDb(most) ? line : most))
    const repair: Repair = {
      kind: 'flutter',
      amount_db: rounded(mostMovedDb(stage)),
      frequency_hz: rounded(strongest.frequencyHz),
      channel: 'both',
    }
    return [repair]
  },
  workShare: 0,
  namesFrames: true,
  announces: { FLUTTER_STEADIED: 'flutter' },
} as const satisfies EditStage<Deflutter>
