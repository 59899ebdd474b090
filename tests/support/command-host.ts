/**
 * A process in which commands of the terminal run one after the other, each as the command line is started for it: its modules are
 * loaded once. It ends with the process that forked it.
 */
import { pathToFileURL } from 'node:url'
import { CLI, CLI_MODULE } from './built.ts'
import type { Ended, Started } from './commands.ts'

const [node = ''] = process.argv
let started = 0

/** Collects what is written to a stream until `stop`, which puts the stream back and returns it. */
function collect(stream: NodeJS.WriteStream): () => string {
  const write = stream.write
  let text = ''
  stream.write = (piece: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8')
    const done = rest.at(-1)
    if (typeof done === 'function') setImmediate(() => done())
    return true
  }
  return () => {
    stream.write = write
    stream.removeAllListeners('error')
    return text
  }
}

async function run({ words, environment }: Started): Promise<Ended> {
  process.env = { ...environment }
  process.argv = [node, CLI, ...words]
  process.exitCode = 0
  const [out, problem] = [collect(process.stdout), collect(process.stderr)]
  let fault = ''
  try {
    // Another address is another module, which runs from its first line to its last.
    await import(`${pathToFileURL(CLI_MODULE)}?${++started}`)
  } catch (error) {
    fault = String((error as Error).stack)
  }
  const code = fault === '' ? Number(process.exitCode) : 1
  return { code, out: out(), problem: problem() + fault }
}

process.on('message', async (given: Started) => void process.send?.(await run(given)))
process.on('disconnect', () => process.exit())
