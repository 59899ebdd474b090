/** Cost of loudness. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf } from './common.ts'

/** Cost of a loudness target to a song: its losses to clipper and limiter, and the remaining dynamics. */
export const TargetPrice = exactly({
  target_lufs: Type.Number(),
  integrated_lufs: Type.Number({ description: 'Loudness that is reached.' }),
  mean_gain_reduction_db: Type.Number({
    description: 'Mean loudness lost by the 400 ms blocks that are at least as loud as the song.',
  }),
  peak_loss_db: Type.Number({ description: 'Level that the highest peak loses to clipper and limiter, dB.' }),
  plr_db: Type.Number({ description: 'Peak-to-loudness ratio that is left, dB.' }),
  verdict: oneOf(['on_target', 'below_target']),
})
export type TargetPrice = Static<typeof TargetPrice>
