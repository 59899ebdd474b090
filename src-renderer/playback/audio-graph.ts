/**
 * The audio graph: one AudioContext, one playback engine on its audio thread, and a feeder that keeps the engine
 * supplied. It knows tracks only by name; its caller supplies their sources and gains.
 */

import { Feeder } from './feeder.ts'
import type { Difference, FrameRange, PlaybackCommand, PlaybackReport } from './playback-engine.ts'
import workletUrl from './playback-engine.worklet.ts?worker&url'
import { measureLag, shiftTrack, type Track } from './track.ts'

export interface TrackToLoad {
  readonly name: string
  readonly open: () => Promise<Track>
  /** True if it is the same recording as the others, so that correlation can find its start. */
  readonly isSameSong: boolean
}

export interface AudioGraphDeps {
  /** Sample rate of the graph: that of most files, to avoid resampling them. */
  readonly rateHz: number
  /** Length of the song: every track ends there, even a longer reference. */
  readonly durationSeconds: number
  readonly onReport: (report: PlaybackReport) => void
  readonly onReady: (track: string) => void
  readonly onFailure: (track: string, error: unknown) => void
}

type TimedReport = PlaybackReport & { readonly contextSeconds: number }

/** Time the sound card keeps running after playback, for the fade and the meters, ms. */
const REST_MS = 2000
const SPECTRUM_SIZE = 16_384

/** Opens the audio thread with its volume and spectrum; rejects without AudioWorklet. */
async function openNodes(rateHz: number) {
  const context = new AudioContext({ sampleRate: rateHz, latencyHint: 'interactive' })
  try {
    await context.audioWorklet.addModule(workletUrl)
  } catch (error) {
    void context.close()
    throw error
  }
  const engine = new AudioWorkletNode(context, 'loudsmith-playback', { numberOfInputs: 0, outputChannelCount: [2] })
  const volume = new GainNode(context)
  const analyser = new AnalyserNode(context, { fftSize: SPECTRUM_SIZE, smoothingTimeConstant: 0.9 })
  engine.connect(volume).connect(context.destination)
  engine.connect(analyser)
  return { context, engine, volume, analyser, bins: new Float32Array(analyser.frequencyBinCount) }
}

type Nodes = Awaited<ReturnType<typeof openNodes>>

/** Starts the audio thread; rejects without AudioWorklet. Sound starts with `play`, which needs a user gesture. */
export async function openAudioGraph(deps: AudioGraphDeps): Promise<AudioGraph> {
  return new AudioGraph(deps, await openNodes(deps.rateHz))
}

/** A playhead over tracks in lockstep; one track sounds at a time. */
export class AudioGraph {
  readonly #deps: AudioGraphDeps
  readonly #nodes: Nodes
  readonly #feeder: Feeder
  readonly #lengthFrames: number
  /** Wanted tracks by name; a load that is replaced or dropped meanwhile is discarded. */
  readonly #wanted = new Map<string, TrackToLoad>()
  /** Track with an exact start, the reference for aligning the others. */
  #exact: { readonly name: string; readonly track: Track } | undefined
  #report: TimedReport | null = null
  #restTimer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  #frame = 0
  #chosen = ''
  #loop: FrameRange | null = null
  #isPlaying = false
  /** Number of the last command that moved the head: earlier reports give the old position. */
  #serial = 0

  constructor(deps: AudioGraphDeps, nodes: Nodes) {
    this.#deps = deps
    this.#nodes = nodes
    this.#lengthFrames = this.#toFrame(deps.durationSeconds)
    const { rateHz, onFailure } = deps
    const post = (command: PlaybackCommand, transfer?: Transferable[]) => this.#post(command, transfer)
    this.#feeder = new Feeder({ rateHz, lengthFrames: this.#lengthFrames, post, onFailure })
    this.#post({ kind: 'length', frames: this.#lengthFrames })
    nodes.engine.port.onmessage = ({ data: report }: MessageEvent<TimedReport>) => this.#take(report)
    this.#rest()
  }

