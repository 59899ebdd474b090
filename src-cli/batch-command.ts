import type { Command } from 'commander'
import type { Manifest } from '../src-contract/batches.ts'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { type BatchOutcome, masterFolder } from './batch.ts'
import { type ClientOptions, runLongCommand, withClientOptions } from './client-command.ts'
import { withService } from './connect.ts'
import { absolutePath } from './data-dir.ts'
import { INTERRUPTED, PAUSED, SOME_FAILED } from './exit-codes.ts'
import type { Messages } from './messages.ts'
import { acceptOf, givenSettings, ListOption, OWN_NAMES, settingOption } from './setting-options.ts'

interface BatchCommandOptions extends ClientOptions {
  readonly platforms: string
  readonly out: string
  readonly allow?: boolean
  readonly retry?: boolean
  readonly convert?: true
  /** Texts of the settings by the names of their options. */
  readonly [option: string]: unknown
}

/** Adds `batch FOLDER`: every song in it and below, with the masters in `--out`. */
export function registerBatchCommand(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.batch
  const command = withClientOptions(
    program.command('batch').argument('<folder>', say.folder, absolutePath(messages)),
    dataDir,
    messages,
  )
    .description(say.about)
    .addOption(
      new ListOption(
        '--platforms <list>',
        messages.master.platforms(PLATFORMS.join(',')),
        PLATFORMS,
      ).makeOptionMandatory(),
    )
    .requiredOption('--out <dir>', say.out, absolutePath(messages))
    .option('--allow', say.allow)
    .option('--retry', say.retry)
    .option('--convert', messages.master.convert)
  for (const name of OWN_NAMES) command.addOption(settingOption(name, messages))
  command.action((folder: string, options: BatchCommandOptions) => batchCommand(folder, options, messages))
}

function batchCommand(folder: string, options: BatchCommandOptions, messages: Messages): Promise<void> {
  const order = {
    ...{ folder, platforms: options.platforms, out: options.out },
    settings: givenSettings(options),
    accept: acceptOf(options),
    allows: options.allow === true,
    retries: options.retry === true,
  }
  return runLongCommand(
    options,
    messages,
    ({ signal, showProgress }) =>
      withService({ ...options, sweeps: true }, messages, (client) =>
        masterFolder(client, order, {
          messages,
          signal,
          onProgress: ({ progress, songs }) => showProgress(progress, messages.batch.progress(songs.done, songs.total)),
        }),
      ),
    { show: (outcome) => describe(outcome, messages), exitCodeOf: ({ batch }) => exitCodeOf(batch) },
  )
}

function exitCodeOf({ status, songs }: Manifest): number {
  if (status === 'running') return INTERRUPTED
  if (status === 'paused') return PAUSED
  return songs.done === songs.total ? 0 : SOME_FAILED
}

function describe({ batch, table, failed }: BatchOutcome, { batch: say }: Messages): string {
  const { status, songs, paused_because: reason = 'caller' } = batch
  const end = status === 'running' ? say.goesOn : status === 'paused' ? say.paused[reason] : undefined
  return [
    say.progress(songs.done, songs.total),
    ...(end === undefined ? [] : [end]),
    ...failed.map((song) => `${song.path}: ${song.error_message}`),
    ...(songs.failed > failed.length ? [say.more(songs.failed - failed.length)] : []),
    ...(table === undefined ? [] : [say.table(table)]),
  ].join('\n')
}
