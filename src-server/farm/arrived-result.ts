/** Result as it arrives from a machine. It is not trusted: its files must be the ordered ones, and its ZIP is composed here. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { RELEASE } from '../../src-contract/delivery-target.ts'
import { Report } from '../../src-contract/report.ts'
import type { WorkOrder, WorkResult } from '../../src-worker/mastering/work-order.ts'
import type { WrittenFile } from '../../src-worker/media/written-file.ts'
import { isResultFolderName, isSafeName, RESULT_TEXTS } from '../../src-worker/result/names.ts'
import { composeZip, type PackedFile } from '../../src-worker/result/result-zip.ts'
import { jobBytes } from '../jobs/submit.ts'
import { type Blobs, keyOf } from './blobs.ts'
import { MessageFault, read } from './messages.ts'

/** Bytes allowed in a result besides its masters: covers, tags and reports. */
const MAX_EXTRA_BYTES = 1_000_000_000

/** Largest file that can be a report, bytes. */
const MAX_REPORT_BYTES = 50_000_000

/**
 * Fetches the files of a result into the folder of its attempt. Returns the result with a ZIP composed of these files. Rejects with a
 * `BlobFault` if a file cannot be fetched, and with another Error if it is not as ordered.
 */
export async function bringResult(
  blobs: Blobs,
  attemptId: string,
  result: WorkResult,
  order: WorkOrder,
): Promise<WorkResult> {
  const { jobId, settings, attemptFolder } = order
  checkMasters(result, settings)
  // Names first: the bytes of an unordered file need no check.
  const { folderName, files } = checkFiles(result, jobId)
  const sizeBytes = files.reduce((sum, one) => sum + one.sizeBytes, 0)
  if (sizeBytes > jobBytes(order.source, order) + MAX_EXTRA_BYTES) throw new MessageFault('its files are too large')
  const arrived = new Map<string, WrittenFile>()
  const packed: PackedFile[] = []
  for (const { file, kept, sha256, sizeBytes: told } of files) {
    const target = path.join(attemptFolder, kept)
    const written = arrived.get(kept) ?? (await blobs.get(keyOf(attemptId, sha256), target, told))
    if (written.sizeBytes !== told) throw new MessageFault(`its ${file} has ${written.sizeBytes} of ${told} bytes`)
    arrived.set(kept, written)
    packed.push({ file, kept, ...written })
  }
  const { json, html } = RESULT_TEXTS
  checkReport(JSON.parse(await readFile(path.join(attemptFolder, json), 'utf8')), jobId, result)
  return { ...result, zip: composeZip(folderName, packed), reportJsonFile: json, reportHtmlFile: html }
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

/** A file of a result to fetch, under our own name. */
type FileToBring = Omit<PackedFile, 'crc32'>

/**
 * Returns the name of the one folder in the ZIP of a result, and its files. Throws a {@link MessageFault} unless they are its masters and
 * reports.
 */
function checkFiles({ zip, masters, release }: WorkResult, jobId: string) {
  const [folderName = ''] = zip.entries[0]?.name.split('/') ?? []
  if (!isResultFolderName(folderName, jobId)) throw new MessageFault('the folder in its ZIP is not one of this job')
  const sounds = [...masters, ...(release ? [release] : [])].flatMap((one) => [one, ...(one.files ?? [])])
  const texts = new Set<string>(Object.values(RESULT_TEXTS))
  const files = zip.entries.map(({ name, sizeBytes, kept }): FileToBring => {
    const file = name.slice(folderName.length + 1)
    const isOrdered = texts.has(file) || sounds.some((one) => one.file === file)
    if (name !== `${folderName}/${file}` || !isOrdered || !isSafeName(file) || !kept)
      throw new MessageFault(`its ZIP has ${JSON.stringify(name)}, which was not ordered`)
    // Masters with identical bytes share a file, whose name must differ from the text files'.
    return { file, kept: texts.has(file) ? file : kept.sha256, sizeBytes, sha256: kept.sha256 }
  })
  const found = new Map(files.map((one) => [one.file, one]))
  if (found.size < files.length) throw new MessageFault('its ZIP has two files of one name')
  const lacking = sounds.find(({ file, size_bytes, sha256 }) => {
    const one = found.get(file)
    return one?.sizeBytes !== size_bytes || one.sha256 !== sha256
  })
  if (lacking) throw new MessageFault(`its ZIP has no ${lacking.file} of ${lacking.size_bytes} bytes`)
  for (const file of [RESULT_TEXTS.json, RESULT_TEXTS.html])
    if ((found.get(file)?.sizeBytes ?? Number.POSITIVE_INFINITY) > MAX_REPORT_BYTES)
      throw new MessageFault('its ZIP lacks a report')
  return { folderName, files }
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
