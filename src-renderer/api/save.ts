/** Saving files. A link cannot carry the credential, so the bytes are fetched and handed to the browser as a blob. */

import { ApiError, type Client } from '../../src-contract/client.ts'
import { RELEASE } from '../../src-contract/delivery-target.ts'
import type { Job } from '../../src-contract/jobs.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import type { DesktopBridge } from '../../src-main/bridge.ts'

/** Reads the name from a Content-Disposition header (RFC 6266: `filename*` wins over `filename`); null without one. */
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
function saveBlob(blob: Blob, filename: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = filename
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Fetches and saves the response of `openFile`, under the server's file name. Throws ApiError. */
export async function saveAnswer(openFile: () => Promise<Response>, fallbackName: string): Promise<void> {
  const response = await openFile()
  saveBlob(await response.blob(), filenameIn(response.headers.get('content-disposition')) ?? fallbackName)
}

/**
 * The files of a job: its ZIP, one platform's master, its report. A file requested again during its download is saved
 * once. `bridge` is the desktop's, if the page runs there.
 */
export function createSaver(client: Client, bridge?: Pick<DesktopBridge, 'revealMasters'>) {
  const saving = new Map<string, Promise<void>>()
  const once = (name: string, openFile: () => Promise<Response>) => {
    const running = saving.get(name)
    if (running) return running
    const saved = saveAnswer(openFile, name).finally(() => saving.delete(name))
    saving.set(name, saved)
    return saved
  }
  return {
    saveZip: (jobId: string) =>
      once(`${jobId}.zip`, () => client.open('downloadResult', { params: { job_id: jobId } })),
    saveMaster: (jobId: string, platform: Platform) =>
      once(`${jobId}_${platform}.wav`, () =>
        client.open('readJobFile', { params: { job_id: jobId, file: platform }, query: {} }),
      ),
    /**
     * Saves the master for all services: as FLAC if the job made one, which distributors accept and is half the size,
     * else as WAV.
     */
    saveRelease: ({ job_id: jobId, release }: Pick<Job, 'job_id' | 'release'>) => {
      const format = release?.files?.some((one) => one.format === 'flac24') ? ('flac24' as const) : undefined
      return once(`${jobId}_release.${format ? 'flac' : 'wav'}`, () =>
        client.open('readJobFile', { params: { job_id: jobId, file: RELEASE }, query: format ? { format } : {} }),
      )
    },
    /** Saves the report as a readable page. */
    saveReport: (jobId: string) =>
      once(`${jobId}_report.html`, () =>
        client.open('readReport', { params: { job_id: jobId }, query: { format: 'html' } }),
      ),
    /**
     * Shows the masters delivered by the desktop in its file manager. Throws ApiError: MASTERS_GONE if they are gone.
     */
    async reveal(jobId: string): Promise<void> {
      if (!(await bridge?.revealMasters(jobId))) throw new ApiError({ code: 'MASTERS_GONE' })
    },
  }
}
