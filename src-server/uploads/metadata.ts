/** Metadata of a song as requests send it. Pure. */
import {
  METADATA_NAMES,
  OWN_METADATA_NAMES,
  type OwnMetadata,
  type OwnMetadataName,
  type SongMetadata,
} from '../../src-contract/metadata.ts'
import { metadataText } from '../../src-contract/metadata-rules.ts'
import type { ChangedMetadata } from '../../src-contract/metadata-schemas.ts'
import { unusable } from '../http/app-error.ts'

/** Returns the stored form of a text, empty for no entry. Throws INVALID_REQUEST, naming the field, for an invalid text. */
function readText(name: OwnMetadataName, given: string): string {
  const text = metadataText(name, given)
  if ('broken' in text) throw unusable(name, text.broken)
  return text.kept
}

/** Returns the metadata from texts; `textOf` returns the text of a field, undefined without one. Throws INVALID_REQUEST with the field. */
export function readMetadata(textOf: (name: keyof SongMetadata) => string | undefined): SongMetadata {
  return withoutEmpty(METADATA_NAMES.map((name) => [name, readText(name, textOf(name) ?? '')] as const))
}

/** Returns metadata with changes; an empty text removes one. Throws INVALID_REQUEST with the member. */
export function changedMetadata(first: SongMetadata, changes: ChangedMetadata): SongMetadata {
  return changedTexts(METADATA_NAMES, first, changes)
}

/** As {@link changedMetadata}, with title and artist. */
export function changedOwnMetadata(first: OwnMetadata, changes: OwnMetadata): OwnMetadata {
  return changedTexts(OWN_METADATA_NAMES, first, changes)
}

function changedTexts<Name extends OwnMetadataName>(
  names: readonly Name[],
  first: Readonly<Partial<Record<Name, string>>>,
  changes: Readonly<Partial<Record<Name, string | undefined>>>,
): Readonly<Partial<Record<Name, string>>> {
  return withoutEmpty(
    names.map((name) => {
      const change = changes[name]
      return [name, change === undefined ? (first[name] ?? '') : readText(name, change)] as const
    }),
  )
}

function withoutEmpty<Name extends string>(
  texts: readonly (readonly [Name, string])[],
): Readonly<Partial<Record<Name, string>>> {
  return Object.fromEntries(texts.filter(([, text]) => text !== '')) as Partial<Record<Name, string>>
}
