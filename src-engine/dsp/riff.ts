/**
 * Reader of WAVE files in RIFF, RF64 and BW64, and writer of RIFF heads. The reader finds the sound, the format and all other chunks, and
 * compares the headers with the file's content. Pure: it requests byte ranges, so the same code serves synchronous reads, asynchronous
 * reads and HTTP ranges. Sources: Microsoft, Multimedia Programming Interface 1.0, chapter 2 (RIFF), and mmreg.h (WAVEFORMATEXTENSIBLE);
 * EBU Tech 3306 (RF64); ITU-R BS.2088 (BW64).
 */

/** A stretch of a file, bytes. */
export interface ByteRange {
  readonly offset: number
  readonly length: number
}

/** The content of a chunk, as far as the file holds it. */
export interface Chunk extends ByteRange {
  readonly name: string
}

/** The raw fields of a `fmt ` chunk, plausible or not. */
export interface WaveFormat {
  /** Format tag; the sub-format's if the chunk is extensible and names a registered one. */
  readonly tag: number
  readonly channels: number
  readonly sampleRateHz: number
  readonly bytesPerSecond: number
  /** Size of a frame of all channels; many programs get it wrong. */
  readonly blockBytes: number
  /** Size of a sample or of its container. */
  readonly bitsPerSample: number
  /** Significant bits of a container, the upper ones; only in an extensible format. */
  readonly validBitsPerSample?: number
}

/** Structure of a WAVE file. */
export interface WaveFile {
  /** The first format; absent if missing or shorter than 16 bytes. */
  readonly format?: WaveFormat
  /**
   * The bytes of the sound in the first format, in order: for each RIFF header of the file (several files may be concatenated) the ranges
   * of its `data` chunks, each non-empty and inside the file.
   */
  readonly sound: readonly (readonly ByteRange[])[]
  /** Every other chunk, in the order of the file. */
  readonly chunks: readonly Chunk[]
  /** Size of the sound by the headers; absent if one of them does not state it. */
  readonly claimedSoundBytes?: number
  /**
   * Bytes after a `data` chunk outside any chunk, without trailing zeros, plus sound in another format than the first: likely sound that a
   * header does not count.
   */
  readonly strayBytes: number
}

/** A reader that requests ranges of a file one by one; a short answer is allowed only at the end of the file. */
export type Reading<Result> = Generator<ByteRange, Result, Uint8Array>

/** Runs a reading synchronously and returns its result. Passes on errors of `readAt`. */
export function readNow<Result>(
  reading: Reading<Result>,
  readAt: (offset: number, length: number) => Uint8Array,
): Result {
  let step = reading.next()
  while (!step.done) step = reading.next(readAt(step.value.offset, step.value.length))
  return step.value
}

/** Runs a reading asynchronously and returns its result. Passes on rejections of `readAt`. */
export async function readLater<Result>(
  reading: Reading<Result>,
  readAt: (offset: number, length: number) => Promise<Uint8Array>,
): Promise<Result> {
  let step = reading.next()
  while (!step.done) step = reading.next(await readAt(step.value.offset, step.value.length))
  return step.value
}

const CONTAINERS: readonly string[] = ['RIFF', 'RF64', 'BW64']
const RIFF_HEAD_BYTES = 12
const CHUNK_HEAD_BYTES = 8

/** Most chunk heads that are read, RIFF included: a file with more is not a song but made to be slow. */
const MAX_CHUNKS = 16_384

/** Least size that means unknown: programs that write into a pipe state 0, or slightly less than 2³¹ or 2³² bytes. */
const LEAST_UNKNOWN_BYTES = 0x7fff_0000
/** Size that refers to the `ds64` chunk of RF64 and BW64. */
const IN_DS64 = 0xffff_ffff

/** Names of chunks common in WAV: trusted after the sound even if their size reaches beyond the file. */
const KNOWN_NAMES: ReadonlySet<string> = new Set(
  'LIST,id3 ,ID3 ,bext,iXML,axml,bxml,sxml,chna,_PMX,cue ,smpl,inst,plst,fact,PEAK,JUNK,junk,PAD ,FLLR,levl,MEXT,umid,aXML,DISP,C2PA,data,fmt '.split(
    ',',
  ),
)

