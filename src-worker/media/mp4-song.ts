/**
 * Sound and tags of an MP4, M4A or QuickTime file. Sources: ISO 14496-12 (boxes), 14496-1 (descriptors), 23001-7 (encryption); Apple,
 * "QuickTime File Format" (sound descriptions, metadata); the atoms of {@link TEXT_ATOMS} for tags.
 */
import type { FileHandle } from 'node:fs/promises'
import type { Excerpt } from './audio-facts.ts'
import { type ContainerSound, type ContainerTags, isLossyCodec, type SoundFault } from './container-sound.ts'
import type { Picture } from './cover.ts'
import { readAt } from './file-bytes.ts'
import { type Box, boxesIn, fileBoxes, findBox, readMoov } from './mp4-boxes.ts'
import { PAIR_ATOMS, TEXT_ATOMS } from './mp4-tags.ts'
import { EXPLICIT, type TagEntry } from './tag-fields.ts'
import { cleanText, decodeText } from './tag-text.ts'

/** Sample entries of encrypted sound: FairPlay and Common Encryption. */
const PROTECTED = ['drms', 'enca']

/** Codecs by the code of their sample entry; `pcm` where the entry tells more. */
const CODECS: Readonly<Record<string, string>> = {
  alac: 'alac',
  fLaC: 'flac',
  Opus: 'opus',
  '.mp3': 'mp3',
  'raw ': 'pcm_u8',
  twos: 'pcm',
  sowt: 'pcm',
  lpcm: 'pcm',
  in24: 'pcm_s24',
  in32: 'pcm_s32',
  fl32: 'pcm_f32',
  fl64: 'pcm_f64',
}
/** Codecs by the object type of an `mp4a` (ISO 14496-1, section 7.2.6.6): AAC of MPEG-4 and MPEG-2, layer III of MPEG-2 and MPEG-1. */
const OBJECT_TYPES: Readonly<Record<number, string>> = {
  64: 'aac',
  102: 'aac',
  103: 'aac',
  104: 'aac',
  105: 'mp3',
  107: 'mp3',
}

/** Extended type of a box with a C2PA manifest (C2PA 2.1, appendix A.4). */
const C2PA_UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')
const UUID_BYTES = 16

/** One track of sound. */
interface Track {
  readonly content: Buffer
  readonly isEnabled: boolean
}

/** Returns the sound of a file: its first enabled track of sound, as players choose. Throws the system's error. */
export async function readMp4Sound(handle: FileHandle): Promise<ContainerSound | SoundFault> {
  const moov = await readMoov(handle).catch(() => undefined)
  const tracks = moov && soundTracks(moov)
  if (!tracks) return { fault: 'damaged' }
  if (tracks.length === 0) return { fault: 'no_sound' }
  const enabled = tracks.findIndex(({ isEnabled }) => isEnabled)
  const index = Math.max(0, enabled)
  try {
    const sound = soundOf(tracks[index]!.content, moov)
    if ('fault' in sound) return sound
    const isChoice = tracks.length > 1
    return {
      ...sound,
      ...(isChoice ? { track: { index, count: tracks.length } } : {}),
      hasProvenance: await hasManifest(handle),
    }
  } catch {
    // A box is missing or cut short.
    return { fault: 'damaged' }
  }
}

function soundTracks(moov: Buffer): Track[] {
  return boxesIn(moov)
    .filter(({ name, content }) => name === 'trak' && handlerOf(content) === 'soun')
    .map(({ content }) => ({ content, isEnabled: ((findBox(content, 'tkhd')?.[3] ?? 0) & 1) > 0 }))
}

function handlerOf(trak: Buffer): string | undefined {
  return findBox(trak, 'mdia', 'hdlr')?.toString('latin1', 8, 12)
}

/** Returns the sound of a track. Throws an Error for a track that is cut short. */
function soundOf(trak: Buffer, moov: Buffer): ContainerSound | SoundFault {
  const stbl = required(findBox(trak, 'mdia', 'minf', 'stbl'))
  const entries = boxesIn(required(findBox(stbl, 'stsd')).subarray(8))
  if (entries.some(({ name }) => PROTECTED.includes(name))) return { fault: 'protected' }
  const [entry] = entries
  if (!entry) return { fault: 'damaged' }
  if (!isInThisFile(trak, entry.content.readUInt16BE(6))) return { fault: 'elsewhere' }
  const codec = codecOf(entry)
  if (codec === undefined) return { fault: 'inner_codec' }
  const isWide = entry.content.readUInt16BE(8) === 2
  // 16 bits hold no rate above 65 535 Hz: encoders of ALAC then write none, and the decoder knows.
  const sampleRateHz = (isWide ? entry.content.readDoubleBE(32) : entry.content.readUInt16BE(24)) || 44_100
  const media = mediaSeconds(trak)
  const shown = shownLength(trak, moov)
  const isLossy = isLossyCodec(codec)
  return {
    codec,
    isLossy,
    sampleRateHz,
    channels: isWide ? entry.content.readUInt32BE(40) : entry.content.readUInt16BE(16),
    bitDepth: isLossy ? undefined : bitDepthOf(codec, entry.content),
    claimedFrames: framesIn(shown?.seconds ?? media, sampleRateHz),
    excerpt: shown && (isLossy || shown.isExact) ? excerptOf(shown.seconds, sampleRateHz) : undefined,
    soundBytes: sampleBytes(stbl),
  }
}

