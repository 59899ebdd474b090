/** Input files of a command: rereadable from the beginning, or refused with their kind. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, createWriteStream } from 'node:fs'
import { access, lstat, mkdtemp, readlink, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MAX_SOURCE_BYTES } from '../src-contract/limits.ts'
import type { Messages } from './messages.ts'
import { unusable } from './unusable-input.ts'

/** Name that stands for standard input. */
export const STANDARD_INPUT = '-'

/** A file that can be read. */
export interface Input {
  readonly path: string
  /** File name sent to the service. */
  readonly name: string
}

/** A file named by the user; `name` is used if it has no name of its own. */
export interface NamedFile {
  readonly path: string
  readonly name?: string | undefined
}

interface InputContext {
  readonly messages: Messages
  readonly signal: AbortSignal
  /** Paths of further files that are read where they are. */
  readonly others?: readonly string[]
}

/**
 * Runs `work` with readable files, in the order of `named`, and returns its outcome. Standard input and named pipes are first copied into a
 * private temporary folder, removed afterwards. Throws a sentence for anything but a file, and the reason of `signal`.
 */
export async function withInputs<Outcome>(
  named: readonly NamedFile[],
  context: InputContext,
  work: (inputs: readonly Input[]) => Promise<Outcome>,
): Promise<Outcome> {
  const { messages, others = [] } = context
  if (named.filter(({ path: file }) => file === STANDARD_INPUT).length > 1) throw unusable(messages.master.twiceInput)
  // Every refusal comes before anything is read.
  const kinds = await Promise.all(named.map((file) => kindOf(file.path, messages)))
  for (const file of others) await kindOf(file, messages)
  const isStreamed = kinds.includes('stream')
  const folder = isStreamed ? await mkdtemp(path.join(tmpdir(), 'loudsmith-input-')) : undefined
  try {
    const inputs: Input[] = []
    for (const [index, file] of named.entries()) {
      inputs.push(
        folder !== undefined && kinds[index] === 'stream'
          ? await copied(file, path.join(folder, String(index)), context)
          : { path: file.path, name: path.basename(file.path) },
      )
    }
    return await work(inputs)
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}

async function kindOf(file: string, { master: say }: Messages): Promise<'file' | 'stream'> {
  if (file === STANDARD_INPUT) {
    if (process.stdin.isTTY) throw unusable(say.keyboard)
    return 'stream'
  }
  const found = await stat(file).catch(async (cause: NodeJS.ErrnoException) => {
    throw unusable(await reasonOf(file, cause, say))
  })
  if (found.isDirectory()) throw unusable(say.folder(file))
  if (found.isSocket()) throw unusable(say.socket(file))
  if (found.isBlockDevice() || found.isCharacterDevice()) throw unusable(say.device(file))
  await access(file, constants.R_OK).catch((cause: NodeJS.ErrnoException) => {
    throw unusable(cause.code === 'EACCES' ? say.noRight(file) : say.unreadable(file, cause.message))
  })
  return found.isFIFO() ? 'stream' : 'file'
}

async function reasonOf(
  file: string,
  { code, message }: NodeJS.ErrnoException,
  say: Messages['master'],
): Promise<string> {
  if (code === 'EACCES') return say.noRight(file)
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return say.unreadable(file, message)
  const isLink = await lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
  return isLink ? say.danglingLink(file, await readlink(file)) : say.noFile(file)
}

async function copied({ path: file, name }: NamedFile, to: string, { messages, signal }: InputContext): Promise<Input> {
  const isStandard = file === STANDARD_INPUT
  const called = name ?? (isStandard ? 'stdin' : path.basename(file))
  const say = messages.master
  const pipe = isStandard ? undefined : openPipe(file, say)
  let sizeBytes = 0
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length
      const isTooLarge = sizeBytes > MAX_SOURCE_BYTES
      done(
        isTooLarge ? unusable(say.tooLarge(isStandard ? say.standardInput : file, MAX_SOURCE_BYTES / 2 ** 30)) : null,
        chunk,
      )
    },
  })
  try {
    await pipeline(pipe?.from ?? process.stdin, limited, createWriteStream(to, { mode: 0o600, flags: 'wx' }), {
      signal,
    })
    await pipe?.end
  } finally {
    pipe?.stop()
  }
  return { path: to, name: called }
}

/**
 * Opens a named pipe through `cat`. Node opens and reads pipes in its thread pool without cancellation: both block, and keep the process
 * alive, until the writer opens, writes or closes. `end` rejects if the pipe was not read to its end.
 */
function openPipe(file: string, say: Messages['master']) {
  const reader = spawn('cat', [file], { stdio: ['ignore', 'pipe', 'ignore'] })
  const end = once(reader, 'close').then(([code]) => {
    if (code !== 0) throw unusable(say.unreadable(file, `cat: ${code}`))
  })
  // Awaited only if the copy succeeds.
  end.catch(() => {})
  return { from: reader.stdout, end, stop: () => void reader.kill() }
}
