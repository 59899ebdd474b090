import type { Sentence } from '../text/sentence.ts'

/** Stages of the chain, by their names in the report, where the planner makes decisions. */
export type PlannedStage = 'repair' | 'tone' | 'dynamics' | 'image'

/** Decision codes of one kind of processing stage with their sentences, by the stage of the chain that the report lists them under. */
export type StageSentences = Readonly<Partial<Record<PlannedStage, Readonly<Record<string, Sentence>>>>>
