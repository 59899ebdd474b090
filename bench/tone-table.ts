/** Steady tones held down by 6 dB: harmonic distortion of 50 Hz, and intermodulation of 60 Hz with 7 kHz (SMPTE RP 120, 4:1). */
import path from 'node:path'
import { type Audio, allocateAudio } from '../src-engine/dsp/block.ts'
import { measureLoudness } from '../src-engine/dsp/meters/loudness.ts'
import { planFinalise, prepareFinalise, renderFinalise } from '../src-engine/finalise/finalise.ts'
import { runCommand } from './cost.ts'
import { decodeSong } from './music.ts'
import { type BenchInput, fixed, NAME_WIDTH, startTable } from './table.ts'

interface Row {
  readonly tool: string
  readonly thdPlusNoiseDb: number
  readonly imdDb: number
}

const SECONDS = 12
const CEILING_DBTP = -1
const OVER_DB = 6
/** Peak of the tones before the drive, dBFS. */
const PEAK_DB = -7

const tones = {
  fifty: 'sin(2*PI*50*t)',
  smpte: '(0.8*sin(2*PI*60*t)+0.2*sin(2*PI*7000*t))',
}

/** Measures Loudsmith and every peer that takes a gain. */
export async function benchTones({ peers, work, say }: Omit<BenchInput, 'files' | 'seconds'>): Promise<Row[]> {
  const inputs = { fifty: path.join(work, 'fifty.wav'), smpte: path.join(work, 'smpte.wav') }
  for (const [name, formula] of Object.entries(tones)) {
    const signal = `${10 ** (PEAK_DB / 20)}*${formula}`
    const source = `aevalsrc='${signal}|${signal}':s=44100:d=${SECONDS}`
    const output = inputs[name as keyof typeof inputs]
    await runCommand('ffmpeg', [
      '-nostdin',
      '-v',
      'error',
      '-y',
      '-f',
      'lavfi',
      '-i',
      source,
      '-c:a',
      'pcm_f32le',
      output,
    ])
  }
  say(`\nSteady tones ${OVER_DB} dB over the ceiling.\n`)
  const print = startTable([['tool', NAME_WIDTH], ['50 Hz THD+N dB'], ['SMPTE IMD dB']], say)
  const rows: Row[] = []
  const add = (tool: string, fifty: Audio, smpte: Audio) => {
    const row = { tool, thdPlusNoiseDb: thdPlusNoiseDb(fifty), imdDb: imdDb(smpte) }
    rows.push(row)
    print([row.tool, fixed(row.thdPlusNoiseDb, 1), fixed(row.imdDb, 1)])
  }
  add('Loudsmith', held(decodeSong(inputs.fifty)), held(decodeSong(inputs.smpte)))
  for (const peer of peers) {
    if (!peer.limit) continue
    const output = path.join(work, 'tone.wav')
    const through = async (input: string) => {
      await peer.limit?.({ input, output }, CEILING_DBTP - PEAK_DB + OVER_DB, CEILING_DBTP, runCommand)
      return decodeSong(output)
    }
    add(peer.name, await through(inputs.fifty), await through(inputs.smpte))
  }
  return rows
}

/** A steady tone cannot become louder than its ceiling: a target beyond it makes targeting stop at its budget of 6 dB reduction. */
function held(tone: Audio): Audio {
  const unreachable = measureLoudness(tone).integratedLufs + CEILING_DBTP - PEAK_DB + 2 * OVER_DB
  const source = prepareFinalise(tone)
  const plan = planFinalise(source, { targetLufs: unreachable, ceilingDbtp: CEILING_DBTP, intensity: 100 })
  const rendered = allocateAudio(2, tone.frames, tone.sampleRateHz)
  let at = 0
  for (const block of renderFinalise(source, plan)) {
    for (const [c, samples] of block.channels.entries()) rendered.channels[c]!.set(samples, at)
    at += block.frames
  }
  return rendered
}

/** The steady part, in whole seconds, which hold a whole number of periods of every tone. */
function middle(audio: Audio): Float32Array {
  const rate = audio.sampleRateHz
  return audio.channels[0]!.subarray(4 * rate, 8 * rate)
}

/** A tone in the samples, by correlation over a whole number of its periods: its amplitudes as cosine and sine. */
function findTone(samples: Float32Array, frequencyHz: number, sampleRateHz: number): [cosine: number, sine: number] {
  let cosine = 0
  let sine = 0
  for (const [i, value] of samples.entries()) {
    const phase = (2 * Math.PI * frequencyHz * i) / sampleRateHz
    cosine += value * Math.cos(phase)
    sine += value * Math.sin(phase)
  }
  return [(2 * cosine) / samples.length, (2 * sine) / samples.length]
}

function tonePower(samples: Float32Array, frequencyHz: number, sampleRateHz: number): number {
  const [cosine, sine] = findTone(samples, frequencyHz, sampleRateHz)
  return (cosine * cosine + sine * sine) / 2
}

/** Residual without the tone, relative to the tone, dB. */
function thdPlusNoiseDb(audio: Audio): number {
  const samples = middle(audio)
  const [cosine, sine] = findTone(samples, 50, audio.sampleRateHz)
  let rest = 0
  for (const [i, value] of samples.entries()) {
    const phase = (2 * Math.PI * 50 * i) / audio.sampleRateHz
    rest += (value - cosine * Math.cos(phase) - sine * Math.sin(phase)) ** 2
  }
  return 10 * Math.log10(rest / samples.length / ((cosine * cosine + sine * sine) / 2))
}

function imdDb(audio: Audio): number {
  const samples = middle(audio)
  let sidebands = 0
  for (let order = 1; order <= 5; order++) {
    for (const sign of [-1, 1]) sidebands += tonePower(samples, 7000 + sign * order * 60, audio.sampleRateHz)
  }
  return 10 * Math.log10(Math.max(1e-16, sidebands / tonePower(samples, 7000, audio.sampleRateHz)))
}
