/** Export of releases into folders, and the later check of such folders. */
import path from 'node:path'
import { RELEASE } from '../../src-contract/delivery-target.ts'
import type { DisclosureSheet, SourceTrace } from '../../src-contract/disclosure.ts'
import { DISTRIBUTORS, type Distributor } from '../../src-contract/distributors/index.ts'
import type { DeliveredRelease } from '../../src-contract/distributors/rules.ts'
import { formatFacts } from '../../src-contract/formats.ts'
import type {
  Certificate,
  ExportedFile,
  ExportedRelease,
  ExportNames,
  ExportRequest,
  FileSet,
  ReceiverCheck,
  ReleaseReadiness,
  VerifiedFolder,
} from '../../src-contract/release-exports.ts'
import { remarksOn } from '../../src-contract/release-remarks.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { inHome, realPath } from '../../src-system/disk.ts'
import { type Clock, isoTime } from '../../src-system/system.ts'
import { MEDIA_TYPES } from '../../src-worker/media/audio-facts.ts'
import { pictureFacts } from '../../src-worker/media/picture.ts'
import { generatorIn, ofManifest, readClaimGenerator } from '../../src-worker/media/provenance.ts'
import { AppError, unusable } from '../http/app-error.ts'
import type { ReadyCover } from '../uploads/cover.ts'
import { type CoverRow, coverFacts, coverRow } from '../uploads/cover-row.ts'
import {
  certificateJson,
  type MeasuredSet,
  readCertificate,
  receiverChecks,
  type SignedCertificate,
  signedText,
} from './certificate.ts'
import { certificateHtml } from './certificate-page.ts'
import { type ContentCredentials, manifestsIn, SIDECAR_TYPE } from './content-credentials.ts'
import { releaseCsv } from './csv-columns.ts'
import { disclosurePage, disclosureSheet } from './disclosure.ts'
import { ExportFolder, type FolderFile, textFile } from './export-folder.ts'
import {
  chosenMasters,
  fileNames,
  hasPlainNames,
  masterOf,
  mostCoverPx,
  plannedSets,
  wantedFormat,
} from './export-plan.ts'
import {
  type Exported,
  factsOf,
  holdsManifest,
  joinedTo,
  planSounds,
  type SongMasters,
  type SoundDeps,
  writeSounds,
} from './export-sounds.ts'
import { cueSheet, folderName, overview, releaseReport } from './export-texts.ts'
import { writeExportZip } from './export-zip.ts'
import { expectedCover, expectedFiles } from './readiness.ts'
import type { ReleaseRecord, TrackRecord } from './release.ts'
import { sameSet } from './set-names.ts'
import type { Signer } from './signing.ts'
import type { ReleaseStore } from './store.ts'
import { lacksEdges, type MadeTrack } from './track-edges.ts'
import {
  CERTIFICATE_FILE,
  type Place,
  type PlaceOptions,
  SUMS_FILE,
  sumsOf,
  UNNAMED,
  verifyExport,
  withPlace,
} from './verify-export.ts'

export interface ReleaseExportsDeps extends SoundDeps {
  readonly clock: Clock
  readonly store: Pick<ReleaseStore, 'find' | 'cover'>
  readonly signer: Signer
  readonly credentials: Pick<ContentCredentials, 'readSource' | 'embed' | 'sidecar'>
  /** Returns the finished masters of a song; undefined without any. */
  readonly mastersOf: (track: TrackRecord, releaseId: string) => SongMasters | undefined
  /** Brings back the song of a job that a batch has delivered. Rejects with RESULT_EXPIRED, FILE_GONE, INSUFFICIENT_STORAGE. */
  readonly bringBackSong: (jobId: string) => Promise<unknown>
  /** Returns a stored song; undefined for an unknown one. */
  readonly sourceOf: (sourceId: string) => SongMasters['song'] | undefined
  /** Creates a missing folder, by its real path; throws INVALID_REQUEST if it cannot be used. */
  readonly requireFolder: (folder: string, real: string) => Promise<void>
  /** Default folder for requests that name no folder; null without one. */
  readonly outputFolder: () => string | null
  readonly readyCover: ReadyCover
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

/** The exports, one at a time: each writes as fast as the disk allows. */
export class ReleaseExports {
  readonly #deps: ReleaseExportsDeps
  #turn: Promise<unknown> = Promise.resolve()
  /** Running exports, by request. */
  readonly #running = new Map<string, Promise<ExportedRelease>>()

