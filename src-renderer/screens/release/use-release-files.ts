/** Files given to the Release screen: songs, a cover, a table. */
import { useCallback } from 'react'
import { isFolderSongName } from '../../../src-contract/song-files.ts'
import { isCoverName } from '../../api/dropped-files.ts'
import type { SongFiles } from '../../api/upload.ts'
import { isPicture } from '../../components/picture-slot.tsx'
import { go } from '../../router.ts'
import { useApp } from '../../state/app-state.ts'
import { titleOfFiles } from '../../state/releases.ts'
import { useWords } from '../../text/context.tsx'

const isTable = ({ name }: File) => /\.csv$/i.test(name)

/** Tells whether a file of a folder is useful to a release. */
export const isReleaseFile = (name: string): boolean => isFolderSongName(name) || isCoverName(name)

/** Returns the function that opens a release that was made of files, with its cover; does nothing for one that was refused. */
function useOpenMade(): (made: string | null, picture?: File) => Promise<void> {
  const { editor } = useApp().releases
  return useCallback(
    async (made, picture) => {
      if (!made) return
      editor.open(made)
      go('release', made)
      if (picture) await editor.setCover(picture)
    },
    [editor],
  )
}

/** Returns the function that makes a release of songs and opens it; `folder` contained them. */
function useNewRelease(): (songs: readonly SongFiles[], folder: string, picture?: File) => Promise<void> {
  const { releases } = useApp()
  const { t } = useWords()
  const open = useOpenMade()
  return useCallback(
    async (songs, folder, picture) => {
      const single = songs.length === 1 ? titleOfFiles(songs[0]!) : ''
      const artist = releases.store.getState().items?.[0]?.artist ?? t.release.unknownArtist
      await open(await releases.createOf(songs, { title: folder || single || t.release.untitled, artist }), picture)
    },
    [releases, t, open],
  )
}

/** Returns the function that makes a release of files; `folder` contained them. Does nothing without songs. */
export function useNewReleaseOf(): (files: readonly File[], folder: string) => Promise<void> {
  const { releases, stems } = useApp()
  const [open, create] = [useOpenMade(), useNewRelease()]
  return useCallback(
    async (files, folder) => {
      const picture = files.find(isPicture)
      const table = files.find(isTable)
      if (table) return open(await releases.importTable(table), picture)
      const songs = files.filter((file) => !isPicture(file))
      await stems.add(songs, (given) => void create(given, folder, picture))
    },
    [releases, stems, open, create],
  )
}

/** Returns the function that adds files to the open release, or makes a new one if none is open. */
export function useReleaseFiles(): (files: readonly File[], folder: string) => void {
  const { releases, stems, notices } = useApp()
  const { t } = useWords()
  const [makeOf, create] = [useNewReleaseOf(), useNewRelease()]
  return useCallback(
    (files, folder) => {
      const { editor } = releases
      const { releaseId } = editor.store.getState()
      if (releaseId === null) return void makeOf(files, folder)
      const picture = files.find(isPicture)
      const table = files.find(isTable)
      const songs = files.filter((file) => !isPicture(file) && !isTable(file))
      if (picture) void editor.setCover(picture)
      if (table) void editor.readTable(table)
      if (songs.length === 0) return
      // By the time of an answer, another release may be open, or this one gone.
      const take = (given: readonly SongFiles[]) => {
        if (editor.store.getState().releaseId !== releaseId) {
          if (releases.isGone(releaseId)) return void create(given, folder)
          go('release', releaseId)
        }
        void releases.addSongs(given, releaseId)
      }
      void stems.add(songs, take).then((added) => added > 0 && notices.announce(t.live.added(added)))
    },
    [releases, stems, notices, t, makeOf, create],
  )
}
