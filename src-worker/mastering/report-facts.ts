/** Conversion of the engine's measurements to members of the report, with the verdicts that a report contains. Pure. */
import {
  type DeliveryTarget,
  type MasterName,
  type MasterTarget,
  playbackGainDb,
  RELEASE,
} from '../../src-contract/delivery-target.ts'
import type { PlaybackRule } from '../../src-contract/platforms/platform.ts'
import type {
  Decision,
  MasterResult,
  Measurement,
  Pictured,
  ReleaseResult,
  Spectrum,
} from '../../src-contract/report.ts'
import { isOtherContainer, OTHER_CONTAINERS } from '../../src-contract/song-files.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import type { Curves } from '../../src-engine/dsp/meters/dynamics.ts'
import { type BandLevels, silentDb } from '../../src-engine/dsp/meters/spectrum.ts'
import { finiteOrNull } from '../../src-engine/dsp/units.ts'
import type { AudioFacts } from '../media/audio-facts.ts'
import { type CostSource, costsOf } from './costs.ts'
import type { MasterMeasurement } from './measure-master.ts'
import type { RenderedMaster } from './render-master.ts'
import { WorkFailure } from './work-failure.ts'
import type { StoredSong } from './work-order.ts'

/** One decode of an encoded copy. */
export type CodecCheck = NonNullable<MasterResult['codec_checks']>[number]
type TimeCurves = Pictured['curves']

/** Points of a curve at most: more than a screen shows. */
const MAX_POINTS = 600
/** Lowest DC offset of a master that the report mentions, dBFS: the same as for an offset removed by a repair. */
const TOLD_OFFSET_DBFS = -60
/** Less than this is no change on playback, dB. */
const HEARD_DB = 0.1

/** Figures of the source or the reference. */
export function sourceFigures(analysis: SourceAnalysis): Pictured {
  return {
    measurement: measurementOf(analysis),
    spectrum: spectrumOf(analysis.comparedSpectrum),
    curves: thinnedCurves(analysis.curves),
  }
}

/** Figures of a written master. */
export function masterFigures(master: RenderedMaster): Pictured {
  return {
    measurement: masterMeasurement(master.measurement),
    spectrum: spectrumOf(master.measurement.spectrum),
    curves: masterCurves(master),
  }
}

/** Numbers of the source or the reference. */
export function measurementOf(analysis: SourceAnalysis): Measurement {
  return {
    integrated_lufs: analysis.integratedLufs,
    short_term_max_lufs: analysis.shortTermMaxLufs,
    momentary_max_lufs: analysis.momentaryMaxLufs,
    loudness_range_lu: analysis.loudnessRangeLu,
    true_peak_dbtp: analysis.truePeakDbtp,
    sample_peak_dbfs: analysis.samplePeakDbfs,
    plr_db: analysis.plrDb,
    crest_factor_db: analysis.crestFactorDb,
    correlation: analysis.correlation,
    side_to_mid_db: analysis.sideToMidDb,
  }
}

/** Numbers of a written master. */
function masterMeasurement(measured: MasterMeasurement): Measurement {
  return {
    integrated_lufs: finiteOrNull(measured.integratedLufs),
    short_term_max_lufs: finiteOrNull(measured.shortTermMaxLufs),
    momentary_max_lufs: finiteOrNull(measured.momentaryMaxLufs),
    loudness_range_lu: measured.loudnessRangeLu,
    true_peak_dbtp: finiteOrNull(measured.truePeakDbtp),
    sample_peak_dbfs: finiteOrNull(measured.samplePeakDbfs),
    plr_db: finiteOrNull(measured.truePeakDbtp - measured.integratedLufs),
    crest_factor_db: finiteOrNull(measured.crestFactorDb),
    correlation: measured.correlation,
    side_to_mid_db: measured.sideToMidDb <= silentDb ? null : finiteOrNull(measured.sideToMidDb),
  }
}

/**
 * Highest frequency with music in it, Hz; null without a cutoff. For a file with a low rate it is at most half of the rate, however wide
 * the band.
 */
