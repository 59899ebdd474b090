'use strict'
// The part of Electron's main-process API that the application uses. The literal below is what `import { … } from 'electron'` reads.
const { app } = require('./app.cjs')
const { BrowserWindow, ipcMain, webContents } = require('./windows.cjs')
const { session } = require('./session.cjs')
const {
  clipboard,
  crashReporter,
  dialog,
  Menu,
  MenuItem,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  recorded,
  screen,
  shell,
  Tray,
  utilityProcess,
} = require('./desktop.cjs')

globalThis.__standin.recorded = recorded

module.exports = {
  app,
  BrowserWindow,
  clipboard,
  crashReporter,
  dialog,
  ipcMain,
  Menu,
  MenuItem,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
  webContents,
}
