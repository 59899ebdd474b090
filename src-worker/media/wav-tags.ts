import { riffChunk } from '../../src-engine/dsp/riff.ts'
import type { SongTags } from './audio-facts.ts'
import type { Cover } from './cover.ts'
import { writeId3Tag } from './id3.ts'

/** RIFF INFO identifiers (Microsoft, Multimedia Programming Interface 1.0, chapter 2; ITRK is ffmpeg's and common usage). */
const INFO_IDS = {
  title: 'INAM',
  artist: 'IART',
  album: 'IPRD',
  date: 'ICRD',
  genre: 'IGNR',
  comment: 'ICMT',
  copyright: 'ICOP',
  track: 'ITRK',
} as const satisfies Partial<Record<keyof SongTags, string>>

/**
 * Returns the tag chunks of a WAV: a LIST INFO chunk for every reader, and an `id3 ` chunk with ID3v2.4 for more capable ones, both in
 * UTF-8, the second with the cover. Empty without tags.
 */
export function tagChunks(tags: SongTags, cover?: Cover): Buffer[] {
  const info = infoItems(tags)
  const id3 = writeId3Tag(tags, cover)
  return [
    ...(info.length > 0 ? [chunk('LIST', Buffer.concat([ascii('INFO'), ...info]))] : []),
    ...(id3.length > 0 ? [chunk('id3 ', id3)] : []),
  ]
}

/** A RIFF chunk as a Buffer. */
export function chunk(name: string, content: Uint8Array): Buffer {
  return Buffer.from(riffChunk(name, content).buffer)
}

function infoItems(tags: SongTags): Buffer[] {
  return entries(INFO_IDS).flatMap(([field, id]) => {
    const text = tags[field]
    return text ? [chunk(id, Buffer.from(`${text}\0`, 'utf8'))] : []
  })
}

function ascii(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function entries<Key extends string, Value>(record: Readonly<Record<Key, Value>>): [Key, Value][] {
  return Object.entries(record) as [Key, Value][]
}
