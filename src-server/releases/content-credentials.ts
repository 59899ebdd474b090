/**
 * Content Credentials (C2PA 2.2) of exported files: a file made from a signed source carries over its manifests and adds one that names the
 * source as its parent, signed with a key of this data directory, which no list of authorities contains.
 */
import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../src-system/system.ts'
import { type AudioFormat, MEDIA_TYPES } from '../../src-worker/media/audio-facts.ts'
import { withId3Object } from '../../src-worker/media/id3.ts'
import { manifestStore, readSuperBox } from '../../src-worker/media/jumbf.ts'
import { readManifestStore } from '../../src-worker/media/provenance.ts'
import { AppError } from '../http/app-error.ts'
import { keepSecret } from './signing.ts'

/** Name in the data directory of the private key (PKCS #8), its certificate and the issuer's; PEM, mode 0600. */
export const CREDENTIALS_FILE = 'content-credentials.pem'
export const SIDECAR_TYPE = '.c2pa'

/** EdDSA in COSE (RFC 9053, section 2.2). */
const EDDSA = -8
/** Purpose of the certificate: signing documents (RFC 9336). */
const DOCUMENT_SIGNING = '1.3.6.1.5.5.7.3.36'
/** A manifest without a time stamp is valid as long as its certificate. */
const VALID_YEARS = 20
const DAY_MS = 86_400_000
/** Bytes reserved in a manifest for facts known only when it is signed: its position and its signature. */
const SPARE_HASH_BYTES = 100
const SPARE_SIGNATURE_BYTES = 1000
/** Largest source that is compared with its manifest, bytes; of a larger one, and of an M4A, only the signature is checked. */
const MAX_COMPARED_BYTES = 256_000_000
const COMPARED_FORMATS: readonly AudioFormat[] = ['mp3', 'wav', 'flac']

/** A source with a manifest. */
export interface SignedSource {
  readonly title: string
  readonly mimeType: string
  /** Its manifests, the active one last. */
  readonly manifests: readonly Buffer[]
  /** SHA-256 of its manifest store. */
  readonly sha256: string
  readonly active: { readonly label: string; readonly hash: Uint8Array; readonly signatureHash: Uint8Array }
  /** Result of the check of its manifest. */
  readonly found: { readonly success: StatusEntry[]; readonly informational: []; readonly failure: StatusEntry[] }
}

interface StatusEntry {
  readonly code: string
  readonly url?: string
  readonly explanation?: string
}

/** Loads the library only when it is needed. */
async function loadLibrary() {
  const [manifest, { SuperBox }, x509] = await Promise.all([
    import('@trustnxt/c2pa-ts/manifest'),
    import('@trustnxt/c2pa-ts/jumbf'),
    import('@peculiar/x509'),
  ])
  return { ...manifest, SuperBox, x509 }
}
type Library = Awaited<ReturnType<typeof loadLibrary>>

/** Reads the manifests of sources and signs those of exported files. The key is made for the first signature. */
export class ContentCredentials {
  readonly #file: string
  readonly #clock: Pick<Clock, 'now'>
  readonly #version: string

  constructor(dataDir: string, clock: Pick<Clock, 'now'>, version: string) {
    this.#file = path.join(dataDir, CREDENTIALS_FILE)
    this.#clock = clock
    this.#version = version
  }

  /** Returns a source's manifests; undefined without any that can be carried over. Throws the system's error. */
  async readSource(file: string, format: AudioFormat, title: string): Promise<SignedSource | undefined> {
    const parts = await manifestsIn(file)
    if (!parts) return undefined
    const { store, manifests, active, signature } = parts
    return {
      ...{ title, mimeType: MEDIA_TYPES[format], sha256: hashOf(store).toString('hex') },
      manifests: manifests.map(({ bytes }) => bytes),
      active: { label: active.label, hash: hashOf(active.content), signatureHash: hashOf(signature.content) },
      found: await checkSource(file, format, store),
    }
  }

  /** Returns an MP3 with a manifest in its tag. Throws UNAVAILABLE, naming the file, for an unusable key. */
  async embed(mp3: Buffer, source: SignedSource): Promise<Buffer> {
    const draft = await this.#draft(source, 'audio/mpeg', hashOf(mp3))
    const reserved = draft.storeBytes()
    const placed = withId3Object(mp3, {
      ...{ mimeType: 'application/x-c2pa-manifest-store', fileName: 'c2pa', description: 'c2pa manifest store' },
      bytes: reserved,
    })
    const range = { start: placed.start, length: reserved.length }
    await draft.hash.updateWithAsset({ ...assetOf(placed.mp3), getHashExclusionRange: () => range })
    await draft.sign()
    const store = draft.storeBytes()
    if (store.length !== reserved.length) throw new Error('the manifest has changed its length')
    store.copy(placed.mp3, placed.start)
    return placed.mp3
  }

