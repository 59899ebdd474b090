/** Schemas of the metadata of a song: as fields of a form, in changes, and in answers. */
import Type, { type Static } from 'typebox'
import { MAX_TITLE_LENGTH } from './limits.ts'
import { METADATA, METADATA_NAMES, type MetadataName } from './metadata.ts'

function fields(describe: (facts: (typeof METADATA)[MetadataName]) => string) {
  return Object.fromEntries(
    METADATA_NAMES.map((name) => {
      const { maxLength } = METADATA[name]
      return [name, Type.Optional(Type.String({ maxLength, description: describe(METADATA[name]) }))]
    }),
  ) as { [Name in MetadataName]: ReturnType<typeof Type.Optional<ReturnType<typeof Type.String>>> }
}

/** Schemas of the metadata as optional fields of a form. */
export const METADATA_FIELDS = fields(
  ({ description }) =>
    `Extension: ${description.charAt(0).toLowerCase()}${description.slice(1)} The tag of the file counts without.`,
)
/** Schemas of the metadata in changes; an empty text restores the file's. */
export const CHANGED_METADATA = fields(({ description }) => `${description} Empty for that of the file.`)
/** Schemas of the metadata in answers. */
export const SHOWN_METADATA = fields(({ description }) => description)

/** Schemas of all of a song's own metadata in changes; an empty text restores the file's. */
export const CHANGED_OWN_METADATA = {
  title: Type.Optional(Type.String({ maxLength: MAX_TITLE_LENGTH, description: 'Title. Empty for that of the file.' })),
  artist: Type.Optional(
    Type.String({ maxLength: MAX_TITLE_LENGTH, description: 'Artist. Empty for that of the file.' }),
  ),
  ...CHANGED_METADATA,
}
/** Schemas of all of a song's own metadata in answers. */
export const SHOWN_OWN_METADATA = {
  title: Type.Optional(Type.String()),
  artist: Type.Optional(Type.String()),
  ...SHOWN_METADATA,
}

const Changed = Type.Object(CHANGED_METADATA)
export type ChangedMetadata = Static<typeof Changed>
