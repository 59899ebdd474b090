/** Tags of a song's masters: the request's tags override those of the file. Pure. */
import { METADATA_NAMES } from '../../src-contract/metadata.ts'
import type { SongTags } from '../media/audio-facts.ts'
import { OTHER_TAGS, TAG_NAMES } from '../media/tag-metadata.ts'
import { titleOf } from './compose-report.ts'
import type { WorkOrder } from './work-order.ts'

/** Returns the tags of all masters of an order; tags of the file that the request does not name are kept. */
export function songTags(order: WorkOrder): SongTags {
  const { metadata = {}, source } = order
  const { tags } = source.facts
  const artist = order.artist ?? tags.artist
  const own = METADATA_NAMES.filter((name) => metadata[name] !== undefined)
  const named = own
    .filter((name) => !OTHER_TAGS.includes(name))
    .map((name) => [TAG_NAMES[name] ?? name, metadata[name]])
  const further = own.filter((name) => OTHER_TAGS.includes(name)).map((name) => [name, metadata[name]])
  return {
    ...tags,
    ...Object.fromEntries(named),
    title: titleOf(order),
    ...(artist ? { artist } : {}),
    ...(further.length > 0 ? { other: { ...tags.other, ...Object.fromEntries(further) } } : {}),
  }
}
