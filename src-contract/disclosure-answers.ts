/** Answers to the forms about AI, derived from the statements of the artist. Pure. */
import type {
  AiUse,
  Disclosure,
  DisclosureAnswers,
  DisclosureCategory,
  DisclosureStatement,
  ReleaseDisclosure,
} from './disclosure.ts'

/** Categories that the forms ask about; mixing and mastering are exempt. */
export const ASKED_CATEGORIES = [
  'vocals',
  'instrumentation',
  'composition',
  'lyrics',
] as const satisfies readonly DisclosureCategory[]

/** Returns the statements on a track: its own, else those on the release. */
export function trackDisclosure(
  { artwork: _, ...ofRelease }: ReleaseDisclosure = {},
  ofTrack: Disclosure = {},
): Disclosure {
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

/** Returns whether AI had a part in any of several categories; null while those that are stated do not decide it. */
function hasAi(uses: readonly (AiUse | undefined)[]): boolean | null {
  if (uses.some((use) => use !== undefined && use !== 'none')) return true
  return uses.includes(undefined) ? null : false
}

/** Returns whether Apple's tag Artwork is due; null while nothing is stated of the cover. */
export function isArtworkTagged(artwork: DisclosureStatement | undefined): boolean | null {
  return hasAi([artwork?.use])
}

/** Returns the answers for one track; null where the artist has not stated what decides it. Never throws. */
export function disclosureAnswers(statements: Disclosure): DisclosureAnswers {
  const use = (category: DisclosureCategory) => statements[category]?.use
  const audio = shareOf([use('vocals'), use('instrumentation')])
  return {
    distrokid: {
      includes_ai: hasAi(ASKED_CATEGORIES.map(use)),
      lyrics: hasAi([use('lyrics')]),
      music: hasAi([use('composition')]),
      audio,
      asks_for_persona: audio === 'all',
    },
    apple: {
      track: hasAi([use('vocals'), use('instrumentation')]),
      composition: hasAi([use('composition'), use('lyrics')]),
    },
    ddex: {
      vocals: use('vocals') ?? null,
      instrumentation: use('instrumentation') ?? null,
      composition: use('composition') ?? null,
      post_production: use('post_production') ?? null,
      lyrics: use('lyrics') ?? null,
    },
  }
}
