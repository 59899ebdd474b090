import type { Recipe, RecipeStage } from '../src-contract/recipe.ts'
import type { Repair } from '../src-contract/report.ts'
import { measureSubsonic } from './analysis/subsonic.ts'
import { type Audio, allocateBlock, sliceBlock } from './dsp/block.ts'
import { sumStereo } from './dsp/meters/sums.ts'
import type { Processor } from './dsp/processor.ts'
import { gainToDb, mix, rounded } from './dsp/units.ts'
import { createDynamicCut, type DynamicCutter } from './stages/dynamic-cut.ts'
import { createEqualiser, createRumbleFilter } from './stages/equaliser.ts'
import { createMatchFilter } from './stages/match.ts'
import { createMonoBass } from './stages/mono-bass.ts'
import { type Compressor, createMultiband } from './stages/multiband.ts'
import { type Mending, mendClicks, rebuildFlatTops } from './stages/restore.ts'

/** What a recipe made of a piece. */
export interface AppliedRecipe {
  /** The same memory as the input. */
  readonly audio: Audio
  /** Repairs that were made, with what they measured. */
  readonly repairs: readonly Repair[]
  /** Most that each stage of the dynamics turned down, dB; 0 for one that the recipe does not have. */
  readonly mostReductionDb: Readonly<Record<'density' | 'multiband', number>>
}

/** A change of less is none in a report that counts in tenths, dB. */
export const noticedDb = 0.05

/** Part of the work that mending flat tops is, where there are any. */
const mendingPart = 0.8

/** Frames per block of the streaming stages. */
const blockFrames = 4096

/**
 * Carries out a recipe on two channels of audio, in place; an empty recipe leaves every bit. Stages that edit single samples run
 * first over the whole piece, all others run block by block in one pass, their latency taken out, so that no second copy of the
 * audio exists. `onProgress` is told the part of the work that is done, 0 to 1. Deterministic; throws what a processor throws for
 * settings outside its range.
 */
export function applyRecipe(audio: Audio, recipe: Recipe, onProgress?: (fraction: number) => void): AppliedRecipe {
  const repairs: Repair[] = []
  const streamed: { stage: RecipeStage; processor: Processor }[] = []
  const mending = recipe.stages.some(({ kind }) => kind === 'declip') ? mendingPart : 0
  for (const stage of recipe.stages) {
    const edited = editSamples(audio, stage, (part) => onProgress?.(mending * part))
    if (edited) repairs.push(...edited)
    else streamed.push({ stage, processor: createProcessor(stage, audio.sampleRateHz) })
  }
  const before = streamed.some(({ stage }) => stage.kind === 'rumble_filter') ? lowEnd(audio) : null
  runStreamed(
    audio,
    streamed.map(({ processor }) => processor),
    (part) => onProgress?.(mix(mending, 1, part)),
  )
  const mostReductionDb = { density: 0, multiband: 0 }
  for (const { stage, processor } of streamed) {
    repairs.push(...repairsOf(stage, processor, audio, before))
    if (stage.kind !== 'density' && stage.kind !== 'multiband') continue
    mostReductionDb[stage.kind] = (processor as Compressor).mostReductionDb()
  }
  return { audio, repairs, mostReductionDb }
}

/** Whether a stage edits single samples; those come before all others. */
const isSampleEdit = ({ kind }: RecipeStage): boolean => kind === 'declip' || kind === 'remove_dc' || kind === 'declick'

/**
 * Returns a recipe in two: what edits single samples, for the song at its own rate, and all that follows, for the rate at which the
 * engine works. Carried out one after the other on audio of one rate they do what the whole does. Pure.
 */
export function splitRecipe(recipe: Recipe): { readonly edits: Recipe; readonly rest: Recipe } {
  return {
    edits: { ...recipe, stages: recipe.stages.filter(isSampleEdit) },
    rest: { ...recipe, stages: recipe.stages.filter((stage) => !isSampleEdit(stage)) },
  }
}

/**
 * Makes the edit of a stage that works on single samples and tells about it; null for a stage that streams. Only mending flat tops
 * takes time and is told of.
 */
function editSamples(audio: Audio, stage: RecipeStage, onMended: (fraction: number) => void): Repair[] | null {
  switch (stage.kind) {
    case 'remove_dc':
      for (const [c, samples] of audio.channels.entries()) subtract(samples, stage.offsets[c]!)
      return [{ kind: 'dc_offset', amount_db: rounded(gainToDb(Math.max(...stage.offsets.map(Math.abs)))) }]
    case 'declip':
      return mended('clipping', audio, (samples, c) =>
        rebuildFlatTops(samples, stage.levels[c]!, (part) => onMended((c + part) / audio.channels.length)),
      )
    case 'declick':
      return mended('clicks', audio, (samples, c) => mendClicks(samples, stage.clicks[c]!))
    default:
      return null
  }
}

function subtract(samples: Float32Array, offset: number): void {
  for (let i = 0; i < samples.length; i++) samples[i]! -= offset
}

/**
 * Mends each channel in place and returns one entry for both, none where nothing was mended. The amount is the rise of the highest
 * rebuilt peak, or the largest click in dBFS; a place that two equal channels share counts once.
 */
function mended(
  kind: 'clipping' | 'clicks',
  { channels, frames }: Audio,
  mend: (samples: Float32Array, channel: number) => Mending,
): Repair[] {
  const [left, right] = channels
  const { isDualMono } = sumStereo(left!, right!, 0, frames)
  const mendings = channels.map(mend)
  const count = (isDualMono ? mendings.slice(0, 1) : mendings).reduce((sum, mending) => sum + mending.count, 0)
  if (count === 0) return []
  const largest = Math.max(...mendings.map((mending) => mending.largest))
  const touched = mendings.map((mending) => mending.count > 0)
  const channel = touched[0] && touched[1] ? 'both' : touched[0] ? 'left' : 'right'
  return [{ kind, count, amount_db: rounded(gainToDb(largest)), channel }]
}

