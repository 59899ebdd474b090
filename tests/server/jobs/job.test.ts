import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  hasEnded,
  JOB_STATES,
  type JobEvent,
  MAX_STARTS,
  nextPosition,
  statusOf,
} from '../../../src-server/jobs/job.ts'

const event = fc.constantFrom<JobEvent>(
  { kind: 'claim' },
  { kind: 'succeed' },
  { kind: 'fail', failureCode: 'DIGITAL_SILENCE' },
  { kind: 'crash' },
  { kind: 'release' },
  { kind: 'cancel' },
)
const position = fc.record({ state: fc.constantFrom(...JOB_STATES), starts: fc.integer({ min: 0, max: MAX_STARTS }) })

test('an ended job never changes, whatever happens (contract 1)', () => {
  fc.assert(
    fc.property(position, event, (from, what) => {
      if (hasEnded(from.state)) expect(nextPosition(from, what)).toBeUndefined()
    }),
  )
})

test('a job whose last crash was for want of memory fails as that', () => {
  const event = { kind: 'crash', isOutOfMemory: true } as const
  expect(nextPosition({ state: 'running', starts: 2 }, event)).toMatchObject({ state: 'waiting' })
  expect(nextPosition({ state: 'running', starts: 3 }, event)).toMatchObject({ failureCode: 'OUT_OF_MEMORY' })
})

test('a job that keeps crashing is started three times and then fails; orderly stops never count (contract 8)', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('crash', 'release'), { maxLength: 40 }), (ends) => {
      let job: ReturnType<typeof nextPosition> = { state: 'waiting', starts: 0 }
      let crashes = 0
      for (const kind of ends) {
        job = nextPosition(job as NonNullable<typeof job>, { kind: 'claim' })
        expect(job?.state).toBe('running')
        job = nextPosition(job as NonNullable<typeof job>, { kind } as JobEvent)
        if (kind === 'crash') crashes++
        expect(job).toMatchObject(
          crashes === 3 ? { state: 'failed', failureCode: 'ENGINE_CRASHED' } : { state: 'waiting', starts: crashes },
        )
        if (crashes === 3) return
      }
    }),
  )
})

test('a cancelled job is failed, a running one is still queued for the public, and nothing is done without running', () => {
  expect(nextPosition({ state: 'waiting', starts: 0 }, { kind: 'cancel' })).toMatchObject({
    state: 'failed',
    failureCode: 'CANCELLED',
  })
  expect(nextPosition({ state: 'waiting', starts: 0 }, { kind: 'succeed' })).toBeUndefined()
  expect(JOB_STATES.map(statusOf)).toEqual(['queued', 'queued', 'done', 'failed'])
})
