/** Folders of the user's files and of the application's own, packaged or not; the only reader of Electron's paths. */
import path from 'node:path'
import { app } from 'electron'
import { argumentValue } from './arguments.ts'

export interface ShellPaths {
  /** Database, songs and results. */
  readonly dataDir: string
  /** True to make a data directory inside that folder even if it holds other files. */
  readonly adoptsDir: boolean
  readonly logsDir: string
  /** The user's music folder as reported by the system: it may be on another drive or have a localised name. */
  readonly musicDir: string
  /** Folder of delivered masters unless the user chose another; created with the first master. */
  readonly mastersDir: string
  /** Choices of this desktop. */
  readonly settingsFile: string
  /** Holds `bin/ffmpeg` in the packaged application; undefined in development, where the server looks elsewhere. */
  readonly resourcesDir: string | undefined
  readonly preloadFile: string
  readonly engineFile: string
  /** Returns the file of an icon, e.g. `tray.png`. */
  icon(name: string): string
}

/** Returns the folders of this start; `--data-dir` moves the data directory alone, `--adopt-dir` into a folder of other files. */
export function shellPaths(argv: readonly string[]): ShellPaths {
  const userData = app.getPath('userData')
  const musicDir = musicFolder()
  const givenDataDir = argumentValue(argv, 'data-dir')
  // Both entries are bundled into the same folder as this file.
  const built = (name: string) => path.join(import.meta.dirname, name)
  return {
    dataDir: givenDataDir ? path.resolve(givenDataDir) : path.join(userData, 'data'),
    adoptsDir: argv.includes('--adopt-dir'),
    logsDir: path.join(userData, 'logs'),
    musicDir,
    mastersDir: path.join(musicDir, 'Loudsmith'),
    settingsFile: path.join(userData, 'desktop.json'),
    resourcesDir: app.isPackaged ? process.resourcesPath : undefined,
    preloadFile: built('preload.cjs'),
    engineFile: built('worker.js'),
    icon: (name) => path.join(app.getAppPath(), 'resources', 'icons', name),
  }
}

/** Returns the music folder, or else `Music` in the home folder, as on Windows if its drive is missing. */
function musicFolder(): string {
  try {
    return app.getPath('music')
  } catch {
    return path.join(app.getPath('home'), 'Music')
  }
}
