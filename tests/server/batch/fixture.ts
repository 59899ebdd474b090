/** The batch and the stored songs on a real database file and folder, with jobs that end when a test says so. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import type { Batch } from '../../../src-contract/app.ts'
import { PLAN_LIMITS } from '../../../src-contract/plans.ts'
import { type BatchJob, BatchQueue } from '../../../src-server/batch/batch.ts'
import { Removals } from '../../../src-server/db/removals.ts'
import { AppError } from '../../../src-server/http/app-error.ts'
import { FinishedJobs } from '../../../src-server/jobs/finished-jobs.ts'
import { SourceJobs } from '../../../src-server/jobs/source-jobs.ts'
import { JobStore } from '../../../src-server/jobs/store.ts'
import { Sources } from '../../../src-server/sources/sources.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemRandom } from '../../../src-system/system.ts'
import type { AudioFacts } from '../../../src-worker/media/audio-facts.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { newDatabaseFile, openTestDatabase } from '../notify/fixture.ts'

export const FACTS: AudioFacts = {
  format: 'wav',
  codec: 'pcm_s24',
  sampleRateHz: 48_000,
  channels: 2,
  frames: 480_000,
  durationSeconds: 10,
  bitDepth: 24,
  isLossy: false,
  tags: { artist: '아이유' },
  hasCover: false,
  hasProvenance: false,
}

export type Outcome = 'accept' | AppError

/** A batch at `file`; opening the same file again is a restart. */
export function openBatch(file = newDatabaseFile(), clock = createFakeClock()) {
  const db = openTestDatabase(file)
  const store = new JobStore(db)
  const sourceJobs = new SourceJobs(db)
  const finishedJobs = new FinishedJobs(db)
  const folder = path.join(path.dirname(file), 'sources')
  const log = createLog('silent', clock, () => {})
  const removals = new Removals({ db, dataDir: path.dirname(file), clock, random: systemRandom, log })
  mkdirSync(path.join(path.dirname(file), 'tmp'), { recursive: true })
  const sources = new Sources({ db, clock, random: systemRandom, folder, removals, sourceJobs })
  const submitted: BatchJob[] = []
  const cancelled: string[] = []
  const events: string[] = []
  /** Every message so far, at the time it was sent. */
  const told: string[] = []
  const world = {
    slots: PLAN_LIMITS.pro.concurrentJobs,
    workers: 8,
    outcome: (_job: BatchJob): Outcome => 'accept',
    breaksNotes: false,
    released: [] as string[],
  }

  const jobs = {
    submit(job: BatchJob) {
      const outcome = world.outcome(job)
      if (outcome instanceof AppError) throw outcome
      submitted.push(job)
      store.add({
        jobId: systemRandom.newUuid(),
        request: job.request,
        batchId: job.batchId,
        sourceId: job.sourceId,
        song: job.song,
        creditsUsed: 1,
        creditsRemaining: 9,
        warnings: [],
        storedBytes: 0,
        createdAtMs: clock.now(),
      })
    },
    cancel: (jobId: string) => {
      cancelled.push(jobId)
      end(jobId)
    },
    freeSlots: () => world.slots - store.countUnfinished(),
  }
  const end = (jobId: string) =>
    store.finish(
      jobId,
      { state: 'failed', starts: 1, losses: 0, interruptions: 0 },
      {
        failure: { code: 'CANCELLED', values: {} },
        warnings: [],
        creditsRefunded: 1,
        storedBytes: 0,
        completedAtMs: clock.now(),
      },
    )
  const made = new BatchQueue({
    db,
    clock,
    random: systemRandom,
    log,
    tmp: path.join(path.dirname(file), 'tmp'),
    sources,
    jobs,
    sourceJobs,
    releasedSources: () => world.released,
    workers: () => world.workers,
    spareRoom: { use: (run) => run() },
    notify: {
      record({ event }) {
        if (world.breaksNotes) throw new Error('disk I/O error')
        events.push(event)
      },
      committed: () => void told.push(...events.slice(told.length)),
    },
  })

  const batch = Object.assign(made, { read: (language: 'en' | 'ko') => JSON.parse(made.json(language)) as Batch })

  /** Stores a song of its own bytes. */
  const storeSong = (purpose: 'song' | 'reference', name: string, bytes: string) => {
    const upload = path.join(path.dirname(file), 'tmp', systemRandom.newUuid())
    mkdirSync(path.dirname(upload), { recursive: true })
    writeFileSync(upload, bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const song = {
      purpose,
      path: upload,
      filename: `${name}.wav`,
      sizeBytes: bytes.length,
      sha256,
      facts: FACTS,
    }
    return sources.add(song)
  }
  const addReference = (name: string) => storeSong('reference', name, name)
  /** Stores a song and puts it in the batch. */
  const addSong = (name: string, bytes = name) => batch.add(() => storeSong('song', name, bytes))
  /** Removes the files of forgotten songs, of which there must be one. */
  async function sweepOne(): Promise<void> {
    const before = readdirSync(folder).length
    await clock.until(sources.sweepFiles(new AbortController().signal))
    expect(readdirSync(folder)).toHaveLength(before - 1)
  }
  const titles = () => batch.read('en').songs.map(({ source }) => source.title)
  const states = () => batch.read('en').songs.map(({ state }) => state)
  return {
    file,
    db,
    clock,
    batch,
    sources,
    store,
    sourceJobs,
    finishedJobs,
    folder,
    submitted,
    cancelled,
    events,
    told,
    world,
    end,
    addSong,
    addReference,
    sweepOne,
    titles,
    states,
  }
}
