/** Files that go back to the desktop: masters shown or dragged out, folders opened, the diagnostics ZIP. */
import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { app, dialog, nativeImage, shell, type WebContents } from 'electron'
import type { RememberedStore } from './desktop-settings.ts'
import { writeDiagnostics } from './diagnostics.ts'
import { findMasters } from './masters.ts'
import type { ShellPaths } from './paths.ts'
import type { Service } from './service.ts'
import type { Words } from './text.ts'
import type { MainWindow } from './window.ts'

export interface LocalFilesDeps {
  readonly window: Pick<MainWindow, 'owner'>
  readonly words: () => Words
  readonly service: Pick<Service, 'call'>
  readonly paths: ShellPaths
  readonly remembered: RememberedStore
}

/** Returns the functions that hand files to the desktop. Errors of the service are passed on. */
export function createLocalFiles(deps: LocalFilesDeps) {
  const { window, words, service, paths } = deps
  return {
    /** Shows the delivered masters of a job; false without any. */
    async revealMasters(jobId: string): Promise<boolean> {
      const [first] = await findMasters(service, jobId, null)
      if (first) shell.showItemInFolder(first)
      return first !== undefined
    },
    /** Lets the user drag delivered masters out of a page; does nothing without any. */
    async dragMasters(contents: WebContents, jobId: string, platforms: readonly string[] | null): Promise<void> {
      const files = await findMasters(service, jobId, platforms)
      const [file] = files
      const icon = nativeImage.createFromPath(paths.icon('drag.png'))
      if (file && !contents.isDestroyed()) contents.startDrag({ file, files, icon })
    },
    /**
     * Shows a folder of the settings in the file manager, our own even before the first master is in it; false, with a message, if it is
     * missing. It is never opened: the page sets the path, and opening one that ends in `.app` starts a program.
     */
    async revealFolder(folder: 'output' | 'data'): Promise<boolean> {
      const ours = paths.mastersDir
      const chosen = async () => (await service.call('readSettings')).output_folder ?? ours
      const target = folder === 'data' ? paths.dataDir : await chosen()
      // A folder that cannot be created cannot be shown either, which is reported.
      if (target === ours) await mkdir(ours, { recursive: true }).catch(() => undefined)
      const isThere = await stat(target).then(
        (facts) => facts.isDirectory(),
        () => false,
      )
      if (isThere) shell.showItemInFolder(target)
      else tell(window, words().folderShut, target)
      return isThere
    },
    /**
     * Asks for a location and writes the diagnostics ZIP; false if the dialog was closed or, with a message, if it could not be written.
     */
    async exportDiagnostics(): Promise<boolean> {
      const filePath = await askForZip(window, words())
      if (!filePath) return false
      try {
        await writeDiagnostics(filePath, { logsDir: paths.logsDir, facts: factsOf(deps) })
        return true
      } catch (cause) {
        tell(window, words().diagnosticsFailed, cause instanceof Error ? cause.message : String(cause))
        return false
      }
    },
  }
}

/** Shows an error in a message box that, unlike an error box, does not block the API while it is open. */
function tell(window: LocalFilesDeps['window'], message: string, detail: string): void {
  const options: Electron.MessageBoxOptions = { type: 'warning', message, detail, noLink: true }
  const owner = window.owner()
  void (owner ? dialog.showMessageBox(owner, options) : dialog.showMessageBox(options))
}

/** Asks for the location of the diagnostics; an empty text if the dialog was closed. */
async function askForZip(window: LocalFilesDeps['window'], words: Words): Promise<string> {
  const day = new Date().toISOString().slice(0, 10)
  const options: Electron.SaveDialogOptions = {
    title: words.saveDiagnostics,
    defaultPath: path.join(app.getPath('documents'), `loudsmith-diagnostics-${day}.zip`),
    filters: [{ name: 'ZIP', extensions: ['zip'] }],
  }
  const owner = window.owner()
  const { filePath } = await (owner ? dialog.showSaveDialog(owner, options) : dialog.showSaveDialog(options))
  return filePath
}

/** Returns the readers of the diagnostics' facts about the program, by file name. */
function factsOf({ service, remembered }: LocalFilesDeps) {
  return {
    'versions.json': () => ({
      loudsmith: app.getVersion(),
      ...process.versions,
      platform: process.platform,
      arch: process.arch,
    }),
    'system.json': () => service.call('readSystem'),
    'settings.json': () => service.call('readSettings'),
    'desktop.json': () => remembered.read(),
  }
}
