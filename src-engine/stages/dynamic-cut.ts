import type { Repair } from '../../src-contract/report.ts'
import type { AiService } from '../../src-contract/settings.ts'
import type { BandCut, DynamicCut } from '../../src-contract/stages/dynamic-cut.ts'
import type { RecipeStage } from '../../src-contract/stages/index.ts'
import type { PlannedSong, SourceAnalysis } from '../analysis/analysis.ts'
import type { Resonance } from '../analysis/resonance.ts'
import { sibilantHz, voiceHz } from '../analysis/sibilance.ts'
import { highCutAllowance } from '../analysis/treble-fall.ts'
import { troublingResonances } from '../analysis/troubling-resonances.ts'
import { bandPass } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import { type AudioBlock, allocateBlock, sliceBlock } from '../dsp/block.ts'
import { onePoleCoefficient } from '../dsp/envelope.ts'
import { inaudibleDbfs } from '../dsp/meters/spectrum.ts'
import { alongControlGrid, controlFrames, decodeMidSide, encodeMidSide, type Processor } from '../dsp/processor.ts'
import { clamp, dbToGain, dbToPower, powerToDb, rounded } from '../dsp/units.ts'
import {
  type MidSideDb,
  nothingPlanned,
  noticedDb,
  type Planning,
  repairDecision,
  type StagePlan,
  type StreamingStage,
  unlessSkipped,
} from './stage.ts'

/** Density of the sharpest sibilants relative to the voice range that triggers a cut, dB. */
const sibilanceDb: Record<AiService, number> = { suno: 5, udio: 5, elevenlabs: 5, other: 9 }

/**
 * Distance of the cut's threshold below the sharpest sibilants, dB: 4 for its own depth, and 3.5 since its filters read lower than the
 * analysis.
 */
const sibilanceKneeDb = 7.5
/** Highest threshold, dB; the filters read at most 18 dB for pure sibilants. */
const mostToleranceDb = 12
/** Reference band of a resonance: centred on it, four times as wide. */
const resonanceWidthRatio = 4
/** Parts of a resonance's excess that are cut from mid and side, and the largest cuts, dB. */
const midCutPart = 0.6
const sideCutPart = 0.8
const mostMidCutDb = 3.5
const mostSideCutDb = 4

/** Dynamic cut of sibilants; the reference is the voice range. Ours. */
const sibilanceCut = {
  repair: 'sibilance',
  frequencyHz: 6500,
  q: 1.4,
  referenceHz: 1800,
  referenceQ: 1,
  referenceSections: 3,
  attackMs: 2,
  releaseMs: 60,
  maxMidCutDb: 3,
  maxSideCutDb: 3,
} as const satisfies Partial<BandCut>

/** Frames filtered at a time. */
const chunkFrames = 4096
/** Averaging time of levels, long enough to ignore the narrow band's own beating. */
const averagingMs = 20
/** Width of n cascaded equal band-passes relative to one: ∫ (1 + x²)⁻ⁿ dx. */
const widthOfSections = { 1: 1, 3: 3 / 8 }
/** Cut below which the band is at rest, dB: silence returns to a gain of exactly 1. */
const restDb = 1e-5

function planResonances(analysis: PlannedSong): StagePlan<DynamicCut> {
  const found = troublingResonances(analysis)
  if (found.length === 0) return nothingPlanned
  return {
    stages: [{ kind: 'dynamic_cut', cuts: found.map(resonanceCut) }],
    decisions: found.map(({ frequencyHz, excessDb }) =>
      repairDecision('RESONANCE_TAMED', { frequencyHz: Math.round(frequencyHz), excessDb: rounded(excessDb) }),
    ),
  }
}

const resonanceCut = ({ frequencyHz, q, excessDb }: Resonance): BandCut => ({
  repair: 'resonance',
  frequencyHz,
  q,
  referenceHz: frequencyHz,
  referenceQ: q / resonanceWidthRatio,
  referenceSections: 1,
  toleranceDb: 1,
  attackMs: 15,
  releaseMs: 120,
  maxMidCutDb: Math.min(mostMidCutDb, excessDb * midCutPart),
  maxSideCutDb: Math.min(mostSideCutDb, excessDb * sideCutPart),
})

/** Gain of the later filters at a frequency, dB. */
type FilterGain = (hz: number) => MidSideDb[]

/** Gain of the sharpest sibilants over the voice range by the later filters, dB. */
function sharpenedDb({ spectrum, sibilance }: SourceAnalysis, filterGainDb: FilterGain): number {
  const gainDb = ([lowHz, highHz]: readonly [number, number]): number => {
    let before = 0
    let after = 0
    for (const [b, hz] of spectrum.bandHz.entries()) {
      if (hz <= lowHz || hz >= highHz) continue
      const power = sibilance.sharpestPowers[b]!
      before += power
      after += filterGainDb(hz).reduce((sum, { mid }) => sum * dbToPower(mid), power)
    }
    return before > 0 ? powerToDb(after / before) : 0
  }
  return gainDb(sibilantHz) - gainDb(voiceHz)
}