  /** Opens tracks one after another. Exact tracks should come first, as the others are aligned to them. */
  async load(tracks: readonly TrackToLoad[]): Promise<void> {
    for (const track of tracks) this.#wanted.set(track.name, track)
    for (const track of tracks) if (this.#isWanted(track)) await this.#loadOne(track)
  }

  drop(name: string): void {
    this.#wanted.delete(name)
    if (this.#exact?.name === name) this.#exact = undefined
    this.#feeder.drop(name)
  }

  /** Returns a track at the rate of this graph; undefined before it is open and after it failed. */
  trackOf(name: string): Track | undefined {
    return this.#feeder.trackOf(name)
  }

  play(): void {
    clearTimeout(this.#restTimer)
    this.#isPlaying = true
    void this.#nodes.context.resume()
    this.#post({ kind: 'play', serial: ++this.#serial })
  }

  pause(): void {
    this.#frame = this.#toFrame(this.position())
    this.#post({ kind: 'pause', serial: ++this.#serial })
    this.#rest()
  }

  /** Switches to a track; with `slideMs`, cross-fades linearly to another rendering of the current sound. */
  choose(name: string, slideMs?: number): void {
    this.#chosen = name
    this.#post({ kind: 'choose', version: name, slideMs })
    this.#follow()
  }

  /** Moves the playhead; `restartsIntegrated` restarts the integrated loudness. */
  seek(seconds: number, restartsIntegrated = false): void {
    this.#frame = this.#toFrame(Math.max(0, seconds))
    this.#report = null
    this.#post({ kind: 'seek', serial: ++this.#serial, frame: this.#frame, restartsIntegrated })
    this.#follow()
  }

  setLoop(range: { readonly startSeconds: number; readonly endSeconds: number } | null): void {
    this.#loop = range && { startFrame: this.#toFrame(range.startSeconds), endFrame: this.#toFrame(range.endSeconds) }
    this.#post({ kind: 'loop', range: this.#loop })
    this.#follow()
  }

  /** Plays only the difference of two tracks while the first is chosen; null ends this. */
  setDifference(difference: Difference | null): void {
    this.#post({ kind: 'difference', difference })
  }

  setLevels(gains: Readonly<Record<string, number>>): void {
    this.#post({ kind: 'levels', gains })
  }

  /** Output volume, linear, independent of the tracks' levels. */
  setVolume(gain: number): void {
    this.#nodes.volume.gain.setTargetAtTime(gain, this.#nodes.context.currentTime, 0.01)
  }

  /** Playback position at the output, in seconds of the song. */
  position(): number {
    const { rateHz } = this.#deps
    const report = this.#report
    if (!report?.isPlaying || report.isWaiting || !this.#isPlaying) return this.#frame / rateHz
    const { currentTime, outputLatency } = this.#nodes.context
    const sinceReport = currentTime - report.contextSeconds - (outputLatency || 0)
    const now = report.frame + Math.max(-0.2, Math.min(0.2, sinceReport)) * rateHz
    const end = this.#loop && report.frame <= this.#loop.endFrame ? this.#loop.endFrame : this.#lengthFrames
    return Math.max(0, Math.min(end, now)) / rateHz
  }

  /** Power spectrum of the output, dB per bin of `binHz`; the array is reused. */
  spectrum(): { readonly bins: Float32Array; readonly binHz: number } {
    const { analyser, bins } = this.#nodes
    analyser.getFloatFrequencyData(bins)
    return { bins, binHz: this.#deps.rateHz / SPECTRUM_SIZE }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#restTimer)
    this.#feeder.close()
    this.#nodes.engine.port.onmessage = null
    void this.#nodes.context.close()
  }

  #isWanted(track: TrackToLoad): boolean {
    return !this.#isClosed && this.#wanted.get(track.name) === track
  }

  async #loadOne(loaded: TrackToLoad): Promise<void> {
    const { name, open, isSameSong } = loaded
    try {
      const opened = await open()
      if (isSameSong && opened.isExact) this.#exact ??= { name, track: opened }
      const track = isSameSong && !opened.isExact ? await this.#aligned(opened) : opened
      if (!this.#isWanted(loaded)) return
      this.#feeder.put(name, track)
      this.#deps.onReady(name)
    } catch (error) {
      if (this.#isWanted(loaded)) this.#deps.onFailure(name, error)
    }
  }

  /** Returns a track aligned to the exact one, if there is one that is not dropped before the delay is measured. */
  async #aligned(track: Track): Promise<Track> {
    const exact = this.#exact
    if (!exact) return track
    try {
      return shiftTrack(track, await measureLag(track, exact.track))
    } catch (error) {
      if (this.#exact === exact) throw error
      return this.#aligned(track)
    }
  }

  #take(report: TimedReport): void {
    if (report.serial < this.#serial) return
    this.#report = report
    this.#frame = report.frame
    if (this.#isPlaying && !report.isPlaying) this.#rest()
    this.#follow()
    this.#deps.onReport(report)
  }

  #rest(): void {
    this.#isPlaying = false
    clearTimeout(this.#restTimer)
    this.#restTimer = setTimeout(() => void this.#nodes.context.suspend(), REST_MS)
  }

  #follow(): void {
    this.#feeder.move({ frame: this.#frame, version: this.#chosen, loop: this.#loop })
  }

  #toFrame(seconds: number): number {
    return Math.round(seconds * this.#deps.rateHz)
  }

  #post(command: PlaybackCommand, transfer: Transferable[] = []): void {
    this.#nodes.engine.port.postMessage(command, transfer)
  }
}
