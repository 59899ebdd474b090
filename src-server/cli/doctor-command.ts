import type { Command } from 'commander'
import type { SystemState } from '../contract/app.ts'
import { type ClientOptions, runClientCommand, withClientOptions } from './client-command.ts'
import { formatBytes, table } from './text-output.ts'
import type { Words } from './words.ts'

/** Adds `doctor`: what mastering needs and whether it is there. */
export function registerDoctorCommand(program: Command, dataDir: string, words: Words): void {
  withClientOptions(program.command('doctor'), dataDir, words)
    .description(words.doctor.about)
    .action((options: ClientOptions) =>
      runClientCommand(
        options,
        words,
        (client) => client.call('readSystem'),
        (system) => describe(system, words),
      ),
    )
}

function describe(system: SystemState, { doctor: say }: Words): string {
  const ffmpeg = system.ffmpeg
    ? `${system.ffmpeg.version} (${system.ffmpeg.origin}) ${system.ffmpeg.path}`
    : say.noFfmpeg
  return table([
    ['Loudsmith', system.app_version],
    [say.rows.engine, system.engine_version],
    ['Node', system.node_version],
    ['ffmpeg', ffmpeg],
    ['SIMD', system.has_simd ? say.hasSimd : say.noSimd],
    [say.rows.data, system.data_dir],
    [say.rows.disk, say.disk(formatBytes(system.free_bytes), formatBytes(system.used_bytes))],
    [say.rows.service, system.base_url],
  ])
}
