import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobSettings } from '../../../src-contract/settings.ts'
import { readMigrations } from '../../../src-server/db/migrate.ts'
import { type Db, openDatabase } from '../../../src-server/db/open.ts'
import { type JobFilter, JobStore, type NewJob } from '../../../src-server/jobs/store.ts'
import { systemRandom } from '../../../src-system/system.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const COUNT = 6000
/** Far below what a person notices; a plain scan of rows with their results would be far above. */
const LIMIT_MS = 150

const folder = temporaryFolder()
let db: Db
let store: JobStore

function job(index: number): NewJob {
  return {
    jobId: systemRandom.newUuid(),
    request: {
      settings: jobSettings({ platforms: [index % 3 ? 'spotify' : 'melon'], genre: 'pop', ai_service: 'suno' }),
      title: `Song ${index}`,
    },
    song: {
      filename: `take ${index}.wav`,
      sha256: '0'.repeat(64),
      facts: {
        format: 'wav',
        codec: 'pcm_s16',
        sampleRateHz: 44_100,
        channels: 2,
        frames: 1,
        durationSeconds: 1,
        isLossy: false,
        tags: {},
        hasCover: false,
        hasProvenance: false,
      },
    },
    creditsUsed: 1,
    creditsRemaining: 1,
    warnings: [],
    storedBytes: 1,
    createdAtMs: index,
  }
}

beforeAll(() => {
  db = openDatabase(
    path.join(folder, 'many.db'),
    readMigrations(path.join(import.meta.dirname, '../../../src-server/db/migrations')),
  )
  store = new JobStore(db)
  db.transaction(() => {
    for (let index = 0; index < COUNT; index++) {
      const one = job(index)
      store.add(one)
      if (index % 10 === 0) continue
      store.finish(
        one.jobId,
        { state: 'failed', starts: 1, losses: 0, interruptions: 0 },
        {
          failure: { code: 'CANCELLED', values: { padding: 'x'.repeat(2000) } },
          warnings: [],
          creditsRefunded: 1,
          storedBytes: 1,
          completedAtMs: index,
        },
      )
    }
  })()
})
afterAll(() => db.close())

test.each<[string, Partial<JobFilter>, number]>([
  ['the newest', {}, COUNT],
  ['by title', { sort: 'title' }, COUNT],
  ['by words', { words: ['song', '599'] }, 16],
  ['unfinished ones', { status: 'queued' }, COUNT / 10],
  ['of a platform', { platform: 'melon' }, COUNT / 3],
  ['far down the pages', { sort: 'newest', after: { serial: 100, shownTitle: '' } }, COUNT],
])(`a page of ${COUNT} jobs, %s, takes less than ${LIMIT_MS} ms of processor time`, (_name, filter, total) => {
  const list = () => store.list({ words: [], sort: 'newest', limit: 50, ...filter })
  list()
  const durations = [1, 2, 3, 4, 5].map(() => {
    const start = process.cpuUsage()
    expect(list().total).toBe(total)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  expect(Math.min(...durations)).toBeLessThan(LIMIT_MS)
})
