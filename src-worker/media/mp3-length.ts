/** Sample-accurate length of an MP3 from the header in its first frame (LAME, "Mp3 Info Tag" revision 1). */
import { open } from 'node:fs/promises'
import { readAt } from './file-bytes.ts'

/** Samples of a frame of MPEG 1 layer III at 32 to 48 kHz. */
const FRAME_SAMPLES = 1152
/** Delay that every decoder adds to the encoder's. */
const DECODER_DELAY_SAMPLES = 529
/** Position of the mark in a stereo frame without CRC, after the frame header and side information. */
const MARK_AT = 36
const FRAMES_AT = MARK_AT + 8
/** Name of the encoder. Some programs trust delay and padding only from LAME; ffmpeg's muxer writes its own name. */
const ENCODER_AT = MARK_AT + 120
const ENCODER_BYTES = 9
/** Signature of the encoder in the sound, and the searched part of the file: LAME fills spare bits of early frames with it. */
const SIGNATURE = /LAME\d\.\d{2,3}/
const SIGNED_BYTES = 1 << 17
/** Delay and padding, 12 bits each. */
const PADDING_AT = MARK_AT + 141
/** CRC-16 of all bytes before it. */
const CRC_AT = MARK_AT + 154
const HEADER_BYTES = CRC_AT + 2
const MOST_PADDING = 0xfff

/**
 * Writes the number of samples into an untagged MP3, and the encoder from its signature. ffmpeg's muxer omits the padding if the last frame
 * is nearly full, and players would play the rest of it. Throws an Error for a file without such a header or with an impossible length, and
 * the system's error.
 */
export async function stateMp3Length(path: string, frames: number): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    const header = await readAt(handle, 0, HEADER_BYTES)
    const mark = header.toString('latin1', MARK_AT, MARK_AT + 4)
    if (header.length < HEADER_BYTES || (mark !== 'Info' && mark !== 'Xing')) throw new Error('the MP3 has no header')
    const delay = header.readUIntBE(PADDING_AT, 3) >>> 12
    const total = header.readUInt32BE(FRAMES_AT) * FRAME_SAMPLES
    const padding = total - delay - frames
    if (padding < DECODER_DELAY_SAMPLES || padding > MOST_PADDING)
      throw new Error(`an MP3 of ${total} samples has none of ${frames}`)
    const [encoder] = SIGNATURE.exec((await readAt(handle, HEADER_BYTES, SIGNED_BYTES)).toString('latin1')) ?? []
    if (encoder !== undefined) header.write(encoder.padEnd(ENCODER_BYTES, '\0'), ENCODER_AT, 'latin1')
    header.writeUIntBE(delay * 2 ** 12 + padding, PADDING_AT, 3)
    header.writeUInt16BE(crc16(header.subarray(0, CRC_AT)), CRC_AT)
    await handle.write(header, 0, HEADER_BYTES, 0)
  } finally {
    await handle.close()
  }
}

/** CRC-16 as the header has it: polynomial 0x8005, least significant bit first, from 0. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) > 0 ? (crc >>> 1) ^ 0xa001 : crc >>> 1
  }
  return crc
}