export function bandwidthOf(
  { bandwidthHz }: Pick<SourceAnalysis, 'bandwidthHz'>,
  { sampleRateHz }: AudioFacts,
): number | null {
  return bandwidthHz === null ? null : Math.min(bandwidthHz, sampleRateHz / 2)
}

/** Third octaves; a band without sound is null. */
export function spectrumOf({ bandHz, midDb, sideDb }: BandLevels): Spectrum {
  const level = (db: number) => (db <= silentDb ? null : db)
  return { band_hz: [...bandHz], mid_db: midDb.map(level), side_db: sideDb.map(level) }
}

/**
 * Returns a target spectrum comparable with those of the song and its masters, which come from fewer frames than the plan: each level is
 * shifted by the difference between both in the song's own spectrum.
 */
export function targetBeside({ spectrum, comparedSpectrum }: SourceAnalysis, target: Spectrum): Spectrum {
  const moved = (levels: Spectrum['mid_db'], all: readonly number[], compared: readonly number[]) =>
    levels.map((level, b) => {
      const isHeard = all[b]! > silentDb && compared[b]! > silentDb
      return level === null || !isHeard ? level : level + compared[b]! - all[b]!
    })
  return {
    band_hz: target.band_hz,
    mid_db: moved(target.mid_db, spectrum.midDb, comparedSpectrum.midDb),
    side_db: moved(target.side_db, spectrum.sideDb, comparedSpectrum.sideDb),
  }
}

/** Curves thinned to at most 600 points: the last loudness, the largest peak, the mean correlation of each step. */
function thinnedCurves(curves: Curves): TimeCurves {
  const count = groupSize(curves.peakDbfs.length)
  return {
    step_seconds: round(curves.stepSeconds * count),
    short_term_lufs: thin(curves.shortTermLufs, count, lastOf),
    peak_dbfs: thin(curves.peakDbfs, count, largestOf),
    correlation: thin(curves.correlation, count, meanOf),
  }
}

/** The same of a written master, with the largest reduction by clipper and limiter together in each step. */
export function masterCurves({ measurement: { curves }, gainReductionDb }: RenderedMaster): TimeCurves {
  const points = curves.peakDbfs.length
  const reductionDb = Array.from(gainReductionDb.subarray(0, points))
  return { ...thinnedCurves(curves), gain_reduction_db: thin(reductionDb, groupSize(points), largestOf) }
}

type Values = readonly (number | null)[]

function groupSize(points: number): number {
  return Math.max(1, Math.ceil(points / MAX_POINTS))
}

function thin(values: Values, count: number, pick: (group: Values) => number | null): (number | null)[] {
  return Array.from({ length: Math.ceil(values.length / count) }, (_, i) =>
    pick(values.slice(i * count, (i + 1) * count)),
  )
}

const lastOf = (group: Values): number | null => group.at(-1) ?? null

function largestOf(group: Values): number | null {
  return group.reduce((most, value) => (value === null || (most !== null && most >= value) ? most : value), null)
}

