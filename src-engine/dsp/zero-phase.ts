import type { Biquad } from './biquad.ts'
import { createBiquadCascade } from './biquad-cascade.ts'
import { allocateBlock } from './block.ts'
import { controlFrames, type Processor } from './processor.ts'

/** Frames per hop; a longer hop filters less of the signal backward twice. */
const hop = 65_536

/**
 * Returns sections that run over a signal forward and then backward: the gain in dB doubles and waveforms keep their shape, since no
 * frequency is delayed against another. The backward pass starts `tailSeconds` ahead, and the filter must have decayed within that time.
 * Latency: that time, rounded up to whole control steps, plus one hop.
 */
export function createZeroPhase(sections: readonly Biquad[], tailSeconds: number, sampleRateHz: number): Processor {
  const tail = Math.ceil((tailSeconds * sampleRateHz) / controlFrames) * controlFrames
  const forward = createBiquadCascade(sections)
  const backward = createBiquadCascade(sections)
  const ahead = allocateBlock(2, hop + tail)
  const reversed = allocateBlock(2, hop + tail)
  const ready = allocateBlock(2, hop)
  let filled = 0

  function finishHop(): void {
    for (const [c, samples] of reversed.channels.entries()) samples.set(ahead.channels[c]!)
    for (const samples of reversed.channels) samples.reverse()
    backward.reset()
    backward.process(reversed)
    for (const [c, samples] of ready.channels.entries()) {
      samples.set(reversed.channels[c]!.subarray(tail))
      samples.reverse()
      ahead.channels[c]!.copyWithin(0, hop)
    }
    filled = tail
  }

  return {
    latencySamples: hop + tail,
    process(block) {
      forward.process(block)
      for (let start = 0; start < block.frames; ) {
        // Until the first hop is full the output is silence; the part before the hop does not fit into `ready`.
        const frames = Math.min(block.frames - start, (filled < tail ? tail : hop + tail) - filled)
        for (const [c, samples] of block.channels.entries()) {
          const here = samples.subarray(start, start + frames)
          ahead.channels[c]!.set(here, filled)
          if (filled < tail) here.fill(0)
          else here.set(ready.channels[c]!.subarray(filled - tail, filled - tail + frames))
        }
        filled += frames
        start += frames
        if (filled === hop + tail) finishHop()
      }
    },
  }
}
