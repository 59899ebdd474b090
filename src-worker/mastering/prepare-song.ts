/** First half of a job: one song from its stored file to the treated audio that all masters are made from. */
import type { Edges } from '../../src-contract/edges.ts'
import type { Recipe } from '../../src-contract/recipe.ts'
import type { Decision, Repair } from '../../src-contract/report.ts'
import type { JobSettings } from '../../src-contract/settings.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { chooseCandidate, type RecipeCandidate, recipeCandidates } from '../../src-engine/candidates.ts'
import { type AppliedRecipe, applyRecipe, splitRecipe } from '../../src-engine/chain.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { mix } from '../../src-engine/dsp/units.ts'
import { finishEdges, paddingOf } from '../../src-engine/edges.ts'
import { leftOut, type MasteringPlan, planRecipe } from '../../src-engine/plan.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import { type FollowedSong, followRecipe } from './follow-recipe.ts'
import { ANALYSIS_WEIGHTS, createProgressMeter, type ProgressMeter } from './progress-meter.ts'
import { editSong, type ReadSong, readSong, type Stretch, takenOnce } from './read-song.ts'
import { checkStoredSong, REFERENCE_CODES, readingSong, SOURCE_CODES } from './stored-song.ts'
import { songWarnings } from './warnings.ts'
import { decisionsDone, repairsOfFaults, withBridgedGaps } from './work-done.ts'
import { WorkFailure } from './work-failure.ts'
import type { SongOrder, StoredSong, WarningFact, WorkOrder } from './work-order.ts'

type ReportProgress = ProgressMeter['report']

/** Share of the decoding stage for a reference, which is measured as well. */
const REFERENCE_PART = 0.7
/** Share of the rendering stage that ends with the chain. */
export const CHAIN_PART = 0.3
/** Share of the rendering stage for editing single samples, in a song at another rate. */
const EDIT_PART = 0.2

/** Song that is decoded, analysed and treated, up to the limiter. */
export interface PreparedSong {
  /** The treated audio; it can be taken once and is then released from memory. */
  readonly takeAudio: () => Audio
  readonly analysis: SourceAnalysis
  readonly reference?: SourceAnalysis
  readonly plan: MasteringPlan
  /** The whole applied recipe, including edits at the file's own rate. */
  readonly recipe: Recipe
  readonly repairs: readonly Repair[]
  /** Decisions up to the limiter, as they were carried out. */
  readonly decisions: readonly Decision[]
  readonly warnings: readonly WarningFact[]
  /** Loudness of the untreated song. */
  readonly sourceLufs: number
  /** Frames of the audio that belong to the song itself, if it was joined with others. */
  readonly own?: FrameRange
}

/** Frames from `first` to before `end`. */
export interface FrameRange {
  readonly first: number
  readonly end: number
}

export interface PrepareDeps {
  readonly ffmpeg: Ffmpeg
  readonly folder: string
  readonly report: ReportProgress
  readonly signal: AbortSignal
}

/** Decodes, analyses and treats the song of an order. Throws as {@link masterSong} does. */
export async function prepareSong(
  order: SongOrder & Pick<WorkOrder, 'attemptFolder'>,
  report: ReportProgress,
  signal: AbortSignal,
): Promise<PreparedSong> {
  const deps: PrepareDeps = { ffmpeg: order.ffmpeg, folder: order.attemptFolder, report, signal }
  const { song, reference } = await readSongs(order, deps)
  const { analysis } = song
  const candidates = candidatesOf(order, analysis, reference)
  report('analysing', 1)
  const edited = await editSamples(order, song, candidates, deps)
  const plan = choosePlan(edited.audio, analysis, song.isConverted ? candidates.map(afterEdits) : candidates)
  signal.throwIfAborted()
  const applied = applyRecipe(edited.audio, plan.recipe, (part) =>
    report('rendering', mix(edited.part, CHAIN_PART, part)),
  )
  const all = { ...applied, repairs: [...edited.repairs, ...applied.repairs] }
  const edges = finishedEdges(order)
  const finished = finishEdges(applied.audio, edges)
  const { frames, sampleRateHz } = finished
  return {
    takeAudio: takenOnce(finished),
    ...(song.stretch ? { own: rangeOf(song.stretch, { frames, sampleRateHz, edges }) } : {}),
    analysis,
    ...(reference ? { reference } : {}),
    plan,
    recipe: { ...plan.recipe, stages: [...edited.edits.stages, ...plan.recipe.stages] },
    ...workDone(plan, all, song, order.settings),
    warnings: songWarnings(order, { analysis, plan, bridgedGaps: song.bridgedGaps }),
    sourceLufs: analysis.integratedLufs!,
  }
}

/** Returns the edges of the finished audio: the song's own, or those of its joined songs. */
export function finishedEdges({ settings, joined }: Pick<SongOrder, 'settings' | 'joined'>): Edges {
  return joined ? { ...settings, ...joined.edges } : settings
}

function rangeOf(
  { startSeconds, endSeconds }: Stretch,
  { frames, sampleRateHz, edges }: { readonly frames: number; readonly sampleRateHz: number; readonly edges: Edges },
): FrameRange {
  const frameAt = (seconds: number) => paddingOf(edges, sampleRateHz).startFrames + Math.round(seconds * sampleRateHz)
  return {
    first: startSeconds === 0 ? 0 : frameAt(startSeconds),
    end: endSeconds === undefined ? frames : frameAt(endSeconds),
  }
}

