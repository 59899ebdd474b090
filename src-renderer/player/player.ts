/**
 * The player of one song: one AudioContext, one playback in its audio thread, and a feeder that keeps the playback engine supplied.
 * It knows sound only; what a version is called and how loud it should be is told to it.
 */

import { Feeder } from './feeder.ts'
import type { Difference, FrameRange, PlaybackCommand, PlaybackReport } from './playback-engine.ts'
import workletUrl from './playback-engine.worklet.ts?worker&url'
import { measureLag, type OpenFile, openTrack, placeTrack, shiftTrack, type Track } from './track.ts'
import type { WavLayout } from './wav.ts'

export interface VersionFile {
  readonly version: string
  readonly open: OpenFile
  /** Tells whether it is the same recording as the others, so that its start can be found by comparing. */
  readonly isSameSong: boolean
  /** Place in the song at which the file begins, s; its start when absent. */
  readonly startSeconds?: number
  /** Layout of a WAV, where it is known before anything of it is read. */
  readonly layout?: WavLayout
}

export interface PlayerDeps {
  /** Rate at which everything runs: that of most masters, so that they are played as they are written. */
  readonly rateHz: number
  /** Length of the song: every version ends there, also a reference that is longer. */
  readonly durationSeconds: number
  readonly onReport: (report: PlaybackReport) => void
  readonly onReady: (version: string) => void
  readonly onFailure: (version: string, error: unknown) => void
}

type TimedReport = PlaybackReport & { readonly contextSeconds: number }

/** Time for which the sound card runs on after playback, for the fade and the meters, ms. */
const REST_MS = 2000
const SPECTRUM_SIZE = 16_384

/** Opens the audio thread with its volume and spectrum; rejects where there is no AudioWorklet. */
async function openAudioGraph(rateHz: number) {
  const context = new AudioContext({ sampleRate: rateHz, latencyHint: 'interactive' })
  try {
    await context.audioWorklet.addModule(workletUrl)
  } catch (error) {
    void context.close()
    throw error
  }
  const playback = new AudioWorkletNode(context, 'loudsmith-playback', { numberOfInputs: 0, outputChannelCount: [2] })
  const volume = new GainNode(context)
  const analyser = new AnalyserNode(context, { fftSize: SPECTRUM_SIZE, smoothingTimeConstant: 0.9 })
  playback.connect(volume).connect(context.destination)
  playback.connect(analyser)
  return { context, playback, volume, analyser }
}

interface LoaderDeps extends Pick<PlayerDeps, 'rateHz' | 'onReady' | 'onFailure'> {
  readonly feeder: Feeder
  readonly isClosed: () => boolean
}

/** Creates the loader of versions: it opens them, aligns them and puts them on the feeder. */
function createVersionLoader({ rateHz, feeder, isClosed, onReady, onFailure }: LoaderDeps) {
  /** Version with an exact start, with which the others are aligned. */
  let exact: Track | undefined
  /** The file that each version is to be read from; one that was replaced or dropped while it was opened is let go of. */
  const wanted = new Map<string, VersionFile>()
  const isWanted = (file: VersionFile) => !isClosed() && wanted.get(file.version) === file
  const decode = (bytes: ArrayBuffer) => new OfflineAudioContext(2, 1, rateHz).decodeAudioData(bytes)

  async function loadOne(file: VersionFile) {
    const { version, open, isSameSong, layout, startSeconds = 0 } = file
    try {
      let track = placeTrack(await openTrack(open, decode, rateHz, layout), Math.round(startSeconds * rateHz))
      if (isSameSong && track.isExact) exact ??= track
      if (isSameSong && !track.isExact && exact) track = shiftTrack(track, await measureLag(track, exact))
      if (!isWanted(file)) return
      feeder.put(version, track)
      onReady(version)
    } catch (error) {
      if (isWanted(file)) onFailure(version, error)
    }
  }

  return {
    async load(files: readonly VersionFile[]) {
      for (const file of files) wanted.set(file.version, file)
      for (const file of files) if (isWanted(file)) await loadOne(file)
    },
    drop(version: string) {
      wanted.delete(version)
      feeder.drop(version)
    },
  }
}