function required(box: Buffer | undefined): Buffer {
  if (!box) throw new Error('the track has a part too few')
  return box
}

const framesIn = (seconds: number, rateHz: number) => (seconds > 0 ? Math.round(seconds * rateHz) : undefined)
const excerptOf = (seconds: number, rateHz: number): Excerpt => ({
  startFrame: 0,
  // A hundredth of a frame is a rounding error.
  frames: Math.ceil(seconds * rateHz - 0.01),
})

/** Returns whether the samples of a sample entry are in this file: its data reference has the flag for that, or is missing. */
function isInThisFile(trak: Buffer, reference: number): boolean {
  const references = findBox(trak, 'mdia', 'minf', 'dinf', 'dref')
  const found = references && boxesIn(references.subarray(8))[reference - 1]
  return !found || ((found.content[3] ?? 0) & 1) > 0
}

function codecOf({ name, content }: Box): string | undefined {
  if (name === 'mp4a') {
    const at = content.indexOf('esds', 0, 'latin1')
    const objectType = at < 0 ? 64 : objectTypeIn(content.subarray(at + 8))
    return objectType === undefined ? undefined : OBJECT_TYPES[objectType]
  }
  const codec = CODECS[name]
  return codec === 'pcm' ? pcmCodec(name, content) : codec
}

function pcmCodec(name: string, content: Buffer): string | undefined {
  const isWide = content.readUInt16BE(8) === 2
  const bits = isWide ? content.readUInt32BE(48) : content.readUInt16BE(18)
  const isFloat = name === 'lpcm' && isWide && (content.readUInt32BE(52) & 1) > 0
  if (isFloat) return bits === 32 || bits === 64 ? `pcm_f${bits}` : undefined
  return [8, 16, 24, 32].includes(bits) ? `pcm_s${bits}` : undefined
}

/** Returns the object type in an elementary stream descriptor: behind its own head, and the head of the decoder's (ISO 14496-1, 7.2.6). */
function objectTypeIn(descriptor: Buffer): number | undefined {
  const [own, at] = descriptorAt(descriptor, 0)
  if (own !== 3) return undefined
  const flags = descriptor[at + 2] ?? 0
  const optional = ((flags & 0x80) > 0 ? 2 : 0) + ((flags & 0x20) > 0 ? 2 : 0)
  const urlBytes = (flags & 0x40) > 0 ? 1 + (descriptor[at + 3 + optional] ?? 0) : 0
  const [decoder, contentAt] = descriptorAt(descriptor, at + 3 + optional + urlBytes)
  return decoder === 4 ? descriptor[contentAt] : undefined
}

/** Returns the tag of a descriptor and the position of its content, behind a length of one to four bytes. */
function descriptorAt(bytes: Buffer, at: number): readonly [tag: number | undefined, contentAt: number] {
  let next = at + 1
  while (next < at + 4 && ((bytes[next] ?? 0) & 0x80) > 0) next++
  return [bytes[at], next + 1]
}

/** Bits of a sample: in the decoder's own description, which begins with its name. */
function bitDepthOf(codec: string, content: Buffer): number | undefined {
  if (codec.startsWith('pcm_')) return Number(codec.slice('pcm_s'.length))
  if (codec === 'alac') return content[content.indexOf('alac', 28, 'latin1') + 13]
  const at = content.indexOf('dfLa', 28, 'latin1')
  // Flags and the head of STREAMINFO come before its content (RFC 9639, section 8.2).
  return at < 0 ? undefined : ((content.readUInt32BE(at + 4 + 4 + 4 + 10) >>> 4) & 31) + 1
}

/** Timescale and length of a header of a movie or of its media. */
function timesOf(header: Buffer): { readonly scale: number; readonly length: number } {
  const isLong = header[0] === 1
  return {
    scale: header.readUInt32BE(isLong ? 20 : 12),
    length: isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16),
  }
}

function mediaSeconds(trak: Buffer): number {
  const { scale, length } = timesOf(required(findBox(trak, 'mdia', 'mdhd')))
  return scale === 0 ? 0 : length / scale
}

