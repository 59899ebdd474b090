/** Auditions of the app: songs heard with settings before any job. All of them end with the service. */
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import type { Audition, TargetPrice } from '../../src-contract/auditions.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import { type JobSettings, jobSettings, type MasterSettings, PLAIN_DELIVERY } from '../../src-contract/settings.ts'
import { chosenMix, skippedWith } from '../../src-contract/stem-mix.ts'
import type { StemMix } from '../../src-contract/stem-mix-schemas.ts'
import type { Log } from '../../src-system/log.ts'
import type {
  AuditionEstimate,
  AuditionOrder,
  RenderedAlone,
  RenderOrder,
  StoredSong,
} from '../../src-worker/mastering/work-order.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import type { SendableFile } from '../artifacts/send-file.ts'
import { AppError, checkedAt, unusable } from '../http/app-error.ts'
import { toAppError } from '../http/envelope.ts'
import { requireEdges } from '../jobs/edges.ts'
import type { AuditionProcess } from './audition-process.ts'
import type { MasterFiles } from './master-files.ts'
import { chosen, emptyQueue, ended, lookedAt, type RenderQueue, taken, withdrawn } from './render-queue.ts'
import type { StemMixes } from './stem-mixes.ts'
import type { VirtualWav } from './virtual-wav.ts'

export interface AuditionsDeps {
  readonly process: AuditionProcess
  readonly files: MasterFiles
  readonly mixes: StemMixes
  /** Returns a stored song, undefined for an unknown one; throws INVALID_REQUEST, naming the field, if its file is gone. */
  readonly takeSource: (sourceId: string, param: 'source_id' | 'reference_source_id') => StoredSong | undefined
  /** Returns the place of the file that may keep the analysis of a song. */
  readonly analysisPath: (sha256: string) => string
  readonly ffmpeg: () => Promise<Ffmpeg>
  /** Renders one master as a job does, in a separate process. */
  readonly renderAlone: (order: Omit<RenderOrder, 'threads'>, signal: AbortSignal) => Promise<RenderedAlone>
  /** Throws INSUFFICIENT_STORAGE unless that many bytes more can be written on the disk. */
  readonly requireDisk: (bytes: number) => void
  /** Called when there is news of an audition. */
  readonly onChanged: (auditionId: string) => void
  readonly log: Log
}

/** Subject of an audition: a song with its settings. */
export interface AuditionRequest {
  readonly sourceId: string
  readonly platform: Platform
  readonly settings: MasterSettings
}

/** An audition and its current state. */
export interface KnownAudition {
  readonly id: string
  readonly request: AuditionRequest
  readonly estimate: AuditionEstimate
  exact?: RenderedAlone
  price?: readonly TargetPrice[]
  error?: AppError
  proof: Audition['proof']
}

/** Reason of a render that makes room for a newer one. */
const SUPERSEDED = new AppError('AUDITION_NOT_READY')
/** Auditions that are remembered; an older one is unknown. */
const MOST_KNOWN = 200
/** Length of an identifier, hexadecimal digits of its hash. */
const ID_DIGITS = 32

export class Auditions {
  readonly #deps: AuditionsDeps
  readonly #known = new Map<string, KnownAudition>()
  readonly #stopping = new AbortController()
  #queue: RenderQueue = emptyQueue
  #rendering = { stop: new AbortController(), end: Promise.resolve() }
  /** End of the proof that was begun last: one runs at a time. */
  #proving: Promise<void> = Promise.resolve()

  constructor(deps: AuditionsDeps) {
    this.#deps = deps
  }

