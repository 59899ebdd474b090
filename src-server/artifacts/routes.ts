/** Downloads: the ZIP, each master, the stored songs and the report. */
import type { FastifyInstance } from 'fastify'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import type { FilePart } from '../../src-system/copy-part.ts'
import { reportName } from '../../src-worker/result/names.ts'
import { AppError } from '../http/app-error.ts'
import { requireOwner, route } from '../http/route.ts'
import type { CodedCopies } from './coded-copies.ts'
import { expired, type JobFiles, masterOf, placeIn, resultOf, type StoredFiles } from './job-files.ts'
import { openProvenFolder } from './proven-folder.ts'
import { disposition, fileAnswer } from './send-file.ts'

export interface ArtifactDeps {
  /** Files of a job by its identifier. */
  readonly filesOf: (jobId: string) => JobFiles | undefined
  readonly codedCopies: Pick<CodedCopies, 'codecs' | 'copyOf'>
  readonly stored: StoredFiles
}

/** Serves the downloads, and the coded copies of masters. */
export function artifactRoutes(app: FastifyInstance, { filesOf, codedCopies, stored }: ArtifactDeps): void {
  const find = (jobId: string): JobFiles => {
    const files = filesOf(jobId)
    if (!files) throw new AppError('JOB_NOT_FOUND')
    return files
  }

  route(app, ENDPOINTS.downloadResult, ({ params, request }) => stored.sendZip(find(params.job_id), request))

  route(app, ENDPOINTS.handOverResult, async ({ params, body, caller, signal }) => {
    requireOwner(caller)
    const files = find(params.job_id)
    const { zip } = resultOf(files)
    const folder = await openProvenFolder(body)
    try {
      return { status: 200, body: { folder_name: zip.folderName, files: await stored.copyAll(files, folder, signal) } }
    } finally {
      await folder.close()
    }
  })

  route(app, ENDPOINTS.readJobFile, ({ params: { job_id, file }, query: { format }, request }) => {
    const files = find(job_id)
    if (file !== 'source' && file !== 'reference') return stored.sendMaster(files, file, format, request)
    const song = files[file]
    if (!song) throw new AppError('NOT_FOUND')
    return stored.sendSong(files, song, request)
  })

  route(app, ENDPOINTS.listCopyCodecs, async () => ({ status: 200, body: { codecs: await codedCopies.codecs() } }))

  route(app, ENDPOINTS.readCodedCopy, async ({ params: { job_id, platform, codec }, request, signal }) => {
    const files = find(job_id)
    const master = masterOf(files, platform)
    const { copiesFolder } = resultOf(files)
    const { sizeBytes } = placeIn(resultOf(files), master.file)
    const copied = {
      ...{ sha256: master.sha256, sizeBytes, copiesFolder },
      withBytes: (use: (place: FilePart) => Promise<void>) => stored.withFile(files, master, use),
    }
    const copy = await codedCopies.copyOf(copied, codec, signal)
    const filename = master.file.replace(/\.wav$/, `_${codec}.wav`)
    return fileAnswer({ path: copy.path, sha256: copy.tag, filename, mediaType: 'audio/wav' }, request, expired())
  })

  route(app, ENDPOINTS.readReport, async ({ params, query }) => {
    const files = find(params.job_id)
    const result = resultOf(files)
    const isHtml = query.format === 'html'
    const bytes = await stored.readReport(files, isHtml ? result.reportHtmlFile : result.reportJsonFile)
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

// The report is self-contained: it may only draw and style itself.
const HTML_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox",
}