  constructor(deps: ReleaseExportsDeps) {
    this.#deps = deps
  }

  /**
   * Writes a release into its own folder and returns it with its certificate. An export may outlast its caller: it then continues, and the
   * same request waits for it. Throws RELEASE_NOT_FOUND; RELEASE_NOT_READY, naming the track; FOLDER_TAKEN; INVALID_REQUEST for an unusable
   * folder; INSUFFICIENT_STORAGE; UNAVAILABLE if the engine could not work; and the reason of `signal`. Finished files stay, and the next
   * call resumes. Exports are free of charge. `requireAllowed` is called when the export's turn comes, and throws for a real path that may
   * not be written.
   */
  async export(
    releaseId: string,
    request: ExportRequest,
    language: Language,
    { signal, requireAllowed }: PlaceOptions & { readonly signal: AbortSignal },
  ): Promise<ExportedRelease> {
    signal.throwIfAborted()
    const asked = { ...request, language: request.language ?? language }
    const key = JSON.stringify([releaseId, asked])
    const running = this.#running.get(key) ?? this.#begin(key, releaseId, asked, requireAllowed)
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave)
    try {
      return await Promise.race([running, left])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #begin(
    key: string,
    releaseId: string,
    request: ExportRequest & { readonly language: Language },
    requireAllowed: PlaceOptions['requireAllowed'],
  ) {
    const options = { signal: this.#deps.stopping, ...(requireAllowed ? { requireAllowed } : {}) }
    const running = this.#turn
      .then(() => this.#export(releaseId, request, request.language, options))
      .finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    this.#turn = running.catch(() => {})
    return running
  }

  /** Returns the names that an export would use now; writes nothing. Throws RELEASE_NOT_FOUND and RELEASE_NOT_READY, as an export does. */
  names(releaseId: string, request: ExportRequest): ExportNames {
    const { release, sets, nowMs, request: planned } = this.#plan(this.#require(releaseId), request)
    const folder = folderName(release.facts, hasPlainNames(planned, nowMs))
    return { folder, files: sets.flatMap((set) => fileNames(set, sets, release, planned, nowMs)) }
  }

  /**
   * Returns what each receiver would find in an export for it alone, the chosen receivers first; writes nothing. Figures that only a
   * written file has are not measured; without masters, none are. Throws RELEASE_NOT_FOUND.
   */
  readiness(releaseId: string, language: Language): ReleaseReadiness {
    const release = this.#require(releaseId)
    const cover = release.cover && this.#deps.store.cover(releaseId)
    const nowMs = this.#deps.clock.now()
    const chosen = release.facts.receivers ?? []
    const others = DISTRIBUTORS.filter((receiver) => !chosen.includes(receiver))
    const receivers = [...chosen, ...others].flatMap((receiver) => {
      const sets = this.#expectedSets(release, receiver, nowMs)
      const options = { language, nowMs, chosenFor: release }
      const expected = cover ? expectedCover(cover, mostCoverPx([receiver], nowMs)) : null
      return receiverChecks([receiver], { kind: release.facts.kind, cover: expected }, sets, options)
    })
    const tracks = release.tracks.map(({ trackId, facts }) => ({ track_id: trackId, ...facts }))
    const remarks = remarksOn({ ...release.facts, tracks }, language)
    return { release_id: releaseId, chosen: [...chosen], receivers, remarks }
  }

  /** Returns the sets that an export for one receiver would write, with the known facts of their files; none without masters. */
  #expectedSets(release: ReleaseRecord, receiver: Distributor, nowMs: number): [MeasuredSet, ...MeasuredSet[]] {
    const request = { receivers: [receiver] }
    const songs = release.tracks.map((track) => this.#deps.mastersOf(track, release.releaseId))
    const made = songs.filter((song) => song !== undefined)
    const masters = made.length === songs.length ? chosenMasters({}, made) : []
    if (made.length === 0 || masters.length === 0) {
      const format = wantedFormat(receiver, [], nowMs)
      return [{ set: { folder: '', master: RELEASE, format, labels: 'release' }, files: [] }]
    }
    const sets = plannedSets(request, masters, made, nowMs)
    const expected = sets.map((set) => ({ set, files: expectedFiles(set, sets, made, { release, request, nowMs }) }))
    return [expected[0]!, ...expected.slice(1)]
  }

  /** Returns the differences between a folder or ZIP and its certificate. Throws INVALID_REQUEST if it cannot be read. */
  verify(folder: string, options: PlaceOptions = {}): Promise<VerifiedFolder> {
    return verifyExport(folder, this.#deps.signer, options)
  }

  /** Returns the disclosure sheet as an export would write it now; tracks without a song are left out. Throws RELEASE_NOT_FOUND. */
  async disclosure(releaseId: string): Promise<DisclosureSheet> {
    const { mastersOf, sourceOf, appVersion } = this.#deps
    const release = this.#require(releaseId)
    const traces = release.tracks.map((track, index) => {
      const masters = mastersOf(track, releaseId)
      const song = masters?.song ?? (track.sourceId === undefined ? undefined : sourceOf(track.sourceId))
      return (
        song && traceOf({ song, aiService: masters?.aiService }, index, { title: track.facts.title, isCarried: true })
      )
    })
    const sources = (await Promise.all(traces)).filter((trace) => trace !== undefined)
    const tracks = release.tracks.map(({ facts }) => facts)
    return disclosureSheet(release.facts.disclosure, sources, `Loudsmith ${appVersion}`, tracks)
  }

  #require(releaseId: string): ReleaseRecord {
    const release = this.#deps.store.find(releaseId)
    if (!release) throw new AppError('RELEASE_NOT_FOUND')
    return release
  }

  async #export(
    releaseId: string,
    request: ExportRequest,
    language: Language,
    { signal, requireAllowed }: PlaceOptions & { readonly signal: AbortSignal },
  ): Promise<ExportedRelease> {
    signal.throwIfAborted()
    const { clock, outputFolder, requireFolder, signer } = this.#deps
    signer.requireUsable()
    const release = this.#require(releaseId)
    const stored = this.#plan(release, request)
    await this.#bringBackSongs(stored)
    const signedSources = await this.#signedSources(stored)
    const exported = { ...stored, signedSources, cover: await this.#shopCover(stored, signal) }
    const planned = planSounds(exported, this.#deps.appVersion)
    const parent = request.folder === undefined ? outputFolder() : path.normalize(inHome(request.folder))
    if (parent === null) throw unusable('folder', { rule: 'members', names: ['folder'] })
    const real = await realPath(parent)
    await requireAllowed?.(real)
    await requireFolder(parent, real)
    const name = folderName(release.facts, hasPlainNames(exported.request, exported.nowMs))
    const folder = new ExportFolder(path.join(real, name), clock)
    const known = await folder.take(releaseId, await this.#signedFiles(folder.path, releaseId))
    const sounds = await writeSounds(exported, planned, { folder, known }, this.#deps, signal)
    const signed = await this.#writeTexts(exported, sounds, { folder, language, signal })
    const names = [...signed.certificate.files.map(({ name }) => name), ...UNNAMED]
    await folder.removeStale(new Set(names))
    const isOurs = async (zip: string) => (await this.#signedFiles(zip, releaseId)) !== undefined
    if (request.zip) await writeExportZip(folder.path, names, { clock, isOurs, signal })
    await folder.finish()
    const shown = path.join(parent, name)
    return { folder: shown, ...(request.zip ? { zip: `${shown}.zip` } : {}), certificate: signed.certificate }
  }

  /** Returns the cover as the receivers take it: a JPEG in sRGB, within their size; undefined without one. */
  async #shopCover({ cover, request, nowMs }: Exported, signal: AbortSignal): Promise<CoverRow | undefined> {
    if (!cover) return undefined
    const mostPx = mostCoverPx(request.receivers ?? [], nowMs)
    const fit = { isJpeg: true, ...(mostPx === undefined ? {} : { mostPx }) }
    const ready = coverRow(await this.#deps.readyCover(cover.bytes, signal, fit))
    const changes = [...new Set([...(cover.changes ?? '').split(' '), ...(ready.changes ?? '').split(' ')])]
    return { ...ready, changes: changes.filter((change) => change !== '').join(' ') }
  }

  /** Returns the sources whose manifests are carried over, by track. A missing song has none. */
  async #signedSources({ release, songs, request }: Exported): Promise<Exported['signedSources']> {
    if (request.content_credentials === false) return []
    const sources: Exported['signedSources'][number][] = []
    for (const [index, { song }] of songs.entries()) {
      const { title } = release.tracks[index]!.facts
      const { hasProvenance, format } = song.facts
      const read = () => this.#deps.credentials.readSource(song.path, format, title).catch(() => undefined)
      sources.push(hasProvenance ? await read() : undefined)
    }
    return sources
  }

  /** Brings back songs from where batches found them: the export reads their pictures and provenance. */
  async #bringBackSongs({ songs, cover }: Exported): Promise<void> {
    for (const { jobId } of songs)
      await this.#deps.bringBackSong(jobId).catch((cause: unknown) => {
        // A missing song still has its recorded facts; only its picture exists nowhere else.
        const isGone = cause instanceof AppError && cause.status === 410
        if (!isGone || !cover) throw cause
      })
  }

  /** Returns the planned export. Throws RELEASE_NOT_READY, naming the track if one has no finished masters. */
  #plan(release: ReleaseRecord, asked: ExportRequest): Exported {
    const { tracks } = release
    const { receivers = release.facts.receivers } = asked
    const request = { ...asked, ...(receivers ? { receivers } : {}) }
    if (tracks.length === 0) throw new AppError('RELEASE_NOT_READY')
    const songs = tracks.map((track, index) => {
      const song = this.#deps.mastersOf(track, release.releaseId)
      if (!song) throw notReady(release, index)
      return song
    })
    const { platform } = request
    const lacking = platform === undefined ? -1 : songs.findIndex((song) => !masterOf(song, platform))
    if (lacking >= 0) throw notReady(release, lacking, platform === RELEASE ? 'no_release_master' : undefined)
    const masters = chosenMasters(request, songs)
    if (masters.length === 0) throw new AppError('RELEASE_NOT_READY', { reason: 'no_platform' })
    const cover = release.cover && this.#deps.store.cover(release.releaseId)
    const nowMs = this.#deps.clock.now()
    const sets = plannedSets(request, masters, songs, nowMs)
    return { release, songs, sets, request, cover, signedSources: [], nowMs }
  }

  /** Checks the written files, writes all files other than sound, and returns the certificate, which is written last. */
  async #writeTexts(exported: Exported, sounds: readonly ExportedFile[], to: Writing): Promise<SignedCertificate> {
    const { clock, appVersion, signer } = this.#deps
    const { language } = to
    const { release } = exported
    const receivers = checksOf(exported, sounds, language)
    const program = `Loudsmith ${appVersion}`
    const facts = release.tracks.map((track) => track.facts)
    const sheet = disclosureSheet(release.facts.disclosure, await tracesOf(exported), program, facts)
    const sidecars = await this.#sidecars(exported, sounds)
    const { title, artist } = release.facts
    const texts = [
      ...textsOf(exported, sounds, receivers, language),
      textFile('ai-disclosure.html', disclosurePage(sheet, { title, artist }, language)),
      textFile('ai-disclosure.json', `${JSON.stringify(sheet, null, 2)}\n`),
      ...sidecars,
    ]
    await this.#write(texts, to)
    const content = {
      certificate_version: 1 as const,
      release_id: release.releaseId,
      title,
      artist,
      made_at: isoTime(clock.now()),
      app_version: appVersion,
      files: [...sounds, ...texts.map(exportedText)],
      unapplied_tracks: madeTracks(exported).flatMap((own, index, all) =>
        lacksEdges(own, all[index - 1]) ? [index + 1] : [],
      ),
      receivers,
      disclosure: sheet,
      ...(exported.cover ? { cover: coverFacts(exported.cover, exported.cover.bytes.length) } : {}),
    }
    const html = textFile('certificate.html', certificateHtml(content, language))
    const certificate: Certificate = { ...content, files: [...content.files, exportedText(html)] }
    const signed = { certificate, signature: signer.sign(signedText(certificate)) }
    const last = [html, textFile(CERTIFICATE_FILE, certificateJson(signed)), textFile(SUMS_FILE, sumsOf(signed))]
    await this.#write(last, to)
    return signed
  }

