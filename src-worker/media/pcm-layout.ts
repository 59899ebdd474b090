import type { PcmCodec } from '../../src-engine/dsp/pcm.ts'
import { FLOAT, PCM, type WaveFormat } from '../../src-engine/dsp/riff.ts'

/** Layout of the samples in the frames of a WAV, interleaved and little-endian. */
export interface PcmLayout {
  readonly codec: PcmCodec
  readonly sampleRateHz: number
  readonly channels: number
  /** Size of a frame of all channels. */
  readonly frameBytes: number
  /** Bits of a sample that count. */
  readonly bitDepth: number
}

/**
 * Returns the sample layout of a WAV, undefined if it is not interleaved PCM. A sample size between whole bytes, such as 12 or 20 bits,
 * uses the upper bits of the next larger one (Microsoft, WAVEFORMATEX). Pure; never throws.
 */
export function pcmLayout(format: WaveFormat): PcmLayout | undefined {
  const { tag, bitsPerSample, channels, sampleRateHz, validBitsPerSample = 0 } = format
  const sampleBytes = Math.ceil(bitsPerSample / 8)
  const codec = codecOf(tag, bitsPerSample, sampleBytes)
  if (!codec || isPadded(format, sampleBytes)) return undefined
  const isNarrower = tag === PCM && validBitsPerSample > 0 && validBitsPerSample < bitsPerSample
  return {
    codec,
    sampleRateHz,
    channels,
    frameBytes: channels * sampleBytes,
    bitDepth: isNarrower ? validBitsPerSample : bitsPerSample,
  }
}

/** Returns whether a WAV is PCM with padded samples, such as 24 bits in 32: programs disagree on which bits count. */
export function hasPaddedSamples(format: WaveFormat): boolean {
  const sampleBytes = Math.ceil(format.bitsPerSample / 8)
  return codecOf(format.tag, format.bitsPerSample, sampleBytes) !== undefined && isPadded(format, sampleBytes)
}

function codecOf(tag: number, bits: number, bytes: number): PcmCodec | undefined {
  if (tag === PCM && bits === 8) return 'pcm_u8'
  if (tag === PCM && bytes >= 2 && bytes <= 4) return `pcm_s${(8 * bytes) as 16 | 24 | 32}`
  if (tag === FLOAT && (bits === 32 || bits === 64)) return `pcm_f${bits}`
  return undefined
}

/** Size of the largest container of padded samples, bytes. */
const PADDED_BYTES = 4

/**
 * Returns whether samples are farther apart than their size. A zero block size, one without the channels, or one that contradicts the byte
 * rate is an error of the program that wrote the file. For three-byte samples, only the byte rate shows whether they take up four bytes.
 */
function isPadded({ channels, blockBytes, bytesPerSecond, sampleRateHz }: WaveFormat, sampleBytes: number): boolean {
  const frameBytes = channels * sampleBytes
  const isByteRateOf = (bytes: number) => bytesPerSecond === sampleRateHz * bytes
  if (sampleBytes === 3) {
    const isSlip = (blockBytes === 0 || blockBytes === sampleBytes) && isByteRateOf(frameBytes)
    return blockBytes < frameBytes ? !isSlip : blockBytes % frameBytes > 0
  }
  return isByteRateOf(blockBytes) && blockBytes > frameBytes && blockBytes <= channels * PADDED_BYTES
}
