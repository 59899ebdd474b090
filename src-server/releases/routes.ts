import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { MAX_COVER_BYTES } from '../../src-contract/limits.ts'
import { type Release, releaseEndpoints } from '../../src-contract/releases.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { retryWhileLocked } from '../db/retry-locked.ts'
import { type Call, type Caller, route } from '../http/route.ts'
import { fingerprintOf, type Idempotency } from '../jobs/idempotency.ts'
import { noFile } from '../uploads/form.ts'
import { receiveForm } from '../uploads/receive.ts'
import type { Storage } from '../uploads/storage.ts'
import type { Releases } from './releases.ts'

export interface ReleaseRoutesDeps {
  readonly releases: Releases
  readonly idempotency: Pick<Idempotency, 'once'>
  readonly baseUrl: string
  readonly clock: Clock
  readonly random: Random
  /** Folder of uploads on their way. */
  readonly tmp: string
  readonly storage: Pick<Storage, 'requireDisk'>
}

/** Serves `/api/v1/releases`. */
export function releaseRoutes(app: FastifyInstance, deps: ReleaseRoutesDeps): void {
  const { releases } = deps
  route(app, releaseEndpoints.listReleases, ({ query }) => ({ status: 200, body: releases.list(query) }))
  route(app, releaseEndpoints.createRelease, (call) =>
    created(deps, call, [call.body], () => releases.create(call.body, call.caller)),
  )
  route(app, releaseEndpoints.readRelease, ({ params }) => ({ status: 200, body: releases.show(params.release_id) }))
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

function coverRoutes(app: FastifyInstance, deps: ReleaseRoutesDeps): void {
  const { releases, random, tmp, storage, clock } = deps
  route(app, releaseEndpoints.putReleaseCover, async ({ params, request, signal }) => {
    releases.require(params.release_id)
    const form = await receiveForm(request.raw, {
      folder: path.join(tmp, random.newUuid()),
      files: ['file'],
      maxFileBytes: MAX_COVER_BYTES,
      requireDisk: storage.requireDisk,
      clock,
      signal,
    })
    try {
      const file = form.files.get('file')
      if (!file) throw noFile(form.fields)
      const bytes = await readFile(file.path)
      return { status: 200, body: await retryWhileLocked(clock, () => releases.setCover(params.release_id, bytes)) }
    } finally {
      await form.discard()
    }
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

type KeyedCall = Pick<Call<typeof releaseEndpoints.createRelease>, 'headers' | 'caller'> & {
  readonly request: { readonly url: string }
}

/** Makes something once for the Idempotency-Key of a request, and answers with it. */
function created(
  { idempotency, baseUrl }: ReleaseRoutesDeps,
  { headers, caller, request }: KeyedCall,
  parts: readonly unknown[],
  make: () => Release,
) {
  const key = headers['idempotency-key']
  const use = { caller: nameOf(caller), key: key ?? '', fingerprint: fingerprintOf([request.url, ...parts]) }
  const { answer, isReplay } = key === undefined ? { answer: make(), isReplay: false } : idempotency.once(use, make)
  return {
    status: 201,
    body: answer,
    headers: {
      location: `${baseUrl}/api/v1/releases/${answer.release_id}`,
      ...(isReplay ? { 'idempotent-replayed': 'true' } : {}),
    },
  } as const
}

function nameOf(caller: Caller): string {
  return caller.via === 'key' ? caller.keyId : 'session'
}
