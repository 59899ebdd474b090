/** A short piece made on the spot, for the first try: nothing is downloaded and nothing is shipped. */
import { waveHead } from '../../../src-engine/dsp/riff.ts'

const RATE_HZ = 44_100
const SECONDS = 24
const BEATS_PER_SECOND = 2
const CHORDS = [
  [220, 261.63, 329.63],
  [174.61, 220, 261.63],
  [261.63, 329.63, 392],
  [196, 246.94, 293.66],
] as const

const wave = (phase: number) => Math.sin(phase) + Math.sin(2 * phase) / 3 + Math.sin(3 * phase) / 6

/** Level of both channels at `time` seconds: chords, a bass, a kick on every beat, a hat between. */
function levelAt(time: number, noise: () => number): readonly [number, number] {
  const beat = time * BEATS_PER_SECOND
  const chord = CHORDS[Math.floor(beat / 4) % CHORDS.length] ?? CHORDS[0]
  const inBar = (beat / 4) % 1
  const swell = Math.min(1, time / 3) * Math.min(1, (SECONDS - time) / 3)
  const pad = chord.reduce<number>((sum, hz, i) => sum + wave(2 * Math.PI * hz * time + i) / 9, 0) * (1 - inBar / 2)
  const bass = Math.sin((2 * Math.PI * chord[0] * time) / 2) * 0.3 * Math.exp(-((beat % 1) * 1.5))
  const kick = Math.sin(2 * Math.PI * 52 * (beat % 1) * (1.6 - (beat % 1))) * Math.exp(-(beat % 1) * 9) * 0.6
  const hat = noise() * Math.exp(-((beat + 0.5) % 1) * 22) * 0.12
  const lead =
    Math.sin(2 * Math.PI * chord[Math.floor(beat * 2) % 3]! * 2 * time) * 0.14 * Math.exp(-((beat * 2) % 1) * 3)
  const centre = (bass + kick) * swell
  return [centre + (pad + hat + lead * 0.7) * swell, centre + (pad * 0.9 - hat + lead) * swell]
}

/** Returns the piece as a 16-bit stereo WAV file named `filename`: 24 s, the same bytes every time. */
export function sampleSong(filename: string): File {
  const frames = RATE_HZ * SECONDS
  const head = waveHead({ channels: 2, sampleRateHz: RATE_HZ, bitsPerSample: 16 }, frames * 4)
  const samples = new DataView(new ArrayBuffer(frames * 4))
  let seed = 1
  const noise = () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return seed / 2_147_483_648 - 1
  }
  for (let i = 0; i < frames; i++) {
    const [left, right] = levelAt(i / RATE_HZ, noise)
    samples.setInt16(i * 4, Math.max(-1, Math.min(1, left * 0.6)) * 32_767, true)
    samples.setInt16(i * 4 + 2, Math.max(-1, Math.min(1, right * 0.6)) * 32_767, true)
  }
  return new File([head, samples.buffer], filename, { type: 'audio/wav' })
}