  /** Returns the separate manifests of sound files, for a folder that is not uploaded. */
  async #sidecars({ signedSources }: Exported, sounds: readonly ExportedFile[]): Promise<FolderFile[]> {
    const files: FolderFile[] = []
    for (const { name, sha256, sound } of sounds) {
      const source = sound && signedSources[sound.track - 1]
      if (!source || holdsManifest(sound)) continue
      const mimeType = MEDIA_TYPES[formatFacts(sound.format).container]
      const bytes = await this.#deps.credentials.sidecar(sha256, mimeType, source)
      files.push(textFile(`${PROVENANCE_FOLDER}/${name.replaceAll('/', ' ')}${SIDECAR_TYPE}`, bytes))
    }
    return files
  }

  async #write(files: readonly FolderFile[], { folder, signal }: Writing): Promise<void> {
    await folder.plan(files.map(exportedText))
    for (const file of files) await folder.write(file, signal)
  }

  /**
   * Returns the files of a finished export of the same release that we have signed, in a folder or a ZIP; undefined for any other. Throws
   * UNAVAILABLE for a damaged key.
   */
  async #signedFiles(name: string, releaseId: string): Promise<readonly ExportedFile[] | undefined> {
    const read = (place: Place) => place.bytesOf(CERTIFICATE_FILE)
    const bytes = await withPlace(name, {}, read).catch(() => undefined)
    const signed = bytes && readCertificate(bytes)
    if (signed?.certificate.release_id !== releaseId) return undefined
    if (this.#deps.signer.signerOf(signedText(signed.certificate), signed.signature) !== 'own') return undefined
    const last = [textFile(CERTIFICATE_FILE, certificateJson(signed)), textFile(SUMS_FILE, sumsOf(signed))]
    return [...signed.certificate.files, ...last.map(exportedText)]
  }
}

