import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import type { Command } from 'commander'
import { isWithin } from '../src-system/disk.ts'
import { isAgreed } from './agreement.ts'
import { type ClientOptions, clientCommands } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import type { Messages } from './messages.ts'
import type { ServiceClient } from './service-client.ts'
import { unusable } from './unusable-input.ts'

interface AllowOptions extends ClientOptions {
  readonly remove?: boolean
  readonly yes?: boolean
}

interface Allowed {
  readonly allowed_folders: readonly string[]
}

/** Adds `allow [FOLDER]`: folders whose songs programs may name by path. */
export function registerAllowCommand(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.allow
  clientCommands(program, dataDir, messages)(
    'allow',
    say.about,
    (client, folder: string | undefined, options: AllowOptions) =>
      folder === undefined ? listed(client) : change(client, folder, options, messages),
    ({ allowed_folders }) => (allowed_folders.length === 0 ? say.none : allowed_folders.join('\n')),
  )
    .argument('[folder]', say.folder, absolutePath(messages))
    .option('--remove', say.remove)
    .option('--yes', say.yes)
}

async function listed(client: ServiceClient): Promise<Allowed> {
  const { allowed_folders } = await client.call('readSettings')
  return { allowed_folders }
}

async function change(
  client: ServiceClient,
  folder: string,
  { remove, yes = false }: AllowOptions,
  messages: Messages,
): Promise<Allowed> {
  const { allowed_folders } = await listed(client)
  // A folder gone from the disk can be removed by its name in the list.
  const real = await realpath(folder).catch(() => folder)
  if (remove && !allowed_folders.some((one) => one === real || one === folder))
    throw unusable(messages.allow.notAllowed(folder))
  const question = { ask: messages.allow.ask(real), sayYes: messages.allow.sayYes(real) }
  if (!remove && !yes && holdsHome(real) && !(await isAgreed(question))) throw unusable(messages.allow.nothingChanged)
  const others = allowed_folders.filter((one) => one !== real && one !== folder)
  await client.call('changeSettings', { body: { allowed_folders: remove ? others : [...others, real] } })
  return listed(client)
}

/** Returns whether a folder is or contains the user's home, like `/`: it holds files that programs should not read. */
function holdsHome(folder: string): boolean {
  return isWithin(folder, homedir())
}
