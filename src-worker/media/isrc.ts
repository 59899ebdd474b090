import { isrcOf } from '../../src-contract/isrc.ts'

/**
 * Returns the ISRC in the `axml` chunk of a Broadcast Wave (EBU Tech 3352: a `dc:identifier` inside an ebuCore `identifier`; the former's
 * text or the latter's `formatLabel` marks it as an ISRC); the first of several. Never throws.
 */
export function isrcInAxml(xml: string): string | undefined {
  let isLabelled = false
  for (const [, attributes, text] of xml.matchAll(/<(?:[\w-]+:)?identifier\b([^<>]*)>([^<>]*)/gi)) {
    if (/\bformatLabel\b/i.test(attributes!)) isLabelled = /\bformatLabel\s*=\s*["']\s*ISRC\s*["']/i.test(attributes!)
    const isrc = text && (isLabelled || /^\s*ISRC\b/i.test(text)) ? isrcOf(text) : undefined
    if (isrc) return isrc
  }
  return undefined
}