/** Starts the audio thread; rejects where there is no AudioWorklet. Sound begins with `play`, which needs a press. */
export async function createPlayer({ rateHz, durationSeconds, onReport, onReady, onFailure }: PlayerDeps) {
  const { context, playback, volume, analyser } = await openAudioGraph(rateHz)
  const bins = new Float32Array(analyser.frequencyBinCount)

  let report: TimedReport | null = null
  let restTimer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  let frame = 0
  let version = ''
  let loop: FrameRange | null = null
  let isPlaying = false

  const post = (command: PlaybackCommand, transfer: Transferable[] = []) => playback.port.postMessage(command, transfer)
  const toFrame = (seconds: number) => Math.round(seconds * rateHz)
  const lengthFrames = toFrame(durationSeconds)
  const feeder = new Feeder({ rateHz, lengthFrames, post, onFailure })
  post({ kind: 'length', frames: lengthFrames })
  const follow = () => feeder.move({ frame, version, loop })
  /** Number of the last command that moved the head: reports from before it say where the head was. */
  let serial = 0

  playback.port.onmessage = ({ data: news }: MessageEvent<TimedReport>) => {
    if (news.serial < serial) return
    report = news
    frame = news.frame
    if (isPlaying && !news.isPlaying) rest()
    follow()
    onReport(news)
  }

  function rest() {
    isPlaying = false
    clearTimeout(restTimer)
    restTimer = setTimeout(() => void context.suspend(), REST_MS)
  }
  rest()

  function position(): number {
    if (!report?.isPlaying || report.isWaiting || !isPlaying) return frame / rateHz
    const sinceReport = context.currentTime - report.contextSeconds - (context.outputLatency || 0)
    const now = report.frame + Math.max(-0.2, Math.min(0.2, sinceReport)) * rateHz
    const end = loop && report.frame <= loop.endFrame ? loop.endFrame : lengthFrames
    return Math.max(0, Math.min(end, now)) / rateHz
  }

  const loader = createVersionLoader({ rateHz, feeder, isClosed: () => isClosed, onReady, onFailure })

  return {
    /** Opens versions one after the other; those that are exact should come first, since the others are lined up with them. */
    load: loader.load,
    drop: loader.drop,
    /** Adds a version that is open already. */
    put(name: string, track: Track) {
      feeder.put(name, track)
      onReady(name)
    },
    /** Returns the track of a version at the rate of this player; undefined before it is opened and after it failed. */
    trackOf: (version: string) => feeder.trackOf(version),
    play() {
      clearTimeout(restTimer)
      isPlaying = true
      void context.resume()
      post({ kind: 'play', serial: ++serial })
    },
    pause() {
      frame = toFrame(position())
      post({ kind: 'pause', serial: ++serial })
      rest()
    },
    /** Switches to a version; `slideMs` slides to another rendering of what is heard. */
    choose(name: string, slideMs?: number) {
      version = name
      post({ kind: 'choose', version: name, slideMs })
      follow()
    },
    /** Moves the playhead; `restartsIntegrated` begins the integrated loudness again. */
    seek(seconds: number, restartsIntegrated = false) {
      frame = toFrame(Math.max(0, seconds))
      report = null
      post({ kind: 'seek', serial: ++serial, frame, restartsIntegrated })
      follow()
    },
    setLoop(range: { readonly startSeconds: number; readonly endSeconds: number } | null) {
      loop = range && {
        startFrame: toFrame(range.startSeconds),
        endFrame: toFrame(range.endSeconds),
      }
      post({ kind: 'loop', range: loop })
      follow()
    },
    /** Lets only the difference of two versions be heard while the first is; null ends it. */
    setDifference(difference: Difference | null) {
      post({ kind: 'difference', difference })
    },
    setLevels(gains: Readonly<Record<string, number>>) {
      post({ kind: 'levels', gains })
    },
    /** Volume of the room, linear, apart from the levels of the versions. */
    setVolume(gain: number) {
      volume.gain.setTargetAtTime(gain, context.currentTime, 0.01)
    },
    /** Position that is heard at this moment, in seconds of the song. */
    position,
    /** Power spectrum of what is heard, dB per bin of `binHz`; the array is reused. */
    spectrum(): { readonly bins: Float32Array; readonly binHz: number } {
      analyser.getFloatFrequencyData(bins)
      return { bins, binHz: rateHz / SPECTRUM_SIZE }
    },
    close() {
      isClosed = true
      clearTimeout(restTimer)
      feeder.close()
      playback.port.onmessage = null
      void context.close()
    },
  }
}

export type Player = Awaited<ReturnType<typeof createPlayer>>
