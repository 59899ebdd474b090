/**
 * Complete interface between the page and the main process. The page never names a path: files come in as real drops or through a dialog,
 * masters go out by job identifier.
 */
import type { Settings } from '../src-contract/app.ts'
import type { ErrorCode, ErrorParams } from '../src-contract/errors.ts'

/** A refused file, and the reason, which the page words. */
export interface RefusedFile {
  readonly filename: string
  /** A code of the contract, or of the shell. */
  readonly code: ErrorCode | 'UNREADABLE' | 'NO_SONGS' | 'TOO_MANY_SONGS'
  /** Values for the sentence of the code. */
  readonly values?: ErrorParams | undefined
}

/** Result of adding files: each is now a song in the batch or was refused. */
export interface IntakeReport {
  /** Identifiers of the stored songs, in the order of the files. */
  readonly sourceIds: readonly string[]
  readonly refused: readonly RefusedFile[]
}

/** Screen that the desktop asks the page to open, after a click on a notification, the menu or the tray. */
export type Place =
  | { readonly screen: 'master' | 'automate' | 'history' | 'settings' | 'keys' }
  | { readonly screen: 'batch'; readonly batchId: string }
  | { readonly screen: 'listen'; readonly jobId: string }

/** Menu commands carried out by the page. */
export type MenuCommand = 'start' | 'undo-removal' | 'search' | 'key-sheet'

/** Appearance of the page; sent on every change. */
export interface Appearance {
  readonly theme: Settings['theme']
  readonly language: Settings['language']
}

/** A change of the ffmpeg in use: choose another, confirm the current setting, or clear it. */
export type FfmpegChange = 'choose' | 'confirm' | 'search'

/** Choices of this desktop rather than of the account, stored with the window's position. */
export interface DesktopSettings {
  /** Start when the user signs in; off by default. */
  readonly openAtLogin: boolean
  /** Closing the window leaves the API running in the tray. */
  readonly keepsRunning: boolean
  /** Notify when a batch has ended and the window is not in front. */
  readonly notifies: boolean
}

export interface DesktopBridge {
  readonly platform: 'darwin' | 'win32' | 'linux'

  /** Adds dropped or pasted files and folders to the batch. Anything but a real file is refused as `UNREADABLE`. */
  addFiles(files: readonly File[]): Promise<IntakeReport>
  /** Opens a folder dialog for a setting and returns the path; null if it was closed. */
  chooseFolder(): Promise<string | null>

  /** Shows the delivered masters of a done job in the file manager. False if they are no longer there. */
  revealMasters(jobId: string): Promise<boolean>
  /** Starts dragging delivered masters out, all of the job's or only the platforms'. Call it in `dragstart` after preventDefault. */
  dragMasters(jobId: string, platforms?: readonly string[]): void
  /** Shows a folder of the settings: the output folder, or the data directory. */
  revealFolder(folder: 'output' | 'data'): Promise<boolean>

  /** Asks the user in system dialogs, out of the page's reach, and changes the ffmpeg. False if nothing was changed. */
  changeFfmpeg(change: FfmpegChange): Promise<boolean>

  readDesktopSettings(): Promise<DesktopSettings>
  changeDesktopSettings(change: Partial<DesktopSettings>): Promise<DesktopSettings>
  /** Sets the theme and language of menus, dialogs, notifications and the window frame. */
  setAppearance(appearance: Appearance): Promise<void>
  /** Asks where to save a ZIP with logs, versions and settings, without audio or keys. False if it was not saved. */
  exportDiagnostics(): Promise<boolean>
  /** Opens the application menu at a point of the window, in CSS pixels, for Windows and Linux, whose frame has no menu. */
  popUpMenu(x: number, y: number): Promise<void>

  /** Calls back when the desktop asks for a screen. Returns a function that unsubscribes. */
  onOpenPlace(listener: (place: Place) => void): () => void
  /** Calls back for a menu command that the page carries out. Returns a function that unsubscribes. */
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
