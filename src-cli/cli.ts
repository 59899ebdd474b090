/**
 * Entry point of the command line: `serve` hosts the service, every other command is a client of it. Loads only the modules of the given
 * command, through Node's compile cache, so the service answers within a second.
 */
import '../src-system/compilers.ts'
import '../src-system/direct-loopback.ts'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { CommanderError } from 'commander'
import { loudsmithProgram } from './commands.ts'
import { defaultDataDir } from './data-dir.ts'
import { asksForJson, messagesFor, terminalMessages } from './messages.ts'

const asJson = asksForJson(process.argv.slice(2))
const terminal = terminalMessages(process.env, Intl.DateTimeFormat().resolvedOptions().locale)
const messages = messagesFor(terminal, { json: asJson })

// The engine processes inherit the cache: compiling their sources again would cost each song most of a second.
const { directory: compileCache } = enableCompileCache()
if (compileCache) process.env.NODE_COMPILE_CACHE = compileCache
// The reader may be gone (`| head`) or its disk full: neither ends the service or a job, but a lost result is a failure.
process.stderr.on('error', () => {})
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return
  process.stderr.write(`${messages.outputLost(message)}\n`)
  process.exitCode = 1
})
const program = loudsmithProgram(defaultDataDir(process.platform, process.env, homedir()), messages, asJson)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  // Exiting immediately could lose output written to a pipe.
  process.exitCode = error.exitCode
}
