/** Metadata of a song among the tags of its file. Pure. */

import { isrcOf } from '../../src-contract/isrc.ts'
import { METADATA_NAMES, type MetadataName, type SongMetadata } from '../../src-contract/metadata.ts'
import type { SongTags } from './audio-facts.ts'

/** Names of metadata among the tags, where they are others. */
export const TAG_NAMES: Readonly<Partial<Record<MetadataName, keyof SongTags>>> = { year: 'date' }
/** Metadata without a place of its own among the tags. */
export const OTHER_TAGS: readonly MetadataName[] = ['lyrics', 'bpm']

/** Returns what the tags of a file say: of a date its year, and of an ISRC its twelve characters. Absent members are not in the file. */
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
