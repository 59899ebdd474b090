/** `jobs …` and `analyse`: finished jobs, and measurements of a song. */
import { openAsBlob } from 'node:fs'
import { type Command, Option } from 'commander'
import type { CallArguments } from '../src-contract/client.ts'
import { DEFAULT_PAGE_SIZE } from '../src-contract/common.ts'
import { type Analysis, JOB_STATUSES, type Job, type JobPage } from '../src-contract/jobs.ts'
import { MAX_LINK_SECONDS, MAX_PAGE_SIZE } from '../src-contract/limits.ts'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { SETTING_NAMES } from '../src-contract/settings.ts'
import { decibels } from '../src-contract/text/numbers.ts'
import { forecastText } from '../src-contract/text/playback-forecast.ts'
import { waitForJob } from '../src-contract/wait-for-job.ts'
import {
  type AddCommand,
  type ClientOptions,
  clientCommands,
  commandGroup,
  runClientCommand,
} from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import { duration } from './duration.ts'
import { STANDARD_INPUT, withInputs } from './input-file.ts'
import { registerJobFile } from './job-file-command.ts'
import { describeJob } from './job-text.ts'
import { MASTERS_FOLDER } from './master-command.ts'
import type { Messages } from './messages.ts'
import { saveNew } from './save-file.ts'
import { acceptOf, givenSettings, ListOption, settingOption, wordsOf } from './setting-options.ts'
import { table } from './text-output.ts'
import { unpackResult, withoutEmptyFolder, writableFolder } from './unpack.ts'
import { unusable } from './unusable-input.ts'
import { wholeNumberFrom } from './whole-number-option.ts'

interface ListOptions extends ClientOptions {
  readonly status?: (typeof JOB_STATUSES)[number]
  readonly search?: string
  readonly limit: number
}

interface RetryOptions extends ClientOptions {
  readonly platforms?: string
  readonly [option: string]: unknown
}

/** Adds the group `jobs`, and `analyse`. */
export function registerJobCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.jobs
  const command = commandGroup(program, { name: 'jobs', about: say.about, dataDir, messages })
  registerReading(command, messages)
  registerLink(command, messages)
  registerJobFile(command, messages)
  registerEnding(command, messages)
  registerRetry(command, messages)
  registerAnalyse(clientCommands(program, dataDir, messages), messages)
}

/** Adds `jobs list`, `show`, `report` and `download`. */
function registerReading(command: AddCommand, messages: Messages): void {
  const say = messages.jobs
  command(
    'list',
    say.list,
    (client, options: ListOptions) => client.call('listJobs', { query: listQuery(options) }),
    (page) => describePage(page, messages),
  )
    .addOption(new Option('--status <status>', say.status).choices(JOB_STATUSES))
    .option('--search <words>', say.search)
    .option(
      '--limit <n>',
      say.limit(DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE),
      wholeNumberFrom(1, messages.jobs.aLimit(MAX_PAGE_SIZE), MAX_PAGE_SIZE),
      DEFAULT_PAGE_SIZE,
    )
  command(
    'show <id>',
    say.show,
    (client, id: string, options: ClientOptions & { readonly wait?: true }) =>
      options.wait ? waitForJob(client, id) : client.call('readJob', { params: { job_id: id } }),
    (job) => describeNamed(job, messages),
  ).option('--wait', say.wait)
  command(
    'report <id>',
    say.report,
    (client, id: string) => client.call('readReport', { params: { job_id: id } }),
    (report) => JSON.stringify(report, null, 2),
  )
  command(
    'download <id>',
    say.download,
    async (client, id: string, options: ClientOptions & { readonly out?: string }) => {
      const named = options.out ?? absolutePath(messages)(MASTERS_FOLDER)
      return withoutEmptyFolder(named, async () => {
        const out = await writableFolder(named, messages)
        return { files: await unpackResult(client, id, out, messages) }
      })
    },
    ({ files }) => files.join('\n'),
  ).option('--out <dir>', messages.master.out, absolutePath(messages))
}

/** Adds `jobs link`, `links` and `unlink`: addresses that only work while the service is running. */
function registerLink(command: AddCommand, messages: Messages): void {
  command('link <id>', messages.jobs.link)
    .option('--expires <time>', messages.jobs.linkExpires, duration(messages))
    .action((id: string, { expires, ...options }: ClientOptions & { readonly expires?: number }) => {
      const body = expires === undefined ? {} : { expires_in: expires }
      return runClientCommand(
        { ...options, needsRunning: true },
        messages,
        (client) => {
          if (expires !== undefined && expires > MAX_LINK_SECONDS) throw unusable(messages.jobs.atMost)
          return client.call('createLink', { params: { job_id: id }, body })
        },
        ({ url }) => url,
      )
    })
  command('links <id>', messages.jobs.links).action((id: string, options: ClientOptions) =>
    runClientCommand(
      { ...options, needsRunning: true },
      messages,
      (client) => client.call('listLinks', { params: { job_id: id } }),
      ({ links }) =>
        links.length === 0 ? messages.jobs.noLinks : table(links.map((link) => [link.link_id, link.expires_at])),
    ),
  )
  command('unlink <id> <link>', messages.jobs.unlink).action((id: string, link: string, options: ClientOptions) =>
    runClientCommand(
      { ...options, needsRunning: true },
      messages,
      async (client) => {
        await client.call('deleteLink', { params: { job_id: id, link_id: link } })
        return { link_id: link, deleted: true }
      },
      () => messages.jobs.unlinked,
    ),
  )
}

