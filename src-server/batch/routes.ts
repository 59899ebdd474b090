/** Endpoints for the application alone: songs, the batch, settings and the state of the machine. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { OWNER_SETTINGS, type Settings, type SystemState } from '../../src-contract/app.ts'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { MAX_SOURCE_BYTES, MAX_UPLOAD_BYTES } from '../../src-contract/limits.ts'
import { isOtherContainer } from '../../src-contract/song-files.ts'
import { whenReleased } from '../../src-system/disk.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { MEDIA_TYPES } from '../../src-worker/media/audio-facts.ts'
import { bytesAnswer, fileAnswer } from '../artifacts/send-file.ts'
import { retryWhileLocked } from '../db/retry-locked.ts'
import { AppError, unusable } from '../http/app-error.ts'
import { requireName } from '../http/display-name.ts'
import { type Caller, isOwner, requireOwner, route } from '../http/route.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { OpenAsWav } from '../sources/playable-song.ts'
import type { CoverOf } from '../sources/song-cover.ts'
import type { InspectCover } from '../uploads/cover.ts'
import { noFile, readAccept } from '../uploads/form.ts'
import type { Inspect } from '../uploads/inspect.ts'
import { type ReceivedForm, receiveForm } from '../uploads/receive.ts'
import type { Storage } from '../uploads/storage.ts'
import type { BatchService } from './batch-service.ts'

export interface AppRoutesDeps {
  readonly batchService: BatchService
  readonly settings: SettingsStore
  /** Called with what a request changed, after it is stored. */
  readonly onSettingsChanged: (patch: Partial<Settings>) => void
  readonly readSystemState: () => Promise<SystemState>
  /** Keeps the results due for removal for another period; returns their number. */
  readonly keepResults: () => number
  readonly clock: Clock
  readonly random: Random
  /** Folder for uploads in progress, on the disk of the stored songs. */
  readonly tmp: string
  readonly inspect: Inspect
  readonly storage: Storage
  readonly coverOf: CoverOf
  readonly openAsWav: OpenAsWav
  readonly inspectCover: InspectCover
}

/** Serves stored songs, the batch, settings and the state of the machine. */
export function appRoutes(app: FastifyInstance, deps: AppRoutesDeps): void {
  sourceRoutes(app, deps)
  batchRoutes(app, deps)
  coverRoutes(app, deps)
  const { settings, onSettingsChanged, readSystemState, keepResults } = deps
  route(app, ENDPOINTS.readSettings, () => ({ status: 200, body: settings.read() }))
  route(app, ENDPOINTS.changeSettings, async ({ body, caller }) => {
    const patch = permitted(body, caller, settings.read())
    const changed = await settings.change(patch)
    onSettingsChanged(patch)
    return { status: 200, body: changed }
  })
  route(app, ENDPOINTS.keepResults, () => ({ status: 200, body: { results: keepResults() } }))
  route(app, ENDPOINTS.readSystem, async () => ({ status: 200, body: await readSystemState() }))
}

/**
 * Returns the part of a change that its caller may make: the page may send an owner's setting back unchanged. Throws OWNER_REQUIRED for
 * any other value, before a change is made.
 */
function permitted(patch: Partial<Settings>, caller: Caller, current: Settings): Partial<Settings> {
  if (isOwner(caller)) return patch
  const [changed] = OWNER_SETTINGS.filter(
    (name) => patch[name] !== undefined && JSON.stringify(patch[name]) !== JSON.stringify(current[name]),
  )
  if (changed) requireOwner(caller, changed)
  const others = Object.entries(patch).filter(([name]) => !OWNER_SETTINGS.some((owned) => owned === name))
  return Object.fromEntries(others)
}

function sourceRoutes(app: FastifyInstance, { batchService, random, tmp, ...rest }: AppRoutesDeps): void {
  const { sources, batch } = batchService
  const found = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new AppError('NOT_FOUND')
    return value
  }

  async function keep(form: ReceivedForm, signal: AbortSignal): Promise<string> {
    const purpose = purposeOf(form)
    const file = form.files.get('file')
    if (!file) throw noFile(form.fields)
    const accept = readAccept(form.fields)
    const song = await rest.inspect(file, purpose === 'reference' ? 'reference_file' : 'file', signal, accept)
    const cover = await rest.coverOf(song, signal)
    const store = () => {
      // The song lies on the disk of the stored songs by now, and is only moved.
      rest.storage.require(file.sizeBytes, cover?.bytes.length ?? 0)
      return sources.add({ ...song, purpose, ...(cover ? { cover } : {}) })
    }
    const add = () => {
      sources.announce([song])
      return purpose === 'song' ? batch.add(store) : store()
    }
    return whenReleased(rest.clock, () => retryWhileLocked(rest.clock, add))
  }

  route(app, ENDPOINTS.createSource, async ({ request, signal }) => {
    const folder = path.join(tmp, random.newUuid())
    const form = await receiveForm(request.raw, {
      folder,
      files: ['file'],
      maxFileBytes: MAX_SOURCE_BYTES,
      requireDisk: rest.storage.requireDisk,
      clock: rest.clock,
      signal,
    })
    try {
      return { status: 201, body: found(sources.show(await keep(form, signal))) }
    } finally {
      await form.discard()
    }
  })
  route(app, ENDPOINTS.readSource, ({ params }) => ({ status: 200, body: found(sources.show(params.source_id)) }))
  route(app, ENDPOINTS.readSourceFile, async ({ params, request, signal }) => {
    const { facts, ...song } = found(sources.find(params.source_id))
    if (isOtherContainer(facts.format)) {
      const wav = await rest.openAsWav({ path: song.path, facts }, signal)
      const about = { filename: song.filename, sha256: song.sha256, mediaType: MEDIA_TYPES.wav }
      // Whole: a range of its own would decode the song each time.
      return bytesAnswer(wav, about, { method: request.method, headers: {} }, new AppError('NOT_FOUND'))
    }
    const file = { path: song.path, filename: song.filename, sha256: song.sha256, mediaType: MEDIA_TYPES[facts.format] }
    return fileAnswer(file, request, new AppError('NOT_FOUND'))
  })
  route(app, ENDPOINTS.readSourceCover, async ({ params }) => {
    const cover = found(sources.cover(params.source_id))
    const bytes = await readFile(cover.path).catch((cause: unknown) => {
      throw (cause as NodeJS.ErrnoException).code === 'ENOENT' ? new AppError('NOT_FOUND') : cause
    })
    return { status: 200, bytes, headers: { 'content-type': cover.mediaType } }
  })
}

