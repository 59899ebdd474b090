/** Check of an exported folder, or of its ZIP, against the certificate in it. */
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { VerifiedFolder } from '../../src-contract/release-exports.ts'
import { isWithin } from '../../src-system/disk.ts'
import { MAX_FOREIGN_JSON_BYTES } from '../../src-system/foreign-json.ts'
import {
  FileRefusedError,
  isDeviceName,
  type OpenOptions,
  type RegularFile,
  readRegularFile,
  withRegularFile,
} from '../../src-system/regular-file.ts'
import { sha256OfStream } from '../../src-system/sha256.ts'
import { listEntries } from '../../src-worker/result/zip-reader.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import { certificateJson, readCertificate, type SignedCertificate, signedText } from './certificate.ts'
import { namesIn, sha256Of, sha256OfFile, wayTo } from './export-folder.ts'
import { sha256Sums } from './export-texts.ts'
import type { Signer } from './signing.ts'

export const CERTIFICATE_FILE = 'certificate.json'
export const SUMS_FILE = 'SHA256SUMS'
/** Files no certificate can list: itself and the files made from it. */
export const UNNAMED: readonly string[] = [CERTIFICATE_FILE, SUMS_FILE]

/** Files by their names, in a folder or in a ZIP. */
export interface Place {
  readonly names: readonly string[]
  /** Returns the SHA-256 of a file; undefined if it is missing. */
  readonly sha256Of: (name: string) => Promise<string | undefined>
  /** Returns the bytes of a file; undefined if it cannot be read. Throws a {@link FileRefusedError} for an overlong one. */
  readonly bytesOf: (name: string) => Promise<Buffer | undefined>
}

/** Abort signal and permitted paths for reading a place. */
export interface PlaceOptions extends Pick<OpenOptions, 'requireAllowed'> {
  readonly signal?: AbortSignal
}

/**
 * Returns the differences from the certificate. Throws INVALID_REQUEST if the path is neither a readable folder nor a ZIP, and for a
 * certificate longer than any of ours.
 */
export async function verifyExport(
  folder: string,
  signer: Pick<Signer, 'signerOf'>,
  options: PlaceOptions = {},
): Promise<VerifiedFolder> {
  if (!path.isAbsolute(folder)) throw invalidRequest('folder_not_absolute', { param: 'folder' })
  try {
    return await withPlace(folder, options, (place) => verifiedPlace(folder, place, signer))
  } catch (cause) {
    options.signal?.throwIfAborted()
    throw refusalOf(cause)
  }
}

function refusalOf(cause: unknown): AppError {
  if (cause instanceof AppError) return cause
  const options = { param: 'folder', cause }
  const reason = cause instanceof FileRefusedError ? cause.reason : undefined
  if (reason === 'too_large') return invalidRequest('certificate_too_large', options)
  return invalidRequest(reason === 'not_regular' ? 'file_not_regular' : 'folder_not_readable', options)
}

async function verifiedPlace(folder: string, place: Place, signer: Pick<Signer, 'signerOf'>): Promise<VerifiedFolder> {
  const bytes = await place.bytesOf(CERTIFICATE_FILE)
  const signed = bytes && readCertificate(bytes)
  const expected = new Map(signed?.certificate.files.map(({ name, sha256 }) => [name, sha256]) ?? [])
  if (signed) {
    expected.set(CERTIFICATE_FILE, sha256Of(Buffer.from(certificateJson(signed))))
    expected.set(SUMS_FILE, sha256Of(Buffer.from(sumsOf(signed))))
  }
  const [changed, missing]: [string[], string[]] = [[], []]
  for (const [name, sha256] of expected) {
    const found = await place.sha256Of(name)
    if (found === undefined) missing.push(name)
    else if (found !== sha256) changed.push(name)
  }
  const added = place.names.filter((name) => !expected.has(name))
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

/** Runs `use` with the files of a folder or a ZIP. Throws the system's error, and an Error for anything else. */
export async function withPlace<Result>(
  name: string,
  options: PlaceOptions,
  use: (place: Place) => Promise<Result>,
): Promise<Result> {
  if (isDeviceName(name)) throw new FileRefusedError('not_regular', name)
  if ((await stat(name)).isDirectory()) return use(await inFolder(name, options))
  const { signal, ...openOptions } = options
  return withRegularFile(name, openOptions, async (zip) => use(await inZip(zip, signal)))
}

async function inFolder(folder: string, { signal, requireAllowed }: PlaceOptions): Promise<Place> {
  const real = await realpath(folder)
  const options: PlaceOptions & OpenOptions = {
    ...(signal ? { signal } : {}),
    followsLink: false,
    async requireAllowed(place) {
      await requireAllowed?.(place)
      if (!isWithin(real, place)) throw new FileRefusedError('moved', place)
    },
  }
  return {
    names: await namesIn(folder, signal),
    async sha256Of(name) {
      const file = await wayTo(folder, name)
      return file === undefined ? undefined : sha256OfFile(file, options)
    },
    bytesOf: (name) =>
      readRegularFile(path.join(folder, name), { ...options, maxBytes: MAX_FOREIGN_JSON_BYTES }).catch((cause) => {
        if (cause instanceof FileRefusedError && cause.reason === 'too_large') throw cause
        return undefined
      }),
  }
}

/** Files of a ZIP, by their names inside its single folder. Throws for duplicate names. */
async function inZip(zip: RegularFile, signal: AbortSignal | undefined): Promise<Place> {
  const entries = await listEntries(zip)
  const [root] = (entries[0]?.name ?? '').split('/')
  const nameOf = (name: string) => (name.startsWith(`${root}/`) ? name.slice(root!.length + 1) : name)
  const byName = new Map(entries.map((entry) => [nameOf(entry.name), entry]))
  if (byName.size < entries.length) throw new Error('two files of one name')
  const streamOf = (name: string) => {
    const entry = byName.get(name)
    return entry && zip.stream({ start: entry.offset, sizeBytes: entry.sizeBytes })
  }
  return {
    names: [...byName.keys()].sort(),
    async sha256Of(name) {
      const bytes = streamOf(name)
      return bytes && sha256OfStream(bytes, signal)
    },
    async bytesOf(name) {
      if ((byName.get(name)?.sizeBytes ?? 0) > MAX_FOREIGN_JSON_BYTES) throw new FileRefusedError('too_large', name)
      const bytes = streamOf(name)
      return bytes && buffer(bytes)
    },
  }
}
