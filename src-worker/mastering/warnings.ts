/** Warnings about a song and its masters. Pure. */
import { formatFacts } from '../../src-contract/formats.ts'
import type { MasterResult, ReleaseResult } from '../../src-contract/report.ts'
import type { JobSettings } from '../../src-contract/settings.ts'
import { clockTenths, codecLabel } from '../../src-contract/text/numbers.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { foldDownLossDb } from '../../src-engine/dsp/meters/stereo.ts'
import type { MasteringPlan } from '../../src-engine/plan.ts'
import type { TagLosses } from '../media/audio-facts.ts'
import { type Gap, placesOf, sampleCount } from '../media/damaged-samples.ts'
import { decodedRateHz } from '../media/decode.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import { lengthWarnings } from '../media/length-warnings.ts'
import { bandwidthOf, type CodecCheck, codecName } from './report-facts.ts'
import type { StoredSong, WarningFact } from './work-order.ts'

/** Results of the analysis and planning of one song. */
interface Findings {
  readonly analysis: SourceAnalysis
  readonly plan: MasteringPlan
  readonly bridgedGaps: readonly Gap[]
}

/** A song, its mastering settings, and the ffmpeg that reads it. */
interface SongFound {
  readonly ffmpeg: Ffmpeg
  readonly source: Pick<StoredSong, 'facts'>
  readonly settings: Pick<JobSettings, 'fade_out_seconds'>
}

/** Returns the warnings about a song from its plan, its sound and its file; the plan's come first. */
export function songWarnings(
  { ffmpeg, source: { facts }, settings }: SongFound,
  { analysis, plan, bridgedGaps }: Findings,
): WarningFact[] {
  const isPart = facts.claimedSeconds !== undefined || facts.uncountedSeconds !== undefined
  // If the end of the file is missing or unused, another warning names the cause; a fade-out cures it.
  const isTold = isPart || settings.fade_out_seconds > 0
  const found = plan.warnings.filter(({ code }) => !(isTold && code === 'INPUT_BREAKS_OFF'))
  const warnings = found.map((warning): WarningFact => {
    if (warning.code === 'INPUT_LOSSY') return { ...warning, values: { codec: codecName({ facts }) } }
    if (warning.code !== 'INPUT_BAND_LIMITED') return warning
    return { ...warning, values: { cutoffHz: Math.round(bandwidthOf(analysis, facts) ?? 0) } }
  })
  warnings.push(...lengthWarnings(facts))
  if (facts.damagedSeconds !== undefined) {
    const values = { seconds: Math.max(0.1, Math.round(facts.damagedSeconds * 10) / 10) }
    warnings.push({ code: 'INPUT_DAMAGED', values })
  }
  if (bridgedGaps.length > 0) warnings.push(samplesWarning(bridgedGaps, decodedRateHz(facts.sampleRateHz)))
  const lossDb = monoLossDb(analysis)
  if (lossDb >= HEARD_MONO_LOSS_DB) {
    warnings.push({ code: 'INPUT_OUT_OF_PHASE', values: { lossDb: Math.round(lossDb * 10) / 10 } })
  }
  if (analysis.sampleRateHz !== facts.sampleRateHz) {
    const resampler = ffmpeg.hasSoxr ? 'soxr' : 'swr'
    const values = { fromHz: facts.sampleRateHz, toHz: analysis.sampleRateHz, resampler }
    warnings.push({ code: 'INPUT_RESAMPLED', values })
  }
  if (facts.track) {
    const { index, count } = facts.track
    warnings.push({ code: 'INPUT_OTHER_TRACKS', values: { track: index + 1, count } })
  }
  if (facts.hasProvenance) warnings.push({ code: 'INPUT_PROVENANCE_DROPPED' })
  return [...warnings, ...tagWarnings(facts.tagLosses ?? {})]
}

/** Places of damaged samples that a warning names. */
const NAMED_PLACES = 3

