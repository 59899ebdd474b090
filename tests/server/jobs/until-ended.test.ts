import { expect, test } from 'vitest'
import { AppError } from '../../../src-server/http/app-error.ts'
import { untilEnded } from '../../../src-server/jobs/until-ended.ts'
import { createFakeClock, settle } from '../../support/fake-clock.ts'
import { createTestNotify } from '../notify/fixture.ts'

const WAIT_MS = 30_000
const JOB_ID = '0b8f0e63-5cf5-4a3e-9a0f-6f7f6f3f0001'

/** A reader that waits for a job, and how its waiting goes on. */
function wait() {
  const clock = createFakeClock()
  const { notify } = createTestNotify({ clock })
  const gone = new AbortController()
  const job = { hasEnded: false, isDeleted: false }
  const state = { outcome: 'waiting' as unknown }
  const waiting = untilEnded(
    { events: notify.events, clock },
    () => {
      if (job.isDeleted) throw new AppError('JOB_NOT_FOUND')
      return job.hasEnded
    },
    { waitMs: WAIT_MS, signal: gone.signal },
  )
  waiting.then(
    () => {
      state.outcome = 'over'
    },
    (error: unknown) => {
      state.outcome = error
    },
  )
  const happen = async () => {
    notify.record({ event: 'job.created', jobId: JOB_ID })
    notify.committed()
    await settle()
  }
  return { clock, notify, gone, job, state, happen }
}

test('waits for the end, for its time, or for the log to close', async () => {
  const ended = wait()
  await ended.happen()
  expect(ended.state.outcome).toBe('waiting')
  ended.job.hasEnded = true
  await ended.happen()
  expect(ended.state.outcome).toBe('over')

  const late = wait()
  await late.clock.advance(WAIT_MS - 1)
  expect(late.state.outcome).toBe('waiting')
  await late.clock.advance(1)
  expect(late.state.outcome).toBe('over')

  const closed = wait()
  await closed.notify.close()
  await settle()
  expect(closed.state.outcome).toBe('over')
})

test('misses no end that comes while it begins to follow', async () => {
  const { notify } = createTestNotify({ clock: createFakeClock() })
  let hasEnded = false
  const events: Pick<typeof notify.events, 'follow'> = {
    follow(options) {
      hasEnded = true
      return notify.events.follow(options)
    },
  }
  let isOver = false
  const { signal } = new AbortController()
  untilEnded({ events, clock: createFakeClock() }, () => hasEnded, { waitMs: WAIT_MS, signal }).then(() => {
    isOver = true
  })
  await settle()
  expect(isOver).toBe(true)
})

test('gives up with the client, and where the job is deleted', async () => {
  const alone = wait()
  alone.gone.abort('gone')
  await settle()
  expect(alone.state.outcome).toBe('gone')

  const deleted = wait()
  deleted.job.isDeleted = true
  await deleted.happen()
  expect(deleted.state.outcome).toMatchObject({ code: 'JOB_NOT_FOUND' })
})