/** A RIFF header and the content of its chunks. */
interface Riff {
  format?: WaveFormat | undefined
  readonly sound: ByteRange[]
  /** Sizes from `ds64` by the names of their chunks, in order for equal names. */
  readonly longSizes: Map<string, number[]>
}

/** State of the walk through a file. */
interface Walk {
  readonly fileBytes: number
  readonly read: (offset: number, length: number) => Reading<Uint8Array>
  readonly riffs: Riff[]
  readonly chunks: Chunk[]
  claimedBytes: number
  isClaimKnown: boolean
  hasSound: boolean
  strayBytes: number
}

/**
 * Reads the chunks of a WAVE file of `fileBytes` bytes. Returns undefined for any other file. Unknown or wrong sizes are recovered from the
 * file: sound with no stated size, or with one beyond the end of the file, ends at chunks that follow each other exactly to the end, at the
 * next RIFF header, or at the end of the file. The same search runs if no chunk follows the end of a chunk. An odd size may lack its pad
 * byte. Chunks beyond the first 16 384 are ignored. Reads `windowBytes` at a time, and more than a few windows only if sizes are wrong.
 * Never throws of itself.
 */
export function* readWave(fileBytes: number, windowBytes = 4096): Reading<WaveFile | undefined> {
  const read = createWindow(fileBytes, windowBytes)
  const walk: Walk = {
    fileBytes,
    read,
    riffs: [],
    chunks: [],
    claimedBytes: 0,
    isClaimKnown: true,
    hasSound: false,
    strayBytes: 0,
  }
  if (!isRiffHead(yield* read(0, RIFF_HEAD_BYTES))) return undefined
  for (let at = 0, count = 0; at + CHUNK_HEAD_BYTES <= fileBytes && count < MAX_CHUNKS; count++) {
    const head = yield* read(at, RIFF_HEAD_BYTES)
    if (head.length < CHUNK_HEAD_BYTES) break
    if (isRiffHead(head)) {
      walk.riffs.push({ sound: [], longSizes: new Map() })
      at += RIFF_HEAD_BYTES
    } else {
      at = nameAt(head, 0) === 'data' ? yield* passSound(walk, at, head) : yield* passChunk(walk, at, head)
    }
  }
  return summary(walk)
}

/** Records a `data` chunk; returns the position of the next head. */
function* passSound(walk: Walk, at: number, head: Uint8Array): Reading<number> {
  const { read, fileBytes } = walk
  const riff = walk.riffs.at(-1)!
  const offset = at + CHUNK_HEAD_BYTES
  const size = uint32(head, 4)
  const isVague = size === 0 || size >= LEAST_UNKNOWN_BYTES
  const longSize = isVague ? riff.longSizes.get('data')?.shift() : undefined
  const stated = longSize ?? size
  const isHeld = stated === 0 ? isKnownHead(yield* read(offset, CHUNK_HEAD_BYTES)) : offset + stated <= fileBytes
  const end = isHeld ? offset + stated : (yield* findEnd(offset, fileBytes)).offset
  if (end > offset) {
    riff.sound.push({ offset, length: end - offset })
    walk.hasSound = true
  }
  if (isVague && longSize === undefined && !isHeld && end > offset) walk.isClaimKnown = false
  walk.claimedBytes += stated
  return isHeld ? yield* passGap(walk, end, stated) : end
}

/** Records a chunk without sound; returns the position of the next head. */
function* passChunk(walk: Walk, at: number, head: Uint8Array): Reading<number> {
  const { read, fileBytes } = walk
  const riff = walk.riffs.at(-1)!
  const name = nameAt(head, 0)
  const offset = at + CHUNK_HEAD_BYTES
  const size = uint32(head, 4)
  const stated = (size === IN_DS64 ? riff.longSizes.get(name)?.shift() : undefined) ?? size
  const length = Math.min(stated, fileBytes - offset)
  walk.chunks.push({ name, offset, length })
  if (name === 'fmt ') riff.format ??= parseFormat(yield* read(offset, Math.min(length, MAX_FORMAT_BYTES)))
  if (name === 'ds64') takeLongSizes(riff.longSizes, yield* read(offset, Math.min(length, MAX_DS64_BYTES)))
  return length < stated ? fileBytes : yield* passGap(walk, offset + stated, stated)
}

