import type { AiService } from '../../src-contract/settings.ts'
import type { PlannedSong } from './analysis.ts'
import type { Fault } from './peak-relief.ts'

/** Faults of which there can be more than finished music has; there is dark and nearly mono music of every degree. */
export type Excess = Extract<Fault, 'mud' | 'harshness' | 'widened'>

/**
 * Evidence that one in fifty of 241 finished pieces exceeds, and one in twenty, dB: of music of generators, which is known for
 * these faults, the doubt is smaller (docs/engine/tone.md).
 */
const oneInFiftyDb: Record<Excess, number> = { mud: 12, harshness: 9, widened: 6 }
const oneInTwentyDb: Record<Excess, number> = { mud: 8, harshness: 6, widened: 5 }

const boundsDb: Record<AiService, Record<Excess, number>> = {
  suno: oneInTwentyDb,
  udio: oneInTwentyDb,
  elevenlabs: oneInTwentyDb,
  other: oneInFiftyDb,
}

/** Up to where nearly all finished music has of a fault, dB: evidence of the spectrum, or width of the widest moments. */
export function usualUpToDb({ aiService }: Pick<PlannedSong, 'aiService'>, kind: Excess): number {
  return boundsDb[aiService][kind]
}

/**
 * Returns by how much a piece has more of a fault than that, dB, 0 or more. This is there however the peaks line up, so also in what
 * a generator limited with the fault in it. 0 for silence.
 */
export function excessDb(analysis: PlannedSong, kind: Excess): number {
  const foundDb = kind === 'widened' ? analysis.width.widestDb : analysis.tone[kind]
  return Math.max(0, foundDb - usualUpToDb(analysis, kind))
}
