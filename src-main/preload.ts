/** Runs isolated beside the page and exposes exactly {@link DesktopBridge}. */
import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron'
import { ANNOUNCEMENTS, COMMANDS, type DesktopBridge, PAGE_FACTS_ARGUMENT, type PageFacts, REQUESTS } from './bridge.ts'

const argument = process.argv.find((text) => text.startsWith(PAGE_FACTS_ARGUMENT))
if (!argument) throw new Error('the window was opened without its page facts')
const facts = JSON.parse(argument.slice(PAGE_FACTS_ARGUMENT.length)) as PageFacts

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
  platform: facts.platform,
  appVersion: facts.appVersion,
  apiBaseUrl: facts.apiBaseUrl,
  chooseSongs: () => ipcRenderer.invoke(REQUESTS.chooseSongs),
  chooseSongFolder: () => ipcRenderer.invoke(REQUESTS.chooseSongFolder),
  // The path is asked of the browser here: a File that the page made up has none, so the page cannot name a file.
  addFiles: (files) =>
    ipcRenderer.invoke(
      REQUESTS.addFiles,
      files.map((file) => ({ filename: file.name, path: webUtils.getPathForFile(file) })),
    ),
  chooseFolder: () => ipcRenderer.invoke(REQUESTS.chooseFolder),
  revealMasters: (jobId) => ipcRenderer.invoke(REQUESTS.revealMasters, jobId),
  dragMasters: (jobId, platforms) => ipcRenderer.send(COMMANDS.dragMasters, jobId, platforms ?? null),
  revealFolder: (folder) => ipcRenderer.invoke(REQUESTS.revealFolder, folder),
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
