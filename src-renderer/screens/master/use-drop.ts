/** Files given to the window: drops, folders, and pasted files. */
import { useEffect, useRef, useState } from 'react'
import { isFolderSongName } from '../../../src-contract/song-files.ts'
import { draggedKinds, droppedFiles, folderName } from '../../api/dropped-files.ts'

export interface DropState {
  /** Files dragged over the window; null without a drag. */
  readonly over: { readonly all: number; readonly readable: number } | null
  /** Songs found so far while folders are read; null otherwise. */
  readonly found: number | null
  readonly wasEmpty: boolean
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false

const rowUnder = (target: EventTarget | null): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('.songpane [data-row]')?.dataset.row : undefined

function allowFiles(event: DragEvent): void {
  if (!hasFiles(event) || !event.dataTransfer) return
  event.preventDefault()
  event.dataTransfer.dropEffect = 'copy'
}

/**
 * Calls `onFiles` with the songs dropped or pasted anywhere in the window, even if there are none, and the name of the
 * folder that contained all of them; with Alt held over a song of the list also its row. `isWanted` filters the files in folders. Returns the current state.
 */
export function useDrop(
  onFiles: (files: File[], folder: string, rowId?: string) => void,
  isWanted = isFolderSongName,
): DropState {
  const [state, setState] = useState<DropState>({ over: null, found: null, wasEmpty: false })
  const latest = useRef({ onFiles, isWanted })
  latest.current = { onFiles, isWanted }
  useEffect(() => {
    let depth = 0
    const onEnter = (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      depth += 1
      const over = draggedKinds(event.dataTransfer.items)
      setState((before) => ({ ...before, over, wasEmpty: false }))
    }
    const onLeave = (event: DragEvent) => {
      if (!hasFiles(event)) return
      depth -= 1
      if (depth <= 0) setState((before) => ({ ...before, over: null }))
    }
    const read = async (transfer: DataTransfer, rowId?: string) => {
      let found = 0
      const folder = folderName(transfer)
      const onFound = (count: number) => {
        found += count
        setState((before) => ({ ...before, found }))
      }
      const files = await droppedFiles(transfer, onFound, latest.current.isWanted)
      setState({ over: null, found: null, wasEmpty: files.length === 0 })
      latest.current.onFiles(files, folder, rowId)
    }
    const onDrop = (event: DragEvent) => {
      depth = 0
      if (event.defaultPrevented || !hasFiles(event) || !event.dataTransfer) {
        setState((before) => ({ ...before, over: null }))
        return
      }
      event.preventDefault()
      setState((before) => ({ ...before, over: null }))
      void read(event.dataTransfer, event.altKey ? rowUnder(event.target) : undefined)
    }
    const onPaste = (event: ClipboardEvent) => {
      if (event.clipboardData && event.clipboardData.files.length > 0) {
        event.preventDefault()
        void read(event.clipboardData)
      }
    }
    const end = new AbortController()
    const { signal } = end
    addEventListener('dragenter', onEnter, { signal })
    addEventListener('dragover', allowFiles, { signal })
    addEventListener('dragleave', onLeave, { signal })
    addEventListener('drop', onDrop, { signal })
    addEventListener('paste', onPaste, { signal })
    return () => end.abort()
  }, [])
  return state
}
