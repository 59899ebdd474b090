/** Names of Loudsmith's own files and folders in its data directory. Files with other names are left alone. */
import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const STORED_SONG = /^[0-9a-f]{64}(\.(cover|analysis(\.part)?))?$/

/** Folders of the data directory, each with the names of Loudsmith's entries in it. */
const OWN = {
  jobs: { names: UUID, isFolder: true },
  tmp: { names: UUID, isFolder: true },
  sources: { names: STORED_SONG, isFolder: false },
} as const

/** Returns our own names in one folder of a data directory; empty if the folder is missing or a link. */
export function listDataFiles(dataDir: string, place: keyof typeof OWN): string[] {
  const folder = path.join(dataDir, place)
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const { names, isFolder } = OWN[place]
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => names.test(entry.name) && (isFolder ? entry.isDirectory() : entry.isFile()))
    .map(({ name }) => name)
}

/** Returns whether a place such as `jobs/<UUID>` is ours and in the data directory itself, not behind a link. */
export function isDataFile(dataDir: string, place: string): boolean {
  const [folder = '', name = '', ...more] = place.split('/')
  if (!(folder in OWN) || more.length > 0) return false
  const { names, isFolder } = OWN[folder as keyof typeof OWN]
  const [above, own] = [folder, place].map((one) => lstatSync(path.join(dataDir, one), { throwIfNoEntry: false }))
  if (!names.test(name) || !above?.isDirectory() || !own) return false
  return isFolder ? own.isDirectory() : own.isFile()
}
