/** The identity of a program that the owner confirmed: its SHA-256, recomputed whenever the file may have changed. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { sha256OfStream } from '../../src-system/sha256.ts'

/** Returns the SHA-256 of a file in hexadecimal. Rejects with the system's error. */
export type DigestOf = (file: string) => Promise<string>

/**
 * Returns a digest function that remembers the last one: a file with the same device, inode, size and times (nanoseconds) is not read
 * again, which would take a second for 100 MB on a slow disk.
 */
export function createDigests(): DigestOf {
  let known: { readonly identity: string; readonly digest: Promise<string> } | undefined
  return async (file) => {
    const identity = await identityOf(file)
    if (known?.identity !== identity) known = { identity, digest: sha256OfStream(createReadStream(file)) }
    const { digest } = known
    return digest.catch((cause: unknown) => {
      known = undefined
      throw cause
    })
  }
}

async function identityOf(file: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
  return [file, dev, ino, size, mtimeNs, ctimeNs].join('/')
}
