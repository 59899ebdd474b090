import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Makes a folder and those above it that are missing; an existing one stays as it is. Throws the system's error. Node's own
 * recursive mkdir never returns where a parent exists and yet nothing can be made in it (ENOENT in /proc), so each step is
 * made alone.
 */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = path.dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    mkdirSync(folder)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(folder).isDirectory()) throw cause
  }
}
