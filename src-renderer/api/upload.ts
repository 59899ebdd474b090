/** Sending a song. The only request that is not a fetch: browsers report upload progress only to XMLHttpRequest. */

import type { Source } from '../../src-contract/app.ts'
import { ApiError, type Client, readFailure } from '../../src-contract/client.ts'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { ERROR_CODES } from '../../src-contract/errors.ts'
import { ACCEPT_ANY } from '../../src-contract/song-files.ts'
import type { StemSet } from '../../src-contract/stems.ts'
import type { DesktopBridge } from '../../src-main/bridge.ts'
import { isZip } from './stem-files.ts'

/** Files of a song. */
export interface SongFiles {
  readonly file: File
  /** Its stems, in place of `file`: several files, or a ZIP of them. */
  readonly stems?: readonly File[]
}

export interface SendSong extends SongFiles {
  readonly purpose: 'song' | 'reference'
  /** Stored song whose stems they are. */
  readonly originalId?: string
  /** Called with the bytes sent; the body is a little larger than the file. */
  readonly onSent?: (sentBytes: number, totalBytes: number) => void
  readonly signal?: AbortSignal
}

/**
 * A request fails in the same way when the program is away and when the file was moved or changed since it was chosen.
 */
const reasonOf = (file: File) =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => 'UNREACHABLE' as const,
      () => 'FILE_GONE' as const,
    )

/** Stores a song and returns the server's facts about it. Throws ApiError; a DOMException AbortError when stopped. */
export function createUpload(client: Client) {
  return async ({ file, purpose, stems, originalId, onSent, signal }: SendSong): Promise<Source> => {
    const stored = await new Promise<Source | StemSet>((resolve, reject) => {
      const request = new XMLHttpRequest()
      const { method, path } = stems ? ENDPOINTS.createStemSet : ENDPOINTS.createSource
      request.open(method, path)
      for (const [name, value] of Object.entries(client.ownHeaders())) request.setRequestHeader(name, value)
      request.upload.onprogress = (event) => onSent?.(event.loaded, event.total)
      request.onload = () => {
        if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as Source | StemSet)
        else reject(readFailure(request.status, request.responseText, (name) => request.getResponseHeader(name)))
      }
      request.onerror = () => void reasonOf(file).then((code) => reject(new ApiError({ code })))
      request.onabort = () => reject(new DOMException('stopped', 'AbortError'))
      signal?.addEventListener('abort', () => request.abort(), { once: true })
      request.send(stems ? stemsForm(stems, originalId) : songForm(file, purpose))
    })
    return 'filename' in stored ? stored : client.call('readSource', { params: { source_id: stored.source_id } })
  }
}

function songForm(file: File, purpose: SendSong['purpose']): FormData {
  const form = new FormData()
  form.append('purpose', purpose)
  form.append('accept', ACCEPT_ANY)
  form.append('file', file, file.name)
  return form
}

function stemsForm(stems: readonly File[], originalId: string | undefined): FormData {
  const form = new FormData()
  const fields = { kind: 'stems', add_to_batch: 'true', accept: ACCEPT_ANY }
  if (originalId !== undefined) form.append('original_source_id', originalId)
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const stem of stems) form.append(isZip(stem) ? 'file' : 'stems', stem, stem.name)
  return form
}

/**
 * Upload on the desktop: the main process reads the file from its path and continues when this page is closed or
 * reloaded. Files without a path, stems, and every reference are sent by the page. Throws as `createUpload` does.
 */
export function createHandOver(
  bridge: Pick<DesktopBridge, 'addFiles'>,
  client: Pick<Client, 'call'>,
  sendByPage: (song: SendSong) => Promise<Source>,
) {
  return async (song: SendSong): Promise<Source> => {
    if (song.purpose !== 'song' || song.stems) return sendByPage(song)
    song.onSent?.(1, 1)
    const { sourceIds, refused } = await bridge.addFiles([song.file])
    const [source_id] = sourceIds
    if (song.signal?.aborted) {
      if (source_id) await client.call('removeSongs', { body: { source_ids: [source_id] } })
      throw new DOMException('stopped', 'AbortError')
    }
    if (source_id) return client.call('readSource', { params: { source_id } })
    const code = ERROR_CODES.find((known) => known === refused[0]?.code)
    if (!code) return sendByPage(song)
    throw new ApiError({ code, values: refused[0]?.values })
  }
}
