/** Export of releases into folders, and the later check of such folders. */
import { createReadStream } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import path from 'node:path'
import { DISTRIBUTORS, type Distributor } from '../../src-contract/distributors/index.ts'
import type { FileFacts } from '../../src-contract/distributors/rules.ts'
import { PLATFORMS, type Platform } from '../../src-contract/platforms/index.ts'
import type { Certificate, ExportedFile, ExportedRelease, VerifiedFolder } from '../../src-contract/release-exports.ts'
import type { MasterResult } from '../../src-contract/report.ts'
import type { Language } from '../../src-contract/text/text.ts'
import { type Clock, isoTime } from '../../src-system/system.ts'
import { readWavDelivery } from '../../src-worker/media/wav-delivery.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import {
  certificateHtml,
  certificateJson,
  readCertificate,
  receiverChecks,
  type SignedCertificate,
  signedText,
} from './certificate.ts'
import { releaseCsv } from './csv-columns.ts'
import { ExportFolder, type FolderFile, namesIn, sha256Of, sha256OfFile, textFile } from './export-folder.ts'
import {
  cueSheet,
  type ExportedTrack,
  fileNames,
  folderName,
  fullTitle,
  hasEdges,
  releaseReport,
  sha256Sums,
} from './export-texts.ts'
import type { ReleaseRecord, TrackRecord } from './release.ts'
import type { Signer } from './signing.ts'
import type { ReleaseStore } from './store.ts'

/** Finished masters of a song. */
export interface SongMasters {
  readonly jobId: string
  readonly durationSeconds: number
  readonly masters: readonly MasterResult[]
  /** Where the bytes of a master lie; undefined where they are gone. */
  readonly bytesOf: (master: MasterResult) => MasterRange | undefined
}

interface MasterRange {
  readonly path: string
  readonly offset: number
  readonly sizeBytes: number
}

export interface ReleaseExportsDeps {
  readonly clock: Clock
  readonly appVersion: string
  readonly store: Pick<ReleaseStore, 'find' | 'cover'>
  readonly signer: Signer
  /** Returns the masters of a song; undefined where none are finished. */
  readonly mastersOf: (track: TrackRecord, releaseId: string) => SongMasters | undefined
  /** Returns the true peak of a WAV after its conversion to a rate, dBTP; null where it cannot be measured here. */
  readonly peakAtRate: (file: string, sampleRateHz: number, signal: AbortSignal) => Promise<number | null>
  /** Makes a folder that is missing; throws INVALID_REQUEST for one that cannot be used. */
  readonly requireFolder: (folder: string) => Promise<void>
  /** Folder where the request names none; null for none. */
  readonly outputFolder: () => string | null
}

export interface ExportRequest {
  readonly folder?: string
  readonly platform?: Platform
  readonly receivers?: readonly Distributor[]
}

const CERTIFICATE_FILE = 'certificate.json'
const SUMS_FILE = 'SHA256SUMS'
/** Files that no certificate can name: itself, and what follows from it. */
const UNNAMED: readonly string[] = [CERTIFICATE_FILE, SUMS_FILE]
/** Rate to which services convert; a file of that rate is heard as it is. */
const SERVICE_RATE_HZ = 44_100

type ReadyTrack = ExportedTrack & { readonly bytes: MasterRange }

/** The exports. One is made at a time: they write as fast as the disk does. */
export class ReleaseExports {
  readonly #deps: ReleaseExportsDeps
  #turn: Promise<unknown> = Promise.resolve()

  constructor(deps: ReleaseExportsDeps) {
    this.#deps = deps
  }

  /**
   * Writes a release into a folder of its own and returns it with its certificate. Throws RELEASE_NOT_FOUND; RELEASE_NOT_READY, naming the
   * track; FOLDER_TAKEN; INVALID_REQUEST for a folder that cannot be used; INSUFFICIENT_STORAGE; and the reason of `signal`. What is
   * finished stays, and the next call goes on.
   */
  async export(
    releaseId: string,
    request: ExportRequest,
    language: Language,
    signal: AbortSignal,
  ): Promise<ExportedRelease> {
    const mine = this.#turn.then(() => this.#export(releaseId, request, language, signal))
    this.#turn = mine.catch(() => {})
    return mine
  }

