/**
 * The one border between the page and the desktop: everything the page may ask of the main process, and nothing more.
 * The page never names a path: files come in as real drops or through a dialog, masters go out by the identifier of their job.
 */
import type { ErrorCode, ErrorParams } from '../src-contract/errors.ts'

/** A file that was not taken, and why: the page has the words. */
export interface RefusedFile {
  readonly filename: string
  /** A code of the contract's catalogue, or one of the shell's own. */
  readonly code: ErrorCode | 'UNREADABLE' | 'NO_SONGS' | 'TOO_MANY_SONGS'
  /** Values that the sentence of the code mentions. */
  readonly values?: ErrorParams | undefined
}

/** Result of adding files: each is a song in the batch now, or was refused. */
export interface IntakeReport {
  /** Identifiers of the stored songs, in the order of the files. */
  readonly sourceIds: readonly string[]
  readonly refused: readonly RefusedFile[]
}

/** Place that the desktop asks the page to open: after a click on a notification, in the menu or in the tray. */
export type Place =
  | { readonly screen: 'master' | 'automate' | 'history' | 'settings' | 'keys' }
  | { readonly screen: 'batch'; readonly batchId: string }
  | { readonly screen: 'listen'; readonly jobId: string }

/** Commands of the menu that only the page can carry out. */
export type MenuCommand = 'start' | 'undo-removal' | 'search' | 'key-sheet'

/** Appearance of the page; sent on every change. */
export interface Appearance {
  readonly theme: 'system' | 'dark' | 'light'
  readonly language: 'system' | 'en' | 'ko'
}

/** A change of the ffmpeg that is run: another is chosen, the one that is set is confirmed, or none is set any more. */
export type FfmpegChange = 'choose' | 'confirm' | 'search'

/** Choices that belong to this desktop, not to the account: kept beside the window's place. */
export interface DesktopSettings {
  /** Start when the user signs in; off by default. */
  readonly openAtLogin: boolean
  /** Closing the window leaves the API running in the tray. */
  readonly keepsRunning: boolean
  /** Tell when a batch has ended and the window is not in front. */
  readonly notifies: boolean
}

export interface DesktopBridge {
  readonly platform: 'darwin' | 'win32' | 'linux'

  /** Puts dropped or pasted files and folders in the batch. Anything that is not a real file is refused as `UNREADABLE`. */
  addFiles(files: readonly File[]): Promise<IntakeReport>
  /** Opens the dialog for a folder and returns its path, for a folder setting; null when it was closed. */
  chooseFolder(): Promise<string | null>

  /** Shows the delivered masters of a done job in the file manager. False when they are no longer there. */
  revealMasters(jobId: string): Promise<boolean>
  /** Begins to drag delivered masters out, all of the job or those of the platforms. Call it in `dragstart` after preventDefault. */
  dragMasters(jobId: string, platforms?: readonly string[]): void
  /** Shows a folder of the settings: the output folder, or the data directory. */
  revealFolder(folder: 'output' | 'data'): Promise<boolean>

  /** Asks the user in dialogs of the system, which the page cannot answer, and changes the ffmpeg. False when nothing was changed. */
  changeFfmpeg(change: FfmpegChange): Promise<boolean>

  readDesktopSettings(): Promise<DesktopSettings>
  changeDesktopSettings(change: Partial<DesktopSettings>): Promise<DesktopSettings>
  /** Tells menus, dialogs, notifications and the window frame which theme and language to use. */
  setAppearance(appearance: Appearance): Promise<void>
  /** Asks where to save a ZIP with logs, versions and settings, without audio or keys. False when none was saved. */
  exportDiagnostics(): Promise<boolean>
  /** Opens the application menu at a point of the window, in CSS pixels: for Windows and Linux, whose frame shows none. */
  popUpMenu(x: number, y: number): Promise<void>

  /** Calls back when the desktop asks for a screen. Returns the function that ends it. */
  onOpenPlace(listener: (place: Place) => void): () => void
  /** Calls back when a menu command must be carried out by the page. Returns the function that ends it. */
  onMenuCommand(listener: (command: MenuCommand) => void): () => void
  /** Calls back when files arrived without the page (open-with, the dock, the menu). */
  onIntake(listener: (report: IntakeReport) => void): () => void
}

/** Channels by direction. Requests are answered; commands and announcements are not. */
export const REQUESTS = {
  addFiles: 'songs:add',
  chooseFolder: 'folder:choose',
  revealMasters: 'masters:reveal',
  revealFolder: 'folder:reveal',
  changeFfmpeg: 'ffmpeg:change',
  readDesktopSettings: 'desktop-settings:read',
  changeDesktopSettings: 'desktop-settings:change',
  setAppearance: 'appearance:set',
  exportDiagnostics: 'diagnostics:export',
  popUpMenu: 'menu:pop-up',
} as const
export const COMMANDS = { dragMasters: 'masters:drag' } as const
export const ANNOUNCEMENTS = { openPlace: 'place:open', menuCommand: 'menu:command', intake: 'songs:taken' } as const

declare global {
  interface Window {
    /** Present in the desktop application only. */
    readonly loudsmith?: DesktopBridge
  }
}
