/** `mcp`: the Model Context Protocol on standard input and output, forwarded to the service that owns the data directory. */
import type { Command } from 'commander'
import { type ClientOptions, failureText } from './client-command.ts'
import { withPlace } from './connect.ts'
import { absolutePath } from './data-dir.ts'
import { FAILED } from './exit-codes.ts'
import type { McpBridge } from './mcp-bridge.ts'
import type { Messages } from './messages.ts'

/** Environment variable with the API key. */
const KEY_VARIABLE = 'LOUDSMITH_API_KEY'

/** Adds `mcp`. It ends with its input. */
export function registerMcpCommand(program: Command, dataDir: string, messages: Messages): void {
  program
    .command('mcp')
    .description(messages.mcp.about)
    .option('--data-dir <dir>', messages.dataDirOption, absolutePath(messages), dataDir)
    .option('--adopt-dir', messages.adoptDirOption)
    .action((options: ClientOptions) => mcpCommand(options, messages))
}

async function mcpCommand(options: ClientOptions, messages: Messages): Promise<void> {
  const key = process.env[KEY_VARIABLE]?.trim()
  if (!key) {
    process.stderr.write(`${messages.mcp.noKey}\n`)
    process.exitCode = FAILED
    return
  }
  try {
    const { createMcpBridge } = await import('./mcp-bridge.ts')
    await withPlace({ ...options, sweeps: true }, messages, (place, findAnother) =>
      untilInputEnds(createMcpBridge({ key, place, findAnother, lostMessage: messages.mcp.lost })),
    )
  } catch (error) {
    process.stderr.write(`${failureText(error, messages)}\n`)
    process.exitCode = FAILED
  }
}

/** Runs the bridge until the host closes its input or a signal ends it. */
async function untilInputEnds(bridge: McpBridge): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  process.stdin.once('end', end).once('close', end)
  process.once('SIGINT', end).once('SIGTERM', end)
  await bridge.start()
  await promise
  await bridge.close()
}