  /**
   * Returns the audition of a song with at least an estimate; its whole master is rendered next. Throws INVALID_REQUEST for unknown songs,
   * TRIMMED_AWAY, FADES_OVERLAP, the client's error for an engine failure, or the reason of an aborted `signal`.
   */
  async create(request: AuditionRequest, signal: AbortSignal): Promise<KnownAudition> {
    const stored = this.#songsOf(request)
    checkedAt('settings', () => requireEdges(request.settings, stored.source.facts))
    const id = idOf(request, stored, this.#mixOf(request))
    // The current sound takes precedence over the previous one's master; and two songs at once would take twice the memory.
    if (this.#queue.running !== id) this.#rendering.stop.abort(SUPERSEDED)
    const known = this.#known.get(id) ?? (await this.#begin(id, request, signal))
    delete known.error
    this.#remember(known)
    if (!isKnownWhole(known)) this.#choose(id)
    return known
  }

  /**
   * Returns an audition; an interrupted one is rendered when the queue is empty. Throws NOT_FOUND, or INVALID_REQUEST if its song is gone.
   */
  read(id: string): KnownAudition {
    const known = this.#find(id)
    if (!known.exact && !known.error) {
      this.#queue = lookedAt(this.#queue, id)
      this.#renderNext()
    }
    return known
  }

  /** Returns the estimate as a WAV. Throws as {@link read} does. */
  estimate(id: string): VirtualWav {
    const { request, estimate } = this.#find(id)
    const { frames, sampleRateHz, bitDepth } = estimate
    const read = async (firstFrame: number, passageFrames: number) =>
      this.#deps.process.ask(
        'passage',
        {
          ...(await this.#estimateOrderOf(request, this.#stopping.signal)),
          ...{ firstFrame, passageFrames, finalise: estimate.finalise },
        },
        this.#stopping.signal,
      )
    // Another process starts its passages at different positions, so its rendering is a different file.
    return {
      frames,
      sampleRateHz,
      bitDepth,
      tag: `${id}-${this.#deps.process.generation}`,
      filename: 'estimate.wav',
      read,
    }
  }

  /** Returns the file of the exact master. Throws AUDITION_NOT_READY, the error of its rendering, or as {@link read} does. */
  exact(id: string): SendableFile {
    const { exact, error } = this.read(id)
    if (error && !exact) throw error
    if (!exact) throw new AppError('AUDITION_NOT_READY')
    this.#deps.files.touch(id)
    return { path: exact.path, sha256: exact.sha256, mediaType: 'audio/wav', filename: 'master.wav' }
  }

  /** Starts the codec proof of a premium audition and returns the audition. Throws as {@link read} does. */
  prove(id: string): KnownAudition {
    const known = this.read(id)
    if (known.proof !== 'open') return known
    known.proof = 'running'
    this.#proving = this.#proving.then(() => this.#proveNow(known))
    return known
  }

  /** Ends the process to free its memory; it starts again with the next call. */
  release(): void {
    this.#deps.process.end()
  }

  /** Ends everything and removes all masters. */
  async close(): Promise<void> {
    this.#stopping.abort(new AppError('UNAVAILABLE'))
    this.#rendering.stop.abort(this.#stopping.signal.reason)
    this.#deps.process.end()
    await Promise.all([this.#rendering.end, this.#proving])
    await Promise.all([this.#deps.files.clear(), this.#deps.mixes.clear()])
  }

  async #begin(id: string, request: AuditionRequest, signal: AbortSignal): Promise<KnownAudition> {
    const until = AbortSignal.any([signal, this.#stopping.signal])
    const estimate = await this.#deps.process.ask('estimate', await this.#estimateOrderOf(request, until), until)
    const proof = request.settings.tier === 'premium' ? 'open' : 'none'
    // The same audition may have been requested twice concurrently.
    return this.#known.get(id) ?? { id, request, estimate, proof }
  }

  #find(id: string): KnownAudition {
    const known = this.#known.get(id)
    if (!known) throw new AppError('NOT_FOUND')
    try {
      this.#songsOf(known.request)
    } catch (error) {
      this.#forget(id)
      // The missing song is no longer held either.
      this.#deps.process.end()
      throw error
    }
    return known
  }

  #remember(known: KnownAudition): void {
    this.#known.delete(known.id)
    this.#known.set(known.id, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#forget(oldest)
  }

  /** An audition without its song, or too old, ends. */
  #forget(id: string): void {
    this.#known.delete(id)
    this.#deps.files.remove(id)
    this.#queue = withdrawn(this.#queue, id)
    if (this.#queue.running === id) this.#rendering.stop.abort(SUPERSEDED)
  }

  #songsOf({ sourceId, settings }: AuditionRequest): Pick<AuditionOrder, 'source' | 'reference'> {
    const take = (id: string, param: 'source_id' | 'reference_source_id') => {
      const song = this.#deps.takeSource(id, param)
      if (!song) throw unusable(param, { rule: 'unknown_song' })
      return plainSong(song)
    }
    const referenceId = settings.reference_source_id
    return {
      source: take(sourceId, 'source_id'),
      ...(referenceId === null
        ? {}
        : { reference: checkedAt('settings', () => take(referenceId, 'reference_source_id')) }),
    }
  }

  /** Returns the order of a song as a job masters it: the mix of its stems is made if it is not kept. */
  async #orderOf(request: AuditionRequest, folder = this.#deps.files.folder): Promise<AuditionOrder> {
    const { source: sum, ...others } = this.#songsOf(request)
    const mix = this.#mixOf(request)
    const made = mix && (await this.#deps.mixes.make(sum, request.sourceId, mix, this.#stopping.signal))
    const source = made ? { source: made, sumSha256: sum.sha256 } : { source: sum }
    return { ...others, ...source, ...(await this.#termsOf(request, source.source, folder)) }
  }

  /** Returns the order of the sound that is heard at once: of decoded stems, before their mix is made, where they are kept. */
  async #estimateOrderOf(request: AuditionRequest, signal: AbortSignal): Promise<AuditionOrder> {
    const { source, ...others } = this.#songsOf(request)
    const mix = this.#mixOf(request)
    const until = AbortSignal.any([signal, this.#stopping.signal])
    const lanes = mix && (await this.#deps.mixes.lanes(source, request.sourceId, mix, until))
    if (mix && !lanes) return this.#orderOf(request)
    const terms = await this.#termsOf(request, source, this.#deps.files.folder)
    return { ...others, source, ...(lanes ? { lanes } : {}), ...terms }
  }

  async #termsOf(request: AuditionRequest, source: StoredSong, folder: string) {
    const ffmpeg = await this.#deps.ffmpeg()
    const analysisPath = this.#deps.analysisPath(source.sha256)
    // The seed of jobs: the same input and settings give the same bytes.
    return { analysisPath, ffmpeg, settings: settingsOf(request), seed: 0, platform: request.platform, folder }
  }

  /** Returns the mix of the stems of a song; undefined for their sum, and for a song without stems. */
  #mixOf({ sourceId, settings }: AuditionRequest): StemMix | undefined {
    const mix = chosenMix(settings.stem_mix ?? {})
    return mix && this.#deps.mixes.has(sourceId) ? mix : undefined
  }

  /** Renders an audition before all others. */
  #choose(id: string): void {
    this.#queue = chosen(this.#queue, id)
    if (this.#queue.running !== id) this.#rendering.stop.abort(SUPERSEDED)
    this.#renderNext()
  }

  #renderNext(): void {
    if (this.#queue.running !== null || this.#stopping.signal.aborted) return
    this.#queue = taken(this.#queue)
    const known = this.#queue.running === null ? undefined : this.#known.get(this.#queue.running)
    if (!known) return
    const stop = new AbortController()
    this.#rendering = {
      stop,
      end: this.#work(known, stop.signal).finally(() => {
        this.#queue = ended(this.#queue)
        this.#deps.onChanged(known.id)
        this.#renderNext()
      }),
    }
  }

  /** Renders the master of an audition, then measures the costs of its loudness. Never rejects. */
  async #work(known: KnownAudition, signal: AbortSignal): Promise<void> {
    try {
      // Prices of loudness are found on the song that was rendered last.
      if (!isKnownWhole(known)) await this.#render(known, signal)
      this.#deps.onChanged(known.id)
      known.price ??= await this.#deps.process.ask('price', await this.#orderOf(known.request), signal)
    } catch (cause) {
      if (signal.aborted) return
      this.#deps.log.warn('an audition could not be rendered', { auditionId: known.id, cause })
      if (!known.exact) known.error = toAppError(cause)
    }
  }

  async #render(known: KnownAudition, signal: AbortSignal): Promise<void> {
    const order = await this.#orderOf(known.request, this.#deps.files.newFolder())
    await this.#intoFolder(known, order.folder, () => this.#deps.process.ask('render', order, signal))
  }

  async #proveNow(known: KnownAudition): Promise<void> {
    const { signal } = this.#stopping
    try {
      const { folder, ...order } = await this.#orderOf(known.request, this.#deps.files.newFolder())
      await this.#intoFolder(known, folder, () => this.#deps.renderAlone({ ...order, attemptFolder: folder }, signal))
      known.proof = 'done'
    } catch (cause) {
      known.proof = 'open'
      if (signal.aborted) return
      this.#deps.log.warn('an audition could not be proofed', { auditionId: known.id, cause })
      known.error = toAppError(cause)
    } finally {
      this.#deps.onChanged(known.id)
    }
  }

