/** Common part of all commands that call the service: the data directory, `--json`, and the output of failures. */
import type { Command } from 'commander'
import { ApiError } from '../src-contract/client.ts'
import type { ErrorEnvelope } from '../src-contract/errors.ts'
import { startFailureText } from '../src-contract/text/start-failure.ts'
import { DataDirectoryError } from '../src-server/db/fault.ts'
import { withService } from './connect.ts'
import { absolutePath } from './data-dir.ts'
import { FAILED } from './exit-codes.ts'
import type { Messages } from './messages.ts'
import { inPlainWords } from './plain-words.ts'
import type { ServiceClient } from './service-client.ts'
import { createProgressLine } from './text-output.ts'

export interface ClientOptions {
  readonly dataDir: string
  readonly adoptDir?: boolean
  readonly json?: boolean
  /** True if the service must already be running. */
  readonly needsRunning?: boolean
}

/** Adds the options of every client command. */
export function withClientOptions(command: Command, dataDir: string, messages: Messages): Command {
  return command
    .option('--data-dir <dir>', messages.dataDirOption, absolutePath(messages), dataDir)
    .option('--adopt-dir', messages.adoptDirOption)
    .option('--json', messages.jsonOption)
}

/**
 * Adds a command with the options of every client command. `work` gets the client, then the command's arguments and options, and is run as
 * by `runClientCommand`; a command without it sets its own action.
 */
export type AddCommand = <Given extends unknown[], Outcome extends object>(
  usage: string,
  description: string,
  work?: (client: ServiceClient, ...given: Given) => Promise<Outcome>,
  show?: (outcome: Outcome) => string,
) => Command

/** Returns the function that adds client commands to a program or group. */
export function clientCommands(parent: Command, dataDir: string, messages: Messages): AddCommand {
  return <Given extends unknown[], Outcome extends object>(
    usage: string,
    description: string,
    work?: (client: ServiceClient, ...given: Given) => Promise<Outcome>,
    show?: (outcome: Outcome) => string,
  ) => {
    const command = withClientOptions(parent.command(usage), dataDir, messages).description(description)
    if (!work || !show) return command
    return command.action((...passed: unknown[]) => {
      // Commander passes the arguments, the options and the command.
      const given = passed.slice(0, -1) as Given
      return runClientCommand(given.at(-1) as ClientOptions, messages, (client) => work(client, ...given), show)
    })
  }
}

/** Adds a group of commands and returns the function that adds its members. */
export function commandGroup(
  program: Command,
  { name, about, dataDir, messages }: { name: string; about: string; dataDir: string; messages: Messages },
): AddCommand {
  const group = program.command(name).description(about).helpCommand('help [command]', messages.commander.help)
  return clientCommands(group, dataDir, messages)
}

/**
 * Runs `work` against the service of the data directory and prints its outcome: JSON with `--json`, else `show`'s text.
 * A failure is printed to standard error, or as the error envelope with `--json`, and makes the process exit with 1.
 */
export async function runClientCommand<Outcome extends object>(
  options: ClientOptions,
  messages: Messages,
  work: (client: ServiceClient) => Promise<Outcome>,
  show: (outcome: Outcome) => string,
): Promise<void> {
  try {
    const outcome = await withService(options, messages, work)
    process.stdout.write(`${options.json ? JSON.stringify(outcome) : show(outcome)}\n`)
  } catch (error) {
    printFailure(error, messages, options.json === true)
    process.exitCode = FAILED
  }
}

export interface LongRun {
  /** Fires at SIGINT and SIGTERM. */
  readonly signal: AbortSignal
  readonly showProgress: (percent: number, word: string) => void
}

/**
 * Runs `work` with a progress line on standard error until it ends or a signal stops it, and prints its outcome: JSON with `--json`, else
 * `show`'s text. `exitCodeOf` sets the exit code of an outcome; a failure is printed as by `runClientCommand` and sets 1.
 */
export async function runLongCommand<Outcome extends object>(
  options: ClientOptions,
  messages: Messages,
  work: (run: LongRun) => Promise<Outcome>,
  {
    show,
    exitCodeOf,
  }: { show: (outcome: Outcome) => string; exitCodeOf: (outcome: Outcome, isStopped: boolean) => number },
): Promise<void> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  // npm forwards a signal that the terminal has already sent: the second must not prevent the cancellation.
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  const line = createProgressLine(process.stderr)
  try {
    const outcome = await work({ signal: stop.signal, showProgress: line.show })
    line.end()
    process.stdout.write(`${options.json ? JSON.stringify(outcome) : show(outcome)}\n`)
    process.exitCode = exitCodeOf(outcome, stop.signal.aborted)
  } catch (error) {
    line.end()
    printFailure(error, messages, options.json === true)
    process.exitCode = FAILED
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}

/** Context of a command that prints line by line. */
export interface Stream {
  readonly client: ServiceClient
  /** Fires at SIGINT and SIGTERM, which end such a command successfully, and when its reader is gone. */
  readonly signal: AbortSignal
  /** Prints one item immediately: JSON with `--json`, else the text. */
  readonly print: (thing: object, text: string) => void
}

/** Runs `work`, which prints continuously, against the service of the data directory. Failures are handled as by `runClientCommand`. */
export async function streamCommand(
  options: ClientOptions,
  messages: Messages,
  work: (stream: Stream) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const onEnd = () => stop.abort()
  process.on('SIGINT', onEnd).on('SIGTERM', onEnd)
  process.stdout.on('error', onEnd)
  const print = (thing: object, text: string) =>
    void process.stdout.write(`${options.json ? JSON.stringify(thing) : text}\n`)
  try {
    await withService(options, messages, (client) => work({ client, signal: stop.signal, print }))
  } catch (error) {
    if (stop.signal.aborted) return
    printFailure(error, messages, options.json === true)
    process.exitCode = FAILED
  } finally {
    process.off('SIGINT', onEnd).off('SIGTERM', onEnd)
    process.stdout.off('error', onEnd)
  }
}

/** Prints the reason of a failed command: one sentence for a person, the envelope for a script. */
export function printFailure(error: unknown, messages: Messages, asJson: boolean): void {
  const refusal = error instanceof ApiError ? error.envelope : undefined
  const sentence = failureText(error, messages)
  if (asJson) process.stdout.write(`${JSON.stringify(refusal ?? envelopeOf(error, sentence))}\n`)
  else process.stderr.write(`${refusal ? inPlainWords(refusal) : sentence}\n`)
}

/** Returns the envelope of a local failure: permanent for an unusable folder, otherwise possibly transient. */
function envelopeOf(error: unknown, message: string): ErrorEnvelope {
  return error instanceof DataDirectoryError
    ? { error: { code: 'INVALID_REQUEST', message, param: 'data_dir' } }
    : { error: { code: 'UNAVAILABLE', message } }
}

/** Errors that keep the service from starting; any other already has its sentence in the right language, or is the system's. */
const START_FAILURES = [
  'DataDirectoryError',
  'DatabaseError',
  'DirectoryOwnedError',
  'PortTakenError',
  'SettingError',
  'FarmError',
]

/** Returns the reason of a failed command as a sentence. */
export function failureText(error: unknown, { language }: Messages): string {
  if (!(error instanceof Error)) return String(error)
  return START_FAILURES.includes(error.name) ? startFailureText(error, language) : error.message
}
