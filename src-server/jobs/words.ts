/** `POST /api/v1/words`: words about the sound as settings. */
import type { FastifyInstance } from 'fastify'
import type { JobPage } from '../../src-contract/jobs.ts'
import { EDGE_NAMES, type JobSettings, SETTING_NAMES } from '../../src-contract/settings.ts'
import { wordsSummary } from '../../src-contract/text/words.ts'
import { understand } from '../../src-contract/words/understand.ts'
import { wordsEndpoints } from '../../src-contract/words.ts'
import { type Call, route } from '../http/route.ts'

/** Serves what words ask for; `newest` returns the page of the newest job. */
export function wordsRoute(
  app: FastifyInstance,
  newest: (call: Pick<Call<typeof wordsEndpoints.readWords>, 'caller' | 'language'>) => JobPage,
): void {
  route(app, wordsEndpoints.readWords, (call) => {
    const { words, settings: from = {}, language = call.language } = call.body
    const understanding = understand(words, { from, last: lastSettings(newest(call)) })
    return { status: 200, body: { ...understanding, summary: wordsSummary(understanding, language) } } as const
  })
}

/** Settings of a job that another song can have too: the cuts and fades of a song are its own. */
const CARRIED = SETTING_NAMES.filter((name) => !EDGE_NAMES.some((edge) => edge === name))

function lastSettings({ jobs: [job] }: JobPage): Partial<JobSettings> | undefined {
  if (!job) return undefined
  const given = CARRIED.filter((name) => job[name] !== undefined).map((name) => [name, job[name]])
  return { platforms: job.platforms, ...Object.fromEntries(given) }
}
