import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request as requestOf } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import S3rver from 's3rver'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openBlobs as openBlobsAt } from '../../../src-server/farm/open-blobs.ts'
import { listing } from '../../support/folder-listing.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
})
const MOST_BYTES = 1000
const openBlobs = async (address: string) => {
  const blobs = await openBlobsAt(address, folder)
  return { ...blobs, get: (key: string, file: string) => blobs.get(key, file, MOST_BYTES) }
}

const fault = (run: Promise<unknown>) =>
  run.then(
    () => undefined,
    (error: { kind?: string; fault?: string }) => error.kind ?? error.fault,
  )

test('a shared folder gives back the very bytes, tells of damaged and missing ones, and never touches the files of others', async () => {
  const blobs = await openBlobs(folder)
  const attemptId = `${randomUUID()}-1`
  const inFolder = (...names: string[]) => path.join(folder, ...names)
  writeFileSync(inFolder('song'), 'a song')
  writeFileSync(inFolder('loudsmith-blobs', 'of-others'), 'kept')
  const key = await blobs.put(attemptId, { path: inFolder('song') })
  expect(await blobs.put(attemptId, { path: inFolder('song') })).toBe(key)
  await blobs.get(key, inFolder('copy'))
  expect(readFileSync(inFolder('copy'), 'utf8')).toBe('a song')
  writeFileSync(inFolder('loudsmith-blobs', ...key.split('/')), 'a sing')
  expect(await fault(blobs.get(key, inFolder('damaged')))).toBe('damaged')
  expect(existsSync(inFolder('damaged')) || existsSync(inFolder('damaged.part'))).toBe(false)
  const wrong = await blobs.put(attemptId, { path: inFolder('song'), sha256: '0'.repeat(64) })
  expect(await fault(blobs.get(wrong, inFolder('damaged')))).toBe('damaged')
  expect(await fault(blobs.get('../song', inFolder('outside')))).toBe('missing')
  expect(await blobs.attempts()).toEqual([attemptId])
  await blobs.delete(attemptId)
  expect(await fault(blobs.get(key, inFolder('gone')))).toBe('missing')
  expect(readdirSync(inFolder('loudsmith-blobs'))).toEqual(['of-others'])
  rmSync(inFolder('loudsmith-blobs'), { recursive: true })
  expect(await fault(blobs.put(attemptId, { path: inFolder('song') }))).toBe('away')
  expect(await fault(openBlobs(inFolder('nowhere')))).toBe('blobs_unreachable')
  expect(await fault(openBlobs('relative'))).toBe('blobs_address')
})

test('whatever a hostile machine puts into the shared folder is refused at once, and nothing beside our own files changes', async () => {
  const blobs = await openBlobs(folder)
  const inFolder = (...names: string[]) => path.join(folder, ...names)
  const attemptId = `${randomUUID()}-1`
  const own = inFolder('loudsmith-blobs')
  writeFileSync(inFolder('song'), 'a song')
  mkdirSync(inFolder('victim'))
  writeFileSync(inFolder('victim', 'kept'), 'a song')
  const key = await blobs.put(attemptId, { path: inFolder('song') })
  const stored = path.join(own, ...key.split('/'))
  const before = listing(folder, /^loudsmith-blobs$/)
  const inItsPlace: Record<string, () => unknown> = {
    pipe: () => execFileSync('mkfifo', [stored]),
    link: () => symlinkSync(inFolder('song'), stored),
    'link without a goal': () => symlinkSync(inFolder('nowhere'), stored),
    folder: () => mkdirSync(stored),
  }
  for (const [name, put] of Object.entries(inItsPlace)) {
    rmSync(stored)
    put()
    expect(await fault(blobs.get(key, inFolder('copy'))), name).toBe('damaged')
    expect(listing(folder, /^loudsmith-blobs$/), name).toEqual(before)
  }
  expect(await fault(blobs.put(attemptId, { path: inFolder('song') }))).toBe('damaged')
  writeFileSync(inFolder('copy'), Buffer.alloc(MOST_BYTES + 1))
  expect(await fault(blobs.get(await blobs.put(attemptId, { path: inFolder('copy') }), inFolder('copy')))).toBe(
    'damaged',
  )
  rmSync(inFolder('copy'))
  const others = [path.join(stored, 'other'), path.join(own, attemptId, 'other')]
  for (const other of others) writeFileSync(other, '')
  await blobs.delete(attemptId)
  expect(others.map((other) => existsSync(other))).toEqual([true, true])
  // The folder of an attempt, and the whole store, behind a link.
  const linked = `${randomUUID()}-1`
  const sum = key.split('/')[1]!
  mkdirSync(inFolder('victim', 'inside'))
  writeFileSync(inFolder('victim', sum), 'a song')
  const then = listing(folder, /^loudsmith-blobs$/)
  symlinkSync(inFolder('victim'), path.join(own, linked))
  expect(await fault(blobs.get(`${linked}/${sum}`, inFolder('copy')))).toBe('damaged')
  expect(await fault(blobs.put(linked, { path: inFolder('song') }))).toBe('damaged')
  await blobs.delete(linked)
  expect(readdirSync(own)).toEqual([attemptId])
  renameSync(own, inFolder('victim', 'store'))
  symlinkSync(inFolder('victim'), own)
  expect(await fault(blobs.put(linked, { path: inFolder('song') }))).toBe('away')
  expect(await fault(blobs.get(key, inFolder('copy')))).toBe('away')
  expect(await fault(blobs.attempts())).toBe('away')
  rmSync(own)
  renameSync(inFolder('victim', 'store'), own)
  expect(listing(folder, /^loudsmith-blobs$/)).toEqual(then)
})

