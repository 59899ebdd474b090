/** Age of rules: what a page said long ago may no longer hold. Pure. */
import type { Foundation } from './foundation.ts'

/** Days after which the remedy of a rule is offered, but no longer preselected. */
export const STALE_DAYS = 180
const DAY_MS = 86_400_000

/** Returns the whole days since a rule's page was written, if it bears a day, or else read; 0 for advice and for a clock that is behind. */
export function ageInDays({ read, dated = read }: Foundation, nowMs: number): number {
  return dated === undefined ? 0 : Math.max(0, Math.floor((nowMs - Date.parse(dated)) / DAY_MS))
}

/** Returns whether a rule is older than 180 days. */
export function isStale(rule: Foundation, nowMs: number): boolean {
  return ageInDays(rule, nowMs) > STALE_DAYS
}
