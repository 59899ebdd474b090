/** Text of a job for a person: its measured masters and notes, or its failure. */
import { type MasterName, RELEASE } from '../src-contract/delivery-target.ts'
import type { Job } from '../src-contract/jobs.ts'
import type { MasterResult } from '../src-contract/report.ts'
import { costText } from '../src-contract/text/costs.ts'
import { fromStems } from '../src-contract/text/stem-notes.ts'
import type { Messages } from './messages.ts'
import { table } from './text-output.ts'

/** Returns the lines about a job: one for each master and each note, or one with its failure or progress. */
export function describeJob(job: Job, { master: say, language }: Messages): string {
  if (job.status === 'queued') return `${say.stages[job.stage ?? 'waiting']} ${job.progress} %`
  if (job.status === 'failed') {
    const end = job.failure_code === 'CANCELLED' ? say.cancelled : say.failed(job.error_message ?? '')
    return `${end}${job.credits_refunded > 0 ? say.returned : ''}`
  }
  const warnings = job.warnings.map(({ platform, message }) => say.note(platform ? `${platform}: ${message}` : message))
  const costs = job.results.flatMap(({ platform, costs = [] }) =>
    costs
      // A warning already reports it.
      .filter(({ code }) => code !== 'CODEC_OVERSHOOT')
      .map((cost) => say.note(`${platform}: ${costText(cost, language)}`)),
  )
  const results = [...job.results, ...(job.release ? [{ ...job.release, platform: RELEASE }] : [])]
  const summary = job.summary === undefined ? [] : [job.summary]
  const stems = job.stem_count === undefined ? [] : [say.note(fromStems(job.stem_count)[language])]
  return [table(results.map((result) => resultRow(result, say))), ...stems, ...summary, ...warnings, ...costs].join(
    '\n',
  )
}

function resultRow(
  result: Pick<MasterResult, 'integrated_lufs' | 'true_peak_dbtp' | 'verdict' | 'target_lufs'> & {
    platform: MasterName
  },
  say: Messages['master'],
): string[] {
  return [
    result.platform,
    `${result.integrated_lufs.toFixed(2)} LUFS`,
    `${result.true_peak_dbtp.toFixed(2)} dBTP`,
    result.verdict === 'on_target' ? say.onTarget : say.below(result.target_lufs),
  ]
}
