import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Settings, SystemState } from '../src-contract/app.ts'
import { isAgreed } from './agreement.ts'
import { type ClientOptions, commandGroup } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import { ffmpegInUse } from './doctor-command.ts'
import type { Messages } from './messages.ts'
import type { ServiceClient } from './service-client.ts'
import { table } from './text-output.ts'
import { unusable } from './unusable-input.ts'

interface FfmpegOptions extends ClientOptions {
  readonly clear?: boolean
  readonly yes?: boolean
}

type Choice = Pick<Settings, 'ffmpeg_path'> & Pick<SystemState, 'ffmpeg' | 'ffmpeg_lack'>

/** Adds `settings ffmpeg` and `settings farm`: visible on the page, but only the owner may set them. */
export function registerSettingsCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.settings
  const command = commandGroup(program, { name: 'settings', about: say.about, dataDir, messages })
  command(
    'ffmpeg',
    say.ffmpeg,
    (client, path: string | undefined, options: FfmpegOptions) => choose(client, path, options, messages),
    (choice) => describe(choice, messages),
  )
    .argument('[path]', say.path, absolutePath(messages))
    .option('--clear', say.clear)
    .option('--yes', say.yes)
  command(
    'farm',
    say.farm,
    (client, options: FarmOptions) => setFarm(client, options, messages),
    ({ farm }) => (farm ? `${farm.queue}  ${farm.blobs}\n${say.fromNextStart}` : messages.machines.alone),
  )
    .option('--queue <address>', messages.serve.queue)
    .option('--blobs <place>', messages.serve.blobs)
    .option('--clear', say.noFarm)
}

interface FarmOptions extends ClientOptions {
  readonly queue?: string
  readonly blobs?: string
  readonly clear?: boolean
}

/** Sets the queue and the place of files of further machines for `serve`, from its next start. */
async function setFarm(
  client: ServiceClient,
  { queue, blobs, clear }: FarmOptions,
  messages: Messages,
): Promise<Pick<Settings, 'farm'>> {
  const isAsked = queue !== undefined || blobs !== undefined
  if (clear && isAsked) throw unusable(messages.settings.eitherFarm)
  if (isAsked && (queue === undefined || blobs === undefined)) throw unusable(messages.settings.bothFarm)
  const farm = queue !== undefined && blobs !== undefined ? { queue, blobs } : null
  if (clear || farm) await client.call('changeSettings', { body: { farm } })
  const { farm: set } = await client.call('readSettings')
  return { farm: set }
}

async function choose(
  client: ServiceClient,
  path: string | undefined,
  { clear, yes = false }: FfmpegOptions,
  messages: Messages,
): Promise<Choice> {
  if (clear && path !== undefined) throw unusable(messages.settings.either)
  if (path !== undefined) await requireConfirmed(path, yes, messages)
  const change = clear ? null : path
  if (change !== undefined) await client.call('changeSettings', { body: { ffmpeg_path: change } })
  const [{ ffmpeg_path }, { ffmpeg, ffmpeg_lack }] = await Promise.all([
    client.call('readSettings'),
    client.call('readSystem'),
  ])
  return { ffmpeg_path, ffmpeg, ffmpeg_lack }
}

/** Shows the program and its SHA-256, and throws a sentence unless the user confirms running it. */
async function requireConfirmed(path: string, isConfirmed: boolean, { settings: say }: Messages): Promise<void> {
  const bytes = await readFile(path).catch(() => {
    throw unusable(say.notRead(path))
  })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  process.stderr.write(`${path}\nSHA-256 ${sha256}\n`)
  if (!isConfirmed && !(await isAgreed({ ask: say.askToRun, sayYes: say.sayYes }))) throw unusable(say.notSet)
}

function describe(choice: Choice, messages: Messages): string {
  const say = messages.settings
  return table([
    [say.rows.set, choice.ffmpeg_path ?? say.none],
    [say.rows.inUse, ffmpegInUse(choice, messages)],
  ])
}
