/** Small real audio files, made on the spot. */

/** Returns a 16-bit PCM WAV: a quiet tone that changes its level, so that it has loudness and dynamics. */
export function wavSong({ seconds = 3, sampleRateHz = 8000, channels = 2, hertz = 220 } = {}): Buffer {
  const frames = Math.round(seconds * sampleRateHz)
  const samples = Buffer.alloc(frames * channels * 2)
  for (let frame = 0; frame < frames; frame++) {
    const time = frame / sampleRateHz
    const value = Math.round(8000 * Math.sin(2 * Math.PI * hertz * time) * (0.6 + 0.4 * Math.sin(2 * Math.PI * time)))
    for (let channel = 0; channel < channels; channel++) samples.writeInt16LE(value, (frame * channels + channel) * 2)
  }
  return wavOf(samples, sampleRateHz, channels)
}

/** Returns the samples of a WAV of 16 bit as an AIFF (Apple, "Audio Interchange File Format"). */
export function inAiff(wav: Buffer): Buffer {
  const [channels, sampleRateHz] = [wav.readUInt16LE(22), wav.readUInt32LE(24)]
  const samples = Buffer.from(wav.subarray(44)).swap16()
  const common = Buffer.alloc(18)
  common.writeUInt16BE(channels, 0)
  common.writeUInt32BE(samples.length / 2 / channels, 2)
  common.writeUInt16BE(16, 6)
  const exponent = Math.floor(Math.log2(sampleRateHz))
  common.writeUInt16BE(16_383 + exponent, 8)
  common.writeBigUInt64BE(BigInt(sampleRateHz) << BigInt(63 - exponent), 10)
  const chunk = (name: string, content: Buffer) => {
    const head = Buffer.alloc(8)
    head.write(name)
    head.writeUInt32BE(content.length, 4)
    return Buffer.concat([head, content])
  }
  const chunks = [chunk('COMM', common), chunk('SSND', Buffer.concat([Buffer.alloc(8), samples]))]
  return chunk('FORM', Buffer.concat([Buffer.from('AIFF'), ...chunks]))
}

/** Returns a WAV of 16 bit as one of 24, as masters are. */
export function in24Bits(wav: Buffer): Buffer {
  const samples = wav.subarray(44)
  const wide = Buffer.alloc((samples.length / 2) * 3)
  for (let i = 0; i < samples.length / 2; i++) wide.writeIntLE(samples.readInt16LE(2 * i) * 256, 3 * i, 3)
  const [sampleRateHz, channels] = [wav.readUInt32LE(24), wav.readUInt16LE(22)]
  return Buffer.concat([wavHeader(wide.length, sampleRateHz, channels, 3), wide])
}

/** Returns a WAV file of exactly `sizeBytes`, all of it silence at 192 kHz in 32 bit, so that it stays below ten minutes. */
export function wavOfSize(sizeBytes: number): Buffer {
  const frameBytes = 8
  const frames = Math.floor((sizeBytes - 44) / frameBytes)
  const header = wavHeader(frames * frameBytes, 192_000, 2, 4)
  return Buffer.concat([header, Buffer.alloc(sizeBytes - header.length)])
}

function wavOf(samples: Buffer, sampleRateHz: number, channels: number): Buffer {
  return Buffer.concat([wavHeader(samples.length, sampleRateHz, channels, 2), samples])
}

function wavHeader(sampleBytes: number, sampleRateHz: number, channels: number, bytesPerSample: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + sampleBytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(sampleRateHz, 24)
  header.writeUInt32LE(sampleRateHz * channels * bytesPerSample, 28)
  header.writeUInt16LE(channels * bytesPerSample, 32)
  header.writeUInt16LE(bytesPerSample * 8, 34)
  header.write('data', 36)
  header.writeUInt32LE(sampleBytes, 40)
  return header
}
