/** The application menu: the usual items with the usual keys, in the language of the window, which Electron's own labels are not. */
import type { MenuItemConstructorOptions } from 'electron'
import type { MenuCommand, Place } from './bridge.ts'
import type { Words } from './text.ts'

export interface MenuActions {
  addSongs(): void
  addFolder(): void
  command(command: MenuCommand): void
  openPlace(place: Place): void
  showMasters(): void
  setPaused(isPaused: boolean): void
  openReference(): void
  exportDiagnostics(): void
}

/** Returns the menu as a template. Pure: the platform decides where About, Settings and Quit are. */
export function menuTemplate(
  platform: NodeJS.Platform,
  words: Words,
  isPaused: boolean,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  const settings: MenuItemConstructorOptions = {
    id: 'settings',
    label: words.settings,
    accelerator: 'CmdOrCtrl+,',
    click: () => actions.openPlace({ screen: 'settings' }),
  }
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const screens = (['master', 'automate', 'history'] as const).map((screen, at) => ({
    id: screen,
    label: words[screen],
    accelerator: `CmdOrCtrl+${at + 1}`,
    click: () => actions.openPlace({ screen }),
  }))
  const applicationMenu: MenuItemConstructorOptions = {
    label: 'Loudsmith',
    submenu: [
      { role: 'about', label: words.about },
      separator,
      settings,
      separator,
      { role: 'services', label: words.services },
      separator,
      { role: 'hide', label: words.hide },
      { role: 'hideOthers', label: words.hideOthers },
      { role: 'unhide', label: words.showAll },
      separator,
      { id: 'quit', role: 'quit', label: words.quit },
    ],
  }
  const file: MenuItemConstructorOptions = {
    label: words.file,
    submenu: [
      { id: 'add-songs', label: words.addSongs, accelerator: 'CmdOrCtrl+O', click: () => actions.addSongs() },
      { id: 'add-folder', label: words.addFolder, accelerator: 'CmdOrCtrl+Shift+O', click: () => actions.addFolder() },
      separator,
      { id: 'start', label: words.start, accelerator: 'CmdOrCtrl+Enter', click: () => actions.command('start') },
      {
        id: 'pause',
        label: isPaused ? words.resume : words.pause,
        accelerator: 'CmdOrCtrl+Shift+P',
        click: () => actions.setPaused(!isPaused),
      },
      separator,
      { id: 'show-masters', label: words.outputFolder, click: () => actions.showMasters() },
      ...(isMac
        ? [separator, { role: 'close' as const, label: words.closeWindow }]
        : [separator, settings, separator, { id: 'quit', role: 'quit' as const, label: words.quit }]),
    ],
  }
  const edit: MenuItemConstructorOptions = {
    label: words.edit,
    submenu: [
      { role: 'undo', label: words.undo },
      { role: 'redo', label: words.redo },
      { id: 'undo-removal', label: words.undoRemoval, click: () => actions.command('undo-removal') },
      separator,
      { role: 'cut', label: words.cut },
      { role: 'copy', label: words.copy },
      { role: 'paste', label: words.paste },
      { role: 'selectAll', label: words.selectAll },
      separator,
      { id: 'search', label: words.search, accelerator: 'CmdOrCtrl+F', click: () => actions.command('search') },
    ],
  }
  const view: MenuItemConstructorOptions = {
    label: words.view,
    submenu: [
      ...screens,
      separator,
      { role: 'resetZoom', label: words.actualSize },
      { role: 'zoomIn', label: words.zoomIn },
      { role: 'zoomOut', label: words.zoomOut },
      separator,
      { role: 'togglefullscreen', label: words.fullScreen },
    ],
  }
  const windowMenu: MenuItemConstructorOptions = {
    label: words.window,
    submenu: isMac
      ? [
          { role: 'minimize', label: words.minimise },
          { role: 'zoom', label: words.zoom },
          separator,
          { role: 'front', label: words.allToFront },
        ]
      : [
          { role: 'minimize', label: words.minimise },
          { role: 'close', label: words.closeWindow },
        ],
  }
  const help: MenuItemConstructorOptions = {
    role: 'help',
    label: words.help,
    submenu: [
      { id: 'key-sheet', label: words.keySheet, click: () => actions.command('key-sheet') },
      { id: 'api-reference', label: words.apiReference, click: () => actions.openReference() },
      separator,
      { id: 'diagnostics', label: words.diagnostics, click: () => actions.exportDiagnostics() },
      ...(isMac ? [] : [separator, { role: 'about' as const, label: words.about }]),
    ],
  }
  return [...(isMac ? [applicationMenu] : []), file, edit, view, windowMenu, help]
}
