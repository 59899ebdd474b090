/** Files of a drop or a paste, including nested folders. */
import { isFolderSongName } from '../../src-contract/song-files.ts'

const READABLE_TYPE =
  /^(application\/(x-)?zip(-compressed)?|audio\/(mpeg|mp3|wav|wave|x-wav|vnd\.wave|flac|x-flac|aiff|x-aiff|x-caf|mp4|x-m4a|aac|ogg|opus|wavpack|x-wavpack)|video\/(mp4|x-m4v|quicktime|ogg))$/

/**
 * Content of a drag over the window, as far as a browser reveals it before the drop: the number of files, and of
 * readable ones. A folder and a file of unknown type count as readable.
 */
export function draggedKinds(items: Iterable<{ kind: string; type: string }>): { all: number; readable: number } {
  const files = [...items].filter((item) => item.kind === 'file')
  return {
    all: files.length,
    readable: files.filter((item) => item.type === '' || READABLE_TYPE.test(item.type)).length,
  }
}

const entriesOf = (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = folder.createReader()
  const found: FileSystemEntry[] = []
  return new Promise((resolve, reject) => {
    const readMore = () =>
      reader.readEntries((entries) => {
        if (entries.length === 0) return resolve(found)
        found.push(...entries)
        readMore()
      }, reject)
    readMore()
  })
}

/** Tells whether a file in a folder is the cover of its songs, by its name. */
export const isCoverName = (name: string): boolean => /^(cover|folder|front|artwork)\.(jpe?g|png)$/i.test(name)

interface Reading {
  /** Tells whether a file in a folder is wanted, by its name. */
  readonly isWanted: (name: string) => boolean
  readonly onFound: (count: number) => void
}

async function songsIn(entry: FileSystemEntry, isInFolder: boolean, reading: Reading): Promise<File[]> {
  if (entry.isDirectory) {
    const entries = await entriesOf(entry as FileSystemDirectoryEntry).catch(() => [])
    entries.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
    const songs: File[] = []
    for (const child of entries) songs.push(...(await songsIn(child, true, reading)))
    return songs
  }
  if (isInFolder && !reading.isWanted(entry.name)) return []
  const file = await new Promise<File | null>((resolve) =>
    (entry as FileSystemFileEntry).file(resolve, () => resolve(null)),
  )
  if (file) reading.onFound(1)
  return file ? [file] : []
}

/**
 * Returns the files of a drop in their order, those in folders sorted by name. Files in folders are filtered by name,
 * by default to songs; a file dropped directly is always kept, so that its refusal can be explained. Never throws.
 */
export async function droppedFiles(
  transfer: DataTransfer,
  onFound: (count: number) => void = () => undefined,
  isWanted = isFolderSongName,
): Promise<File[]> {
  const entries = [...transfer.items].map((item) => (item.kind === 'file' ? item.webkitGetAsEntry?.() : null))
  if (entries.some((entry) => entry?.isDirectory)) {
    const songs: File[] = []
    for (const entry of entries) if (entry) songs.push(...(await songsIn(entry, false, { isWanted, onFound })))
    return songs
  }
  return [...transfer.files]
}

/** Returns the name of the dropped folder; empty for anything else. Call it during the event. */
export function folderName(transfer: DataTransfer): string {
  const [item, ...others] = [...transfer.items]
  const entry = others.length === 0 && item?.kind === 'file' ? item.webkitGetAsEntry?.() : null
  return entry?.isDirectory ? entry.name : ''
}
