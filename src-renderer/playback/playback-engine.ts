/**
 * The playback engine: all versions of a song run in lockstep, one of them audible. It runs on the audio thread but is
 * plain arithmetic over planar samples, so a test renders the same output as the sound card.
 * One frame counter, the head, positions all versions. A switch moves fades, never the head, so it cannot shift time. A
 * seek, a loop turn, a pause and the end of the song work the same way: the head jumps, and a tail plays on from the
 * old position for 8 ms while it fades out. A switch waits until the samples of its version are loaded.
 */
import { createLoudnessMeter, type LoudnessMeter } from './loudness.ts'
import { createTruePeakMeter } from './true-peak.ts'

/** Frames per chunk, the unit of samples sent to the playback engine. */
export const CHUNK_FRAMES = 32_768
/** Length of every cross-fade (equal power). */
const FADE_MS = 8
/** Time for a change of level to settle. */
const LEVEL_MS = 20
/**
 * Length of a version that must be loaded before a switch to it: a slow disk then delays the switch instead of causing
 * a gap.
 */
const SWITCH_MARGIN_SECONDS = 0.3
/** Frames between two reports. */
const REPORT_FRAMES = 1024

export interface FrameRange {
  readonly startFrame: number
  readonly endFrame: number
}

/** Two versions whose difference plays. */
export interface Difference {
  readonly of: string
  readonly without: string
}

export type PlaybackCommand =
  /** Announces a version of `frames` frames; beyond them it is silent. */
  | { readonly kind: 'add'; readonly version: string; readonly frames: number }
  | { readonly kind: 'remove'; readonly version: string }
  /** Samples of chunk `index` (frames from `index * CHUNK_FRAMES`), both channels CHUNK_FRAMES long. */
  | {
      readonly kind: 'chunk'
      readonly version: string
      readonly index: number
      readonly left: Float32Array
      readonly right: Float32Array
    }
  | { readonly kind: 'evict'; readonly version: string; readonly indexes: readonly number[] }
  /**
   * The switch fades over 8 ms with equal power; to another rendering of the same sound it fades linearly over
   * `slideMs`.
   */
  | { readonly kind: 'choose'; readonly version: string; readonly slideMs?: number | undefined }
  /**
   * From version `of` alone, `without` is subtracted, each at its level; playback waits until it is loaded. Null: no
   * difference.
   */
  | { readonly kind: 'difference'; readonly difference: Difference | null }
  /** Linear gain per version; omitted versions keep theirs. */
  | { readonly kind: 'levels'; readonly gains: Readonly<Record<string, number>> }
  /** Commands that move the head carry a rising number, which reveals reports sent before the command arrived. */
  | { readonly kind: 'play'; readonly serial: number }
  | { readonly kind: 'pause'; readonly serial: number }
  | { readonly kind: 'seek'; readonly serial: number; readonly frame: number; readonly restartsIntegrated: boolean }
  | { readonly kind: 'loop'; readonly range: FrameRange | null }
  | { readonly kind: 'length'; readonly frames: number }

/** Report of the playback engine, about every 20 ms of sound. */
export interface PlaybackReport {
  /** Number of the last play, pause or seek executed. */
  readonly serial: number
  readonly frame: number
  readonly isPlaying: boolean
  /** True while it waits for samples. */
  readonly isWaiting: boolean
  readonly version: string | null
  /** Highest true peak of the current version as written since the last report, linear, left and right. */
  readonly truePeaks: readonly [number, number]
  /** Per version as written: momentary, short-term, integrated in LUFS; −Infinity for silence. */
  readonly loudness: Readonly<Record<string, readonly [number, number, number]>>
}

interface Chunk {
  readonly left: Float32Array
  readonly right: Float32Array
}

interface Voice {
  readonly version: string
  readonly frames: number
  readonly chunks: Map<number, Chunk>
  readonly meter: LoudnessMeter
  /** Position in the cross-fade: 0 silent, 1 audible. */
  fade: number
  gain: number
  wantedGain: number
  /** The version subtracted from it, also while that fades out. */
  rest: Voice | undefined
  /** Share of the rest that is subtracted, 0 to 1. */
  restFade: number
}

