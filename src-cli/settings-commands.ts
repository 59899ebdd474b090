import type { Command } from 'commander'
import type { Settings, SystemState } from '../src-contract/app.ts'
import { type ClientOptions, runClientCommand, withClientOptions } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import { ffmpegInUse } from './doctor-command.ts'
import type { ServiceClient } from './service-client.ts'
import { table } from './text-output.ts'
import { unusable } from './unusable-input.ts'
import { type Words, wordsFor } from './words.ts'

interface FfmpegOptions extends ClientOptions {
  readonly clear?: boolean
}

type Choice = Pick<Settings, 'ffmpeg_path'> & Pick<SystemState, 'ffmpeg' | 'ffmpeg_lack'>

/** Adds `settings ffmpeg`: what the page may show and only the owner may choose. */
export function registerSettingsCommands(program: Command, dataDir: string, words: Words): void {
  const say = words.settings
  const settings = program
    .command('settings')
    .description(say.about)
    .helpCommand('help [command]', words.commander.help)

  withClientOptions(settings.command('ffmpeg').argument('[path]', say.path, absolutePath(words)), dataDir, words)
    .description(say.ffmpeg)
    .option('--clear', say.clear)
    .action((path: string | undefined, options: FfmpegOptions) =>
      runClientCommand(
        options,
        words,
        (client) => choose(client, path, options, wordsFor(words, options)),
        (choice) => describe(choice, words),
      ),
    )
}

async function choose(
  client: ServiceClient,
  path: string | undefined,
  { clear }: FfmpegOptions,
  words: Words,
): Promise<Choice> {
  if (clear && path !== undefined) throw unusable(words.settings.either)
  const change = clear ? null : path
  if (change !== undefined) await client.call('changeSettings', { body: { ffmpeg_path: change } })
  const [{ ffmpeg_path }, { ffmpeg, ffmpeg_lack }] = await Promise.all([
    client.call('readSettings'),
    client.call('readSystem'),
  ])
  return { ffmpeg_path, ffmpeg, ffmpeg_lack }
}

function describe(choice: Choice, words: Words): string {
  const say = words.settings
  return table([
    [say.rows.set, choice.ffmpeg_path ?? say.none],
    [say.rows.inUse, ffmpegInUse(choice, words)],
  ])
}
