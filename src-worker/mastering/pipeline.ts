/** One song from its stored file to the finished ZIP. Computes only: no database, no network, no clock. */
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import type { Decision, MasterResult, Repair, Report } from '../../src-contract/report.ts'
import { warningText } from '../../src-contract/text/text.ts'
import { toWireValues } from '../../src-contract/wire-values.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { chooseCandidate, type RecipeCandidate, recipeCandidates } from '../../src-engine/candidates.ts'
import { applyRecipe, splitRecipe } from '../../src-engine/chain.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { mix } from '../../src-engine/dsp/units.ts'
import type { MasteringPlan } from '../../src-engine/plan.ts'
import { engineVersion } from '../../src-engine/version.ts'
import type { SongTags } from '../media/audio-facts.ts'
import { readCover } from '../media/tags.ts'
import { chooseTitle, resultFolderName, safeTitle } from '../result/names.ts'
import { packageResult } from '../result/package.ts'
import { reportHtml } from '../result/report-html.ts'
import { reportJson, roundReport } from '../result/report-json.ts'
import { type Delivery, deliverMasters } from './deliver.ts'
import { createProgressMeter, LOOK_WEIGHTS, MASTERING_WEIGHTS, type ProgressMeter } from './progress-meter.ts'
import { editSong, readSong, takenOnce } from './read-song.ts'
import type { RenderedMaster } from './render-master.ts'
import { createRenderPool, type RenderPool } from './render-pool.ts'
import {
  bandwidthOf,
  codecName,
  finaliseDecisions,
  masterCurves,
  masterMeasurement,
  masterResult,
  measurementOf,
  spectrumOf,
  targetBeside,
  thinnedCurves,
  withSameBytes,
} from './report-facts.ts'
import { checkStoredSong, REFERENCE_CODES, readingSong, SOURCE_CODES } from './stored-song.ts'
import { masterWarnings, songWarnings } from './warnings.ts'
import { decisionsDone, repairsOfFaults, withBridgedGaps } from './work-done.ts'
import { WorkFailure } from './work-failure.ts'
import type { WarningFact, WorkOrder, WorkProgress, WorkResult } from './work-order.ts'

const JSON_FILE = 'report.json'
const HTML_FILE = 'report.html'

/**
 * Masters one song and leaves the ZIP, report.json and report.html in the attempt folder, nothing else. Throws a {@link WorkFailure}
 * for what the owner should hear, the reason of an aborted `cancelled`, or what ffmpeg, the disk or the engine throws; nothing that it
 * has started goes on then.
 */
export async function masterSong(
  order: WorkOrder,
  send: (progress: WorkProgress) => void,
  cancelled: AbortSignal,
): Promise<WorkResult> {
  if (order.source.facts.durationSeconds < MIN_DURATION_SECONDS) throw new WorkFailure('TOO_SHORT')
  const progress = createProgressMeter(MASTERING_WEIGHTS[order.tier], send)
  const pool = createRenderPool(order.threads)
  const end = new AbortController()
  const signal = AbortSignal.any([cancelled, end.signal])
  signal.addEventListener('abort', () => void pool.close())
  try {
    const song = await prepareSong(order, progress.report, signal)
    const delivered = await deliverSong(order, song, pool, progress.report, signal)
    await pool.close()
    progress.report('packaging', 0)
    const result = await packageSong(order, song, delivered, signal)
    progress.report('packaging', 1)
    return result
  } catch (error) {
    // Ended threads fail in ways that say nothing; the abort is the reason.
    cancelled.throwIfAborted()
    throw error
  } finally {
    // Where one of two copies failed, the other is still being made: an ffmpeg would outlive this process.
    end.abort()
    await pool.close()
  }
}

type ReportProgress = ProgressMeter['report']

/** Part of the decoding that a reference takes, which is measured as well. */
const REFERENCE_PART = 0.7
/** Part of the rendering that is behind when the chain is through, and when a song at another rate has had its samples edited before. */
const CHAIN_PART = 0.3
const EDIT_PART = 0.2

/** A song that is decoded, understood and treated, up to the limiter. */
interface PreparedSong {
  /** The treated audio: can be taken once, so that nothing keeps it in memory. */
  readonly takeAudio: () => Audio
  readonly analysis: SourceAnalysis
  readonly reference?: SourceAnalysis
  readonly plan: MasteringPlan
  readonly repairs: readonly Repair[]
  /** What was decided and done up to the limiter. */
  readonly decisions: readonly Decision[]
  readonly warnings: readonly WarningFact[]
  /** Loudness of the untreated song. */
  readonly sourceLufs: number
}

