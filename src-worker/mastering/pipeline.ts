/** One song from its stored file to the finished ZIP. Computes only: no database, no network, no clock. */
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { targetsOf } from '../../src-contract/delivery-target.ts'
import { MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import { mix } from '../../src-engine/dsp/units.ts'
import type { SongTags } from '../media/audio-facts.ts'
import { readCover } from '../media/tags.ts'
import { resultFolderName, safeTitle } from '../result/names.ts'
import { packageResult } from '../result/package.ts'
import { reportHtml } from '../result/report-html.ts'
import { reportJson, roundReport } from '../result/report-json.ts'
import { composeReport, titleOf } from './compose-report.ts'
import { costSourceOf } from './costs.ts'
import { type Delivery, deliverMasters } from './deliver.ts'
import { CHAIN_PART, type PreparedSong, prepareSong } from './prepare-song.ts'
import { createProgressMeter, MASTERING_WEIGHTS, type ProgressMeter } from './progress-meter.ts'
import { type RenderPool, withRenderPool } from './render-pool.ts'
import { masterResult, withSameBytes } from './report-facts.ts'
import { masterWarnings } from './warnings.ts'
import { WorkFailure } from './work-failure.ts'
import type { WorkOrder, WorkProgress, WorkResult } from './work-order.ts'

const JSON_FILE = 'report.json'
const HTML_FILE = 'report.html'

/**
 * Masters one song and leaves the ZIP, report.json and report.html in the attempt folder, nothing else. Throws a {@link WorkFailure}
 * for failures with a code of their own, the reason of an aborted `cancelled`, or what ffmpeg, the disk or the engine throws; everything
 * that it has started has ended then.
 */
export async function masterSong(
  order: WorkOrder,
  send: (progress: WorkProgress) => void,
  cancelled: AbortSignal,
): Promise<WorkResult> {
  if (order.source.facts.durationSeconds < MIN_DURATION_SECONDS) throw new WorkFailure('TOO_SHORT')
  const progress = createProgressMeter(MASTERING_WEIGHTS[order.settings.tier], send)
  return withRenderPool(order.threads, cancelled, async (pool, signal) => {
    const song = await prepareSong(order, progress.report, signal)
    const delivered = await deliverSong(order, song, pool, progress.report, signal)
    await pool.close()
    progress.report('packaging', 0)
    const result = await packageSong(order, song, delivered, signal)
    progress.report('packaging', 1)
    return result
  })
}

async function deliverSong(
  order: WorkOrder,
  song: PreparedSong,
  pool: RenderPool,
  report: ProgressMeter['report'],
  signal: AbortSignal,
): Promise<Delivery> {
  const { source, ffmpeg, attemptFolder: folder, seed } = order
  const { tier, intensity } = order.settings
  const cover = source.facts.hasCover
    ? await readCover(ffmpeg, { path: source.path, format: source.facts.format }, signal)
    : undefined
  return deliverMasters(
    song.takeAudio,
    {
      targets: targetsOf(order.settings),
      tier,
      intensity,
      seed,
      cover,
      tags: songTags(order),
    },
    {
      ffmpeg,
      folder,
      pool,
      signal,
      onProgress: (stage, part) => report(stage, stage === 'rendering' ? mix(CHAIN_PART, 1, part) : part),
    },
  )
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
      source: costSourceOf(song.analysis),
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
