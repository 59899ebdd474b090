/** A reader of C2PA manifests of another hand than the library that writes them: Node's own cryptography over CBOR and JUMBF (C2PA 2.2). */
import { createHash, verify, X509Certificate } from 'node:crypto'

type Cbor = unknown
type CborMap = { readonly [name: string]: Cbor }

/** Decodes the CBOR that manifests use (RFC 8949): numbers, texts, bytes, lists, maps, tags, simple values. */
function decodeCbor(bytes: Buffer): Cbor {
  let at = 0
  const lengthOf = (info: number): number => {
    if (info < 24) return info
    const size = 2 ** (info - 24)
    const value = size === 8 ? Number(bytes.readBigUInt64BE(at)) : bytes.readUIntBE(at, size)
    at += size
    return value
  }
  const item = (): Cbor => {
    const head = bytes[at++]!
    const [kind, info] = [head >> 5, head & 31]
    if (kind === 7) return ({ 20: false, 21: true, 22: null } as Record<number, Cbor>)[info]
    const length = lengthOf(info)
    if (kind === 0) return length
    if (kind === 1) return -1 - length
    if (kind === 2 || kind === 3) {
      const part = bytes.subarray(at, at + length)
      at += length
      return kind === 2 ? part : part.toString('utf8')
    }
    if (kind === 4) return Array.from({ length }, item)
    if (kind === 5) return Object.fromEntries(Array.from({ length }, () => [String(item()), item()]))
    return item()
  }
  return item()
}

interface Box {
  readonly type: string
  readonly content: Buffer
}

function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at))
    boxes.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      content: bytes.subarray(at + 8, at + bytes.readUInt32BE(at)),
    })
  return boxes
}

/** Superboxes in one, by label. */
function labelled(content: Buffer): Map<string, Buffer> {
  const supers = boxesIn(content).filter(({ type }) => type === 'jumb')
  return new Map(
    supers.map((box) => [boxesIn(box.content)[0]!.content.toString('latin1', 17).split('\0')[0]!, box.content]),
  )
}

const cborIn = (superBox: Buffer) => boxesIn(superBox).find(({ type }) => type === 'cbor')!.content
const sha256 = (...parts: Buffer[]) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/** Returns the manifest store in the tag of an MP3, of version 3 or 4; undefined without one. */
export function storeInMp3(mp3: Buffer): Buffer | undefined {
  const syncSafe = (at: number) => [0, 1, 2, 3].reduce((size, i) => size * 128 + mp3[at + i]!, 0)
  const sizeAt = (at: number) => (mp3[3] === 4 ? syncSafe(at + 4) : mp3.readUInt32BE(at + 4))
  for (let at = 10; at < 10 + syncSafe(6); at += 10 + sizeAt(at)) {
    const content = mp3.subarray(at + 10, at + 10 + sizeAt(at))
    if (mp3.toString('latin1', at, at + 4) !== 'GEOB' || !content.includes('application/x-c2pa-manifest-store'))
      continue
    // Behind the encoding and three texts.
    return content.subarray([0, 0, 0].reduce((from) => content.indexOf(0, from) + 1, 1))
  }
  return undefined
}

const COSE_HEAD = Buffer.from('846a5369676e617475726531', 'hex')

/** A byte string of CBOR. */
function byteString(bytes: Buffer): Buffer {
  const head = Buffer.from([0x5a, 0, 0, 0, 0])
  head.writeUInt32BE(bytes.length, 1)
  // The shortest form of a length is the one that is signed.
  if (bytes.length < 24) return Buffer.concat([Buffer.from([0x40 + bytes.length]), bytes])
  if (bytes.length < 256) return Buffer.concat([Buffer.from([0x58, bytes.length]), bytes])
  if (bytes.length < 65_536) return Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]), bytes])
  return Buffer.concat([head, bytes])
}

/** Returns what holds of the active manifest of a store for a file, and what it says. */
export function checkManifest(store: Buffer, file: Buffer) {
  const manifests = labelled(boxesIn(store)[0]!.content)
  const [label, active] = [...manifests].at(-1)!
  const parts = labelled(active)
  const claimBytes = cborIn(parts.get('c2pa.claim.v2')!)
  const claim = decodeCbor(claimBytes) as CborMap
  const assertions = labelled(parts.get('c2pa.assertions')!)
  const read = (name: string) => decodeCbor(cborIn(assertions.get(name)!)) as CborMap
  const references = claim.created_assertions as { url: string; hash: Buffer }[]
  const [protectedBytes, , , signature] = decodeCbor(cborIn(parts.get('c2pa.signature')!)) as [
    Buffer,
    Cbor,
    Cbor,
    Buffer,
  ]
  const { 1: algorithm, 33: chain } = decodeCbor(protectedBytes) as { 1: number; 33: Buffer[] }
  const certificates = chain.map((bytes) => new X509Certificate(bytes))
  const signed = Buffer.concat([
    COSE_HEAD,
    byteString(protectedBytes),
    byteString(Buffer.alloc(0)),
    byteString(claimBytes),
  ])
  const { hash, exclusions } = read('c2pa.hash.data') as {
    hash: Buffer
    exclusions: { start: number; length: number }[]
  }
  const kept: Buffer[] = []
  let from = 0
  for (const { start, length } of exclusions) {
    kept.push(file.subarray(from, start))
    from = start + length
  }
  const ingredient = read('c2pa.ingredient.v3')
  const { url, hash: parentHash } = ingredient.activeManifest as { url: string; hash: Buffer }
  const parent = manifests.get(url.split('/').at(-1)!)
  return {
    ...{ label, labels: [...manifests.keys()], ingredient, certificates, claim },
    actions: (read('c2pa.actions.v2').actions as CborMap[]).map(({ action }) => action),
    isBound: sha256(...kept, file.subarray(from)).equals(hash),
    isParentThere: parent !== undefined && sha256(parent).equals(parentHash),
    areAssertionsRight: references.every(({ url: at, hash: own }) =>
      sha256(assertions.get(at.split('/').at(-1)!)!).equals(own),
    ),
    isSigned: algorithm === -8 && verify(null, signed, certificates[0]!.publicKey, signature),
    isChainRight: certificates.every((one, i) => one.verify((certificates[i + 1] ?? one).publicKey)),
  }
}

/** Returns the verdict of c2pa-rs, the library of the standard's makers, on a file; undefined where it is not installed. */
export async function verdictOfC2paRs(mediaType: string, bytes: Buffer) {
  const name = '@contentauth/c2pa-wasm'
  const place = await Promise.try(() => import.meta.resolve(name)).catch(() => undefined)
  if (place === undefined) return undefined
  const { readFileSync } = await import('node:fs')
  const library = await import(name)
  library.initSync({ module: readFileSync(new URL('c2pa_bg.wasm', place)) })
  const reader = await library.WasmReader.fromBytes(mediaType, bytes)
  const { validation_state: state, validation_results: results } = JSON.parse(reader.json())
  return { state, failures: results.activeManifest.failure.map(({ code }: { code: string }) => code) }
}
