/**
 * Atoms of an M4A: the padding of a file from ffmpeg, and the tag list that iTunes introduced and all players read. Sources: ISO 14496-12
 * (boxes, edit lists); Apple, "QuickTime File Format" (metadata); mutagen and MusicBrainz Picard for the names of the atoms.
 */
import { open } from 'node:fs/promises'
import type { SongTags } from './audio-facts.ts'
import type { Cover } from './cover.ts'
import { BOX_HEAD_BYTES, type Box, boxAt, boxesIn, findBox, readMoov } from './mp4-boxes.ts'
import { EXPLICIT, PAIR_BREAK } from './tag-fields.ts'

/** Kinds of data in a tag (Apple, well-known types). */
const BINARY = 0
const UTF8 = 1
const JPEG = 13
const PNG = 14
const INTEGER = 21
/** Samples of a frame of AAC (ISO 14496-3). */
const AAC_FRAME_SAMPLES = 1024

/** Atoms of the fields of a song, named and other. */
export const TEXT_ATOMS: Readonly<Record<string, string>> = {
  title: '©nam',
  artist: '©ART',
  album: '©alb',
  albumArtist: 'aART',
  composer: '©wrt',
  genre: '©gen',
  date: '©day',
  copyright: 'cprt',
  comment: '©cmt',
  lyrics: '©lyr',
  grouping: '©grp',
  'album-sort': 'soal',
  'artist-sort': 'soar',
  'title-sort': 'sonm',
  'albumartist-sort': 'soaa',
  'composer-sort': 'soco',
}
export const PAIR_ATOMS: Readonly<Record<string, string>> = { track: 'trkn', disc: 'disk' }
/** Names of freeform atoms that differ from the field's. */
const FREE_NAMES: Readonly<Record<string, string>> = {
  isrc: 'ISRC',
  publisher: 'LABEL',
  performer: 'CONDUCTOR',
  lyricist: 'LYRICIST',
  remixer: 'REMIXER',
  language: 'LANGUAGE',
  mood: 'MOOD',
  media: 'MEDIA',
  musicbrainz_trackid: 'MusicBrainz Track Id',
}

/** Samples before, of and behind the song in a coded file. */
export interface CodedLength {
  readonly primingFrames: number
  readonly frames: number
  readonly paddingFrames: number
}

/**
 * Returns the length of the song in an M4A and its padding, in samples: from the edit list and the number of coded frames. `moov` is
 * the content of that box. Throws an Error for another kind of file, and if the edit list does not count in samples.
 */
function codedLength(moov: Buffer): CodedLength {
  const edits = boxAt(moov, 'trak', 'edts', 'elst')
  const movieScale = boxAt(moov, 'mvhd').readUInt32BE(12)
  const mediaScale = boxAt(moov, 'trak', 'mdia', 'mdhd').readUInt32BE(12)
  if (edits[0] !== 0 || edits.readUInt32BE(4) !== 1 || movieScale !== mediaScale) {
    throw new Error('the edit list does not count samples')
  }
  const frames = edits.readUInt32BE(8)
  const primingFrames = edits.readInt32BE(12)
  const packets = boxAt(moov, 'trak', 'mdia', 'minf', 'stbl', 'stsz').readUInt32BE(8)
  return { primingFrames, frames, paddingFrames: packets * AAC_FRAME_SAMPLES - primingFrames - frames }
}

/** Returns the length of the song in an M4A file and its padding. Throws as {@link codedLength}, and the system's error. */
export async function readCodedLength(path: string): Promise<CodedLength> {
  return codedLength(await moovOf(path))
}

async function moovOf(path: string): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    return await readMoov(handle)
  } finally {
    await handle.close()
  }
}

/** Format of the sound in an M4A, and whether it has tags about the song. */
export interface M4aFacts {
  readonly sampleRateHz: number
  readonly channels: number
  readonly hasTags: boolean
}

/** Returns the facts of an M4A file. Throws an Error for another kind of file, and the system's error. */
export async function readM4aFacts(path: string): Promise<M4aFacts> {
  return m4aFacts(await moovOf(path))
}

function m4aFacts(moov: Buffer): M4aFacts {
  // Version and entry count come before the first description (ISO 14496-12, section 8.5.2).
  const [sound] = boxesIn(boxAt(moov, 'trak', 'mdia', 'minf', 'stbl', 'stsd').subarray(8))
  if (!sound) throw new Error('the file does not describe its sound')
  const meta = findBox(moov, 'udta', 'meta')
  const list = meta && findBox(meta.subarray(4), 'ilst')
  return {
    channels: sound.content.readUInt16BE(16),
    sampleRateHz: sound.content.readUInt16BE(24),
    hasTags: list !== undefined && boxesIn(list).some((atom) => !isOfTheFile(atom)),
  }
}

