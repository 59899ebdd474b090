/** Compares a release's requested edges and gaps with those in its masters. Pure. */
import type { Edges } from '../../src-contract/edges.ts'
import type { TrackRecord } from './release.ts'

/** A track with the edges of its master. */
export interface MadeTrack {
  readonly track: TrackRecord
  readonly edges: Edges
  /** True if its master was joined with that of the track before it. False when absent. */
  readonly isContinued?: boolean
}

const CUTS = ['trim_start_seconds', 'trim_end_seconds', 'fade_in_seconds', 'fade_out_seconds'] as const
const SHAPES = { fade_in_seconds: 'fade_in_shape', fade_out_seconds: 'fade_out_shape' } as const
/** Difference below which two times count as equal, s. */
const SAME_SECONDS = 1e-3

const isSame = (a: number, b: number) => Math.abs(a - b) < SAME_SECONDS

/** Returns the gap before a track that is not part of the file before it, s; 0 for the first track. */
export function gapBeside({ track: { facts } }: MadeTrack, before: MadeTrack | undefined): number {
  if (!before || (facts.gap_in_file && isInFile(facts.gap_before_seconds, before))) return 0
  return facts.gap_before_seconds
}

/**
 * Returns whether a track requests a trim, a fade or a gap before it that its master, or the previous one, lacks, or whether the previous
 * track runs into it and their masters do not.
 */
export function lacksEdges(own: MadeTrack, before: MadeTrack | undefined): boolean {
  const { edges } = own
  const { facts } = own.track
  const lacksCut = CUTS.some((name) => {
    const shape = name in SHAPES ? SHAPES[name as keyof typeof SHAPES] : undefined
    return !isSame(facts[name], edges[name]) || (facts[name] > 0 && shape && facts[shape] !== edges[shape])
  })
  const lacksGap = before && facts.gap_in_file && !isInFile(facts.gap_before_seconds, before)
  const lacksJoint = before && before.track.facts.continuous_with_next !== (own.isContinued ?? false)
  return lacksCut || Boolean(lacksGap) || Boolean(lacksJoint)
}

function isInFile(gapSeconds: number, { edges }: MadeTrack): boolean {
  return isSame(gapSeconds, edges.pad_end_seconds)
}
