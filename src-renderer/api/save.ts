/** Saving files. A link cannot carry the credential, so the bytes are fetched and handed to the browser as a blob. */
import type { Client } from './client.ts'

/** Reads the name from a Content-Disposition header (RFC 6266: `filename*` wins over `filename`); null when it has none. */
export function filenameIn(disposition: string | null): string | null {
  if (!disposition) return null
  const extended = /filename\*\s*=\s*(?:UTF-8|utf-8)''([^;]+)/.exec(disposition)
  if (extended?.[1]) {
    try {
      return decodeURIComponent(extended[1].trim())
    } catch {
      return null
    }
  }
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/.exec(disposition)
  return (plain?.[1] ?? plain?.[2])?.trim() || null
}

/** Hands a finished blob to the browser's own saving. */
export function saveBlob(blob: Blob, filename: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = filename
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Fetches and saves what `openFile` answers, under the server's name for it. Throws ApiError. */
async function saveResponse(openFile: () => Promise<Response>, fallbackName: string): Promise<void> {
  const response = await openFile()
  saveBlob(await response.blob(), filenameIn(response.headers.get('content-disposition')) ?? fallbackName)
}

/** The files of a job: its ZIP, or one platform's master. Asked for again while it is on its way, a file is saved once. */
export function createSaver(client: Client) {
  const saving = new Map<string, Promise<void>>()
  const once = (name: string, openFile: () => Promise<Response>) => {
    const running = saving.get(name)
    if (running) return running
    const saved = saveResponse(openFile, name).finally(() => saving.delete(name))
    saving.set(name, saved)
    return saved
  }
  return {
    saveZip: (jobId: string) =>
      once(`${jobId}.zip`, () => client.open('downloadResult', { params: { job_id: jobId } })),
    saveMaster: (jobId: string, platform: 'spotify' | 'apple_music' | 'youtube' | 'melon' | 'soundcloud') =>
      once(`${jobId}_${platform}.wav`, () => client.open('readJobFile', { params: { job_id: jobId, file: platform } })),
  }
}
