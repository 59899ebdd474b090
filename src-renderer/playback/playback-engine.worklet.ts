/** The playback engine on the audio thread: receives commands and sends reports through the node's port. */
import { type PlaybackCommand, PlaybackEngine } from './playback-engine.ts'

declare const sampleRate: number
declare const currentTime: number
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void

class PlaybackProcessor extends AudioWorkletProcessor {
  private readonly playback = new PlaybackEngine(sampleRate)

  constructor() {
    super()
    this.port.onmessage = ({ data: command }: MessageEvent<PlaybackCommand>) => this.playback.obey(command)
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const [left, right] = outputs[0] ?? []
    if (!left || !right) return true
    this.playback.render(left, right)
    const report = this.playback.takeReport()
    if (report) this.port.postMessage({ ...report, contextSeconds: currentTime })
    return true
  }
}

registerProcessor('loudsmith-playback', PlaybackProcessor)
