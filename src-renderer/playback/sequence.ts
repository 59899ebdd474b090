/** Several songs as one track, with the pauses, cuts and fades of a release, joined at the sample. */
import type { FadeShape } from '../../src-contract/edges.ts'
import { fadeGain } from '../../src-engine/dsp/fade.ts'
import type { Track } from './track.ts'
import type { Stereo } from './wav.ts'

/** A fade at an edge of a part. */
export interface PartFade {
  readonly frames: number
  readonly shape: FadeShape
}

/** One song of a sequence. */
export interface SequencePart {
  /** Silence before it. */
  readonly restFrames: number
  /** First frame played of the song. */
  readonly fromFrame: number
  /** Number of frames played. */
  readonly frames: number
  readonly fadeIn: PartFade
  readonly fadeOut: PartFade
  /** Factor of its samples; 1 when absent. */
  readonly gain?: number
  /** Reads frames of the song, counted from its own start. */
  readonly read: Track['read']
}

/** A song with its position. */
interface PlacedPart extends SequencePart {
  readonly startFrame: number
}

/** Returns the first frame of each part. Pure. */
export function startsOf(parts: readonly Pick<SequencePart, 'restFrames' | 'frames'>[]): number[] {
  let at = 0
  return parts.map(({ restFrames, frames }) => {
    const start = at + restFrames
    at = start + frames
    return start
  })
}

/** Returns the parts as one track that contains every frame of every part once, in order. */
export function joinParts(parts: readonly SequencePart[]): Track {
  const starts = startsOf(parts)
  const placed = parts.map((part, at): PlacedPart => ({ ...part, startFrame: starts[at]! }))
  const last = placed.at(-1)
  return {
    frames: last ? last.startFrame + last.frames : 0,
    isExact: true,
    async read(start, count) {
      const left = new Float32Array(count)
      const right = new Float32Array(count)
      const heard = placed.filter((part) => part.startFrame < start + count && part.startFrame + part.frames > start)
      const pieces = await Promise.all(heard.map((part) => readPart(part, start, count)))
      for (const { at, sound } of pieces) {
        left.set(sound.left, at)
        right.set(sound.right, at)
      }
      return { left, right }
    },
  }
}

/** Returns the originals placed under their masters: each begins with its master, is no longer, and has its gain. */
export function underMasters(
  masters: readonly SequencePart[],
  originals: readonly SequencePart[],
  gains: readonly number[],
): SequencePart[] {
  return originals.map((part, at) => {
    const { frames, restFrames } = masters[at]!
    const before = at > 0 ? masters[at - 1]!.frames - Math.min(originals[at - 1]!.frames, masters[at - 1]!.frames) : 0
    return { ...part, frames: Math.min(part.frames, frames), restFrames: restFrames + before, gain: gains[at] ?? 1 }
  })
}

/** Reads the overlap of a part with a stretch of the sequence, faded; `at` is its offset in the stretch. */
async function readPart(part: PlacedPart, start: number, count: number): Promise<{ at: number; sound: Stereo }> {
  const from = Math.max(0, start - part.startFrame)
  const to = Math.min(part.frames, start + count - part.startFrame)
  const sound = louder(await part.read(part.fromFrame + from, to - from), part.gain ?? 1)
  const at = part.startFrame + from - start
  if (from >= part.fadeIn.frames && to <= part.frames - part.fadeOut.frames) return { at, sound }
  const left = faded(sound.left, part, from)
  return { at, sound: { left, right: sound.right === sound.left ? left : faded(sound.right, part, from) } }
}

/** Returns a sound with its samples times `gain`; the same one for 1. */
function louder(sound: Stereo, gain: number): Stereo {
  if (gain === 1) return sound
  const left = sound.left.map((value) => value * gain)
  return { left, right: sound.right === sound.left ? left : sound.right.map((value) => value * gain) }
}

function faded(samples: Float32Array, { frames, fadeIn, fadeOut }: SequencePart, from: number): Float32Array {
  return samples.map((value, i) => {
    const frame = from + i
    const toEnd = frames - 1 - frame
    const gainIn = frame < fadeIn.frames ? fadeGain(fadeIn.shape, frame / fadeIn.frames) : 1
    const gainOut = toEnd < fadeOut.frames ? fadeGain(fadeOut.shape, toEnd / fadeOut.frames) : 1
    return value * gainIn * gainOut
  })
}