/** Returns the position of the first head after a chunk that ends at `end`, skipping stray bytes if necessary. */
function* passGap(walk: Walk, end: number, size: number): Reading<number> {
  const next = yield* findHead(walk, end, size)
  if (next !== undefined) return next
  const gap = yield* findEnd(end, walk.fileBytes)
  if (walk.hasSound) walk.strayBytes += gap.filledBytes
  return gap.offset
}

function summary({ riffs, chunks, claimedBytes, isClaimKnown, strayBytes }: Walk): WaveFile {
  const format = riffs.find((riff) => riff.format)?.format
  const isForeign = (riff: Riff) => riff.format !== undefined && !isSameFormat(riff.format, format!)
  const foreignBytes = bytesOf(riffs.filter(isForeign).flatMap(({ sound }) => sound))
  return {
    ...(format ? { format } : {}),
    sound: riffs.filter((riff) => !isForeign(riff) && riff.sound.length > 0).map(({ sound }) => sound),
    chunks,
    ...(isClaimKnown && foreignBytes === 0 ? { claimedSoundBytes: claimedBytes } : {}),
    strayBytes: strayBytes + foreignBytes,
  }
}

function bytesOf(ranges: readonly ByteRange[]): number {
  return ranges.reduce((sum, { length }) => sum + length, 0)
}

/** Returns the sound in whole frames of `frameBytes`; an incomplete frame at the end of each RIFF's sound is dropped. Pure. */
export function inFrames(sound: WaveFile['sound'], frameBytes: number): ByteRange[] {
  return sound.flatMap((ranges) => {
    const bytes = bytesOf(ranges)
    let left = bytes - (bytes % frameBytes)
    return ranges.flatMap(({ offset, length }) => {
      const kept = Math.min(left, length)
      left -= kept
      return kept > 0 ? [{ offset, length: kept }] : []
    })
  })
}

/** Returns a function that gives bytes of the file, fewer at its end, read a window at a time. */
function createWindow(fileBytes: number, windowBytes: number): Walk['read'] {
  let window: Uint8Array = new Uint8Array(0)
  let start = 0
  return function* read(offset, length) {
    const end = Math.min(fileBytes, offset + length)
    if (end <= offset) return new Uint8Array(0)
    if (offset < start || end > start + window.length) {
      start = offset
      window = yield { offset, length: Math.min(fileBytes - offset, Math.max(length, windowBytes)) }
    }
    return window.subarray(offset - start, end - start)
  }
}

const MAX_DS64_BYTES = 28 + 12 * 256

/** EBU Tech 3306, section 4: sizes of the file and of `data`, number of samples, and a table of sizes of other chunks. */
function takeLongSizes(sizes: Map<string, number[]>, bytes: Uint8Array): void {
  if (bytes.length < 16) return
  const put = (name: string, size: number) => {
    // All bits set is not a size but a reserved field.
    if (size <= Number.MAX_SAFE_INTEGER) sizes.set(name, [...(sizes.get(name) ?? []), size])
  }
  const dataBytes = uint64(bytes, 8)
  if (dataBytes > 0) put('data', dataBytes)
  const entries = bytes.length < 28 ? 0 : uint32(bytes, 24)
  for (let i = 0; i < entries && 40 + 12 * i <= bytes.length; i++) {
    put(nameAt(bytes, 28 + 12 * i), uint64(bytes, 32 + 12 * i))
  }
}

/**
 * Returns the position of the head after a chunk that ends at `end`, with or without its pad byte; the end of the file if at most that byte
 * is left; undefined if no head follows.
 */
