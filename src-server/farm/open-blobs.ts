import path from 'node:path'
import { BlobFault, type Blobs } from './blobs.ts'
import { FarmError } from './farm-error.ts'
import { openFolderBlobs } from './folder-blobs.ts'

/** Opens the store of files at an address: `s3://bucket` with an optional prefix, or an absolute folder. Rejects with a {@link FarmError}. */
export async function openBlobs(address: string): Promise<Blobs> {
  const isS3 = address.startsWith('s3://')
  if (!isS3 && !path.isAbsolute(address)) throw new FarmError('blobs_address')
  try {
    if (!isS3) return await openFolderBlobs(address)
    const { openS3Blobs } = await import('./s3-blobs.ts')
    return await openS3Blobs(address)
  } catch (cause) {
    if (cause instanceof BlobFault) throw new FarmError('blobs_unreachable', address, cause)
    throw cause
  }
}