interface Writing {
  readonly folder: ExportFolder
  readonly language: Language
  readonly signal: AbortSignal
}

const exportedText = ({ name, sizeBytes, sha256 }: FolderFile): ExportedFile => ({
  name,
  size_bytes: sizeBytes,
  sha256,
})

function notReady({ tracks }: ReleaseRecord, index: number, reason?: string): AppError {
  const { title } = tracks[index]!.facts
  return new AppError('RELEASE_NOT_READY', { track: index + 1, title, ...(reason === undefined ? {} : { reason }) })
}

/** Returns the tracks with the edges of their masters. */
function madeTracks({ release, songs }: Exported): MadeTrack[] {
  return release.tracks.map((track, index) => ({
    track,
    edges: songs[index]!.edges,
    isContinued: joinedTo(songs, index).includes(index - 1),
  }))
}

/** Returns the checks of the written files against the rules of the receivers. */
function checksOf(
  { release, sets, request, cover, nowMs }: Exported,
  sounds: readonly ExportedFile[],
  language: Language,
) {
  const measured = sets.map(
    (set): MeasuredSet => ({
      set,
      files: sounds.filter(({ sound }) => sameSet(sound!, set)).map((file) => factsOf(file, release, request, nowMs)),
    }),
  )
  const [first, ...others] = measured
  const { receivers } = request
  const options = { language, nowMs, ...(receivers ? { chosenFor: release } : {}) }
  return receiverChecks(receivers ?? DISTRIBUTORS, deliveredOf(release, cover), [first!, ...others], options)
}

