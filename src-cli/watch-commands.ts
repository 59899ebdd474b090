/** `watch …`: folders whose new songs are mastered automatically. */
import { realpath } from 'node:fs/promises'
import type { Command } from 'commander'
import type { WatchFolder } from '../src-contract/app.ts'
import type { CallArguments } from '../src-contract/client.ts'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { DEFAULT_SETTINGS } from '../src-contract/settings.ts'
import { ACCEPT_ANY } from '../src-contract/song-files.ts'
import { type AddCommand, type ClientOptions, commandGroup } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import type { Messages } from './messages.ts'
import type { ServiceClient } from './service-client.ts'
import { givenSettings, ListOption, OWN_NAMES, settingOption, wordsOf } from './setting-options.ts'
import { table } from './text-output.ts'
import { unusable } from './unusable-input.ts'

interface WatchOptions extends ClientOptions {
  readonly out?: string
  readonly existing?: true
  readonly convert?: true
  readonly platforms?: string
  /** Texts of the settings by the names of their options. */
  readonly [option: string]: unknown
}

/** Adds the group `watch`. */
export function registerWatchCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.watch
  const command = commandGroup(program, { name: 'watch', about: say.about, dataDir, messages })
  command(
    'list',
    say.list,
    (client) => client.call('listWatchFolders'),
    ({ folders }) => (folders.length === 0 ? say.none : describe(folders, messages)),
  )
  const add = command(
    'add',
    say.add,
    (client, folder: string, options: WatchOptions) =>
      client.call('addWatchFolder', { body: choiceOf(folder, options) }),
    (folder) => describe([folder], messages),
  )
    .argument('<folder>', say.folder, absolutePath(messages))
    .option('--out <dir>', say.out, absolutePath(messages))
    .option('--existing', say.existing)
    .option('--convert', messages.master.convert)
    .addOption(new ListOption('--platforms <list>', messages.master.allPlatforms(PLATFORMS.join(',')), PLATFORMS))
  for (const name of OWN_NAMES) add.addOption(settingOption(name, messages))
  registerChanging(command, messages)
}

/** Adds `watch pause`, `resume`, `convert` and `remove`. */
function registerChanging(command: AddCommand, messages: Messages): void {
  const say = messages.watch
  const changes = {
    pause: { is_active: false },
    resume: { is_active: true },
    convert: { accept: ACCEPT_ANY },
  } as const
  const change = (name: keyof typeof changes) =>
    command(
      name,
      say[name],
      async (client, folder: string) => {
        const params = { folder_id: await idOf(client, folder, messages) }
        return client.call('changeWatchFolder', { params, body: changes[name] })
      },
      (changed) => describe([changed], messages),
    ).argument('<folder>', say.id)
  change('pause')
  change('resume')
  change('convert')
  command(
    'remove',
    say.remove,
    async (client, folder: string) => {
      const params = { folder_id: await idOf(client, folder, messages) }
      return client.call('removeWatchFolder', { params })
    },
    () => say.removed,
  ).argument('<folder>', say.id)
}

function choiceOf(folder: string, options: WatchOptions): CallArguments<'addWatchFolder'>['body'] {
  const given = givenSettings(options)
  const platforms = options.platforms === undefined ? undefined : wordsOf(options.platforms)
  const settings = { ...DEFAULT_SETTINGS, ...given, ...(platforms ? { platforms } : {}) }
  const hasSettings = platforms !== undefined || Object.keys(given).length > 0
  return {
    path: folder,
    ...(options.existing ? { takes_existing: true } : {}),
    ...(options.convert ? { accept: ACCEPT_ANY } : {}),
    ...(options.out === undefined ? {} : { output_folder: options.out }),
    // The service refuses unusable values by name.
    ...(hasSettings ? { settings: settings as typeof DEFAULT_SETTINGS } : {}),
  }
}

/** Returns the identifier of a watched folder, given by identifier or path. Throws a sentence for an unknown one. */
async function idOf(client: ServiceClient, named: string, messages: Messages): Promise<string> {
  const { folders } = await client.call('listWatchFolders')
  const place = absolutePath(messages)(named)
  const real = await realpath(place).catch(() => place)
  const found = folders.find((folder) => folder.folder_id === named || folder.path === place || folder.path === real)
  if (!found) throw unusable(messages.watch.unknown(named))
  return found.folder_id
}

function describe(folders: readonly WatchFolder[], { watch: say }: Messages): string {
  return folders
    .flatMap((folder) => {
      const state = !folder.is_active ? 'paused' : folder.is_reachable ? 'active' : 'away'
      const masters = folder.output_folder === null ? '' : ` → ${folder.output_folder}`
      const troubles = [...folder.refused, ...folder.waiting].map(
        ({ filename, message }) => `  ${filename}: ${message}`,
      )
      return [
        table([[folder.folder_id, say.states[state], say.taken(folder.taken), folder.path + masters]]),
        ...troubles,
      ]
    })
    .join('\n')
}