/**
 * Returns the processor of a streaming stage. Throws a RangeError for a stage that edits single samples, and what the processor
 * throws for its settings.
 */
export function createProcessor(stage: RecipeStage, sampleRateHz: number): Processor {
  switch (stage.kind) {
    case 'rumble_filter':
      return createRumbleFilter(stage.frequencyHz, stage.order, sampleRateHz)
    case 'mono_bass':
      return createMonoBass(stage, sampleRateHz)
    case 'equalise':
      return createEqualiser(stage.sections, sampleRateHz)
    case 'match':
      return createMatchFilter(stage.mid, stage.side, sampleRateHz)
    case 'dynamic_cut':
      return inSeries(stage.cuts.map((cut) => createDynamicCut(cut, sampleRateHz)))
    case 'density':
      return createMultiband([], [stage.compression], sampleRateHz)
    case 'multiband':
      return createMultiband(stage.crossoversHz, stage.bands, sampleRateHz)
    case 'remove_dc':
    case 'declip':
    case 'declick':
      throw new RangeError(`${stage.kind} does not stream`)
  }
}

interface Series extends Processor {
  readonly members: readonly DynamicCutter[]
}

function inSeries(members: readonly DynamicCutter[]): Series {
  return {
    members,
    latencySamples: 0,
    process(block) {
      for (const member of members) member.process(block)
    },
  }
}

/** Runs the processors over the audio in place; what comes out late is written back to where it belongs. */
function runStreamed(audio: Audio, processors: readonly Processor[], onProgress: (fraction: number) => void): void {
  if (processors.length === 0) {
    onProgress(1)
    return
  }
  const latency = processors.reduce((sum, { latencySamples }) => sum + latencySamples, 0)
  const scratch = allocateBlock(2, blockFrames)
  const total = audio.frames + latency
  for (let start = 0; start < total; start += blockFrames) {
    const frames = Math.min(blockFrames, total - start)
    const block = sliceBlock(scratch, 0, frames)
    const available = Math.max(0, Math.min(frames, audio.frames - start))
    for (const [c, samples] of block.channels.entries()) {
      samples.set(audio.channels[c]!.subarray(start, start + available))
      samples.fill(0, available)
    }
    for (const processor of processors) processor.process(block)
    const skipped = Math.max(0, latency - start)
    if (skipped < frames) {
      for (const [c, samples] of block.channels.entries()) {
        audio.channels[c]!.set(samples.subarray(skipped), start + skipped - latency)
      }
    }
    onProgress(Math.min(1, (start + frames) / total))
  }
}

/** What lies below the audible band: the largest mean of a channel, and the level of rumble in dBFS. */
interface LowEnd {
  readonly offset: number
  readonly rumbleDbfs: number
}

function lowEnd(audio: Audio): LowEnd {
  const [left, right] = audio.channels
  const sums = sumStereo(left!, right!, 0, audio.frames)
  const offset = Math.max(Math.abs(sums.left), Math.abs(sums.right)) / Math.max(1, audio.frames)
  return { offset, rumbleDbfs: measureSubsonic(audio).levelDbfs }
}

/** Less than this (−60 dBFS) of an offset that a filter took is not worth a word. */
const leastOffset = 1e-3

function lowEndRepairs(
  before: LowEnd,
  after: LowEnd,
  { frequencyHz, isAgainstRumble }: Extract<RecipeStage, { kind: 'rumble_filter' }>,
): Repair[] {
  const repairs: Repair[] = []
  const removed = before.offset - after.offset
  if (removed >= leastOffset) repairs.push({ kind: 'dc_offset', amount_db: rounded(gainToDb(removed)) })
  if (isAgainstRumble) {
    const changeDb = after.rumbleDbfs - before.rumbleDbfs
    repairs.push({ kind: 'rumble', amount_db: rounded(changeDb), frequency_hz: frequencyHz })
  }
  return repairs
}

/** What a streaming repair measured; none for stages that are no repairs or had nothing to do. */
function repairsOf(stage: RecipeStage, processor: Processor, audio: Audio, before: LowEnd | null): Repair[] {
  switch (stage.kind) {
    case 'rumble_filter':
      return before ? lowEndRepairs(before, lowEnd(audio), stage) : []
    case 'mono_bass':
      return [{ kind: 'mono_bass', frequency_hz: stage.frequencyHz, channel: 'side' }]
    case 'equalise':
      return stage.sections
        .filter(({ frequencyHz, gainDb }) => frequencyHz < 400 && gainDb < 0)
        .map(({ frequencyHz, gainDb }) => ({
          kind: 'mud' as const,
          amount_db: rounded(gainDb),
          frequency_hz: frequencyHz,
          channel: 'both' as const,
        }))
    case 'dynamic_cut':
      return (processor as Series).members.flatMap((member, i): Repair[] => {
        const { repair, frequencyHz } = stage.cuts[i]!
        const { mid, side } = member.mostCutDb()
        const most = Math.max(mid, side)
        if (most < noticedDb) return []
        const channel = mid < noticedDb ? 'side' : side < noticedDb ? 'mid' : 'both'
        return [{ kind: repair, amount_db: rounded(-most), frequency_hz: Math.round(frequencyHz), channel }]
      })
    default:
      return []
  }
}
