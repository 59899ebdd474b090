/** C2PA manifests of sources in the files that an export makes of them, read by hands other than the one that writes them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { MP3 } from '@trustnxt/c2pa-ts/asset'
import {
  ActionAssertion,
  ActionType,
  ClaimVersion,
  DataHashAssertion,
  DigitalSourceType,
  ManifestStore,
} from '@trustnxt/c2pa-ts/manifest'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { SourceTrace } from '../../../src-contract/disclosure.ts'
import { ContentCredentials, CREDENTIALS_FILE } from '../../../src-server/releases/content-credentials.ts'
import { readManifestStore } from '../../../src-worker/media/provenance.ts'
import { checkManifest, storeInMp3, verdictOfC2paRs } from '../../support/c2pa-reader.ts'
import { exportCalls, INTACT } from '../../support/exports.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { in24Bits, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { runPlain } from '../../worker/media/make-audio.ts'

const engine = createHeldEngine({ isAutomatic: true })
engine.masterBytes = in24Bits(wavSong({ seconds: 1, sampleRateHz: 44_100 }))
let service: Service
let parent: string
let releaseId: string
let source: Buffer

beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
  source = await signedMp3(service.dataDir)
  const newJob = async (bytes: Buffer, name: string) => {
    const { job_id } = await service.newJob({ file: new File([new Uint8Array(bytes)], name) })
    await service.ended(job_id)
    return job_id
  }
  const tracks = [
    { job_id: await newJob(source, 'lyria.mp3'), title: 'Signed' },
    { job_id: await newJob(wavSong(), 'song.wav'), title: 'Plain' },
  ]
  releaseId = (await service.post('/api/v1/releases', { title: 'Night', artist: 'Sky', kind: 'ep', tracks })).body
    .release_id
})
afterAll(() => service.stop())
beforeEach(() => {
  parent = temporaryFolder(onTestFinished)
})

type Validation = Record<'activeManifest', Record<'success' | 'failure', { readonly code: string }[]>>

const { exported, verified } = exportCalls(
  () => service,
  () => ({ folder: parent, receivers: [], formats: ['wav24', 'mp3_320'] }),
)

/** Returns an MP3 that is signed as generators do it, by the library. */
async function signedMp3(dataDir: string): Promise<Buffer> {
  const bare = runPlain('-f', 'lavfi', '-i', 'sine=duration=2', '-ac', '2', '-b:a', '64k', '-f', 'mp3', '-')
  // A signature of any issuer does: the key of another installation stands for that of the generator.
  const other = new ContentCredentials(mkdtempSync(path.join(dataDir, 'tmp', 'other-')), { now: Date.now }, '1')
  const signer = await other.signer()
  const asset = new MP3(new Uint8Array(bare))
  const store = new ManifestStore()
  const manifest = store.createManifest({
    ...{ claimVersion: ClaimVersion.V2, assetFormat: 'audio/mpeg', instanceID: 'xmp:iid:1', signer },
    defaultHashAlgorithm: 'SHA-256',
  })
  manifest.claim!.claimGeneratorName = 'Google_Lyria'
  const [hash, actions] = [DataHashAssertion.create('SHA-256'), new ActionAssertion()]
  const digitalSourceType = DigitalSourceType.TrainedAlgorithmicMedia
  actions.actions = [{ action: ActionType.C2paCreated, digitalSourceType }]
  for (const one of [hash, actions]) manifest.addAssertion(one)
  await asset.ensureManifestSpace(store.measureSize())
  await hash.updateWithAsset(asset)
  await manifest.sign(signer)
  await asset.writeManifestJUMBF(store.getBytes())
  return Buffer.from(await asset.getDataRange())
}

