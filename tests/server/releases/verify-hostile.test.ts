/** Check of exported folders and ZIPs that somebody has changed: `VERIFY_ROUNDS` of them, seeded by `VERIFY_SEED`. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Certificate } from '../../../src-contract/release-exports.ts'
import { AppError } from '../../../src-server/http/app-error.ts'
import { certificateJson, signedText } from '../../../src-server/releases/certificate.ts'
import { sha256Of } from '../../../src-server/releases/export-folder.ts'
import { writeExportZip } from '../../../src-server/releases/export-zip.ts'
import { SIGNING_KEY_FILE, Signer } from '../../../src-server/releases/signing.ts'
import { CERTIFICATE_FILE, SUMS_FILE, sumsOf, verifyExport } from '../../../src-server/releases/verify-export.ts'
import { systemClock } from '../../../src-system/system.ts'
import { seededRandom } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ROUNDS = Number(process.env.VERIFY_ROUNDS ?? 40)
const SEED = Number(process.env.VERIFY_SEED ?? 1)
const FILES: Readonly<Record<string, Buffer>> = {
  '01 첫차.wav': Buffer.alloc(5000, 'sound'),
  'flac/02 Bus.flac': Buffer.alloc(3000, 'other'),
  'metadata.csv': Buffer.from('title\n첫차\n'),
  'empty.txt': Buffer.alloc(0),
}

const root = temporaryFolder()
let signer: Signer
let original: string
beforeAll(async () => {
  signer = new Signer(root)
  original = path.join(root, 'original')
  mkdirSync(path.join(original, 'flac'), { recursive: true })
  const files = Object.entries(FILES).map(([name, bytes]) => ({
    ...{ name, size_bytes: bytes.length, sha256: sha256Of(bytes) },
  }))
  for (const [name, bytes] of Object.entries(FILES)) writeFileSync(path.join(original, name), bytes)
  const certificate = { title: 'Night', made_at: '2026-01-01T00:00:00.000Z', files } as unknown as Certificate
  const signed = { certificate, signature: signer.sign(signedText(certificate)) }
  writeFileSync(path.join(original, CERTIFICATE_FILE), certificateJson(signed))
  writeFileSync(path.join(original, SUMS_FILE), sumsOf(signed))
  const names = [...Object.keys(FILES), CERTIFICATE_FILE, SUMS_FILE]
  const isOurs = async () => false
  await writeExportZip(original, names, { clock: systemClock, isOurs, signal: new AbortController().signal })
})

/** Returns whole numbers below a limit. */
function numbersOf(seed: number) {
  const random = seededRandom(seed)
  return (limit: number) => Math.floor(((random() + 1) / 2) * limit)
}

/** Kind and content of everything in a folder, by name. */
function contentOf(folder: string, prefix = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    const facts = lstatSync(file)
    if (facts.isDirectory()) {
      found.set(`${prefix}${name}/`, 'folder')
      for (const [inner, what] of contentOf(file, `${prefix}${name}/`)) found.set(inner, what)
    } else if (facts.isFile()) found.set(prefix + name, sha256Of(readFileSync(file)))
    else found.set(prefix + name, facts.isSymbolicLink() ? `link ${readlinkSync(file)}` : 'special')
  }
  return found
}

type Mutate = (file: string, pick: (limit: number) => number) => void
const flipped = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes)
  if (changed.length > 0) changed[at]! ^= 0x20
  return changed
}
const json = (change: (value: { certificate: Certificate; signature: object }) => unknown): Mutate => {
  return (file) => {
    const certificate = path.join(path.dirname(file).replace(/\/flac$/, ''), CERTIFICATE_FILE)
    try {
      writeFileSync(certificate, JSON.stringify(change(JSON.parse(readFileSync(certificate, 'utf8')))))
    } catch {
      writeFileSync(certificate, '[')
    }
  }
}
const MUTATIONS: readonly Mutate[] = [
  (file, pick) => writeFileSync(file, flipped(readFileSync(file), pick(readFileSync(file).length))),
  (file, pick) => truncateSync(file, pick(lstatSync(file).size + 1)),
  (file) => appendFileSync(file, 'x'),
  (file) => rmSync(file),
  (file) => renameSync(file, `${file}\u0301`),
  (file) => {
    renameSync(file, `${root}/moved`)
    symlinkSync(`${root}/moved`, file)
  },
  (file) => {
    rmSync(file)
    execFileSync('mkfifo', [file])
  },
  (file) => {
    rmSync(file)
    symlinkSync('/dev/zero', file)
  },
  (file) => {
    rmSync(file)
    mkdirSync(file)
  },
  (file) => {
    rmSync(file)
    symlinkSync(file, file)
  },
  (file) => {
    const folder = path.dirname(file)
    if (!folder.endsWith('flac')) return writeFileSync(`${file}.txt`, '')
    cpSync(folder, `${root}/moved folder`, { recursive: true })
    rmSync(folder, { recursive: true })
    symlinkSync(`${root}/moved folder`, folder)
  },
  (file) => execFileSync('mkfifo', [path.join(path.dirname(file), '.loudsmith-export')]),
  (file, pick) => writeFileSync(path.join(path.dirname(file), '.loudsmith-export'), '[{"'.repeat(pick(5000))),
  (file) => writeFileSync(path.join(path.dirname(file), '.DS_Store'), ''),
  json(({ certificate, signature }) => ({ signature, certificate })),
  json(({ certificate, signature }) => ({ certificate: { ...certificate, files: [] }, signature })),
  json(({ certificate }) => ({ certificate, signature: { algorithm: 'Ed25519', public_key: 1, value: [] } })),
  json(({ certificate, signature }) => ({ certificate: { ...certificate, files: [null, 5] }, signature })),
  json(({ certificate, signature }) => ({
    certificate: {
      ...certificate,
      files: ['../../x', '/dev/zero', 'a\0', 'con', ''].map((name) => ({ name, sha256: '' })),
    },
    signature,
  })),
  json(() => null),
  json((signed) => [signed, signed]),
  (file) => writeFileSync(path.join(path.dirname(file), CERTIFICATE_FILE), '['.repeat(100_000)),
  (file) => writeFileSync(path.join(path.dirname(file), CERTIFICATE_FILE), Buffer.alloc(14_000_000, '{')),
]

