/** The application menu: the usual items and shortcuts, in the language of the window, unlike Electron's own labels. */
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

type Item = MenuItemConstructorOptions

const SEPARATOR: Item = { type: 'separator' }

/** Returns the menu as a template. Pure. The platform decides the place of About, Settings and Quit. */
export function menuTemplate(platform: NodeJS.Platform, words: Words, isPaused: boolean, actions: MenuActions): Item[] {
  const isMac = platform === 'darwin'
  return [
    ...(isMac ? [applicationMenu(words, actions)] : []),
    fileMenu(isMac, words, isPaused, actions),
    editMenu(words, actions),
    viewMenu(words, actions),
    windowMenu(isMac, words),
    helpMenu(isMac, words, actions),
  ]
}

function settingsItem(words: Words, actions: MenuActions): Item {
  return {
    id: 'settings',
    label: words.settings,
    accelerator: 'CmdOrCtrl+,',
    click: () => actions.openPlace({ screen: 'settings' }),
  }
}

function quitItem(words: Words): Item {
  return { id: 'quit', role: 'quit', label: words.quit }
}

function aboutItem(words: Words): Item {
  return { role: 'about', label: words.about }
}

/** Returns the menu under the program's name, on macOS only. */
function applicationMenu(words: Words, actions: MenuActions): Item {
  return {
    label: 'Loudsmith',
    submenu: [
      aboutItem(words),
      SEPARATOR,
      settingsItem(words, actions),
      SEPARATOR,
      { role: 'services', label: words.services },
      SEPARATOR,
      { role: 'hide', label: words.hide },
      { role: 'hideOthers', label: words.hideOthers },
      { role: 'unhide', label: words.showAll },
      SEPARATOR,
      quitItem(words),
    ],
  }
}

function fileMenu(isMac: boolean, words: Words, isPaused: boolean, actions: MenuActions): Item {
  const closeItem: Item = { role: 'close', label: words.closeWindow }
  return {
    label: words.file,
    submenu: [
      { id: 'add-songs', label: words.addSongs, accelerator: 'CmdOrCtrl+O', click: () => actions.addSongs() },
      { id: 'add-folder', label: words.addFolder, accelerator: 'CmdOrCtrl+Shift+O', click: () => actions.addFolder() },
      SEPARATOR,
      { id: 'start', label: words.start, accelerator: 'CmdOrCtrl+Enter', click: () => actions.command('start') },
      {
        id: 'pause',
        label: isPaused ? words.resume : words.pause,
        accelerator: 'CmdOrCtrl+Shift+P',
        click: () => actions.setPaused(!isPaused),
      },
      SEPARATOR,
      { id: 'show-masters', label: words.outputFolder, click: () => actions.showMasters() },
      SEPARATOR,
      ...(isMac ? [closeItem] : [settingsItem(words, actions), SEPARATOR, quitItem(words)]),
    ],
  }
}

function editMenu(words: Words, actions: MenuActions): Item {
  return {
    label: words.edit,
    submenu: [
      { role: 'undo', label: words.undo },
      { role: 'redo', label: words.redo },
      { id: 'undo-removal', label: words.undoRemoval, click: () => actions.command('undo-removal') },
      SEPARATOR,
      { role: 'cut', label: words.cut },
      { role: 'copy', label: words.copy },
      { role: 'paste', label: words.paste },
      { role: 'selectAll', label: words.selectAll },
      SEPARATOR,
      { id: 'search', label: words.search, accelerator: 'CmdOrCtrl+F', click: () => actions.command('search') },
    ],
  }
}

function viewMenu(words: Words, actions: MenuActions): Item {
  const screens = (['master', 'automate', 'history'] as const).map((screen, at) => ({
    id: screen,
    label: words[screen],
    accelerator: `CmdOrCtrl+${at + 1}`,
    click: () => actions.openPlace({ screen }),
  }))
  return {
    label: words.view,
    submenu: [
      ...screens,
      SEPARATOR,
      { role: 'resetZoom', label: words.actualSize },
      { role: 'zoomIn', label: words.zoomIn },
      { role: 'zoomOut', label: words.zoomOut },
      SEPARATOR,
      { role: 'togglefullscreen', label: words.fullScreen },
    ],
  }
}

function windowMenu(isMac: boolean, words: Words): Item {
  const minimiseItem: Item = { role: 'minimize', label: words.minimise }
  return {
    label: words.window,
    submenu: isMac
      ? [minimiseItem, { role: 'zoom', label: words.zoom }, SEPARATOR, { role: 'front', label: words.allToFront }]
      : [minimiseItem, { role: 'close', label: words.closeWindow }],
  }
}

function helpMenu(isMac: boolean, words: Words, actions: MenuActions): Item {
  return {
    role: 'help',
    label: words.help,
    submenu: [
      { id: 'key-sheet', label: words.keySheet, click: () => actions.command('key-sheet') },
      { id: 'api-reference', label: words.apiReference, click: () => actions.openReference() },
      SEPARATOR,
      { id: 'diagnostics', label: words.diagnostics, click: () => actions.exportDiagnostics() },
      ...(isMac ? [] : [SEPARATOR, aboutItem(words)]),
    ],
  }
}
