/** Codec-proofing of premium masters: the copies that services stream must stay below full scale too. */
import { rm } from 'node:fs/promises'
import { createTruePeakVerifier } from '../engine/meters/true-peak.ts'
import { decodeThroughCodec, type LossyCodec } from '../media/encode.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import { createWavWriter, openWav } from '../media/wav.ts'
import type { RenderedMaster } from './render-master.ts'

/** What an encoded copy of a master peaks at after decoding. */
export interface CodecPeak {
  readonly codec: LossyCodec
  readonly truePeakDbtp: number
}

/** Where copies are made. */
export interface ProofPlace {
  readonly ffmpeg: Ffmpeg
  readonly folder: string
  readonly signal?: AbortSignal | undefined
}

const EXCERPTS = 6
const EXCERPT_SECONDS = 2.5
/** Part at either end of an excerpt that is not looked at: encoders err where music begins out of nothing. */
const GUARD_SECONDS = 0.5
const FADE_SECONDS = 0.02
const BLOCK_FRAMES = 1 << 16

/** A WAV to be copied: a whole master, or the excerpts of one. */
export interface ProofWav {
  readonly path: string
  readonly sampleRateHz: number
  readonly isExcerpts: boolean
}

/** Returns the peaks of a WAV after each codec, 16 points per frame. Throws as ffmpeg does. */
export async function measureCopies(
  wav: ProofWav,
  codecs: readonly LossyCodec[],
  place: ProofPlace,
): Promise<CodecPeak[]> {
  const peaks: CodecPeak[] = []
  for (const codec of codecs) peaks.push({ codec, truePeakDbtp: await copyPeak(wav, codec, place) })
  return peaks
}

async function copyPeak(wav: ProofWav, codec: LossyCodec, { ffmpeg, folder, signal }: ProofPlace): Promise<number> {
  const meter = createTruePeakVerifier()
  const rateHz = codec.rateHz ?? wav.sampleRateHz
  let position = 0
  await decodeThroughCodec(
    ffmpeg,
    codec,
    { path: wav.path, folder },
    (samples) => {
      const frames = samples.length / 2
      const left = new Float32Array(frames)
      const right = new Float32Array(frames)
      for (let i = 0; i < frames; i++) {
        const gain = wav.isExcerpts ? excerptGain((position + i) / rateHz, GUARD_SECONDS) : 1
        left[i] = samples[2 * i]! * gain
        right[i] = samples[2 * i + 1]! * gain
      }
      position += frames
      meter.push({ channels: [left, right], frames })
    },
    signal,
  )
  return meter.read().truePeakDbtp
}

/** Gain at a time of the excerpts: 1 inside each, faded over 20 ms to 0 at `guardSeconds` from its ends. */
function excerptGain(seconds: number, guardSeconds: number): number {
  const inside = seconds % EXCERPT_SECONDS
  const nearest = Math.min(inside, EXCERPT_SECONDS - inside) - guardSeconds
  return Math.max(0, Math.min(1, nearest / FADE_SECONDS))
}

/**
 * Writes the places where the limiter works hardest (where nothing is limited: where the peaks are highest) into one short WAV, each
 * faded in and out, and returns it; a song that is no longer than that is returned as it is. The caller removes the file.
 */
export function writeHotExcerpts(master: RenderedMaster, path: string): ProofWav {
  const wav = openWav(master.path)
  try {
    const excerptFrames = Math.round(EXCERPT_SECONDS * wav.sampleRateHz)
    if (wav.frames <= EXCERPTS * excerptFrames) {
      return { path: master.path, sampleRateHz: wav.sampleRateHz, isExcerpts: false }
    }
    const starts = hotStarts(master, wav.frames, excerptFrames)
    const writer = createWavWriter(path, { ...wav, frames: starts.length * excerptFrames }, { tags: {} })
    let position = 0
    for (const block of wav.blocks(BLOCK_FRAMES)) {
      for (const start of starts) {
        const from = Math.max(start, position)
        const to = Math.min(start + excerptFrames, position + block.frames)
        if (to <= from) continue
        const bytes = new Uint8Array((to - from) * 2 * (wav.bitDepth / 8))
        for (let i = from; i < to; i++) {
          const gain = excerptGain((i - start + 0.5) / wav.sampleRateHz, 0)
          for (let c = 0; c < 2; c++) {
            writeSample(bytes, (i - from) * 2 + c, block.channels[c]![i - position]! * gain, wav.bitDepth)
          }
        }
        writer.write(bytes)
      }
      position += block.frames
    }
    writer.finish()
    return { path, sampleRateHz: wav.sampleRateHz, isExcerpts: true }
  } finally {
    wav.close()
  }
}

/** First frames of the hottest places, in the order of the song, none overlapping. */
function hotStarts(master: RenderedMaster, frames: number, excerptFrames: number): number[] {
  const stepFrames = master.sampleRateHz / 10
  const { peakDbfs } = master.measurement.curves
  const heat = Array.from(peakDbfs, (peak, i) => ({ i, heat: (master.gainReductionDb[i] ?? 0) * 100 + peak }))
  const starts: number[] = []
  for (const { i } of heat.sort((a, b) => b.heat - a.heat)) {
    const start = Math.round(Math.min(frames - excerptFrames, Math.max(0, (i + 0.5) * stepFrames - excerptFrames / 2)))
    if (starts.every((other) => Math.abs(other - start) >= excerptFrames)) starts.push(start)
    if (starts.length === EXCERPTS) break
  }
  return starts.sort((a, b) => a - b)
}

function writeSample(bytes: Uint8Array, index: number, value: number, bitDepth: number): void {
  const size = bitDepth / 8
  const integer = Math.round(value * 2 ** (bitDepth - 1))
  for (let k = 0; k < size; k++) bytes[index * size + k] = (integer >> (8 * k)) & 0xff
}

/** Removes a file that may be gone already. */
export async function discard(path: string): Promise<void> {
  await rm(path, { force: true })
}
