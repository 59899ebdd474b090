import { playingTime } from '../../src-contract/text/numbers.ts'
import type { AudioFacts } from './audio-facts.ts'

/** A warning about a file that is longer or shorter than its header claims; its values are playing times, `m:ss`. */
export interface LengthWarning {
  readonly code: 'INPUT_CUT_SHORT' | 'INPUT_HOLDS_MORE'
  readonly values: Readonly<Record<string, string>>
}

/** Returns the warnings about the length of a file; it is known before anything is measured or charged. Pure. */
export function lengthWarnings(
  facts: Pick<AudioFacts, 'durationSeconds' | 'claimedSeconds' | 'uncountedSeconds'>,
): LengthWarning[] {
  const { durationSeconds, claimedSeconds, uncountedSeconds } = facts
  const held = playingTime(durationSeconds)
  return [
    ...(claimedSeconds === undefined
      ? []
      : [{ code: 'INPUT_CUT_SHORT' as const, values: { claimed: playingTime(claimedSeconds), held } }]),
    ...(uncountedSeconds === undefined
      ? []
      : [{ code: 'INPUT_HOLDS_MORE' as const, values: { counted: held, more: playingTime(uncountedSeconds) } }]),
  ]
}