describe('a release with a signed source', () => {
  const RIGHT = { isBound: true, isSigned: true, isChainRight: true, areAssertionsRight: true, isParentThere: true }
  const mp3In = (folder: string) => readFileSync(path.join(folder, '01 Signed.mp3'))

  test('has its manifest carried on in the MP3, with the source as parent, and a changed sample or tag breaks it', async () => {
    const { folder, certificate } = await exported(releaseId)
    const mp3 = mp3In(folder)
    const store = storeInMp3(mp3)!
    const own = checkManifest(store, mp3)
    expect(own).toMatchObject(RIGHT)
    expect(own.actions).toEqual(['c2pa.opened', 'c2pa.edited'])
    expect(own.ingredient).toMatchObject({ relationship: 'parentOf', 'dc:format': 'audio/mpeg', 'dc:title': 'Signed' })
    // The manifest of the source is there byte for byte, and its check told what a reader without a list of authorities finds.
    const sourceStore = storeInMp3(source)!
    expect(store.includes(sourceStore.subarray(sourceStore.indexOf('c2pa\0') + 5))).toBe(true)
    const { success, failure } = (own.ingredient.validationResults as Validation).activeManifest
    const codes = (entries: readonly { code: string }[]) => entries.map(({ code }) => code)
    expect(codes(success)).toEqual(expect.arrayContaining(['claimSignature.validated', 'assertion.dataHash.match']))
    expect(codes(failure)).toEqual(['signingCredential.untrusted'])
    for (const at of [mp3.length - 500, mp3.indexOf('Night')]) {
      const changed = Buffer.from(mp3)
      changed[at]! ^= 1
      expect(checkManifest(store, changed).isBound).toBe(false)
    }
    expect(storeInMp3(readFileSync(path.join(folder, '02 Plain.mp3')))).toBeUndefined()
    expect(await verified(folder)).toMatchObject(INTACT)
    const [trace, plain] = certificate.disclosure!.sources as SourceTrace[]
    expect(trace).toMatchObject({ c2pa_carried_on: true, generator: 'Google Lyria' })
    expect(plain).not.toHaveProperty('c2pa_carried_on')
    for (const name of [hostname(), service.dataDir]) expect(store.includes(name)).toBe(false)
  })

  test('has a manifest beside every other file, which stays as it is', async () => {
    const { folder } = await exported(releaseId)
    const wav = readFileSync(path.join(folder, '01 Signed.wav'))
    expect(checkManifest(readFileSync(path.join(folder, 'provenance', '01 Signed.wav.c2pa')), wav)).toMatchObject(RIGHT)
    wav[wav.length - 1]! ^= 1
    expect(checkManifest(readFileSync(path.join(folder, 'provenance', '01 Signed.wav.c2pa')), wav).isBound).toBe(false)
    expect(existsSync(path.join(folder, 'provenance', '02 Plain.wav.c2pa'))).toBe(false)
  })

  test('is exported to the same bytes again, and without manifests to the same sound', async () => {
    const shas = (all: Awaited<ReturnType<typeof exported>>) =>
      all.certificate.files
        .filter(({ sound, name }) => sound || name.startsWith('prov'))
        .map(({ name, sha256 }) => [name, sha256])
    const first = await exported(releaseId)
    const [wav, mp3] = [readFileSync(path.join(first.folder, '01 Signed.wav')), mp3In(first.folder)]
    rmSync(first.folder, { recursive: true })
    expect(shas(await exported(releaseId))).toEqual(shas(first))
    const off = await exported(releaseId, { content_credentials: false, language: 'ko' })
    expect(existsSync(path.join(off.folder, 'provenance'))).toBe(false)
    const bare = mp3In(off.folder)
    expect(storeInMp3(bare)).toBeUndefined()
    expect(mp3.subarray(mp3.indexOf('LAME')).equals(bare.subarray(bare.indexOf('LAME')))).toBe(true)
    expect(readFileSync(path.join(off.folder, '01 Signed.wav')).equals(wav)).toBe(true)
    expect(off.certificate.disclosure!.sources[0]).not.toHaveProperty('c2pa_carried_on')
    expect(readFileSync(path.join(off.folder, 'ai-disclosure.html'), 'utf8')).toContain('마스터에는 없으니')
    const on = await exported(releaseId, { language: 'ko' })
    expect(readFileSync(path.join(on.folder, 'ai-disclosure.html'), 'utf8')).toContain('이 컴퓨터가 서명해요')
  })

  test('is valid and untrusted to c2pa-rs, and invalid with one other sample', async (context) => {
    const { folder } = await exported(releaseId)
    const mp3 = mp3In(folder)
    const verdict = await verdictOfC2paRs('audio/mpeg', mp3)
    if (!verdict) return context.skip('@contentauth/c2pa-wasm is not installed')
    expect(verdict).toEqual({ state: 'Valid', failures: ['signingCredential.untrusted'] })
    mp3[mp3.length - 500]! ^= 1
    const changed = await verdictOfC2paRs('audio/mpeg', mp3)
    expect(changed).toMatchObject({
      state: 'Invalid',
      failures: expect.arrayContaining(['assertion.dataHash.mismatch']),
    })
  })
})

test('the key is readable by its user alone; a damaged one is refused and stays', async () => {
  await exported(releaseId)
  const file = path.join(service.dataDir, CREDENTIALS_FILE)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const pem = readFileSync(file)
  writeFileSync(file, 'no key')
  onTestFinished(() => writeFileSync(file, pem))
  service.expectFault('the request failed')
  const { status, body } = await service.post(`/api/v1/releases/${releaseId}/export`, {
    folder: parent,
    formats: ['flac24'],
  })
  expect([status, body.error.code, body.error.message]).toEqual([503, 'UNAVAILABLE', expect.stringContaining(file)])
  expect(readFileSync(file, 'utf8')).toBe('no key')
})

test('the manifest store of a source is found in a WAV, behind its samples, and in an M4A; a broken one is none', async () => {
  const store = storeInMp3(source)!
  const file = path.join(parent, 'song')
  const found = async (bytes: Buffer) => {
    writeFileSync(file, bytes)
    return readManifestStore(file)
  }
  const chunk = Buffer.from('C2PA\0\0\0\0', 'latin1')
  chunk.writeUInt32LE(store.length, 4)
  expect(await found(Buffer.concat([Buffer.alloc(3_000_000), chunk, store]))).toEqual(store)
  expect(await found(Buffer.concat([Buffer.from('\0\0\0\0uuid', 'latin1'), store, Buffer.alloc(3_000_000)]))).toEqual(
    store,
  )
  expect(await found(store.subarray(0, -1))).toBeUndefined()
  expect(await found(Buffer.alloc(100))).toBeUndefined()
})
