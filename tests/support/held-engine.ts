/**
 * An engine that does what a test says, when it says it: it takes real work orders, writes real (small) files into the attempt
 * folder, and answers as an engine process does. It masters nothing.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { deliveryTarget, type MasterName } from '../../src-contract/delivery-target.ts'
import type { ErrorParams, FailureCode } from '../../src-contract/errors.ts'
import type { MasterResult, Pictured, ReleaseResult, Report } from '../../src-contract/report.ts'
import { shownSettings } from '../../src-contract/settings.ts'
import { changeSummary } from '../../src-contract/text/summary.ts'
import type { ForkEngine } from '../../src-server/jobs/worker-pool.ts'
import { makeExportFiles, measureRecord } from '../../src-worker/mastering/export-files.ts'
import { describeFailure } from '../../src-worker/mastering/work-failure.ts'
import type {
  AnalysisOrder,
  AuditionEstimate,
  ExportedSound,
  ExportOrder,
  RenderedAlone,
  WorkerCommand,
  WorkerMessage,
  WorkOrder,
  WorkResult,
} from '../../src-worker/mastering/work-order.ts'
import { encodeSteps } from '../../src-worker/result/loudness-steps.ts'
import { composeZip } from '../../src-worker/result/result-zip.ts'

/** One started engine process. */
export interface HeldProcess {
  readonly order: WorkOrder | undefined
  readonly isAnalysis: boolean
  progress(stage: 'decoding' | 'rendering', fraction: number): void
  finish(): void
  fail(code: FailureCode, params?: ErrorParams): void
  /** Ends without an answer, as a killed process does. */
  crash(): void
  /** True once it was asked to stop. */
  readonly isAborted: boolean
  readonly isGone: boolean
}

export interface HeldEngine {
  readonly fork: ForkEngine
  /** Every process started so far. */
  readonly processes: HeldProcess[]
  /** When set, every order is answered at once. */
  isAutomatic: boolean
  /** When set, every look at a song is answered at once. */
  answersLooks: boolean
  /** When set, a process that is asked to stop does not. */
  isStubborn: boolean
  /** When set, a process that has answered ends by a crash or a kill only. */
  isLingering: boolean
  /** When set, every master that belongs to no job fails with it at once. */
  failsRenders?: FailureCode
  /** When set, every master that belongs to no job is this WAV of 24 bit. */
  rendersAlone?: Buffer
  /** When set, the file of every master: a WAV of 24 bit at 44.1 kHz. */
  masterBytes?: Buffer
  /** Error with which a master of a record lands, LU; none when absent. */
  landsOff?: (order: WorkOrder, name: MasterName) => number
  /** Verdict of the masters of a job; on target when absent. */
  verdictOf?: (order: WorkOrder) => MasterResult['verdict']
  /** Loudness of the steps that a look at a song finds, LUFS; −20 when absent. */
  hears?: (order: AnalysisOrder) => number
  /** Called before the files of a track are made. */
  beforeExport?: () => void
  /** When set, the process of auditions ends as soon as a passage is to be heard. */
  crashesPassages?: boolean
}

/** Returns an engine that holds every order until told otherwise. */
export function createHeldEngine({ isAutomatic = false, isStubborn = false, answersLooks = false } = {}): HeldEngine {
  const engine: HeldEngine = {
    processes: [],
    isAutomatic,
    answersLooks,
    isStubborn,
    isLingering: false,
    fork({ onMessage, onExit }) {
      const state = { command: undefined as WorkerCommand | undefined, isAborted: false, isGone: false }
      const exit = (detail: string) => {
        if (state.isGone) return
        state.isGone = true
        setImmediate(() => onExit(detail))
      }
      const answer = (message: WorkerMessage) => {
        if (state.isGone) return
        onMessage(message)
        if (!engine.isLingering) exit('exit code 0')
      }
      const fail = (failureCode: FailureCode, params: ErrorParams = {}) =>
        answer({ type: 'failed', failureCode, params, message: failureCode })
      const process: HeldProcess = {
        get order() {
          return state.command?.type === 'work' ? state.command.order : undefined
        },
        get isAnalysis() {
          return state.command?.type === 'analyse'
        },
        get isAborted() {
          return state.isAborted
        },
        get isGone() {
          return state.isGone
        },
        progress: (stage, fraction) => onMessage({ type: 'progress', stage, fraction }),
        finish() {
          if (state.command?.type === 'work') answer({ type: 'done', result: writeResult(state.command.order, engine) })
          else if (state.command?.type === 'analyse')
            answer({ type: 'analysed', analysis: heardAnalysis(state.command.order, engine.hears) })
        },
        fail,
        crash: () => exit('killed by SIGKILL'),
      }
      engine.processes.push(process)
      return {
        send(command) {
          if (command.type === 'abort') {
            state.isAborted = true
            if (!engine.isStubborn) setImmediate(() => fail('CANCELLED'))
            return
          }
          if (command.type === 'stop') return
          if (command.type === 'audition') {
            if (command.task === 'passage' && engine.crashesPassages) process.crash()
            const { call, task } = command
            // Masters of auditions are held.
            if (task === 'estimate')
              setImmediate(() => onMessage({ type: 'audition', call, answer: { result: emptyEstimate } }))
            return
          }
          state.command = command
          // Exports are really made of the masters.
          if (command.type === 'export' || command.type === 'measure_record') {
            if (command.type === 'export') engine.beforeExport?.()
            return void exportFor(command, answer)
          }
          const failure = command.type === 'render' ? engine.failsRenders : undefined
          if (failure) setImmediate(() => fail(failure))
          if (command.type === 'render' && engine.rendersAlone)
            answer({ type: 'rendered', master: renderedAlone(command.order.attemptFolder, engine.rendersAlone) })
          const isAnswered = engine.isAutomatic || (engine.answersLooks && command.type === 'analyse')
          if (isAnswered) setImmediate(() => process.finish())
        },
        kill: () => exit('killed by SIGKILL'),
      }
    },
  }
  return engine
}