/** Length that the edit list shows, or iTunes has noted, and whether it counts in samples; undefined if neither tells. */
function shownLength(trak: Buffer, moov: Buffer): { readonly seconds: number; readonly isExact: boolean } | undefined {
  const media = timesOf(required(findBox(trak, 'mdia', 'mdhd')))
  const noted = notedFrames(moov)
  if (noted > 0) return { seconds: noted / media.scale, isExact: true }
  const list = findBox(trak, 'edts', 'elst')
  const { scale } = timesOf(required(findBox(moov, 'mvhd')))
  if (!list || scale === 0) return undefined
  const isLong = list[0] === 1
  const editBytes = isLong ? 20 : 12
  let length = 0
  for (let at = 8; at + editBytes <= list.length; at += editBytes) {
    const isEmpty = (isLong ? list.readBigInt64BE(at + 8) : BigInt(list.readInt32BE(at + 4))) === -1n
    if (!isEmpty) length += isLong ? Number(list.readBigUInt64BE(at)) : list.readUInt32BE(at)
  }
  // A fragmented file states no length.
  if (length === 0) return undefined
  // A coarse scale, such as milliseconds, may have been rounded down.
  const isExact = scale === media.scale
  return { seconds: (length + (isExact ? 0 : 1)) / scale, isExact }
}

/** Returns the frames in iTunes' note about the length of the song, `iTunSMPB`; 0 without one. */
function notedFrames(moov: Buffer): number {
  const [note] = freeEntries(listIn(moov)).filter(({ name }) => name === 'iTunSMPB')
  return Number.parseInt(note?.text.trim().split(/\s+/)[3] ?? '0', 16) || 0
}

/** Size of all samples of a track, bytes; undefined if the table is elsewhere, as in a fragmented file. */
function sampleBytes(stbl: Buffer): number | undefined {
  const sizes = findBox(stbl, 'stsz')
  if (!sizes || sizes.length < 12) return undefined
  const [each, count] = [sizes.readUInt32BE(4), sizes.readUInt32BE(8)]
  if (each > 0 || count === 0) return undefined
  let sum = 0
  for (let at = 12; at + 4 <= sizes.length; at += 4) sum += sizes.readUInt32BE(at)
  return sum
}

async function hasManifest(handle: FileHandle): Promise<boolean> {
  try {
    for await (const { name, contentStart } of fileBoxes(handle)) {
      if (name === 'uuid' && (await readAt(handle, contentStart, UUID_BYTES)).equals(C2PA_UUID)) return true
    }
  } catch {
    // The rest is cut off.
  }
  return false
}

/** Returns the tags of a file; a file that cannot be read has none. */
export async function readMp4Tags(handle: FileHandle): Promise<ContainerTags> {
  const moov = await readMoov(handle).catch(() => Buffer.alloc(0))
  const list = listIn(moov)
  const entries = [...listEntries(list), ...freeEntries(list), ...keyedEntries(moov), ...plainEntries(moov)]
  return { entries: entries.filter(({ text }) => text !== ''), pictures: picturesIn(list) }
}

/** Returns the number of boxes that ffmpeg takes for tags. */
export async function countMp4Tags(handle: FileHandle): Promise<number> {
  const moov = await readMoov(handle).catch(() => Buffer.alloc(0))
  const places = [moov, ...boxesIn(moov).flatMap(({ name, content }) => (name === 'trak' ? [content] : []))]
  return places.reduce((sum, place) => sum + tagBoxes(place), 0)
}

function tagBoxes(place: Buffer): number {
  const inside = boxesIn(place).filter(({ name }) => name === 'udta' || name === 'meta')
  return inside.reduce((sum, { name, content }) => {
    const boxes = boxesIn(name === 'meta' ? metaContent(content) : content)
    const listed = boxes.flatMap((one) => (one.name === 'ilst' ? boxesIn(one.content) : [one]))
    return sum + listed.length + (name === 'udta' ? tagBoxes(content) : 0)
  }, 0)
}

/** A `meta` of ISO has a version and flags before its boxes, one of QuickTime has none. */
const metaContent = (meta: Buffer): Buffer => (meta.toString('latin1', 4, 8) === 'hdlr' ? meta : meta.subarray(4))

/** Returns the tag list that iTunes introduced; empty without one. */
function listIn(moov: Buffer): Box[] {
  const meta = findBox(moov, 'udta', 'meta')
  return boxesIn((meta && findBox(metaContent(meta), 'ilst')) ?? Buffer.alloc(0))
}

/** Kinds of data in a tag (Apple, well-known types). */
const UTF8 = 1
const UTF16 = 2
const INTEGERS = [0, 21]

