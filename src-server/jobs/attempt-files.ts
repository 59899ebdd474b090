/** Files of the attempts of a job: moving results into place, and removing left-overs. */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { syncFile, syncFolder, whenReleased } from '../../src-system/disk.ts'
import type { Clock } from '../../src-system/system.ts'
import type { WorkResult } from '../../src-worker/mastering/work-order.ts'
import { keptFiles } from '../../src-worker/result/result-zip.ts'
import type { Folders } from './folders.ts'

/** Makes an attempt the result of its job: complete and flushed to the disk before the folder gets its final name. */
export async function storeResult(
  jobId: string,
  attemptFolder: string,
  result: WorkResult,
  { folders, clock }: { readonly folders: Folders; readonly clock: Clock },
): Promise<void> {
  for (const { file, sizeBytes } of keptFiles(result.zip)) {
    const { size } = await stat(path.join(attemptFolder, file))
    if (size !== sizeBytes) throw new Error(`${file} has ${size} of ${sizeBytes} bytes`)
    await syncFile(path.join(attemptFolder, file))
  }
  syncFolder(attemptFolder)
  await whenReleased(clock, () => {
    // A crash between the renaming and the commit leaves a result behind.
    rmSync(folders.result(jobId), { recursive: true, force: true })
    renameSync(attemptFolder, folders.result(jobId))
  })
  syncFolder(folders.job(jobId))
}

/**
 * Removes the attempt folders of an idle job, and, unless `hasResult`, masters that belong to no finished job: the job was cancelled, or a
 * crash prevented recording its end, while they were moved into place.
 */
export function removeLeftOvers(folders: Folders, jobId: string, hasResult: boolean): void {
  if (!existsSync(folders.job(jobId))) return
  // Without its song a result cannot be remade: a restored database may not know that the job was done.
  if (!hasResult && existsSync(folders.source(jobId))) rmSync(folders.result(jobId), { recursive: true, force: true })
  for (const name of readdirSync(folders.job(jobId))) {
    if (/^attempt-\d+$/.test(name)) rmSync(path.join(folders.job(jobId), name), { recursive: true, force: true })
  }
}