function samplesWarning(gaps: readonly Gap[], sampleRateHz: number): WarningFact {
  const places = placesOf(gaps).map((frame) => clockTenths(frame / sampleRateHz))
  const more = places.length - NAMED_PLACES
  return {
    code: 'INPUT_SAMPLES_DAMAGED',
    values: {
      count: sampleCount(gaps),
      places: places.slice(0, NAMED_PLACES).join(', '),
      ...(more > 0 ? { morePlaces: more } : {}),
    },
  }
}

function tagWarnings({ cover, otherPictures, cutTags }: TagLosses): WarningFact[] {
  return [
    ...(cover ? [{ code: 'INPUT_COVER_DROPPED' as const, values: { reason: cover } }] : []),
    ...(otherPictures ? [{ code: 'INPUT_PICTURES_DROPPED' as const, values: { count: otherPictures } }] : []),
    ...(cutTags ? [{ code: 'INPUT_TAGS_CUT' as const, values: { names: cutTags.join(', ') } }] : []),
  ]
}

/** Uncorrelated channels lose 3 dB when summed; at twice that they cancel each other. */
const HEARD_MONO_LOSS_DB = 6
/** Cap of the reported loss: beyond it hardly anything is left, and the exact figure depends on rounding. */
const MOST_MONO_LOSS_DB = 60

/** By how much the sum of the channels is weaker than the channels, dB, 0 to 60. */
function monoLossDb({ sideToMidDb }: SourceAnalysis): number {
  return sideToMidDb === null ? 0 : Math.min(MOST_MONO_LOSS_DB, foldDownLossDb(sideToMidDb))
}

/** Returns which masters stop below their target, and which of their copies go above full scale, platform by platform. */
export function masterWarnings(results: readonly MasterResult[], release?: ReleaseResult): WarningFact[] {
  const all = [
    ...results.map((result) => ({ ...result, about: { platform: result.platform } })),
    ...(release ? [{ ...release, about: { file: release.file } }] : []),
  ]
  const ofMasters = all.flatMap((result): WarningFact[] => {
    const { about, codec_checks: checks = [] } = result
    const missingLu = Math.round((result.target_lufs - result.integrated_lufs) * 10) / 10
    const short: WarningFact[] =
      result.verdict === 'below_target' ? [{ code: 'TARGET_NOT_REACHED', ...about, values: { missingLu } }] : []
    const overshoots = worstReadings(checks).map(
      (check): WarningFact => ({
        code: 'CODEC_OVERSHOOT',
        ...about,
        values: { codec: check.codec, truePeakDbtp: Math.round(check.true_peak_dbtp * 100) / 100 },
      }),
    )
    return [...short, ...overshoots]
  })
  return [...ofMasters, ...fileWarnings(all)]
}

/** Returns the highest reading of each codec that exceeds full scale, over all its encoders. */
function worstReadings(checks: readonly CodecCheck[]): CodecCheck[] {
  const byCodec = Map.groupBy(
    checks.filter((check) => check.true_peak_dbtp > 0),
    ({ codec }) => codecLabel(codec),
  )
  return [...byCodec.values()].map((same) =>
    same.reduce((worst, check) => (check.true_peak_dbtp > worst.true_peak_dbtp ? check : worst)),
  )
}

/** Returns which lossy files go above full scale although they were turned down, each file once. */
function fileWarnings(results: readonly Pick<MasterResult, 'files'>[]): WarningFact[] {
  const files = [...new Map(results.flatMap(({ files: made = [] }) => made.map((one) => [one.file, one]))).values()]
  return files
    .filter(({ format, true_peak_dbtp }) => formatFacts(format).kilobits !== undefined && true_peak_dbtp > 0)
    .map(({ format, file, true_peak_dbtp }): WarningFact => {
      const values = { codec: formatFacts(format).name, truePeakDbtp: Math.round(true_peak_dbtp * 100) / 100 }
      return { code: 'CODEC_OVERSHOOT', file, values }
    })
}
