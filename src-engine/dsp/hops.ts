import type { Processor } from './processor.ts'

/** Work on one hop of two channels, in place, with a delay of its own. */
type HopWork = (left: Float32Array, right: Float32Array) => void

/**
 * Returns a processor that does `work` on every `hopFrames` frames of two channels, counted from the start of the signal, whatever its
 * blocks. Late by a hop and by `delayFrames`, the delay of the work itself.
 */
export function createHopProcessor(hopFrames: number, delayFrames: number, work: HopWork): Processor {
  const pair = (): [Float32Array, Float32Array] => [new Float32Array(hopFrames), new Float32Array(hopFrames)]
  let incoming = pair()
  let ready = pair()
  let filled = 0
  return {
    latencySamples: hopFrames + delayFrames,
    process({ channels, frames }) {
      for (let start = 0; start < frames; ) {
        const length = Math.min(frames - start, hopFrames - filled)
        for (const [c, waiting] of incoming.entries()) {
          const samples = channels[c]!.subarray(start, start + length)
          waiting.set(samples, filled)
          samples.set(ready[c]!.subarray(filled, filled + length))
        }
        start += length
        filled = (filled + length) % hopFrames
        if (filled > 0) continue
        const done = ready
        ready = incoming
        incoming = done
        work(...ready)
      }
    },
  }
}
