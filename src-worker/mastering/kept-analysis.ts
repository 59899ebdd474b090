/** Analysis of a stored song, kept in a file next to it so that auditions and jobs need not repeat it. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { engineVersion } from '../../src-engine/version.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import type { Trims } from '../media/joined.ts'
import type { StoredSong } from './work-order.ts'

const DIGEST_BYTES = 32
/** Version of the members of an analysis: an older one is repeated. */
const FORM = 2

/**
 * Returns the key of an analysis: everything that it depends on, down to the last bit. These are the song and its facts, its trims, the
 * engine and the members of its analysis, the build of ffmpeg, and the processor and the mathematics of this process. Throws the system's error if ffmpeg is missing.
 */
export async function analysisKey(
  ffmpeg: Ffmpeg,
  { sha256, facts, trims }: Pick<StoredSong, 'sha256' | 'facts'> & { readonly trims?: Trims },
): Promise<string> {
  const { size, mtimeMs } = await stat(ffmpeg.path)
  const { trim_start_seconds: start = 0, trim_end_seconds: end = 0 } = trims ?? {}
  return JSON.stringify([
    ...[sha256, facts, start, end, engineVersion, FORM],
    ...[ffmpeg.path, ffmpeg.version, ffmpeg.hasSoxr, size, mtimeMs],
    ...[process.arch, process.versions.v8],
  ])
}

/** Returns the bytes of the file that keeps an analysis. */
export function packAnalysis(key: string, analysis: SourceAnalysis): Uint8Array {
  const content = serialize(analysis)
  return Buffer.concat([digestOf(key, content), content])
}

/** Resolves with a kept analysis; undefined if the file is missing, damaged, or that of another key. Never rejects. */
export async function readKeptAnalysis(file: string, key: string): Promise<SourceAnalysis | undefined> {
  const bytes = await readFile(file).catch(() => undefined)
  if (!bytes) return undefined
  const content = bytes.subarray(DIGEST_BYTES)
  return digestOf(key, content).equals(bytes.subarray(0, DIGEST_BYTES)) ? deserialize(content) : undefined
}

/** The checksum includes the key: a file with another key counts as damaged. */
function digestOf(key: string, content: Uint8Array): Buffer {
  return createHash('sha256').update(`${key}\n`).update(content).digest()
}
