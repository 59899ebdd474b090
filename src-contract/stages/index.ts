/** The kinds of processing stage: their settings in a recipe, their decisions and how these are worded. One module per kind. */

import type { Sentence } from '../text/sentence.ts'
import { type Declick, declickSentences } from './declick.ts'
import { type Declip, declipSentences } from './declip.ts'
import { type Deflutter, deflutterSentences } from './deflutter.ts'
import { type Density, densitySentences } from './density.ts'
import { type DynamicCut, dynamicCutSentences } from './dynamic-cut.ts'
import { type Equalise, equaliseSentences } from './equalise.ts'
import { type Match, matchSentences } from './match.ts'
import { type MonoBass, monoBassSentences } from './mono-bass.ts'
import { type Multiband, multibandSentences } from './multiband.ts'
import { type Punch, punchSentences } from './punch.ts'
import { type RemoveDc, removeDcSentences } from './remove-dc.ts'
import { type RumbleFilter, rumbleFilterSentences } from './rumble-filter.ts'
import type { PlannedStage, StageSentences } from './sentences.ts'
import { type SteerTone, steerToneSentences } from './steer-tone.ts'
import { type SteerWidth, steerWidthSentences } from './steer-width.ts'
import { type Warmth, warmthSentences } from './warmth.ts'
import { type WhistleNotch, whistleNotchSentences } from './whistle-notch.ts'

/** A processing stage with its settings, by its kind. */
export type RecipeStage =
  | RemoveDc
  | RumbleFilter
  | Declip
  | Declick
  | WhistleNotch
  | Deflutter
  | Equalise
  | DynamicCut
  | MonoBass
  | Match
  | SteerTone
  | SteerWidth
  | Density
  | Multiband
  | Punch
  | Warmth

export type StageKind = RecipeStage['kind']

/** Sentences of every kind, in publication order of the codes. */
const sentencesByKind = {
  remove_dc: removeDcSentences,
  rumble_filter: rumbleFilterSentences,
  declip: declipSentences,
  declick: declickSentences,
  whistle_notch: whistleNotchSentences,
  deflutter: deflutterSentences,
  equalise: equaliseSentences,
  dynamic_cut: dynamicCutSentences,
  mono_bass: monoBassSentences,
  match: matchSentences,
  steer_tone: steerToneSentences,
  steer_width: steerWidthSentences,
  density: densitySentences,
  multiband: multibandSentences,
  punch: punchSentences,
  warmth: warmthSentences,
} satisfies Record<StageKind, StageSentences>

/** Kinds of stage, in publication order of their codes. */
export const STAGE_KINDS = Object.keys(sentencesByKind) as StageKind[]

type Sentences = typeof sentencesByKind

type CodesOf<Kind extends StageKind> = {
  [Stage in keyof Sentences[Kind]]: keyof Sentences[Kind][Stage]
}[keyof Sentences[Kind]]

/** Code of a decision that belongs to a kind of processing stage. */
export type StageDecisionCode = { [Kind in StageKind]: CodesOf<Kind> }[StageKind] & string

const all: readonly StageSentences[] = Object.values(sentencesByKind)

/** Returns the codes that the report lists under a stage of the chain. */
export function codesToldUnder(stage: PlannedStage): readonly StageDecisionCode[] {
  return all.flatMap((sentences) => Object.keys(sentences[stage] ?? {}) as StageDecisionCode[])
}

/** Sentences of all decisions that belong to a kind of processing stage. */
export const stageDecisionSentences = Object.assign(
  {},
  ...all.flatMap((sentences) => Object.values(sentences)),
) as Readonly<Record<StageDecisionCode, Sentence>>
