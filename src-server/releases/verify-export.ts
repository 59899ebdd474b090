/** Check of an exported folder, or of its ZIP, against the certificate in it. */
import { createReadStream } from 'node:fs'
import { lstat, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { VerifiedFolder } from '../../src-contract/release-exports.ts'
import { sha256OfStream } from '../../src-system/sha256.ts'
import { listEntries } from '../../src-worker/result/zip-reader.ts'
import { invalidRequest } from '../http/app-error.ts'
import { certificateJson, readCertificate, type SignedCertificate, signedText } from './certificate.ts'
import { namesIn, sha256Of, sha256OfFile, wayTo } from './export-folder.ts'
import { sha256Sums } from './export-texts.ts'
import type { Signer } from './signing.ts'

export const CERTIFICATE_FILE = 'certificate.json'
export const SUMS_FILE = 'SHA256SUMS'
/** Files that no certificate can name: itself, and what follows from it. */
export const UNNAMED: readonly string[] = [CERTIFICATE_FILE, SUMS_FILE]
/** Longest text that is read. */
const MAX_TEXT_BYTES = 16_000_000

/** Files by their names, in a folder or in a ZIP. */
export interface Place {
  readonly names: readonly string[]
  /** Returns the SHA-256 of a file; undefined where there is none of that name. */
  readonly sha256Of: (name: string) => Promise<string | undefined>
  /** Returns the text of a file; undefined where it cannot be read. */
  readonly textOf: (name: string) => Promise<string | undefined>
}

/** Returns what differs from the certificate. Throws INVALID_REQUEST for what can be read neither as a folder nor as a ZIP. */
export async function verifyExport(
  folder: string,
  signer: Pick<Signer, 'signerOf'>,
  signal?: AbortSignal,
): Promise<VerifiedFolder> {
  if (!path.isAbsolute(folder)) throw invalidRequest('folder_not_absolute', { param: 'folder' })
  const place = await placeOf(folder, signal).catch((cause: unknown) => {
    signal?.throwIfAborted()
    throw invalidRequest('folder_not_readable', { param: 'folder', cause })
  })
  const text = await place.textOf(CERTIFICATE_FILE)
  const signed = text === undefined ? undefined : readCertificate(text)
  const expected = new Map(signed?.certificate.files.map(({ name, sha256 }) => [name, sha256]) ?? [])
  const [changed, missing]: [string[], string[]] = [[], []]
  for (const [name, sha256] of expected) {
    const found = await place.sha256Of(name)
    if (found === undefined) missing.push(name)
    else if (found !== sha256) changed.push(name)
  }
  if (signed) {
    const sums = await place.textOf(SUMS_FILE)
    if (sums === undefined) missing.push(SUMS_FILE)
    else if (sums !== sumsOf(signed)) changed.push(SUMS_FILE)
  }
  const added = place.names.filter((name) => !expected.has(name) && !(signed && UNNAMED.includes(name)))
  const signature = signed ? signer.signerOf(signedText(signed.certificate), signed.signature) : 'none'
  const isIntact = signature === 'own' && changed.length + missing.length + added.length === 0
  const told = signed ? { title: signed.certificate.title, made_at: signed.certificate.made_at } : {}
  return { folder, is_intact: isIntact, signature, ...told, changed, missing, added }
}

/** Returns the content of SHA256SUMS. */
export function sumsOf({ certificate, signature }: SignedCertificate): string {
  const own = certificateJson({ certificate, signature })
  return sha256Sums([...certificate.files, { name: CERTIFICATE_FILE, sha256: sha256Of(Buffer.from(own)) }])
}

/** Returns the files of a folder or a ZIP. Throws the system's error, or an Error for what is neither. */
export async function placeOf(folder: string, signal: AbortSignal | undefined): Promise<Place> {
  if (!(await stat(folder)).isDirectory()) return inZip(folder, signal)
  return {
    names: await namesIn(folder),
    async sha256Of(name) {
      const file = await wayTo(folder, name)
      return file === undefined ? undefined : sha256OfFile(file, signal)
    },
    textOf: (name) => textOfFile(path.join(folder, name)).catch(() => undefined),
  }
}

/** Returns the text of a file; undefined for what is none, such as a link, and for one that is too long. Throws the system's error. */
async function textOfFile(file: string): Promise<string | undefined> {
  const facts = await lstat(file)
  return facts.isFile() && facts.size <= MAX_TEXT_BYTES ? readFile(file, 'utf8') : undefined
}

/** Files of a ZIP, whose names have that of its one folder before them. */
async function inZip(zip: string, signal: AbortSignal | undefined): Promise<Place> {
  const entries = await listEntries(zip)
  const [root] = (entries[0]?.name ?? '').split('/')
  const nameOf = (name: string) => (name.startsWith(`${root}/`) ? name.slice(root!.length + 1) : name)
  const byName = new Map(entries.map((entry) => [nameOf(entry.name), entry]))
  const bytesOf = (name: string) => {
    const entry = byName.get(name)
    if (!entry) return undefined
    const { offset, sizeBytes } = entry
    // A stream of a file cannot be told to read nothing.
    return sizeBytes === 0 ? Readable.from([]) : createReadStream(zip, { start: offset, end: offset + sizeBytes - 1 })
  }
  return {
    names: [...byName.keys()].sort(),
    async sha256Of(name) {
      const bytes = bytesOf(name)
      return bytes && sha256OfStream(bytes, signal)
    },
    async textOf(name) {
      if ((byName.get(name)?.sizeBytes ?? Number.POSITIVE_INFINITY) > MAX_TEXT_BYTES) return undefined
      const bytes = bytesOf(name)
      return bytes && (await buffer(bytes)).toString('utf8')
    },
  }
}
