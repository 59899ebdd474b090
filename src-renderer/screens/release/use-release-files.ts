/** Files given to the Release screen: songs, a cover, a table. */
import { useCallback } from 'react'
import { isFolderSongName } from '../../../src-contract/song-files.ts'
import { isCoverName } from '../../api/dropped-files.ts'
import { isPicture } from '../../components/picture-slot.tsx'
import { go } from '../../router.ts'
import { useApp } from '../../state/app-state.ts'
import { titleOfFiles } from '../../state/releases.ts'
import { useWords } from '../../text/context.tsx'

const isTable = ({ name }: File) => /\.csv$/i.test(name)

/** Tells whether a file of a folder is useful to a release. */
export const isReleaseFile = (name: string): boolean => isFolderSongName(name) || isCoverName(name)

/** Returns the function that makes a release of files; `folder` contained them. Does nothing without songs. */
export function useNewReleaseOf(): (files: readonly File[], folder: string) => Promise<void> {
  const { releases, stems } = useApp()
  const { t } = useWords()
  return useCallback(
    async (files, folder) => {
      const [pictures, songs] = [files.filter(isPicture), files.filter((file) => !isPicture(file) && !isTable(file))]
      const table = files.find(isTable)
      const open = async (made: string | null) => {
        if (!made) return
        releases.editor.open(made)
        go('release', made)
        if (pictures[0]) await releases.editor.setCover(pictures[0])
      }
      if (table) return open(await releases.importTable(table))
      await stems.add(songs, async (given) => {
        const single = given.length === 1 ? titleOfFiles(given[0]!) : ''
        const artist = releases.store.getState().items?.[0]?.artist ?? t.release.unknownArtist
        await open(await releases.createOf(given, { title: folder || single || t.release.untitled, artist }))
      })
    },
    [releases, stems, t],
  )
}

/** Returns the function that adds files to the open release, or makes a new one if none is open. */
export function useReleaseFiles(): (files: readonly File[], folder: string) => void {
  const { releases, stems, notices } = useApp()
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
      void stems
        .add(songs, (given) => void releases.addSongs(given))
        .then((added) => added > 0 && notices.announce(t.live.added(added)))
    },
    [releases, stems, notices, t, makeOf],
  )
}
