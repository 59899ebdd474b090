/** Traces of a generator in a song: its tags, and the maker of its C2PA manifest. Nothing is ever removed from a file. */
import { type FileHandle, open } from 'node:fs/promises'
import { MADE_WITH, type MadeWith } from '../../src-contract/settings.ts'
import type { AudioFacts, SongTags } from './audio-facts.ts'
import { readAt } from './file-bytes.ts'
import { storeIn } from './jumbf.ts'

/** A generator, and the tag that names it. */
export interface GeneratorTrace {
  readonly generator: string
  /** Its model or version, as the tag writes it; absent where it names none. */
  readonly model?: string
  /** Name of the tag and its text, `comment: made with suno`. */
  readonly evidence: string
}

/** Names of generators, each with a pattern that other texts are unlikely to match. */
const GENERATORS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Suno', /\bsuno(\.ai|\.com)?\b/i],
  ['Udio', /\budio(\.com)?\b/i],
  ['ElevenLabs', /\beleven ?labs\b/i],
  ['Google Lyria', /\blyria\b/i],
  ['Stable Audio', /\bstable[ -]?audio\b/i],
  ['MusicGen', /\bmusicgen\b/i],
  ['ACE-Step', /\bace[ -]?step\b/i],
  ['DiffRhythm', /\bdiffrhythm\b/i],
  ['Riffusion', /\b(riffusion|producer\.ai)\b/i],
  ['AIVA', /\baiva(\.ai)?\b/i],
  ['Soundraw', /\bsoundraw\b/i],
  ['Mubert', /\bmubert\b/i],
  ['Boomy', /\bboomy\.com\b/i],
  ['Beatoven', /\bbeatoven\b/i],
]
/** Tags that describe the work itself: a generator's name in them is no trace. */
const OF_THE_WORK =
  /^(title|album|albumArtist|composer|genre|date|track|copyright|isrc|lyrics.*|title-sort|album-sort)$/
const MAX_EVIDENCE_LENGTH = 160

/**
 * Returns the generator named in a song's tags: in a comment, a link or a program's tag, or as the whole artist. Undefined if none is
 * named.
 * Pure.
 */
export function generatorIn({ other = {}, ...named }: SongTags): GeneratorTrace | undefined {
  const entries = Object.entries({ ...other, ...named }).filter(([field]) => !OF_THE_WORK.test(field))
  for (const [generator, pattern] of GENERATORS) {
    const found = entries.find(([field, text]) =>
      field === 'artist' ? text.trim().toLowerCase() === generator.toLowerCase() : pattern.test(text),
    )
    if (!found) continue
    const [field, text] = found
    const name = pattern.exec(text)
    const model = modelIn(name ? text.slice(name.index + name[0].length) : '')
    const evidence = `${field}: ${text}`.slice(0, MAX_EVIDENCE_LENGTH)
    return { generator, ...(model === undefined ? {} : { model }), evidence }
  }
  return undefined
}

/** Version directly behind the name of a generator (` v4.5-plus`), or one that is called its model (`; model=chirp-v4`). */
const VERSION_BEHIND = /^[\s/-]*(v?\d{1,2}(?:\.\d+)*(?:-[a-z]+)?)(?![\w.-])/i
const NAMED_MODEL = /\bmodel(?:[ _]?(?:name|version))?\s*[=:]\s*([\w.-]{1,40})/i

function modelIn(behind: string): string | undefined {
  return (VERSION_BEHIND.exec(behind) ?? NAMED_MODEL.exec(behind))?.[1]
}

/**
 * Returns the service of the setting `ai_service` that a file names as its maker: its tags, else its C2PA manifest. Undefined for other
 * generators and without any. Pure.
 */
export function madeWith({
  tags,
  claimGenerator = '',
}: Pick<AudioFacts, 'tags' | 'claimGenerator'>): MadeWith | undefined {
  const named = generatorIn(tags) ?? generatorIn(ofManifest(claimGenerator))
  return MADE_WITH.find((service) => service === named?.generator.toLowerCase())
}

/** Returns the maker that a manifest names as a tag: `Suno_AI/1.0 c2pa-rs/0.40` has no spaces within products. */
export function ofManifest(claimGenerator: string): SongTags {
  return { other: { c2pa_claim_generator: claimGenerator.replaceAll('_', ' ') } }
}

/** Bytes at the start and at the end of a file that are searched for a manifest. */
const LOOKED_AT_BYTES = 1 << 20

/** Returns the maker that a file's C2PA manifest names; undefined without one. Throws the system's error. */
export function readClaimGenerator(path: string): Promise<string | undefined> {
  return lookedFor(path, (bytes) => claimGeneratorIn(bytes))
}

/**
 * Returns the C2PA manifest store in a file, byte for byte: from the tag of an MP3 or FLAC, the chunk of a WAV, the box of an M4A. Undefined
 * without one, and for one of more than 16 MB. Throws the system's error.
 */
export function readManifestStore(path: string): Promise<Buffer | undefined> {
  return lookedFor(path, async (bytes, at, handle) => {
    const found = storeIn(bytes)
    if (!found) return undefined
    const store = await readAt(handle, at + found.start, found.sizeBytes)
    return store.length === found.sizeBytes ? store : undefined
  })
}

/** Returns what `find` finds in the start of a file, else in its end; undefined for nothing. Throws the system's error. */
async function lookedFor<Found>(
  path: string,
  find: (bytes: Buffer, at: number, handle: FileHandle) => Found | undefined | Promise<Found | undefined>,
): Promise<Found | undefined> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    for (const start of new Set([0, Math.max(0, size - LOOKED_AT_BYTES)])) {
      const found = await find(await readAt(handle, start, LOOKED_AT_BYTES), start, handle)
      if (found !== undefined) return found
    }
    return undefined
  } finally {
    await handle.close()
  }
}

/**
 * Returns the maker in the bytes of a manifest: the text under `claim_generator`, or under `name` within `claim_generator_info` (C2PA 2.1,
 * section 10.2; CBOR, RFC 8949: a text has its length before it). Pure.
 */
export function claimGeneratorIn(bytes: Buffer): string | undefined {
  for (const key of ['claim_generator', 'claim_generator_info']) {
    const at = textAfter(bytes, key, 0)
    if (at === undefined) continue
    const own = textAt(bytes, at)
    if (own) return own
    const name = textAfter(bytes, 'name', at)
    const text = name === undefined ? undefined : textAt(bytes, name)
    if (text) return text
  }
  return undefined
}

/** Returns the place behind a text of CBOR, of fewer than 24 bytes, at or after a place; undefined without one. */
function textAfter(bytes: Buffer, text: string, from: number): number | undefined {
  const item = Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text, 'latin1')])
  const at = bytes.indexOf(item, from)
  return at < 0 ? undefined : at + item.length
}

/** Returns the CBOR text at a position, up to 255 bytes; undefined for anything else. */
function textAt(bytes: Buffer, at: number): string | undefined {
  const head = bytes[at] ?? 0
  const [length, start] = head === 0x78 ? [bytes[at + 1] ?? 0, at + 2] : [head - 0x60, at + 1]
  const isText = head === 0x78 || (head >= 0x60 && head < 0x78)
  const text = isText ? bytes.toString('utf8', start, start + length) : ''
  return /^[^\p{Cc}\ufffd]+$/u.test(text) ? text : undefined
}
