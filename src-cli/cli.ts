/**
 * Entry point of the command line: `serve` hosts the service, every other command is a client of it. Only the modules that a command
 * needs are loaded, from Node's cache of compiled code, so that the service answers within a second.
 */
import '../src-system/compilers.ts'
import '../src-system/direct-loopback.ts'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { CommanderError, InvalidArgumentError } from 'commander'
import { DEFAULT_PORT } from '../src-contract/limits.ts'
import { wholeNumber } from '../src-contract/whole-number.ts'
import { registerAccountCommands } from './account-commands.ts'
import { registerAllowCommand } from './allow-command.ts'
import { registerBatchCommand } from './batch-command.ts'
import { absolutePath, defaultDataDir } from './data-dir.ts'
import { registerDoctorCommand } from './doctor-command.ts'
import { registerJobCommands } from './job-commands.ts'
import { registerKeyCommands } from './key-commands.ts'
import { registerMachinesCommand } from './machines-command.ts'
import { registerMasterCommand } from './master-command.ts'
import { registerMcpCommand } from './mcp-command.ts'
import { asksForJson, messagesFor, terminalMessages } from './messages.ts'
import { registerOpenCommand } from './open-command.ts'
import { createProgram } from './program.ts'
import { registerReleaseCommands } from './release-commands.ts'
import { type ServeOptions, serve } from './serve.ts'
import { registerSettingsCommands } from './settings-commands.ts'
import { registerWorkerCommand } from './worker-command.ts'

const asJson = asksForJson(process.argv.slice(2))
const terminal = terminalMessages(process.env, Intl.DateTimeFormat().resolvedOptions().locale)
const messages = messagesFor(terminal, { json: asJson })

function port(text: string): number {
  const value = wholeNumber(text)
  if (value === undefined || value > 65_535) throw new InvalidArgumentError(messages.aPort)
  return value
}

function songs(text: string): number {
  const value = wholeNumber(text)
  if (value === undefined) throw new InvalidArgumentError(messages.serve.aCount)
  return value
}

// The engine processes find it in their environment: compiled anew, their sources would cost each song most of a second.
const { directory: compileCache } = enableCompileCache()
if (compileCache) process.env.NODE_COMPILE_CACHE = compileCache
// The reader may be gone (`| head`) or its disk full: neither ends the service or a job. A lost outcome is a failure.
process.stderr.on('error', () => {})
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return
  process.stderr.write(`${messages.outputLost(message)}\n`)
  process.exitCode = 1
})
const dataDir = defaultDataDir(process.platform, process.env, homedir())
const program = createProgram(messages, asJson)

program
  .command('serve')
  .description(messages.serve.about)
  .option('--port <n>', messages.serve.port, port, DEFAULT_PORT)
  .option('--data-dir <dir>', messages.dataDirOption, absolutePath(messages), dataDir)
  .option('--adopt-dir', messages.adoptDirOption)
  .option('--stay', messages.serve.stay)
  .option('--queue <address>', messages.serve.queue)
  .option('--blobs <place>', messages.serve.blobs)
  .option('--allow-mixed', messages.serve.allowMixed)
  .option('--audit <n>', messages.serve.audit, songs)
  .action((options: ServeOptions) => serve(options, messages))

for (const register of [
  ...[registerOpenCommand, registerKeyCommands, registerAccountCommands],
  ...[
    registerSettingsCommands,
    registerAllowCommand,
    registerDoctorCommand,
    registerMasterCommand,
    registerJobCommands,
    registerBatchCommand,
    registerReleaseCommands,
    registerWorkerCommand,
    registerMachinesCommand,
    registerMcpCommand,
  ],
]) {
  register(program, dataDir, messages)
}

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  // Ended at once, it could lose what it has written to a pipe.
  process.exitCode = error.exitCode
}