function* findHead({ read, fileBytes, hasSound }: Walk, end: number, size: number): Reading<number | undefined> {
  const places = size % 2 === 1 ? [end + 1, end] : [end]
  if (places[0]! >= fileBytes) return fileBytes
  for (const place of places) {
    const head = yield* read(place, RIFF_HEAD_BYTES)
    if (isRiffHead(head) || isKnownHead(head)) return place
  }
  for (const place of places) {
    const head = yield* read(place, CHUNK_HEAD_BYTES)
    // Uncounted sound must not pass for a chunk; before the sound any name is accepted.
    const isNamed = head.length >= CHUNK_HEAD_BYTES && (!hasSound || isName(head, 0))
    if (isNamed && place + CHUNK_HEAD_BYTES + uint32(head, 4) <= fileBytes) return place
  }
  return undefined
}

const SLICE_BYTES = 1 << 20

/** Returns the end of the content at `start` without a stated size, and its filled length, up to the last non-zero byte. */
function* findEnd(
  start: number,
  fileBytes: number,
): Reading<{ readonly offset: number; readonly filledBytes: number }> {
  const limit = yield* findRiffHead(start, fileBytes)
  const reachable = new Set([limit])
  let offset = limit
  let filledBytes = 0
  for (let sliceEnd = limit; sliceEnd > start; ) {
    const sliceStart = Math.max(start, sliceEnd - SLICE_BYTES)
    const bytes = yield { offset: sliceStart, length: Math.min(limit, sliceEnd + CHUNK_HEAD_BYTES - 1) - sliceStart }
    for (let i = Math.min(sliceEnd - sliceStart, bytes.length) - 1; i >= 0; i--) {
      if (filledBytes === 0 && bytes[i] !== 0) filledBytes = sliceStart + i + 1 - start
      if (i + CHUNK_HEAD_BYTES > bytes.length || !isName(bytes, i)) continue
      const end = sliceStart + i + CHUNK_HEAD_BYTES + uint32(bytes, i + 4)
      const isChained = reachable.has(end) || (bytes[i + 4]! % 2 === 1 && reachable.has(end + 1))
      if (!isChained || reachable.size > MAX_CHUNKS) continue
      offset = sliceStart + i
      reachable.add(offset)
      filledBytes = 0
    }
    sliceEnd = sliceStart
  }
  return { offset, filledBytes }
}

const W = 0x57

/** Returns the position of the first RIFF header from `start` on, or the end of the file. */
function* findRiffHead(start: number, fileBytes: number): Reading<number> {
  for (let at = start; at + RIFF_HEAD_BYTES <= fileBytes; at += SLICE_BYTES) {
    const bytes = yield { offset: at, length: Math.min(fileBytes - at, SLICE_BYTES + RIFF_HEAD_BYTES - 1) }
    for (let w = bytes.indexOf(W, CHUNK_HEAD_BYTES); w >= 0; w = bytes.indexOf(W, w + 1)) {
      if (isRiffHead(bytes.subarray(w - CHUNK_HEAD_BYTES))) return at + w - CHUNK_HEAD_BYTES
    }
  }
  return fileBytes
}

function isRiffHead(head: Uint8Array): boolean {
  return head.length >= RIFF_HEAD_BYTES && CONTAINERS.includes(nameAt(head, 0)) && nameAt(head, 8) === 'WAVE'
}

function isKnownHead(head: Uint8Array): boolean {
  return head.length >= CHUNK_HEAD_BYTES && KNOWN_NAMES.has(nameAt(head, 0))
}

/** True for a name of letters, digits, `_` and, after the first character, spaces. */
function isName(bytes: Uint8Array, at: number): boolean {
  for (let i = at; i < at + 4; i++) {
    const code = bytes[i]!
    const letter = code & 0xdf
    const isLetter = (letter >= 0x41 && letter <= 0x5a) || code === 0x5f
    if (!isLetter && !(code >= 0x30 && code <= 0x39) && !(code === 0x20 && i > at)) return false
  }
  return true
}

function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

function uint16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8)
}

function uint32(bytes: Uint8Array, at: number): number {
  return uint16(bytes, at) + uint16(bytes, at + 2) * 2 ** 16
}

function uint64(bytes: Uint8Array, at: number): number {
  return uint32(bytes, at) + uint32(bytes, at + 4) * 2 ** 32
}