/** Static cut by the later filters at a frequency, dB, 0 or more. */
function cutByFiltersDb(hz: number, filterGainDb: FilterGain): number {
  return Math.max(0, -filterGainDb(hz).reduce((sum, { mid }) => sum + mid, 0))
}

/**
 * Plans the cut of sibilants, judged after the later filters and with `alreadyCutDb` in their range deducted. A muffled song keeps its
 * sibilants.
 */
function planSibilance(analysis: PlannedSong, filterGainDb: FilterGain, alreadyCutDb: number): StagePlan<DynamicCut> {
  const { sharpestDb, typicalDb, isOfVoice } = analysis.sibilance
  const leftDb = sharpestDb + sharpenedDb(analysis, filterGainDb)
  if (!isOfVoice || leftDb < sibilanceDb[analysis.aiService]) return nothingPlanned
  if (highCutAllowance(analysis) === 0) return nothingPlanned
  const toleranceDb = Math.min(mostToleranceDb, sharpestDb - sibilanceKneeDb)
  const mostDb = sibilanceCut.maxMidCutDb - alreadyCutDb
  if (mostDb < noticedDb) return nothingPlanned
  const cut = { ...sibilanceCut, toleranceDb, maxMidCutDb: mostDb, maxSideCutDb: mostDb }
  return {
    stages: [{ kind: 'dynamic_cut', cuts: [cut] }],
    decisions: [repairDecision('SIBILANCE_TAMED', { sharpestDb: rounded(sharpestDb), typicalDb: rounded(typicalDb) })],
  }
}

/** Largest cut of a resonance in the range of sibilants, dB. */
function cutAmongSibilantsDb(stages: readonly DynamicCut[]): number {
  const [lowHz, highHz] = sibilantHz
  const cuts = stages
    .flatMap((stage) => stage.cuts)
    .filter(({ frequencyHz }) => frequencyHz > lowHz && frequencyHz < highHz)
  return Math.max(0, ...cuts.map(({ maxMidCutDb }) => maxMidCutDb))
}

/** The stage with equal cuts in mid and side: a dead channel sounds equally in both and stays silent only if both are cut alike. */
function alikeInSide(stage: DynamicCut): DynamicCut {
  return { ...stage, cuts: stage.cuts.map((cut) => ({ ...cut, maxSideCutDb: cut.maxMidCutDb })) }
}

function planDynamicCuts(song: Planning): StagePlan<DynamicCut> {
  const { analysis } = song
  const gainOf =
    (filters: readonly RecipeStage[]): FilterGain =>
    (hz) =>
      filters.map((stage) => song.responseDb(stage, hz))
  const equalisers = song.stagesOf('equalise')
  const againstFaults = gainOf(equalisers)
  const resonances = unlessSkipped(song, 'resonance', planResonances(analysis))
  const alreadyCutDb = cutByFiltersDb(sibilanceCut.frequencyHz, againstFaults) + cutAmongSibilantsDb(resonances.stages)
  const allFilters = gainOf([...equalisers, ...song.stagesOf('match')])
  const parts = [resonances, unlessSkipped(song, 'sibilance', planSibilance(analysis, allFilters, alreadyCutDb))]
  const stages = parts.flatMap((part) => part.stages)
  return {
    stages: analysis.deadChannel === null ? stages : stages.map(alikeInSide),
    decisions: parts.flatMap((part) => part.decisions),
  }
}

interface ChannelState {
  readonly maxCutDb: number
  band: number
  reference: number
  bandMean: number
  referenceMean: number
  cutDb: number
  gain: number
  nextGain: number
}

const channelState = (maxCutDb: number): ChannelState => ({
  maxCutDb,
  band: 0,
  reference: 0,
  bandMean: 0,
  referenceMean: 0,
  cutDb: 0,
  gain: 1,
  nextGain: 1,
})

/** A processor that reports its largest cuts of mid and side so far, dB. */
interface DynamicCutter extends Processor {
  mostCutDb(): { readonly mid: number; readonly side: number }
}

/** Detector of one cut: smoothing per control step, and the comparison of the two bands. */
interface Detector {
  readonly attack: number
  readonly release: number
  readonly averaging: number
  /** Width of the reference relative to the band, dB. */
  readonly widthRatioDb: number
  readonly toleranceDb: number
}

function detectorOf(cut: BandCut, sampleRateHz: number): Detector {
  const stepHz = sampleRateHz / controlFrames
  const referenceWidth = (cut.referenceHz / cut.referenceQ) * widthOfSections[cut.referenceSections]
  return {
    attack: onePoleCoefficient(cut.attackMs, stepHz),
    release: onePoleCoefficient(cut.releaseMs, stepHz),
    averaging: onePoleCoefficient(averagingMs, stepHz),
    widthRatioDb: powerToDb(referenceWidth * (cut.q / cut.frequencyHz)),
    toleranceDb: cut.toleranceDb,
  }
}

