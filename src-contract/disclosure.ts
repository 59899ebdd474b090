/** The AI disclosure sheet: parts of a release made by or with AI, in the five DDEX categories that distributors ask for. */
import Type, { type Static, type TSchema } from 'typebox'
import { exactly, oneOf } from './common.ts'
import { MAX_LINE_LENGTH } from './limits.ts'

export const DISCLOSURE_CATEGORIES = ['vocals', 'instrumentation', 'composition', 'post_production', 'lyrics'] as const
export type DisclosureCategory = (typeof DISCLOSURE_CATEGORIES)[number]

/** Role of AI: not used, made a part (`assisted`), or made all of it (`generated`). */
export const AI_USES = ['none', 'assisted', 'generated'] as const
export type AiUse = (typeof AI_USES)[number]

const line = (description: string) => Type.Optional(Type.String({ maxLength: MAX_LINE_LENGTH, description }))

/** Returns the schemas of all categories, each described by its contents. */
function ofEach<Schema extends TSchema>(schema: (description: string) => Schema) {
  const entries = DISCLOSURE_CATEGORIES.map((category) => [category, schema(CONTENTS[category])])
  return Object.fromEntries(entries) as Record<DisclosureCategory, Schema>
}

const CONTENTS: Readonly<Record<DisclosureCategory, string>> = {
  vocals: 'Singing, rap and speech.',
  instrumentation: 'Instruments and beats that are heard.',
  composition: 'Melody, harmony and form.',
  post_production: 'Editing, mixing and mastering.',
  lyrics: 'The words.',
}

const statement = (description?: string) =>
  exactly(
    {
      use: oneOf(AI_USES, 'Part that AI had.'),
      tools: line('Names of the tools, such as a generator.'),
      model: line('Model or version of the tool, such as `v5`.'),
      note: line('Anything that a distributor should know of it.'),
    },
    description,
  )

/** Statement of the artist on one category. */
export type DisclosureStatement = Static<ReturnType<typeof statement>>

/** The statements of the artist; a category that is absent is not stated yet. */
export const Disclosure = exactly(
  ofEach((description) => Type.Optional(statement(description))),
  'Statements of the artist about AI, by category; one that is absent is not stated yet.',
)
export type Disclosure = Static<typeof Disclosure>

/** Changed statements: absent ones stay, and null removes one. */
export const DisclosureChange = exactly(
  ofEach((description) => Type.Optional(Type.Union([statement(), Type.Null()], { description }))),
  'Statements of the artist about AI, by category; those that are absent stay, null takes one back.',
)
export type DisclosureChange = Static<typeof DisclosureChange>

/** Subjects of the statements of a release: the categories of its tracks, and its cover. */
export const RELEASE_SUBJECTS = [...DISCLOSURE_CATEGORIES, 'artwork'] as const

const ARTWORK = 'The cover. It is of the release alone.'

/** Statements on a release: on all of its tracks, and on the cover. */
export const ReleaseDisclosure = exactly(
  { ...Disclosure.properties, artwork: Type.Optional(statement(ARTWORK)) },
  'Statements of the artist about AI, which count for every track without one of its own; absent ones are not stated yet.',
)
export type ReleaseDisclosure = Static<typeof ReleaseDisclosure>

/** Changed statements on a release. */
export const ReleaseDisclosureChange = exactly(
  {
    ...DisclosureChange.properties,
    artwork: Type.Optional(Type.Union([statement(), Type.Null()], { description: ARTWORK })),
  },
  'Statements of the artist about AI, by subject; those that are absent stay, null takes one back.',
)
export type ReleaseDisclosureChange = Static<typeof ReleaseDisclosureChange>

/** A statement as the sheet shows it. */
const shownStatement = {
  use: oneOf([...AI_USES, 'not_stated'] as const, 'Statement of the artist.'),
  tools: line('Names of the tools.'),
  model: line('Model or version of the tool.'),
  note: line('Note of the artist.'),
}

/** A category as the sheet shows it. */
const SheetCategory = exactly({
  category: oneOf(DISCLOSURE_CATEGORIES, 'Category.'),
  ...shownStatement,
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
  model: Type.Optional(Type.String({ description: 'Model or version of the generator, as the source writes it.' })),
  evidence: Type.Optional(Type.String({ description: 'Place in the source that names it, with its text.' })),
  has_c2pa_manifest: Type.Boolean({ description: 'True where the source carries a C2PA manifest.' }),
  c2pa_carried_on: Type.Optional(
    Type.Boolean({
      description:
        'True where exported files carry it on, with one that names the source as their parent: in an MP3 itself, beside other files in the folder `provenance`. This installation signs it, no known authority.',
    }),
  ),
  c2pa_claim_generator: Type.Optional(Type.String({ description: 'Program that the manifest names as its maker.' })),
})
export type SourceTrace = Static<typeof SourceTrace>

const answer = (description: string) => Type.Union([Type.Boolean(), Type.Null()], { description })

/** Answers to the forms of receivers; null where the artist has not stated what decides it. */
export const DisclosureAnswers = exactly(
  {
    distrokid: exactly(
      {
        includes_ai: answer('Music, vocals or lyrics by AI.'),
        lyrics: answer('Lyrics by AI.'),
        music: answer('Music by AI.'),
        audio: Type.Union([oneOf(['none', 'part', 'all'] as const), Type.Null()], { description: 'Audio by AI.' }),
        asks_for_persona: Type.Boolean({
          description: 'True where the form also asks whether the artist is a human or an AI persona.',
        }),
      },
      'What DistroKid asks for, as its form is quoted; mixing and mastering do not count.',
    ),
    apple: exactly(
      { track: answer('Tag Track.'), composition: answer('Tag Composition, lyrics included.') },
      'Tags of Apple Music that are of a track; see `artwork` of the sheet for that of the cover.',
    ),
    ddex: exactly(
      ofEach((description) => Type.Union([oneOf(AI_USES), Type.Null()], { description })),
      'The five categories of DDEX, as the AI credits of Spotify take them.',
    ),
  },
  'Answers to the forms of receivers.',
)
export type DisclosureAnswers = Static<typeof DisclosureAnswers>

/** The whole sheet. */
export const DisclosureSheet = exactly({
  categories: Type.Array(SheetCategory, { description: 'The five categories in order.' }),
  tracks: Type.Optional(
    Type.Array(
      exactly({
        track: Type.Integer({ description: 'Number of the track.' }),
        title: Type.String({ description: 'Title of the track.' }),
        statements: Disclosure,
        proposals: Type.Optional(
          exactly(
            Disclosure.properties,
            'Statements that the source of the track suggests where none is made yet. They are offered, never taken over: only the artist can say.',
          ),
        ),
        answers: DisclosureAnswers,
      }),
      { description: 'Statements on each track, its own or else those on the release, and the answers to forms.' },
    ),
  ),
  artwork: Type.Optional(
    exactly(
      { ...shownStatement, apple: answer('Tag Artwork of Apple Music, which is of the release.') },
      'Statement on the cover. Absent in sheets of before.',
    ),
  ),
  sources: Type.Array(SourceTrace, { description: 'Traces in the sources, one for each track.' }),
  mastering: exactly(
    {
      program: Type.String({ description: 'Program and version that mastered the tracks.' }),
      generative_ai: Type.Literal(false, {
        description: 'Mastering computes with the signal alone and generates nothing.',
      }),
    },
    'What mastering did.',
  ),
})
export type DisclosureSheet = Static<typeof DisclosureSheet>
