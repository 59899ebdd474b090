/** The key of this data directory for signing certificates, and the signatures themselves (Ed25519, RFC 8032). */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import path from 'node:path'
import { makePrivate, syncFolder } from '../../src-system/disk.ts'
import { AppError } from '../http/app-error.ts'

/** Name of the private key in the data directory; PKCS #8, mode 0600. */
export const SIGNING_KEY_FILE = 'signing-key.pem'

/** A signature with the key that verifies it, both base64; the key is SubjectPublicKeyInfo. */
export interface Signature {
  readonly algorithm: 'Ed25519'
  readonly public_key: string
  readonly value: string
}

/** Signs certificates and recognises its own signatures. The key is created for the first signature. */
export class Signer {
  readonly #file: string

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, SIGNING_KEY_FILE)
  }

  /** Throws UNAVAILABLE, naming the file, for an existing but unusable key. The key stays as it is: only its owner can repair it. */
  requireUsable(): void {
    if (existsSync(this.#file)) this.#read()
  }

  /** Returns the signature of a text in UTF-8. Throws as `requireUsable` does, and the system's error if no key can be made. */
  sign(text: string): Signature {
    const key = existsSync(this.#file) ? this.#read() : this.#make()
    return {
      algorithm: 'Ed25519',
      public_key: publicPart(key),
      value: sign(null, Buffer.from(text, 'utf8'), key).toString('base64'),
    }
  }

  /** Returns whose signature of a text this is: ours, another key's, or an invalid one. Throws as `requireUsable` does. */
  signerOf(text: string, { algorithm, public_key, value }: Signature): 'own' | 'other' | 'bad' {
    if (algorithm !== 'Ed25519') return 'bad'
    try {
      const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' })
      if (!verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(value, 'base64'))) return 'bad'
    } catch {
      return 'bad'
    }
    return existsSync(this.#file) && publicPart(this.#read()) === public_key ? 'own' : 'other'
  }

  #read(): KeyObject {
    try {
      const key = createPrivateKey(readFileSync(this.#file))
      if (key.asymmetricKeyType !== 'ed25519') throw new Error(`a key of the type ${key.asymmetricKeyType}`)
      return key
    } catch (cause) {
      throw new AppError('UNAVAILABLE', { reason: 'signing_key', file: this.#file }, { cause })
    }
  }

  /** Makes a key and stores it safely before its first use. */
  #make(): KeyObject {
    const { privateKey } = generateKeyPairSync('ed25519')
    keepSecret(this.#file, privateKey.export({ format: 'pem', type: 'pkcs8' }) as string)
    return privateKey
  }
}

/** Writes a new file that only this user can read, whole or not at all. Throws the system's error. */
export function keepSecret(file: string, text: string): void {
  const part = `${file}.part`
  const handle = openSync(part, 'w', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  makePrivate(part)
  renameSync(part, file)
  syncFolder(path.dirname(file))
}

function publicPart(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')
}
