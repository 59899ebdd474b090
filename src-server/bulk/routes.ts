/** Endpoints of the batches that are made by manifests. */
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { batchEndpoints, type ManifestSong } from '../../src-contract/batches.ts'
import { MAX_MANIFEST_BYTES } from '../../src-contract/limits.ts'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { invalidRequest } from '../http/app-error.ts'
import { bodyChunks } from '../http/body.ts'
import { type Caller, hasLines, route } from '../http/route.ts'
import type { OpenStreams } from '../notify/open-streams.ts'
import { SSE_HEADERS } from '../notify/sse-stream.ts'
import { receiveForm } from '../uploads/receive.ts'
import type { Storage } from '../uploads/storage.ts'
import type { BulkBatches } from './bulk-batches.ts'
import { type ManifestContext, type ReadManifest, readManifest } from './manifest.ts'
import { ResultStream } from './result-stream.ts'

export interface ManifestRoutesDeps {
  readonly manifests: BulkBatches
  readonly checkWebhookUrl: ManifestContext['checkWebhookUrl']
  readonly isStemSet: ManifestContext['isStemSet']
  readonly isStillAllowed: (caller: Caller) => boolean
  readonly streams: OpenStreams
  readonly baseUrl: string
  readonly clock: Clock
  readonly random: Pick<Random, 'newUuid'>
  /** Folder for uploads in progress. */
  readonly tmpFolder: string
  readonly storage: Pick<Storage, 'requireDisk'>
}

/** Default number of songs of a page. */
const PAGE_SIZE = 100

/** Serves `/api/v1/batches`. */
export function manifestRoutes(app: FastifyInstance, deps: ManifestRoutesDeps): void {
  const { manifests, baseUrl } = deps
  route(app, batchEndpoints.createBatch, async ({ request, caller, signal }) => {
    const { checkWebhookUrl, isStemSet } = deps
    const context = { checkWebhookUrl, isStemSet, isSession: caller.via === 'session' }
    const manifest = await received(deps, request, signal, (chunks) => readManifest(chunks, context))
    const { batchId, isReplay } = await manifests.create(caller, manifest)
    manifests.feed()
    const headers = { location: `${baseUrl}/api/v1/batches/${batchId}` }
    const answer = { body: manifests.show(batchId), headers }
    return isReplay ? ({ ...answer, status: 200 } as const) : ({ ...answer, status: 201 } as const)
  })
  route(app, batchEndpoints.listBatches, () => ({ status: 200, body: { batches: manifests.list() } }))
  route(app, batchEndpoints.readBatch, ({ params }) => ({ status: 200, body: manifests.show(params.batch_id) }))
  route(app, batchEndpoints.readBatchSongs, ({ params: { batch_id }, query, language }) => {
    const { format, status: state = null, after_line: after = 0, limit = PAGE_SIZE } = query
    if (format === 'csv') {
      const bytes = csvOf(manifests.table(batch_id, { state, after }, language))
      return { status: 200, bytes, headers: { 'content-type': 'text/csv; charset=utf-8' } }
    }
    // One more than requested shows whether there is another page.
    const songs = manifests.table(batch_id, { state, after, limit: limit + 1 }, language)
    const page = songs.slice(0, limit)
    const next = songs.length > limit ? page.at(-1)?.line : undefined
    return { status: 200, body: { songs: page, ...(next === undefined ? {} : { next_line: next }) } }
  })
  route(app, batchEndpoints.streamBatch, ({ params: { batch_id }, headers, caller, language, request }) => {
    manifests.show(batch_id)
    const stream = () =>
      new ResultStream({
        ...{ manifests, language, clock: deps.clock, batchId: batch_id, lastEventId: headers['last-event-id'] },
        isStillAllowed: () => deps.isStillAllowed(caller),
      })
    return {
      status: 200,
      headers: SSE_HEADERS,
      bytes: request.method === 'HEAD' ? Readable.from([]) : deps.streams.open(caller, stream),
    }
  })
  route(app, batchEndpoints.deleteBatch, ({ params: { batch_id } }) =>
    manifests.delete(batch_id)
      ? ({ status: 204 } as const)
      : ({ status: 200, body: manifests.show(batch_id) } as const),
  )
  const steps = { pauseBatch: 'pause', resumeBatch: 'resume', cancelBatch: 'cancel', retryBatch: 'retry' } as const
  for (const [name, step] of Object.entries(steps)) {
    route(app, batchEndpoints[name as keyof typeof steps], ({ params: { batch_id } }) => {
      manifests[step](batch_id)
      return { status: 200, body: manifests.show(batch_id) }
    })
  }
}

/** Runs `read` with the manifest of a request: its body, or the file of its form. */
async function received(
  { clock, random, tmpFolder, storage }: ManifestRoutesDeps,
  request: FastifyRequest,
  signal: AbortSignal,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<ReadManifest>,
): Promise<ReadManifest> {
  if (hasLines(request)) return read(bodyChunks(request.raw, { clock, signal }))
  const folder = path.join(tmpFolder, random.newUuid())
  const options = { folder, files: ['manifest'], maxFileBytes: MAX_MANIFEST_BYTES, clock, signal }
  const form = await receiveForm(request.raw, { ...options, requireDisk: storage.requireDisk })
  try {
    const file = form.files.get('manifest')
    if (!file) throw invalidRequest('manifest_empty', { param: 'manifest' })
    return await read(createReadStream(file.path))
  } finally {
    await form.discard()
  }
}

/** Columns of the CSV table before those of the masters. */
const COLUMNS = [
  ...(['line', 'status', 'path', 'source_id', 'source_job_id', 'job_id', 'title', 'folder'] as const),
  ...(['error_code', 'error_message'] as const),
]

/** Writes the table for spreadsheets in any language: UTF-8 with a byte order mark; no text can act as a formula. */
function csvOf(songs: readonly ManifestSong[]): string {
  const platforms = PLATFORMS.filter((platform) =>
    songs.some(({ masters }) => masters?.some((master) => master.platform === platform)),
  )
  const header = [...COLUMNS, ...platforms.flatMap((platform) => [`${platform}_lufs`, `${platform}_dbtp`])]
  const rows = songs.map((song) => [
    ...COLUMNS.map((name) => song[name] ?? ''),
    ...platforms.flatMap((platform) => {
      const master = song.masters?.find((one) => one.platform === platform)
      return [master?.integrated_lufs ?? '', master?.true_peak_dbtp ?? '']
    }),
  ])
  return stringify([header, ...rows], { bom: true, escape_formulas: true, record_delimiter: '\r\n' })
}
