/** Renders one master of a song without tags, report and package; its samples equal those of a job's file. */
import { targetsOf, withReferenceLoudness } from '../../src-contract/delivery-target.ts'
import { MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import { costSourceOf } from '../mastering/costs.ts'
import { type Delivered, deliverMasters } from '../mastering/deliver.ts'
import { type PreparedSong, prepareSong } from '../mastering/prepare-song.ts'
import { createProgressMeter, MASTERING_WEIGHTS } from '../mastering/progress-meter.ts'
import { withRenderPool } from '../mastering/render-pool.ts'
import { masterFigures, masterResult } from '../mastering/report-facts.ts'
import { WorkFailure } from '../mastering/work-failure.ts'
import type { RenderedAlone, RenderOrder, WorkProgress } from '../mastering/work-order.ts'
import { roundReport } from '../result/report-json.ts'

/**
 * Renders the master of one platform as a job with these settings does, candidates and codec proofs included, and leaves only its WAV in
 * the attempt folder. Throws as `masterSong` does.
 */
export async function renderAlone(
  order: RenderOrder,
  send: (progress: WorkProgress) => void,
  cancelled: AbortSignal,
): Promise<RenderedAlone> {
  const { source, settings, ffmpeg, attemptFolder: folder, seed, platform } = order
  if (source.facts.durationSeconds < MIN_DURATION_SECONDS) throw new WorkFailure('TOO_SHORT')
  const { report } = createProgressMeter(MASTERING_WEIGHTS[settings.tier], send)
  return withRenderPool(order.threads, cancelled, async (pool, signal) => {
    const song = await prepareSong(order, report, signal)
    const { tier, intensity } = settings
    const targets = targetsOf(withReferenceLoudness(settings, song.reference))
    const { masters, treatedLufs } = await deliverMasters(
      song.takeAudio,
      { targets, tier, intensity, seed, tags: {}, edges: settings, only: platform },
      { ffmpeg, folder, pool, signal, onProgress: report },
    )
    return renderedAlone(masters[0]!, treatedLufs, song)
  })
}

/** Returns the facts of a single rendered master. Throws an Error if it misses its target and the plan did not say so. */
export function renderedAlone(
  { master, target }: Delivered,
  treatedLufs: number,
  { sourceLufs, analysis, recipe, decisions }: Pick<PreparedSong, 'sourceLufs' | 'analysis' | 'recipe' | 'decisions'>,
): RenderedAlone {
  const { path, sizeBytes, sha256, sampleRateHz, bitDepth, durationSeconds, measurement } = master
  const chainGainDb = treatedLufs - sourceLufs
  const result = masterResult(master, target, { file: '', chainGainDb, source: costSourceOf(analysis) })
  return {
    ...{ path, sizeBytes, sha256, sampleRateHz, bitDepth, durationSeconds },
    integratedLufs: result.integrated_lufs,
    truePeakDbtp: result.true_peak_dbtp,
    gainDb: result.gain_db,
    meanGainReductionDb: result.mean_gain_reduction_db,
    verdict: result.verdict,
    recipe,
    decisions,
    shortTermLufs: measurement.curves.shortTermLufs,
    stepSeconds: measurement.curves.stepSeconds,
    figures: roundReport(masterFigures(master)),
  }
}