/** Returns the values of an atom: its kind of data, and the bytes behind kind and locale. */
function valuesOf({ content }: Pick<Box, 'content'>): { readonly kind: number; readonly bytes: Buffer }[] {
  return boxesIn(content)
    .filter((inner) => inner.name === 'data' && inner.content.length >= 8)
    .map((inner) => ({ kind: inner.content.readUInt32BE(0) & 0xffffff, bytes: inner.content.subarray(8) }))
}

function textOf({ kind, bytes }: { readonly kind: number; readonly bytes: Buffer }): string {
  if (kind === UTF16)
    return cleanText(
      Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le'),
    )
  return kind === UTF8 ? cleanText(decodeText(bytes.toString('latin1'))) : ''
}

const FIELD_OF_ATOM: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(TEXT_ATOMS).map(([field, atom]) => [atom, field])),
  // QuickTime's own.
  '©cpy': 'copyright',
  '©aut': 'artist',
  '©prf': 'artist',
}
const FIELD_OF_PAIR: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(PAIR_ATOMS).map(([field, atom]) => [atom, field]),
)
/** Value of `rtng` for clean lyrics; any other above zero is explicit. */
const CLEAN = 2

function listEntries(list: readonly Box[]): TagEntry[] {
  return list.flatMap((atom) => {
    const field = FIELD_OF_ATOM[atom.name]
    if (field) return valuesOf(atom).map((value) => ({ name: field, text: textOf(value) }))
    const [value] = valuesOf(atom).filter(({ kind }) => INTEGERS.includes(kind))
    return value ? numberEntries(atom.name, value.bytes) : []
  })
}

function numberEntries(atom: string, bytes: Buffer): TagEntry[] {
  const pair = FIELD_OF_PAIR[atom]
  if (pair && bytes.length >= 6) {
    const [number, total] = [bytes.readUInt16BE(2), bytes.readUInt16BE(4)]
    return number === 0 ? [] : [{ name: pair, text: total > 0 ? `${number}/${total}` : `${number}` }]
  }
  const value = bytes.length > 0 && bytes.length <= 6 ? bytes.readUIntBE(0, bytes.length) : 0
  if (value === 0) return []
  if (atom === 'tmpo') return [{ name: 'bpm', text: String(value) }]
  if (atom === 'cpil') return [{ name: 'compilation', text: '1' }]
  return atom === 'rtng' && value !== CLEAN ? [{ name: EXPLICIT, text: '1' }] : []
}

/** Returns the texts under free names: `mean`, `name` and `data`, the first two behind version and flags. */
function freeEntries(list: readonly Box[]): TagEntry[] {
  return list
    .filter(({ name }) => name === '----')
    .flatMap((atom) => {
      const name = findBox(atom.content, 'name')
      const own = name && cleanText(name.toString('utf8', 4))
      return own ? valuesOf(atom).map((value) => ({ name: own, text: textOf(value) })) : []
    })
}

/** Names of QuickTime's keys, behind `com.apple.quicktime.`. */
const KEYS: Readonly<Record<string, string>> = {
  title: 'title',
  displayname: 'title',
  artist: 'artist',
  author: 'artist',
  album: 'album',
  composer: 'composer',
  genre: 'genre',
  year: 'date',
  copyright: 'copyright',
  comment: 'comment',
}

/** Returns the tags under keys: the list numbers its atoms by a table of names, from 1 on. */
function keyedEntries(moov: Buffer): TagEntry[] {
  const meta = findBox(moov, 'meta') ?? findBox(moov, 'udta', 'meta')
  const inside = meta && metaContent(meta)
  const keys = boxesIn((inside && findBox(inside, 'keys')?.subarray(8)) ?? Buffer.alloc(0))
  const list = boxesIn((inside && findBox(inside, 'ilst')) ?? Buffer.alloc(0))
  return list.flatMap((atom) => {
    const key = keys[Buffer.from(atom.name, 'latin1').readUInt32BE(0) - 1]?.content.toString('utf8')
    const field = KEYS[key?.replace(/^com\.apple\.quicktime\./, '') ?? '']
    return field ? valuesOf(atom).map((value) => ({ name: field, text: textOf(value) })) : []
  })
}

/** Returns QuickTime's own texts, which are directly in `udta`, each behind its length and language. */
function plainEntries(moov: Buffer): TagEntry[] {
  return boxesIn(findBox(moov, 'udta') ?? Buffer.alloc(0)).flatMap(({ name, content }) => {
    const field = FIELD_OF_ATOM[name]
    if (!field || content.length < 4) return []
    const end = 4 + content.readUInt16BE(0)
    return [{ name: field, text: cleanText(decodeText(content.toString('latin1', 4, end))) }]
  })
}

function picturesIn(list: readonly Box[]): Picture[] {
  return list
    .filter(({ name }) => name === 'covr')
    .flatMap(valuesOf)
    .map(({ bytes }, i) => ({ isFront: i === 0, bytes }))
}
