'use strict'
// Starts like Electron's binary: reads the switches, runs Chromium, loads the application's main module, then emits `ready`.
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const inspector = require('node:inspector')
const { registerHooks } = require('node:module')
const os = require('node:os')
const path = require('node:path')
const { pathToFileURL } = require('node:url')

/** Splits `electron [-r module] [--switch[=value]]… <app> [arguments]`. Switches after the app count too, as in Chromium. */
function readCommandLine(words, packagedApp) {
  const preloads = []
  const switches = {}
  const rest = []
  let entry = packagedApp
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (!entry && (word === '-r' || word === '--require')) preloads.push(words[++at])
    else if (word.startsWith('--')) {
      const [name, ...value] = word.slice(2).split('=')
      switches[name] = value.join('=')
      if (entry) rest.push(word)
    } else if (entry) rest.push(word)
    else entry = word
  }
  return { preloads, switches, entry, rest }
}

const packagedApp = process.env.STANDIN_PACKAGED_APP
const words = process.argv.slice(2)
const { preloads, switches, entry, rest } = readCommandLine(words, packagedApp)
if (!entry) {
  process.stderr.write('usage: electron [switches] <app>\n')
  process.exit(2)
}
const full = path.resolve(entry)
const appPath = fs.statSync(full).isDirectory() ? full : path.dirname(full)
const packageFile = [appPath, path.dirname(appPath)]
  .map((folder) => path.join(folder, 'package.json'))
  .find((file) => fs.existsSync(file))
const pkg = packageFile ? JSON.parse(fs.readFileSync(packageFile, 'utf8')) : { name: 'app', version: '0.0.0' }
const mainModule = appPath === full ? path.join(appPath, pkg.main ?? 'index.js') : full

const electronPackage = path.join(__dirname, '../../node_modules/electron/package.json')
process.versions.electron = fs.existsSync(electronPackage) ? require(electronPackage).version : '0.0.0'
process.versions.chrome = '0.0.0.0'
process.type = 'browser'
process.argv = [process.execPath, ...words]
if (packagedApp) process.resourcesPath = path.dirname(full)
else process.defaultApp = true

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'electron' && !specifier.startsWith('electron/')) return next(specifier, context)
    return { url: pathToFileURL(path.join(__dirname, 'electron.cjs')).href, format: 'commonjs', shortCircuit: true }
  },
})
if ('inspect' in switches) inspector.open(Number(switches.inspect || 9229), '127.0.0.1')

const CHROMIUM_SWITCHES = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-startup-window',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  // Chromium's own services, absent in Electron; any other address stays reachable, to reveal leaks of the page.
  '--host-resolver-rules=MAP *.google.com ~NOTFOUND, MAP *.googleapis.com ~NOTFOUND, MAP *.gstatic.com ~NOTFOUND',
  '--disable-sync',
  '--disable-popup-blocking',
  '--disable-renderer-backgrounding',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--force-color-profile=srgb',
  '--password-store=basic',
]

/** Starts Chromium with the switches known so far; resolves to the address of its debugging protocol. */
function startChromium(appended) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'electron-standin-'))
  const child = spawn(
    process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    [
      ...appended,
      ...CHROMIUM_SWITCHES,
      `--remote-debugging-port=${switches['remote-debugging-port'] ?? 0}`,
      `--user-data-dir=${profile}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  process.on('exit', () => {
    child.kill('SIGKILL')
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  })
  const endpoint = new Promise((resolve, reject) => {
    let text = ''
    child.stderr.on('data', (bytes) => {
      text += bytes
      const line = /^DevTools listening on (ws:\/\/.*)$/m.exec(text)
      if (!line) return
      // Playwright waits for this line of the real binary.
      if ('remote-debugging-port' in switches) process.stderr.write(`${line[0]}\n`)
      child.stderr.removeAllListeners('data')
      child.stderr.resume()
      resolve(line[1])
    })
    child.once('error', reject)
    child.once('exit', (code, signal) => process.stderr.write(`stand-in: Chromium ended (${signal ?? code})\n`))
    child.once('exit', (code) => reject(new Error(`Chromium ended (${code}): ${text}`)))
  })
  return { child, endpoint }
}

let markLoaded
const standin = {
  pkg,
  appPath,
  switches,
  rest,
  isPackaged: Boolean(packagedApp),
  appendedSwitches: [],
  isBrowserRunning: false,
  appLoaded: new Promise((resolve) => {
    markLoaded = resolve
  }),
}
globalThis.__standin = standin
const browser = Promise.withResolvers()
standin.browser = browser.promise
for (const preload of preloads) require(require.resolve(preload, { paths: [process.cwd()] }))
standin.isBrowserRunning = true
browser.resolve(startChromium(standin.appendedSwitches))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => require('./app.cjs').app.quit())

// Electron emits `ready` only after the main module has been evaluated: `await app.whenReady()` at its top level hangs here too.
const hanging = setTimeout(() => {
  process.stderr.write('stand-in: the main module is still being evaluated after 10 s; `ready` waits for it\n')
}, 10_000)
import(pathToFileURL(mainModule).href).then(
  () => {
    clearTimeout(hanging)
    markLoaded()
  },
  (error) => {
    process.stderr.write(`App threw an error during load\n${error?.stack ?? error}\n`)
    process.exit(1)
  },
)
