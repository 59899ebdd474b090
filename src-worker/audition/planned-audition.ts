/** Plan of an audition: the effect of these settings on the loaded song, before anything is rendered. */
import type { PlannedResponse } from '../../src-contract/auditions.ts'
import { type DeliveryTarget, targetsOf, withReferenceLoudness } from '../../src-contract/delivery-target.ts'
import type { Edges } from '../../src-contract/edges.ts'
import type { Recipe } from '../../src-contract/recipe.ts'
import type { JobSettings } from '../../src-contract/settings.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { splitRecipe } from '../../src-engine/chain.ts'
import { paddingOf } from '../../src-engine/edges.ts'
import type { MasteringPlan } from '../../src-engine/plan.ts'
import { responseDb } from '../../src-engine/stages/index.ts'
import { MASTER_BIT_DEPTH } from '../mastering/deliver.ts'
import { candidatesOf } from '../mastering/prepare-song.ts'
import { measurementOf, spectrumOf } from '../mastering/report-facts.ts'
import type { AuditionEstimate, AuditionOrder } from '../mastering/work-order.ts'
import { roundReport } from '../result/report-json.ts'
import type { LoadedSong } from './loaded-song.ts'
import type { EstimatedGain } from './loudness-model.ts'

export interface PlannedAudition {
  readonly plan: MasteringPlan
  readonly reference?: SourceAnalysis
  /** Edits of single samples, for the song at its own rate. */
  readonly edits: Recipe
  readonly rest: Recipe
  readonly target: DeliveryTarget
  /** Settings of the targets, with the loudness of the reference where it is asked for. */
  readonly settings: JobSettings
}

/** Plans as a job of tier standard does; the other candidates of tier premium are only tried with its codec proof. Pure. */
export function planAudition(
  { analysis }: Pick<LoadedSong, 'analysis'>,
  reference: SourceAnalysis | undefined,
  order: AuditionOrder,
): PlannedAudition {
  const { settings, platform } = order
  const [asked] = candidatesOf({ ...order, settings: { ...settings, tier: 'standard' } }, analysis, reference)
  const { plan } = asked!
  const { edits, rest } = splitRecipe(plan.recipe)
  const followed = withReferenceLoudness(settings, reference)
  return {
    ...{ plan, edits, rest },
    ...(reference ? { reference } : {}),
    target: targetsOf({ ...followed, platforms: [platform] })[0]!,
    settings: followed,
  }
}

/** Returns the facts of an audition that are available before rendering. */
export function estimateOf(
  { analysis, figures: source }: Pick<LoadedSong, 'analysis' | 'figures'>,
  { plan, reference, target }: PlannedAudition,
  gain: EstimatedGain,
  edges: Edges,
): AuditionEstimate {
  const { frames, sampleRateHz } = analysis
  const { startFrames, endFrames } = paddingOf(edges, sampleRateHz)
  return {
    frames: startFrames + frames + endFrames,
    sampleRateHz,
    bitDepth: MASTER_BIT_DEPTH,
    targetLufs: target.targetLufs,
    ceilingDbtp: target.ceilingDbtp,
    loudnessLufs: gain.plan.integratedLufs,
    gainDb: gain.plan.gainDb + gain.treatedLufs - (analysis.integratedLufs ?? gain.treatedLufs),
    finalise: gain.plan,
    recipe: plan.recipe,
    planned: plannedResponse(plan.recipe, sampleRateHz),
    targetSpectrum: plan.targetSpectrum,
    decisions: plan.decisions,
    figures: { source, ...(reference ? { reference: referenceFigures(reference) } : {}) },
  }
}

function referenceFigures(analysis: SourceAnalysis) {
  return roundReport({ measurement: measurementOf(analysis), spectrum: spectrumOf(analysis.comparedSpectrum) })
}

/** Points of a response: twelve in an octave from 20 Hz to 20 kHz, as finely as a screen shows. */
const RESPONSE_HZ = Array.from({ length: 121 }, (_, i) => 20 * 2 ** (i / 12)).filter((hz) => hz <= 20_000)

/** Prefix of the stage kinds that carry out the user's tone and width controls. */
const OWN_KIND = 'steer_'

function plannedResponse({ stages }: Recipe, sampleRateHz: number): PlannedResponse {
  const sum = (isOwn: boolean) => {
    const chosen = stages.filter(({ kind }) => kind.startsWith(OWN_KIND) === isOwn)
    const gains = RESPONSE_HZ.map((hz) => chosen.map((stage) => responseDb(stage, hz, sampleRateHz)))
    const part = (name: 'mid' | 'side') =>
      gains.map((at) => Math.round(100 * at.reduce((total, gain) => total + gain[name], 0)) / 100)
    return { mid: part('mid'), side: part('side') }
  }
  const [planned, own] = [sum(false), sum(true)]
  return {
    frequency_hz: RESPONSE_HZ.map((hz) => Math.round(10 * hz) / 10),
    planned_mid_db: planned.mid,
    planned_side_db: planned.side,
    own_mid_db: own.mid,
    own_side_db: own.side,
  }
}
