/** One song from its stored file to its finished masters. Computes only: no database, no network, no clock. */
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import {
  type MasterName,
  RELEASE,
  releaseTarget,
  type SongLevel,
  targetsOf,
  withReferenceLoudness,
} from '../../src-contract/delivery-target.ts'
import type { Format } from '../../src-contract/formats.ts'
import { MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import { DELIVERY_NAMES, type JobSettings, PLAIN_DELIVERY } from '../../src-contract/settings.ts'
import { mix } from '../../src-engine/dsp/units.ts'
import { coverWarnings } from '../media/cover-warnings.ts'
import { listEncoders } from '../media/ffmpeg.ts'
import type { Labels } from '../media/label-file.ts'
import { type Cover, readCover } from '../media/tags.ts'
import { encodeSteps } from '../result/loudness-steps.ts'
import { RESULT_TEXTS, resultFolderName } from '../result/names.ts'
import { packageResult } from '../result/package.ts'
import { readmeText } from '../result/readme.ts'
import { reportHtml } from '../result/report-html.ts'
import { reportJson, roundReport } from '../result/report-json.ts'
import { keptFiles, type PackedFile } from '../result/result-zip.ts'
import { asciiName } from '../result/romanise.ts'
import { composeReport, titleOf } from './compose-report.ts'
import { costSourceOf } from './costs.ts'
import { type Delivery, deliverMasters } from './deliver.ts'
import { createFileNames } from './file-names.ts'
import { withFormatFiles } from './format-facts.ts'
import { type MadeFile, missingCodecs, writeFormats } from './format-files.ts'
import { ownMasters, withOwnCurves } from './own-stretch.ts'
import { CHAIN_PART, type FrameRange, finishedEdges, type PreparedSong, prepareSong } from './prepare-song.ts'
import { createProgressMeter, FORMAT_WEIGHTS, MASTERING_WEIGHTS, type ProgressMeter } from './progress-meter.ts'
import type { RenderedMaster } from './render-master.ts'
import { type RenderPool, withRenderPool } from './render-pool.ts'
import { type CodecCheck, masterResult, releaseResult, withSameBytes } from './report-facts.ts'
import { songTags } from './song-tags.ts'
import { masterWarnings } from './warnings.ts'
import { WorkFailure } from './work-failure.ts'
import type { WorkOrder, WorkProgress, WorkResult } from './work-order.ts'

/**
 * Masters one song and leaves only the files of its ZIP in the attempt folder, each once. Throws a {@link WorkFailure} for failures
 * with a code, the reason of an aborted `cancelled`, or an error of ffmpeg, the disk or the engine, and only after all its processes ended.
 */
export async function masterSong(
  order: WorkOrder,
  send: (progress: WorkProgress) => void,
  cancelled: AbortSignal,
): Promise<WorkResult> {
  if (order.source.facts.durationSeconds < MIN_DURATION_SECONDS) throw new WorkFailure('TOO_SHORT')
  const formats = furtherFormats(order.settings)
  const { tier } = order.settings
  const progress = createProgressMeter(formats.length > 0 ? FORMAT_WEIGHTS : MASTERING_WEIGHTS[tier], send)
  const encoders = formats.length > 0 ? await listEncoders(order.ffmpeg) : new Set<string>()
  const missing = missingCodecs(formats, encoders)
  if (missing.length > 0) throw new WorkFailure('ENCODER_MISSING', { codec: missing.join(', ') })
  return withRenderPool(order.threads, cancelled, async (pool, signal) => {
    const song = await prepareSong(order, progress.report, signal)
    const isTagged = order.settings.file_tags === 'song'
    const labels = isTagged ? { tags: songTags(order), cover: await coverOf(order, signal) } : { tags: {} }
    const { own } = song
    const wholeLabels = own ? { tags: {} } : labels
    const whole = await deliverSong(order, song, wholeLabels, { pool, report: progress.report, signal })
    await pool.close()
    const onProgress = (part: number) => progress.report('verifying', mix(PROOFED_PART, 1, part))
    const files = await writeAllFormats(order, whole, { labels, own }, { encoders, signal, onProgress })
    const delivery = own ? await ownMasters(whole, own, labels) : whole
    progress.report('packaging', 0)
    const result = await packageSong(order, withOwnCurves(song), { ...delivery, files }, signal)
    progress.report('packaging', 1)
    return result
  })
}

/** Returns the formats that need separate files: the 24-bit WAV is the master itself. */
function furtherFormats({ formats }: JobSettings): readonly Format[] {
  return formats.filter((format) => format !== 'wav24')
}

/** Share of verifying spent on the masters themselves if there are further formats. */
const PROOFED_PART = 0.3

async function coverOf({ cover, source, ffmpeg }: WorkOrder, signal: AbortSignal): Promise<Cover | undefined> {
  const { path: file, facts } = source
  if (cover) return { mimeType: cover.mimeType, bytes: await readFile(cover.path) }
  return facts.hasCover ? readCover(ffmpeg, { path: file, format: facts.format }, signal) : undefined
}

async function deliverSong(
  order: WorkOrder,
  song: PreparedSong,
  labels: Labels,
  { pool, report, signal }: { pool: RenderPool; report: ProgressMeter['report']; signal: AbortSignal },
): Promise<Delivery> {
  const { ffmpeg, attemptFolder: folder, seed } = order
  const { tier, intensity } = order.settings
  const hasFloats = furtherFormats(order.settings).length > 0
  const { masterTargets } = order
  const settings = withReferenceLoudness(order.settings, song.reference)
  const release = settings.release_master
    ? (level: SongLevel) => releaseTarget(settings, masterTargets, level)
    : undefined
  const partOf = { rendering: (part: number) => mix(CHAIN_PART, 1, part), verifying: (part: number) => part }
  return deliverMasters(
    song.takeAudio,
    {
      ...{ targets: targetsOf(settings, masterTargets), release, tier, intensity, seed, hasFloats },
      ...{ edges: finishedEdges(order), ...labels },
    },
    {
      ffmpeg,
      folder,
      pool,
      signal,
      onProgress: (stage, part) =>
        report(stage, stage === 'verifying' && hasFloats ? PROOFED_PART * part : partOf[stage](part)),
    },
  )
}

/** Files of further formats by the name of their master; masters that share a master have the same ones. */
type FormatFiles = ReadonlyMap<MasterName, readonly MadeFile[]>

/** Writes the further formats of all masters, each distinct master once, and removes the intermediate files. */
async function writeAllFormats(
  order: WorkOrder,
  { floats }: Delivery,
  parts: { readonly labels: Labels; readonly own: FrameRange | undefined },
  {
    encoders,
    signal,
    onProgress,
  }: { encoders: ReadonlySet<string>; signal: AbortSignal; onProgress: (part: number) => void },
): Promise<FormatFiles> {
  const { settings, seed, ffmpeg, attemptFolder: folder } = order
  const formats = furtherFormats(settings)
  const byMaster = Map.groupBy(floats, ({ master }) => master.path)
  const files = new Map<MasterName, readonly MadeFile[]>()
  let written = 0
  const onFile = () => onProgress(++written / (byMaster.size * formats.length))
  for (const sharing of byMaster.values()) {
    const [float] = sharing
    const made = await writeFormats(
      float!,
      { formats, seed, edges: finishedEdges(order), ...parts },
      { ffmpeg, encoders, folder, signal, onFile },
    )
    for (const { name } of sharing) files.set(name, made)
    await rm(float!.floatPath)
  }
  return files
}

async function packageSong(
  order: WorkOrder,
  song: PreparedSong,
  delivery: Delivery & { readonly files: FormatFiles },
  signal: AbortSignal,
): Promise<WorkResult> {
  const title = titleOf(order)
  const { masters, release, packed } = nameResults(order, song, delivery)
  const results = masters.map(({ result }) => result)
  const ofCover = coverWarnings(order.cover, order.source.facts)
  const warnings = [...song.warnings, ...ofCover, ...masterWarnings(results, release?.result)]
  const report = roundReport(composeReport(order, song, masters, warnings, release))
  const isPlain = DELIVERY_NAMES.every((name) => String(order.settings[name]) === String(PLAIN_DELIVERY[name]))
  const texts = [
    ...(isPlain ? [] : [{ file: RESULT_TEXTS.readme, text: readmeText(report) }]),
    { file: RESULT_TEXTS.json, text: reportJson(report) },
    { file: RESULT_TEXTS.html, text: reportHtml(report) },
  ]
  const { ascii_names: isAscii } = order.settings
  const folderName = resultFolderName(isAscii ? asciiName(title) : title, order.jobId)
  signal.throwIfAborted()
  const zip = await packageResult(order.attemptFolder, folderName, { masters: packed, texts })
  const kept = new Set(keptFiles(zip).map(({ file }) => file))
  for (const file of new Set(packed.map((one) => one.kept)).difference(kept))
    await rm(path.join(order.attemptFolder, file))
  return {
    masters: report.masters.map(({ result }) => result),
    ...(report.release ? { release: report.release.result } : {}),
    warnings,
    repairs: report.repairs,
    ...(report.summary ? { summary: report.summary } : {}),
    zip,
    loudnessSteps: loudnessStepsOf(delivery),
    reportJsonFile: RESULT_TEXTS.json,
    reportHtmlFile: RESULT_TEXTS.html,
  }
}

/** Returns the loudness of every master in steps. */
function loudnessStepsOf({ masters, release }: Delivery): NonNullable<WorkResult['loudnessSteps']> {
  const named: (readonly [MasterName, RenderedMaster])[] = [
    ...masters.map(({ target, master }) => [target.platform, master] as const),
    ...(release ? [[RELEASE, release.master] as const] : []),
  ]
  return Object.fromEntries(named.map(([name, { measurement }]) => [name, encodeSteps(measurement.stepMeanSquares)]))
}

/** Returns the results of all masters with the names of their files, and the files of the ZIP. */
function nameResults(order: WorkOrder, song: PreparedSong, delivery: Delivery & { readonly files: FormatFiles }) {
  const nameOf = createFileNames(order)
  const { formats } = order.settings
  const context = (name: MasterName, codecChecks: readonly CodecCheck[], { path: written }: RenderedMaster) => ({
    file: nameOf(name, { path: written }),
    chainGainDb: delivery.treatedLufs - song.sourceLufs,
    source: costSourceOf(song.analysis),
    codecChecks,
  })
  // The upload file keeps the name of the master for all services even when other masters share it.
  const uploaded = new Set(delivery.files.get(RELEASE)?.map(({ path: written }) => written))
  const filesOf = (name: MasterName) =>
    (delivery.files.get(name) ?? []).map((one) => ({
      ...one,
      file: nameOf(uploaded.has(one.path) ? RELEASE : name, one),
    }))
  const unmatched = delivery.masters.map(({ target, master, codecChecks }) => {
    const result = masterResult(master, target, context(target.platform, codecChecks, master))
    return { master, result: withFormatFiles(result, formats, filesOf(target.platform), master) }
  })
  const results = unmatched.map(({ result }) => result)
  const masters = unmatched.map(({ master, result }) => ({ master, result: withSameBytes(result, results) }))
  const { release: made } = delivery
  const targets = delivery.masters.map(({ target }) => target)
  const ofRelease =
    made && releaseResult(made.master, made.target, targets, context(RELEASE, made.codecChecks, made.master))
  const release = made && {
    master: made.master,
    result: withFormatFiles(withSameBytes(ofRelease!, results), formats, filesOf(RELEASE), made.master),
  }
  const wavs = [...masters, ...(release ? [release] : [])].map(({ master, result }) => ({
    ...master,
    file: result.file,
  }))
  const further = [...targets.map(({ platform }) => platform), RELEASE].flatMap(filesOf)
  const all = [...wavs, ...further].map(({ file, path: written, sizeBytes, sha256, crc32 }): PackedFile => {
    return { file, kept: path.basename(written), sizeBytes, sha256, crc32 }
  })
  return { masters, release, packed: [...new Map(all.map((one) => [one.file, one])).values()] }
}
