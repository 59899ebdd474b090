/** Loudness of a file in steps of 100 ms as a short text: two bytes each, hundredths of a LU above −120 LUFS, in base64. */

const FLOOR_LUFS = -120
const PER_LU = 100
const MOST = 0xffff
/** Offset of BS.1770: loudness of a mean square of 1. */
const OFFSET_LUFS = -0.691

/** Encodes the mean squares of whole steps as text. Anything softer than −120 LUFS is silence. */
export function encodeSteps(meanSquares: Float64Array): string {
  const levels = Uint16Array.from(meanSquares, (meanSquare) => {
    const aboveFloor = PER_LU * (OFFSET_LUFS + 10 * Math.log10(meanSquare) - FLOOR_LUFS)
    return Math.max(0, Math.min(MOST, Math.round(aboveFloor)))
  })
  const bytes = Buffer.alloc(2 * levels.length)
  for (const [i, level] of levels.entries()) bytes.writeUInt16LE(level, 2 * i)
  return bytes.toString('base64')
}

/** Returns the mean squares of a text. */
export function decodeSteps(text: string): Float64Array {
  const bytes = Buffer.from(text, 'base64')
  return Float64Array.from({ length: bytes.length >> 1 }, (_, i) => {
    const level = bytes.readUInt16LE(2 * i)
    // V8's own exponential gives the same bits on every machine.
    return level === 0 ? 0 : Math.exp(((level / PER_LU + FLOOR_LUFS - OFFSET_LUFS) / 10) * Math.LN10)
  })
}
