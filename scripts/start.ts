/** `npm start`: the desktop application, or the same server and page for the browser if no window is possible. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { buildEverything } from './build.ts'
import { chooseHost } from './start-choice.ts'

const root = path.join(import.meta.dirname, '..')
const host = chooseHost(process.platform, process.env, () => createRequire(import.meta.url)('electron') as string)
const userArguments = process.argv.slice(2)

await buildEverything()

let command: string
let commandArguments: string[]
if (host.kind === 'desktop') {
  command = host.electronPath
  // Chromium refuses to start its sandbox for root.
  commandArguments = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), root, ...userArguments]
} else {
  process.stderr.write(`${host.reason}\n`)
  command = process.execPath
  commandArguments = [path.join(root, 'src-cli', 'cli.ts'), 'serve', ...userArguments]
}

const child = spawn(command, commandArguments, { stdio: 'inherit', cwd: root })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 0)))