const chunkOf = (frame: number) => Math.floor(frame / CHUNK_FRAMES)
const isReady = (voice: Voice, frame: number) => frame >= voice.frames || voice.chunks.has(chunkOf(frame))
const equalPower = (fade: number) => Math.sin((fade * Math.PI) / 2)
const towards = (now: number, goal: number, step: number) =>
  now < goal ? Math.min(goal, now + step) : Math.max(goal, now - step)

function createVoice(version: string, frames: number, sampleRateHz: number): Voice {
  const silent = { fade: 0, gain: 1, wantedGain: 1, rest: undefined, restFade: 0 }
  return { version, frames, chunks: new Map(), meter: createLoudnessMeter(sampleRateHz), ...silent }
}

/** Returns whether the heard version, and the version to subtract from it, have samples at a frame. */
function canSound(heard: Voice | undefined, frame: number, difference: Difference | null): boolean {
  if (!heard || !isReady(heard, frame)) return false
  return difference?.of !== heard.version || !heard.rest || isReady(heard.rest, frame)
}

function loudnessOf(voices: ReadonlyMap<string, Voice>): PlaybackReport['loudness'] {
  const readings = [...voices].map(([version, { meter }]) => {
    const { momentaryLufs, shortTermLufs, integratedLufs } = meter.levels
    return [version, [momentaryLufs, shortTermLufs, integratedLufs]] as const
  })
  return Object.fromEntries(readings)
}

/** Highest true peaks of the output since the last `take`, linear, left and right. */
class HeardPeaks {
  readonly #left = createTruePeakMeter()
  readonly #right = createTruePeakMeter()
  #peaks: [number, number] = [0, 0]

  push({ left, right }: Chunk, from: number, frames: number): void {
    this.#peaks[0] = Math.max(this.#peaks[0], this.#left.push(left, from, frames))
    this.#peaks[1] = Math.max(this.#peaks[1], this.#right.push(right, from, frames))
  }

  take(): readonly [number, number] {
    const peaks = this.#peaks
    this.#peaks = [0, 0]
    return peaks
  }

  /** Clears the sample history. */
  reset(): void {
    this.#left.reset()
    this.#right.reset()
  }
}

/** Playback at the sample rate of a context; empty at first. */
export class PlaybackEngine {
  readonly #sampleRateHz: number
  /** Change of a fade per frame. */
  readonly #fadeStep: number
  /** Change of the fade between versions per frame. */
  #switchStep: number
  #isSlide = false
  #difference: Difference | null = null
  /** Change of a level per frame. */
  readonly #levelStep: number
  /** Frames of a version that must be loaded before a switch to it. */
  readonly #switchMargin: number
  readonly #voices = new Map<string, Voice>()
  readonly #peaks = new HeardPeaks()
  #heard: Voice | undefined
  #wanted: Voice | undefined
  #isPlaying = false
  #isWaiting = false
  #lengthFrames = 0
  #loop: FrameRange | null = null
  #head = 0
  #headFade = 0
  #tail = 0
  #tailFade = 0
  #sinceReport = 0
  #serial = 0

  constructor(sampleRateHz: number) {
    this.#sampleRateHz = sampleRateHz
    this.#fadeStep = 1000 / (FADE_MS * sampleRateHz)
    this.#switchStep = this.#fadeStep
    this.#levelStep = 1000 / (LEVEL_MS * sampleRateHz)
    this.#switchMargin = Math.round(SWITCH_MARGIN_SECONDS * sampleRateHz)
  }

