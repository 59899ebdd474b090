import path from 'node:path'
import { type Command, Option } from 'commander'
import { AI_SERVICES, GENRES, LOUDNESS_MODES, PLATFORMS, TIERS } from '../contract/platforms.ts'
import type { MasterResult } from '../contract/report.ts'
import { type ClientOptions, printFailure, withClientOptions } from './client-command.ts'
import { withService } from './connect.ts'
import { absolutePath } from './data-dir.ts'
import { isFile, type MasterOutcome, masterFile } from './master.ts'
import { unusable } from './service-error.ts'
import { createProgressLine, table } from './text-output.ts'

interface MasterCommandOptions extends ClientOptions {
  readonly platforms: string
  readonly out: string
  readonly reference?: string
  readonly genre?: string
  readonly aiService?: string
  readonly tier?: string
  readonly loudness?: string
  readonly intensity?: string
  readonly referenceAmount?: string
  readonly title?: string
  readonly artist?: string
}

/** Adds `master FILE`: one ordinary job, with its masters unpacked into `--out`. */
export function registerMasterCommand(program: Command, dataDir: string): void {
  withClientOptions(program.command('master').argument('<file>', 'MP3, WAV or FLAC'), dataDir)
    .description('Master a song: one job, one credit, one master per platform.')
    .requiredOption('--platforms <list>', `comma-separated: ${PLATFORMS.join(',')}`)
    .requiredOption('--out <dir>', 'folder for the masters and the report', absolutePath)
    .addOption(new Option('--genre <genre>').choices(GENRES))
    .addOption(new Option('--ai-service <service>').choices(AI_SERVICES))
    .addOption(new Option('--tier <tier>').choices(TIERS))
    .addOption(new Option('--loudness <mode>').choices(LOUDNESS_MODES))
    .option('--intensity <percent>', 'how much the chain may change, 0 to 100')
    .option('--reference <file>', 'a track whose tone to match', absolutePath)
    .option('--reference-amount <percent>', 'how far to move toward it, 0 to 100')
    .option('--title <title>')
    .option('--artist <artist>')
    .action(masterCommand)
}

async function masterCommand(file: string, options: MasterCommandOptions): Promise<void> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  // npm passes on what the terminal sends to both: a second signal must not keep the job from being cancelled.
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  const line = createProgressLine(process.stderr)
  try {
    for (const input of [absolutePath(file), options.reference]) {
      if (input !== undefined && !(await isFile(input))) throw unusable(`There is no file ${input}.`)
    }
    const outcome = await withService(options.dataDir, (client) =>
      masterFile(
        client,
        absolutePath(file),
        { platforms: options.platforms, out: options.out, fields: textFields(options), ...reference(options) },
        (job) => line.show(job.progress, job.stage ?? job.status),
        stop.signal,
      ),
    )
    line.end()
    process.stdout.write(`${options.json ? JSON.stringify(outcome) : describe(outcome, options.out)}\n`)
    if (outcome.job.status === 'failed') process.exitCode = stop.signal.aborted ? 130 : 1
  } catch (error) {
    line.end()
    printFailure(error, options.json === true)
    process.exitCode = 1
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}

function reference(options: MasterCommandOptions): { reference?: string } {
  return options.reference === undefined ? {} : { reference: options.reference }
}

function textFields(options: MasterCommandOptions): Record<string, string> {
  const fields = {
    genre: options.genre,
    ai_service: options.aiService,
    tier: options.tier,
    loudness: options.loudness,
    intensity: options.intensity,
    reference_amount: options.referenceAmount,
    title: options.title,
    artist: options.artist,
  }
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

function describe({ job, files }: MasterOutcome, out: string): string {
  if (job.status === 'failed') {
    const end = job.failure_code === 'CANCELLED' ? 'Cancelled.' : `Failed: ${job.error_message}`
    return `${end}${job.credits_refunded > 0 ? ' The credit was returned.' : ''}`
  }
  const warnings = job.warnings.map((warning) => `Note: ${warning.message}`)
  const written = files.map((file) => path.relative(out, file))
  return [
    table(job.results.map(resultRow)),
    ...warnings,
    `Written to ${out}:`,
    ...written.map((file) => `  ${file}`),
  ].join('\n')
}

function resultRow(result: MasterResult): string[] {
  return [
    result.platform,
    `${result.integrated_lufs.toFixed(2)} LUFS`,
    `${result.true_peak_dbtp.toFixed(2)} dBTP`,
    result.verdict === 'on_target' ? 'on target' : `below its target of ${result.target_lufs} LUFS`,
  ]
}
