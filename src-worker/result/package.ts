import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { RESULT_TEXTS } from './names.ts'
import { composeZip, type PackedFile, type ResultZip } from './result-zip.ts'

/** A text file for the ZIP, besides the masters. */
export interface PackedText {
  readonly file: string
  readonly text: string
}

/**
 * Writes the texts of a result and SHA256SUMS into `folder`, which has the masters, and returns the ZIP of them all in one folder. Masters
 * of the same bytes share a file. Throws the system's error (`ENOSPC` when the disk is full).
 */
export async function packageResult(
  folder: string,
  folderName: string,
  { masters, texts }: { readonly masters: readonly PackedFile[]; readonly texts: readonly PackedText[] },
): Promise<ResultZip> {
  const first = new Map(masters.toReversed().map((one) => [one.sha256, one.kept]))
  const shared = masters.map((one) => ({ ...one, kept: first.get(one.sha256)! }))
  const written: PackedFile[] = []
  for (const one of texts) written.push(await writeText(folder, one))
  written.push(await writeText(folder, { file: RESULT_TEXTS.sums, text: checksums([...shared, ...written]) }))
  return composeZip(folderName, [...shared, ...written])
}

async function writeText(folder: string, { file, text }: PackedText): Promise<PackedFile> {
  const bytes = Buffer.from(text, 'utf8')
  await writeFile(path.join(folder, file), bytes, { mode: 0o600 })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { file, kept: file, sizeBytes: bytes.length, sha256, crc32: crc32(bytes) }
}

/** The format of `sha256sum`: hash, two spaces, name. */
function checksums(files: readonly PackedFile[]): string {
  return files.map(({ sha256, file }) => `${sha256}  ${file}\n`).join('')
}
