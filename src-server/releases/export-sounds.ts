/** Sound files of an exported folder: made from the jobs' files with the labels of the release, unless they exist already. */

import { readFile, stat, writeFile } from 'node:fs/promises'
import type { MasterName } from '../../src-contract/delivery-target.ts'
import type { FileFacts } from '../../src-contract/distributors/rules.ts'
import type { Edges } from '../../src-contract/edges.ts'
import { type Format, formatFacts } from '../../src-contract/formats.ts'
import type { ExportedFile, ExportRequest, FileSet } from '../../src-contract/release-exports.ts'
import type { FilePart } from '../../src-system/copy-part.ts'
import type { ExportedSound, ExportOrder } from '../../src-worker/mastering/work-order.ts'
import type { AudioFacts } from '../../src-worker/media/audio-facts.ts'
import type { Cover } from '../../src-worker/media/cover.ts'
import type { PlayedLevel } from '../../src-worker/media/label-file.ts'
import { asciiName } from '../../src-worker/result/romanise.ts'
import { AppError } from '../http/app-error.ts'
import type { ExportProgress } from '../notify/events.ts'
import type { CoverRow } from '../uploads/cover-row.ts'
import type { MasterRequest } from '../uploads/form.ts'
import type { ContentCredentials, SignedSource } from './content-credentials.ts'
import { unitsOf } from './continuous.ts'
import { type ExportFolder, sha256Of } from './export-folder.ts'
import {
  fileNames,
  fullTitle,
  hasPlainNames,
  type JobFile,
  type JobMaster,
  masterOf,
  sourcesOf,
  type TrackMasters,
} from './export-plan.ts'
import type { ReleaseRecord } from './release.ts'
import { releaseTags } from './release-labels.ts'

/** Finished masters of the song of a track. */
export interface SongMasters extends TrackMasters {
  readonly jobId: string
  readonly song: {
    readonly path: string
    readonly filename: string
    readonly sha256: string
    readonly facts: AudioFacts
  }
  /** Edges that the song was mastered with. */
  readonly edges: Edges
  /** Songs joined with it in mastering; absent for a single song. */
  readonly joined?: MasterRequest['joined']
  /** Service that generated the song, as stated by its owner; absent without a statement. */
  readonly aiService?: string
  /** Resolves with the place of a file of the result. Rejects with RESULT_EXPIRED and FILE_GONE. */
  readonly bytesOf: (file: Pick<JobFile, 'file' | 'sha256'>) => Promise<FilePart>
}