/** Ends one control step: the target gain is reached, and the next follows from the step's levels. */
function advance(state: ChannelState, { attack, release, averaging, widthRatioDb, toleranceDb }: Detector): void {
  state.bandMean = state.band + averaging * (state.bandMean - state.band)
  state.referenceMean = state.reference + averaging * (state.referenceMean - state.reference)
  const bandDb = powerToDb(state.bandMean / controlFrames)
  const excessDb = bandDb - powerToDb(state.referenceMean / controlFrames) + widthRatioDb
  const wanted = bandDb > inaudibleDbfs ? clamp(excessDb - toleranceDb, 0, state.maxCutDb) : 0
  const coefficient = wanted > state.cutDb ? attack : release
  const cutDb = wanted + coefficient * (state.cutDb - wanted)
  state.cutDb = cutDb < restDb ? 0 : cutDb
  state.gain = state.nextGain
  state.nextGain = state.cutDb === 0 ? 1 : dbToGain(-state.cutDb)
  state.band = 0
  state.reference = 0
}

/**
 * Returns a dynamic equaliser for one band, separate for mid and side: y = x + (gain − 1)·band, a peaking equaliser with moving gain. The
 * band is cut by the excess of its power per hertz over the reference band beyond the tolerance. No latency. A largest cut of 0 in both is
 * the exact identity, and a band below −110 dBFS is left alone. Needs two channels.
 */
function createDynamicCut(cut: BandCut, sampleRateHz: number): DynamicCutter {
  const detector = detectorOf(cut, sampleRateHz)
  const bandFilter = createBiquadCascade([bandPass(cut.frequencyHz, sampleRateHz, cut.q)])
  const referenceSection = bandPass(cut.referenceHz, sampleRateHz, cut.referenceQ)
  const referenceFilter = createBiquadCascade(Array.from({ length: cut.referenceSections }, () => referenceSection))
  const band = allocateBlock(2, chunkFrames)
  const reference = allocateBlock(2, chunkFrames)
  const states = [channelState(cut.maxMidCutDb), channelState(cut.maxSideCutDb)]
  const isNeutral = cut.maxMidCutDb === 0 && cut.maxSideCutDb === 0
  const most = [0, 0]
  let position = 0

  function processChunk(block: AudioBlock): void {
    encodeMidSide(block)
    const bandPart = filtered(block, band, bandFilter)
    const referencePart = filtered(block, reference, referenceFilter)
    position = alongControlGrid(position, block.frames, (start, end, isComplete) => {
      const offset = (position + start) % controlFrames
      for (const [c, state] of states.entries()) {
        cutBand(block.channels[c]!, bandPart.channels[c]!, referencePart.channels[c]!, state, start, end, offset)
      }
      if (!isComplete) return
      for (const [c, state] of states.entries()) {
        advance(state, detector)
        most[c] = Math.max(most[c]!, state.cutDb)
      }
    })
    decodeMidSide(block)
  }

  return {
    latencySamples: 0,
    process(block) {
      if (isNeutral) return
      for (let start = 0; start < block.frames; start += chunkFrames) {
        processChunk(sliceBlock(block, start, start + chunkFrames))
      }
    },
    mostCutDb: () => ({ mid: most[0]!, side: most[1]! }),
  }
}

/** Cuts the frames [start, end) of one channel and adds up the levels of its two bands. */
function cutBand(
  samples: Float32Array,
  inBand: Float32Array,
  inReference: Float32Array,
  state: ChannelState,
  start: number,
  end: number,
  offset: number,
): void {
  const slope = (state.nextGain - state.gain) / controlFrames
  for (let i = start; i < end; i++) {
    const value = inBand[i]!
    state.band += value * value
    state.reference += inReference[i]! * inReference[i]!
    samples[i]! += (state.gain + slope * (offset + i - start + 1) - 1) * value
  }
}

function filtered(block: AudioBlock, into: AudioBlock, filter: Processor): AudioBlock {
  const part = sliceBlock(into, 0, block.frames)
  for (const [c, samples] of part.channels.entries()) samples.set(block.channels[c]!)
  filter.process(part)
  return part
}

interface CutterSeries extends Processor {
  readonly members: readonly DynamicCutter[]
}

function inSeries(members: readonly DynamicCutter[]): CutterSeries {
  return {
    members,
    latencySamples: 0,
    process(block) {
      for (const member of members) member.process(block)
    },
  }
}

function repairOf({ repair, frequencyHz }: BandCut, { mid, side }: MidSideDb): Repair[] {
  const most = Math.max(mid, side)
  if (most < noticedDb) return []
  const channel = mid < noticedDb ? 'side' : side < noticedDb ? 'mid' : 'both'
  return [{ kind: repair, amount_db: rounded(-most), frequency_hz: Math.round(frequencyHz), channel }]
}

/** Dynamic equaliser against resonances and sibilance. */
export const dynamicCut = {
  kind: 'dynamic_cut',
  plan: planDynamicCuts,
  create: ({ cuts }, sampleRateHz) => inSeries(cuts.map((cut) => createDynamicCut(cut, sampleRateHz))),
  watch:
    ({ cuts }, { members }) =>
    () =>
      members.flatMap((member, i) => repairOf(cuts[i]!, member.mostCutDb())),
  announces: { RESONANCE_TAMED: 'resonance', SIBILANCE_TAMED: 'sibilance' },
} as const satisfies StreamingStage<DynamicCut, CutterSeries>
