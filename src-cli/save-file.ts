/** Saving of the service's file answers as new files. */
import { createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ApiError } from '../src-contract/client.ts'
import { isDiskFull } from '../src-system/disk.ts'
import type { Messages } from './messages.ts'
import { unusable } from './unusable-input.ts'

/** Writes the body of an answer to a new file, whole or not at all. Throws the sentence of `notSaved` on failure. */
export async function saveNew(answer: Response, file: string, messages: Messages): Promise<void> {
  const stream = createWriteStream(file, { flags: 'wx' })
  let isOurs = false
  stream.once('open', () => {
    isOurs = true
  })
  try {
    if (!answer.body) throw new Error('the answer is empty')
    await pipeline(answer.body, stream)
  } catch (cause) {
    if (isOurs) await rm(file, { force: true })
    throw notSaved(file, cause, messages)
  }
}

/** Writes a new file. Throws the sentence of `notSaved` on failure. */
export async function writeNew(
  file: string,
  content: Parameters<typeof writeFile>[1],
  messages: Messages,
): Promise<void> {
  await writeFile(file, content, { flag: 'wx' }).catch((cause: unknown) => {
    throw notSaved(file, cause, messages)
  })
}

/** Returns the refusal for a new file that could not be written, with a remedy. */
export function notSaved(file: string, cause: unknown, { saving: say }: Messages): ApiError {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'EEXIST') return unusable(say.isThere(file))
  if (code === 'ENOENT' || code === 'ENOTDIR') return unusable(say.noFolder(path.dirname(file)))
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return unusable(say.noRight(path.dirname(file)))
  return unusable(isDiskFull(cause) ? say.diskFull(file) : say.failed(file, message))
}

/** Returns the suggested file name of an answer (RFC 6266, `filename*` first), or `standard`. */
export function nameOf(answer: Response, standard: string): string {
  const disposition = answer.headers.get('content-disposition') ?? ''
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1]
  const plain = /filename="([^"]*)"/i.exec(disposition)?.[1]
  const name = encoded === undefined ? plain : decodeURIComponent(encoded)
  return name?.replace(/[/\\]/g, '_') || standard
}
