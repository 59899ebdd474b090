/**
 * `npm run imports`: checks the allowed imports. Every source file belongs to one room; a room imports itself and the rooms of its row, and
 * nothing else. A file outside all rooms is an error, which makes a new folder a decision; so is a cycle between files.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

interface Room {
  /** Folders (ending in /) and files that belong to the room. */
  readonly places: readonly string[]
  /** Rooms that it may import. */
  readonly imports: readonly string[]
  /** Rooms that it may import types from, but no values. */
  readonly types?: readonly string[]
}

const foundation = ['contract', 'system', 'config']
const topics = ['access', 'credits', 'uploads', 'artifacts', 'notify']
const base = [...foundation, 'db', 'http', 'media']

/** Rooms in lookup order: a file belongs to the first with a matching place. */
const ROOMS: Readonly<Record<string, Room>> = {
  // The grammar of words about the sound: pure, for any code that turns them into settings.
  words: { places: ['src-contract/words/'], imports: ['contract'] },
  contract: { places: ['src-contract/'], imports: [], types: ['words'] },
  dsp: { places: ['src-engine/dsp/'], imports: [], types: ['contract'] },
  engine: { places: ['src-engine/'], imports: ['dsp'], types: ['contract'] },
  system: { places: ['src-system/'], imports: [] },
  config: { places: ['src-server/config.ts'], imports: ['contract', 'system'] },
  media: { places: ['src-worker/media/'], imports: ['contract', 'system', 'dsp'] },
  result: { places: ['src-worker/result/'], imports: ['contract'] },
  // Only the engine process runs the engine.
  worker: { places: ['src-worker/mastering/worker.ts'], imports: ['system', 'mastering', 'audition', 'stems'] },
  audition: {
    places: ['src-worker/audition/'],
    imports: ['contract', 'media', 'dsp', 'engine', 'mastering', 'result'],
  },
  mastering: {
    places: ['src-worker/mastering/'],
    imports: ['contract', 'system', 'media', 'result', 'dsp', 'engine'],
  },
  stems: { places: ['src-worker/stems/'], imports: ['contract', 'media', 'dsp', 'engine', 'mastering'] },
  db: { places: ['src-server/db/'], imports: foundation },
  http: { places: ['src-server/http/'], imports: foundation, types: ['access'] },
  access: { places: ['src-server/access/'], imports: base },
  credits: { places: ['src-server/credits/'], imports: base },
  uploads: { places: ['src-server/uploads/'], imports: base },
  artifacts: { places: ['src-server/artifacts/'], imports: [...base, 'result'], types: ['access'] },
  notify: { places: ['src-server/notify/'], imports: base, types: ['access'] },
  docs: { places: ['src-server/docs/'], imports: foundation.concat('http') },
  jobs: { places: ['src-server/jobs/'], imports: [...base, ...topics, 'result', 'words'], types: ['mastering'] },
  settings: { places: ['src-server/settings/'], imports: [...base, 'uploads'], types: ['access'] },
  sources: {
    places: ['src-server/sources/'],
    imports: [...base, 'uploads', 'result'],
    types: ['watch', 'mastering'],
  },
  // The page's batch and the folders that fill it know each other.
  watch: {
    places: ['src-server/watch/'],
    imports: [...base, 'uploads', 'sources', 'settings'],
    types: ['batch'],
  },
  batch: {
    places: ['src-server/batch/'],
    imports: [...base, ...topics, 'sources', 'watch', 'result'],
    types: ['jobs', 'mastering', 'settings'],
  },
  bulk: {
    places: ['src-server/bulk/'],
    imports: [...base, ...topics, 'jobs', 'sources', 'batch', 'result'],
    types: ['mastering'],
  },
  // Loaded only if several machines master together.
  farm: {
    places: ['src-server/farm/'],
    imports: [...base, 'jobs', 'engine', 'result'],
    types: ['mastering'],
  },
  auditions: {
    places: ['src-server/auditions/'],
    imports: [...base, 'artifacts', 'jobs'],
    types: ['mastering'],
  },
  releases: {
    places: ['src-server/releases/'],
    // Planning a record is pure arithmetic of the engine; rendering happens in engine processes.
    imports: [...base, 'uploads', 'artifacts', 'jobs', 'result', 'dsp', 'engine'],
    types: ['mastering', 'credits', 'notify'],
  },
  // Cuts and levels passages of masters, which is plain arithmetic of the engine.
  listening: { places: ['src-server/listening/'], imports: [...base, 'result', 'dsp', 'engine'], types: ['jobs'] },
  mcp: { places: ['src-server/mcp/'], imports: [...foundation, 'http'], types: ['access'] },
  app: { places: ['src-server/app.ts'], imports: [...base, ...topics, 'jobs', 'batch', 'docs'] },
  server: {
    places: ['src-server/server.ts', 'src-server/machine.ts', 'src-server/server/'],
    imports: [
      ...base,
      ...topics,
      'jobs',
      'sources',
      'settings',
      'watch',
      'batch',
      'bulk',
      'auditions',
      'releases',
      'listening',
      'mcp',
      'docs',
      'app',
      'engine',
      'farm',
    ],
  },
  cli: {
    places: ['src-cli/'],
    imports: ['server', 'contract', 'db', 'system'],
  },
  // A package of its own, bundled with its imports.
  client: { places: ['packages/client/src/'], imports: ['contract'] },
  renderer: { places: ['src-renderer/'], imports: ['contract', 'dsp'], types: ['main'] },
  main: { places: ['src-main/'], imports: ['server', 'contract', 'system'] },
}

