import type { Sentence } from '../text/sentence.ts'

/** Stages of the chain, as the report names them, in which the planner decides something. */
export type PlannedStage = 'repair' | 'tone' | 'dynamics' | 'image'

/** Decision codes of one kind of processing stage with their sentences, by the stage of the chain under which the report tells them. */
export type StageSentences = Readonly<Partial<Record<PlannedStage, Readonly<Record<string, Sentence>>>>>
