/** Trims that the analysis of a song proposes. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf } from './common.ts'

/** Trims that are proposed for a song, each with its reason. */
export const ProposedEdges = exactly(
  {
    trim_start_seconds: Type.Optional(Type.Number({ description: 'Value for `trim_start_seconds`.' })),
    trim_end_seconds: Type.Optional(Type.Number({ description: 'Value for `trim_end_seconds`.' })),
    reasons: Type.Array(
      exactly({
        code: oneOf(['SILENCE_AT_START', 'SILENCE_AT_END']),
        silence_seconds: Type.Number({ description: 'Silence that was found there.' }),
        kept_seconds: Type.Number({ description: 'Silence that stays.' }),
        message: Type.String(),
      }),
      { description: 'What was found at each end, in order.' },
    ),
  },
  'Trims that would leave a usual rest of long silence at the ends; absent where nothing is proposed.',
)
export type ProposedEdges = Static<typeof ProposedEdges>
type ProposedReason = Omit<ProposedEdges['reasons'][number], 'message'>
/** Proposed trims without their texts, which depend on the reader's language. */
export type EdgeProposal = Omit<ProposedEdges, 'reasons'> & { readonly reasons: readonly ProposedReason[] }
