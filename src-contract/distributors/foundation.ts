/** Foundations of rules: pages of receivers, and what others tell of them. */
import type { Confidence } from '../platforms/platform.ts'

/** Foundation of a rule. */
export interface Foundation {
  /** Page or document of the rule, or our reason for advising it. */
  readonly source: string
  /** Address of that page. */
  readonly url?: string
  /** Day on which it was read, ISO 8601; absent for advice. */
  readonly read?: string
  /** Day that the page itself bears, ISO 8601. */
  readonly dated?: string
  readonly confidence: Confidence
}

/** Returns the foundation of rules that a page publishes. */
export function published(source: string, url: string, read: string, dated?: string) {
  return { source, url, read, ...(dated === undefined ? {} : { dated }), confidence: 'published' } as const
}

/** Returns the foundation of rules that another page quotes or tells of a receiver. */
export function quoted(source: string, url: string, read: string, dated?: string) {
  return { ...published(source, url, read, dated), confidence: 'common_practice' } as const
}
