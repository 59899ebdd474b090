/** Files given to the Release screen: songs, a cover, a table. */
import { useCallback } from 'react'
import { isFolderSongName } from '../../../src-contract/song-files.ts'
import { isCoverName } from '../../api/dropped-files.ts'
import { isPicture } from '../../components/picture-slot.tsx'
import { go } from '../../router.ts'
import { useApp } from '../../state/app-state.ts'
import { titleOfFile } from '../../state/releases.ts'
import { useWords } from '../../text/context.tsx'

const isTable = ({ name }: File) => /\.csv$/i.test(name)

/** Tells whether a file of a folder is useful to a release. */
export const isReleaseFile = (name: string): boolean => isFolderSongName(name) || isCoverName(name)

/** Returns the function that makes a release of files; `folder` contained them. Does nothing without songs. */
export function useNewReleaseOf(): (files: readonly File[], folder: string) => Promise<void> {
  const { releases } = useApp()
  const { t } = useWords()
  return useCallback(
    async (files, folder) => {
      const [pictures, songs] = [files.filter(isPicture), files.filter((file) => !isPicture(file) && !isTable(file))]
      const table = files.find(isTable)
      if (songs.length === 0 && !table) return
      const single = songs.length === 1 ? titleOfFile(songs[0]?.name ?? '') : ''
      const artist = releases.store.getState().items?.[0]?.artist ?? t.release.unknownArtist
      const made = table
        ? await releases.importTable(table)
        : await releases.createOf(songs, { title: folder || single || t.release.untitled, artist })
      if (!made) return
      releases.editor.open(made)
      go('release', made)
      if (pictures[0]) await releases.editor.setCover(pictures[0])
    },
    [releases, t],
  )
}

/** Returns the function that adds files to the open release, or makes a new one if none is open. */
export function useReleaseFiles(): (files: readonly File[], folder: string) => void {
  const { releases, notices } = useApp()
  const { t } = useWords()
  const makeOf = useNewReleaseOf()
  return useCallback(
    (files, folder) => {
      const { editor } = releases
      if (editor.store.getState().releaseId === null) return void makeOf(files, folder)
      const picture = files.find(isPicture)
      const table = files.find(isTable)
      const songs = files.filter((file) => !isPicture(file) && !isTable(file))
      if (picture) void editor.setCover(picture)
      if (table) void editor.readTable(table)
      if (songs.length === 0) return
      void releases.addFiles(songs)
      notices.announce(t.live.added(songs.length))
    },
    [releases, notices, t, makeOf],
  )
}
