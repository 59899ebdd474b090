import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { jobSettings } from '../../../src-contract/settings.ts'
import { Retention } from '../../../src-server/artifacts/retention.ts'
import { Removals } from '../../../src-server/db/removals.ts'
import { TrustedTime } from '../../../src-server/db/trusted-time.ts'
import { FinishedJobs } from '../../../src-server/jobs/finished-jobs.ts'
import { createFolders } from '../../../src-server/jobs/folders.ts'
import { JobStore } from '../../../src-server/jobs/store.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemRandom } from '../../../src-system/system.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { FACTS } from '../batch/fixture.ts'
import { newDatabaseFile, openTestDatabase } from '../notify/fixture.ts'

const DAY = 86_400_000

/** Jobs that ended, with folders, under a retention of `days`. */
function open(days: number | null) {
  const file = newDatabaseFile()
  const clock = createFakeClock()
  const db = openTestDatabase(file)
  const store = new JobStore(db)
  const finishedJobs = new FinishedJobs(db)
  const folders = createFolders(path.dirname(file))
  const world = { days, time: undefined as TrustedTime | undefined }
  const events: string[] = []
  const log = createLog('silent', clock, () => {})
  const makeTime = () => new TrustedTime({ db, clock, newestMs: () => store.newestMs() })
  const removals = new Removals({ db, dataDir: path.dirname(file), clock, random: systemRandom, log })
  const makeRetention = () =>
    new Retention({
      db,
      clock,
      time: world.time ?? makeTime(),
      log,
      retentionDays: () => world.days,
      jobs: finishedJobs,
      removals,
      freeing: (run) => run(),
      notify: {
        record: (event) =>
          void events.push(
            'jobId' in event ? `${event.event} ${[...ids].find(([, id]) => id === event.jobId)?.[0]}` : event.event,
          ),
        committed: () => void events.push('told'),
      },
    })
  const retention = makeRetention()
  const ids = new Map<string, string>()
  /** A name of a folder as jobs have them, the same for the same word. */
  const idOf = (word: string) => {
    const id = ids.get(word) ?? systemRandom.newUuid()
    ids.set(word, id)
    return id
  }
  const addFolder = (word: string) => {
    const jobId = idOf(word)
    mkdirSync(folders.result(jobId), { recursive: true })
    writeFileSync(path.join(folders.result(jobId), 'result.zip'), 'zip')
    writeFileSync(folders.source(jobId), 'song')
  }
  const addJob = (word: string, hasEnded = true) => {
    const jobId = idOf(word)
    store.add({
      jobId,
      request: { settings: jobSettings({ platforms: ['melon'] }) },
      song: { filename: 'a.wav', sha256: 'a', facts: FACTS },
      creditsUsed: 1,
      creditsRemaining: 1,
      warnings: [],
      storedBytes: 7,
      createdAtMs: clock.now(),
    })
    addFolder(word)
    const { expiresAtMs, isDoubtful } = retention.expiryOf(clock.now())
    const end = {
      failure: { code: 'CANCELLED' as const, values: {} },
      warnings: [],
      creditsRefunded: 1,
      storedBytes: 7,
    }
    if (hasEnded) {
      store.finish(
        jobId,
        { state: 'failed', starts: 1, losses: 0, interruptions: 0 },
        {
          ...end,
          hasDoubtfulTime: isDoubtful,
          completedAtMs: clock.now(),
          ...(expiresAtMs === null ? {} : { expiresAtMs }),
        },
      )
    }
  }
  const hasFiles = (word: string) => existsSync(folders.job(idOf(word)))
  /** Sweeps while time goes on. */
  const sweep = () => clock.until(retention.sweep())
  return {
    makeRetention,
    makeTime,
    clock,
    removals,
    idOf,
    sweep,
    store,
    finishedJobs,
    folders,
    world,
    events,
    retention,
    addJob,
    addFolder,
    hasFiles,
  }
}

