/**
 * `node scripts/code-size.ts`: lines of source by room, and the functions and classes longer than the project's rules allow. Counts tracked
 * ts, tsx, js, mjs and cjs files outside tests/ and e2e/, except generated files, including blank lines and comments. Only prints figures;
 * never fails.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync, Visitor } from 'vite'

const MAX_FUNCTION_LINES = 60
const MAX_CLASS_LINES = 250

const root = path.join(import.meta.dirname, '..')
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:ts|tsx|js|mjs|cjs)$/.test(file) && !/^(?:tests|e2e)\/|\.generated\.|\.d\.ts$/.test(file))

interface Long {
  readonly place: string
  readonly lines: number
}

const rooms = new Map<string, { files: number; lines: number }>()
const functions: Long[] = []
const classes: Long[] = []

for (const file of files) {
  const text = readFileSync(path.join(root, file), 'utf8')
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1
  const room = roomOf(file)
  const sum = rooms.get(room) ?? { files: 0, lines: 0 }
  rooms.set(room, { files: sum.files + 1, lines: sum.lines + starts.length - 1 })

  const note = (list: Long[], limit: number) => (node: { start: number; end: number }) => {
    const first = lineAt(node.start)
    const lines = lineAt(node.end) - first + 1
    if (lines > limit) list.push({ place: `${file}:${first}`, lines })
  }
  const ofFunction = note(functions, MAX_FUNCTION_LINES)
  const ofClass = note(classes, MAX_CLASS_LINES)
  new Visitor({
    FunctionDeclaration: ofFunction,
    FunctionExpression: ofFunction,
    ArrowFunctionExpression: ofFunction,
    ClassDeclaration: ofClass,
    ClassExpression: ofClass,
  }).visit(parseSync(file, text).program)
}

function roomOf(file: string): string {
  const [first = '', second = '', ...rest] = file.split('/')
  return first.startsWith('src-') && rest.length > 0 ? `${first}/${second}` : first
}

const all = [...rooms].sort(([, one], [, other]) => other.lines - one.lines)
for (const [room, { files: count, lines }] of all) console.log(`${String(lines).padStart(7)}  ${room} (${count} files)`)
const total = all.reduce((sum, [, { lines }]) => sum + lines, 0)
console.log(`${String(total).padStart(7)}  together (${files.length} files)`)

for (const [title, list] of [
  [`functions over ${MAX_FUNCTION_LINES} lines`, functions],
  [`classes over ${MAX_CLASS_LINES} lines`, classes],
] as const) {
  console.log(`\n${list.length} ${title}`)
  for (const { place, lines } of list.sort((one, other) => other.lines - one.lines))
    console.log(`${String(lines).padStart(7)}  ${place}`)
}

const css = execFileSync('git', ['ls-files', '*.css'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
const sheets = css.filter((file) => file.startsWith('src-'))
const cssLines = sheets.reduce(
  (sum, file) => sum + readFileSync(path.join(root, file), 'utf8').split('\n').length - 1,
  0,
)
console.log(`\n${cssLines} lines of CSS in ${sheets.length} files`)
