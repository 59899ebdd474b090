/** The AI disclosure sheet: what of a release was made by or with AI, in the five categories of DDEX that distributors ask for. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, orNull } from './common.ts'
import { MAX_LINE_LENGTH } from './limits.ts'

export const DISCLOSURE_CATEGORIES = ['vocals', 'instrumentation', 'composition', 'post_production', 'lyrics'] as const
export type DisclosureCategory = (typeof DISCLOSURE_CATEGORIES)[number]

/** Part that AI had: none, some in the hands of a person, or all of it. */
export const AI_USES = ['none', 'assisted', 'generated'] as const
export type AiUse = (typeof AI_USES)[number]

const line = (description: string) => Type.Optional(Type.String({ maxLength: MAX_LINE_LENGTH, description }))

/** Statement of the artist on one category. */
export const DisclosureStatement = exactly({
  use: oneOf(AI_USES, 'Part that AI had.'),
  tools: line('Names of the tools, such as a generator and its version.'),
  note: line('Anything that a distributor should know of it.'),
})
export type DisclosureStatement = Static<typeof DisclosureStatement>

const ofEach = <Value>(value: Value) =>
  Object.fromEntries(DISCLOSURE_CATEGORIES.map((category) => [category, value])) as Record<DisclosureCategory, Value>

/** The statements of the artist; a category that is absent is not stated yet. */
export const Disclosure = exactly(
  ofEach(Type.Optional(DisclosureStatement)),
  'Statements of the artist about AI, by category; one that is absent is not stated yet.',
)
export type Disclosure = Static<typeof Disclosure>

/** Changed statements: those that are absent stay, and null takes one back. */
export const DisclosureChange = exactly(
  ofEach(Type.Optional(orNull(DisclosureStatement))),
  'Statements of the artist about AI, by category; those that are absent stay, null takes one back.',
)
export type DisclosureChange = Static<typeof DisclosureChange>

/** A category as the sheet shows it. */
const SheetCategory = exactly({
  category: oneOf(DISCLOSURE_CATEGORIES),
  use: oneOf([...AI_USES, 'not_stated'] as const, 'Statement of the artist.'),
  tools: Type.Optional(Type.String()),
  note: Type.Optional(Type.String()),
  found: Type.Array(Type.String(), {
    description: 'Generators that the sources of the tracks name, which may have made it; only the artist can say.',
  }),
})

/** Traces of a generator in the source of a track. */
export const SourceTrace = exactly({
  track: Type.Integer({ description: 'Number of the track.' }),
  title: Type.String(),
  filename: Type.Optional(Type.String({ description: 'Name of the source file.' })),
  source_sha256: Type.Optional(Type.String()),
  generator: Type.Optional(
    Type.String({ description: 'Generator that the source names; absent where it names none.' }),
  ),
  evidence: Type.Optional(Type.String({ description: 'Place in the source that names it, with its text.' })),
  has_c2pa_manifest: Type.Boolean({
    description: 'True where the source carries a C2PA manifest. It belongs to the source alone: a master has none.',
  }),
  c2pa_claim_generator: Type.Optional(Type.String({ description: 'Program that the manifest names as its maker.' })),
})
export type SourceTrace = Static<typeof SourceTrace>

/** The whole sheet. */
export const DisclosureSheet = exactly({
  categories: Type.Array(SheetCategory, { description: 'The five categories in order.' }),
  sources: Type.Array(SourceTrace, { description: 'Traces in the sources, one for each track.' }),
  mastering: exactly({
    program: Type.String({ description: 'Program and version that mastered the tracks.' }),
    generative_ai: Type.Literal(false, {
      description: 'Mastering computes with the signal alone and generates nothing.',
    }),
  }),
})
export type DisclosureSheet = Static<typeof DisclosureSheet>
