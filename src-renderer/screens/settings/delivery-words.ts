import type { Delivery } from '../../../src-contract/webhooks.ts'
import type { SettingsText } from '../../text/settings.en.ts'

/** Returns the line of the delivery log with the receiver's answer and the next step, in the language of `text`. */
export function deliveryWords(delivery: Delivery, text: SettingsText['webhooks'], nowMs: number): string {
  const { attempts, last_status, next_attempt_at, state, stop_reason } = delivery
  const answer = last_status ? text.answered(last_status) : text.noAnswer
  const said = attempts > 0 ? answer : ''
  const minutes = next_attempt_at ? Math.round((Date.parse(next_attempt_at) - nowMs) / 60_000) : null
  // An overdue delivery is held back, because Loudsmith is offline or by the plan.
  const isPlanned = attempts > 0 && minutes !== null && minutes >= 0
  const stopped = stop_reason ? text.stoppedBecause[stop_reason] : text.stopped
  const next = state === 'failed' ? stopped : isPlanned ? text.again(minutes) : ''
  return [said, next].filter(Boolean).join(', ') || text.waiting
}
