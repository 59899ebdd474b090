import type { Audio } from '../dsp/block.ts'
import { createComplexFft } from '../dsp/fft.ts'
import { levelDb } from '../dsp/meters/spectrum.ts'
import { hannWindow } from '../dsp/window.ts'

/** Level below the audible band. */
export interface Subsonic {
  /** Mean square between 3 and 17 Hz, mean of both channels, dBFS: below the lowest note of any instrument but the organ. */
  readonly levelDbfs: number
  /** Strongest frequency there, Hz. */
  readonly frequencyHz: number
  /** Mean square between 30 and 120 Hz, dBFS. */
  readonly bassDbfs: number
  /** Channel with more bass; left if they are equal. */
  readonly louderBass: 'left' | 'right'
}

/** Samples per frame: at least two thirds of a second up to 192 kHz, enough to tell 3 Hz from 0. */
const sizeAt = (sampleRateHz: number): number => (sampleRateHz > 96_000 ? 131_072 : 65_536)
const mostFrames = 12

/**
 * Returns the level between 3 and 17 Hz, as a mean of both channels without their constant offsets, from at most twelve evenly
 * spaced Hann frames of 65 536 samples (131 072 above 96 kHz). −200 dBFS for silence; a piece shorter than a frame is padded with
 * silence. Never throws.
 */
export function measureSubsonic({ channels, frames, sampleRateHz }: Audio): Subsonic {
  const left = channels[0]!
  const right = channels[1]!
  const size = sizeAt(sampleRateHz)
  const count = Math.max(1, Math.min(mostFrames, Math.floor(frames / size)))
  const fft = createComplexFft(size)
  const re = new Float64Array(size)
  const im = new Float64Array(size)
  const window = hannWindow(Math.min(size, frames))
  const bin = (hz: number): number => Math.round((hz * size) / sampleRateHz)
  const powers = new Float64Array(bin(130))
  const balance = new Float64Array(powers.length)
  for (let frame = 0; frame < count; frame++) {
    const start = count > 1 ? Math.floor(((frames - size) * frame) / (count - 1)) : 0
    loadFrame(left.subarray(start), right.subarray(start), window, re, im)
    fft.forward(re, im)
    for (let k = 1; k < powers.length; k++) {
      // |Z(k)|² + |Z(−k)|² of z = L + iR is twice |L(k)|² + |R(k)|², the one-sided power of the channels' mean.
      powers[k]! += re[k]! ** 2 + im[k]! ** 2 + re[size - k]! ** 2 + im[size - k]! ** 2
      // And Re(Z(k)·Z(−k)) is |L(k)|² − |R(k)|².
      balance[k]! += re[k]! * re[size - k]! - im[k]! * im[size - k]!
    }
  }
  const scale = 1 / (count * size * size * 0.375 * 2)
  let level = 0
  let bass = 0
  let leftMore = 0
  let strongest = bin(3)
  for (let k = bin(3); k < powers.length; k++) {
    const hz = (k * sampleRateHz) / size
    if (hz <= 17) {
      level += powers[k]! * scale
      if (powers[k]! > powers[strongest]!) strongest = k
    } else if (hz >= 30 && hz <= 120) {
      bass += powers[k]! * scale
      leftMore += balance[k]!
    }
  }
  return {
    levelDbfs: levelDb(level),
    frequencyHz: (strongest * sampleRateHz) / size,
    bassDbfs: levelDb(bass),
    louderBass: leftMore < 0 ? 'right' : 'left',
  }
}

/** One windowed frame of z = L + iR, without its mean; silence behind it. */
function loadFrame(
  left: Float32Array,
  right: Float32Array,
  window: Float64Array,
  re: Float64Array,
  im: Float64Array,
): void {
  const { length } = window
  let leftMean = 0
  let rightMean = 0
  for (let i = 0; i < length; i++) {
    leftMean += left[i]!
    rightMean += right[i]!
  }
  leftMean /= Math.max(1, length)
  rightMean /= Math.max(1, length)
  re.fill(0)
  im.fill(0)
  for (let i = 0; i < length; i++) {
    re[i] = window[i]! * (left[i]! - leftMean)
    im[i] = window[i]! * (right[i]! - rightMean)
  }
}

/** Least level of rumble, dBFS; its largest distance below the bass, dB; and the level that is rumble in any case, dBFS. */
const rumbleDbfs = -45
const rumbleBelowBassDb = 12
const heavyRumbleDbfs = -34

/** Largest rise of the peaks that a rumble filter may cause, dB: a larger rise means that it cuts the music's own waves. */
export const mostPeakRiseDb = 0.5

/**
 * Returns true for rumble: above −34 dBFS, or above −45 dBFS and less than 12 dB below the bass. `shiftDb` moves the levels in dBFS
 * with the song.
 */
export function isRumble({ levelDbfs, bassDbfs }: Subsonic, shiftDb: number): boolean {
  if (levelDbfs > heavyRumbleDbfs + shiftDb) return true
  return levelDbfs > rumbleDbfs + shiftDb && levelDbfs > bassDbfs - rumbleBelowBassDb
}

/** High-pass against an offset that moves with the music; it does not ring, so silence stays silent. */
export const offsetFilter = { frequencyHz: 8, order: 1 } as const

/** Returns the high-pass for a song: steep for rumble, otherwise the one against an offset. */
export function rumbleFilterFor(
  subsonic: Subsonic,
  shiftDb: number,
): { readonly frequencyHz: number; readonly order: 1 | 8 } {
  return isRumble(subsonic, shiftDb) ? { frequencyHz: 18.5, order: 8 } : offsetFilter
}
