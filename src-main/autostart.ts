/** The file that starts a program at login on Linux. */

/**
 * Returns the desktop entry that starts `command` at login (freedesktop.org Desktop Entry and Autostart specifications). Every backslash of
 * the quoting is doubled: the string escapes are resolved before the quotes. Pure.
 */
export function autostartEntry(command: readonly string[]): string {
  const words = command.map((word) => `"${quoted(word)}"`)
  return `[Desktop Entry]\nType=Application\nName=Loudsmith\nExec=${words.join(' ')}\nX-GNOME-Autostart-enabled=true\nTerminal=false\n`
}

function quoted(word: string): string {
  return word
    .replace(/(["`$\\])/g, '\\$1')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
}
