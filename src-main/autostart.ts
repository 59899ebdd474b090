/** The file that starts a program at login on Linux. */

/** Returns the desktop entry that starts `command` at login (freedesktop.org Desktop Entry and Autostart specifications). Pure. */
export function autostartEntry(command: readonly string[]): string {
  const quoted = command.map((word) => `"${word.replace(/(["`$\\])/g, '\\$1').replaceAll('%', '%%')}"`)
  return `[Desktop Entry]\nType=Application\nName=Loudsmith\nExec=${quoted.join(' ')}\nX-GNOME-Autostart-enabled=true\nTerminal=false\n`
}
