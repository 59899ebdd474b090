/** Start at login: through Electron on macOS and Windows, by a file in the autostart folder on Linux. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { app } from 'electron'
import { HIDDEN_ARGUMENT } from './arguments.ts'
import { autostartEntry } from './autostart.ts'

function autostartFile(): string {
  return path.join(app.getPath('appData'), 'autostart', 'loudsmith.desktop')
}

/** The command of this program. An AppImage and a portable Windows program start by their own file, since their content moves. */
function ownCommand(): { readonly path: string; readonly args: string[] } {
  const { APPIMAGE, PORTABLE_EXECUTABLE_FILE } = process.env
  const args = [...(app.isPackaged ? [] : [app.getAppPath()]), HIDDEN_ARGUMENT]
  return { path: APPIMAGE ?? PORTABLE_EXECUTABLE_FILE ?? app.getPath('exe'), args }
}

/** Turns the start at login on or off. Throws the file system's error on Linux. */
export function setOpenAtLogin(isOn: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: isOn, ...ownCommand() })
    return
  }
  const file = autostartFile()
  if (!isOn) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(path.dirname(file), { recursive: true })
  const { path: executable, args } = ownCommand()
  writeFileSync(file, autostartEntry([executable, ...args]))
}

/** Returns the system's setting of the start at login. */
export function opensAtLogin(): boolean {
  if (process.platform === 'linux') return existsSync(autostartFile())
  return app.getLoginItemSettings(ownCommand()).openAtLogin
}

/** Returns whether this is the start at login: by the argument or, since macOS passes none, by Electron's report. */
export function startedAtLogin(argv: readonly string[]): boolean {
  if (argv.includes(HIDDEN_ARGUMENT)) return true
  if (process.platform !== 'darwin') return false
  // Reopening of programs by macOS is not a start at login.
  const { openAtLogin, wasOpenedAtLogin } = app.getLoginItemSettings()
  return openAtLogin && wasOpenedAtLogin
}