  /** Returns the manifest store of a file that stays as it is, by its SHA-256. Throws as `embed` does. */
  async sidecar(sha256: string, mimeType: string, source: SignedSource): Promise<Buffer> {
    const hash = Buffer.from(sha256, 'hex')
    const draft = await this.#draft(source, mimeType, hash)
    draft.hash.hash = hash
    await draft.sign()
    return draft.storeBytes()
  }

  /**
   * Returns an unsigned manifest of a file made from a source, and its store. `of` decides its identifiers: the same file of the same
   * source has the same manifest.
   */
  async #draft(source: SignedSource, mimeType: string, of: Buffer) {
    const library = await loadLibrary()
    const { ManifestStore, DataHashAssertion, IngredientAssertion, ActionAssertion } = library
    const signer = await this.signer()
    const id = uuidOf(createHash('sha256').update(of).update(source.sha256).digest())
    const store = new ManifestStore()
    const options = { assetFormat: mimeType, instanceID: `xmp:iid:${id}`, defaultHashAlgorithm: 'SHA-256' as const }
    const manifest = store.createManifest({ ...options, claimVersion: library.ClaimVersion.V2, signer })
    const { claim, signature } = manifest
    if (!claim || !signature) throw new Error('the manifest has no claim')
    manifest.label = `urn:c2pa:${id}`
    claim.claimGeneratorName = 'Loudsmith'
    claim.claimGeneratorVersion = this.#version
    signature.signatureData.paddingLength = SPARE_SIGNATURE_BYTES

    const ingredient = IngredientAssertion.createV3(library.RelationshipType.ParentOf)
    const { label, hash: activeHash, signatureHash } = source.active
    const inSource = (uri: string, hash: Uint8Array) => ({ uri, hash, algorithm: 'SHA-256' as const })
    ingredient.title = source.title
    ingredient.format = source.mimeType
    ingredient.activeManifest = inSource(`self#jumbf=/c2pa/${label}`, activeHash)
    ingredient.claimSignature = inSource(`self#jumbf=/c2pa/${label}/c2pa.signature`, signatureHash)
    ingredient.validationResults = { activeManifest: source.found } as NonNullable<typeof ingredient.validationResults>
    manifest.addAssertion(ingredient)

    const hash = DataHashAssertion.create('SHA-256', SPARE_HASH_BYTES)
    manifest.addAssertion(hash)

    const actions = new ActionAssertion()
    actions.actions = [
      {
        action: library.ActionType.C2paOpened,
        parameters: { ingredients: [manifest.createAssertionReference(ingredient)] },
      },
      {
        action: library.ActionType.C2paEdited,
        parameters: { description: 'Mastered: equalising, dynamics, stereo image, limiting and dither.' },
        softwareAgent: { name: 'Loudsmith', version: this.#version },
        digitalSourceType: library.DigitalSourceType.AlgorithmicallyEnhanced,
      },
    ]
    manifest.addAssertion(actions)
    return {
      hash,
      sign: () => manifest.sign(signer),
      storeBytes(): Buffer {
        const own = readSuperBox(Buffer.from(store.getBytes()), 1)?.boxes.at(-1)
        if (!own) throw new Error('the manifest cannot be read back')
        return manifestStore([...source.manifests, own.bytes])
      },
    }
  }

