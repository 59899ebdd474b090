/** Last step of `npm run packages`: the packages that are handed on alone, packed by npm into release/. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const options = { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' } as const
for (const folder of ['packages/client', 'release/packages/cli'])
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', 'release', `./${folder}`], options)
