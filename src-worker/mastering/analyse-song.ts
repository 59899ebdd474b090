import type { Analysis } from '../../src-contract/jobs.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { createLoudnessMeter } from '../../src-engine/dsp/meters/loudness.ts'
import { proposeEdges } from '../../src-engine/edge-proposal.ts'
import { announcedRepair } from '../../src-engine/stages/index.ts'
import { savedTarget } from '../../src-engine/stages/match/saved-target.ts'
import { UnreadableAudioError } from '../media/decode.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import { encodeSteps } from '../result/loudness-steps.ts'
import { analysisKey, packAnalysis } from './kept-analysis.ts'
import { candidatesOf } from './prepare-song.ts'
import { ANALYSIS_WEIGHTS, createProgressMeter } from './progress-meter.ts'
import { readSong } from './read-song.ts'
import { bandwidthOf, codecName, sourceFigures } from './report-facts.ts'
import { priceSong, songSuggestion } from './song-suggestion.ts'
import { REFERENCE_CODES, unreadable } from './stored-song.ts'
import { songWarnings } from './warnings.ts'
import type { AnalysisDone, AnalysisOrder, StoredSong, WorkProgress } from './work-order.ts'

/** Number of slices of the waveform that an analysis returns. */
const WAVEFORM_SLICES = 1000

/**
 * Decodes and measures one song and returns the findings of a mastering job; writes nothing. `send` receives each further hundredth of the
 * work: seconds decoded, then measurements made. Throws an UnreadableAudioError, a WorkFailure for an unreadable reference, the errors of
 * ffmpeg, or the reason of an aborted `signal`.
 */
export async function analyseSong(
  order: AnalysisOrder,
  send: (progress: WorkProgress) => void,
  signal: AbortSignal,
): Promise<AnalysisDone['analysis']> {
  const { settings } = order
  const { facts } = order.song
  const { report } = createProgressMeter(ANALYSIS_WEIGHTS, send)
  // The reference goes first, as in a job: only its measurements stay in memory.
  const reference = order.reference && (await analyseReference(order.ffmpeg, order.reference, signal))
  const song = { ...order.song, trims: settings }
  const read = await readSong(order.ffmpeg, song, signal, report)
  const { analysis, bridgedGaps } = read
  const [asked] = candidatesOf({ source: order.song, settings: { ...settings, tier: 'standard' } }, analysis, reference)
  const { plan } = asked!
  const proposal = proposeEdges(analysis, settings)
  const audio = read.takeAudio()
  const meter = createLoudnessMeter(audio.sampleRateHz)
  meter.push(audio)
  const waveform = waveformOf(audio)
  const treatment = { recipe: plan.recipe, settings, signal }
  const price =
    order.price === 'wanted'
      ? await priceSong(order.ffmpeg, song, { ...read, takeAudio: () => audio }, treatment)
      : order.price
  const suggestion = songSuggestion(analysis, order.song, settings, price)
  return {
    duration_seconds: facts.durationSeconds,
    codec: codecName(order.song),
    sample_rate_hz: facts.sampleRateHz,
    channels: facts.channels,
    bandwidth_hz: bandwidthOf(analysis, facts),
    ...sourceFigures(analysis),
    waveform,
    repairs: plan.decisions.flatMap(({ code, values }): Analysis['repairs'] => {
      const kind = announcedRepair(code)
      const number = (value: string | number | undefined) => (typeof value === 'number' ? value : undefined)
      const frequencyHz = number(values.frequencyHz)
      const count = number(values.count)
      if (!kind) return []
      return [
        {
          kind,
          ...(frequencyHz === undefined ? {} : { frequency_hz: frequencyHz }),
          ...(count === undefined ? {} : { count }),
        },
      ]
    }),
    ...(proposal ? { proposed_edges: proposal } : {}),
    ...(suggestion ? { suggestion } : {}),
    warnings: songWarnings({ ...order, source: order.song }, { analysis, plan, bridgedGaps }),
    decisions: plan.decisions,
    ...(reference ? { reference: { integratedLufs: reference.integratedLufs } } : {}),
    target: savedTarget(analysis),
    loudnessSteps: encodeSteps(meter.stepMeanSquares()),
    kept: packAnalysis(await analysisKey(order.ffmpeg, song), analysis),
  }
}

/** Returns the measurements of a reference. Throws a {@link WorkFailure} if its sound cannot be read, else as decoding does. */
async function analyseReference(
  ffmpeg: Ffmpeg,
  song: Omit<StoredSong, 'filename'>,
  signal: AbortSignal,
): Promise<SourceAnalysis> {
  try {
    return (await readSong(ffmpeg, song, signal)).analysis
  } catch (error) {
    throw error instanceof UnreadableAudioError ? unreadable(REFERENCE_CODES, error) : error
  }
}

/** Largest |sample| of both channels in each of a thousand equal slices, 0 to 1. */
export function waveformOf(audio: Audio): number[] {
  const slices = Math.min(WAVEFORM_SLICES, audio.frames)
  return Array.from({ length: slices }, (_, i) => {
    const start = Math.floor((i * audio.frames) / slices)
    const end = Math.floor(((i + 1) * audio.frames) / slices)
    let peak = 0
    for (const samples of audio.channels) {
      for (let at = start; at < end; at++) peak = Math.max(peak, Math.abs(samples[at]!))
    }
    return Math.round(Math.min(1, peak) * 1000) / 1000
  })
}
