/** Packages as they are handed on: packed by npm and installed from the tarball, without a network. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** npm is a script of its own Node, which is found on the PATH beside it. */
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

/** Packs the folder of a package into `folder` and returns the tarball. Throws with what npm says. */
export function pack(source: string, folder: string): string {
  const packed = execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, source], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const answer = JSON.parse(packed) as [{ filename: string }]
  return path.join(folder, path.basename(answer[0].filename))
}

/** Installs a tarball that needs nothing else into a new folder. */
export function installAlone(tarball: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n')
  execFileSync(npm, ['install', '--offline', '--no-audit', '--no-fund', tarball], {
    cwd: folder,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Returns a Node of the major version on the PATH, outside of this project's packages. */
export function nodeOf(major: number): string | undefined {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((place) => !place.includes('node_modules'))
    .map((place) => path.join(place, process.platform === 'win32' ? 'node.exe' : 'node'))
    .filter((file) => existsSync(file))
    .find((file) => execFileSync(file, ['--version'], { encoding: 'utf8' }).startsWith(`v${major}.`))
}

/** Returns the code between the first fence of a language in a page that holds `mark`. */
export function fenced(page: string, language: string, mark = ''): string {
  const blocks = [...readFileSync(page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))]
  const found = blocks.map(([, code = '']) => code).find((code) => code.includes(mark))
  if (found === undefined) throw new Error(`${page} has no ${language} with ${mark}`)
  return found
}

/** Paths of all files below a folder, with slashes. */
export const filesBelow = (folder: string): string[] =>
  globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort()
