/**
 * `npm run package:check`: packs the application for three systems without Electron's binary, checks every file against the allowed ones
 * and reports the sizes. The binary is a stand-in, so fuses, signing and installers are not checked here.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { stagedBinary, type Target } from './stage-ffmpeg.ts'

const root = path.join(import.meta.dirname, '..')
const work = path.join(root, 'release', 'check')

type System = 'linux' | 'mac' | 'win'
/** One target per system; the other architecture differs only in names. */
const CHECKED: readonly Target[] = ['linux-x64', 'mac-arm64', 'win-x64']

const systemOf = (target: Target) => target.split('-')[0] as System
const archOf = (target: Target) => target.split('-')[1] ?? ''

function write(file: string, content: string, isProgram = false): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
  if (isProgram) chmodSync(file, 0o755)
}

/** Stand-in for the oldest macOS in the Info.plist of an Electron distribution. */
const OLDEST_MACOS = 'as Electron says'

const plist = (executable: string, identifier: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0"><dict><key>CFBundleExecutable</key><string>${executable}</string><key>CFBundleIdentifier</key><string>${identifier}</string><key>CFBundleName</key><string>${executable}</string><key>CFBundlePackageType</key><string>APPL</string><key>LSMinimumSystemVersion</key><string>${OLDEST_MACOS}</string></dict></plist>\n`

/** Lays out an Electron distribution without Electron: on Linux its program runs the stand-in on the packed application. */
function writeElectronDist(system: System): string {
  const folder = path.join(work, `electron-${system}`)
  rmSync(folder, { recursive: true, force: true })
  const { version } = createRequire(import.meta.url)('electron/package.json') as { version: string }
  write(path.join(folder, 'version'), version)
  write(path.join(folder, 'LICENSE'), 'stand-in\n')
  write(path.join(folder, 'LICENSES.chromium.html'), 'stand-in\n')
  if (system === 'linux') {
    const standin = path.join(root, 'tools', 'electron-standin', 'electron')
    const program = `#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nSTANDIN_PACKAGED_APP="$here/resources/app" exec "${standin}" "$@"\n`
    write(path.join(folder, 'electron'), program, true)
    write(path.join(folder, 'chrome-sandbox'), '', true)
    write(path.join(folder, 'locales', 'en-US.pak'), '')
  }
  if (system === 'win') {
    write(path.join(folder, 'electron.exe'), 'stand-in', true)
    write(path.join(folder, 'locales', 'en-US.pak'), '')
  }
  if (system === 'mac') {
    const contents = path.join(folder, 'Electron.app', 'Contents')
    write(path.join(contents, 'Info.plist'), plist('Electron', 'com.github.Electron'))
    write(path.join(contents, 'MacOS', 'Electron'), 'stand-in', true)
    for (const kind of ['', ' (GPU)', ' (Plugin)', ' (Renderer)']) {
      const helper = path.join(contents, 'Frameworks', `Electron Helper${kind}.app`, 'Contents')
      write(path.join(helper, 'Info.plist'), plist(`Electron Helper${kind}`, 'com.github.Electron.helper'))
      write(path.join(helper, 'MacOS', `Electron Helper${kind}`), 'stand-in', true)
    }
    write(path.join(contents, 'Resources', 'electron.icns'), 'stand-in')
  }
  return folder
}

/** Creates a stand-in for an ffmpeg that is not staged, so that its location is checked; returns its removal. */
function standInForFfmpeg(target: Target): () => void {
  const binary = stagedBinary(target)
  if (existsSync(binary)) return () => {}
  const folder = path.dirname(binary)
  for (const name of [path.basename(binary), 'FFMPEG-LICENSE.txt', 'FFMPEG-SOURCE.txt', 'SHA256SUMS'])
    write(path.join(folder, name), 'stand-in\n', true)
  console.log(`${target}: ffmpeg is not staged, so a placeholder is packed`)
  return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * Packs a target into a folder of its own and returns the folder with the program. With `asar` false the application stays unpacked, as the
 * stand-in needs it to run. Throws with the builder's output if it fails.
 */
export function packDirectory(target: Target, asar: boolean): string {
  const system = systemOf(target)
  const output = path.join(work, `${target}${asar ? '' : '-files'}`)
  rmSync(output, { recursive: true, force: true })
  const settings = path.join(work, `${target}.json`)
  const overrides = {
    extends: 'file:electron-builder.yml',
    electronDist: writeElectronDist(system),
    directories: { output, buildResources: 'resources' },
    asar,
    // A stand-in has no fuses to set, no signature and no resources to edit.
    electronFuses: null,
    disableAsarIntegrity: true,
    win: { signAndEditExecutable: false },
    mac: { identity: null },
  }
  write(settings, JSON.stringify(overrides))
  const removePlaceholder = standInForFfmpeg(target)
  try {
    const builder = createRequire(import.meta.url).resolve('electron-builder/cli.js')
    const words = [builder, '--dir', `--${system}`, `--${archOf(target)}`, '--config', settings, '--publish', 'never']
    const run = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8', timeout: 300_000 })
    if (run.status !== 0) throw new Error(`electron-builder failed for ${target}:\n${run.stdout}\n${run.stderr}`)
  } finally {
    removePlaceholder()
  }
  const packed = globSync('{linux*-unpacked,win*-unpacked,mac*}', { cwd: output })[0]
  if (!packed) throw new Error(`electron-builder left nothing for ${target}`)
  return path.join(output, packed)
}

/** Packages of headers for native modules, which are already compiled. */
const NOT_AT_RUN_TIME = new Set(['node-addon-api'])

/** Names of the npm packages that the application needs at run time, from the lock. The builder chooses their location. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>
  }
  const names = Object.entries(packages)
    .filter(([place, { dev, optional, devOptional }]) => place !== '' && !dev && !optional && !devOptional)
    .map(([place]) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length))
  return [...new Set(names)].filter((name) => !NOT_AT_RUN_TIME.has(name))
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Files allowed in the archive. */
function archiveRules(target: Target): RegExp[] {
  const platform = { linux: 'linux', mac: 'darwin', win: 'win32' }[systemOf(target)]
  const names = productionPackages().map(escaped).join('|')
  return [
    /^package\.json$/,
    /^dist\/main\/[\w.-]+\.c?js$/,
    /^dist\/main\/migrations\/\d{4}-[a-z0-9-]+\.sql$/,
    /^dist\/renderer\/(index\.html|first-paint\.js|mark\.svg)$/,
    /^dist\/(main|renderer)\/third-party-licences\.txt$/,
    /^dist\/renderer\/assets\/[\w.-]+\.(js|css|woff2|svg|png|wasm|flac|mp3|wav)$/,
    /^resources\/icons\/[\w@.]+\.png$/,
    new RegExp(`^node_modules\\/better-sqlite3\\/prebuilds\\/${platform}-${archOf(target)}\\.node$`),
    new RegExp(
      `^node_modules\\/(?:.*\\/node_modules\\/)?(?:${names})\\/(?!.*\\.(?:node|map|ts|mts|cts|tsx|md|markdown|flow|c|cc|h|gyp|gypi|sh|bat)$)(?!(?:.*\\/)?(?:tests?|__tests__|examples?|benchmarks?|coverage)\\/).+$`,
    ),
  ]
}

/** Files allowed outside the archive, relative to Electron's resources folder. */
const RESOURCES: readonly RegExp[] = [
  /^app\.asar$/,
  /^app\.asar\.unpacked\/node_modules\/better-sqlite3\/.+$/,
  /^bin\/(ffmpeg(\.exe)?|FFMPEG-LICENSE\.txt|FFMPEG-SOURCE\.txt|SHA256SUMS)$/,
  /^licences\/(README\.txt|FONTS\.md)$/,
  // On macOS the icons and language folders are allowed as well.
  /^(electron|icon|wav|mp3|flac)\.icns$/,
]

const REQUIRED = [
  'package.json',
  'dist/main/main.js',
  'dist/main/worker.js',
  'dist/main/render-thread.js',
  'dist/main/preload.cjs',
  'dist/main/migrations/0001-core.sql',
  'dist/renderer/index.html',
  'dist/main/third-party-licences.txt',
  'dist/renderer/third-party-licences.txt',
  'resources/icons/tray.png',
]

const bytesOf = (folder: string, pattern: string) =>
  globSync(pattern, { cwd: folder })
    .map((name) => statSync(path.join(folder, name)))
    .filter((facts) => facts.isFile())
    .reduce((sum, facts) => sum + facts.size, 0)
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** Packs one target and returns a sentence for each missing or unexpected file. */
function checkTarget(target: Target): string[] {
  const folder = packDirectory(target, true)
  const system = systemOf(target)
  const resources =
    system === 'mac' ? path.join(folder, 'Loudsmith.app', 'Contents', 'Resources') : path.join(folder, 'resources')
  const { listPackage } = createRequire(createRequire(import.meta.url).resolve('electron-builder/package.json'))(
    '@electron/asar',
  ) as {
    listPackage(archive: string, options: { isPack: boolean }): string[]
  }
  const archive = path.join(resources, 'app.asar')
  const listed = listPackage(archive, { isPack: false }).map((name) =>
    name.split(path.sep).join('/').replace(/^\//, ''),
  )
  const folders = new Set(listed.flatMap((name) => name.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))))
  const files = listed.filter((name) => !folders.has(name) && !/(^|\/)$/.test(name))
  const outside = globSync('**', { cwd: resources })
    .filter((name) => statSync(path.join(resources, name)).isFile())
    .map((name) => name.split(path.sep).join('/'))
  const rules = archiveRules(target)
  const found = [
    ...files.filter((name) => !rules.some((rule) => rule.test(name))).map((name) => `${target}: ${name} must not ship`),
    ...outside
      .filter((name) => !RESOURCES.some((rule) => rule.test(name)))
      .map((name) => `${target}: resources/${name} must not ship`),
    ...REQUIRED.filter((name) => !files.includes(name)).map((name) => `${target}: ${name} is missing`),
    ...['bin/FFMPEG-LICENSE.txt', 'licences/README.txt', `bin/${path.basename(stagedBinary(target))}`]
      .filter((name) => !outside.includes(name))
      .map((name) => `${target}: resources/${name} is missing`),
    ...productionPackages()
      .filter((name) => !files.some((file) => file.includes(`node_modules/${name}/`)))
      .map((name) => `${target}: ${name} is needed at run time and is missing`),
  ]
  // With a lower version the application could be started where Electron cannot run, and would end silently.
  if (system === 'mac' && !readFileSync(path.join(resources, '..', 'Info.plist'), 'utf8').includes(OLDEST_MACOS))
    found.push(`${target}: Info.plist names another oldest macOS than Electron`)
  const binaries = outside.filter((name) => name.endsWith('.node'))
  if (binaries.length !== 1)
    found.push(`${target}: one native module must lie unpacked, found ${binaries.join(', ') || 'none'}`)
  const sizes = {
    archive: statSync(archive).size,
    unpacked: bytesOf(resources, 'app.asar.unpacked/**'),
    ffmpeg: bytesOf(resources, 'bin/**'),
  }
  console.log(
    `${target}: ${files.length} files; app.asar ${megabytes(sizes.archive)}, unpacked ${megabytes(sizes.unpacked)}, ffmpeg ${megabytes(sizes.ffmpeg)}; Electron itself comes on top`,
  )
  return found
}

if (import.meta.main) {
  if (!existsSync(path.join(root, 'dist', 'main', 'main.js'))) throw new Error('run `npm run build` first')
  console.log('Fuses, signatures and installers need the real Electron: skipped, the binary is a stand-in.')
  const found = CHECKED.flatMap(checkTarget)
  for (const line of found.slice(0, 60)) console.error(line)
  console.log(
    found.length === 0 ? 'The packed trees hold what they must and nothing else.' : `${found.length} differences.`,
  )
  process.exit(found.length === 0 ? 0 : 1)
}
