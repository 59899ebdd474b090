/** Last step of `npm run packages`: packs the standalone packages into release/ with npm. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const options = { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' } as const
for (const folder of ['packages/client', 'release/packages/cli'])
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', 'release', `./${folder}`], options)
