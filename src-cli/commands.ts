/** The whole command line: one tree of commands, also the source of help, completion and the manual page. */
import type { Command } from 'commander'
import { DEFAULT_PORT } from '../src-contract/limits.ts'
import { registerAccountCommands } from './account-commands.ts'
import { registerAllowCommand } from './allow-command.ts'
import { registerBatchCommand } from './batch-command.ts'
import { registerCompletionCommand } from './completion-command.ts'
import { absolutePath } from './data-dir.ts'
import { registerDoctorCommand } from './doctor-command.ts'
import { registerEventsCommand } from './events-command.ts'
import { registerJobCommands } from './job-commands.ts'
import { registerKeyCommands } from './key-commands.ts'
import { registerListeningCommands } from './listening-commands.ts'
import { registerMachinesCommand } from './machines-command.ts'
import { registerManifestCommands } from './manifest-commands.ts'
import { registerMasterCommand } from './master-command.ts'
import { registerMcpCommand } from './mcp-command.ts'
import type { Messages } from './messages.ts'
import { registerOpenCommand } from './open-command.ts'
import { registerPresetCommands } from './preset-commands.ts'
import { registerPreviewCommand } from './preview-command.ts'
import { createProgram } from './program.ts'
import { registerReleaseCommands } from './release-commands.ts'
import { type ServeOptions, serve } from './serve.ts'
import { registerSettingsCommands } from './settings-commands.ts'
import { registerStemCommands } from './stem-commands.ts'
import { registerWatchCommands } from './watch-commands.ts'
import { registerWebhookCommands } from './webhook-commands.ts'
import { wholeNumberFrom } from './whole-number-option.ts'
import { registerWordsCommand } from './words-command.ts'
import { registerWorkerCommand } from './worker-command.ts'

/** Commands in the order of help. */
const REGISTERING = [
  registerServeCommand,
  registerOpenCommand,
  registerKeyCommands,
  registerAccountCommands,
  registerSettingsCommands,
  registerAllowCommand,
  registerDoctorCommand,
  registerMasterCommand,
  registerPreviewCommand,
  registerWordsCommand,
  registerStemCommands,
  registerJobCommands,
  registerListeningCommands,
  registerPresetCommands,
  registerBatchCommand,
  registerManifestCommands,
  registerWatchCommands,
  registerReleaseCommands,
  registerEventsCommand,
  registerWebhookCommands,
  registerWorkerCommand,
  registerMachinesCommand,
  registerMcpCommand,
  registerCompletionCommand,
]

/** Returns the program with all its commands, which take their data from `dataDir` unless told otherwise. */
export function loudsmithProgram(dataDir: string, messages: Messages, asJson: boolean): Command {
  const program = createProgram(messages, asJson)
  for (const register of REGISTERING) register(program, dataDir, messages)
  return program
}

function registerServeCommand(program: Command, dataDir: string, messages: Messages): void {
  program
    .command('serve')
    .description(messages.serve.about)
    .option('--port <n>', messages.serve.port, wholeNumberFrom(0, messages.aPort, 65_535), DEFAULT_PORT)
    .option('--data-dir <dir>', messages.dataDirOption, absolutePath(messages), dataDir)
    .option('--adopt-dir', messages.adoptDirOption)
    .option('--stay', messages.serve.stay)
    .option('--queue <address>', messages.serve.queue)
    .option('--blobs <place>', messages.serve.blobs)
    .option('--allow-mixed', messages.serve.allowMixed)
    .option('--audit <n>', messages.serve.audit, wholeNumberFrom(0, messages.serve.aCount))
    .option('--json', messages.jsonOption)
    .action((options: ServeOptions) => serve(options, messages))
}
