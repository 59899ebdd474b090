/**
 * The terminal's way in: `serve` hosts the service, every other command is a client of it. What a command does not need is not
 * loaded, and what it needs is loaded from Node's cache of compiled code, so that the service answers within a second.
 */
import './compilers.ts'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { Command, InvalidArgumentError } from 'commander'
import { registerAccountCommands } from './cli/account-commands.ts'
import { absolutePath, defaultDataDir } from './cli/data-dir.ts'
import { registerDoctorCommand } from './cli/doctor-command.ts'
import { registerKeyCommands } from './cli/key-commands.ts'
import { registerMasterCommand } from './cli/master-command.ts'
import { serve } from './cli/serve.ts'
import { DEFAULT_PORT } from './contract/limits.ts'

function port(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return value
}

// The engine processes find it in their environment: compiled anew, their sources would cost each song most of a second.
const { directory: compileCache } = enableCompileCache()
if (compileCache) process.env.NODE_COMPILE_CACHE = compileCache
// Who reads may be gone (`| head`) or its disk be full: neither ends the service or a job. An outcome that is lost is a failure.
process.stderr.on('error', () => {})
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return
  process.stderr.write(`The output could not be written: ${message}\n`)
  process.exitCode = 1
})
const dataDir = defaultDataDir(process.platform, process.env, homedir())
const program = new Command('loudsmith')
  .description('Local audio mastering: one song in, one measured master per platform out.')
  .showHelpAfterError()

program
  .command('serve')
  .description('Host the API and the page for the browser until stopped.')
  .option('--port <n>', 'port on the loopback interface; 0 picks a free one', port, DEFAULT_PORT)
  .option('--data-dir <dir>', 'where songs, results and the database live', absolutePath, dataDir)
  .option('--stay', 'go on when the terminal is closed or the program that started it has ended')
  .action(serve)

for (const register of [registerKeyCommands, registerAccountCommands, registerDoctorCommand, registerMasterCommand]) {
  register(program, dataDir)
}

await program.parseAsync()
