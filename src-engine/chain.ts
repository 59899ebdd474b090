import type { Recipe } from '../src-contract/recipe.ts'
import type { Repair } from '../src-contract/report.ts'
import type { RecipeStage, StageKind } from '../src-contract/stages/index.ts'
import { type Audio, allocateBlock, sliceBlock } from './dsp/block.ts'
import type { Processor } from './dsp/processor.ts'
import { runAtOnce, type Steps } from './dsp/steps.ts'
import { mix } from './dsp/units.ts'
import { stageOfKind } from './stages/index.ts'

/** Outcome of a recipe on a piece. */
export interface AppliedRecipe {
  /** The same memory as the input. */
  readonly audio: Audio
  /** Completed repairs with their measurements. */
  readonly repairs: readonly Repair[]
  /** Largest gain reduction of each compressor of the recipe, dB. */
  readonly mostReductionDb: Readonly<Partial<Record<StageKind, number>>>
}

/** Frames per block of the streaming stages. */
const blockFrames = 4096

/** A streaming stage at work on a piece. */
interface Running {
  readonly processor: Processor
  /** Repairs made, once the piece has run through. */
  readonly repairs: () => readonly Repair[]
  /** Largest gain reduction so far, dB; null unless a compressor. */
  readonly mostReductionDb: () => number | null
}

/**
 * Carries out a recipe on two channels of audio, in place; an empty recipe leaves every bit. Stages that edit single samples run first over
 * the whole piece, the others run block by block in one pass with their latency compensated, without a second copy of the audio.
 * `onProgress` gets the share of the work done, 0 to 1. Deterministic; passes on a processor's error for settings outside its range.
 */
export function applyRecipe(audio: Audio, recipe: Recipe, onProgress?: (fraction: number) => void): AppliedRecipe {
  return runAtOnce(recipeSteps(audio, recipe, onProgress))
}

/** Applies a recipe like {@link applyRecipe}, in steps: one per block of the streaming stages, one per edit of single samples. */
export function* recipeSteps(
  audio: Audio,
  recipe: Recipe,
  onProgress?: (fraction: number) => void,
): Steps<AppliedRecipe> {
  const { edits, rest } = splitRecipe(recipe)
  const editing = Math.max(0, ...edits.stages.map(workShareOf))
  const edited = edits.stages.flatMap((stage) => editSamples(audio, stage, (part) => onProgress?.(editing * part)))
  const running = rest.stages.map((stage) => ({ kind: stage.kind, ...begin(stage, audio) }))
  yield* runStreamed(
    audio,
    running.map(({ processor }) => processor),
    (part) => onProgress?.(mix(editing, 1, part)),
  )
  return {
    audio,
    repairs: [...edited, ...running.flatMap(({ repairs }) => repairs())],
    mostReductionDb: Object.fromEntries(
      running.flatMap(({ kind, mostReductionDb }) => {
        const mostDb = mostReductionDb()
        return mostDb === null ? [] : [[kind, mostDb]]
      }),
    ),
  }
}

const isSampleEdit = ({ kind }: RecipeStage): boolean => 'edit' in stageOfKind(kind)

/**
 * Splits a recipe into the edits of single samples, for the song at its own rate, and the rest, for the engine's working rate. Run in
 * sequence on audio of one rate, the two equal the whole. Pure.
 */
export function splitRecipe(recipe: Recipe): { readonly edits: Recipe; readonly rest: Recipe } {
  return {
    edits: { ...recipe, stages: recipe.stages.filter(isSampleEdit) },
    rest: { ...recipe, stages: recipe.stages.filter((stage) => !isSampleEdit(stage)) },
  }
}

function workShareOf({ kind }: RecipeStage): number {
  const stage = stageOfKind(kind)
  return 'edit' in stage ? stage.workShare : 0
}

function editSamples(audio: Audio, settings: RecipeStage, onProgress: (fraction: number) => void): Repair[] {
  const stage = stageOfKind(settings.kind)
  return 'edit' in stage ? stage.edit(audio, settings, onProgress) : []
}

function begin(settings: RecipeStage, audio: Audio): Running {
  const stage = stageOfKind(settings.kind)
  const processor = createProcessor(settings, audio.sampleRateHz)
  if (!('create' in stage)) return { processor, repairs: () => [], mostReductionDb: () => null }
  return {
    processor,
    repairs: stage.watch?.(settings, processor, audio) ?? (() => []),
    mostReductionDb: () => stage.compression?.mostReductionDb(processor) ?? null,
  }
}

/**
 * Returns the processor of a streaming stage. Throws a RangeError for a stage that edits single samples, and passes on the processor's
 * error for its settings.
 */
export function createProcessor(settings: RecipeStage, sampleRateHz: number): Processor {
  const stage = stageOfKind(settings.kind)
  if (!('create' in stage)) throw new RangeError(`${settings.kind} does not stream`)
  return stage.create(settings, sampleRateHz)
}

/** Runs the processors over the audio in place, with late output written back to its proper frames. */
function* runStreamed(
  audio: Audio,
  processors: readonly Processor[],
  onProgress: (fraction: number) => void,
): Steps<void> {
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
    yield
  }
}
