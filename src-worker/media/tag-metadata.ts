/** Metadata of a song among the tags of its file. Pure. */

import { isrcOf } from '../../src-contract/isrc.ts'
import { METADATA_NAMES, type MetadataName, type SongMetadata } from '../../src-contract/metadata.ts'
import type { SongTags } from './audio-facts.ts'

/** Names of metadata among the tags, if they differ. */
export const TAG_NAMES: Readonly<Partial<Record<MetadataName, keyof SongTags>>> = { year: 'date' }
/** Metadata stored among the `other` tags. */
export const OTHER_TAGS: readonly MetadataName[] = ['lyrics', 'bpm']

/** Returns the metadata in the tags of a file: only the year of a date, and an ISRC's twelve characters. Missing tags are absent. */
export function metadataInTags(tags: SongTags): SongMetadata {
  return Object.fromEntries(
    METADATA_NAMES.flatMap((name) => {
      const text = OTHER_TAGS.includes(name)
        ? tags.other?.[name]
        : (tags[TAG_NAMES[name] ?? (name as keyof SongTags)] as string | undefined)
      const shown = text && name === 'year' ? /^\d{4}/.exec(text)?.[0] : text && name === 'isrc' ? isrcOf(text) : text
      return shown ? [[name, shown]] : []
    }),
  )
}
