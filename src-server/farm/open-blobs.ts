import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { BlobFault, type BlobFaultKind, type Blobs } from './blobs.ts'
import { FarmError, type FarmFault } from './farm-error.ts'
import { openFolderBlobs } from './folder-blobs.ts'

/** Start failures by the fault of the store. */
const START_FAULTS = {
  away: 'blobs_unreachable',
  full: 'blobs_full',
  refused: 'blobs_refused',
  damaged: 'blobs_damaged',
  missing: 'blobs_damaged',
} as const satisfies Record<BlobFaultKind, FarmFault>

/** Size of the file that tests a store, bytes: more than one network packet. */
const TRIAL_BYTES = 65_536

/**
 * Opens the store of files at an address: `s3://bucket` with an optional prefix, or an absolute folder, once a test file below `tmp` has
 * been stored and fetched. Rejects with a {@link FarmError}.
 */
export async function openBlobs(address: string, tmp: string): Promise<Blobs> {
  const isS3 = address.startsWith('s3://')
  if (!isS3 && !path.isAbsolute(address)) throw new FarmError('blobs_address')
  try {
    const open = isS3 ? (await import('./s3-blobs.ts')).openS3Blobs : openFolderBlobs
    const blobs = await open(address)
    await tryOut(blobs, tmp).catch((cause: unknown) => {
      blobs.close()
      throw cause
    })
    return blobs
  } catch (cause) {
    if (cause instanceof BlobFault) throw new FarmError(START_FAULTS[cause.kind], address, cause)
    throw cause
  }
}

/** Stores a file, fetches it and removes it: read access does not imply write access. Rejects with a {@link BlobFault}. */
async function tryOut(blobs: Blobs, tmp: string): Promise<void> {
  const name = randomUUID()
  const [folder, attemptId] = [path.join(tmp, name), `${name}-0`]
  await mkdir(folder, { mode: 0o700 })
  try {
    const file = path.join(folder, 'trial')
    await writeFile(file, Buffer.alloc(TRIAL_BYTES, attemptId))
    await blobs.get(await blobs.put(attemptId, { path: file }), path.join(folder, 'back'), TRIAL_BYTES)
    await blobs.delete(attemptId)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