test('files of a job go when its time is over, not before; the record stays and says so', async () => {
  const { clock, retention, sweep, idOf, addJob, hasFiles, store, events } = open(30)
  addJob('a')
  await clock.advance(30 * DAY - 1)
  expect(await retention.sweep()).toBe(0)
  expect(hasFiles('a')).toBe(true)
  await clock.advance(1)
  expect(await sweep()).toBe(1)
  expect([hasFiles('a'), store.find(idOf('a'))?.isSwept, store.storedBytes()]).toEqual([false, true, 0])
  expect(events).toEqual(['job.expired a', 'told'])
  expect(await retention.sweep()).toBe(0)
})

test('a job that a release keeps does not expire; when it is kept no longer, its whole period begins', async () => {
  const { clock, retention, sweep, idOf, addJob, hasFiles, store, finishedJobs } = open(30)
  addJob('kept')
  addJob('other')
  retention.keepOnly([idOf('kept')])
  await clock.advance(40 * DAY)
  expect(await sweep()).toBe(1)
  expect([hasFiles('kept'), hasFiles('other'), finishedJobs.nextExpiryMs()]).toEqual([true, false, undefined])
  expect(store.find(idOf('kept'))?.expiresAtMs).toBeUndefined()
  retention.keepOnly([])
  const [outMs, expiry] = [clock.now(), () => store.find(idOf('kept'))?.expiresAtMs]
  expect(expiry()).toBe(outMs + 30 * DAY)
  finishedJobs.setRetention(20 * DAY, 0, 9)
  expect(expiry()).toBe(outMs + 20 * DAY)
  await clock.advance(20 * DAY - 1)
  expect(await retention.sweep()).toBe(0)
  await clock.advance(1)
  expect(await sweep()).toBe(1)
  expect(hasFiles('kept')).toBe(false)
})

test('an unfinished job that a release no longer keeps has no end yet', () => {
  const { retention, addJob, idOf, store } = open(1)
  addJob('a', false)
  retention.keepOnly([idOf('a')])
  retention.keepOnly([])
  expect(store.find(idOf('a'))?.expiresAtMs).toBeUndefined()
})

test('an unfinished job never expires', async () => {
  const { clock, retention, addJob, hasFiles } = open(1)
  addJob('a', false)
  await clock.advance(400 * DAY)
  retention.start()
  expect(hasFiles('a')).toBe(true)
  retention.close()
})

test('results that are to be kept are kept, and a new period holds for what is there already', async () => {
  const { clock, retention, addJob, hasFiles, world } = open(null)
  addJob('a')
  await clock.advance(40 * DAY)
  expect(await retention.sweep()).toBe(0)
  world.days = 50
  retention.replan()
  expect(await retention.sweep()).toBe(0)
  await clock.advance(10 * DAY)
  expect(hasFiles('a')).toBe(false)
})

test('a shorter period frees what is over by it after a minute of second thoughts', async () => {
  const { clock, retention, addJob, hasFiles, world } = open(null)
  addJob('a')
  retention.start()
  await clock.advance(10 * DAY)
  const choose = async (days: number | null, forMs: number) => {
    world.days = days
    retention.replan()
    await clock.advance(forMs)
    return hasFiles('a')
  }
  expect(await choose(7, 59_000)).toBe(true)
  expect(await choose(90, DAY)).toBe(true)
  expect(await choose(7, 60_000)).toBe(false)
  retention.close()
  addJob('b')
  await clock.advance(10 * DAY)
  expect(hasFiles('b')).toBe(true)
})

test('a longer period spares what was about to go', async () => {
  const { clock, retention, sweep, addJob, hasFiles, world } = open(30)
  addJob('a')
  await clock.advance(31 * DAY)
  world.days = null
  retention.replan()
  await clock.advance(100)
  expect(await sweep()).toBe(0)
  expect(hasFiles('a')).toBe(true)
  await retention.close()
})

