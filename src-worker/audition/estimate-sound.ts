/** Sound of an estimate: rendered on demand and kept, so a sample that was heard once does not change. */
import type { Edges } from '../../src-contract/edges.ts'
import type { Recipe } from '../../src-contract/recipe.ts'
import { applyRecipe } from '../../src-engine/chain.ts'
import { type Audio, type AudioBlock, allocateBlock, sliceBlock } from '../../src-engine/dsp/block.ts'
import { type Padding, paddingOf, shapeEdges, withSilentPadding } from '../../src-engine/edges.ts'
import { createQuantiser } from '../../src-engine/finalise/dither.ts'
import { type FinalisePlan, prepareFinalise, renderWithOffset } from '../../src-engine/finalise/finalise.ts'

/** Longest release of chain and limiter; earlier sound has no effect any more (see steadyLimiter). */
const WARM_UP_SECONDS = 0.6
/** Look-ahead of the limiter behind a passage; the filters only look back. */
const LOOK_AHEAD_SECONDS = 0.05
/** Frames that are rendered together or not at all. */
const PIECE_FRAMES = 4096
const CHANNELS = 2

export interface SoundFormat {
  readonly bitDepth: 16 | 24
  readonly seed: number
}

/** Treatment of a song; `recipe` contains no edits of single samples. */
export interface Treatment {
  readonly recipe: Recipe
  readonly plan: FinalisePlan
  readonly edges: Edges
}

/** A song read from files during playback. */
export interface ReadSong extends Pick<Audio, 'frames' | 'sampleRateHz'> {
  /** Returns the frames [start, end). */
  read(startFrame: number, endFrame: number): AudioBlock
}

export class EstimateSound {
  readonly #song: Audio | ReadSong
  readonly #padding: Padding
  /** Frames of the song with its padding. */
  readonly #frames: number
  readonly #treatment: Treatment
  readonly #format: SoundFormat
  /** Bytes of each rendered piece by its number. */
  readonly #pieces = new Map<number, Uint8Array>()

  constructor(song: Audio | ReadSong, treatment: Treatment, format: SoundFormat) {
    this.#song = song
    this.#padding = paddingOf(treatment.edges, song.sampleRateHz)
    this.#frames = this.#padding.startFrames + song.frames + this.#padding.endFrames
    this.#treatment = treatment
    this.#format = format
  }

  get #frameBytes(): number {
    return (CHANNELS * this.#format.bitDepth) / 8
  }

  /** Returns the interleaved PCM of `count` frames from `firstFrame` on. Throws a RangeError beyond the end. */
  read(firstFrame: number, count: number): Uint8Array {
    if (firstFrame < 0 || count < 0 || firstFrame + count > this.#frames)
      throw new RangeError(`${count} frames from ${firstFrame}`)
    const bytes = new Uint8Array(count * this.#frameBytes)
    const begin = Math.floor(firstFrame / PIECE_FRAMES)
    const end = Math.ceil((firstFrame + count) / PIECE_FRAMES)
    for (let piece = begin; piece < end; piece++) {
      if (!this.#pieces.has(piece)) this.#render(piece, this.#endOfGap(piece, end))
      const at = (piece * PIECE_FRAMES - firstFrame) * this.#frameBytes
      bytes.set(this.#pieces.get(piece)!.subarray(Math.max(0, -at), bytes.length - at), Math.max(0, at))
    }
    return bytes
  }

  /** The first piece behind `piece` that is rendered, at most `end`. */
  #endOfGap(piece: number, end: number): number {
    let next = piece + 1
    while (next < end && !this.#pieces.has(next)) next++
    return next
  }

  /** Renders the pieces [begin, end). */
  #render(begin: number, end: number): void {
    const { sampleRateHz } = this.#song
    const frames = this.#frames
    const first = begin * PIECE_FRAMES
    const passage = renderPassage(this.#song, this.#treatment, first, Math.min(frames, end * PIECE_FRAMES))
    const dithered = createQuantiser({ ...this.#format, sampleRateHz })
    const quantiser = withSilentPadding(dithered, this.#padding, { first, frames })
    const bytes = new Uint8Array(passage.frames * this.#frameBytes)
    quantiser.write(passage, bytes)
    for (let piece = begin; piece < end; piece++) {
      const at = (piece - begin) * PIECE_FRAMES * this.#frameBytes
      this.#pieces.set(piece, bytes.subarray(at, at + PIECE_FRAMES * this.#frameBytes))
    }
  }
}

/**
 * Returns the frames [first, end) of a padded song as the treatment makes them, rendered with a short run-up; `first` is a multiple of 8.
 * The song's ends come out as in a render of the whole song.
 */
export function renderPassage(
  song: Audio | ReadSong,
  { recipe, plan, edges }: Treatment,
  first: number,
  end: number,
): Audio {
  const { sampleRateHz } = song
  const { startFrames, endFrames } = paddingOf(edges, sampleRateHz)
  const frames = startFrames + song.frames + endFrames
  const warmUp = Math.ceil((WARM_UP_SECONDS * sampleRateHz) / PIECE_FRAMES) * PIECE_FRAMES
  const from = Math.max(0, first - warmUp)
  const to = Math.min(frames, end + Math.ceil(LOOK_AHEAD_SECONDS * sampleRateHz))
  const around: Audio = { ...allocateBlock(CHANNELS, to - from), sampleRateHz }
  const heard = blockOf(song, from - startFrames, to - startFrames)
  for (const [c, samples] of heard.channels.entries()) {
    around.channels[c]!.set(samples, Math.min(around.frames, Math.max(0, startFrames - from)))
  }
  const { audio } = applyRecipe(around, recipe)
  shapeEdges(audio, from, frames, edges)
  const source = prepareFinalise(audio)
  const passage: Audio = { ...allocateBlock(CHANNELS, end - first), sampleRateHz }
  let at = from
  // A copy of the plan, since the engine caches gain curves by their plan object.
  for (const block of renderWithOffset(source, { ...plan })) {
    const wanted = sliceBlock(block, first - at, end - at)
    const offset = Math.max(0, at - first)
    for (const [c, samples] of wanted.channels.entries()) passage.channels[c]!.set(samples, offset)
    at += block.frames
  }
  return passage
}

/** Returns the frames [start, end) of a song; the ends are clamped to it. */
function blockOf(song: Audio | ReadSong, startFrame: number, endFrame: number): AudioBlock {
  if (!('read' in song)) return sliceBlock(song, startFrame, endFrame)
  const start = Math.max(0, Math.min(song.frames, startFrame))
  return song.read(start, Math.max(start, Math.min(song.frames, endFrame)))
}