const isFile = (name: string) => lstatSync(name, { throwIfNoEntry: false })?.isFile() === true

async function outcomeOf(place: string) {
  try {
    return await verifyExport(place, signer)
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error
    return { is_intact: false }
  }
}

test(`a folder in which anything was changed is never intact, and stays as it is (${ROUNDS} rounds, seed ${SEED})`, async () => {
  const whole = contentOf(original)
  expect(await verifyExport(original, signer)).toMatchObject({ is_intact: true, signature: 'own' })
  const pick = numbersOf(SEED)
  const folder = path.join(root, 'copy')
  const names = [...Object.keys(FILES), CERTIFICATE_FILE, SUMS_FILE]
  let intact = 0
  for (let round = 0; round < ROUNDS; round++) {
    cpSync(original, folder, { recursive: true })
    const changes = Array.from({ length: 1 + pick(2) }, () => [pick(MUTATIONS.length), pick(names.length)] as const)
    for (const [mutation, name] of changes) {
      const file = path.join(folder, names[name]!)
      // A file that the first change removed cannot be changed again, and reading a pipe would hang.
      const hasMark = existsSync(path.join(path.dirname(file), '.loudsmith-export'))
      const isLinked = lstatSync(path.dirname(file)).isSymbolicLink()
      if (isFile(file) && isFile(path.join(folder, CERTIFICATE_FILE)) && !hasMark && !isLinked)
        MUTATIONS[mutation]!(file, pick)
    }
    const before = contentOf(folder)
    const passedOver = [...before].filter(([name]) => path.basename(name) !== '.DS_Store')
    const isWhole = JSON.stringify(passedOver.sort()) === JSON.stringify([...whole].sort())
    const { is_intact } = await outcomeOf(folder)
    expect([round, changes, is_intact]).toEqual([round, changes, isWhole])
    expect(contentOf(folder)).toEqual(before)
    if (is_intact) intact++
    for (const left of [folder, `${root}/moved`, `${root}/moved folder`]) rmSync(left, { recursive: true, force: true })
  }
  expect(intact).toBeLessThan(ROUNDS / 3)
})

test(`a ZIP in which a byte of a file was changed is never intact (${ROUNDS} rounds, seed ${SEED})`, async () => {
  const bytes = readFileSync(`${original}.zip`)
  expect(await verifyExport(`${original}.zip`, signer)).toMatchObject({ is_intact: true })
  const pick = numbersOf(SEED)
  const zip = path.join(root, 'copy.zip')
  const sound = bytes.indexOf(FILES['01 첫차.wav']!)
  for (let round = 0; round < ROUNDS; round++) {
    const isOfSound = round % 2 === 0
    const changed = flipped(bytes, isOfSound ? sound + pick(5000) : pick(bytes.length))
    writeFileSync(zip, round % 5 === 0 ? changed.subarray(0, pick(bytes.length)) : changed)
    const { is_intact } = await outcomeOf(zip)
    if (isOfSound) expect([round, is_intact]).toEqual([round, false])
  }
})

test('a damaged key is named and stays', async () => {
  const key = path.join(root, SIGNING_KEY_FILE)
  const whole = readFileSync(key)
  for (const damaged of [whole.subarray(0, 40), Buffer.alloc(0), Buffer.alloc(200, 'x')]) {
    writeFileSync(key, damaged)
    const values = { reason: 'signing_key', file: key }
    await expect(verifyExport(original, signer)).rejects.toMatchObject({ code: 'UNAVAILABLE', values })
    expect(() => signer.requireUsable()).toThrow('UNAVAILABLE')
    expect(readFileSync(key).equals(damaged)).toBe(true)
  }
  writeFileSync(key, whole)
})
