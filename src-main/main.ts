/** The desktop application, top to bottom: single instance, server, window, desktop indicators, graceful exit. */
import '../src-system/compilers.ts'
import '../src-system/direct-loopback.ts'
import { app, dialog, nativeTheme, powerMonitor, session } from 'electron'
import { startFailureText } from '../src-contract/text/start-failure.ts'
import { createLog, type Log } from '../src-system/log.ts'
import { systemClock } from '../src-system/system.ts'
import { argumentValue, filesInArguments } from './arguments.ts'
import { createDesktop } from './desktop.ts'
import { openRemembered } from './desktop-settings.ts'
import { hostServer } from './hosting.ts'
import { openLogFiles } from './log-files.ts'
import { startedAtLogin } from './login.ts'
import { shellPaths } from './paths.ts'
import { guardSession } from './session.ts'
import { languageOf, wordsOf } from './text.ts'

const APP_ID = 'app.loudsmith.desktop'

/** Songs opened with Loudsmith before it was ready. */
const openedEarly: string[] = []
let takeFiles = (files: readonly string[]): void => {
  openedEarly.push(...files)
}
/** True if the window was requested during startup; a start at login alone does not show it. */
let isWindowWanted = false
let showWindow = (): void => {
  isWindowWanted = true
}
/** System language, used until the choices of this desktop have been read. */
let language = () => languageOf('system', app.getLocale())
const words = () => wordsOf(language())
let log: Log | undefined

app.enableSandbox()
if (process.platform === 'win32') app.setAppUserModelId(APP_ID)
app.on('open-file', (event, file) => {
  event.preventDefault()
  showWindow()
  takeFiles([file])
})
app.on('second-instance', (_event, argv, cwd) => {
  showWindow()
  takeFiles(filesInArguments(argv, cwd))
})

// Never a top-level await: `ready` comes only after this module has been evaluated.
if (app.requestSingleInstanceLock()) app.whenReady().then(start).catch(giveUp)
else app.quit()

async function start(): Promise<void> {
  const paths = shellPaths(process.argv)
  const writing = createLog('info', systemClock, openLogFiles(paths.logsDir))
  log = writing
  process.on('uncaughtExceptionMonitor', (cause) => writing.error('uncaught exception', { cause }))
  // A failed desktop extra, such as a menu item, must not take down the service.
  process.on('unhandledRejection', (cause) => writing.error('unhandled rejection', { cause }))
  const remembered = openRemembered(paths.settingsFile)
  nativeTheme.themeSource = remembered.read().appearance.theme
  language = () => languageOf(remembered.read().appearance.language, app.getLocale())

  const server = await hostServer({ paths, port: argumentValue(process.argv, 'port'), words: words(), log: writing })
  if (!server) {
    app.exit(1)
    return
  }
  guardSession(session.defaultSession, server.baseUrl, server.sessionCredential)

  const desktop = createDesktop({ paths, server, remembered, language, words, log: writing })
  takeFiles = desktop.takeFiles
  showWindow = desktop.showWindow
  const given = [...openedEarly, ...filesInArguments(process.argv, process.cwd())]
  if (given.length > 0) desktop.takeFiles(given)
  if (isWindowWanted || !startedAtLogin(process.argv)) desktop.showWindow()

  app.on('activate', desktop.showWindow)
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' && !remembered.read().settings.keepsRunning) app.quit()
  })
  powerMonitor.on('resume', desktop.wokeUp)
}

function giveUp(error: unknown): void {
  log?.error('the program could not start', { cause: error })
  dialog.showErrorBox(words().startFailed, startFailureText(error, language()))
  app.exit(1)
}
