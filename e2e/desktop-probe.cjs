'use strict'
// Loaded before the application (`electron -r`), on the real binary and on the stand-in alike: records its output to
// the desktop.
const { once } = require('node:events')
const fs = require('node:fs')
const electron = require('electron')

const noted = {
  questions: [],
  notifications: [],
  opened: [],
  revealed: [],
  drags: [],
  progress: [],
  blockers: [],
}
/** Button numbers to answer the next questions with. */
const answers = []
globalThis.__noted = noted
globalThis.__answers = answers
globalThis.__notifications = []

const { app, BrowserWindow, dialog, Notification, powerSaveBlocker, shell, Tray } = electron
/** Event that releases the answers, to reach a start that asks something during loading. */
const mayAnswer = process.env.PROBE_ANSWER_AFTER && once(app, process.env.PROBE_ANSWER_AFTER)
// Only Linux allows a home folder for a single program.
app.setPath('music', process.env.PROBE_MUSIC)
dialog.showErrorBox = (title, content) => {
  process.stderr.write(`ERROR BOX ${title}: ${content}\n`)
}
dialog.showMessageBox = async (...args) => {
  const { message, detail, buttons = ['OK'], cancelId } = args.at(-1)
  noted.questions.push({ message, detail, buttons })
  await mayAnswer
  const response = answers.length > 0 ? answers.shift() : Number(process.env.PROBE_ANSWER ?? cancelId ?? 0)
  process.stderr.write(`QUESTION ${message} -> ${buttons[response]}\n`)
  return { response, checkboxChecked: false }
}
shell.openExternal = async (address) => {
  noted.opened.push(address)
}
shell.openPath = async (file) => {
  noted.opened.push(file)
  return fs.existsSync(file) ? '' : 'There is no such folder.'
}
shell.showItemInFolder = (file) => {
  noted.revealed.push(file)
}
Notification.prototype.show = function show() {
  noted.notifications.push({ title: this.title, body: this.body })
  globalThis.__notifications.push(this)
}
for (const method of ['setContextMenu', 'setToolTip']) {
  const original = Tray.prototype[method]
  Tray.prototype[method] = function note(value) {
    globalThis.__tray = { ...globalThis.__tray, [method === 'setToolTip' ? 'toolTip' : 'menu']: value }
    return original.call(this, value)
  }
}
const setProgressBar = BrowserWindow.prototype.setProgressBar
BrowserWindow.prototype.setProgressBar = function note(fraction, options) {
  noted.progress.push(fraction)
  return setProgressBar.call(this, fraction, options)
}
const { start, stop } = powerSaveBlocker
powerSaveBlocker.start = (type) => {
  noted.blockers.push(`start ${type}`)
  return start.call(powerSaveBlocker, type)
}
powerSaveBlocker.stop = (id) => {
  noted.blockers.push('stop')
  return stop.call(powerSaveBlocker, id)
}
app.on('web-contents-created', (_event, contents) => {
  const startDrag = globalThis.__standin ? contents.startDrag.bind(contents) : () => {}
  contents.startDrag = (item) => {
    noted.drags.push(item.files ?? [item.file])
    startDrag(item)
  }
})
