/** The folder for masters, and the masters of a job unpacked in it. */
import { constants, createWriteStream, existsSync } from 'node:fs'
import { access, realpath, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import yauzl from 'yauzl'
import { giveToUser, makeFolder } from '../src-system/disk.ts'
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

/** Unpacks the masters of a finished job in `out` and returns the paths of the files. Throws an Error with the location of the masters. */
export async function unpackResult(
  client: ServiceClient,
  jobId: string,
  out: string,
  messages: Messages,
): Promise<string[]> {
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
