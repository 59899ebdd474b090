/** The deck in the audio thread: commands come in and reports go out over the node's port. */
import { createDeck, type DeckCommand } from './deck.ts'

declare const sampleRate: number
declare const currentTime: number
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void

class DeckProcessor extends AudioWorkletProcessor {
  private readonly deck = createDeck(sampleRate)

  constructor() {
    super()
    this.port.onmessage = ({ data: command }: MessageEvent<DeckCommand>) => this.deck.obey(command)
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const [left, right] = outputs[0] ?? []
    if (!left || !right) return true
    this.deck.render(left, right)
    const report = this.deck.takeReport()
    if (report) this.port.postMessage({ ...report, contextSeconds: currentTime })
    return true
  }
}

registerProcessor('loudsmith-deck', DeckProcessor)
