/** A service with stored songs, heard by auditions: requests, and what comes of them. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Source } from '../../src-contract/app.ts'
import type { Audition, AuditionPicture } from '../../src-contract/auditions.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import type { Pictured, Report } from '../../src-contract/report.ts'
import { DEFAULT_SETTINGS, type MasterSettings } from '../../src-contract/settings.ts'
import { inFrames, readNow, readWave } from '../../src-engine/dsp/riff.ts'
import type { ServerOptions } from '../../src-server/server.ts'
import { songLike, writeFloatWav } from '../worker/media/make-audio.ts'
import { startService } from './service.ts'

/** Returns the samples of a WAV, whatever lies around them. */
export function pcmOf(wav: Uint8Array): Buffer {
  const bytes = Buffer.from(wav)
  const wave = readNow(readWave(bytes.length), (offset, length) => bytes.subarray(offset, offset + length))
  const [range] = wave?.format ? inFrames(wave.sound, 1) : []
  if (!range) throw new Error('no samples')
  return bytes.subarray(range.offset, range.offset + range.length)
}

/** Returns the figures of a report that the picture of an exact audition has. */
export function drawnOf({ source, masters, reference }: Report) {
  const figures = ({ measurement, spectrum, curves }: Pictured): Pictured => ({ measurement, spectrum, curves })
  const { curves: _, ...compared } = reference ?? {}
  return { source: figures(source), master: figures(masters[0]!), ...(reference ? { reference: compared } : {}) }
}

/** Writes a song of some seconds and returns its path. */
export const writeSong = (folder: string, seconds = 4, rateHz = 44_100): string =>
  writeFloatWav(path.join(folder, `song-${seconds}-${rateHz}.wav`), songLike(seconds, rateHz), rateHz)

export async function startAuditionService(options: Partial<ServerOptions> & { readonly keepsData?: boolean } = {}) {
  const service = await startService(options)
  const bytes = async (address: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(new URL(address, service.baseUrl), {
      method,
      headers: { authorization: `Bearer ${service.sessionCredential}`, ...headers },
    })
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const audition = async (id: string): Promise<Audition> => (await service.get(`/app/auditions/${id}`)).body
  /** Masters a stored song as a job and returns the samples of the file, and the report. */
  const masterStored = async (
    sourceId: string,
    change: Record<string, string> = {},
    platform: Platform = 'spotify',
  ) => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ source_id: sourceId, platforms: platform, ...change }))
      form.append(name, value)
    const { body } = await service.call('POST', '/api/v1/master', { body: form })
    const job = await service.ended(body.job_id)
    if (job.status !== 'done') throw new Error(job.error_message)
    const at = `/api/v1/jobs/${body.job_id}`
    const report: Report = (await service.get(`${at}/report`)).body
    return { pcm: pcmOf((await bytes(`${at}/files/${platform}`)).bytes), report }
  }
  return {
    ...service,
    bytes,
    audition,
    picture: async (id: string): Promise<AuditionPicture> => (await service.get(`/app/auditions/${id}/picture`)).body,
    async addSong(file: string, purpose = 'song'): Promise<Source> {
      const form = new FormData()
      form.append('purpose', purpose)
      form.append('file', new Blob([new Uint8Array(readFileSync(file))]), path.basename(file))
      const { status, body } = await service.call('POST', '/app/sources', { body: form })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body
    },
    hear: (sourceId: string, change: Partial<MasterSettings> = {}, platform: Platform = 'spotify') =>
      service.post('/app/auditions', {
        source_id: sourceId,
        platform,
        settings: { ...DEFAULT_SETTINGS, platforms: [platform], ...change },
      }),
    /** Waits until an audition is as `isReached` wants it, however busy the machine is: the test's own limit ends what hangs. */
    async until(id: string, isReached: (known: Audition) => boolean): Promise<Audition> {
      for (;;) {
        const known = await audition(id)
        if (isReached(known)) return known
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    /** Masters a stored song as a job and returns the samples of the file. */
    mastered: async (...order: Parameters<typeof masterStored>): Promise<Buffer> => (await masterStored(...order)).pcm,
    masterStored,
  }
}

export type AuditionService = Awaited<ReturnType<typeof startAuditionService>>