/** Format tags (mmreg.h). */
export const PCM = 1
export const FLOAT = 3
const EXTENSIBLE = 0xfffe
const MAX_FORMAT_BYTES = 40
/** The last fourteen bytes of the sub-format GUID of every format tag (KSDATAFORMAT_SUBTYPE). */
const SUBTYPE_TAIL: readonly number[] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]

function parseFormat(bytes: Uint8Array): WaveFormat | undefined {
  if (bytes.length < 16) return undefined
  const tag = uint16(bytes, 0)
  const isExtended = tag === EXTENSIBLE && bytes.length >= MAX_FORMAT_BYTES
  const isRegistered = isExtended && SUBTYPE_TAIL.every((value, i) => bytes[26 + i] === value)
  return {
    tag: isRegistered ? uint16(bytes, 24) : tag,
    channels: uint16(bytes, 2),
    sampleRateHz: uint32(bytes, 4),
    bytesPerSecond: uint32(bytes, 8),
    blockBytes: uint16(bytes, 12),
    bitsPerSample: uint16(bytes, 14),
    ...(isExtended ? { validBitsPerSample: uint16(bytes, 18) } : {}),
  }
}

function isSameFormat(one: WaveFormat, other: WaveFormat): boolean {
  const isSame = (field: 'tag' | 'channels' | 'sampleRateHz' | 'bitsPerSample') => one[field] === other[field]
  return isSame('tag') && isSame('channels') && isSame('sampleRateHz') && isSame('bitsPerSample')
}

/** Returns a RIFF chunk: name of four ASCII characters, size, content, padded to an even length. */
export function riffChunk(name: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(CHUNK_HEAD_BYTES + content.length + (content.length % 2))
  putHead(bytes, name, content.length)
  bytes.set(content, CHUNK_HEAD_BYTES)
  return bytes
}

/**
 * Returns everything before the samples of a WAV: the RIFF header, the format, `chunks` and the head of the `data` chunk. `dataBytes` bytes
 * of samples follow it, and a zero if their number is odd. Float samples have the longer format and the `fact` chunk that formats other
 * than PCM require (Microsoft, "Multiple channel audio data and WAVE files").
 */
export function waveHead(
  {
    channels,
    sampleRateHz,
    bitsPerSample,
    tag = PCM,
  }: Pick<WaveFormat, 'channels' | 'sampleRateHz' | 'bitsPerSample'> & { readonly tag?: typeof PCM | typeof FLOAT },
  dataBytes: number,
  chunks: readonly Uint8Array[] = [],
): Uint8Array<ArrayBuffer> {
  const blockBytes = (channels * bitsPerSample) / 8
  const format = new DataView(new ArrayBuffer(tag === PCM ? 16 : 18))
  format.setUint16(0, tag, true)
  format.setUint16(2, channels, true)
  format.setUint32(4, sampleRateHz, true)
  format.setUint32(8, sampleRateHz * blockBytes, true)
  format.setUint16(12, blockBytes, true)
  format.setUint16(14, bitsPerSample, true)
  const fact = new Uint8Array(Uint32Array.of(dataBytes / blockBytes).buffer)
  const parts = [
    riffChunk('fmt ', new Uint8Array(format.buffer)),
    ...(tag === PCM ? [] : [riffChunk('fact', fact)]),
    ...chunks,
  ]
  const partBytes = parts.reduce((sum, { length }) => sum + length, 0)
  const head = new Uint8Array(RIFF_HEAD_BYTES + partBytes + CHUNK_HEAD_BYTES)
  putHead(head, 'RIFF', head.length - CHUNK_HEAD_BYTES + dataBytes + (dataBytes % 2))
  putName(head, CHUNK_HEAD_BYTES, 'WAVE')
  let at = RIFF_HEAD_BYTES
  for (const part of parts) {
    head.set(part, at)
    at += part.length
  }
  putHead(head.subarray(at), 'data', dataBytes)
  return head
}

function putHead(bytes: Uint8Array, name: string, size: number): void {
  putName(bytes, 0, name)
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(4, size, true)
}

function putName(bytes: Uint8Array, at: number, name: string): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = name.charCodeAt(i)
}
