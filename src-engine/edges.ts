/** Edges of a song on its samples: trims before the analysis; fades and padding between treatment and finishing. Pure. */
import type { Edges } from '../src-contract/edges.ts'
import { type Audio, type AudioBlock, allocateAudio, sliceBlock } from './dsp/block.ts'
import { fadeGain } from './dsp/fade.ts'
import type { Quantiser } from './finalise/dither.ts'

/** Silence around a song, frames. */
export interface Padding {
  readonly startFrames: number
  readonly endFrames: number
}

/** A song without silence around it. */
export const NO_PADDING: Padding = { startFrames: 0, endFrames: 0 }

const framesOf = (seconds: number, sampleRateHz: number): number => Math.round(seconds * sampleRateHz)

/** Returns the padding of a song at a rate. */
export function paddingOf(
  { pad_start_seconds, pad_end_seconds }: Pick<Edges, 'pad_start_seconds' | 'pad_end_seconds'>,
  sampleRateHz: number,
): Padding {
  return {
    startFrames: framesOf(pad_start_seconds, sampleRateHz),
    endFrames: framesOf(pad_end_seconds, sampleRateHz),
  }
}

/** Returns the audio between its trims, cut at the sample: a view of the same memory, empty if nothing is left. */
export function trimmed<Song extends Audio>(
  audio: Song,
  { trim_start_seconds, trim_end_seconds }: Pick<Edges, 'trim_start_seconds' | 'trim_end_seconds'>,
): Song {
  const { sampleRateHz, frames } = audio
  const end = frames - framesOf(trim_end_seconds, sampleRateHz)
  return { ...audio, ...sliceBlock(audio, framesOf(trim_start_seconds, sampleRateHz), end) }
}

/** Returns true if edges change treated audio. */
export function hasFinish(edges: Edges): boolean {
  return edges.fade_in_seconds + edges.fade_out_seconds + edges.pad_start_seconds + edges.pad_end_seconds > 0
}

/**
 * Returns treated audio with its padding and fades; without padding, the audio itself, faded in place. The first frame of a fade in and the
 * last one of a fade out are silent.
 */
export function finishEdges(audio: Audio, edges: Edges): Audio {
  if (!hasFinish(edges)) return audio
  const padded = withPadding(audio, paddingOf(edges, audio.sampleRateHz))
  shapeEdges(padded, 0, padded.frames, edges)
  return padded
}

function withPadding(audio: Audio, { startFrames, endFrames }: Padding): Audio {
  if (startFrames + endFrames === 0) return audio
  const { channels, frames, sampleRateHz } = audio
  const padded = allocateAudio(channels.length, startFrames + frames + endFrames, sampleRateHz)
  for (const [c, samples] of channels.entries()) padded.channels[c]!.set(samples, startFrames)
  return padded
}

/** Fades and silences a stretch of a padded song of `frames` frames, in place; the stretch begins at the song's frame `first`. */
export function shapeEdges(stretch: Audio, first: number, frames: number, edges: Edges): void {
  const { sampleRateHz } = stretch
  const padding = paddingOf(edges, sampleRateHz)
  const fadeIn = framesOf(edges.fade_in_seconds, sampleRateHz)
  const fadeOut = framesOf(edges.fade_out_seconds, sampleRateHz)
  const fadesOutAt = frames - padding.endFrames - fadeOut
  fade(stretch, padding.startFrames - first, fadeIn, (i) => fadeGain(edges.fade_in_shape, i / fadeIn))
  fade(stretch, fadesOutAt - first, fadeOut, (i) => fadeGain(edges.fade_out_shape, (fadeOut - 1 - i) / fadeOut))
  silencePadding(stretch, padding, { first, frames })
}

/** Applies a gain to `count` frames from `from` on, as far as they lie in the block. */
function fade({ channels, frames }: AudioBlock, from: number, count: number, gainAt: (i: number) => number): void {
  for (let i = Math.max(0, -from); i < Math.min(count, frames - from); i++) {
    const gain = gainAt(i)
    for (const samples of channels) samples[from + i]! *= gain
  }
}

/** Silences the padding in a block that begins at frame `first` of a padded song of `frames` frames, in place. */
export function silencePadding(
  block: AudioBlock,
  { startFrames, endFrames }: Padding,
  { first, frames }: { readonly first: number; readonly frames: number },
): void {
  silence(block, 0, startFrames - first)
  silence(block, frames - endFrames - first, block.frames)
}

function silence({ channels, frames }: AudioBlock, from: number, to: number): void {
  if (to <= 0) return
  for (const samples of channels) samples.fill(0, Math.max(0, from), Math.min(frames, to))
}

/** Returns a quantiser that leaves padding digitally silent: its stream begins at frame `first` of a padded song of `frames` frames. */
export function withSilentPadding(
  quantiser: Quantiser,
  { startFrames, endFrames }: Padding,
  { first = 0, frames }: { readonly first?: number; readonly frames: number },
): Quantiser {
  if (startFrames + endFrames === 0) return quantiser
  let at = first
  return {
    ...quantiser,
    write(block, out) {
      const written = quantiser.write(block, out)
      const byteOf = (frame: number) => Math.min(written, Math.max(0, frame - at) * quantiser.bytesPerFrame)
      out.fill(0, 0, byteOf(startFrames))
      out.fill(0, byteOf(frames - endFrames), written)
      at += block.frames
      return written
    },
  }
}