test('a bucket of an S3 server does the same', async () => {
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory: folder },
    configureBuckets: [{ name: 'songs' }],
  })
  const { port } = await server.run()
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER')
  try {
    const blobs = await openBlobs('s3://songs/farm')
    const [attemptId, other] = [`${randomUUID()}-1`, `${randomUUID()}-2`]
    const inFolder = (name: string) => path.join(folder, name)
    writeFileSync(inFolder('song'), 'a song')
    const key = await blobs.put(attemptId, { path: inFolder('song') })
    await blobs.put(other, { path: inFolder('song') })
    await blobs.get(key, inFolder('copy'))
    expect(readFileSync(inFolder('copy'), 'utf8')).toBe('a song')
    expect((await blobs.attempts()).sort()).toEqual([attemptId, other].sort())
    writeFileSync(storedObject(key), 'a sing')
    expect(await fault(blobs.get(key, inFolder('damaged')))).toBe('damaged')
    writeFileSync(inFolder('long'), Buffer.alloc(MOST_BYTES + 1))
    expect(await fault(blobs.get(await blobs.put(attemptId, { path: inFolder('long') }), inFolder('damaged')))).toBe(
      'damaged',
    )
    await blobs.delete(attemptId)
    expect(await blobs.attempts()).toEqual([other])
    expect(await fault(blobs.get(key, inFolder('gone')))).toBe('missing')
    expect(await fault(openBlobs('s3://nowhere'))).toBe('blobs_unreachable')
    blobs.close()
  } finally {
    vi.unstubAllEnvs()
    await server.close()
  }
})

test('a bucket that refuses this machine, or gives back other bytes, is told at the start', async () => {
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory: folder },
    configureBuckets: [{ name: 'songs' }],
  })
  const { port } = await server.run()
  let edit = (body: Buffer) => body
  let mayWrite = true
  const between = await passOn(port, { edit: (body) => edit(body), mayWrite: () => mayWrite })
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER')
  try {
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${between.port}`)
    const blobs = await openBlobs('s3://songs')
    expect(blobs.isSafe).toBe(true)
    blobs.close()
    edit = (body) => body.subarray(0, body.length / 2)
    expect(await fault(openBlobs('s3://songs'))).toBe('blobs_damaged')
    mayWrite = false
    expect(await fault(openBlobs('s3://songs'))).toBe('blobs_refused')
  } finally {
    vi.unstubAllEnvs()
    between.close()
    await server.close()
  }
})

interface Passing {
  /** Returns what is answered to a GET in place of a body. */
  readonly edit: (body: Buffer) => Buffer
  readonly mayWrite: () => boolean
}

/** Starts a server that passes requests on to a port. */
async function passOn(port: number, { edit, mayWrite }: Passing) {
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    const chunks = await Array.fromAsync(request)
    if (method === 'PUT' && !mayWrite()) {
      response.writeHead(403, { 'content-type': 'application/xml' })
      response.end('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>')
      return
    }
    const onward = requestOf({ port, method, path: url, headers })
    onward.on('response', async (answer) => {
      const body = Buffer.concat(await Array.fromAsync(answer))
      const isFile = method === 'GET' && answer.headers['content-type'] !== 'application/xml'
      const sent = isFile ? edit(body) : body
      response.writeHead(answer.statusCode ?? 500, {
        ...answer.headers,
        ...(isFile ? { 'content-length': sent.length } : {}),
      })
      response.end(method === 'HEAD' ? undefined : sent)
    })
    onward.end(Buffer.concat(chunks))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

/** Returns the file in which the test server keeps an object. */
function storedObject(key: string): string {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(
    (name) => name.includes(key) && name.endsWith('_object'),
  )
  if (!found) throw new Error(`no object ${key}`)
  return path.join(folder, found)
}
