/** Starting with the user's session: Electron does it on macOS and Windows; on Linux it is a file in the autostart folder. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { app } from 'electron'
import { HIDDEN_ARGUMENT } from './arguments.ts'
import { autostartEntry } from './autostart.ts'

function autostartFile(): string {
  return path.join(app.getPath('appData'), 'autostart', 'loudsmith.desktop')
}

/** The command of this program. An AppImage and a portable program of Windows are started by their own file: their content moves. */
function ownCommand(): { readonly path: string; readonly args: string[] } {
  const { APPIMAGE, PORTABLE_EXECUTABLE_FILE } = process.env
  const args = [...(app.isPackaged ? [] : [app.getAppPath()]), HIDDEN_ARGUMENT]
  return { path: APPIMAGE ?? PORTABLE_EXECUTABLE_FILE ?? app.getPath('exe'), args }
}

/** Turns the start at login on or off. Throws what the file system says on Linux. */
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

/** Returns whether the program starts at login, as the system has it. */
export function opensAtLogin(): boolean {
  if (process.platform === 'linux') return existsSync(autostartFile())
  return app.getLoginItemSettings(ownCommand()).openAtLogin
}

/** Returns whether this start is the one at login: there the argument says so, but macOS starts programs without any. */
export function startedAtLogin(argv: readonly string[]): boolean {
  if (argv.includes(HIDDEN_ARGUMENT)) return true
  if (process.platform !== 'darwin') return false
  // A start by macOS that reopens programs is not a start at login.
  const { openAtLogin, wasOpenedAtLogin } = app.getLoginItemSettings()
  return openAtLogin && wasOpenedAtLogin
}
