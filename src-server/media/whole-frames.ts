/**
 * Returns a receiver of bytes that gives them on as float32 samples in whole frames of `frameBytes`, however they were cut; an unfinished
 * frame at the end is dropped. It reuses its memory, so samples are valid until `onSamples` returns: what each chunk left behind would
 * add up to 60 MB before it is cleared away.
 */
export function inWholeFrames(
  frameBytes: number,
  onSamples: (samples: Float32Array) => void,
): (chunk: Uint8Array) => void {
  let held = new Uint8Array(1 << 17)
  let heldBytes = 0
  return (chunk) => {
    const bytes = heldBytes + chunk.length
    if (bytes > held.length) {
      const larger = new Uint8Array(2 * bytes)
      larger.set(held.subarray(0, heldBytes))
      held = larger
    }
    held.set(chunk, heldBytes)
    const whole = bytes - (bytes % frameBytes)
    onSamples(new Float32Array(held.buffer, 0, whole / Float32Array.BYTES_PER_ELEMENT))
    held.copyWithin(0, whole, bytes)
    heldBytes = bytes - whole
  }
}