export interface SoundDeps {
  readonly appVersion: string
  /**
   * Makes the files of one track in an engine process, passes them to `use` and removes them afterwards. Throws the client's error for a
   * failure, and the reason of `signal`.
   */
  readonly makeFiles: (
    order: Omit<ExportOrder, 'ffmpeg' | 'folder'>,
    use: (files: readonly ExportedSound[]) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>
  /** Measures the tracks of a record as one. Throws as `makeFiles` does. */
  readonly measureRecord: (tracks: readonly FilePart[], signal: AbortSignal) => Promise<PlayedLevel>
  readonly credentials: Pick<ContentCredentials, 'embed'>
  readonly onProgress: (progress: ExportProgress) => void
}

/** Content of an export: a release with the masters of its tracks, in sets. */
export interface Exported {
  readonly release: ReleaseRecord
  readonly songs: readonly SongMasters[]
  readonly sets: readonly FileSet[]
  readonly request: ExportRequest
  readonly cover: CoverRow | undefined
  /** Sources whose manifests the files carry over, by track; undefined for a track without one. */
  readonly signedSources: readonly (SignedSource | undefined)[]
  /** Current time, to tell the age of rules. */
  readonly nowMs: number
}

/** A sound file planned for the folder. */
export interface PlannedSound {
  readonly name: string
  readonly set: FileSet
  /** Place of its track, from 0. */
  readonly index: number
  readonly master: JobMaster
  readonly sources: readonly JobFile[]
  readonly madeFrom: string
  /** Source whose manifests this file has in its tag. */
  readonly signedSource?: SignedSource
}

/** Seed of the dither of all jobs: the same input gives the same bytes. */
const SEED = 0

/**
 * Returns the sound files planned for the folder, in the order of sets and tracks. Throws RELEASE_NOT_READY, naming the track, for a format
 * that its job lacks and that cannot be made. Pure.
 */
export function planSounds(
  { release, songs, sets, request, cover, signedSources, nowMs }: Exported,
  appVersion: string,
): PlannedSound[] {
  const recordOf = (name: MasterName) =>
    songs.length === 1 ? null : songs.map((song) => masterOf(song, name)?.sha256).join(' ')
  return sets.flatMap((set) => {
    const names = fileNames(set, sets, release, request, nowMs)
    return songs.map((song, index): PlannedSound => {
      const master = masterOf(song, set.master)!
      const sources = sourcesOf(master, set.format)
      const { title } = release.tracks[index]!.facts
      if (!sources)
        throw new AppError('RELEASE_NOT_READY', { track: index + 1, title, format: formatFacts(set.format).name })
      const { tags } = song.song.facts
      const labels =
        set.labels === 'none'
          ? null
          : [releaseTags(release, index, tags), cover?.sha256 ?? song.song.sha256, recordOf(set.master)]
      const others = joinedTo(songs, index).map((place) => masterOf(songs[place]!, set.master)!.sha256)
      const signedSource = holdsManifest(set) ? signedSources[index] : undefined
      const parts = [
        ...[appVersion, set.format, sources, master.ceiling_dbtp, SEED, labels],
        ...(others.length > 0 ? [others] : []),
        ...(signedSource ? [{ manifests: signedSource.sha256 }] : []),
      ]
      return {
        name: names[index]!,
        set,
        index,
        master,
        sources,
        madeFrom: sha256Of(Buffer.from(JSON.stringify(parts))),
        ...(signedSource ? { signedSource } : {}),
      }
    })
  })
}

/** Returns whether the files of a set embed their manifest; other files have it as a separate file. */
export function holdsManifest({ format, labels }: FileSet): boolean {
  return formatFacts(format).container === 'mp3' && labels === 'release'
}

/** Returns the indices of the tracks that were joined with one in mastering, in order, as far as they are still its neighbours. */
export function joinedTo(songs: readonly SongMasters[], index: number): number[] {
  const goesOver = songs.map(({ joined }, i) => {
    const next = songs[i + 1]
    const isNext = joined?.after[0]?.sha256 === next?.song.sha256
    return isNext && joined !== undefined && next?.joined?.before.at(-1)?.sha256 === songs[i]!.song.sha256
  })
  return unitsOf(goesOver)
    .find((unit) => unit.includes(index))!
    .filter((place) => place !== index)
}

/**
 * Writes the planned sound files into the folder and returns them in their order. An existing file made from the same sources, as listed in
 * `known`, stays. Throws as `ExportFolder.write` and the engine do; written files stay.
 */
export async function writeSounds(
  exported: Exported,
  planned: readonly PlannedSound[],
  { folder, known }: { readonly folder: ExportFolder; readonly known: readonly ExportedFile[] },
  deps: SoundDeps,
  signal: AbortSignal,
): Promise<ExportedFile[]> {
  const present = await folder.present(
    planned.map(({ name }) => name),
    signal,
  )
  const done = new Map<string, ExportedFile>()
  for (const file of known) {
    const { name, sha256, sound } = file
    const plan = planned.find((one) => one.name === name)
    if (plan && sound?.made_from === plan.madeFrom && present.get(name) === sha256) done.set(name, file)
  }
  const open = planned.filter(({ name }) => !done.has(name))
  const tell = (next: PlannedSound | undefined) =>
    deps.onProgress({
      ...{ exportOf: exported.release.releaseId, filesDone: done.size, files: planned.length },
      ...(next ? { file: next.name } : {}),
    })
  const levels = new Map<MasterName, Promise<PlayedLevel | null>>()
  for (const group of Map.groupBy(open, ({ index, set }) => `${index} ${set.master}`).values()) {
    const { set } = group[0]!
    tell(group[0])
    const level = levels.get(set.master) ?? levelOf(exported, set.master, deps, signal)
    levels.set(set.master, level)
    const order = await orderOf(exported, group, await level)
    await deps.makeFiles(
      order,
      async (bare) => {
        const sounds = await Promise.all(group.map((plan, place) => withManifest(plan, bare[place]!, deps.credentials)))
        const files = await Promise.all(group.map((plan, place) => exportedFile(plan, sounds[place]!)))
        await folder.plan(files)
        for (const [place, file] of files.entries()) {
          const { path: from } = sounds[place]!
          const { name, size_bytes: sizeBytes, sha256 } = file
          await folder.write({ name, sizeBytes, sha256, content: from }, signal)
          done.set(name, file)
          tell(group[place + 1])
        }
      },
      signal,
    )
  }
  return planned.map(({ name }) => done.get(name)!)
}

/** Returns a sound file with its manifest, signed last so that it covers the tags. The coded sound stays as it is. */
async function withManifest(
  { signedSource }: PlannedSound,
  sound: ExportedSound,
  credentials: SoundDeps['credentials'],
): Promise<ExportedSound> {
  if (!signedSource) return sound
  const bytes = await credentials.embed(await readFile(sound.path), signedSource)
  const signed = `${sound.path}.signed`
  await writeFile(signed, bytes, { mode: 0o600 })
  return { ...sound, path: signed, sha256: sha256Of(bytes) }
}

/** Returns the measurement of the record for its files' ReplayGain; null for a single track and for files without labels. */
async function levelOf(
  { songs, sets }: Exported,
  name: MasterName,
  { measureRecord }: SoundDeps,
  signal: AbortSignal,
): Promise<PlayedLevel | null> {
  const isTold = sets.some(({ master, labels }) => master === name && labels === 'release')
  if (songs.length === 1 || !isTold) return null
  const tracks: FilePart[] = []
  for (const song of songs) tracks.push(await song.bytesOf(masterOf(song, name)!))
  return measureRecord(tracks, signal)
}

async function orderOf(
  { release, songs, cover }: Exported,
  group: readonly PlannedSound[],
  album: PlayedLevel | null,
): Promise<Omit<ExportOrder, 'ffmpeg' | 'folder'>> {
  const { index, master, set } = group[0]!
  const song = songs[index]!
  const edges = joinedTo(songs, index).length > 0 ? song.joined!.edges : song.edges
  const sources = new Map(group.flatMap((plan) => plan.sources).map((source) => [source.format, source]))
  const copyPeaks = (master.codec_checks ?? []).map((check) => check.true_peak_dbtp)
  return {
    seed: SEED,
    edges: { pad_start_seconds: edges.pad_start_seconds, pad_end_seconds: edges.pad_end_seconds },
    ceilingDbtp: master.ceiling_dbtp,
    sources: await Promise.all(
      [...sources.values()].map(async ({ format, gainDb, ...file }) => {
        const joined = await rangesBeside(songs, index, { name: set.master, format })
        return { ...(await song.bytesOf(file)), format, gainDb, ...joined }
      }),
    ),
    files: group.map((plan) => ({ format: plan.set.format, isTagged: plan.set.labels === 'release' })),
    tags: releaseTags(release, index, song.song.facts.tags),
    cover: cover ? coverOf(cover) : song.song,
    album,
    copyPeakDbtp: copyPeaks.length > 0 ? Math.max(...copyPeaks) : null,
  }
}

/** Returns the files in a format of the tracks joined with one; empty for a single track, or if one of them lacks the file. */
async function rangesBeside(
  songs: readonly SongMasters[],
  index: number,
  { name, format }: { readonly name: MasterName; readonly format: Format },
) {
  const rangeOf = (place: number) => {
    const master = masterOf(songs[place]!, name)
    const found = master && sourcesOf(master, format)?.find((source) => source.format === format)
    return found && songs[place]!.bytesOf(found)
  }
  const places = joinedTo(songs, index)
  const rangesOf = (chosen: readonly number[]) => Promise.all(chosen.map(rangeOf))
  const before = await rangesOf(places.filter((place) => place < index))
  const after = await rangesOf(places.filter((place) => place > index))
  if (places.length === 0 || [...before, ...after].includes(undefined)) return {}
  return { joined: { before: before as FilePart[], after: after as FilePart[] } }
}

function coverOf({ media_type: mimeType, bytes }: CoverRow): Cover {
  return { mimeType, bytes }
}

/** A level for JSON: null for silence. */
const level = (value: number | null) => (value !== null && Number.isFinite(value) ? value : null)

async function exportedFile({ name, set, index, madeFrom }: PlannedSound, sound: ExportedSound): Promise<ExportedFile> {
  return {
    name,
    size_bytes: (await stat(sound.path)).size,
    sha256: sound.sha256,
    sound: {
      track: index + 1,
      ...set,
      format_code: sound.formatCode,
      has_bytes_after_audio: sound.hasBytesAfterAudio,
      has_tags: sound.hasTags,
      sample_rate_hz: sound.sampleRateHz,
      bit_depth: sound.bitDepth,
      channels: sound.channels,
      duration_seconds: sound.durationSeconds,
      silence_start_seconds: sound.silenceStartSeconds,
      silence_end_seconds: sound.silenceEndSeconds,
      integrated_lufs: level(sound.integratedLufs),
      true_peak_dbtp: level(sound.truePeakDbtp),
      true_peak_44k_dbtp: level(sound.truePeakAfterRateDbtp),
      true_peak_copy_dbtp: level(sound.truePeakAfterCodecDbtp),
      gain_db: sound.gainDb,
      samples_sha256: sound.samplesSha256,
      made_from: madeFrom,
    },
  }
}

/** Returns the facts of an exported sound file for checking the rules of receivers. Pure. */
export function factsOf(
  { name, sound }: ExportedFile,
  { tracks }: ReleaseRecord,
  request: ExportRequest,
  nowMs: number,
): FileFacts {
  const { track, format, ...facts } = sound!
  const title = fullTitle(tracks[track - 1]!.facts)
  return {
    fileName: name.split('/').at(-1)!,
    title,
    ...(hasPlainNames(request, nowMs) ? { plainTitle: asciiName(title) } : {}),
    type: formatFacts(format).container,
    formatCode: facts.format_code,
    hasBytesAfterAudio: facts.has_bytes_after_audio,
    hasTags: facts.has_tags,
    bitDepth: facts.bit_depth,
    sampleRateHz: facts.sample_rate_hz,
    channels: facts.channels,
    durationSeconds: facts.duration_seconds,
    silenceStartSeconds: facts.silence_start_seconds,
    silenceEndSeconds: facts.silence_end_seconds,
    integratedLufs: facts.integrated_lufs,
    truePeakDbtp: facts.true_peak_dbtp,
    truePeakAfterRateDbtp: facts.true_peak_44k_dbtp,
    truePeakAfterCodecDbtp: facts.true_peak_copy_dbtp,
  }
}
