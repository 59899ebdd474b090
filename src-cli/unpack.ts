/** The folder for masters, and the masters of a job unpacked in it. */
import { randomBytes } from 'node:crypto'
import { constants, createWriteStream, existsSync } from 'node:fs'
import { access, chmod, mkdir, open, realpath, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import yauzl from 'yauzl'
import { discardFolder, giveToUser, makeFolder } from '../src-system/disk.ts'
import type { Messages } from './messages.ts'
import type { ServiceClient } from './service-client.ts'
import { unusable } from './unusable-input.ts'

/** Makes the folder `out` and returns its real path, before anything is charged. Throws a sentence if it is not writable. */
export async function writableFolder(out: string, messages: Messages): Promise<string> {
  try {
    await makeFolder(out, true)
    await access(out, constants.W_OK)
    return await realpath(out)
  } catch {
    throw unusable(messages.master.notWritable(out))
  }
}

/** Runs `work`; if it fails, removes the empty folders that it made on the way to `out`. Passes on errors of `work`. */
export async function withoutEmptyFolder<Outcome>(out: string, work: () => Promise<Outcome>): Promise<Outcome> {
  const missing: string[] = []
  for (let at = out; !existsSync(at) && path.dirname(at) !== at; at = path.dirname(at)) missing.push(at)
  try {
    return await work()
  } catch (cause) {
    try {
      for (const made of missing) await rmdir(made)
    } catch {
      // It is not empty, or was never made.
    }
    throw cause
  }
}

/**
 * Puts the masters of a finished job into `out` and returns the paths of the files: copied by the service where it has access to the
 * folder, else downloaded and unpacked. Throws an Error with the location of the masters.
 */
export async function unpackResult(
  client: ServiceClient,
  jobId: string,
  out: string,
  messages: Messages,
): Promise<string[]> {
  // Whatever keeps the service from it, the download tells the reason.
  const handedOver = await takeOver(client, jobId, path.resolve(out)).catch(() => undefined)
  if (handedOver) return handedOver
  const archive = path.resolve(out, `.${jobId}.zip`)
  const response = await client.open('downloadResult', { params: { job_id: jobId } })
  try {
    if (!response.body) throw new Error('The download has no body.')
    await pipeline(response.body, createWriteStream(archive))
    return await unpack(archive, path.resolve(out))
  } catch (cause) {
    throw new Error(messages.master.notUnpacked(out, (cause as Error).message), { cause })
  } finally {
    await rm(archive, { force: true })
  }
}

/** Has the service copy the masters into a hidden folder, whose probe only this user can read, and moves them to their places. */
async function takeOver(client: ServiceClient, jobId: string, out: string): Promise<string[]> {
  const hidden = path.join(out, `.${jobId}.part`)
  // An interrupted run left it.
  await discardFolder(hidden)
  await mkdir(hidden, { mode: 0o700 })
  try {
    const probe = randomBytes(32).toString('hex')
    const mode = await writeProbe(path.join(hidden, 'probe'), probe)
    const body = { folder: await realpath(hidden), probe }
    const { folder_name, files } = await client.call('handOverResult', { params: { job_id: jobId }, body })
    const folder = path.join(out, path.basename(folder_name))
    await makeFolder(folder, true)
    for (const file of files) {
      const part = path.join(hidden, path.basename(file))
      await chmod(part, mode)
      await rename(part, path.join(folder, path.basename(file)))
    }
    return files.map((file) => path.join(folder, path.basename(file)))
  } finally {
    await discardFolder(hidden)
  }
}

/** Writes a file that only this user can read, and returns the access rights that other new files get in its folder. */
async function writeProbe(file: string, text: string): Promise<number> {
  const probe = await open(file, 'wx')
  try {
    await giveToUser(probe, 'file')
    const { mode } = await probe.stat()
    await probe.chmod(0o600)
    await probe.writeFile(text)
    return mode & 0o777
  } finally {
    await probe.close()
  }
}

async function unpack(archive: string, out: string): Promise<string[]> {
  const files: string[] = []
  const zip = await yauzl.openPromise(archive)
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue
      const file = path.join(out, entry.fileName)
      await makeFolder(path.dirname(file), true)
      await writeWhole(await zip.openReadStreamPromise(entry), file)
      files.push(file)
    }
  } finally {
    zip.close()
  }
  return files
}

/** Writes a file whole or not at all. */
async function writeWhole(bytes: Readable, file: string): Promise<void> {
  const part = `${file}.part`
  try {
    await pipeline(bytes, createWriteStream(part))
    await giveToUser(part, 'file')
    await rename(part, file)
  } finally {
    await rm(part, { force: true })
  }
}
