import path from 'node:path'
import type { Command } from 'commander'
import { METADATA, METADATA_NAMES } from '../src-contract/metadata.ts'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { SETTING_NAMES, SETTINGS } from '../src-contract/settings.ts'
import { programName } from '../src-contract/wire-values.ts'
import { type LongRun, runLongCommand, withClientOptions } from './client-command.ts'
import { withService } from './connect.ts'
import { absolutePath } from './data-dir.ts'
import { FAILED, INTERRUPTED } from './exit-codes.ts'
import { type Input, STANDARD_INPUT, withInputs } from './input-file.ts'
import { describeJob } from './job-text.ts'
import { type MasterOutcome, masterFile } from './master.ts'
import type { Messages } from './messages.ts'
import { acceptOf, ListOption, type MasteringOptions, settingOption, withReferences } from './setting-options.ts'
import { stemRemarks } from './stem-commands.ts'
import { withoutEmptyFolder } from './unpack.ts'

interface MasterCommandOptions extends MasteringOptions {
  readonly platforms?: string
  readonly artist?: string
  readonly cover?: string
  readonly stems?: true
}

/** Adds `master FILE`: one ordinary job, with its masters unpacked into `--out`. */
export function registerMasterCommand(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.master
  const master = withClientOptions(program.command('master').argument('<file>', say.file), dataDir, messages)
    .description(say.about)
    .addOption(new ListOption('--platforms <list>', say.allPlatforms(PLATFORMS.join(',')), PLATFORMS))
    .option('--out <dir>', say.out, absolutePath(messages))
    .option('--convert', say.convert)
    .option('--stems', say.stems)
  for (const name of CHOICES) master.addOption(settingOption(name, messages))
  for (const name of OTHERS) {
    if (name === 'reference_amount') withReferences(master, messages, inputPath(messages))
    master.addOption(settingOption(name, messages))
  }
  master.option('--title <title>', say.title).option('--artist <artist>', say.artist)
  for (const name of METADATA_NAMES) master.option(`--${name} <${name}>`, METADATA[name].help[messages.language])
  master
    .option('--preset <name>', say.preset)
    .option('--recipe <file>', say.recipe, absolutePath(messages))
    .option('--cover <file>', say.cover, absolutePath(messages))
    .action((file: string, options: MasterCommandOptions) =>
      masterCommand(inputPath(messages)(file), options, messages),
    )
}

/** Default folder of masters, in the folder of the call. */
export const MASTERS_FOLDER = 'masters'

const CHOICES = SETTING_NAMES.filter((name) => SETTINGS[name].kind === 'choice')
const OTHERS = SETTING_NAMES.filter((name) => SETTINGS[name].kind !== 'choice')

/** Returns the parser of a path that accepts `-` for standard input; a file of that name is `./-`. */
function inputPath(messages: Messages): (text: string) => string {
  return (text) => (text === STANDARD_INPUT ? text : absolutePath(messages)(text))
}

function masterCommand(file: string, options: MasterCommandOptions, messages: Messages): Promise<void> {
  const { platforms = PLATFORMS.join(','), out = absolutePath(messages)(MASTERS_FOLDER) } = options
  const named = [{ path: file, name: options.title }, ...(options.reference ?? []).map((path) => ({ path }))]
  const others = [options.recipe, options.cover, ...(options.target ?? [])].filter((one) => one !== undefined)
  const work = ({ signal, showProgress }: LongRun) =>
    withInputs(named, { messages, signal, others }, ([song, ...references]) =>
      withService({ ...options, sweeps: true }, messages, (client) =>
        withoutEmptyFolder(out, () =>
          masterFile(
            client,
            song as Input,
            {
              platforms,
              out,
              fields: textFields(options),
              isOfStems: options.stems === true,
              references,
              targetPaths: options.target ?? [],
              ...(options.recipe === undefined ? {} : { recipePath: options.recipe }),
              ...(options.cover === undefined ? {} : { coverPath: options.cover }),
            },
            (job) => showProgress(job.progress, messages.master.stages[job.stage ?? job.status]),
            signal,
            messages,
          ),
        ),
      ),
    )
  return runLongCommand(options, messages, work, {
    show: (outcome) => describe(outcome, out, messages),
    exitCodeOf: ({ job }, isStopped) => (job.status !== 'failed' ? 0 : isStopped ? INTERRUPTED : FAILED),
  })
}

function textFields(options: MasterCommandOptions): Record<string, string> {
  const fields = {
    ...Object.fromEntries(SETTING_NAMES.map((name) => [name, options[programName(name)]])),
    reference_weights: options.referenceWeights,
    preset: options.preset,
    title: options.title,
    artist: options.artist,
    accept: acceptOf(options),
    ...Object.fromEntries(METADATA_NAMES.map((name) => [name, options[name]])),
  }
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => typeof value === 'string' || value === true)
      .map(([name, value]) => [name, String(value)]),
  )
}

function describe({ job, files, stem_set: set }: MasterOutcome, out: string, messages: Messages): string {
  const told = describeJob(job, messages)
  if (job.status === 'failed') return told
  const stems = set ? stemRemarks(set).map(messages.master.note) : []
  const written = [messages.master.writtenTo(out), ...files.map((file) => `  ${path.relative(out, file)}`)]
  return [told, ...stems, ...written].join('\n')
}