/** Returns whether an atom describes the file rather than the song: its encoder or its padding. */
function isOfTheFile({ name, content }: Box): boolean {
  return name === '©too' || (name === '----' && content.includes('iTunSMPB'))
}

/** Replaces the tags of a `moov` box, given by its content. Throws as {@link codedLength}. */
export function taggedMoov(moov: Buffer, tags: SongTags, cover?: Cover): Buffer {
  const kept = boxesIn(moov)
    .filter(({ name }) => name !== 'udta')
    .map(({ start, end }) => moov.subarray(start, end))
  return box('moov', ...kept, box('udta', metaBox(tagAtoms(tags, codedLength(moov), cover))))
}

function metaBox(atoms: readonly Buffer[]): Buffer {
  const handler = Buffer.concat([Buffer.alloc(8), ascii('mdirappl'), Buffer.alloc(9)])
  return box('meta', Buffer.alloc(4), box('hdlr', handler), box('ilst', ...atoms))
}

function tagAtoms({ other = {}, ...named }: SongTags, length: CodedLength, cover?: Cover): Buffer[] {
  const fields = [...Object.entries(named), ...Object.entries(other)].filter(([, text]) => text !== '')
  return [
    ...fields.flatMap(([name, text]) => fieldAtoms(name, text)),
    own('iTunSMPB', soundLength(length)),
    ...(cover ? [box('covr', data(cover.mimeType === 'image/png' ? PNG : JPEG, Buffer.from(cover.bytes)))] : []),
    box('©too', data(UTF8, utf8('Loudsmith'))),
  ]
}

function fieldAtoms(name: string, text: string): Buffer[] {
  const numbers = /^(\d{1,5})(?:\/(\d{1,5}))?$/.exec(text)
  const pairAtom = PAIR_ATOMS[name]
  if (pairAtom && numbers) return [box(pairAtom, data(BINARY, numberPair(pairAtom, numbers)))]
  if (name === 'bpm' && Number(text) > 0) return [box('tmpo', data(INTEGER, uint16(Math.round(Number(text)))))]
  if (name === EXPLICIT) return text === '1' ? [box('rtng', data(INTEGER, Buffer.from([1])))] : []
  if (name === 'compilation') return text === '1' ? [box('cpil', data(INTEGER, Buffer.from([1])))] : []
  if (name === 'TIPL' || name === 'TMCL') return peopleAtoms(text)
  const atom = TEXT_ATOMS[/^lyrics(-|$)/.test(name) ? 'lyrics' : name]
  return [atom ? box(atom, data(UTF8, utf8(text))) : own(FREE_NAMES[name] ?? name, text)]
}

function peopleAtoms(text: string): Buffer[] {
  const parts = text.split(PAIR_BREAK)
  return parts.flatMap((role, i) => (i % 2 === 0 && parts[i + 1] ? [own(role.toUpperCase(), parts[i + 1]!)] : []))
}

/** Two numbers of 16 bits behind a zero of as many; `trkn` has one more behind them. */
function numberPair(atom: string, [, number, total = '0']: readonly string[]): Buffer {
  const clamped = (text: string | undefined) => uint16(Math.min(0xffff, Number(text)))
  return Buffer.concat([uint16(0), clamped(number), clamped(total), ...(atom === 'trkn' ? [uint16(0)] : [])])
}

/** Formats the lengths as iTunes does: hexadecimal samples before and behind the song, and of the song. */
function soundLength({ primingFrames, frames, paddingFrames }: CodedLength): string {
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0')
  const numbers = [hex(0, 8), hex(primingFrames, 8), hex(paddingFrames, 8), hex(frames, 16)]
  return ` ${[...numbers, ...Array.from({ length: 8 }, () => hex(0, 8))].join(' ')}`
}

/** Returns a freeform atom with this name. */
function own(name: string, text: string): Buffer {
  const full = (content: string) => Buffer.concat([Buffer.alloc(4), utf8(content)])
  return box('----', box('mean', full('com.apple.iTunes')), box('name', full(name)), data(UTF8, utf8(text)))
}

function data(kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(kind)
  return box('data', head, content)
}

function box(name: string, ...parts: readonly Uint8Array[]): Buffer {
  const size = parts.reduce((sum, { length }) => sum + length, BOX_HEAD_BYTES)
  const head = Buffer.alloc(BOX_HEAD_BYTES)
  head.writeUInt32BE(size)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, ...parts])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function ascii(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function utf8(text: string): Buffer {
  return Buffer.from(text, 'utf8')
}
