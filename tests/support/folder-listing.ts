/** All that lies in a folder, to be compared with what lies there later: one line for each name, with the SHA-256 of a file or the goal of a link. */
import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'

/** Returns the lines, without the names that `isLeftOut` fits; their separator is `/`. */
export function listing(folder: string, isLeftOut: RegExp, below = ''): string[] {
  return readdirSync(path.join(folder, below), { withFileTypes: true })
    .map((entry) => ({ entry, name: below === '' ? entry.name : `${below}/${entry.name}` }))
    .filter(({ name }) => !isLeftOut.test(name))
    .flatMap(({ entry, name }) => [
      `${name} ${contentOf(path.join(folder, name), entry)}`,
      ...(entry.isDirectory() ? listing(folder, isLeftOut, name) : []),
    ])
    .sort()
}

function contentOf(file: string, entry: Dirent): string {
  if (entry.isSymbolicLink()) return `-> ${readlinkSync(file)}`
  if (entry.isFile()) return createHash('sha256').update(readFileSync(file)).digest('hex')
  return entry.isDirectory() ? 'folder' : 'neither file nor folder'
}
