/** Figures of a song as the stage draws them: from the report of its job, else from its analysis and audition. Pure. */

import type { BatchSong } from '../../src-contract/app.ts'
import type { AuditionPicture } from '../../src-contract/auditions.ts'
import type { Job } from '../../src-contract/jobs.ts'
import type { Report, Warning } from '../../src-contract/report.ts'
import { fromWireValues } from '../../src-contract/wire-values.ts'
import { finiteOrNull, gainToDb } from '../../src-engine/dsp/units.ts'
import { thirdOctaveHz } from '../drawing/response.ts'
import { commonRateHz, heardSeconds } from './listen-versions.ts'

export interface StageFacts {
  /** Length of what is heard, s. */
  readonly durationSeconds: number
  /** Rate at which samples are read for the zoomed lanes, Hz. */
  readonly rateHz: number
  readonly sourceLufs: number | null
  readonly curves: Report['source']['curves']
  readonly spectrum: Report['source']['spectrum'] | undefined
  readonly referenceSpectrum: Report['source']['spectrum'] | undefined
  readonly targetSpectrum: Report['target_spectrum']
  /** Highest frequency of the song's music where it ends early, Hz. */
  readonly cutoffHz: number | undefined
  /** True if the song is clipped: its full-scale peaks are then marked. */
  readonly isClipped: boolean
  /** Target of the loudness lane while no master is shown, LUFS. */
  readonly targetLufs: number
}

const isClipped = (warnings: readonly Warning[] | undefined): boolean =>
  warnings?.some(({ code }) => code === 'INPUT_CLIPPED') ?? false

/** Returns the frequency above which a song contains nothing, Hz, from its warnings; undefined where it reaches the top. */
export function cutoffOf(warnings: readonly Warning[] | undefined): number | undefined {
  const found = warnings?.find(({ code }) => code === 'INPUT_BAND_LIMITED')
  const cutoffHz = Number(fromWireValues(found?.values ?? {}).cutoffHz)
  return cutoffHz > 0 ? cutoffHz : undefined
}

const USUAL_TARGET_LUFS = -14

/** Returns the facts of a mastered song. */
export function factsOfReport(job: Job, report: Report): StageFacts {
  const { source, reference, target_spectrum, masters } = report
  return {
    durationSeconds: heardSeconds(report),
    rateHz: commonRateHz(report),
    sourceLufs: source.measurement.integrated_lufs,
    curves: source.curves,
    spectrum: source.spectrum,
    referenceSpectrum: reference?.spectrum,
    targetSpectrum: target_spectrum,
    cutoffHz: cutoffOf(job.warnings),
    isClipped: isClipped(job.warnings),
    targetLufs: masters[0]?.result.target_lufs ?? USUAL_TARGET_LUFS,
  }
}

/** Returns the facts of a song before it is mastered: those of its picture, until it is there those of its analysis. */
export function factsOfSong(
  { source, analysis }: BatchSong,
  picture: AuditionPicture | null,
  target: { readonly spectrum: Report['target_spectrum'] | null; readonly lufs: number },
): StageFacts {
  const { duration_seconds: durationSeconds, sample_rate_hz: rateHz } = source
  const peaks = analysis?.waveform_percent ?? []
  const summary = {
    step_seconds: durationSeconds / Math.max(1, peaks.length),
    peak_dbfs: peaks.map((percent) => finiteOrNull(gainToDb(percent / 100))),
    short_term_lufs: [],
    gain_reduction_db: [],
  }
  const tone = analysis && {
    band_hz: analysis.tone_db.map((_, band) => thirdOctaveHz(band)),
    mid_db: [...analysis.tone_db],
    side_db: analysis.tone_db.map(() => null),
  }
  return {
    durationSeconds,
    rateHz,
    sourceLufs: analysis?.integrated_lufs ?? null,
    curves: picture?.source.curves ?? summary,
    spectrum: picture?.source.spectrum ?? tone ?? undefined,
    referenceSpectrum: picture?.reference?.spectrum,
    targetSpectrum: target.spectrum ?? undefined,
    cutoffHz: cutoffOf(analysis?.warnings),
    isClipped: isClipped(analysis?.warnings),
    targetLufs: target.lufs,
  }
}
