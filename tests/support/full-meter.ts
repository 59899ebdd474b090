/**
 * A true-peak meter of another hand: 16 points per frame, 256 taps per point, double precision, no code of the engine.
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
 * Finer and finer grids, and what the highest value on each must reach, as a part of the highest peak known, for the next to be
 * looked at. Where a signal without content above half the rate is highest, the nearest point of a grid of n per frame shows at
 * least cos(π / 2n) of it: 0.71 of two, 0.92 of four, 0.98 of eight. Taken a little lower, since the filter ends a little above
 * half the rate.
 */
const grids = [
  { phases: [8], worthAFinerLook: 0.67 },
  { phases: [4, 12], worthAFinerLook: 0.9 },
  { phases: [2, 6, 10, 14], worthAFinerLook: 0.97 },
  { phases: [1, 3, 5, 7, 9, 11, 13, 15], worthAFinerLook: Infinity },
]

/** Largest |interpolated value| of a channel, from 16 frames before its start to 16 after its end. */
export function fullTruePeak(samples: Float32Array): number {
  const margin = 16 + sideTaps
  const padded = new Float64Array(samples.length + 2 * margin)
  padded.set(samples, margin)
  let peak = 0
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
  for (let n = margin - 16; n < samples.length + margin + 16; n++) {
    let near = Math.max(Math.abs(padded[n]!), Math.abs(padded[n + 1]!))
    for (const { phases, worthAFinerLook } of grids) {
      for (const phase of phases) near = Math.max(near, Math.abs(interpolated(padded, n, taps[phase]!)))
      if (near <= worthAFinerLook * peak) break
    }
    peak = Math.max(peak, near)
  }
  return peak
}

/** The value between two frames that `phase` stands for. */
function interpolated(padded: Float64Array, frame: number, phase: Float64Array): number {
  const first = frame - sideTaps + 1
  // Four sums: one alone waits for each addition.
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let k = 0; k < 2 * sideTaps; k += 4) {
    a += phase[k]! * padded[first + k]!
    b += phase[k + 1]! * padded[first + k + 1]!
    c += phase[k + 2]! * padded[first + k + 2]!
    d += phase[k + 3]! * padded[first + k + 3]!
  }
  return a + b + (c + d)
}

/** The largest {@link fullTruePeak} of the channels, in dBTP. */
export function fullTruePeakDbtp(channels: readonly Float32Array[]): number {
  return 20 * Math.log10(Math.max(...channels.map((samples) => fullTruePeak(samples))))
}
