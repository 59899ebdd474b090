import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cleanName } from '../../src-contract/clean-name.ts'
import { MAX_COVER_BYTES, MAX_TITLE_LENGTH } from '../../src-contract/limits.ts'
import { type ExportRequest, releaseExportEndpoints } from '../../src-contract/release-exports.ts'
import { type Release, releaseEndpoints } from '../../src-contract/releases.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { safeTitle } from '../../src-worker/result/names.ts'
import { disposition } from '../artifacts/send-file.ts'
import { retryWhileLocked } from '../db/retry-locked.ts'
import { unusable } from '../http/app-error.ts'
import { type Call, route } from '../http/route.ts'
import { fingerprintOf, type Idempotency } from '../jobs/idempotency.ts'
import type { ReadyCover } from '../uploads/cover.ts'
import { type ReceivedForm, receiveForm } from '../uploads/receive.ts'
import type { Storage } from '../uploads/storage.ts'
import { readRows, releaseCsv } from './csv-columns.ts'
import { MAX_CSV_BYTES, readTable } from './csv-table.ts'
import type { ReleaseExports } from './export.ts'
import type { ReleaseMastering } from './mastering.ts'
import type { Releases } from './releases.ts'

export interface ReleaseRoutesDeps {
  readonly releases: Releases
  readonly mastering: ReleaseMastering
  readonly idempotency: Pick<Idempotency, 'once'>
  readonly baseUrl: string
  readonly clock: Clock
  readonly random: Random
  /** Folder for uploads in progress. */
  readonly tmp: string
  readonly storage: Pick<Storage, 'requireDisk'>
  /** Returns a picture as a cover. Throws INVALID_REQUEST for anything but a whole JPEG or PNG, UNAVAILABLE without ffmpeg. */
  readonly readyCover: ReadyCover
}

/** Serves `/api/v1/releases`. */
export function releaseRoutes(app: FastifyInstance, deps: ReleaseRoutesDeps): void {
  const { releases } = deps
  route(app, releaseEndpoints.listReleases, ({ query }) => ({ status: 200, body: releases.list(query) }))
  route(app, releaseEndpoints.createRelease, (call) =>
    created(deps, call, [call.body], () => releases.create(call.body, call.caller)),
  )
  route(app, releaseEndpoints.readRelease, async ({ params, language }) => {
    await releases.look(params.release_id)
    return { status: 200, body: releases.show(params.release_id, language) }
  })
  route(app, releaseEndpoints.changeRelease, ({ params, body }) => ({
    status: 200,
    body: releases.change(params.release_id, body),
  }))
  route(app, releaseEndpoints.deleteRelease, ({ params }) => {
    releases.remove(params.release_id)
    return { status: 204 }
  })
  route(app, releaseEndpoints.duplicateRelease, (call) => {
    const { params, body, caller } = call
    return created(deps, call, [params, body], () => releases.duplicate(params.release_id, body, caller))
  })
  trackRoutes(app, deps)
  masteringRoutes(app, deps)
  csvRoutes(app, deps)
  coverRoutes(app, deps)
}

function trackRoutes(app: FastifyInstance, deps: ReleaseRoutesDeps): void {
  const { releases } = deps
  route(app, releaseEndpoints.addTracks, (call) => {
    const { params, body, caller } = call
    const add = () => releases.addTracks(params.release_id, body.tracks, body.position, caller)
    return created(deps, call, [params, body], add)
  })
  route(app, releaseEndpoints.orderTracks, ({ params, body }) => ({
    status: 200,
    body: releases.orderTracks(params.release_id, body.track_ids),
  }))
  route(app, releaseEndpoints.changeTrack, ({ params, body, caller }) => ({
    status: 200,
    body: releases.changeTrack(params.release_id, params.track_id, body, caller),
  }))
  route(app, releaseEndpoints.removeTrack, ({ params }) => ({
    status: 200,
    body: releases.removeTrack(params.release_id, params.track_id),
  }))
}

