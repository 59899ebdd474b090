/** Intake of files from the desktop into the batch: dropped, chosen, opened with Loudsmith or given on the command line. */
import { lstat, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { ApiError } from '../src-contract/client.ts'
import { isFolderSongName } from '../src-contract/song-files.ts'
import type { IntakeReport, RefusedFile } from './bridge.ts'
import type { Service } from './service.ts'

/** Most songs per hand-over, so that a dropped music library does not fill the disk. */
const MAX_SONGS = 500

/**
 * Returns the songs among paths and below folders, each once, in the order given and by name inside a folder. Hidden entries and links are
 * left out. Explicitly named files are kept whatever their extension: the server says why it refuses them.
 */
export async function findSongs(paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    entries.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    for (const entry of entries) {
      if (entry.name.startsWith('.') || found.size > MAX_SONGS) continue
      const full = path.join(folder, entry.name)
      // In folder listings on Windows, OneDrive entries appear as links; lstat tells their real kind.
      const kind = entry.isSymbolicLink() ? await lstat(full).catch(() => entry) : entry
      if (kind.isDirectory()) await visit(full)
      else if (kind.isFile() && isFolderSongName(entry.name)) found.add(full)
    }
  }
  for (const one of paths) {
    const facts = await stat(one).catch(() => undefined)
    if (facts?.isDirectory()) await visit(one)
    else if (found.size <= MAX_SONGS) found.add(one)
  }
  return [...found]
}

/** Stores the songs one after another and reports the outcome of each. Never throws. */
export async function takeSongs(paths: readonly string[], storeSong: Service['storeSong']): Promise<IntakeReport> {
  const files = await findSongs(paths)
  const sourceIds: string[] = []
  const refused: RefusedFile[] = []
  for (const file of files.slice(0, MAX_SONGS)) {
    try {
      const { source_id } = await storeSong(file)
      sourceIds.push(source_id)
    } catch (error) {
      const filename = path.basename(file)
      const refusal = error instanceof ApiError ? error.envelope?.error : undefined
      refused.push({ filename, code: refusal?.code ?? 'UNREADABLE', values: refusal?.values })
    }
  }
  if (files.length > MAX_SONGS) refused.push({ filename: '…', code: 'TOO_MANY_SONGS', values: { limit: MAX_SONGS } })
  if (files.length === 0) refused.push({ filename: path.basename(paths[0] ?? ''), code: 'NO_SONGS' })
  return { sourceIds, refused }
}

/** Separates dropped entries that are not files of this machine: a File made up by a page has no path. */
export function realFiles(dropped: readonly { readonly filename: string; readonly path: string }[]): {
  readonly paths: string[]
  readonly refused: RefusedFile[]
} {
  const paths = dropped.filter((one) => path.isAbsolute(one.path)).map((one) => one.path)
  const refused = dropped
    .filter((one) => !path.isAbsolute(one.path))
    .map((one) => ({ filename: one.filename, code: 'UNREADABLE' as const }))
  return { paths, refused }
}