  /** Renders a master into a new folder and keeps it; a failed one leaves nothing behind. */
  async #intoFolder(known: KnownAudition, folder: string, render: () => Promise<RenderedAlone>): Promise<void> {
    const { frames, bitDepth } = known.estimate
    this.#deps.requireDisk(2 * frames * (bitDepth / 8))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    try {
      const exact = await render()
      for (const id of this.#deps.files.keep(known.id, { folder, sizeBytes: exact.sizeBytes })) {
        this.#loseMaster(id)
      }
      known.exact = exact
      delete known.error
    } catch (error) {
      await this.#deps.files.discard(folder)
      throw error
    }
  }

  /** A master that is rendered again is before candidates and codec proof. */
  #loseMaster(id: string): void {
    const known = this.#known.get(id)
    if (!known) return
    delete known.exact
    if (known.proof === 'done') known.proof = 'open'
    this.#deps.onChanged(id)
  }
}

/** Returns whether all results are known; a proofed master is not rendered again for its loudness costs. */
function isKnownWhole({ exact, price, proof }: KnownAudition): boolean {
  return exact !== undefined && (price !== undefined || proof === 'done')
}

/** Returns the job settings of an audition; settings of the job's files do not affect the sound. */
function settingsOf({ settings, platform }: AuditionRequest): JobSettings {
  const { platforms } = settings
  return jobSettings({
    ...settings,
    skip_repairs: skippedWith(settings.skip_repairs, settings.stem_mix),
    ...PLAIN_DELIVERY,
    platforms: platforms.includes(platform) ? platforms : [...platforms, platform],
  })
}

/** Returns the part of a song that an engine process needs. */
function plainSong({ path, filename, sha256, facts }: StoredSong): StoredSong {
  return { path, filename, sha256, facts }
}

function idOf(
  request: AuditionRequest,
  { source, reference }: Pick<AuditionOrder, 'source' | 'reference'>,
  mix: StemMix | undefined,
): string {
  const songs = [source.sha256, reference?.sha256 ?? null, request.sourceId, request.settings.reference_source_id]
  const parts = [...songs, settingsOf(request), request.platform, ...(mix ? [mix] : [])]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, ID_DIGITS)
}