  /** Returns what of a folder differs from its certificate. Throws INVALID_REQUEST for a folder that cannot be read. */
  async verify(folder: string, signal?: AbortSignal): Promise<VerifiedFolder> {
    if (!path.isAbsolute(folder)) throw invalidRequest('folder_not_absolute', { param: 'folder' })
    const names = await namesOf(folder)
    const signed = await this.#certificateIn(folder)
    const files = signed?.certificate.files ?? []
    const expected = new Map(files.map(({ name, sha256 }) => [name, sha256]))
    const [changed, missing]: [string[], string[]] = [[], []]
    for (const [name, sha256] of expected) {
      const found = name === path.basename(name) ? await sha256OfFile(path.join(folder, name), signal) : undefined
      if (found === undefined) missing.push(name)
      else if (found !== sha256) changed.push(name)
    }
    if (signed) {
      const sums = await readFile(path.join(folder, SUMS_FILE), 'utf8').catch(() => undefined)
      if (sums === undefined) missing.push(SUMS_FILE)
      else if (sums !== sumsOf(signed)) changed.push(SUMS_FILE)
    }
    const added = names.filter((name) => !expected.has(name) && !(signed && UNNAMED.includes(name)))
    const signature = signed ? this.#deps.signer.signerOf(signedText(signed.certificate), signed.signature) : 'none'
    const isIntact = signature === 'own' && changed.length + missing.length + added.length === 0
    const told = signed ? { title: signed.certificate.title, made_at: signed.certificate.made_at } : {}
    return { folder, is_intact: isIntact, signature, ...told, changed, missing, added }
  }

