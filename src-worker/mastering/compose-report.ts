/** The report of a job as data, before its numbers are rounded. Pure. */
import { RELEASE } from '../../src-contract/delivery-target.ts'
import { resultForecast } from '../../src-contract/playback-forecast.ts'
import type { MasterResult, ReleaseResult, Report } from '../../src-contract/report.ts'
import { shownSettings } from '../../src-contract/settings.ts'
import { changeSummary } from '../../src-contract/text/summary.ts'
import { warningText } from '../../src-contract/text/text.ts'
import { toWireValues } from '../../src-contract/wire-values.ts'
import { engineVersion } from '../../src-engine/version.ts'
import { chooseTitle, titleFile } from '../result/names.ts'
import type { PreparedSong } from './prepare-song.ts'
import type { RenderedMaster } from './render-master.ts'
import {
  bandwidthOf,
  codecName,
  finaliseDecisions,
  masterFigures,
  sourceFigures,
  targetBeside,
} from './report-facts.ts'
import { finishingOf, recipeOf } from './report-recipe.ts'
import { songSuggestion } from './song-suggestion.ts'
import type { WarningFact, WorkOrder } from './work-order.ts'

/** A written master and the result of its platform. */
export interface ReportedMaster {
  readonly master: RenderedMaster
  readonly result: MasterResult
}

/** Returns the title of a song: from the request, else from its tags, else from its file name. */
export function titleOf({ title, source }: WorkOrder): string {
  return chooseTitle(title, source.facts.tags.title, titleFile(source))
}

/** Returns the report of a job whose masters are written and measured. */
export function composeReport(
  order: WorkOrder,
  song: PreparedSong,
  masters: readonly ReportedMaster[],
  warnings: readonly WarningFact[],
  release?: { readonly master: RenderedMaster; readonly result: ReleaseResult },
): Report {
  const { source, artist = source.facts.tags.artist } = order
  const { analysis, reference, plan } = song
  const suggestion = songSuggestion(analysis, source, order.settings)
  const results = masters.map(({ result }) => result)
  const decisions = [...song.decisions, ...finaliseDecisions(results)].map((decision) => ({
    ...decision,
    values: toWireValues(decision.values),
  }))
  return {
    report_version: 2,
    job_id: order.jobId,
    title: titleOf(order),
    ...(artist ? { artist } : {}),
    filename: source.filename,
    ...(order.reference ? { reference_filename: order.reference.filename } : {}),
    ...(order.stems ? { stems: order.stems } : {}),
    created_at: order.createdAt,
    engine_version: engineVersion,
    ffmpeg_version: order.ffmpeg.version,
    source_sha256: source.sha256,
    settings: shownSettings(order.settings),
    source: sourceOf(order, song),
    ...(reference ? { reference: sourceFigures(reference) } : {}),
    ...(plan.targetSpectrum ? { target_spectrum: targetBeside(analysis, plan.targetSpectrum) } : {}),
    summary: changeSummary(decisions, results),
    ...(suggestion ? { suggestion } : {}),
    forecast: resultForecast(results, release?.result),
    recipe: recipeOf(order, song.recipe, [
      ...masters.map(({ master: { plan }, result }) => ({ name: result.platform, plan, result })),
      ...(release ? [{ name: RELEASE, plan: release.master.plan, result: release.result }] : []),
    ]),
    repairs: [...song.repairs],
    decisions,
    warnings: warnings.map((warning) => ({
      ...warning,
      message: warningText(warning.code, warning.values),
      ...(warning.values ? { values: toWireValues(warning.values) } : {}),
    })),
    masters: masters.map(({ master, result }) => ({ result, ...measuredOf(master) })),
    ...(release ? { release: { result: release.result, ...measuredOf(release.master) } } : {}),
  }
}

function measuredOf(master: RenderedMaster) {
  return { finishing: finishingOf(master.plan), ...masterFigures(master) }
}

function sourceOf({ source }: WorkOrder, { analysis }: PreparedSong): Report['source'] {
  const { facts } = source
  return {
    codec: codecName(source),
    ...(facts.bitDepth === undefined ? {} : { bit_depth: facts.bitDepth }),
    ...(facts.bitRate === undefined ? {} : { bit_rate_bps: facts.bitRate }),
    sample_rate_hz: facts.sampleRateHz,
    channels: facts.channels,
    duration_seconds: facts.durationSeconds,
    bandwidth_hz: bandwidthOf(analysis, facts),
    ...sourceFigures(analysis),
  }
}
