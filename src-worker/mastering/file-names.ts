/** Names of the files of a result. */
import { type MasterName, RELEASE } from '../../src-contract/delivery-target.ts'
import { type Format, formatFacts } from '../../src-contract/formats.ts'
import { masterFileName, patternName, safeTitle } from '../result/names.ts'
import { asciiName } from '../result/romanise.ts'
import { titleOf } from './compose-report.ts'
import { songTags } from './song-tags.ts'
import type { WorkOrder } from './work-order.ts'

/** A written file; the WAV of a master has no format. */
interface NamedFile {
  readonly path: string
  readonly format?: Format
}

/**
 * Returns a function that names the files of a result without duplicates: `<title>_<platform>` by default, or by the order's pattern.
 * A shared file in a further format keeps the first name it was given; with a pattern, so does every shared file. The WAV for all services
 * is always a separate file.
 */
export function createFileNames(order: WorkOrder): (name: MasterName, file: NamedFile) => string {
  const known = new Map<string, string>()
  const taken = new Set<string>()
  const isPatterned = order.settings.naming !== ''
  return (name, { path, format }) => {
    const isShared = format !== undefined || (isPatterned && name !== RELEASE)
    const key = isShared ? path : `${path} ${name}`
    const file = known.get(key) ?? firstFree(nameOf(order, name, format), taken)
    known.set(key, file)
    taken.add(file.toLowerCase())
    return file
  }
}

function nameOf(order: WorkOrder, name: MasterName, format: Format | undefined): string {
  const { naming, ascii_names: isAscii, platforms, release_master: hasRelease } = order.settings
  const { container, suffix } = format ? formatFacts(format) : { container: 'wav', suffix: '' }
  const title = titleOf(order)
  if (naming === '') return masterFileName(safeTitle(isAscii ? asciiName(title) : title), name, format)
  const isAlone = platforms.length === 1 && !hasRelease
  const stem = patternName(naming, valuesOf(order, name, format), [
    // A single file, and the one for all services, need no platform in their name.
    { token: 'platform', text: isAlone || name === RELEASE ? '' : name },
    { token: 'format', text: suffix },
  ])
  return `${isAscii ? safeTitle(asciiName(stem)) : stem}.${container}`
}

function valuesOf(order: WorkOrder, platform: MasterName, format: Format | undefined) {
  const tags = songTags(order)
  const number = /^\d+/.exec(tags.track ?? '')?.[0]
  const year = /^\d{4}/.exec(tags.date ?? '')?.[0]
  const { artist } = tags
  return {
    title: titleOf(order),
    platform,
    format: format ?? 'wav',
    ...(number === undefined ? {} : { track: number.padStart(2, '0') }),
    ...(year === undefined ? {} : { year }),
    ...(artist === undefined ? {} : { artist }),
    ...(tags.album === undefined ? {} : { album: tags.album }),
    ...(tags.isrc === undefined ? {} : { isrc: tags.isrc }),
  }
}

function firstFree(file: string, taken: ReadonlySet<string>): string {
  const [, stem, extension] = /^(.*)\.([^.]+)$/.exec(file)!
  for (let number = 1; ; number++) {
    const free = number === 1 ? file : `${stem}_${number}.${extension}`
    if (!taken.has(free.toLowerCase())) return free
  }
}
