/** Answers of the service that are files, saved as new files. */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { unusable } from './unusable-input.ts'

/**
 * Writes the body of an answer to a file that is not there yet, whole or not at all. Throws the sentence that `refusal` makes of the
 * reason where it cannot.
 */
export async function saveNew(answer: Response, file: string, refusal: (reason: string) => string): Promise<void> {
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
    throw unusable(refusal((cause as Error).message))
  }
}

/** Returns the name under which an answer asks to be saved (RFC 6266, `filename*` first); `standard` where it names none. */
export function nameOf(answer: Response, standard: string): string {
  const disposition = answer.headers.get('content-disposition') ?? ''
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1]
  const plain = /filename="([^"]*)"/i.exec(disposition)?.[1]
  const name = encoded === undefined ? plain : decodeURIComponent(encoded)
  return name?.replace(/[/\\]/g, '_') || standard
}
