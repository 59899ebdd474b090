/** Proposal of trims for a song with long silence at its ends. Pure. */
import type { EdgeProposal } from '../src-contract/edge-proposals.ts'
import type { Edges } from '../src-contract/edges.ts'
import type { SourceAnalysis } from './analysis/analysis.ts'
import { rounded } from './dsp/units.ts'

/** Silence that prompts a trim, and the rest that is kept, s. Ours: see docs/engine/edges.md. */
const START = { fromSeconds: 1, keptSeconds: 0.2 }
const END = { fromSeconds: 2, keptSeconds: 1 }

/**
 * Returns trims that shorten the silence measured within the current trims to the usual rest; undefined if nothing is to be cut, or for
 * pure silence.
 */
export function proposeEdges(
  { isSilent, leadingSilenceSeconds, trailingSilenceSeconds }: SourceAnalysis,
  trims: Pick<Edges, 'trim_start_seconds' | 'trim_end_seconds'>,
): EdgeProposal | undefined {
  if (isSilent) return undefined
  const isStart = leadingSilenceSeconds >= START.fromSeconds
  const isEnd = trailingSilenceSeconds >= END.fromSeconds
  if (!isStart && !isEnd) return undefined
  const startSeconds = rounded(leadingSilenceSeconds)
  const endSeconds = rounded(trailingSilenceSeconds)
  const trimStart = rounded(trims.trim_start_seconds + startSeconds - START.keptSeconds)
  const trimEnd = rounded(trims.trim_end_seconds + endSeconds - END.keptSeconds)
  return {
    ...(isStart ? { trim_start_seconds: trimStart } : {}),
    ...(isEnd ? { trim_end_seconds: trimEnd } : {}),
    reasons: [
      ...(isStart ? [reason('SILENCE_AT_START', startSeconds, START.keptSeconds)] : []),
      ...(isEnd ? [reason('SILENCE_AT_END', endSeconds, END.keptSeconds)] : []),
    ],
  }
}

function reason(code: EdgeProposal['reasons'][number]['code'], silenceSeconds: number, keptSeconds: number) {
  return { code, silence_seconds: silenceSeconds, kept_seconds: keptSeconds }
}
