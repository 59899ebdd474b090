/** Starting with the user's session: Electron does it on macOS and Windows; on Linux it is a file in the autostart folder. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { app } from 'electron'
import { HIDDEN_ARGUMENT } from './arguments.ts'
import { autostartEntry } from './autostart.ts'

function autostartFile(): string {
  return path.join(app.getPath('appData'), 'autostart', 'loudsmith.desktop')
}

/** The command of this program: an AppImage is started by its own file, since its content moves. */
function ownCommand(): string[] {
  const executable = process.env.APPIMAGE ?? app.getPath('exe')
  return [executable, ...(app.isPackaged ? [] : [app.getAppPath()]), HIDDEN_ARGUMENT]
}

/** Turns the start at login on or off. Throws what the file system says on Linux. */
export function setOpenAtLogin(isOn: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: isOn, args: [HIDDEN_ARGUMENT] })
    return
  }
  const file = autostartFile()
  if (!isOn) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, autostartEntry(ownCommand()))
}

/** Returns whether the program starts at login, as the system has it. */
export function opensAtLogin(): boolean {
  if (process.platform === 'linux') return existsSync(autostartFile())
  return app.getLoginItemSettings({ args: [HIDDEN_ARGUMENT] }).openAtLogin
}
