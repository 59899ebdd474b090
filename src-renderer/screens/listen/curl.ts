/** The call that masters a song as this one was, for a terminal. Pure. */
import { ENDPOINTS } from '../../../src-server/contract/endpoints.ts'
import type { Job } from '../../../src-server/contract/jobs.ts'

/** Returns a word in single quotes, safe for a POSIX shell whatever is in it. */
const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`

/** Returns the command, one option per line. The key stays a variable: the page has none to show. */
export function curlOf(job: Job, baseUrl: string): string {
  const fields: [string, string][] = [
    ['file', `@${job.filename}`],
    ['platforms', job.platforms.join(',')],
    ['genre', job.genre],
    ['ai_service', job.ai_service],
    ['tier', job.tier],
    ['intensity', String(job.intensity)],
    ['loudness', job.loudness],
  ]
  if (job.reference_filename) {
    fields.push(['reference_file', `@${job.reference_filename}`], ['reference_amount', String(job.reference_amount)])
  }
  return [
    `curl ${baseUrl}${ENDPOINTS.createJob.path}`,
    '-H "Authorization: Bearer $LOUDSMITH_KEY"',
    ...fields.map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`),
  ].join(' \\\n  ')
}
