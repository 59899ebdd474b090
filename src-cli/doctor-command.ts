import { homedir } from 'node:os'
import type { Command } from 'commander'
import type { SystemState } from '../src-contract/app.ts'
import { findDataDirectory, ownerOf } from '../src-server/db/data-directory.ts'
import { isAgreed } from './agreement.ts'
import { type ClientOptions, runClientCommand, withClientOptions } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import { FAILED } from './exit-codes.ts'
import type { Messages } from './messages.ts'
import { notSaved } from './save-file.ts'
import { formatBytes, table } from './text-output.ts'

interface DoctorOptions extends ClientOptions {
  readonly bundle?: string
  readonly job?: string[]
  readonly log?: string
  readonly yes?: true
}

/** Adds `doctor`: the requirements of mastering and whether they are met. */
export function registerDoctorCommand(program: Command, dataDir: string, messages: Messages): void {
  withClientOptions(program.command('doctor'), dataDir, messages)
    .description(messages.doctor.about)
    .option('--bundle <file>', messages.doctor.bundle.file, absolutePath(messages))
    .option('--job <ids...>', messages.doctor.bundle.job)
    .option('--log <file>', messages.doctor.bundle.log, absolutePath(messages))
    .option('--yes', messages.doctor.bundle.yes)
    .action((options: DoctorOptions) => {
      if (options.bundle !== undefined) return bundleCommand(options, options.bundle, messages)
      const isRunning = () => {
        const owner = ownerOf(findDataDirectory(options.dataDir, { adopts: options.adoptDir === true }))
        return owner !== undefined && owner.pid !== process.pid
      }
      return runClientCommand(
        options,
        messages,
        async (client) => {
          const system = await client.call('readSystem')
          // A service started for this command alone is gone by the time its address is read.
          return { ...system, base_url: isRunning() ? system.base_url : null }
        },
        (seen) => describe(seen, messages),
      )
    })
}

interface Bundle {
  /** The ZIP; absent if it was not saved. */
  readonly file?: string
  readonly entries: readonly { readonly name: string; readonly bytes: number }[]
}

/** Shows the content of the bundle, and saves it after confirmation. */
function bundleCommand(options: DoctorOptions, file: string, messages: Messages): Promise<void> {
  return runClientCommand<Bundle>(
    options,
    messages,
    async (client) => {
      const { bundleEntries, writeBundle } = await import('./bundle.ts')
      const dataDir = findDataDirectory(options.dataDir, { adopts: options.adoptDir === true })
      const secrets = [ownerOf(dataDir)?.controlToken ?? '', ...secretsOf(process.env)]
      const found = await bundleEntries(client, {
        jobs: options.job ?? [],
        ...{ dataDir, log: options.log, environment: process.env },
        redaction: { home: homedir(), secrets },
      })
      const entries = found.map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text) }))
      if (!options.yes && !(await isToBeSaved(file, entries, messages))) {
        process.exitCode = FAILED
        return { entries }
      }
      await writeBundle(file, found).catch((cause: unknown) => {
        throw notSaved(file, cause, messages)
      })
      return { file, entries }
    },
    (bundle) =>
      bundle.file === undefined ? messages.doctor.bundle.notSaved : messages.doctor.bundle.saved(bundle.file),
  )
}

/** Values of variables with names of secrets. */
const secretsOf = (environment: NodeJS.ProcessEnv): string[] =>
  Object.entries(environment)
    .filter(([name]) => /PASSWORD|SECRET|TOKEN|API_?KEY/i.test(name))
    .map(([, value]) => value ?? '')

/** Shows the content of the bundle, and asks for confirmation. */
function isToBeSaved(file: string, entries: Bundle['entries'], { doctor }: Messages): Promise<boolean> {
  const say = doctor.bundle
  if (process.stdin.isTTY)
    process.stderr.write(
      `${say.holds}\n${table(entries.map(({ name, bytes }) => [`  ${name}`, formatBytes(bytes)]))}\n`,
    )
  return isAgreed({ ask: say.ask(file), sayYes: say.sayYes })
}

/** Returns the ffmpeg in use, or why it is missing and what to do. */
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