async function prepareSong(order: WorkOrder, report: ReportProgress, signal: AbortSignal): Promise<PreparedSong> {
  const isOwnReference = order.reference?.sha256 === order.source.sha256
  const other = isOwnReference ? undefined : order.reference
  report('decoding', 0)
  await checkStoredSong(order.source, SOURCE_CODES, signal)
  if (other) await checkStoredSong(other, REFERENCE_CODES, signal)
  const place = { ffmpeg: order.ffmpeg, folder: order.attemptFolder, signal }
  const behind = other ? REFERENCE_PART : 0
  const look = createProgressMeter(LOOK_WEIGHTS, ({ fraction }) => report('decoding', behind * fraction))
  const foreign =
    other &&
    (await readingSong(place, other, REFERENCE_CODES, () => readSong(order.ffmpeg, other, signal, look.report)))
      .analysis
  const song = await readingSong(place, order.source, SOURCE_CODES, () =>
    readSong(order.ffmpeg, order.source, signal, (stage, part) =>
      report(stage, stage === 'decoding' ? mix(behind, 1, part) : part),
    ),
  )
  const { analysis } = song
  if (analysis.isSilent || analysis.integratedLufs === null) throw new WorkFailure('DIGITAL_SILENCE')
  const reference = isOwnReference ? analysis : foreign
  const { genre, aiService, tier, intensity, referenceAmount } = order
  const candidates = recipeCandidates({
    analysis,
    genre,
    aiService,
    tier,
    intensity,
    referenceAmount,
    ...(reference ? { reference } : {}),
  })
  // Intensity, in which they differ, says nothing about single samples.
  const { edits } = splitRecipe(candidates[0]!.plan.recipe)
  report('analysing', 1)
  let edit = 0
  const edited = song.isConverted
    ? await readingSong(place, order.source, SOURCE_CODES, () =>
        editSong(order.ffmpeg, order.source, song, edits, signal, (part) => {
          edit = EDIT_PART * part
          report('rendering', edit)
        }),
      )
    : { audio: song.takeAudio(), repairs: [] }
  const plan = choosePlan(edited.audio, analysis, song.isConverted ? candidates.map(afterEdits) : candidates)
  signal.throwIfAborted()
  const applied = applyRecipe(edited.audio, plan.recipe, (part) => report('rendering', mix(edit, CHAIN_PART, part)))
  const { decisions: planned } = plan
  const made = repairsOfFaults({ repairs: [...edited.repairs, ...applied.repairs], decisions: planned })
  const { repairs, decisions } = withBridgedGaps({ repairs: made, decisions: planned }, song.bridgedGaps)
  return {
    takeAudio: takenOnce(applied.audio),
    analysis,
    ...(reference ? { reference } : {}),
    plan,
    repairs,
    decisions: decisionsDone(decisions, { ...applied, repairs }, { intensity, plrDb: analysis.plrDb ?? 0 }),
    warnings: songWarnings(order.ffmpeg, order.source, { analysis, plan }),
    sourceLufs: analysis.integratedLufs,
  }
}

/** The plan of the candidate that measures best; tier standard has only one. */
function choosePlan(audio: Audio, analysis: SourceAnalysis, candidates: readonly RecipeCandidate[]): MasteringPlan {
  const { chosen, decision } = chooseCandidate(audio, analysis, candidates)
  return decision ? { ...chosen.plan, decisions: [...chosen.plan.decisions, decision] } : chosen.plan
}

/** A candidate for audio whose single samples are edited already. */
function afterEdits(candidate: RecipeCandidate): RecipeCandidate {
  const { plan } = candidate
  return { ...candidate, plan: { ...plan, recipe: splitRecipe(plan.recipe).rest } }
}

async function deliverSong(
  order: WorkOrder,
  song: PreparedSong,
  pool: RenderPool,
  report: ReportProgress,
  signal: AbortSignal,
): Promise<Delivery> {
  const { source, ffmpeg, attemptFolder: folder, targets, tier, intensity, seed } = order
  const cover = source.facts.hasCover
    ? await readCover(ffmpeg, { path: source.path, format: source.facts.format }, signal)
    : undefined
  return deliverMasters(song.takeAudio, {
    targets,
    tier,
    intensity,
    seed,
    cover,
    pool,
    tags: songTags(order),
    place: { ffmpeg, folder, signal },
    onProgress: (stage, part) => report(stage, stage === 'rendering' ? mix(CHAIN_PART, 1, part) : part),
  })
}