export interface Import {
  readonly from: string
  readonly to: string
  readonly isType: boolean
}

/** Returns the name of the room that holds a file (path relative to the project, with slashes), if any. */
function roomOf(file: string): string | undefined {
  return Object.keys(ROOMS).find((name) => ROOMS[name]?.places.some((place) => file.startsWith(place)))
}

/** Returns the relative imports of a source text; packages belong to no room. */
export function importsOf(file: string, text: string): Import[] {
  const found: Import[] = []
  const statement =
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'"`;]*?from\s*['"](\.[^'"]+)['"]|(?:^|\n)\s*import\s*['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/g
  for (const match of text.matchAll(statement)) {
    const target = match[2] ?? match[3] ?? match[4] ?? ''
    found.push({
      from: file,
      to: path.posix.join(path.posix.dirname(file), target.split('?')[0] ?? ''),
      isType: match[1] !== undefined,
    })
  }
  return found
}

/** Returns one sentence for each import that the table does not allow. */
export function violations(files: readonly { readonly file: string; readonly text: string }[]): string[] {
  const found: string[] = []
  for (const { file, text } of files) {
    const room = roomOf(file)
    if (!room) {
      found.push(`${file} belongs to no room: give it a place in scripts/import-table.ts`)
      continue
    }
    for (const { to, isType } of importsOf(file, text)) {
      const target = roomOf(to)
      if (target === room) continue
      const allowed = ROOMS[room]
      if (target && (allowed?.imports.includes(target) || (isType && allowed?.types?.includes(target)))) continue
      found.push(
        `${file} (${room}) may not import ${to} (${target ?? 'no room'})${isType ? '' : ', at least not more than its types'}`,
      )
    }
  }
  return found
}

/** Returns every cycle between files, as the chain of its files; one for each group of files that reach each other. */
export function cycles(files: readonly { readonly file: string; readonly text: string }[]): string[] {
  const names = new Set(files.map(({ file }) => file))
  const targets = new Map(
    files.map(({ file, text }) => [
      file,
      importsOf(file, text)
        .map(({ to }) => to)
        .filter((to) => names.has(to)),
    ]),
  )
  const found: string[] = []
  const finished = new Set<string>()
  const visit = (file: string, chain: readonly string[]): void => {
    const start = chain.indexOf(file)
    if (start >= 0) found.push([...chain.slice(start), file].join(' → '))
    if (start >= 0 || finished.has(file)) return
    for (const target of targets.get(file) ?? []) visit(target, [...chain, file])
    finished.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return found
}

if (import.meta.main) {
  const root = path.join(import.meta.dirname, '..')
  const files = globSync('{src-*,packages/*/src}/**/*.{ts,tsx}', { cwd: root })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => !file.startsWith('src-engine/dsp/kernels/assembly/') && !file.endsWith('.d.ts'))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))
  const notAllowed = violations(files)
  const circles = cycles(files)
  for (const line of notAllowed) console.error(line)
  for (const chain of circles) console.error(`Cycle: ${chain}`)
  console.log(`Import table: ${files.length} files read, ${notAllowed.length} not allowed, ${circles.length} cycles.`)
  process.exit(notAllowed.length + circles.length > 0 || files.length === 0 ? 1 : 0)
}
