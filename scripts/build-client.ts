/**
 * `node scripts/build-client.ts`: the client package, as one file of JavaScript and its types, both without dependencies. From the
 * contract's table it keeps only the data for calls: method, path and whether there is a form.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build, type Plugin } from 'vite'
import type { Endpoint } from '../src-contract/endpoint.ts'
import { ENDPOINTS } from '../src-contract/endpoints.ts'
import { ERROR_CODES } from '../src-contract/errors.ts'
import { callableNames, contractTypes } from './client-types.ts'

const root = path.join(import.meta.dirname, '..')
const source = path.join(root, 'packages/client/src/index.ts')

/** Builds the package into `outDir`, which is emptied. */
export async function buildClient(outDir = path.join(root, 'packages/client/dist')): Promise<void> {
  rmSync(outDir, { recursive: true, force: true })
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    plugins: [withoutSchemas()],
    build: {
      lib: { entry: source, formats: ['es'], fileName: () => 'index.js' },
      outDir,
      target: 'es2022',
      minify: false,
      emptyOutDir: true,
    },
  })
  writeTypes(path.join(outDir, 'types'))
}

/** Replaces the contract's two schema modules by plain data. */
function withoutSchemas(): Plugin {
  const replaced: Readonly<Record<string, () => string>> = {
    'src-contract/endpoints.ts': () => `export const ENDPOINTS = ${JSON.stringify(callTable(), null, 2)}\n`,
    'src-contract/errors.ts': () => `export const ERROR_CODES = ${JSON.stringify(ERROR_CODES)}\n`,
  }
  return {
    name: 'without-schemas',
    enforce: 'pre',
    load(id) {
      return replaced[path.relative(root, id).split(path.sep).join('/')]?.()
    },
  }
}

function callTable() {
  const table = ENDPOINTS as Readonly<Record<string, Endpoint>>
  return Object.fromEntries(
    callableNames().map((name) => {
      const { method, path: address, form } = table[name] as Endpoint
      return [name, { method, path: address, ...(form ? { form: true } : {}) }]
    }),
  )
}

/** Writes the declarations of the sources, with the schema modules replaced by their types. */
function writeTypes(folder: string): void {
  const emitted = mkdtempSync(path.join(tmpdir(), 'loudsmith-types-'))
  const compiler = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rewriteRelativeImportExtensions']
  const settings = path.join(emitted, 'tsconfig.json')
  writeFileSync(
    settings,
    JSON.stringify({
      extends: path.join(root, 'tsconfig.json'),
      compilerOptions: {
        rootDir: root,
        outDir: emitted,
        types: ['node'],
        typeRoots: [path.join(root, 'node_modules/@types')],
      },
      include: [],
      files: [source],
    }),
  )
  execFileSync(process.execPath, [compiler, '--project', settings, ...options], { stdio: 'inherit' })
  mkdirSync(folder, { recursive: true })
  const { files, names } = contractTypes()
  const texts: Record<string, string> = { ...files }
  for (const file of globSync('{packages/client/src,src-contract}/*.d.ts', { cwd: emitted })) {
    const text = readFileSync(path.join(emitted, file), 'utf8')
    texts[path.basename(file)] ??= text
  }
  texts['index.d.ts'] += `export type { ${names.join(', ')} } from './endpoints.js'\n`
  for (const file of reached('index.d.ts', texts))
    writeFileSync(path.join(folder, file), withFlatImports(texts[file] ?? ''))
  rmSync(emitted, { recursive: true, force: true })
}

const IMPORT = /(from\s*|import\()(['"])(\.[^'"]+)\2/g
const fileOf = (specifier: string) => path.posix.basename(specifier).replace(/\.(?:ts|js)$/, '')

/** Returns `first` and all files reachable from it. Throws if one is missing. */
function reached(first: string, texts: Readonly<Record<string, string>>): Set<string> {
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (found.has(file)) return
    const text = texts[file]
    if (text === undefined) throw new Error(`the types of the client need ${file}, which is not there`)
    if (/['"]typebox['"]/.test(text)) throw new Error(`${file} needs typebox, which the client package does not have`)
    found.add(file)
    for (const [, , , specifier = ''] of text.matchAll(IMPORT)) visit(`${fileOf(specifier)}.d.ts`)
  }
  visit(first)
  return found
}

const withFlatImports = (text: string) =>
  text.replace(
    IMPORT,
    (_, before: string, quote: string, specifier: string) => `${before}${quote}./${fileOf(specifier)}.js${quote}`,
  )

if (import.meta.main) await buildClient()
