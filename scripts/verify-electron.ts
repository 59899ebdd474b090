/**
 * `npm run verify:electron`: runs the desktop specs on the real Electron binary and reports which Electron that was. A missing binary is
 * fetched by Electron's own installer; if that fails, nothing is verified and the exit code says so.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const folder = path.join(root, 'node_modules', 'electron')

/** Returns the path of the installed binary; undefined if it is missing. */
function installedBinary(): string | undefined {
  const named = path.join(folder, 'path.txt')
  if (!existsSync(named)) return undefined
  const binary = path.join(folder, 'dist', readFileSync(named, 'utf8'))
  return existsSync(binary) ? binary : undefined
}

if (!installedBinary()) {
  console.log("Electron's binary is not installed; fetching it.")
  spawnSync(process.execPath, [path.join(folder, 'install.js')], { stdio: 'inherit', timeout: 600_000 })
}
const binary = installedBinary()
if (!binary) {
  console.error(
    "Nothing was verified: Electron's binary could not be fetched. Run this where github.com can be reached.",
  )
  process.exit(1)
}

const { version } = createRequire(import.meta.url)('electron/package.json') as { version: string }
console.log(`Desktop specs on Electron ${version} (${path.relative(root, binary)})`)
const build = spawnSync(process.execPath, [path.join(root, 'scripts', 'build.ts')], { stdio: 'inherit', cwd: root })
if (build.status !== 0) process.exit(1)
const cli = path.join(root, 'node_modules', 'playwright', 'cli.js')
const words = [cli, 'test', '--project=desktop', '--reporter=list', ...process.argv.slice(2)]
// Without a display, Linux needs a virtual one.
const needsDisplay = process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY
const [command = '', ...rest] = needsDisplay
  ? ['xvfb-run', '-a', process.execPath, ...words]
  : [process.execPath, ...words]
const env: NodeJS.ProcessEnv = { ...process.env, E2E_ELECTRON: 'real' }
delete env.ELECTRON_OVERRIDE_DIST_PATH
const run = spawnSync(command, rest, { stdio: 'inherit', cwd: root, env })
process.exit(run.status ?? 1)
