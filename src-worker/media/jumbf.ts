/** JUMBF boxes of C2PA manifest stores (ISO/IEC 19566-5; C2PA 2.2, section 11): byte-exact reading, and joining. Pure. */

/** Largest manifest store that is read, bytes: thumbnails of every generation are in it. */
const MAX_STORE_BYTES = 16_000_000

const HEADER_BYTES = 8
const UUID_BYTES = 16
/** Flag of a box that has a label. */
const HAS_LABEL = 2
const STORE_UUID = Buffer.from('6332706100110010800000aa00389b71', 'hex')
/** Start of a store behind its length: type of the box, then its description with the type of a store. */
const DESCRIPTION = Buffer.from('jumd', 'latin1')

/** A superbox, with its label and the superboxes in it. */
export interface LabelledBox {
  readonly label: string
  /** All of its bytes. */
  readonly bytes: Buffer
  /** Its bytes behind the header: those that references hash (C2PA 2.2, section 8.4.2.3). */
  readonly content: Buffer
  readonly boxes: readonly LabelledBox[]
}

/** Returns the place and length of the first manifest store that starts in these bytes; undefined without one. */
export function storeIn(bytes: Buffer): { readonly start: number; readonly sizeBytes: number } | undefined {
  for (let at = bytes.indexOf(STORE_UUID); at >= 0; at = bytes.indexOf(STORE_UUID, at + 1)) {
    const start = at - 2 * HEADER_BYTES
    const isStore = start >= 0 && bytes.toString('latin1', start + 4, start + 8) === 'jumb'
    if (!isStore || !bytes.subarray(at - 4, at).equals(DESCRIPTION)) continue
    const sizeBytes = bytes.readUInt32BE(start)
    if (sizeBytes > 2 * HEADER_BYTES + UUID_BYTES && sizeBytes <= MAX_STORE_BYTES) return { start, sizeBytes }
  }
  return undefined
}

/** Returns a superbox with those in it, `depth` levels deep; undefined unless these bytes are one. */
export function readSuperBox(bytes: Buffer, depth = 2): LabelledBox | undefined {
  const [description, ...others] = boxesIn(bytes.subarray(HEADER_BYTES))
  if (typeOf(bytes) !== 'jumb' || bytes.readUInt32BE(0) !== bytes.length || !description) return undefined
  const toggles = description[HEADER_BYTES + UUID_BYTES]
  if (typeOf(description) !== 'jumd' || toggles === undefined || (toggles & HAS_LABEL) === 0) return undefined
  const label = description.toString('utf8', HEADER_BYTES + UUID_BYTES + 1).split('\0', 1)[0]!
  const boxes = depth === 0 ? [] : others.flatMap((box) => readSuperBox(box, depth - 1) ?? [])
  return { label, bytes, content: bytes.subarray(HEADER_BYTES), boxes }
}

/** Returns the boxes that follow each other; up to the first that is broken. */
function boxesIn(bytes: Buffer): Buffer[] {
  const boxes: Buffer[] = []
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const size = bytes.readUInt32BE(at)
    if (size < HEADER_BYTES || at + size > bytes.length) break
    boxes.push(bytes.subarray(at, at + size))
    at += size
  }
  return boxes
}

const typeOf = (box: Buffer) => (box.length < HEADER_BYTES ? '' : box.toString('latin1', 4, HEADER_BYTES))

/** Returns a manifest store with these manifests, the active one last. */
export function manifestStore(manifests: readonly Buffer[]): Buffer {
  const description = Buffer.concat([STORE_UUID, Buffer.from([3]), Buffer.from('c2pa\0', 'latin1')])
  return box('jumb', [box('jumd', [description]), ...manifests])
}

function box(type: string, content: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(HEADER_BYTES + content.reduce((sum, { length }) => sum + length, 0))
  header.write(type, 4, 'latin1')
  return Buffer.concat([header, ...content])
}
