/**
 * The playback: every version of a song runs on it in lockstep, and one of them is heard. It lives in the audio thread but is
 * plain arithmetic over planar samples, so a test renders it as the sound card does.
 *
 * One frame counter, the head, places all versions. Switching moves fades, never the head, so it cannot shift time. A seek, a
 * loop turn, a pause and the end of the song are the same thing: the head leaves, and a tail plays the old place on for 8 ms
 * while it fades. A version whose samples are not here yet is not switched to until they are.
 */
import { createLoudnessMeter, type LoudnessMeter } from './loudness.ts'
import { createTruePeakMeter } from './true-peak.ts'

/** Frames of one chunk, the piece in which samples are handed to the playback engine. */
export const CHUNK_FRAMES = 65_536
/** Length of every cross-fade (equal power). */
const FADE_MS = 8
/** Time in which a change of level settles. */
const LEVEL_MS = 20
/** A version is switched to when so much of it is here: a slow disk then delays the switch instead of tearing a gap behind it. */
const SWITCH_MARGIN_SECONDS = 0.5
/** Frames between two reports. */
const REPORT_FRAMES = 1024

export interface FrameRange {
  readonly startFrame: number
  readonly endFrame: number
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
  | { readonly kind: 'choose'; readonly version: string }
  /** Linear gain per version; a version that is not named keeps its own. */
  | { readonly kind: 'levels'; readonly gains: Readonly<Record<string, number>> }
  /** Commands that move the head carry a rising number, so that a report can be told from one that was on its way. */
  | { readonly kind: 'play'; readonly serial: number }
  | { readonly kind: 'pause'; readonly serial: number }
  | { readonly kind: 'seek'; readonly serial: number; readonly frame: number; readonly restartsIntegrated: boolean }
  | { readonly kind: 'loop'; readonly range: FrameRange | null }
  | { readonly kind: 'length'; readonly frames: number }

/** Report of the playback engine, about every 20 ms of sound. */
export interface PlaybackReport {
  /** Number of the last play, pause or seek that was obeyed. */
  readonly serial: number
  readonly frame: number
  readonly isPlaying: boolean
  /** Tells whether it waits for samples. */
  readonly isWaiting: boolean
  readonly version: string | null
  /** Highest true peak of the heard version as written since the last report, linear, left and right. */
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
  /** Place in the cross-fade: 0 silent, 1 heard. */
  fade: number
  gain: number
  wantedGain: number
}

const chunkOf = (frame: number) => Math.floor(frame / CHUNK_FRAMES)
const equalPower = (fade: number) => Math.sin((fade * Math.PI) / 2)
const towards = (now: number, goal: number, step: number) =>
  now < goal ? Math.min(goal, now + step) : Math.max(goal, now - step)

/** Returns an empty playback for a context of `sampleRateHz`. `obey` takes commands in order; `render` fills both channels. */
export function createPlaybackEngine(sampleRateHz: number) {
  const fadeStep = 1000 / (FADE_MS * sampleRateHz)
  const levelStep = 1000 / (LEVEL_MS * sampleRateHz)
  const switchMargin = Math.round(SWITCH_MARGIN_SECONDS * sampleRateHz)
  const voices = new Map<string, Voice>()
  const peakLeft = createTruePeakMeter()
  const peakRight = createTruePeakMeter()
  let peaks: [number, number] = [0, 0]
  let heard: Voice | undefined
  let wanted: Voice | undefined
  let isPlaying = false
  let isWaiting = false
  let lengthFrames = 0
  let loop: FrameRange | null = null
  let head = 0
  let headFade = 0
  let tail = 0
  let tailFade = 0
  let sinceReport = 0
  let serial = 0

  const isReady = (voice: Voice, frame: number) => frame >= voice.frames || voice.chunks.has(chunkOf(frame))

  function leave(frame: number) {
    if (headFade > 0) {
      tail = head
      tailFade = headFade
    }
    head = frame
    headFade = 0
  }

  function settleSwitch() {
    if (!wanted || wanted === heard) return
    if (isPlaying && heard && !(isReady(wanted, head) && isReady(wanted, head + switchMargin))) return
    heard = wanted
    peakLeft.reset()
    peakRight.reset()
    if (isPlaying) return
    for (const voice of voices.values()) voice.fade = voice === heard ? 1 : 0
  }

  function obey(command: PlaybackCommand) {
    if ('serial' in command) serial = command.serial
    switch (command.kind) {
      case 'add': {
        const meter = createLoudnessMeter(sampleRateHz)
        const { version, frames } = command
        voices.set(version, { version, frames, chunks: new Map(), meter, fade: 0, gain: 1, wantedGain: 1 })
        return
      }
      case 'remove':
        voices.delete(command.version)
        return
      case 'chunk':
        voices.get(command.version)?.chunks.set(command.index, { left: command.left, right: command.right })
        return
      case 'evict':
        for (const index of command.indexes) voices.get(command.version)?.chunks.delete(index)
        return
      case 'choose':
        wanted = voices.get(command.version) ?? wanted
        settleSwitch()
        return
      case 'levels':
        for (const [version, gain] of Object.entries(command.gains)) {
          const voice = voices.get(version)
          if (!voice) continue
          voice.wantedGain = gain
          if (!isPlaying) voice.gain = gain
        }
        return
      case 'play':
        if (lengthFrames > 0 && head >= lengthFrames) head = loop?.startFrame ?? 0
        isPlaying = true
        return
      case 'pause':
        leave(head)
        isPlaying = false
        return
      case 'seek':
        leave(Math.max(0, Math.min(lengthFrames, Math.round(command.frame))))
        if (command.restartsIntegrated) for (const voice of voices.values()) voice.meter.restart()
        return
      case 'loop':
        loop = command.range
        return
      case 'length':
        lengthFrames = command.frames
        return
    }
  }

  /** Adds `frames` of one voice from `frame` on; the fades of head or tail begin at `placeFade` and move by `placeStep`. */
  function mix(
    voice: Voice,
    frame: number,
    placeFade: number,
    placeStep: number,
    left: Float32Array,
    right: Float32Array,
    at: number,
    frames: number,
  ) {
    const chunk = voice.chunks.get(chunkOf(frame))
    if (!chunk || frame >= voice.frames) return
    const from = frame % CHUNK_FRAMES
    const goal = voice === heard ? 1 : 0
    let fade = voice.fade
    let gain = voice.gain
    let place = placeFade
    for (let i = 0; i < frames; i++) {
      fade = towards(fade, goal, fadeStep)
      gain = towards(gain, voice.wantedGain, levelStep)
      place = Math.max(0, Math.min(1, place + placeStep))
      const factor = equalPower(fade) * equalPower(place) * gain
      left[at + i] = (left[at + i] as number) + (chunk.left[from + i] as number) * factor
      right[at + i] = (right[at + i] as number) + (chunk.right[from + i] as number) * factor
    }
  }

  function measure(frames: number) {
    const index = chunkOf(head)
    const from = head % CHUNK_FRAMES
    for (const voice of voices.values()) {
      const chunk = voice.chunks.get(index)
      if (chunk) voice.meter.push(chunk.left, chunk.right, from, frames)
    }
    const chunk = heard?.chunks.get(index)
    if (!chunk) return
    peaks[0] = Math.max(peaks[0], peakLeft.push(chunk.left, from, frames))
    peaks[1] = Math.max(peaks[1], peakRight.push(chunk.right, from, frames))
  }

  function turnAround() {
    if (loop && head === loop.endFrame) {
      leave(loop.startFrame)
      for (const voice of voices.values()) voice.meter.restart()
    } else if (head >= lengthFrames) {
      leave(lengthFrames)
      isPlaying = false
    }
  }

  function renderRun(left: Float32Array, right: Float32Array, at: number, most: number): number {
    settleSwitch()
    if (isPlaying && lengthFrames > 0 && head >= lengthFrames) turnAround()
    isWaiting = isPlaying && !(heard && isReady(heard, head))
    if (isWaiting) headFade = 0
    const moves = isPlaying && !isWaiting && heard !== undefined
    let frames = most
    if (moves) {
      frames = Math.min(frames, CHUNK_FRAMES - (head % CHUNK_FRAMES), lengthFrames - head)
      if (loop && head < loop.endFrame) frames = Math.min(frames, loop.endFrame - head)
    }
    if (tailFade > 0) frames = Math.min(frames, CHUNK_FRAMES - (tail % CHUNK_FRAMES))
    for (const voice of voices.values()) {
      if (voice.fade > 0 || voice === heard) {
        if (moves) mix(voice, head, headFade, fadeStep, left, right, at, frames)
        if (tailFade > 0) mix(voice, tail, tailFade, -fadeStep, left, right, at, frames)
      }
      voice.fade = towards(voice.fade, voice === heard ? 1 : 0, fadeStep * frames)
      voice.gain = towards(voice.gain, voice.wantedGain, levelStep * frames)
    }
    if (tailFade > 0) {
      tail += frames
      tailFade = Math.max(0, tailFade - fadeStep * frames)
    }
    if (moves) {
      measure(frames)
      head += frames
      headFade = Math.min(1, headFade + fadeStep * frames)
      turnAround()
    }
    return frames
  }

  return {
    obey,
    /** Overwrites `left` and `right` (equal lengths) with the next frames. Silence while paused or waiting. */
    render(left: Float32Array, right: Float32Array) {
      left.fill(0)
      right.fill(0)
      let at = 0
      while (at < left.length) at += renderRun(left, right, at, left.length - at)
      sinceReport += left.length
    },
    /** Answers a report when one is due, else null. */
    takeReport(): PlaybackReport | null {
      if (sinceReport < REPORT_FRAMES) return null
      sinceReport = 0
      const loudness: Record<string, readonly [number, number, number]> = {}
      for (const { version, meter } of voices.values()) {
        const { momentaryLufs, shortTermLufs, integratedLufs } = meter.levels
        loudness[version] = [momentaryLufs, shortTermLufs, integratedLufs]
      }
      const version = heard?.version ?? null
      const report = { serial, frame: head, isPlaying, isWaiting, version, truePeaks: peaks, loudness }
      peaks = [0, 0]
      return report
    },
  }
}

export type PlaybackEngine = ReturnType<typeof createPlaybackEngine>
