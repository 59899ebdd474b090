/** Intake of songs from the desktop by dialogs, drops and open-with, into the batch in order of arrival. */
import { app, dialog } from 'electron'
import { atMost } from '../src-contract/at-most.ts'
import { ANY_EXTENSIONS } from '../src-contract/song-files.ts'
import { ANNOUNCEMENTS, type IntakeReport } from './bridge.ts'
import { realFiles, takeSongs } from './intake.ts'
import type { Service } from './service.ts'
import type { Words } from './text.ts'
import type { MainWindow } from './window.ts'

/** Kind of entries selected in a dialog. */
type Asked = 'songs' | 'folder'

/** Returns the intake functions. Refused songs are listed in the report, never thrown. */
export function createSongIntake({
  window,
  words,
  musicDir,
  storeSong,
}: {
  readonly window: MainWindow
  readonly words: () => Words
  /** Initial folder of dialogs. */
  readonly musicDir: string
  readonly storeSong: Service['storeSong']
}) {
  // One hand-over at a time, to keep the order of songs in the batch.
  const inTurn = atMost(1)
  const store = (files: readonly string[]) => inTurn(() => takeSongs(files, storeSong))

  async function ask(asked: Asked): Promise<string[]> {
    const options: Electron.OpenDialogOptions = {
      title: asked === 'songs' ? words().chooseSongs : words().chooseFolder,
      defaultPath: musicDir,
      properties: asked === 'songs' ? ['openFile', 'multiSelections'] : ['openDirectory', 'createDirectory'],
      ...(asked === 'songs' ? { filters: [{ name: words().songs, extensions: [...ANY_EXTENSIONS] }] } : {}),
    }
    const owner = window.owner()
    const { filePaths } = await (owner ? dialog.showOpenDialog(owner, options) : dialog.showOpenDialog(options))
    return filePaths
  }

  /** Stores songs that the page did not request, and reports the outcome to it. */
  async function storeAndTell(files: readonly string[]): Promise<void> {
    if (files.length > 0) window.announce(ANNOUNCEMENTS.intake, await store(files))
  }

  return {
    /** Takes songs opened with the program or given on the command line. */
    take(files: readonly string[]): void {
      if (process.platform !== 'linux') for (const file of files) app.addRecentDocument(file)
      void storeAndTell(files)
    },
    /** Asks for songs, or for a folder of them, and takes them. */
    choose: (asked: Asked): void => void ask(asked).then(storeAndTell),
    /** Asks for a folder and returns its path. */
    chooseFolder: async (): Promise<string | null> => (await ask('folder'))[0] ?? null,
    /** Takes entries dropped on the page; anything but a real file is refused. */
    async addDropped(dropped: readonly { readonly filename: string; readonly path: string }[]): Promise<IntakeReport> {
      const { paths, refused } = realFiles(dropped)
      const report = paths.length > 0 ? await store(paths) : { sourceIds: [], refused: [] }
      return { ...report, refused: [...refused, ...report.refused] }
    },
  }
}