/** Returns the facts of a release that rules refer to. */
function deliveredOf({ facts }: ReleaseRecord, cover: Exported['cover']): DeliveredRelease {
  const picture = cover && pictureFacts(cover.bytes)
  return { kind: facts.kind, cover: picture ? { ...picture, mediaType: picture.mimeType } : null }
}

/** Returns the files other than sound that do not follow from the certificate. */
function textsOf(
  exported: Exported,
  sounds: readonly ExportedFile[],
  receivers: readonly ReceiverCheck[],
  language: Language,
): FolderFile[] {
  const { release, songs, sets, cover } = exported
  const { facts } = release
  const tracks = madeTracks(exported)
  const filesOf = (set: FileSet) => sounds.filter(({ sound }) => sameSet(sound!, set))
  const columns = sets.map((set) => ({
    heading: ['file', ...(set.folder === '' ? [] : [set.folder]), set.format].join('_'),
    names: filesOf(set).map(({ name }) => name),
  }))
  const cues = [...Map.groupBy(sets, ({ folder }) => folder)].map(([folder, [first, ...others]]) => {
    const set = [first!, ...others].find(({ format }) => formatFacts(format).bitDepth !== undefined) ?? first!
    const named = filesOf(set).map(({ name }, index) => ({ ...tracks[index]!, fileName: name.split('/').at(-1)! }))
    return textFile(`${folder === '' ? '' : `${folder}/`}${folderName(facts)}.cue`, cueSheet(release, named))
  })
  const reported = tracks.map((made, index) => ({
    ...made,
    jobId: songs[index]!.jobId,
    master: masterOf(songs[index]!, sets[0]!.master)!,
    files: sounds.filter(({ sound }) => sound!.track === index + 1),
  }))
  return [
    ...(cover ? [textFile(cover.media_type === 'image/png' ? 'cover.png' : 'cover.jpg', cover.bytes)] : []),
    textFile('metadata.csv', releaseCsv(release, columns)),
    ...cues,
    textFile('release-report.json', releaseReport(release, reported, cover && coverFacts(cover, cover.bytes.length))),
    ...(sets.length > 1 ? [textFile('README.txt', overview(release, sets, receivers, language))] : []),
  ]
}