function meanOf(group: Values): number | null {
  return group.reduce<number>((sum, value) => sum + (value ?? 0), 0) / group.length
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

/** Returns the known gain that a service applies on playback to a master of this loudness and peak. */
function playbackOf(
  rule: PlaybackRule,
  master: { readonly integratedLufs: number; readonly truePeakDbtp: number },
): MasterResult['playback'] {
  if (rule.referenceLufs === null) return { action: 'unknown', gain_db: 0 }
  const gainDb = playbackGainDb(rule, master)
  if (Math.abs(gainDb) <= HEARD_DB) return { action: 'leave', gain_db: 0 }
  return { action: gainDb < 0 ? 'turn_down' : 'turn_up', gain_db: gainDb }
}

/** Largest distance from the target that counts as on target, LU. */
const ON_TARGET_LU = 0.05

/** A miss of this size that the plan did not announce is a defect of the engine, LU. */
const BROKEN_PROMISE_LU = 0.5

/**
 * Returns the result of one platform: target, measurements of the written file, gain reduction. Throws a
 * WorkFailure if the file is silent, and an Error if it misses its target by more than 0.5 LU and the plan did not say so: such a master is
 * not delivered.
 */
export function masterResult(master: RenderedMaster, target: DeliveryTarget, more: ResultContext): MasterResult {
  const { platform, playback } = target
  const figures = figuresOf(master, target, platform, more)
  return { platform, ...figures, playback: playbackOf(playback, master.measurement) }
}

/** Returns the result of the master for all services, with its playback on each of `targets`. Throws as {@link masterResult}. */
export function releaseResult(
  master: RenderedMaster,
  target: MasterTarget,
  targets: readonly DeliveryTarget[],
  more: ResultContext,
): ReleaseResult {
  const playback = targets.map(({ platform, playback: rule }) => ({
    platform,
    ...playbackOf(rule, master.measurement),
  }))
  return { ...figuresOf(master, target, RELEASE, more), playback }
}

/** Context of a result besides its master and target. */
interface ResultContext {
  readonly file: string
  readonly chainGainDb: number
  readonly source: CostSource
  readonly codecChecks?: readonly CodecCheck[]
}

function figuresOf(
  master: RenderedMaster,
  target: MasterTarget,
  name: MasterName,
  more: ResultContext,
): Omit<MasterResult, 'platform' | 'playback'> {
  const { plan, measurement, whole = measurement } = master
  if (!Number.isFinite(measurement.integratedLufs)) throw new WorkFailure('DIGITAL_SILENCE')
  const missLu = Math.abs(whole.integratedLufs - target.targetLufs)
  const isOnTarget = missLu <= ON_TARGET_LU
  if (missLu > BROKEN_PROMISE_LU && (plan.verdict === 'on_target' || plan.targetLufs !== target.targetLufs)) {
    throw new Error(`the master for ${name} is ${missLu.toFixed(2)} LU off its target`)
  }
  const levels = {
    plr_db: measurement.truePeakDbtp - measurement.integratedLufs,
    max_gain_reduction_db: Math.max(0, ...master.gainReductionDb),
    mean_gain_reduction_db: plan.meanGainReductionDb,
    ...(more.codecChecks && more.codecChecks.length > 0 ? { codec_checks: [...more.codecChecks] } : {}),
  }
  return {
    file: more.file,
    size_bytes: master.sizeBytes,
    sha256: master.sha256,
    sample_rate_hz: master.sampleRateHz,
    bit_depth: master.bitDepth,
    target_lufs: target.targetLufs,
    target_confidence: target.targetConfidence,
    ceiling_dbtp: target.ceilingDbtp,
    ceiling_confidence: target.ceilingConfidence,
    integrated_lufs: measurement.integratedLufs,
    short_term_max_lufs: finiteOrNull(measurement.shortTermMaxLufs),
    momentary_max_lufs: finiteOrNull(measurement.momentaryMaxLufs),
    loudness_range_lu: measurement.loudnessRangeLu,
    true_peak_dbtp: measurement.truePeakDbtp,
    gain_db: plan.gainDb + more.chainGainDb,
    ...levels,
    clip_budget_db: plan.clipBudgetDb,
    ...(master.offsetRemovedDbfs === undefined ? {} : { offset_removed_dbfs: master.offsetRemovedDbfs }),
    verdict: isOnTarget ? 'on_target' : 'below_target',
    ...(isOnTarget ? {} : { verdict_reason: plan.reason ?? 'gain_reduction' }),
    costs: costsOf(
      { ...levels, plr_db: whole.truePeakDbtp - whole.integratedLufs, sideToMidDb: whole.sideToMidDb },
      more.source,
    ),
  }
}

/** Returns one result of several with the platforms that share its bytes. Pure. */
export function withSameBytes<Result extends MasterResult | ReleaseResult>(
  result: Result,
  all: readonly MasterResult[],
): Result {
  const others = all.filter((one) => one.sha256 === result.sha256 && one !== (result as unknown))
  return others.length === 0 ? result : { ...result, same_bytes_as: others.map(({ platform }) => platform) }
}

/**
 * Returns the decisions of loudness targeting: the work of clipper and limiter on the hardest-driven master, the ceilings that were
 * lowered for a lossy copy, and the masters that stop below their target.
 */
export function finaliseDecisions(results: readonly MasterResult[]): Decision[] {
  const hardest = results.reduce((most, result) =>
    result.max_gain_reduction_db > most.max_gain_reduction_db ? result : most,
  )
  const short = (db: number) => Math.round(db * 10) / 10
  const values = { platform: hardest.platform, gainDb: short(hardest.gain_db) }
  const freed = offsetDecisions(results)
  if (hardest.max_gain_reduction_db < 0.05 && hardest.clip_budget_db === 0) {
    return [{ stage: 'limit', code: 'GAIN_ONLY', values }, ...freed]
  }
  const clip: Decision =
    hardest.clip_budget_db > 0.05
      ? {
          stage: 'clip',
          code: 'CLIP_BUDGET_CHOSEN',
          values: { platform: hardest.platform, clipBudgetDb: short(hardest.clip_budget_db) },
        }
      : { stage: 'clip', code: 'CLIP_NOT_USED', values: { platform: hardest.platform } }
  const limited: Decision = {
    stage: 'limit',
    code: 'LIMITED',
    values: {
      ...values,
      maxGainReductionDb: short(hardest.max_gain_reduction_db),
      meanGainReductionDb: short(hardest.mean_gain_reduction_db),
    },
  }
  const lowered = results.flatMap(({ platform, codec_checks: checks = [] }): Decision[] => {
    const loweredDb = Math.max(0, ...checks.map(({ ceiling_lowered_db }) => ceiling_lowered_db))
    return loweredDb === 0
      ? []
      : [{ stage: 'limit', code: 'CEILING_LOWERED_FOR_CODEC', values: { platform, loweredDb: short(loweredDb) } }]
  })
  const stopped = results
    .filter(({ verdict }) => verdict === 'below_target')
    .map((result): Decision => {
      const missingLu = short(result.target_lufs - result.integrated_lufs)
      return { stage: 'land', code: 'STOPPED_BELOW_TARGET', values: { platform: result.platform, missingLu } }
    })
  return [clip, limited, ...freed, ...lowered, ...stopped]
}

/** The decision about the largest DC offset removed from a master; empty if all are below the reported level. */
function offsetDecisions(results: readonly MasterResult[]): Decision[] {
  const levelOf = ({ offset_removed_dbfs: level = Number.NEGATIVE_INFINITY }: MasterResult) => level
  const largest = results.reduce((most, result) => (levelOf(result) > levelOf(most) ? result : most))
  if (levelOf(largest) < TOLD_OFFSET_DBFS) return []
  const offsetDbfs = Math.round(levelOf(largest) * 10) / 10
  return [{ stage: 'limit', code: 'RESULT_OFFSET_REMOVED', values: { platform: largest.platform, offsetDbfs } }]
}

/** Names of codecs inside containers, if they do not go without saying. */
const INNER_CODECS: Readonly<Record<string, string>> = {
  aac: 'AAC',
  alac: 'ALAC',
  flac: 'FLAC',
  mp3: 'MP3',
  opus: 'Opus',
  vorbis: 'Vorbis',
}

/** Codec of a stored song for display: "FLAC 24 bit", "MP3 320 kbit/s", "WAV 32 bit float", "M4A ALAC 24 bit", "Ogg Opus 128 kbit/s". */
export function codecName({ facts }: Pick<StoredSong, 'facts'>): string {
  const bitRate = `${Math.round((facts.bitRate ?? 0) / 1000)} kbit/s`
  if (facts.format === 'mp3') return `MP3 ${bitRate}`
  if (isOtherContainer(facts.format)) {
    const amount = facts.isLossy ? facts.bitRate && bitRate : facts.bitDepth && depthOf(facts)
    const parts = [OTHER_CONTAINERS[facts.format].name, INNER_CODECS[facts.codec], amount]
    return parts.filter(Boolean).join(' ')
  }
  return `${facts.format.toUpperCase()} ${depthOf(facts)}`
}

function depthOf({ codec, bitDepth }: Pick<AudioFacts, 'codec' | 'bitDepth'>): string {
  return codec.startsWith('pcm_f') ? `${bitDepth} bit float` : `${bitDepth} bit`
}