function masteringRoutes(app: FastifyInstance, deps: ReleaseRoutesDeps): void {
  const { releases, mastering } = deps
  route(app, releaseEndpoints.planRelease, async ({ params, signal }) => ({
    status: 200,
    body: await mastering.plan(params.release_id, signal),
  }))
  route(app, releaseEndpoints.masterRelease, async (call) => {
    const { params, caller, language } = call
    const gone = await mastering.bringBackSongs(params.release_id)
    const { answer, isReplay } = once(deps, call, [params], () => {
      if (gone) throw gone
      mastering.master(params.release_id, caller)
      return releases.show(params.release_id, language)
    })
    mastering.feed()
    return { status: 202, body: answer, headers: replayHeaders(isReplay) } as const
  })
  route(app, releaseEndpoints.cancelRelease, ({ params, language }) => {
    mastering.cancel(params.release_id)
    return { status: 200, body: releases.show(params.release_id, language) }
  })
}

function csvRoutes(app: FastifyInstance, deps: ReleaseRoutesDeps): void {
  const { releases, clock } = deps
  route(app, releaseEndpoints.importReleases, async (call) => {
    const { table, contentSha256, names } = await receiveTable(deps, call)
    const make = () => ({ releases: releases.importTable(table, names, call.caller), ignored_columns: table.ignored })
    const { answer, isReplay } = await retryWhileLocked(clock, () => once(deps, call, [contentSha256, names], make))
    return { status: 201, body: answer, headers: replayHeaders(isReplay) } as const
  })
  route(app, releaseEndpoints.readReleaseCsv, ({ params }) => {
    const release = releases.require(params.release_id)
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': disposition(`${safeTitle(release.facts.title)}.csv`, true),
    }
    return { status: 200, bytes: releaseCsv(release), headers }
  })
  route(app, releaseEndpoints.changeReleaseByCsv, async (call) => {
    const { release_id } = call.params
    releases.require(release_id)
    const { table } = await receiveTable(deps, call)
    const release = await retryWhileLocked(clock, () => releases.changeByTable(release_id, table, call.caller))
    return { status: 200, body: { releases: [release], ignored_columns: table.ignored } }
  })
}

async function receiveTable(deps: ReleaseRoutesDeps, upload: Upload) {
  const { bytes, fields } = await receiveFile(deps, upload, MAX_CSV_BYTES)
  const contentSha256 = createHash('sha256').update(bytes).digest('hex')
  const [title, artist] = (['release_title', 'release_artist'] as const).map((name) => nameIn(fields, name))
  const names = { ...(title === undefined ? {} : { title }), ...(artist === undefined ? {} : { artist }) }
  return { table: readRows(readTable(bytes)), contentSha256, names }
}

/** Returns a name sent with a table; undefined without one. Throws INVALID_REQUEST if it is too long. */
function nameIn(fields: ReceivedForm['fields'], param: string): string | undefined {
  const name = cleanName(fields.get(param)?.at(-1) ?? '')
  if (name.length > MAX_TITLE_LENGTH) throw unusable(param, { rule: 'characters_at_most', limit: MAX_TITLE_LENGTH })
  return name || undefined
}

function coverRoutes(app: FastifyInstance, deps: ReleaseRoutesDeps): void {
  const { releases, clock, readyCover } = deps
  route(app, releaseEndpoints.putReleaseCover, async ({ params, request, signal }) => {
    releases.require(params.release_id)
    const { bytes } = await receiveFile(deps, { request, signal }, MAX_COVER_BYTES)
    const cover = await readyCover(bytes, signal)
    return { status: 200, body: await retryWhileLocked(clock, () => releases.setCover(params.release_id, cover)) }
  })
  route(app, releaseEndpoints.readReleaseCover, ({ params }) => {
    const { bytes, media_type } = releases.cover(params.release_id)
    return { status: 200, bytes, headers: { 'content-type': media_type } }
  })
  route(app, releaseEndpoints.removeReleaseCover, ({ params }) => ({
    status: 200,
    body: releases.setCover(params.release_id, undefined),
  }))
}

interface Upload {
  readonly request: FastifyRequest
  readonly signal: AbortSignal
}

/** Receives the one file of a form and returns its bytes and the text fields. Throws as `receiveForm` does, and INVALID_REQUEST without a file. */
async function receiveFile(
  { random, tmp, storage, clock }: ReleaseRoutesDeps,
  { request, signal }: Upload,
  maxFileBytes: number,
): Promise<Pick<ReceivedForm, 'fields'> & { readonly bytes: Buffer }> {
  const folder = path.join(tmp, random.newUuid())
  const { requireDisk } = storage
  const form = await receiveForm(request.raw, { folder, files: ['file'], maxFileBytes, requireDisk, clock, signal })
  try {
    const file = form.files.get('file')
    if (file) return { bytes: await readFile(file.path), fields: form.fields }
    throw unusable('file', { rule: 'file_part', names: ['file'] })
  } finally {
    await form.discard()
  }
}

