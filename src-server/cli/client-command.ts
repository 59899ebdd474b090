/** What all commands share that talk to the service: the data directory, `--json`, and how a failure is shown. */
import type { Command } from 'commander'
import type { ErrorEnvelope } from '../contract/errors.ts'
import { withService } from './connect.ts'
import { absolutePath } from './data-dir.ts'
import type { ServiceClient } from './service-client.ts'
import { ServiceError } from './service-error.ts'

export interface ClientOptions {
  readonly dataDir: string
  readonly json?: boolean
}

/** Adds the options of every client command. */
export function withClientOptions(command: Command, dataDir: string): Command {
  return command
    .option('--data-dir <dir>', 'where songs, results and the database live', absolutePath, dataDir)
    .option('--json', 'answer in JSON, for scripts')
}

/**
 * Runs `work` against the service of the data directory and prints its outcome: JSON with `--json`, else `show`'s text.
 * A failure is printed to standard error, or as the error envelope with `--json`, and makes the process exit with 1.
 */
export async function runClientCommand<Outcome extends object>(
  options: ClientOptions,
  work: (client: ServiceClient) => Promise<Outcome>,
  show: (outcome: Outcome) => string,
): Promise<void> {
  try {
    const outcome = await withService(options.dataDir, work)
    process.stdout.write(`${options.json ? JSON.stringify(outcome) : show(outcome)}\n`)
  } catch (error) {
    printFailure(error, options.json === true)
    process.exitCode = 1
  }
}

/** Prints why a command failed: one sentence for a person, the envelope for a script. */
export function printFailure(error: unknown, asJson: boolean): void {
  const message = error instanceof Error ? error.message : String(error)
  if (!asJson) {
    process.stderr.write(`${message}\n`)
    return
  }
  const envelope: ErrorEnvelope =
    error instanceof ServiceError ? error.envelope : { error: { code: 'UNAVAILABLE', message } }
  process.stdout.write(`${JSON.stringify(envelope)}\n`)
}
