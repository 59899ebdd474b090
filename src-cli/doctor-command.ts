import type { Command } from 'commander'
import type { SystemState } from '../src-contract/app.ts'
import { findDataDirectory, ownerOf } from '../src-server/db/data-directory.ts'
import { type ClientOptions, runClientCommand, withClientOptions } from './client-command.ts'
import type { Messages } from './messages.ts'
import { formatBytes, table } from './text-output.ts'

/** Adds `doctor`: what mastering needs and whether it is there. */
export function registerDoctorCommand(program: Command, dataDir: string, messages: Messages): void {
  withClientOptions(program.command('doctor'), dataDir, messages)
    .description(messages.doctor.about)
    .action((options: ClientOptions) => {
      const isRunning = () => {
        const owner = ownerOf(findDataDirectory(options.dataDir, { adopts: options.adoptDir === true }))
        return owner !== undefined && owner.pid !== process.pid
      }
      return runClientCommand(
        options,
        messages,
        async (client) => {
          const system = await client.call('readSystem')
          // The one that this command started for itself is gone when its address is read.
          return { ...system, base_url: isRunning() ? system.base_url : null }
        },
        (seen) => describe(seen, messages),
      )
    })
}

/** Returns which ffmpeg is used, or why there is none and what to do. */
export function ffmpegInUse({ ffmpeg, ffmpeg_lack: lack }: SeenFfmpeg, { doctor, settings }: Messages): string {
  if (ffmpeg) return `${ffmpeg.version} (${ffmpeg.origin}) ${ffmpeg.path}`
  return lack === 'ffmpeg_unconfirmed' || lack === 'ffmpeg_changed' ? settings[lack] : doctor.noFfmpeg
}

type SeenFfmpeg = Pick<SystemState, 'ffmpeg' | 'ffmpeg_lack'>
type SeenSystem = Omit<SystemState, 'base_url'> & { readonly base_url: string | null }

function describe(system: SeenSystem, messages: Messages): string {
  const say = messages.doctor
  const { quarantine } = system
  return table([
    ['Loudsmith', system.app_version],
    [say.rows.engine, system.engine_version],
    ['Node', system.node_version],
    ['ffmpeg', ffmpegInUse(system, messages)],
    ...(system.ffmpeg ? [[say.rows.trial, system.ffmpeg.fault ?? say.trialPassed] as const] : []),
    ['SIMD', system.has_simd ? say.hasSimd : say.noSimd],
    [say.rows.data, system.data_dir],
    [say.rows.disk, say.disk(formatBytes(system.free_bytes), formatBytes(system.used_bytes))],
    ...(system.is_private ? [] : [['', say.notPrivate]]),
    ...(quarantine
      ? [[say.rows.aside, say.aside(quarantine.items, formatBytes(quarantine.bytes), quarantine.folder)]]
      : []),
    ...(quarantine?.left_in_place ?? []).map((place) => ['', place]),
    [say.rows.service, system.base_url ?? say.notRunning],
  ])
}
