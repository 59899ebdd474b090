/** Commands of the command line against the data directory of a running service. */
import { type ChildProcess, execFile, fork } from 'node:child_process'
import path from 'node:path'
import { CLI } from './built.ts'

export interface Ended {
  readonly code: number
  readonly out: string
  readonly problem: string
}

/** A command and what it is started with. */
export interface Started {
  readonly words: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

/** Process in which commands run in turn: to load the command line anew for each would cost more than what they do. */
let host: ChildProcess | undefined
let isBusy = false

/** Runs a command of the terminal as a process of its own would, in the environment of this one. */
export const runCommand = (...words: string[]) => run({ words, environment: { ...process.env } })

/** Runs a command in the host, or in a process of its own while another one runs there: that may be what it waits for. */
async function run(given: Started): Promise<Ended> {
  if (isBusy) return runAlone(given)
  isBusy = true
  try {
    return await runInTurn(given)
  } finally {
    isBusy = false
  }
}

function runInTurn(given: Started): Promise<Ended> {
  if (!host?.connected) {
    host = fork(path.join(import.meta.dirname, 'command-host.ts'), {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    // It ends with this process, which does not wait for it.
    host.unref()
  }
  const { channel } = host
  channel?.ref()
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`the process of the commands ended during: ${given.words.join(' ')}`))
    host?.once('exit', onExit)
    host?.once('message', (ended: Ended) => {
      host?.off('exit', onExit)
      channel?.unref()
      resolve(ended)
    })
    host?.send(given)
  })
}

const runAlone = ({ words, environment: env }: Started) =>
  new Promise<Ended>((resolve) => {
    execFile(process.execPath, [CLI, ...words], { encoding: 'utf8', env }, (error, out, problem) =>
      resolve({ code: error ? Number(error.code) : 0, out, problem }),
    )
  })

/** Returns `call`, which runs a command in `folder` in a language of the terminal, and `json`, which resolves with its answer as JSON. */
export function commandsOf(folder: string, dataDir: () => string) {
  const call = (language: string, ...words: string[]) => {
    const environment = { ...process.env, LC_ALL: language, INIT_CWD: folder }
    return run({ words: [...words, '--data-dir', dataDir()], environment })
  }
  return { call, json: async (...words: string[]) => JSON.parse((await call('C', ...words, '--json')).out) }
}