function purposeOf({ fields }: ReceivedForm): 'song' | 'reference' {
  const values = fields.get('purpose') ?? []
  const [purpose = 'song'] = values.filter((value) => value !== '')
  if (values.length <= 1 && (purpose === 'song' || purpose === 'reference')) return purpose
  throw unusable('purpose', values.length > 1 ? { rule: 'once' } : { rule: 'one_of', words: ['song', 'reference'] })
}

function batchRoutes(app: FastifyInstance, { batchService: { batch } }: AppRoutesDeps): void {
  route(app, ENDPOINTS.readDesk, ({ language }) => ({ status: 200, ...asJson(batch.json(language)) }))
  route(app, ENDPOINTS.changeDesk, ({ body, language }) => {
    const presets = body.presets?.map((preset) => ({ ...preset, name: requireName(preset.name, 'presets') }))
    const order = body.order?.map((sourceId) => sourceId.toLowerCase())
    const metadata = body.metadata?.map((one) => ({ ...one, source_id: one.source_id.toLowerCase() }))
    batch.change({
      ...body,
      ...(presets ? { presets } : {}),
      ...(order ? { order } : {}),
      ...(metadata ? { metadata } : {}),
    })
    return { status: 200, ...asJson(batch.json(language)) }
  })
  route(app, ENDPOINTS.changeDeskSong, ({ params: { source_id }, body, language }) => {
    batch.changeSong(source_id, body.settings)
    return { status: 200, ...asJson(batch.songJson(source_id, language)) }
  })
  route(app, ENDPOINTS.startSongs, ({ body, language }) => {
    batch.start(body.source_ids)
    return { status: 200, ...asJson(batch.json(language)) }
  })
  route(app, ENDPOINTS.stopSongs, ({ body, language }) => {
    batch.stop(body.source_ids)
    return { status: 200, ...asJson(batch.json(language)) }
  })
  route(app, ENDPOINTS.removeSongs, ({ body, language }) => {
    batch.remove(body.source_ids)
    return { status: 200, ...asJson(batch.json(language)) }
  })
  route(app, ENDPOINTS.restoreSongs, ({ body, language }) => {
    batch.restore(body.source_ids)
    return { status: 200, ...asJson(batch.json(language)) }
  })
}

function coverRoutes(app: FastifyInstance, deps: AppRoutesDeps): void {
  const { batch } = deps.batchService
  route(app, ENDPOINTS.putDeskCover, async ({ params: { source_id }, request, signal, language }) => {
    batch.songJson(source_id, language)
    const { tmp, random, storage, clock, inspectCover } = deps
    const form = await receiveForm(request.raw, {
      folder: path.join(tmp, random.newUuid()),
      files: ['cover_file'],
      maxFileBytes: MAX_UPLOAD_BYTES,
      requireDisk: storage.requireDisk,
      clock,
      signal,
    })
    try {
      const file = form.files.get('cover_file')
      if (!file) throw noCover()
      const cover = await inspectCover(file, signal)
      const bytes = await readFile(cover.path)
      const { sha256, mimeType: media_type, widthPx: width_px, heightPx: height_px, colorModel = null } = cover
      const told = { color_model: colorModel, changes: cover.changes?.join(' ') ?? null }
      const set = () => batch.setCover(source_id, { bytes, sha256, media_type, width_px, height_px, ...told })
      await retryWhileLocked(clock, set)
      return { status: 200, ...asJson(batch.songJson(source_id, language)) }
    } finally {
      await form.discard()
    }
  })
  route(app, ENDPOINTS.readDeskCover, ({ params }) => {
    const { bytes, media_type } = batch.cover(params.source_id)
    return { status: 200, bytes, headers: { 'content-type': media_type } }
  })
  route(app, ENDPOINTS.removeDeskCover, ({ params: { source_id }, language }) => {
    batch.setCover(source_id, undefined)
    return { status: 200, ...asJson(batch.songJson(source_id, language)) }
  })
}

const noCover = () => unusable('cover_file', { rule: 'file_part', names: ['cover_file'] })

const asJson = (bytes: string) => ({ bytes, headers: { 'content-type': 'application/json; charset=utf-8' } })
