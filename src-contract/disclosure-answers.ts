/** Answers to the forms about AI, derived from the statements of the artist. Pure. */
import type { AiUse, Disclosure, DisclosureAnswers, DisclosureCategory } from './disclosure.ts'

/** Categories that the forms ask about; mixing and mastering are exempt. */
export const ASKED_CATEGORIES = [
  'vocals',
  'instrumentation',
  'composition',
  'lyrics',
] as const satisfies readonly DisclosureCategory[]

/** Returns the statements on a track: its own, else those on the release. */
export function trackDisclosure(ofRelease: Disclosure = {}, ofTrack: Disclosure = {}): Disclosure {
  return { ...ofRelease, ...ofTrack }
}

/** Returns whether every category that forms ask about is answered; “none” is an answer. */
export function isAnswered(statements: Disclosure): boolean {
  return ASKED_CATEGORIES.every((category) => statements[category] !== undefined)
}

/** Returns the share of AI in several categories; null while one that decides it is not stated. */
function shareOf(uses: readonly (AiUse | undefined)[]): 'none' | 'part' | 'all' | null {
  if (uses.every((use) => use === 'generated')) return 'all'
  if (uses.some((use) => use !== undefined && use !== 'none')) return uses.includes(undefined) ? null : 'part'
  return uses.includes(undefined) ? null : 'none'
}

/** Returns the answers for one track; null where the artist has not stated what decides it. Never throws. */
export function disclosureAnswers(statements: Disclosure): DisclosureAnswers {
  const use = (category: DisclosureCategory) => statements[category]?.use
  const audio = shareOf([use('vocals'), use('instrumentation')])
  const isUsed = (share: ReturnType<typeof shareOf>) => (share === null ? null : share !== 'none')
  return {
    distrokid: {
      lyrics: isUsed(shareOf([use('lyrics')])),
      music: isUsed(shareOf([use('composition')])),
      audio,
      asks_for_persona: audio === 'all',
    },
    apple: {
      track: isUsed(audio),
      composition: isUsed(shareOf([use('composition'), use('lyrics')])),
    },
  }
}
