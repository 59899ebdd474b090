/** Sound of a WavPack file, by the head of its first block. Source: David Bryant, "WavPack 4 & 5 binary file format". */
import type { FileHandle } from 'node:fs/promises'
import type { ContainerSound, SoundFault } from './container-sound.ts'
import { readAt } from './file-bytes.ts'

const HEAD_BYTES = 32
const MONO = 1 << 2
const HYBRID = 1 << 3
const FLOAT = 1 << 7
const LAST_OF_ITS_FRAMES = 1 << 12
const DSD = 2 ** 31
const UNKNOWN_FRAMES = 0xffff_ffff
/** Rates by their number; the last number means that the rate is elsewhere in the block. */
const RATES_HZ = [
  6000, 8000, 9600, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 192_000,
]

/** Returns the sound of a file. Throws the system's error. */
export async function readWavpackSound(handle: FileHandle): Promise<ContainerSound | SoundFault> {
  const head = await readAt(handle, 0, HEAD_BYTES)
  if (head.length < HEAD_BYTES) return { fault: 'damaged' }
  const flags = head.readUInt32LE(24)
  const isSet = (flag: number) => Math.floor(flags / flag) % 2 === 1
  if (isSet(DSD)) return { fault: 'dsd' }
  const frames = head.readUInt32LE(12)
  const bytes = (flags & 3) + 1
  const unusedBits = (flags >>> 13) & 31
  const isLossy = isSet(HYBRID)
  return {
    codec: 'wavpack',
    isLossy,
    sampleRateHz: RATES_HZ[(flags >>> 23) & 15] ?? 44_100,
    // A block holds two channels at most; further ones are in the blocks behind it.
    channels: isSet(LAST_OF_ITS_FRAMES) ? (isSet(MONO) ? 1 : 2) : 3,
    bitDepth: isLossy ? undefined : isSet(FLOAT) ? 32 : 8 * bytes - unusedBits,
    claimedFrames: frames === UNKNOWN_FRAMES ? undefined : head[11]! * 2 ** 32 + frames,
    soundBytes: (await handle.stat()).size,
  }
}
