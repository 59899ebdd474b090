/** Client of the desktop shell for its own server: typed calls, songs from disk, and the stream of live events. */
import { openAsBlob } from 'node:fs'
import path from 'node:path'
import { type Client, createClient, openEventStream } from '../src-contract/client.ts'
import type { AnswerOf } from '../src-contract/endpoints.ts'
import type { LiveEvent } from '../src-contract/events.ts'
import { ACCEPT_ANY } from '../src-contract/song-files.ts'

export interface Service {
  /** Calls an endpoint and returns its JSON. Throws ApiError. */
  readonly call: Client['call']
  /** Stores a file as a song in the batch, streamed from disk. Throws ApiError, or the error of the file system. */
  storeSong(file: string): Promise<Pick<AnswerOf<'createSource'>, 'source_id'>>
  /** Calls back for every live event until the signal fires, reconnecting after interruptions; `onConnect` runs at each new connection. */
  follow(onEvent: (event: LiveEvent) => void, onConnect: () => void, signal: AbortSignal): Promise<void>
}

const RECONNECT_MS = 1000

/** Creates the client of the server at `baseUrl`, with the credential of the application. */
export function createService(baseUrl: string, credential: string, language: () => string): Service {
  const client = createClient({ baseUrl, session: credential, language })

  async function readStream(onEvent: (event: LiveEvent) => void, onConnect: () => void, signal: AbortSignal) {
    const { messages } = await openEventStream(client, undefined, signal)
    onConnect()
    for await (const batch of messages) for (const { data } of batch) onEvent(JSON.parse(data) as LiveEvent)
  }

  return {
    call: client.call,
    async storeSong(file) {
      const content = await openAsBlob(file)
      const fields = { accept: ACCEPT_ANY } as const
      return client.call('createSource', {
        fields,
        files: { file: { content, name: path.basename(file).normalize('NFC') } },
      })
    },
    async follow(onEvent, onConnect, signal) {
      while (!signal.aborted) {
        try {
          await readStream(onEvent, onConnect, signal)
        } catch {
          // The server is stopping or the machine slept; the next connection reloads missed events.
        }
        if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS))
      }
    },
  }
}
