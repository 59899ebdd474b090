import type { Command } from 'commander'
import type { SystemState } from '../contract/app.ts'
import { type ClientOptions, runClientCommand, withClientOptions } from './client-command.ts'
import { formatBytes, table } from './text-output.ts'

/** Adds `doctor`: what mastering needs and whether it is there. */
export function registerDoctorCommand(program: Command, dataDir: string): void {
  withClientOptions(program.command('doctor'), dataDir)
    .description('Show which ffmpeg, versions, folders, free disk and SIMD there are.')
    .action((options: ClientOptions) =>
      runClientCommand(options, (client) => client.call<SystemState>('readSystem'), describe),
    )
}

function describe(system: SystemState): string {
  const ffmpeg = system.ffmpeg
    ? `${system.ffmpeg.version} (${system.ffmpeg.origin}) ${system.ffmpeg.path}`
    : 'none found: install ffmpeg 5.1 or newer, or name one in Settings'
  return table([
    ['Loudsmith', system.app_version],
    ['Engine', system.engine_version],
    ['Node', system.node_version],
    ['ffmpeg', ffmpeg],
    ['SIMD', system.has_simd ? 'yes' : 'no: the engine needs a processor and runtime with WebAssembly SIMD'],
    ['Data', system.data_dir],
    ['Disk', `${formatBytes(system.free_bytes)} free, ${formatBytes(system.used_bytes)} used by Loudsmith`],
    ['Service', system.base_url],
  ])
}