/** Returns the repairs and decisions of a plan as they turned out, including repairs made during decoding. */
export function workDone(
  { decisions: planned }: Pick<MasteringPlan, 'decisions'>,
  applied: Pick<AppliedRecipe, 'repairs' | 'mostReductionDb'>,
  { analysis, bridgedGaps }: Pick<ReadSong, 'analysis' | 'bridgedGaps'>,
  { intensity, dynamics_amount }: Pick<JobSettings, 'intensity' | 'dynamics_amount'>,
): Pick<PreparedSong, 'repairs' | 'decisions'> {
  const made = repairsOfFaults({ repairs: applied.repairs, decisions: planned })
  const { repairs, decisions } = withBridgedGaps({ repairs: made, decisions: planned }, bridgedGaps.length)
  const settings = { intensity, plrDb: analysis.plrDb ?? 0, ...leftOut(dynamics_amount) }
  return { repairs, decisions: decisionsDone(decisions, { ...applied, repairs }, settings) }
}

/** Checks and reads the song and its reference; a song that is its own reference is read once. Throws a WorkFailure for a silent song. */
export async function readSongs(
  {
    source,
    analysisPath,
    reference,
    joined,
    settings: trims,
  }: Pick<SongOrder, 'source' | 'analysisPath' | 'reference' | 'joined' | 'settings'>,
  deps: PrepareDeps,
): Promise<{ readonly song: ReadSong; readonly reference: SourceAnalysis | undefined }> {
  const { ffmpeg, report, signal } = deps
  const isOwnReference = reference?.sha256 === source.sha256
  const other = isOwnReference ? undefined : reference
  report('decoding', 0)
  for (const one of [...(joined?.before ?? []), source, ...(joined?.after ?? [])])
    await checkStoredSong(one, SOURCE_CODES, signal)
  const behind = other ? REFERENCE_PART : 0
  const meter = createProgressMeter(ANALYSIS_WEIGHTS, ({ fraction }) => report('decoding', behind * fraction))
  const foreign = other && (await readReference(other, { ...deps, report: meter.report }))
  const song = await readingSong(deps, source, SOURCE_CODES, () =>
    readSong(ffmpeg, { ...source, analysisPath, trims, joined }, signal, (stage, part) =>
      report(stage, stage === 'decoding' ? mix(behind, 1, part) : part),
    ),
  )
  if (song.analysis.isSilent || song.analysis.integratedLufs === null) throw new WorkFailure('DIGITAL_SILENCE')
  return { song, reference: isOwnReference ? song.analysis : foreign }
}

/** Checks a reference and measures it. Throws as a job does. */
export async function readReference(reference: StoredSong, { report, ...deps }: PrepareDeps): Promise<SourceAnalysis> {
  const { ffmpeg, signal } = deps
  await checkStoredSong(reference, REFERENCE_CODES, signal)
  const read = () => readSong(ffmpeg, reference, signal, report)
  return (await readingSong(deps, reference, REFERENCE_CODES, read)).analysis
}

/** Returns the plans of the settings for a song that was read; of tier standard, and of a recipe, the only one. */
export function candidatesOf(
  order: FollowedSong & Pick<SongOrder, 'settings'>,
  analysis: SourceAnalysis,
  reference: SourceAnalysis | undefined,
): readonly RecipeCandidate[] {
  const { settings } = order
  const input = { analysis, ...settings, sound: settings, ...(reference ? { reference } : {}) }
  if (!settings.recipe) return recipeCandidates(input)
  return [{ name: 'as_asked', intensity: settings.intensity, plan: followRecipe(planRecipe(input), order) }]
}

/** Song after the editing of single samples, unless that was left to the chain. */
interface EditedSong {
  readonly audio: Audio
  /** Edits made to it. */
  readonly edits: Recipe
  readonly repairs: readonly Repair[]
  /** Share of the rendering stage that is behind then. */
  readonly part: number
}

/** Returns the song with its single samples edited if its rate was converted; for all other songs the chain makes these edits. */
async function editSamples(
  { source, joined, settings: trims }: Pick<SongOrder, 'source' | 'joined' | 'settings'>,
  song: ReadSong,
  candidates: readonly RecipeCandidate[],
  deps: PrepareDeps,
): Promise<EditedSong> {
  if (!song.isConverted) return { audio: song.takeAudio(), edits: { version: 1, stages: [] }, repairs: [], part: 0 }
  const { ffmpeg, report, signal } = deps
  // The candidates differ only in intensity, and edits of single samples do not depend on it.
  const { edits } = splitRecipe(candidates[0]!.plan.recipe)
  let edit = 0
  const edited = await readingSong(deps, source, SOURCE_CODES, () =>
    editSong(ffmpeg, { ...source, trims, joined }, song, edits, signal, (part) => {
      edit = EDIT_PART * part
      report('rendering', edit)
    }),
  )
  return { ...edited, edits, part: edit }
}

/** The plan of the candidate that measures best; tier standard has only one. */
function choosePlan(audio: Audio, analysis: SourceAnalysis, candidates: readonly RecipeCandidate[]): MasteringPlan {
  const { chosen, decision } = chooseCandidate(audio, analysis, candidates)
  return decision ? { ...chosen.plan, decisions: [...chosen.plan.decisions, decision] } : chosen.plan
}

/** Returns a candidate for audio with already edited samples. */
function afterEdits(candidate: RecipeCandidate): RecipeCandidate {
  const { plan } = candidate
  return { ...candidate, plan: { ...plan, recipe: splitRecipe(plan.recipe).rest } }
}
