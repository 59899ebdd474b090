/** Downloads: the ZIP, each master as a slice of it, the stored songs and the report. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { MasterName } from '../../src-contract/delivery-target.ts'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { CONTAINER_TYPES, type Format, formatFacts } from '../../src-contract/formats.ts'
import type { JobStatus } from '../../src-contract/jobs.ts'
import type { RegularFile } from '../../src-system/regular-file.ts'
import { type AudioFormat, MEDIA_TYPES } from '../../src-worker/media/audio-facts.ts'
import { reportName } from '../../src-worker/result/names.ts'
import type { ResultZip } from '../../src-worker/result/package.ts'
import { AppError } from '../http/app-error.ts'
import { route } from '../http/route.ts'
import type { CodedCopies } from './coded-copies.ts'
import { disposition, fileAnswer, type SendableFile } from './send-file.ts'

/** A song as it lies in a job's folder. */
export interface KeptSong {
  readonly path: string
  readonly filename: string
  readonly sha256: string
  readonly format: AudioFormat
}

/** A file of a result; `file` is its name inside the ZIP's folder. */
interface KeptFile {
  readonly file: string
  readonly sha256: string
}

/** The WAV of a platform, and its files of further formats. */
interface KeptMaster extends KeptFile {
  readonly platform: MasterName
  readonly files?: readonly (KeptFile & { readonly format: Format })[]
}

/** Files of a finished job. */
export interface KeptResult {
  readonly zipPath: string
  readonly zip: ResultZip
  readonly masters: readonly KeptMaster[]
  readonly reportJsonPath: string
  readonly reportHtmlPath: string
  /** Folder of the coded copies; it may not exist yet. */
  readonly copiesFolder: string
}

/** The files of one job. */
export interface JobFiles {
  readonly status: JobStatus
  readonly isExpired: boolean
  readonly source: KeptSong
  readonly reference?: KeptSong
  /** While the job is done. */
  readonly result?: KeptResult
  /** Folder into which its masters were delivered. */
  readonly deliveredTo?: string
}

export interface ArtifactDeps {
  /** Files of a job by its identifier. */
  readonly filesOf: (jobId: string) => JobFiles | undefined
  readonly codedCopies: Pick<CodedCopies, 'codecs' | 'copyOf'>
  /** Opens a file that may be read by its path. Rejects with PATH_NOT_ALLOWED. */
  readonly allowedFile: (name: string) => Promise<RegularFile>
}

/** Serves the downloads, and the coded copies of masters. */
export function artifactRoutes(app: FastifyInstance, { filesOf, codedCopies, allowedFile }: ArtifactDeps): void {
  const find = (jobId: string): JobFiles => {
    const files = filesOf(jobId)
    if (!files) throw new AppError('JOB_NOT_FOUND')
    return files
  }

  route(app, ENDPOINTS.downloadResult, ({ params, request }) =>
    fileAnswer(zipOf(resultOf(find(params.job_id))), request, expired()),
  )

  route(app, ENDPOINTS.readJobFile, ({ params: { job_id, file }, query: { format }, request }) => {
    const files = find(job_id)
    if (file !== 'source' && file !== 'reference') return fileAnswer(masterOf(files, file, format), request, expired())
    const song = files[file]
    if (!song) throw new AppError('NOT_FOUND')
    if (files.isExpired) throw expired()
    return fileAnswer({ ...song, mediaType: MEDIA_TYPES[song.format] }, request, expired())
  })

  route(app, ENDPOINTS.listCopyCodecs, async () => ({ status: 200, body: { codecs: await codedCopies.codecs() } }))

  route(app, ENDPOINTS.readCodedCopy, async ({ params: { job_id, platform, codec }, request, signal }) => {
    const files = find(job_id)
    const master = masterOf(files, platform)
    const { copiesFolder } = resultOf(files)
    const copy = await codedCopies.copyOf({ ...master, copiesFolder }, codec, signal)
    const filename = master.filename.replace(/\.wav$/, `_${codec}.wav`)
    return fileAnswer({ path: copy.path, sha256: copy.tag, filename, mediaType: 'audio/wav' }, request, expired())
  })

  route(app, ENDPOINTS.readReport, async ({ params, query }) => {
    const files = find(params.job_id)
    const result = madeResultOf(files)
    const isHtml = query.format === 'html'
    const kept = isHtml ? result.reportHtmlPath : result.reportJsonPath
    const bytes =
      (files.isExpired ? undefined : await readIfThere(kept)) ??
      (await readDelivered(path.basename(kept), files, allowedFile))
    if (!bytes) throw expired()
    const filename = `${reportName(result.zip.folderName)}.${isHtml ? 'html' : 'json'}`
    return {
      status: 200,
      bytes,
      headers: {
        ...(isHtml ? HTML_HEADERS : { 'content-type': 'application/json; charset=utf-8' }),
        'content-disposition': disposition(filename, false),
      },
    }
  })
}

const expired = () => new AppError('RESULT_EXPIRED')

/** Returns the ZIP of a result as a file to be sent. */
export function zipOf({ zip: { fileName: filename, sha256, sizeBytes }, zipPath: path }: KeptResult): SendableFile {
  return { path, filename, sha256, sizeBytes, mediaType: 'application/zip', isDownload: true }
}

// The report is self-contained: it may draw and style itself, and do nothing else.
const HTML_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox",
}

/** Returns the result of a job. Throws JOB_NOT_READY, JOB_FAILED and RESULT_EXPIRED. */
export function resultOf(files: JobFiles): KeptResult {
  const result = madeResultOf(files)
  if (files.isExpired) throw expired()
  return result
}

/** Returns the result of a job, whose files may have gone. Throws JOB_NOT_READY and JOB_FAILED. */
function madeResultOf({ status, result }: JobFiles): KeptResult {
  if (status === 'queued') throw new AppError('JOB_NOT_READY')
  if (status === 'failed') throw new AppError('JOB_FAILED')
  if (!result) throw expired()
  return result
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cause
  }
}

/**
 * Resolves with a report that a batch has delivered beside the masters; undefined where its folder may not be read any more, or has no
 * such file of the size that was delivered.
 */
async function readDelivered(
  file: string,
  { deliveredTo, result }: JobFiles,
  allowedFile: ArtifactDeps['allowedFile'],
): Promise<Buffer | undefined> {
  const sizeBytes = result?.zip.entries.find(({ name }) => name === `${result.zip.folderName}/${file}`)?.sizeBytes
  if (deliveredTo === undefined || sizeBytes === undefined) return undefined
  try {
    const there = await allowedFile(path.join(deliveredTo, file))
    try {
      return there.sizeBytes === sizeBytes ? await there.bytes({ maxBytes: sizeBytes }) : undefined
    } finally {
      await there.close()
    }
  } catch {
    // A folder that was moved, unplugged or taken from the list: no report can be had.
    return undefined
  }
}

/** The files are stored in the ZIP, so each is a range of its bytes. */
function masterOf(files: JobFiles, platform: MasterName, format?: Format) {
  const { zip, zipPath, masters } = resultOf(files)
  const master = masters.find((one) => one.platform === platform)
  const kept = format === undefined ? master : master?.files?.find((one) => one.format === format)
  const entry = zip.entries.find(({ name }) => name === `${zip.folderName}/${kept?.file}`)
  if (!kept || !entry) throw new AppError('NOT_FOUND')
  const { offset, sizeBytes } = entry
  const mediaType = CONTAINER_TYPES[format === undefined ? 'wav' : formatFacts(format).container]
  return { path: zipPath, offset, sizeBytes, sha256: kept.sha256, filename: kept.file, mediaType }
}
