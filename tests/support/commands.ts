/** Commands of the command line against the data directory of a running service. */
import { execFile } from 'node:child_process'
import { CLI } from './built.ts'

interface Ended {
  readonly code: number
  readonly out: string
  readonly problem: string
}

/** Returns `call`, which runs a command in `folder` in a language of the terminal, and `json`, which resolves with its answer as JSON. */
export function commandsOf(folder: string, dataDir: () => string) {
  const call = (language: string, ...words: string[]) =>
    new Promise<Ended>((resolve) => {
      const environment = { ...process.env, LC_ALL: language, INIT_CWD: folder }
      const options = { encoding: 'utf8', env: environment } as const
      execFile(process.execPath, [CLI, ...words, '--data-dir', dataDir()], options, (error, out, problem) =>
        resolve({ code: error ? Number(error.code) : 0, out, problem }),
      )
    })
  return { call, json: async (...words: string[]) => JSON.parse((await call('C', ...words, '--json')).out) }
}