/** Folder of manifests that are files of their own. */
const PROVENANCE_FOLDER = 'provenance'

/** Names of the services of the setting `ai_service`, as they write them. */
const SERVICE_NAMES: Readonly<Record<string, string>> = { suno: 'Suno', udio: 'Udio', elevenlabs: 'ElevenLabs' }

/** Returns the provenance traces in the tracks' sources. */
function tracesOf({ release, songs, request }: Exported): Promise<SourceTrace[]> {
  const isCarried = request.content_credentials !== false
  return Promise.all(
    songs.map((song, index) => traceOf(song, index, { title: release.tracks[index]!.facts.title, isCarried })),
  )
}

/** Returns the provenance trace in the source of the track at `index`; `isCarried` if an export carries over manifests. */
async function traceOf(
  { song, aiService }: { readonly song: SongMasters['song']; readonly aiService?: string | undefined },
  index: number,
  { title, isCarried }: { readonly title: string; readonly isCarried: boolean },
): Promise<SourceTrace> {
  const { path: file, filename, sha256, facts } = song
  const said =
    aiService === undefined
      ? undefined
      : { generator: SERVICE_NAMES[aiService] ?? aiService, evidence: `ai_service: ${aiService}` }
  // For a missing song, the recorded facts remain.
  const maker = facts.hasProvenance ? await readClaimGenerator(file).catch(() => undefined) : undefined
  const manifests = facts.hasProvenance && isCarried ? await manifestsIn(file).catch(() => undefined) : undefined
  return {
    track: index + 1,
    title,
    filename,
    source_sha256: sha256,
    ...(generatorIn(facts.tags) ?? (maker === undefined ? undefined : generatorIn(ofManifest(maker))) ?? said),
    has_c2pa_manifest: facts.hasProvenance,
    ...(manifests ? { c2pa_carried_on: true } : {}),
    ...(maker === undefined ? {} : { c2pa_claim_generator: maker }),
  }
}