test('the sweep comes at the start and when a job’s time is over', async () => {
  const { clock, retention, addJob, hasFiles, events } = open(1)
  await clock.advance(1_234_567)
  addJob('a')
  retention.start()
  await clock.advance(DAY - 1)
  expect(hasFiles('a')).toBe(true)
  await clock.advance(1)
  expect(hasFiles('a')).toBe(false)
  // Told beforehand, and when it is over.
  expect(events).toEqual(['account.changed', 'told', 'job.expired a', 'told'])
  addJob('b')
  retention.close()
  await clock.advance(9 * DAY)
  expect(hasFiles('b')).toBe(true)
})

test('what is about to go is told a week before, once, with its size and its day; what a release keeps is not among it', async () => {
  const { clock, retention, finishedJobs, idOf, addJob, events } = open(30)
  for (const word of ['a', 'kept']) addJob(word)
  retention.keepOnly([idOf('kept')])
  retention.start()
  await clock.advance(23 * DAY - 1)
  expect([retention.expiringSoon(), events]).toEqual([null, []])
  const at = clock.now() + 7 * DAY + 1
  await clock.advance(3_600_001)
  expect(retention.expiringSoon()).toEqual({ results: 1, size_bytes: 7, first_at: new Date(at).toISOString() })
  await clock.advance(5 * DAY)
  expect(events).toEqual(['account.changed', 'told'])
  finishedJobs.markExpired(idOf('a'))
  expect(retention.expiringSoon()).toBe(null)
  await retention.close()
})

test('what is about to go is kept for another period from the moment that is asked for, and nothing else', async () => {
  const { clock, retention, finishedJobs, addJob, hasFiles, events } = open(30)
  addJob('old')
  retention.start()
  await clock.advance(10 * DAY)
  addJob('new')
  await clock.advance(15 * DAY)
  expect(events).toEqual(['account.changed', 'told'])
  expect([retention.keepSoon(), retention.keepSoon()]).toEqual([1, 0])
  expect([retention.expiringSoon(), events.splice(0)]).toEqual([
    null,
    Array(2).fill(['account.changed', 'told']).flat(),
  ])
  await clock.advance(15 * DAY)
  expect([hasFiles('old'), hasFiles('new')]).toEqual([true, false])
  // Another setting counts from that moment as well.
  finishedJobs.setRetention(29 * DAY, 0, 9)
  await clock.advance(14 * DAY - 1)
  expect(hasFiles('old')).toBe(true)
  await clock.advance(3_600_002)
  expect(hasFiles('old')).toBe(false)
  await retention.close()
})

test('folders that a crash left of deleted and expired jobs go at the start, and no other', async () => {
  const { clock, retention, removals, store, idOf, sweep, addJob, addFolder, hasFiles } = open(1)
  addJob('deleted')
  store.remove(idOf('deleted'))
  removals.record(`jobs/${idOf('deleted')}`)
  addJob('expired')
  addJob('running', false)
  await clock.advance(DAY)
  await sweep()
  addFolder('expired')
  removals.record(`jobs/${idOf('expired')}`)
  addJob('kept')
  addFolder('unknown')
  retention.start()
  await expect.poll(() => clock.advance(20).then(() => hasFiles('deleted') || hasFiles('expired'))).toBe(false)
  const words = ['deleted', 'expired', 'running', 'kept', 'unknown']
  expect(words.map(hasFiles)).toEqual([false, false, true, true, true])
  await retention.close()
})

test('many jobs are swept in slices, between which others get their turn; a changed setting ends the sweep', async () => {
  const { clock, retention, addJob, store, finishedJobs, world, idOf } = open(1)
  for (let index = 0; index < 40; index++) addJob(`${index}`)
  const left = () => finishedJobs.listExpirable(clock.now(), 100).length
  await clock.advance(DAY)
  const swept = retention.sweep()
  const first = left()
  expect(first, 'one slice').toBeGreaterThan(20)
  await clock.advance(20)
  expect(left()).toBeLessThan(first)
  world.days = null
  retention.replan()
  await clock.advance(1000)
  expect(await swept).toBeLessThan(40)
  expect(left(), 'what was about to go is spared').toBe(0)
  const kept = Array.from({ length: 40 }, (_, index) => store.find(idOf(`${index}`))?.isSwept).filter((one) => !one)
  expect(kept.length).toBeGreaterThan(0)
  await retention.close()
})

