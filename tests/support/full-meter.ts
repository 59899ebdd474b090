/**
 * A true-peak meter of another hand: 16 points per frame, 256 taps per point, double precision, no code of the engine. Slow on purpose.
 */
const pointsPerFrame = 16
const sideTaps = 128

/** Blackman–Harris window, four terms (Harris 1978), at position −1 … 1. */
function blackmanHarris(position: number): number {
  const x = Math.PI * (position + 1)
  return 0.35875 - 0.48829 * Math.cos(x) + 0.14128 * Math.cos(2 * x) - 0.01168 * Math.cos(3 * x)
}

const taps = Array.from({ length: pointsPerFrame }, (_, phase) =>
  Float64Array.from({ length: 2 * sideTaps }, (_, k) => {
    const distance = phase / pointsPerFrame - (k - sideTaps + 1)
    if (distance === 0) return 1
    const window = Math.abs(distance) < sideTaps ? blackmanHarris(distance / sideTaps) : 0
    return (Math.sin(Math.PI * distance) / (Math.PI * distance)) * window
  }),
)

/**
 * Largest |interpolated value| of a channel, from 16 frames before its start to 16 after its end. Only frames with a sample of at
 * least `floor` within three frames are interpolated; 0 looks everywhere.
 */
export function fullTruePeak(samples: Float32Array, floor = 0): number {
  const margin = 16 + sideTaps
  const padded = new Float64Array(samples.length + 2 * margin)
  padded.set(samples, margin)
  let peak = 0
  for (let n = margin - 16; n < samples.length + margin + 16; n++) {
    let near = 0
    for (let k = n - 2; k <= n + 3; k++) near = Math.max(near, Math.abs(padded[k]!))
    if (near < floor || near === 0) continue
    const first = n - sideTaps + 1
    for (const phase of taps) {
      let even = 0
      let odd = 0
      for (let k = 0; k < 2 * sideTaps; k += 2) {
        even += phase[k]! * padded[first + k]!
        odd += phase[k + 1]! * padded[first + k + 1]!
      }
      peak = Math.max(peak, Math.abs(even + odd))
    }
  }
  return peak
}

/** The largest {@link fullTruePeak} of the channels, in dBTP. */
export function fullTruePeakDbtp(channels: readonly Float32Array[], floor = 0): number {
  return 20 * Math.log10(Math.max(...channels.map((samples) => fullTruePeak(samples, floor))))
}