  /** Returns the signer of this data directory; created if missing. Throws as `embed` does. */
  async signer() {
    const { x509 } = await loadLibrary()
    if (!existsSync(this.#file)) keepSecret(this.#file, await newIdentity(x509, this.#clock.now()))
    try {
      const pem = readFileSync(this.#file, 'utf8')
      const key = createPrivateKey(pem)
      const [certificate, issuer] = x509.PemConverter.decodeWithHeaders(pem)
        .filter(({ type }) => type === 'CERTIFICATE')
        .map(({ rawData }) => new x509.X509Certificate(rawData))
      if (key.asymmetricKeyType !== 'ed25519' || !certificate || !issuer) throw new Error('a key of another kind')
      return {
        ...{ algorithm: EDDSA, certificate, chainCertificates: [issuer] },
        sign: async (payload: Uint8Array) => new Uint8Array(sign(null, payload, key)),
      }
    } catch (cause) {
      throw new AppError('UNAVAILABLE', { reason: 'signing_key', file: this.#file }, { cause })
    }
  }
}

/** Returns the parts of the manifest store in a file; undefined without one that can be carried over. Throws the system's error. */
export async function manifestsIn(file: string) {
  const store = await readManifestStore(file)
  const manifests = store && readSuperBox(store)?.boxes
  const active = manifests?.at(-1)
  const signature = active?.boxes.find(({ label }) => label === 'c2pa.signature')
  return store && manifests && active && signature ? { store, manifests, active, signature } : undefined
}

/** Returns a new key with its certificate and that of an issuer, whose own key is discarded: readers refuse a self-signed certificate. */
async function newIdentity(x509: Library['x509'], nowMs: number): Promise<string> {
  const [issuerKeys, keys] = [newKeys(), newKeys()]
  const notBefore = new Date(nowMs - DAY_MS)
  const notAfter = new Date(notBefore)
  notAfter.setUTCFullYear(notBefore.getUTCFullYear() + VALID_YEARS)
  const common = { notBefore, notAfter, signingAlgorithm: { name: 'Ed25519' }, signingKey: issuerKeys.privateKey }
  const issuerName = 'O=Loudsmith on this computer, CN=Local issuer of Loudsmith'
  const extensionsFor = async (own: CryptoKey, isIssuer: boolean) => [
    new x509.BasicConstraintsExtension(isIssuer, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags[isIssuer ? 'keyCertSign' : 'digitalSignature'], true),
    ...(isIssuer ? [] : [new x509.ExtendedKeyUsageExtension([DOCUMENT_SIGNING])]),
    await x509.SubjectKeyIdentifierExtension.create(own),
    await x509.AuthorityKeyIdentifierExtension.create(issuerKeys.publicKey),
  ]
  const issuer = await x509.X509CertificateGenerator.create({
    ...{ ...common, subject: issuerName, issuer: issuerName, publicKey: issuerKeys.publicKey, serialNumber: '01' },
    extensions: await extensionsFor(issuerKeys.publicKey, true),
  })
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ ...common, subject: 'O=Loudsmith on this computer, CN=Exports of Loudsmith', issuer: issuerName },
    ...{ publicKey: keys.publicKey, serialNumber: '02', extensions: await extensionsFor(keys.publicKey, false) },
  })
  return `${keys.pem}${certificate.toString('pem')}\n${issuer.toString('pem')}\n`
}

function newKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privateKey: privateKey.toCryptoKey('Ed25519', true, ['sign']) as CryptoKey,
    publicKey: publicKey.toCryptoKey('Ed25519', true, ['verify']) as CryptoKey,
    pem: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
  }
}

/** Returns a reader's verdict on the manifest of a source; a failure has its reason. Never throws for its contents. */
async function checkSource(file: string, format: AudioFormat, store: Buffer): Promise<SignedSource['found']> {
  const { ManifestStore, SuperBox } = await loadLibrary()
  try {
    const manifests = ManifestStore.read(SuperBox.fromBuffer(new Uint8Array(store)))
    const active = manifests.getActiveManifest()
    const claim = active?.claim?.getBytes(active.claim)
    const isCompared = COMPARED_FORMATS.includes(format) && (await stat(file)).size <= MAX_COMPARED_BYTES
    const result = isCompared
      ? await manifests.validate(assetOf(await readFile(file)))
      : claim && (await active?.signature?.validate(claim))
    // The library trusts every signer: it has no list of authorities, and neither do we.
    const entries = (result?.statusEntries ?? []).filter(({ code }) => !code.endsWith('.trusted'))
    const told = (wanted: boolean) =>
      entries
        .filter(({ success = false }) => success === wanted)
        .map(({ code, url, explanation }) => ({
          ...{ code: String(code), ...(url ? { url } : {}), ...(explanation ? { explanation } : {}) },
        }))
    return {
      success: told(true),
      informational: [],
      failure: [...told(false), { code: 'signingCredential.untrusted' }],
    }
  } catch (cause) {
    const explanation = cause instanceof Error ? cause.message : String(cause)
    return { success: [], informational: [], failure: [{ code: 'general.error', explanation }] }
  }
}

/** Returns bytes as an input in which the library does not search for a manifest. */
function assetOf(bytes: Buffer) {
  const data = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  return {
    mimeType: 'application/octet-stream',
    getDataLength: () => data.length,
    getDataRange: async (start = 0, length = data.length - start) => data.subarray(start, start + length),
    getManifestJUMBF: () => undefined,
    dumpInfo: () => '',
    getHashExclusionRange: () => ({ start: 0, length: 0 }),
    ensureManifestSpace: async () => {},
    writeManifestJUMBF: async () => {},
  }
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

/** Returns the first 16 bytes of a hash in the form of a UUID of version 4. */
function uuidOf(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
