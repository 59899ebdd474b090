/** `preview FILE`: a passage of the master, before there is a job. */
import { openAsBlob } from 'node:fs'
import path from 'node:path'
import { type Command, Option } from 'commander'
import type { CallArguments } from '../src-contract/client.ts'
import { REFERENCE_FILES } from '../src-contract/jobs.ts'
import { PLATFORMS, type Platform } from '../src-contract/platforms/index.ts'
import { DELIVERY_NAMES, SETTING_NAMES } from '../src-contract/settings.ts'
import { decibels } from '../src-contract/text/numbers.ts'
import { programName } from '../src-contract/wire-values.ts'
import { clientCommands } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import { STANDARD_INPUT, withInputs } from './input-file.ts'
import { readTargets } from './master.ts'
import type { Messages } from './messages.ts'
import { saveNew } from './save-file.ts'
import type { ServiceClient } from './service-client.ts'
import { acceptOf, type MasteringOptions, settingOption, withReferences } from './setting-options.ts'

interface PreviewOptions extends MasteringOptions {
  readonly platform: Platform
  readonly start?: string
  readonly seconds?: string
}

interface Written {
  readonly file: string
  readonly start_seconds: number
  readonly integrated_lufs: number
  readonly gain_db: number
}

/** Adds `preview`. */
export function registerPreviewCommand(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.preview
  const command = clientCommands(program, dataDir, messages)(
    'preview',
    say.about,
    (client, file: string, options: PreviewOptions) => preview(client, file, options, messages),
    (written) => say.written(written.file, String(written.start_seconds), decibels(written.integrated_lufs)),
  )
    .argument('<file>', messages.jobs.file)
    .addOption(new Option('--platform <platform>', say.platform).choices(PLATFORMS).default(PLATFORMS[0]))
    .option('--out <file>', say.out, absolutePath(messages))
    .option('--start <seconds>', say.start)
    .option('--seconds <seconds>', say.seconds)
    .option('--preset <name>', messages.master.preset)
    .option('--recipe <file>', messages.master.recipe, absolutePath(messages))
    .option('--title <title>', say.title)
    .option('--convert', messages.master.convert)
  withReferences(command, messages, absolutePath(messages))
  for (const name of HEARD_NAMES) command.addOption(settingOption(name, messages))
}

/** Audible settings: a preview is one WAV without tags. */
const HEARD_NAMES = SETTING_NAMES.filter((name) => !DELIVERY_NAMES.some((other) => other === name))

async function preview(
  client: ServiceClient,
  file: string,
  options: PreviewOptions,
  messages: Messages,
): Promise<Written> {
  const song = file === STANDARD_INPUT ? file : absolutePath(messages)(file)
  const inputFiles = [{ path: song }, ...(options.reference ?? []).map((path) => ({ path }))]
  const { signal } = new AbortController()
  const others = [...(options.recipe === undefined ? [] : [options.recipe]), ...(options.target ?? [])]
  const answer = await withInputs(inputFiles, { messages, signal, others }, async (inputs) => {
    const [content, ...references] = await Promise.all(
      inputs.map(async (input) => ({ content: await openAsBlob(input.path), name: input.name })),
    )
    const recipe = options.recipe === undefined ? undefined : await openAsBlob(options.recipe)
    const files = {
      ...(content ? { file: content } : {}),
      ...Object.fromEntries(references.map((reference, index) => [REFERENCE_FILES[index]!, reference])),
      ...(recipe ? { recipe: { content: recipe, name: 'recipe.json' } } : {}),
    }
    const targets = options.target ? { targets: await readTargets(options.target, messages) } : {}
    return client.open('preview', { fields: { ...fieldsOf(options), ...targets }, files })
  })
  const named = file === STANDARD_INPUT ? 'stdin' : path.parse(file).name
  const stem = options.title?.replace(/[/\\]/g, '_') ?? named
  const target = options.out ?? absolutePath(messages)(`${stem}_preview.wav`)
  await saveNew(answer, target, messages)
  const figure = (name: string) => Number(answer.headers.get(name))
  return {
    file: target,
    start_seconds: figure('preview-start-seconds'),
    integrated_lufs: figure('preview-loudness-lufs'),
    gain_db: figure('preview-gain-db'),
  }
}

function fieldsOf(options: PreviewOptions): NonNullable<CallArguments<'preview'>['fields']> {
  const texts = {
    ...settingTexts(options),
    accept: acceptOf(options),
    reference_weights: options.referenceWeights,
    preset: options.preset,
    start_seconds: options.start,
    seconds: options.seconds,
  }
  const given = Object.entries(texts).filter(([, value]) => value !== undefined)
  return { platforms: options.platform, ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])) }
}

const settingTexts = (options: PreviewOptions) =>
  Object.fromEntries(HEARD_NAMES.map((name) => [name, options[programName(name)]]))