/** Steps of a steady sound of three seconds. */
function steadySteps(lufs: number): string {
  return encodeSteps(new Float64Array(30).fill(10 ** ((lufs + 0.691) / 10)))
}

/** Returns the analysis of a steady sound; a suggestion only where its price is asked for. */
const flat = (count: number) => ({ mid_db: Array(count).fill(-30), side_db: Array(count).fill(-40) })
const FLAT_TARGET = {
  ...{ sample_rate_hz: 44_100, frames: 441_000, integrated_lufs: -14, side_to_mid_db: -10, is_mono: false },
  ...{ dead_channel: null, is_lossy: false, bandwidth_hz: null, side_bandwidth_hz: null },
  ...{ spectrum: flat(30), fine_spectrum: flat(59) },
}

function heardAnalysis(order: AnalysisOrder, hears: HeldEngine['hears']) {
  const price = order.price === 'wanted' ? { targets: [], loudest_lufs: -10 } : order.price
  const reasons = [{ code: 'LOUDEST_TARGET' as const, values: { target_lufs: -10, reduction_db: 0.4, plr_db: 9 } }]
  return {
    ...{
      ...emptyAnalysis,
      target: FLAT_TARGET,
      loudnessSteps: steadySteps(hears?.(order) ?? -20),
      kept: Buffer.from('kept'),
    },
    ...(price ? { suggestion: { settings: {}, reasons, price } } : {}),
  }
}

/** Returns the members by which the masters of a record are measured; none for any other job. */
function recordFacts(
  { masterTargets }: WorkOrder,
  offOf: (name: MasterName) => number,
  like: MasterResult,
): Pick<WorkResult, 'release' | 'loudnessSteps'> {
  if (!masterTargets) return {}
  const levels = Object.entries(masterTargets).map(([name, lufs]) => [name, lufs + offOf(name as MasterName)] as const)
  const { platform: _, playback: _playback, ...figures } = like
  return {
    release: { ...figures, playback: [] },
    loudnessSteps: Object.fromEntries(levels.map(([name, lufs]) => [name, steadySteps(lufs)])),
  }
}

/** Files of exports by what they were made of: many tests export the same masters. */
const madeExports = new Map<string, readonly { readonly sound: ExportedSound; readonly bytes: Buffer }[]>()

async function exportFor(
  command: Extract<WorkerCommand, { type: 'export' | 'measure_record' }>,
  answer: (message: WorkerMessage) => void,
): Promise<void> {
  const { signal } = new AbortController()
  try {
    if (command.type === 'measure_record')
      answer({ type: 'record_measured', level: await measureRecord(command.order, signal) })
    else answer({ type: 'exported', files: await exportOnce(command.order, signal) })
  } catch (error) {
    answer(describeFailure(error))
  }
}

async function exportOnce(order: ExportOrder, signal: AbortSignal): Promise<ExportedSound[]> {
  const { folder } = order
  const key = JSON.stringify({ ...order, folder: undefined })
  const made =
    madeExports.get(key) ??
    (await makeExportFiles(order, signal)).map((sound) => ({ sound, bytes: readFileSync(sound.path) }))
  madeExports.set(key, made)
  return made.map(({ sound, bytes }) => {
    const file = path.join(folder, path.basename(sound.path))
    writeFileSync(file, bytes)
    return { ...sound, path: file }
  })
}