/** Adds `jobs cancel` and `delete`. */
function registerEnding(command: AddCommand, messages: Messages): void {
  const say = messages.jobs
  command('cancel <id>', say.cancel).action((id: string, options: ClientOptions) => {
    let hadEnded = false
    return runClientCommand(
      options,
      messages,
      async (client) => {
        const { status } = await client.call('readJob', { params: { job_id: id } })
        hadEnded = status !== 'queued'
        return (await client.call('deleteJob', { params: { job_id: id }, query: { status: 'queued' } })) as Job
      },
      (job) => [describeNamed(job, messages), ...(hadEnded ? [say.hadEnded] : [])].join('\n'),
    )
  })
  command(
    'delete <id>',
    say.delete,
    async (client, id: string) =>
      (await client.call('deleteJob', { params: { job_id: id } })) ?? { job_id: id, deleted: true },
    (ended) => ('status' in ended ? describeNamed(ended, messages) : say.deleted),
  )
}

/** Adds `jobs retry`. */
function registerRetry(command: AddCommand, messages: Messages): void {
  const retry = command(
    'retry <id>',
    messages.jobs.retry,
    (client, id: string, options: RetryOptions) =>
      client.call('retryJob', { params: { job_id: id }, body: changesOf(options) }),
    ({ job_id, credits_remaining }) => messages.jobs.retried(job_id, credits_remaining),
  ).addOption(new ListOption('--platforms <list>', messages.master.platforms(PLATFORMS.join(',')), PLATFORMS))
  for (const name of SETTING_NAMES) retry.addOption(settingOption(name, messages))
}

interface AnalyseOptions extends ClientOptions {
  readonly convert?: true
  readonly price?: true
  readonly target?: string
}

function registerAnalyse(command: AddCommand, messages: Messages): void {
  const say = messages.jobs
  command(
    'analyse',
    say.analyse,
    async (client, file: string, options: AnalyseOptions) => {
      const named = [{ path: file === STANDARD_INPUT ? file : absolutePath(messages)(file) }]
      const { signal } = new AbortController()
      return withInputs(named, { messages, signal }, async ([song]) => {
        const { path = '', name = '' } = song ?? {}
        const accept = acceptOf(options)
        const fields = {
          ...(accept ? { accept } : {}),
          ...(options.price ? { price: true } : {}),
          ...(options.target === undefined ? {} : { target: true }),
        }
        const files = { file: { content: await openAsBlob(path), name } }
        const analysis = await client.call('analyze', { fields, files })
        if (options.target !== undefined) await saveNew(Response.json(analysis.target), options.target, messages)
        return analysis
      })
    },
    (analysis) => describeAnalysis(analysis, messages),
  )
    .alias('analyze')
    .argument('<file>', say.file)
    .option('--convert', messages.master.convert)
    .option('--price', say.price)
    .option('--target <file>', say.target, absolutePath(messages))
}

const listQuery = ({ status, search, limit }: ListOptions): NonNullable<CallArguments<'listJobs'>['query']> => ({
  limit,
  ...(status === undefined ? {} : { status }),
  ...(search === undefined ? {} : { q: search }),
})

const changesOf = (options: RetryOptions) =>
  ({
    ...givenSettings(options),
    ...(options.platforms === undefined ? {} : { platforms: wordsOf(options.platforms) }),
  }) as NonNullable<CallArguments<'retryJob'>['body']>

const nameOf = ({ artist, title }: Job) => (artist ? `${artist} - ${title}` : title)

const describeNamed = (job: Job, messages: Messages) =>
  [
    `${job.job_id}  ${nameOf(job)}`,
    describeJob(job, messages),
    ...(job.output_folder === undefined ? [] : [messages.jobs.delivered(job.output_folder)]),
  ].join('\n')

function describePage({ jobs, total }: JobPage, messages: Messages): string {
  const say = messages.jobs
  if (total === 0) return say.none
  const rows = jobs.map((job) => {
    const state = job.status === 'queued' ? describeJob(job, messages) : messages.master.stages[job.status]
    return [job.job_id, job.created_at.slice(0, 10), state, nameOf(job)]
  })
  return [table(rows), ...(total > jobs.length ? [say.of(jobs.length, total)] : [])].join('\n')
}

function describeAnalysis(
  { measurement, suggestion, forecast = [], summary, warnings }: Analysis,
  { jobs: say, master, language }: Messages,
): string {
  const { integrated_lufs, true_peak_dbtp, loudness_range_lu, correlation } = measurement
  return [
    table([
      [say.figures.loudness, `${decibels(integrated_lufs)} LUFS`],
      [say.figures.peak, `${decibels(true_peak_dbtp)} dBTP`],
      [say.figures.range, `${decibels(loudness_range_lu, 1)} LU`],
      [say.figures.correlation, decibels(correlation)],
    ]),
    summary,
    ...warnings.map(({ message }) => master.note(message)),
    ...(suggestion && suggestion.reasons.length > 0
      ? [say.suggested, ...suggestion.reasons.map(({ message }) => `  ${message}`)]
      : []),
    ...(forecast.length > 0 ? [say.forecast, ...forecast.map((one) => `  ${forecastText(one, language)}`)] : []),
  ].join('\n')
}
