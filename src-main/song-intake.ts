/** The ways by which songs come from the desktop: dialogs, drops, open-with. All end in the batch, in the order of their coming. */
import { app, dialog } from 'electron'
import { atMost } from '../src-contract/at-most.ts'
import { SONG_EXTENSIONS } from '../src-contract/song-files.ts'
import { ANNOUNCEMENTS, type IntakeReport } from './bridge.ts'
import { realFiles, takeSongs } from './intake.ts'
import type { Service } from './service.ts'
import type { Words } from './text.ts'
import type { MainWindow } from './window.ts'

/** Kind of entries that a dialog asks for. */
type Asked = 'songs' | 'folder'

/** Returns the ways in. A song that is not taken is in the report; none of them throws for it. */
export function createSongIntake({
  window,
  words,
  musicDir,
  storeSong,
}: {
  readonly window: MainWindow
  readonly words: () => Words
  /** Folder in which dialogs begin. */
  readonly musicDir: string
  readonly storeSong: Service['storeSong']
}) {
  // One hand-over at a time, so that songs stand in the batch in the order in which they were given.
  const inTurn = atMost(1)
  const store = (files: readonly string[]) => inTurn(() => takeSongs(files, storeSong))

  async function ask(asked: Asked): Promise<string[]> {
    const options: Electron.OpenDialogOptions = {
      title: asked === 'songs' ? words().chooseSongs : words().chooseFolder,
      defaultPath: musicDir,
      properties: asked === 'songs' ? ['openFile', 'multiSelections'] : ['openDirectory', 'createDirectory'],
      ...(asked === 'songs' ? { filters: [{ name: words().songs, extensions: [...SONG_EXTENSIONS] }] } : {}),
    }
    const owner = window.owner()
    const { filePaths } = await (owner ? dialog.showOpenDialog(owner, options) : dialog.showOpenDialog(options))
    return filePaths
  }

  /** Stores songs that the page did not ask for, and tells it what became of them. */
  async function storeAndTell(files: readonly string[]): Promise<void> {
    if (files.length > 0) window.announce(ANNOUNCEMENTS.intake, await store(files))
  }

  return {
    /** Takes songs that were opened with the program, or given to it on the command line. */
    take(files: readonly string[]): void {
      if (process.platform !== 'linux') for (const file of files) app.addRecentDocument(file)
      void storeAndTell(files)
    },
    /** Asks for songs, or for a folder of them, and takes those. */
    choose: (asked: Asked): void => void ask(asked).then(storeAndTell),
    /** Asks for a folder and returns its path. */
    chooseFolder: async (): Promise<string | null> => (await ask('folder'))[0] ?? null,
    /** Takes what was dropped on the page; entries that are no real file are refused. */
    async addDropped(dropped: readonly { readonly filename: string; readonly path: string }[]): Promise<IntakeReport> {
      const { paths, refused } = realFiles(dropped)
      const report = paths.length > 0 ? await store(paths) : { sourceIds: [], refused: [] }
      return { ...report, refused: [...refused, ...report.refused] }
    },
  }
}
