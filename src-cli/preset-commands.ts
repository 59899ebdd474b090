/** `presets …`: named settings, among them recipes and saved targets. */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { CallArguments } from '../src-contract/client.ts'
import { SETTING_NAMES } from '../src-contract/settings.ts'
import { type ClientOptions, commandGroup } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import { withInputs } from './input-file.ts'
import type { Messages } from './messages.ts'
import { writeNew } from './save-file.ts'
import type { ServiceClient } from './service-client.ts'
import { unusable } from './unusable-input.ts'

interface SaveOptions extends ClientOptions {
  readonly job?: string
  readonly file?: string
  readonly recipe?: true
}

/** Adds the group `presets`. */
export function registerPresetCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.presets
  const command = commandGroup(program, { name: 'presets', about: say.about, dataDir, messages })
  command(
    'list',
    say.list,
    (client) => client.call('readPresets', {}),
    ({ presets }) => presets.map(({ name }) => name).join('\n') || say.none,
  )
  command(
    'export',
    say.export,
    async (client, name: string, file: string) => {
      const { presets } = await client.call('readPresets', {})
      const preset = presets.find((one) => one.name === name)
      if (!preset) throw unusable(say.unknown(name))
      await writeNew(file, `${JSON.stringify(preset, null, 2)}\n`, messages)
      return { ...preset, file }
    },
    ({ file }) => file,
  )
    .argument('<name>', say.name)
    .argument('<file>', say.out, absolutePath(messages))
  command(
    'save',
    say.save,
    async (client, name: string, options: SaveOptions) =>
      client.call('savePreset', {
        params: { name },
        body: { settings: await settingsFor(client, options, messages) },
      }),
    ({ name }) => say.saved(name),
  )
    .argument('<name>', say.name)
    .option('--job <id>', say.job)
    .option('--recipe', say.recipe)
    .option('--file <file>', say.file, absolutePath(messages))
  command(
    'delete',
    say.delete,
    async (client, name: string) => {
      await client.call('deletePreset', { params: { name } })
      return { name }
    },
    ({ name }) => say.deleted(name),
  ).argument('<name>', say.name)
}

type Settings = NonNullable<CallArguments<'savePreset'>['body']>['settings']

/** Returns the settings of a job, with its recipe instead of its sound if asked for, or those in a file. Throws a sentence for neither. */
async function settingsFor(client: ServiceClient, { job, file, recipe }: SaveOptions, messages: Messages) {
  const { presets: say } = messages
  if ((job === undefined) === (file === undefined)) throw unusable(say.oneSource)
  if (file !== undefined) {
    const { signal } = new AbortController()
    return withInputs([{ path: file }], { messages, signal }, async ([input]) =>
      inFile(await readFile(input!.path, 'utf8'), say.unreadable(file)),
    ) as Promise<Settings>
  }
  const params = { job_id: job! }
  if (recipe) {
    const { recipe: found } = await client.call('readReport', { params })
    return { recipe: found } as Settings
  }
  const told: Readonly<Record<string, unknown>> = await client.call('readJob', { params })
  return Object.fromEntries(
    ['platforms', ...SETTING_NAMES].filter((name) => told[name] !== undefined).map((name) => [name, told[name]]),
  ) as Settings
}

/** Returns the settings in an exported preset, or bare settings. */
function inFile(text: string, problem: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'settings' in value ? value.settings : value
  } catch {
    throw unusable(problem)
  }
}
