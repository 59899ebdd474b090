/** The delivered masters of a job on disk: shown in the file manager, dragged into other programs. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Job } from '../src-contract/jobs.ts'
import type { Service } from './service.ts'

/**
 * Returns the delivery paths of a done job's masters, of `platforms` or of all, the master for all services first. Pure; empty without any.
 */
export function deliveredPaths(
  { output_folder: folder, results, release }: Pick<Job, 'output_folder' | 'results' | 'release'>,
  platforms: readonly string[] | null,
): string[] {
  if (!folder) return []
  const wanted = results.filter(({ platform }) => platforms === null || platforms.includes(platform))
  const masters = platforms === null && release ? [release, ...wanted] : wanted
  return masters.map(({ file }) => path.join(folder, path.basename(file)))
}

/** Returns the delivered masters that still exist. Never throws; empty for an unknown job. */
export async function findMasters(
  service: Pick<Service, 'call'>,
  jobId: string,
  platforms: readonly string[] | null,
): Promise<string[]> {
  try {
    const job = await service.call('readJob', { params: { job_id: jobId } })
    const paths = deliveredPaths(job, platforms)
    const isThere = await Promise.all(
      paths.map((file) =>
        stat(file).then(
          (facts) => facts.isFile(),
          () => false,
        ),
      ),
    )
    return paths.filter((_, at) => isThere[at])
  } catch {
    return []
  }
}
