/** Tags of the masters of a song: what the request says stands over the tags of the file. Pure. */
import { METADATA_NAMES, type MetadataName } from '../../src-contract/metadata.ts'
import type { SongTags } from '../media/audio-facts.ts'
import { titleOf } from './compose-report.ts'
import type { WorkOrder } from './work-order.ts'

/** Names of metadata among the tags, where they are others. */
const TAG_NAMES: Readonly<Partial<Record<MetadataName, keyof SongTags>>> = { year: 'date' }
/** Metadata without a place of its own among the tags. */
const OTHERS: readonly MetadataName[] = ['lyrics', 'bpm']

/** Returns the tags of all masters of an order: every tag of the file that the request does not name is kept. */
export function songTags(order: WorkOrder): SongTags {
  const { metadata = {}, source } = order
  const { tags } = source.facts
  const artist = order.artist ?? tags.artist
  const own = METADATA_NAMES.filter((name) => metadata[name] !== undefined)
  const named = own.filter((name) => !OTHERS.includes(name)).map((name) => [TAG_NAMES[name] ?? name, metadata[name]])
  const further = own.filter((name) => OTHERS.includes(name)).map((name) => [name, metadata[name]])
  return {
    ...tags,
    ...Object.fromEntries(named),
    title: titleOf(order),
    ...(artist ? { artist } : {}),
    ...(further.length > 0 ? { other: { ...tags.other, ...Object.fromEntries(further) } } : {}),
  }
}