function writeResult(
  order: WorkOrder,
  { masterBytes, landsOff = () => 0, verdictOf = () => 'on_target' }: HeldEngine,
): WorkResult {
  const folderName = `song_master_${order.jobId.slice(0, 8)}`
  const { platforms, genre, loudness, target_lufs } = order.settings
  const files = platforms.map((platform) => ({
    platform,
    file: `song_${platform}.wav`,
    bytes: masterBytes ?? Buffer.from(`RIFF ${platform}`),
  }))
  const masters = files.map(({ platform, file, bytes }): MasterResult => {
    const target = deliveryTarget(platform, genre, loudness, target_lufs)
    return {
      platform,
      file,
      size_bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      sample_rate_hz: 44_100,
      bit_depth: 24,
      target_lufs: target.targetLufs ?? -14,
      target_confidence: 'published',
      ceiling_dbtp: target.ceilingDbtp ?? -1,
      ceiling_confidence: 'published',
      integrated_lufs: -14,
      short_term_max_lufs: -13,
      momentary_max_lufs: -12,
      loudness_range_lu: 5,
      true_peak_dbtp: -1.1,
      plr_db: 12.9,
      gain_db: 1,
      max_gain_reduction_db: 0,
      mean_gain_reduction_db: 0,
      clip_budget_db: 0,
      verdict: verdictOf(order),
      playback: { action: 'leave', gain_db: 0 },
    }
  })
  const record = recordFacts(order, (name) => landsOff(order, name), masters[0]!)
  const reports = [
    { file: 'report.json', bytes: Buffer.from(JSON.stringify(reportOf(order, masters, record.release))) },
    { file: 'report.html', bytes: Buffer.from('<!doctype html>') },
  ]
  const packed = [...files, ...reports].map(({ file, bytes }) => {
    writeFileSync(path.join(order.attemptFolder, file), bytes, { mode: 0o600 })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { file, kept: file, sizeBytes: bytes.length, sha256, crc32: crc32(bytes) }
  })
  return {
    masters,
    ...record,
    warnings: [],
    repairs: [],
    summary: changeSummary([], masters),
    zip: composeZip(folderName, packed),
    reportJsonFile: 'report.json',
    reportHtmlFile: 'report.html',
  }
}

/** Returns the report of a song in which nothing was measured. */
function reportOf(order: WorkOrder, masters: readonly MasterResult[], release: ReleaseResult | undefined): Report {
  const { bandwidth_hz, codec, sample_rate_hz, channels, duration_seconds } = emptyAnalysis
  const finishing = { gain_db: 0, clip_limit_dbfs: null, limiter: null }
  const { settings, jobId: job_id, createdAt: created_at, source } = order
  return {
    ...{
      report_version: 2,
      job_id,
      created_at,
      title: 'song',
      filename: source.filename,
      source_sha256: source.sha256,
    },
    ...{ engine_version: '0', ffmpeg_version: '0', settings: shownSettings(settings), repairs: [], decisions: [] },
    source: { bandwidth_hz, codec, sample_rate_hz, channels, duration_seconds, ...emptyFigures },
    warnings: [],
    masters: masters.map((result) => ({ result, ...emptyFigures })),
    ...(release ? { release: { result: release, finishing, ...emptyFigures } } : {}),
  }
}

function renderedAlone(folder: string, wav: Buffer): RenderedAlone {
  const file = path.join(folder, 'alone.wav')
  writeFileSync(file, wav)
  return {
    ...{ path: file, sizeBytes: wav.length, sha256: createHash('sha256').update(wav).digest('hex') },
    ...{ sampleRateHz: 8000, bitDepth: 24, durationSeconds: 2, integratedLufs: -14, truePeakDbtp: -1, gainDb: 3 },
    ...{ meanGainReductionDb: 0, verdict: 'on_target', recipe: { version: 1, stages: [] }, decisions: [] },
    ...{ shortTermLufs: [-14, -14], stepSeconds: 1, figures: emptyFigures },
  }
}

const emptyFigures: Pictured = {
  measurement: {
    integrated_lufs: -20,
    short_term_max_lufs: -20,
    momentary_max_lufs: -20,
    loudness_range_lu: 1,
    true_peak_dbtp: -10,
    sample_peak_dbfs: -10,
    plr_db: 10,
    crest_factor_db: 10,
    correlation: 1,
    side_to_mid_db: null,
  },
  spectrum: { band_hz: [], mid_db: [], side_db: [] },
  curves: { step_seconds: 1, short_term_lufs: [], peak_dbfs: [] },
}

const emptyEstimate: AuditionEstimate = {
  frames: 24_000,
  sampleRateHz: 8000,
  bitDepth: 16,
  targetLufs: -14,
  ceilingDbtp: -1,
  loudnessLufs: -14,
  gainDb: 1,
  finalise: {
    gainDb: 1,
    ceilingDbtp: -1,
    promisedCeilingDbtp: -1,
    targetLufs: -14,
    clipLimit: null,
    clipAboveDb: null,
    clipBudgetDb: 0,
    limiter: null,
    integratedLufs: -14,
    verdict: 'on_target',
    meanGainReductionDb: 0,
    loudnessSlope: 1,
  },
  recipe: { version: 1, stages: [] },
  planned: { frequency_hz: [], planned_mid_db: [], planned_side_db: [], own_mid_db: [], own_side_db: [] },
  targetSpectrum: null,
  decisions: [],
  figures: { source: emptyFigures },
}

const emptyAnalysis = {
  duration_seconds: 3,
  codec: 'pcm_s16',
  sample_rate_hz: 8000,
  channels: 2,
  bandwidth_hz: null,
  ...emptyFigures,
  waveform: [],
  repairs: [],
  warnings: [],
  decisions: [],
  loudnessSteps: '',
}
