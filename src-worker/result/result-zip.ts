/** ZIP of a result, computed from the files of its folder; results of earlier versions keep theirs as a file. Pure. */
import { createHash } from 'node:crypto'
import { layOutZip, type ZipEntry, zipParts } from './zip-layout.ts'

/** A file of a result. */
export interface ResultEntry extends ZipEntry {
  /** Name of the file with its bytes in the folder of the result, and their SHA-256; absent in a stored ZIP. */
  readonly kept?: { readonly file: string; readonly sha256: string }
}

/** ZIP of a result. */
export interface ResultZip {
  /** Name to save under: `<folderName>.zip`; a ZIP stored in the folder of the result has it too. */
  readonly fileName: string
  /** The one folder inside: `<title>_master_<first 8 of job id>`. */
  readonly folderName: string
  readonly sizeBytes: number
  /** Entity tag, SHA-256 in lower-case hexadecimal: of the headers and the SHA-256 of all files, or of all bytes of a stored ZIP. */
  readonly sha256: string
  /** Every file in it, in order. */
  readonly entries: readonly ResultEntry[]
  /**
   * All bytes outside the files, in base64. They are made once with the result: a resumed download never mixes those of two versions. Absent
   * if the ZIP is stored.
   */
  readonly headers?: string
  /** Size of the distinct files in the folder of the result, or of the ZIP if it is stored, bytes. */
  readonly keptBytes?: number
}

/** A file for a ZIP. */
export interface PackedFile {
  /** Name inside the ZIP's folder. */
  readonly file: string
  /** Name of the file with its bytes in the folder of the result; several entries may share it. */
  readonly kept: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly crc32: number
}

/** Bytes of a file in the folder of a result. */
export interface ResultBytes {
  readonly file: string
  readonly offset: number
  readonly sizeBytes: number
}

/** Returns the ZIP of these files in this order. */
export function composeZip(folderName: string, files: readonly PackedFile[]): ResultZip {
  const layout = layOutZip(files.map((one) => ({ ...one, name: `${folderName}/${one.file}` })))
  const entries = layout.entries.map((entry, i) => {
    const { kept: file, sha256 } = files[i]!
    return { ...entry, kept: { file, sha256 } }
  })
  const tag = createHash('sha256').update(layout.headers)
  for (const { sha256 } of files) tag.update(sha256, 'hex')
  const distinct = new Map(files.map(({ kept, sizeBytes }) => [kept, sizeBytes]))
  return {
    ...{ fileName: `${folderName}.zip`, folderName, sizeBytes: layout.sizeBytes, sha256: tag.digest('hex'), entries },
    headers: Buffer.from(layout.headers).toString('base64'),
    keptBytes: [...distinct.values()].reduce((sum, bytes) => sum + bytes, 0),
  }
}

/** Returns the names of all files inside the ZIP's folder, in order. */
export function filesIn({ folderName, entries }: ResultZip): string[] {
  return entries.map(({ name }) => name.slice(folderName.length + 1))
}

/** Returns the ZIP of a result whose files are in a folder under the names that they have in the ZIP. */
export function unpackedZip(zip: ResultZip): ResultZip {
  const files = filesIn(zip)
  return {
    ...zip,
    entries: zip.entries.map((entry, i) => ({ ...entry, kept: { sha256: '', ...entry.kept, file: files[i]! } })),
  }
}

/** Returns the place of a file by its name inside the ZIP's folder; undefined if the ZIP lacks it. */
export function placeOf(zip: ResultZip, file: string): ResultBytes | undefined {
  const entry = zip.entries.find(({ name }) => name === `${zip.folderName}/${file}`)
  return entry && placeOfEntry(zip, entry)
}

function placeOfEntry({ fileName }: ResultZip, { offset, sizeBytes, kept }: ResultEntry): ResultBytes {
  return kept ? { file: kept.file, offset: 0, sizeBytes } : { file: fileName, offset, sizeBytes }
}

/** Returns the distinct files of a result's folder that its ZIP consists of, whole. */
export function keptFiles(zip: ResultZip): ResultBytes[] {
  const stored = { file: zip.fileName, offset: 0, sizeBytes: zip.sizeBytes }
  const places = zip.entries.map((entry) => (entry.kept ? placeOfEntry(zip, entry) : stored))
  return [...new Map(places.map((place) => [place.file, place])).values()]
}

/** Returns the bytes of a ZIP from `start` to before `end`, in order: those of its headers, and the places of the others. */
export function* contentOf(zip: ResultZip, start = 0, end = zip.sizeBytes): Generator<Uint8Array | ResultBytes> {
  const { headers, fileName } = zip
  if (headers === undefined) {
    yield { file: fileName, offset: start, sizeBytes: end - start }
    return
  }
  for (const part of zipParts({ ...zip, headers: Buffer.from(headers, 'base64') }, start, end)) {
    if (part instanceof Uint8Array) yield part
    else yield { file: placeOfEntry(zip, part.entry).file, offset: part.start, sizeBytes: part.sizeBytes }
  }
}
