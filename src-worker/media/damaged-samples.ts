/** Detection of invalid samples in a decoded song, and their replacement. */

/** Run of damaged samples in one channel. */
export interface Gap {
  readonly frame: number
  readonly frames: number
}

/** Largest |sample| of a file whose scale is 1, 36 dB above it: floats of real songs reach 12 to 18 dB. */
const LARGEST_SCALED = 64
/** Largest |sample| of any file: 32-bit integers that were stored as floats without scaling reach 2³¹. */
const LARGEST_UNSCALED = 2 ** 32
/** Threshold and share that identify a file of another scale: more than one sample in a thousand within 12 dB of {@link LARGEST_SCALED}. */
const SCALED_LEVEL = LARGEST_SCALED / 4
const UNSCALED_SHARE = 0.001
/** Octaves of amplitude without any sample, 24 dB, that part damage from the music below: an onset passes through all of them. */
const EMPTY_OCTAVES = 4
/** Largest share of samples above them. */
const MOST_TOWERING_SHARE = 0.001
/** Lowest level of music without the damage, −72 dBFS; anything quieter is silence and dither. */
const QUIETEST_MUSIC = 2 ** -12
/** Longest run of samples above the empty octaves, frames: half a millisecond at 44.1 kHz. */
const LONGEST_RUN_FRAMES = 24
/** Places more frequent than this, if more than two, may be intentional: they are left to the click detection. */
const OFTEN_PER_SECOND = 0.2
const RARE_PLACES = 2

/** The exponent and the upper three bits of the mantissa of a float32: eight steps an octave. */
const STEP_SHIFT = 20
const STEPS = 1 << (31 - STEP_SHIFT)
const STEPS_PER_OCTAVE = 8
/** Step of a magnitude that is a power of two. */
const stepOf = (magnitude: number): number => (127 + Math.log2(magnitude)) * STEPS_PER_OCTAVE
/** Smallest magnitude of a step. */
const magnitudeOf = (step: number): number =>
  2 ** (Math.floor(step / STEPS_PER_OCTAVE) - 127) * (1 + (step % STEPS_PER_OCTAVE) / STEPS_PER_OCTAVE)

/**
 * Returns the damaged samples of a song by channel: NaN, infinities, absurdly large numbers, and a few single samples more than 24 dB
 * above everything else. Drums pass through every level on their way up and down, so music contains no such samples. Never throws.
 */
export function findDamage(planes: readonly Float32Array[], sampleRateHz: number): Gap[][] {
  const steps = countSteps(planes)
  const largest = largestSound(steps, planes)
  const towering = toweringLevel(steps, largest)
  const rare = towering === undefined ? undefined : planes.map((samples) => runsBeyond(samples, towering))
  if (rare && isRare(rare.flat(), planes[0]!.length / sampleRateHz)) return rare
  const isWithin = steps.subarray(stepOf(largest)).every((count) => count === 0)
  return planes.map((samples) => (isWithin ? [] : runsBeyond(samples, largest)))
}

/** Frames that are counted at a time. */
const PART_FRAMES = 1 << 16

/** Counts samples by the step of their magnitude; NaN and infinities are in the highest steps. */
function countSteps(planes: readonly Float32Array[]): Uint32Array {
  const steps = new Uint32Array(STEPS)
  // A loop over a whole song would start in slow code each time; a function that is called often stays compiled.
  for (const samples of planes)
    for (let at = 0; at < samples.length; at += PART_FRAMES) countInto(steps, samples.subarray(at, at + PART_FRAMES))
  return steps
}

function countInto(steps: Uint32Array, { buffer, byteOffset, length }: Float32Array): void {
  const bits = new Uint32Array(buffer, byteOffset, length)
  for (let i = 0; i < length; i++) steps[(bits[i]! & 0x7fff_ffff) >>> STEP_SHIFT]!++
}

function largestSound(steps: Uint32Array, planes: readonly Float32Array[]): number {
  const total = planes.reduce((sum, { length }) => sum + length, 0)
  const finite = steps.subarray(stepOf(SCALED_LEVEL), stepOf(LARGEST_UNSCALED))
  const beyond = finite.reduce((sum, count) => sum + count, 0)
  return beyond > UNSCALED_SHARE * total ? LARGEST_UNSCALED : LARGEST_SCALED
}

/** Returns a level above all music, if only a few samples exceed it and empty octaves lie between. */
function toweringLevel(steps: Uint32Array, largest: number): number | undefined {
  const most = MOST_TOWERING_SHARE * steps.reduce((sum, count) => sum + count, 0)
  let level: number | undefined
  let above = 0
  let lowest = Number.POSITIVE_INFINITY
  for (let step = stepOf(largest); step >= stepOf(QUIETEST_MUSIC) && above <= most; step--) {
    if (steps[step] === 0) continue
    const isApart = above > 0 && lowest - step > EMPTY_OCTAVES * STEPS_PER_OCTAVE
    if (isApart) level = magnitudeOf(step + 1)
    above += steps[step]!
    lowest = step
  }
  return level
}

/** The runs of samples that are not within ±`level`. */
function runsBeyond(samples: Float32Array, level: number): Gap[] {
  const runs: Gap[] = []
  for (let i = 0; i < samples.length; i++) {
    // NaN is within no bounds.
    if (Math.abs(samples[i]!) <= level) continue
    const frame = i
    while (i < samples.length && !(Math.abs(samples[i]!) <= level)) i++
    runs.push({ frame, frames: i - frame })
  }
  return runs
}

function isRare(runs: readonly Gap[], seconds: number): boolean {
  const isShort = runs.every(({ frames }) => frames <= LONGEST_RUN_FRAMES)
  return isShort && placesOf(runs).length <= Math.max(RARE_PLACES, OFTEN_PER_SECOND * seconds)
}

/** Returns the first frame of each damaged place in any channel, ascending; adjacent runs count as one place. Pure. */
export function placesOf(gaps: readonly Gap[]): number[] {
  const places: number[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const { frame, frames } of [...gaps].sort((a, b) => a.frame - b.frame)) {
    if (frame - end > LONGEST_RUN_FRAMES) places.push(frame)
    end = Math.max(end, frame + frames)
  }
  return places
}

/** Returns the number of samples in gaps. Pure. */
export const sampleCount = (gaps: readonly Gap[]): number => gaps.reduce((sum, { frames }) => sum + frames, 0)

/** Replaces each gap of a channel by a straight line between its neighbours. */
export function bridgeGaps(samples: Float32Array, gaps: readonly Gap[]): void {
  for (const { frame, frames } of gaps) {
    const end = frame + frames
    const before = frame > 0 ? samples[frame - 1]! : 0
    const after = end < samples.length ? samples[end]! : 0
    for (let i = frame; i < end; i++) samples[i] = before + ((after - before) * (i - frame + 1)) / (frames + 1)
  }
}