test('a setting whose application was broken off holds from the next start on', async () => {
  const { clock, retention, makeRetention, addJob, store, world, idOf } = open(30)
  for (let index = 0; index < 120; index++) addJob(`${index}`)
  const expiries = () => new Set(Array.from({ length: 120 }, (_, index) => store.find(idOf(`${index}`))?.expiresAtMs))
  world.days = 60
  retention.replan()
  await clock.advance(0)
  await retention.close()
  expect(expiries().size).toBe(2)
  const next = makeRetention()
  next.start()
  await clock.advance(1000)
  expect(expiries().size).toBe(1)
  await next.close()
})

test('a clock that jumps ahead takes nothing for a day, and nothing at all when it comes back', async () => {
  const { clock, retention, addJob, hasFiles } = open(30)
  addJob('a')
  retention.start()
  clock.jump(40 * DAY)
  await clock.advance(DAY - 7_200_000)
  expect(hasFiles('a')).toBe(true)
  clock.jump(-40 * DAY)
  await clock.advance(20 * DAY)
  expect(hasFiles('a')).toBe(true)
  clock.jump(40 * DAY)
  await clock.advance(DAY + 7_200_000)
  await expect.poll(() => clock.advance(20).then(() => hasFiles('a'))).toBe(false)
  await retention.close()
})

test('a jump is not borne out by the next one within the hour; one that comes later is the end of a sleep', async () => {
  const { clock, addJob, hasFiles, sweep } = open(30)
  addJob('a')
  for (let jump = 0; jump < 5; jump++) {
    clock.jump(40 * DAY)
    expect(await sweep()).toBe(0)
    await clock.advance(DAY / 100)
  }
  expect(hasFiles('a')).toBe(true)
  await clock.advance(DAY / 10)
  expect(await sweep()).toBe(0)
  clock.jump(3 * DAY)
  expect(await sweep()).toBe(1)
})

test('a start with a clock that is ahead takes nothing; one that is still there a day later does', async () => {
  const { clock, makeRetention, makeTime, addJob, hasFiles, world } = open(30)
  const start = async () => {
    world.time = makeTime()
    const retention = makeRetention()
    retention.start()
    await clock.advance(1000)
    await retention.close()
  }
  addJob('a')
  await start()
  clock.jump(40 * DAY)
  await start()
  clock.jump(-40 * DAY + 3_600_000)
  await start()
  expect(hasFiles('a')).toBe(true)
  clock.jump(40 * DAY)
  await start()
  expect(hasFiles('a')).toBe(true)
  clock.jump(2 * DAY)
  await start()
  await expect.poll(() => hasFiles('a')).toBe(false)
})

test.each([
  ['1970', 0],
  ['2006', Date.UTC(2006, 0, 1)],
])(
  'a job that ended while the clock stood in %s is kept for its whole time once the clock is right',
  async (_year, deadMs) => {
    const { clock, retention, world, store, idOf, addJob, hasFiles } = open(30)
    const rightMs = clock.now()
    addJob('before')
    clock.jump(deadMs - clock.now())
    addJob('a')
    expect(store.find(idOf('a'))?.expiresAtMs).toBeUndefined()
    retention.start()
    world.days = 31
    retention.replan()
    await clock.advance(5 * DAY)
    world.days = 30
    retention.replan()
    clock.jump(rightMs + 5 * DAY - clock.now())
    await clock.advance(29 * DAY)
    expect([hasFiles('before'), hasFiles('a')]).toEqual([false, true])
    const expiresAtMs = store.find(idOf('a'))?.expiresAtMs ?? 0
    expect(expiresAtMs).toBeGreaterThanOrEqual(rightMs + 35 * DAY)
    await clock.advance(expiresAtMs - clock.now() + 3_600_000)
    await expect.poll(() => clock.advance(20).then(() => hasFiles('a'))).toBe(false)
    await retention.close()
  },
)
