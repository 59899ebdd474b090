/** Runs isolated from the page and exposes exactly {@link DesktopBridge}. */
import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron'
import { ANNOUNCEMENTS, COMMANDS, type DesktopBridge, REQUESTS } from './bridge.ts'

function listen<Value>(channel: string) {
  return (listener: (value: Value) => void) => {
    const receive = (_event: IpcRendererEvent, value: Value) => listener(value)
    ipcRenderer.on(channel, receive)
    return () => {
      ipcRenderer.off(channel, receive)
    }
  }
}

const bridge: DesktopBridge = {
  platform: process.platform as DesktopBridge['platform'],
  // The path comes from the browser: a File made up by the page has none, so the page cannot name a file.
  addFiles: (files) =>
    ipcRenderer.invoke(
      REQUESTS.addFiles,
      files.map((file) => ({ filename: file.name, path: webUtils.getPathForFile(file) })),
    ),
  chooseFolder: () => ipcRenderer.invoke(REQUESTS.chooseFolder),
  revealMasters: (jobId) => ipcRenderer.invoke(REQUESTS.revealMasters, jobId),
  dragMasters: (jobId, platforms) => ipcRenderer.send(COMMANDS.dragMasters, jobId, platforms ?? null),
  revealFolder: (folder) => ipcRenderer.invoke(REQUESTS.revealFolder, folder),
  changeFfmpeg: (change) => ipcRenderer.invoke(REQUESTS.changeFfmpeg, change),
  readDesktopSettings: () => ipcRenderer.invoke(REQUESTS.readDesktopSettings),
  changeDesktopSettings: (change) => ipcRenderer.invoke(REQUESTS.changeDesktopSettings, change),
  setAppearance: (appearance) => ipcRenderer.invoke(REQUESTS.setAppearance, appearance),
  exportDiagnostics: () => ipcRenderer.invoke(REQUESTS.exportDiagnostics),
  popUpMenu: (x, y) => ipcRenderer.invoke(REQUESTS.popUpMenu, x, y),
  onOpenPlace: listen(ANNOUNCEMENTS.openPlace),
  onMenuCommand: listen(ANNOUNCEMENTS.menuCommand),
  onIntake: listen(ANNOUNCEMENTS.intake),
}

contextBridge.exposeInMainWorld('loudsmith', bridge)
