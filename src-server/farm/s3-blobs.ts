/**
 * Files between machines in a bucket of any S3 server. Credentials, region and the address of the server come from the variables that all
 * programs for S3 read (AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL …).
 */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { sha256OfStream } from '../../src-system/sha256.ts'
import { ATTEMPT_ID, BlobFault, type BlobFaultKind, type Blobs, keyOf, partsOf } from './blobs.ts'
import { writeVerified } from './copy-verified.ts'
import { FarmError } from './farm-error.ts'
import { isLoopback } from './places.ts'

/** Default region: servers other than Amazon's accept any. */
const ANY_REGION = 'us-east-1'

/** Status of servers whose disks are full (RFC 4918, section 11.5). */
const INSUFFICIENT_STORAGE = 507

/** Objects that one request may remove (S3, DeleteObjects). */
const MOST_DELETED = 1000

/** Errors by which servers for S3 refuse a user. */
const REFUSALS = new Set([
  ...['AccessDenied', 'Forbidden', '403', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken'],
  ...['CredentialsProviderError', 'AllAccessDisabled', 'AccountProblem', 'RequestTimeTooSkewed'],
])

/** Opens the store in an existing bucket. Rejects with a {@link BlobFault} if it cannot be reached. */
export async function openS3Blobs(address: string): Promise<Blobs> {
  const url = URL.parse(address)
  if (!url?.hostname) throw new FarmError('blobs_address')
  const Bucket = url.hostname
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '')
  const named = (key: string) => (prefix === '' ? key : `${prefix}/${key}`)
  const client = new S3Client({ forcePathStyle: true, region: process.env.AWS_REGION ?? ANY_REGION })
  await away(() => client.send(new HeadBucketCommand({ Bucket })))

  const list = async function* (Prefix: string): AsyncGenerator<string> {
    for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix }))
      for (const { Key } of page.Contents ?? []) if (Key) yield Key
  }
  return {
    isSafe: isSafeEndpoint(process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL),
    put: (attemptId, { path, sha256 }) =>
      away(async () => {
        const key = keyOf(attemptId, sha256 ?? (await sha256OfStream(createReadStream(path))))
        await new Upload({ client, params: { Bucket, Key: named(key), Body: createReadStream(path) } }).done()
        return key
      }),
    get(key, file, maxBytes) {
      return away(async () => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: named(key) }))
        return writeVerified(Body as Readable, file, { sha256: partsOf(key).sha256, maxBytes })
      })
    },
    delete: (attemptId) =>
      away(async () => {
        const keys: string[] = []
        for await (const key of list(`${named(attemptId)}/`)) keys.push(key)
        for (let first = 0; first < keys.length; first += MOST_DELETED) {
          const Objects = keys.slice(first, first + MOST_DELETED).map((Key) => ({ Key }))
          await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
        }
      }),
    attempts: () =>
      away(async () => {
        const found = new Set<string>()
        for await (const key of list(prefix === '' ? '' : `${prefix}/`)) {
          const [attemptId = ''] = (prefix === '' ? key : key.slice(prefix.length + 1)).split('/')
          if (ATTEMPT_ID.test(attemptId)) found.add(attemptId)
        }
        return [...found]
      }),
    close: () => client.destroy(),
  }
}

/** Returns whether the connection to a server is encrypted or local; Amazon's own uses https. */
function isSafeEndpoint(endpoint: string | undefined): boolean {
  const url = endpoint === undefined ? undefined : URL.parse(endpoint)
  return url?.protocol !== 'http:' || isLoopback(url.hostname)
}

function faultKind(cause: unknown): BlobFaultKind {
  const { name, $metadata } = cause as { name?: string; $metadata?: { httpStatusCode?: number } }
  if (name === 'NoSuchKey') return 'missing'
  if (REFUSALS.has(name ?? '') || $metadata?.httpStatusCode === 403) return 'refused'
  return $metadata?.httpStatusCode === INSUFFICIENT_STORAGE ? 'full' : 'away'
}

/** Runs `work`; any error of the server or the network counts as a store that is away, except for a missing file. */
async function away<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof BlobFault || cause instanceof FarmError) throw cause
    throw new BlobFault(faultKind(cause), `${(cause as Error).name}: ${(cause as Error).message}`, cause)
  }
}
