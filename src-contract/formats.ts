/** Formats of a written master: `wav24` is the master itself, all others are made from it. */

interface FormatFacts {
  readonly container: Container
  /** Bits of a sample; absent for a lossy codec. */
  readonly bitDepth?: 16 | 24 | 32
  /** Rate that it always has, Hz. */
  readonly rateHz?: number
  /** Highest rate that it has, Hz: a master above it is converted. */
  readonly highestRateHz?: number
  /** Bits per second, thousands, of a lossy codec. */
  readonly kilobits?: number
  /** Name as a reader sees it. */
  readonly name: string
  /** Ending of a file's name before the extension; empty if the extension alone identifies the format. */
  readonly suffix: string
}

/** Media types of the containers, which are named by their file extensions. */
export const CONTAINER_TYPES = { wav: 'audio/wav', flac: 'audio/flac', mp3: 'audio/mpeg', m4a: 'audio/mp4' } as const
export type Container = keyof typeof CONTAINER_TYPES

const CD_RATE_HZ = 44_100
/** Lossy codecs have no use for more. */
const LOSSY_RATE_HZ = 48_000

export const FORMATS = {
  wav24: { container: 'wav', bitDepth: 24, name: 'WAV 24 bit', suffix: '24bit' },
  wav16_44: { container: 'wav', bitDepth: 16, rateHz: CD_RATE_HZ, name: 'WAV 16 bit 44.1 kHz', suffix: '16bit_44k' },
  wav32f: { container: 'wav', bitDepth: 32, name: 'WAV 32 bit float', suffix: '32float' },
  flac24: { container: 'flac', bitDepth: 24, name: 'FLAC 24 bit', suffix: '' },
  flac16_44: { container: 'flac', bitDepth: 16, rateHz: CD_RATE_HZ, name: 'FLAC 16 bit 44.1 kHz', suffix: '16bit_44k' },
  mp3_320: { container: 'mp3', kilobits: 320, highestRateHz: LOSSY_RATE_HZ, name: 'MP3 320 kbit/s', suffix: '' },
  aac_256: { container: 'm4a', kilobits: 256, highestRateHz: LOSSY_RATE_HZ, name: 'AAC 256 kbit/s', suffix: '' },
} as const satisfies Readonly<Record<string, FormatFacts>>

export type Format = keyof typeof FORMATS
/** Names of all formats on the wire, in display order. */
export const FORMAT_NAMES = Object.keys(FORMATS) as unknown as readonly [Format, ...Format[]]

/** Returns the facts of a format. */
export function formatFacts(format: Format): FormatFacts {
  return FORMATS[format]
}