export interface ReleaseExportRoutesDeps {
  readonly releaseExports: ReleaseExports
  /** Resolves with the real path of a folder in the owner's list, behind links; rejects with PATH_NOT_ALLOWED. */
  readonly allowedFolder: (folder: string) => Promise<string>
  /** Rejects with PATH_NOT_ALLOWED for a real path outside of the list. */
  readonly requireAllowed: (realPath: string) => Promise<void>
}

/** Serves the export of releases and the check of exported folders: for programs, only inside the owner's allowed folders. */
export function releaseExportRoutes(app: FastifyInstance, deps: ReleaseExportRoutesDeps): void {
  const { releaseExports, allowedFolder, requireAllowed } = deps
  route(app, releaseExportEndpoints.exportRelease, async ({ params, body, caller, language, signal }) => {
    const isKey = caller.via === 'key'
    const request = isKey ? await allowedExport(deps, params.release_id, body) : body
    const options = { signal, ...(isKey ? { requireAllowed } : {}) }
    return { status: 200, body: await releaseExports.export(params.release_id, request, language, options) }
  })
  route(app, releaseExportEndpoints.readReadiness, ({ params, language }) => ({
    status: 200,
    body: releaseExports.readiness(params.release_id, language),
  }))
  route(app, releaseExportEndpoints.nameExport, async ({ params, body, caller }) => {
    // A forbidden folder is refused early.
    if (caller.via === 'key' && body?.folder !== undefined) await allowedExport(deps, params.release_id, body)
    return { status: 200, body: releaseExports.names(params.release_id, body) }
  })
  route(app, releaseExportEndpoints.readDisclosure, async ({ params }) => ({
    status: 200,
    body: await releaseExports.disclosure(params.release_id),
  }))
  route(app, releaseExportEndpoints.verifyFolder, async ({ body: { folder }, caller, signal }) => ({
    status: 200,
    body: await (caller.via === 'key'
      ? releaseExports.verify(await allowedFolder(folder), { signal, requireAllowed })
      : releaseExports.verify(folder, { signal })),
  }))
}

/** Returns the export that a program asks for with the real path of its folder. Throws PATH_NOT_ALLOWED for one outside of the list. */
async function allowedExport(
  { releaseExports, allowedFolder }: ReleaseExportRoutesDeps,
  releaseId: string,
  request: ExportRequest,
): Promise<ExportRequest> {
  if (request.folder === undefined) throw unusable('folder', { rule: 'members', names: ['folder'] })
  const parent = await allowedFolder(request.folder)
  // The folder of the release may already exist and be a link.
  await allowedFolder(path.join(parent, releaseExports.names(releaseId, request).folder))
  return { ...request, folder: parent }
}

type KeyedCall = Pick<Call<typeof releaseEndpoints.createRelease>, 'headers' | 'caller'> & {
  readonly request: { readonly url: string }
}

/** Makes something once for the Idempotency-Key of a request; `parts` distinguish different requests. */
function once<Answer extends object>(
  { idempotency }: ReleaseRoutesDeps,
  { headers, caller, request }: KeyedCall,
  parts: readonly unknown[],
  make: () => Answer,
): { readonly answer: Answer; readonly isReplay: boolean } {
  const key = headers['idempotency-key']
  if (key === undefined) return { answer: make(), isReplay: false }
  const name = caller.via === 'key' ? caller.keyId : 'session'
  return idempotency.once({ caller: name, key, fingerprint: fingerprintOf([request.url, ...parts]) }, make)
}

const replayHeaders = (isReplay: boolean) => (isReplay ? { 'idempotent-replayed': 'true' } : {})

/** Makes a release once for the Idempotency-Key of a request, and answers with it. */
function created(deps: ReleaseRoutesDeps, call: KeyedCall, parts: readonly unknown[], make: () => Release) {
  const { answer, isReplay } = once(deps, call, parts, make)
  const location = `${deps.baseUrl}/api/v1/releases/${answer.release_id}`
  return { status: 201, body: answer, headers: { location, ...replayHeaders(isReplay) } } as const
}
