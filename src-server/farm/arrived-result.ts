/**
 * Result as it arrives from a machine. Its ZIP is read, not believed: names, places and sizes of the files are those found in it, and they
 * must be the ones that were ordered.
 */
import { open, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { RELEASE } from '../../src-contract/delivery-target.ts'
import { Report } from '../../src-contract/report.ts'
import { withRegularFile } from '../../src-system/regular-file.ts'
import type { WorkOrder, WorkResult } from '../../src-worker/mastering/work-order.ts'
import { isResultFolderName, isSafeName, RESULT_TEXTS } from '../../src-worker/result/names.ts'
import { listEntries, readWholeZip, type StoredEntry } from '../../src-worker/result/zip-reader.ts'
import { jobBytes } from '../jobs/submit.ts'
import { type Blobs, keyOf } from './blobs.ts'
import { MessageFault, read } from './messages.ts'

/** Name of the ZIP until its content says what it is called. */
const ARRIVED_FILE = 'arrived.zip'

/** Bytes that a ZIP may have beside its masters: covers, tags and reports. */
const MAX_EXTRA_BYTES = 1_000_000_000

/** Size above which a file is no report, bytes. */
const MAX_REPORT_BYTES = 50_000_000

/**
 * Brings the ZIP of a result, and the reports in it, into the folder of its attempt. Returns the result with the files found in the ZIP.
 * Rejects with a `BlobFault` where it cannot be brought, and with another Error where it is not what was ordered.
 */
export async function bringResult(
  blobs: Blobs,
  attemptId: string,
  result: WorkResult,
  order: WorkOrder,
): Promise<WorkResult> {
  const { jobId, settings, attemptFolder } = order
  checkMasters(result, settings)
  const arrived = path.join(attemptFolder, ARRIVED_FILE)
  await rm(arrived, { force: true })
  await blobs.get(keyOf(attemptId, result.zip.sha256), arrived, jobBytes(order.source, order) + MAX_EXTRA_BYTES)
  // The directory first: an entry that was not ordered is not worth a look at its bytes.
  const folderName = checkEntries(await withRegularFile(arrived, {}, listEntries), result, jobId)
  const whole = await readWholeZip(arrived)
  const { json, html } = RESULT_TEXTS
  for (const file of [json, html]) {
    const bytes = await bytesOf(
      arrived,
      whole.entries.find(({ name }) => name === `${folderName}/${file}`),
    )
    if (file === json) checkReport(JSON.parse(bytes.toString('utf8')), jobId, result)
    await writeFile(path.join(attemptFolder, file), bytes, { mode: 0o600 })
  }
  const fileName = `${folderName}.zip`
  await rename(arrived, path.join(attemptFolder, fileName))
  return { ...result, zip: { fileName, folderName, ...whole }, reportJsonFile: json, reportHtmlFile: html }
}

/** Throws a {@link MessageFault} where the masters and their formats are not those of the settings. */
function checkMasters(result: WorkResult, { platforms, formats, release_master }: WorkOrder['settings']): void {
  const { masters, release, loudnessSteps = {} } = result
  const made = [...masters, ...(release ? [{ ...release, platform: RELEASE }] : [])]
  const names: readonly string[] = made.map(({ platform }) => platform)
  if (!isDeepStrictEqual(names, [...platforms, ...(release_master ? [RELEASE] : [])]))
    throw new MessageFault('its masters are not those that were ordered')
  if (
    made.some(
      ({ files = [] }) =>
        !isDeepStrictEqual(
          files.map(({ format }) => format),
          formats,
        ),
    )
  )
    throw new MessageFault('its formats are not those that were ordered')
  if (!Object.keys(loudnessSteps).every((name) => names.includes(name)))
    throw new MessageFault('it has the loudness of a master that was not ordered')
}

/** Returns the name of the one folder in a ZIP. Throws a {@link MessageFault} unless its files are those that the result names, and its reports. */
function checkEntries(entries: readonly StoredEntry[], result: WorkResult, jobId: string): string {
  const [folderName = ''] = entries[0]?.name.split('/') ?? []
  if (!isResultFolderName(folderName, jobId)) throw new MessageFault('the folder in its ZIP is not one of this job')
  const sizes = new Map(entries.map(({ name, sizeBytes }) => [name, sizeBytes]))
  if (sizes.size < entries.length) throw new MessageFault('its ZIP has two files of one name')
  const { masters, release } = result
  const sounds = [...masters, ...(release ? [release] : [])].flatMap((one) => [one, ...(one.files ?? [])])
  const lacking = sounds.find(({ file, size_bytes }) => sizes.get(`${folderName}/${file}`) !== size_bytes)
  if (lacking) throw new MessageFault(`its ZIP has no ${lacking.file} of ${lacking.size_bytes} bytes`)
  const known = new Set([...sounds.map(({ file }) => file), ...Object.values(RESULT_TEXTS)])
  const other = entries.find(({ name }) => {
    const file = name.slice(folderName.length + 1)
    return name !== `${folderName}/${file}` || !known.has(file) || !isSafeName(file)
  })
  if (other) throw new MessageFault(`its ZIP has ${JSON.stringify(other.name)}, which was not ordered`)
  return folderName
}

async function bytesOf(zipPath: string, entry: StoredEntry | undefined): Promise<Buffer> {
  if (!entry || entry.sizeBytes > MAX_REPORT_BYTES) throw new MessageFault('its ZIP lacks a report')
  const zip = await open(zipPath)
  try {
    const { buffer } = await zip.read(Buffer.alloc(entry.sizeBytes), 0, entry.sizeBytes, entry.offset)
    return buffer
  } finally {
    await zip.close()
  }
}

/** Throws a {@link MessageFault} for anything but the report of a job with the measurements of its result. */
function checkReport(value: unknown, jobId: string, result: WorkResult): void {
  const { job_id, masters, release } = read(Report, value)
  const isTheirs = isDeepStrictEqual(
    [job_id, masters.map((one) => one.result), release?.result],
    [jobId, result.masters, result.release],
  )
  if (!isTheirs) throw new MessageFault('its report is that of another result')
}
