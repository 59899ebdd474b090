/** Lossy codecs: the services' streaming codecs, and the choices for listening to a master before it is published. */

/** A lossy codec at a service's bit rate or quality. */
export type StreamedCodec =
  | { readonly codec: 'AAC' | 'MP3' | 'Opus'; readonly kilobits: number }
  | { readonly codec: 'Vorbis'; readonly quality: number }

/**
 * Codecs of coded copies by their names on the wire, which end in the bit rate, in display order. Vorbis has qualities instead of bit
 * rates: 5 is about 160 kbit/s (xiph.org, "Vorbis audio compression", nominal bit rates at 44.1 kHz).
 */
export const COPY_CODECS = {
  vorbis_160: { codec: 'Vorbis', quality: 5 },
  aac_128: { codec: 'AAC', kilobits: 128 },
  aac_160: { codec: 'AAC', kilobits: 160 },
  aac_256: { codec: 'AAC', kilobits: 256 },
  opus_160: { codec: 'Opus', kilobits: 160 },
  mp3_320: { codec: 'MP3', kilobits: 320 },
} as const satisfies Readonly<Record<string, StreamedCodec>>

export type CopyCodec = keyof typeof COPY_CODECS
export const COPY_CODEC_NAMES = Object.keys(COPY_CODECS) as CopyCodec[]

/** Returns a codec with its amount of data as a listener reads it: `Ogg Vorbis 160 kbit/s` in full, `Ogg 160` in short. */
export function copyCodecName(id: CopyCodec): { readonly full: string; readonly short: string } {
  const { codec } = COPY_CODECS[id]
  const kilobits = id.slice(id.indexOf('_') + 1)
  const [full, short] = codec === 'Vorbis' ? ['Ogg Vorbis', 'Ogg'] : [codec, codec]
  return { full: `${full} ${kilobits} kbit/s`, short: `${short} ${kilobits}` }
}