function titleOf({ title, source }: WorkOrder): string {
  return chooseTitle(title, source.facts.tags.title, source.filename)
}

/** The request's title and artist stand over the source's own; every other tag is kept. */
function songTags(order: WorkOrder): SongTags {
  const artist = order.artist ?? order.source.facts.tags.artist
  return { ...order.source.facts.tags, title: titleOf(order), ...(artist ? { artist } : {}) }
}

async function packageSong(
  order: WorkOrder,
  song: PreparedSong,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<WorkResult> {
  const title = titleOf(order)
  const stem = safeTitle(title)
  const measured = delivery.masters.map(({ target, master, codecChecks }) => ({
    master,
    result: masterResult(master, target, {
      file: `${stem}_${target.platform}.wav`,
      chainGainDb: delivery.treatedLufs - song.sourceLufs,
      codecChecks,
    }),
  }))
  const results = measured.map(({ result }) => result)
  const masters = measured.map(({ master, result }) => ({ master, result: withSameBytes(result, results) }))
  const warnings = [...song.warnings, ...masterWarnings(results)]
  const report = roundReport(composeReport(order, song, masters, warnings))
  const texts = [
    { file: JSON_FILE, text: reportJson(report) },
    { file: HTML_FILE, text: reportHtml(report) },
  ]
  for (const { file, text } of texts) await writeFile(path.join(order.attemptFolder, file), text, { mode: 0o600 })
  const packed = masters.map(({ master, result: { file, sha256 } }) => ({ file, sha256, path: master.path }))
  const folderName = resultFolderName(title, order.jobId)
  const zip = await packageResult(order.attemptFolder, folderName, { masters: packed, texts }, signal)
  for (const file of new Set(packed.map(({ path: written }) => written))) await rm(file)
  return {
    masters: report.masters.map(({ result }) => result),
    warnings,
    repairs: report.repairs,
    zip,
    reportJsonFile: JSON_FILE,
    reportHtmlFile: HTML_FILE,
  }
}

function composeReport(
  order: WorkOrder,
  { analysis, reference, plan, repairs, decisions }: PreparedSong,
  masters: readonly { readonly master: RenderedMaster; readonly result: MasterResult }[],
  warnings: readonly WarningFact[],
): Report {
  const { source, artist = source.facts.tags.artist } = order
  return {
    report_version: 2,
    job_id: order.jobId,
    title: titleOf(order),
    ...(artist ? { artist } : {}),
    filename: source.filename,
    ...(order.reference ? { reference_filename: order.reference.filename } : {}),
    created_at: order.createdAt,
    engine_version: engineVersion,
    ffmpeg_version: order.ffmpeg.version,
    source_sha256: source.sha256,
    settings: {
      platforms: order.targets.map(({ platform }) => platform),
      genre: order.genre,
      ai_service: order.aiService,
      tier: order.tier,
      intensity: order.intensity,
      loudness: order.loudness,
      reference_amount: order.referenceAmount,
    },
    source: {
      codec: codecName(source),
      ...(source.facts.bitDepth === undefined ? {} : { bit_depth: source.facts.bitDepth }),
      ...(source.facts.bitRate === undefined ? {} : { bit_rate_bps: source.facts.bitRate }),
      sample_rate_hz: source.facts.sampleRateHz,
      channels: source.facts.channels,
      duration_seconds: source.facts.durationSeconds,
      bandwidth_hz: bandwidthOf(analysis, source.facts),
      measurement: measurementOf(analysis),
      spectrum: spectrumOf(analysis.comparedSpectrum),
      curves: thinnedCurves(analysis.curves),
    },
    ...(reference
      ? {
          reference: {
            measurement: measurementOf(reference),
            spectrum: spectrumOf(reference.comparedSpectrum),
            curves: thinnedCurves(reference.curves),
          },
        }
      : {}),
    ...(plan.targetSpectrum ? { target_spectrum: targetBeside(analysis, plan.targetSpectrum) } : {}),
    repairs: [...repairs],
    decisions: [...decisions, ...finaliseDecisions(masters.map(({ result }) => result))].map((decision) => ({
      ...decision,
      values: toWireValues(decision.values),
    })),
    warnings: warnings.map((warning) => ({
      ...warning,
      message: warningText(warning.code, warning.values),
      ...(warning.values ? { values: toWireValues(warning.values) } : {}),
    })),
    masters: masters.map(({ master, result }) => ({
      result,
      measurement: masterMeasurement(master.measurement),
      spectrum: spectrumOf(master.measurement.spectrum),
      curves: masterCurves(master),
    })),
  }
}
