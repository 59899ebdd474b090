/** What all commands share that talk to the service: the data directory, `--json`, and how a failure is shown. */
import type { Command } from 'commander'
import { ApiError } from '../src-contract/client.ts'
import type { ErrorEnvelope } from '../src-contract/errors.ts'
import { startFailureText } from '../src-contract/text/start-failure.ts'
import { DataDirectoryError } from '../src-server/db/fault.ts'
import { withService } from './connect.ts'
import { absolutePath } from './data-dir.ts'
import type { ServiceClient } from './service-client.ts'
import { type Words, wordsFor } from './words.ts'

export interface ClientOptions {
  readonly dataDir: string
  readonly adoptDir?: boolean
  readonly json?: boolean
}

/** Adds the options of every client command. */
export function withClientOptions(command: Command, dataDir: string, words: Words): Command {
  return command
    .option('--data-dir <dir>', words.dataDirOption, absolutePath(words), dataDir)
    .option('--adopt-dir', words.adoptDirOption)
    .option('--json', words.jsonOption)
}

/**
 * Runs `work` against the service of the data directory and prints its outcome: JSON with `--json`, else `show`'s text.
 * A failure is printed to standard error, or as the error envelope with `--json`, and makes the process exit with 1.
 */
export async function runClientCommand<Outcome extends object>(
  options: ClientOptions,
  words: Words,
  work: (client: ServiceClient) => Promise<Outcome>,
  show: (outcome: Outcome) => string,
): Promise<void> {
  try {
    const outcome = await withService(options, wordsFor(words, options), work)
    process.stdout.write(`${options.json ? JSON.stringify(outcome) : show(outcome)}\n`)
  } catch (error) {
    printFailure(error, words, options.json === true)
    process.exitCode = 1
  }
}

/** Prints why a command failed: one sentence for a person, the envelope for a script. */
export function printFailure(error: unknown, words: Words, asJson: boolean): void {
  if (!asJson) {
    process.stderr.write(`${failureText(error, words)}\n`)
    return
  }
  const message = failureText(error, wordsFor(words, { json: true }))
  const envelope = error instanceof ApiError && error.envelope ? error.envelope : envelopeOf(error, message)
  process.stdout.write(`${JSON.stringify(envelope)}\n`)
}

/** A folder that cannot be used is the caller's to change; whatever else keeps the service away may pass. */
function envelopeOf(error: unknown, message: string): ErrorEnvelope {
  return error instanceof DataDirectoryError
    ? { error: { code: 'INVALID_REQUEST', message, param: 'data_dir' } }
    : { error: { code: 'UNAVAILABLE', message } }
}

/** What keeps the service from starting; everything else has its sentence in the right language already, or is the system's own. */
const START_FAILURES = ['DataDirectoryError', 'DatabaseError', 'DirectoryOwnedError', 'PortTakenError', 'SettingError']

/** Returns why a command failed. */
export function failureText(error: unknown, { language }: Words): string {
  if (!(error instanceof Error)) return String(error)
  return START_FAILURES.includes(error.name) ? startFailureText(error, language) : error.message
}