  async #export(
    releaseId: string,
    request: ExportRequest,
    language: Language,
    signal: AbortSignal,
  ): Promise<ExportedRelease> {
    signal.throwIfAborted()
    const { clock, store, outputFolder, requireFolder } = this.#deps
    const release = store.find(releaseId)
    if (!release) throw new AppError('RELEASE_NOT_FOUND')
    const tracks = this.#readyTracks(release, request.platform)
    const parent = request.folder ?? outputFolder()
    if (parent === null)
      throw new AppError('INVALID_REQUEST', {}, { param: 'folder', details: [{ rule: 'members', names: ['folder'] }] })
    await requireFolder(parent)
    const folder = new ExportFolder(path.join(parent, folderName(release.facts)), clock)
    const earlier = await this.#earlierFiles(folder.path, releaseId)
    const files = this.#filesOf(release, tracks)
    await folder.take(releaseId, files, earlier)
    for (const file of files) await folder.write(file, { signal })
    const signed = await this.#certify(release, tracks, { folder, files, request, language, signal })
    // They tell the time, so those of an export that was broken off are others.
    for (const file of lastFiles(signed)) await folder.write(file, { signal, replaces: true })
    await folder.removeStale(earlier ?? [], new Set(signed.certificate.files.map(({ name }) => name)))
    await folder.finish()
    return { folder: folder.path, certificate: signed.certificate }
  }

  /** Returns the tracks with their masters for one platform. Throws RELEASE_NOT_READY. */
  #readyTracks({ releaseId, tracks }: ReleaseRecord, wanted: Platform | undefined): ReadyTrack[] {
    if (tracks.length === 0) throw new AppError('RELEASE_NOT_READY')
    const songs = tracks.map((track) => this.#deps.mastersOf(track, releaseId))
    const notReady = (index: number) =>
      new AppError('RELEASE_NOT_READY', { track: index + 1, title: tracks[index]!.facts.title })
    const isFor = (platform: Platform) => (song: SongMasters | undefined) =>
      song?.masters.some((master) => master.platform === platform) === true
    const unfinished = songs.findIndex((song) => !song)
    if (unfinished >= 0) throw notReady(unfinished)
    const platform = wanted ?? PLATFORMS.find((one) => songs.every(isFor(one)))
    if (platform === undefined) throw new AppError('RELEASE_NOT_READY', { reason: 'no_platform' })
    const names = fileNames(tracks)
    return tracks.map((track, index) => {
      const song = songs[index]!
      const master = song.masters.find((one) => one.platform === platform)
      const bytes = master && song.bytesOf(master)
      if (!bytes) throw notReady(index)
      return { track, fileName: names[index]!, durationSeconds: song.durationSeconds, jobId: song.jobId, master, bytes }
    })
  }

  /** Returns the files apart from the certificate. */
  #filesOf(release: ReleaseRecord, tracks: readonly ReadyTrack[]): FolderFile[] {
    const cover = release.cover && this.#deps.store.cover(release.releaseId)
    return [
      ...tracks.map(({ fileName, master, bytes }) => ({
        name: fileName,
        sizeBytes: bytes.sizeBytes,
        sha256: master.sha256,
        open: () => createReadStream(bytes.path, { start: bytes.offset, end: bytes.offset + bytes.sizeBytes - 1 }),
      })),
      ...(cover ? [textFile(cover.media_type === 'image/png' ? 'cover.png' : 'cover.jpg', cover.bytes)] : []),
      textFile('metadata.csv', releaseCsv(release)),
      textFile(`${folderName(release.facts)}.cue`, cueSheet(release, tracks)),
      textFile('release-report.json', releaseReport(release, tracks)),
    ]
  }

  /** Checks the written files and returns the certificate over them, with its page among the files. */
  async #certify(
    release: ReleaseRecord,
    tracks: readonly ReadyTrack[],
    { folder, files, request, language, signal }: Certifying,
  ): Promise<SignedCertificate & { readonly html: string }> {
    const { clock, appVersion, signer } = this.#deps
    const facts: FileFacts[] = []
    for (const track of tracks) facts.push(await this.#factsOf(path.join(folder.path, track.fileName), track, signal))
    const { cover, facts: own } = release
    const delivered = { kind: own.kind, cover: cover ? { widthPx: cover.width_px, heightPx: cover.height_px } : null }
    const content = {
      certificate_version: 1 as const,
      release_id: release.releaseId,
      title: own.title,
      artist: own.artist,
      made_at: isoTime(clock.now()),
      app_version: appVersion,
      files: files.map(exported),
      unapplied_tracks: tracks.flatMap(({ track }, index) => (hasEdges(track, index) ? [index + 1] : [])),
      receivers: receiverChecks(request.receivers ?? DISTRIBUTORS, delivered, facts, language),
    }
    const html = certificateHtml(content, language)
    const certificate: Certificate = {
      ...content,
      files: [...content.files, exported(textFile('certificate.html', html))],
    }
    return { certificate, signature: signer.sign(signedText(certificate)), html }
  }

  /** Returns the facts of a written file, those that only the engine measures from its result. Throws for what is no WAV. */
  async #factsOf(file: string, { track, fileName, master }: ReadyTrack, signal: AbortSignal): Promise<FileFacts> {
    const wav = await readWavDelivery(file)
    if (!wav) throw new Error(`${fileName} is no WAV`)
    const codecPeaks = (master.codec_checks ?? []).map((check) => check.true_peak_dbtp)
    const isConverted = wav.sampleRateHz !== SERVICE_RATE_HZ
    return {
      ...wav,
      fileName,
      title: fullTitle(track.facts),
      type: 'wav',
      integratedLufs: master.integrated_lufs,
      truePeakDbtp: master.true_peak_dbtp,
      truePeakAfterRateDbtp: isConverted
        ? await this.#deps.peakAtRate(file, SERVICE_RATE_HZ, signal)
        : master.true_peak_dbtp,
      truePeakAfterCodecDbtp: codecPeaks.length > 0 ? Math.max(...codecPeaks) : null,
    }
  }

  async #certificateIn(folder: string): Promise<SignedCertificate | undefined> {
    const text = await readFile(path.join(folder, CERTIFICATE_FILE), 'utf8').catch(() => undefined)
    return text === undefined ? undefined : readCertificate(text)
  }

  /** Returns the files of a finished export of the same release that we have signed; undefined for any other folder. */
  async #earlierFiles(folder: string, releaseId: string): Promise<readonly ExportedFile[] | undefined> {
    const signed = await this.#certificateIn(folder)
    if (signed?.certificate.release_id !== releaseId) return undefined
    const signer = this.#deps.signer.signerOf(signedText(signed.certificate), signed.signature)
    return signer === 'own' ? signed.certificate.files : undefined
  }
}

/** Returns the names in a folder. Throws INVALID_REQUEST where it cannot be read, or is not there. */
async function namesOf(folder: string): Promise<string[]> {
  try {
    await access(folder)
    return await namesIn(folder)
  } catch (cause) {
    throw invalidRequest('folder_not_readable', { param: 'folder', cause })
  }
}

interface Certifying {
  readonly folder: ExportFolder
  readonly files: readonly FolderFile[]
  readonly request: ExportRequest
  readonly language: Language
  readonly signal: AbortSignal
}

const exported = ({ name, sizeBytes, sha256 }: FolderFile): ExportedFile => ({ name, size_bytes: sizeBytes, sha256 })

function lastFiles(signed: SignedCertificate & { readonly html: string }): FolderFile[] {
  const { html, ...content } = signed
  return [
    textFile('certificate.html', html),
    textFile(CERTIFICATE_FILE, certificateJson(content)),
    textFile(SUMS_FILE, sumsOf(content)),
  ]
}

function sumsOf({ certificate, signature }: SignedCertificate): string {
  const own = certificateJson({ certificate, signature })
  return sha256Sums([...certificate.files, { name: CERTIFICATE_FILE, sha256: sha256Of(Buffer.from(own)) }])
}
