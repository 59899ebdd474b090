import type { Jobs } from '../jobs/jobs.ts'
import type { SongMasters } from './export-sounds.ts'

/** Returns the masters of a job for an export; undefined until it is done and once they are gone. */
export function songMasters(jobs: Pick<Jobs, 'finished' | 'bringBackFile'>, jobId: string): SongMasters | undefined {
  const finished = jobs.finished(jobId)
  if (!finished) return undefined
  const { job, result, files } = finished
  const { settings, joined } = job.request
  return {
    jobId,
    masters: result.masters,
    ...(result.release ? { release: result.release } : {}),
    song: { ...job.song, path: files.source.path },
    edges: settings,
    ...(joined ? { joined } : {}),
    ...(settings.ai_service === 'other' ? {} : { aiService: settings.ai_service }),
    bytesOf: (file) => jobs.bringBackFile(jobId, file),
  }
}