  /** Executes a command; commands take effect in their order. */
  obey(command: PlaybackCommand): void {
    if ('serial' in command) this.#serial = command.serial
    switch (command.kind) {
      case 'add':
        this.#voices.set(command.version, createVoice(command.version, command.frames, this.#sampleRateHz))
        return
      case 'remove':
        for (const voice of this.#voices.values()) if (voice.rest?.version === command.version) voice.rest = undefined
        this.#voices.delete(command.version)
        return
      case 'chunk':
        this.#voices.get(command.version)?.chunks.set(command.index, { left: command.left, right: command.right })
        return
      case 'evict':
        for (const index of command.indexes) this.#voices.get(command.version)?.chunks.delete(index)
        return
      case 'choose':
        this.#wanted = this.#voices.get(command.version) ?? this.#wanted
        this.#isSlide = command.slideMs !== undefined
        this.#switchStep = 1000 / ((command.slideMs ?? FADE_MS) * this.#sampleRateHz)
        this.#settleSwitch()
        return
      case 'difference':
        this.#difference = command.difference
        return
      case 'levels':
        for (const [version, gain] of Object.entries(command.gains)) {
          const voice = this.#voices.get(version)
          if (!voice) continue
          voice.wantedGain = gain
          if (!this.#isPlaying) voice.gain = gain
        }
        return
      case 'play':
        if (this.#lengthFrames > 0 && this.#head >= this.#lengthFrames) this.#head = this.#loop?.startFrame ?? 0
        this.#isPlaying = true
        return
      case 'pause':
        this.#leave(this.#head)
        this.#isPlaying = false
        return
      case 'seek':
        this.#leave(Math.max(0, Math.min(this.#lengthFrames, Math.round(command.frame))))
        if (command.restartsIntegrated) for (const voice of this.#voices.values()) voice.meter.restart()
        return
      case 'loop':
        this.#loop = command.range
        return
      case 'length':
        this.#lengthFrames = command.frames
        return
    }
  }

  /** Overwrites `left` and `right` (equal lengths) with the next frames. Silence while paused or waiting. */
  render(left: Float32Array, right: Float32Array): void {
    left.fill(0)
    right.fill(0)
    let at = 0
    while (at < left.length) at += this.#renderRun(left, right, at, left.length - at)
    this.#sinceReport += left.length
  }

  /** Returns a report when one is due, else null. */
  takeReport(): PlaybackReport | null {
    if (this.#sinceReport < REPORT_FRAMES) return null
    this.#sinceReport = 0
    return {
      serial: this.#serial,
      frame: this.#head,
      isPlaying: this.#isPlaying,
      isWaiting: this.#isWaiting,
      version: this.#heard?.version ?? null,
      truePeaks: this.#peaks.take(),
      loudness: loudnessOf(this.#voices),
    }
  }

  #leave(frame: number): void {
    if (this.#headFade > 0) {
      this.#tail = this.#head
      this.#tailFade = this.#headFade
    }
    this.#head = frame
    this.#headFade = 0
  }

  #settleSwitch(): void {
    if (!this.#wanted || this.#wanted === this.#heard) return
    if (
      this.#isPlaying &&
      this.#heard &&
      !(isReady(this.#wanted, this.#head) && isReady(this.#wanted, this.#head + this.#switchMargin))
    )
      return
    this.#heard = this.#wanted
    this.#peaks.reset()
    if (this.#isPlaying) return
    for (const voice of this.#voices.values()) voice.fade = voice === this.#heard ? 1 : 0
  }

  /** Assigns the subtracted version of a difference. A silent voice starts at its final share. */
  #settleDifference(): void {
    const { of, without } = this.#difference ?? {}
    const isSilent = this.#headFade === 0 && this.#tailFade === 0
    for (const voice of this.#voices.values()) {
      if (voice.version === of && without !== undefined) voice.rest = this.#voices.get(without)
      if (voice.fade === 0 || isSilent) voice.restFade = voice.version === of ? 1 : 0
    }
  }

  /** Returns the target share of a voice's rest; a voice that fades out keeps its share. */
  #restGoal(voice: Voice): number {
    if (voice.version === this.#difference?.of) return 1
    return this.#isPlaying && voice === this.#heard && voice === this.#wanted ? 0 : voice.restFade
  }

  #renderRun(left: Float32Array, right: Float32Array, at: number, most: number): number {
    this.#settleSwitch()
    if (this.#isPlaying && this.#lengthFrames > 0 && this.#head >= this.#lengthFrames) this.#turnAround()
    this.#settleDifference()
    this.#isWaiting = this.#isPlaying && !canSound(this.#heard, this.#head, this.#difference)
    if (this.#isWaiting) this.#headFade = 0
    const moves = this.#isPlaying && !this.#isWaiting && this.#heard !== undefined
    let frames = most
    if (moves) {
      frames = Math.min(frames, CHUNK_FRAMES - (this.#head % CHUNK_FRAMES), this.#lengthFrames - this.#head)
      if (this.#loop && this.#head < this.#loop.endFrame) frames = Math.min(frames, this.#loop.endFrame - this.#head)
    }
    if (this.#tailFade > 0) frames = Math.min(frames, CHUNK_FRAMES - (this.#tail % CHUNK_FRAMES))
    for (const voice of this.#voices.values()) {
      if (voice.fade > 0 || voice === this.#heard) {
        if (moves) this.#mix(voice, this.#head, this.#headFade, this.#fadeStep, left, right, at, frames)
        if (this.#tailFade > 0) this.#mix(voice, this.#tail, this.#tailFade, -this.#fadeStep, left, right, at, frames)
      }
    }
    for (const voice of this.#voices.values()) {
      voice.fade = towards(voice.fade, voice === this.#heard ? 1 : 0, this.#switchStep * frames)
      voice.gain = towards(voice.gain, voice.wantedGain, this.#levelStep * frames)
      voice.restFade = towards(voice.restFade, this.#restGoal(voice), this.#fadeStep * frames)
    }
    if (this.#tailFade > 0) {
      this.#tail += frames
      this.#tailFade = Math.max(0, this.#tailFade - this.#fadeStep * frames)
    }
    if (moves) {
      this.#measure(frames)
      this.#head += frames
      this.#headFade = Math.min(1, this.#headFade + this.#fadeStep * frames)
      this.#turnAround()
    }
    return frames
  }

  /** Adds `frames` of one voice from `frame` on, without its rest; the fades of head or tail begin at `placeFade` and move by `placeStep`. */
  #mix(
    voice: Voice,
    frame: number,
    placeFade: number,
    placeStep: number,
    left: Float32Array,
    right: Float32Array,
    at: number,
    frames: number,
  ): void {
    const chunk = voice.chunks.get(chunkOf(frame))
    if (!chunk || frame >= voice.frames) return
    const { rest } = voice
    const restChunk = rest && frame < rest.frames ? rest.chunks.get(chunkOf(frame)) : undefined
    const from = frame % CHUNK_FRAMES
    const goal = voice === this.#heard ? 1 : 0
    const restGoal = this.#restGoal(voice)
    const isSlide = this.#isSlide
    let { fade, gain, restFade } = voice
    let restGain = rest?.gain ?? 0
    let place = placeFade
    for (let i = 0; i < frames; i++) {
      fade = towards(fade, goal, this.#switchStep)
      gain = towards(gain, voice.wantedGain, this.#levelStep)
      place = Math.max(0, Math.min(1, place + placeStep))
      const share = (isSlide ? fade : equalPower(fade)) * equalPower(place)
      left[at + i] = (left[at + i] as number) + (chunk.left[from + i] as number) * gain * share
      right[at + i] = (right[at + i] as number) + (chunk.right[from + i] as number) * gain * share
      if (!rest || !restChunk) continue
      restFade = towards(restFade, restGoal, this.#fadeStep)
      restGain = towards(restGain, rest.wantedGain, this.#levelStep)
      left[at + i] = (left[at + i] as number) - (restChunk.left[from + i] as number) * restGain * restFade * share
      right[at + i] = (right[at + i] as number) - (restChunk.right[from + i] as number) * restGain * restFade * share
    }
  }

  #measure(frames: number): void {
    const index = chunkOf(this.#head)
    const from = this.#head % CHUNK_FRAMES
    for (const voice of this.#voices.values()) {
      const chunk = voice.chunks.get(index)
      if (chunk) voice.meter.push(chunk.left, chunk.right, from, frames)
    }
    const chunk = this.#heard?.chunks.get(index)
    if (chunk) this.#peaks.push(chunk, from, frames)
  }

  #turnAround(): void {
    if (this.#loop && this.#head === this.#loop.endFrame) {
      this.#leave(this.#loop.startFrame)
      for (const voice of this.#voices.values()) voice.meter.restart()
    } else if (this.#head >= this.#lengthFrames) {
      this.#leave(this.#lengthFrames)
      this.#isPlaying = false
    }
  }
}
