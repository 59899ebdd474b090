import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  attemptNumber,
  hasEnded,
  JOB_STATES,
  type JobEvent,
  MAX_INTERRUPTIONS,
  MAX_LOSSES,
  MAX_STARTS,
  nextPosition,
  statusOf,
} from '../../../src-server/jobs/job.ts'

const event = fc.constantFrom<JobEvent>(
  { kind: 'claim' },
  { kind: 'succeed' },
  { kind: 'fail', failureCode: 'DIGITAL_SILENCE' },
  { kind: 'crash' },
  { kind: 'interrupt' },
  { kind: 'lose' },
  { kind: 'release' },
  { kind: 'cancel' },
)
const position = fc.record({
  state: fc.constantFrom(...JOB_STATES),
  starts: fc.integer({ min: 0, max: MAX_STARTS }),
  losses: fc.nat(MAX_LOSSES),
  interruptions: fc.nat(MAX_INTERRUPTIONS),
})

test('an ended job never changes, whatever happens (contract 1)', () => {
  fc.assert(
    fc.property(position, event, (from, what) => {
      if (hasEnded(from.state)) expect(nextPosition(from, what)).toBeUndefined()
    }),
  )
})

test('a job whose last crash was for want of memory fails as that', () => {
  const event = { kind: 'crash', isOutOfMemory: true } as const
  expect(nextPosition({ state: 'running', starts: 2, losses: 0, interruptions: 0 }, event)).toMatchObject({
    state: 'waiting',
  })
  expect(nextPosition({ state: 'running', starts: 3, losses: 0, interruptions: 0 }, event)).toMatchObject({
    failureCode: 'OUT_OF_MEMORY',
  })
})

test('a job that keeps crashing is started three times and then fails; orderly stops never count (contract 8)', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('crash', 'release'), { maxLength: 40 }), (ends) => {
      let job: ReturnType<typeof nextPosition> = { state: 'waiting', starts: 0, losses: 0, interruptions: 0 }
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

test('a lost machine and a kill of the service are no crash of the song, no two attempts share a number, and the tenth ends the job (contract 8)', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('crash', 'interrupt', 'lose'), { maxLength: 40 }), (ends) => {
      let job: ReturnType<typeof nextPosition> = { state: 'waiting', starts: 0, losses: 0, interruptions: 0 }
      const count = { crash: 0, interrupt: 0, lose: 0 }
      const numbers = new Set<number>()
      for (const kind of ends) {
        job = nextPosition(job as NonNullable<typeof job>, { kind: 'claim' }) as NonNullable<typeof job>
        expect(numbers).not.toContain(attemptNumber(job))
        numbers.add(attemptNumber(job))
        job = nextPosition(job, { kind })
        count[kind]++
        const isCrashed = count.crash === 3 || count.interrupt === 10
        const failureCode = isCrashed ? 'ENGINE_CRASHED' : count.lose === 10 ? 'MACHINES_LOST' : undefined
        expect(job?.failureCode).toBe(failureCode)
        if (failureCode) return
      }
    }),
  )
})

test('a cancelled job is failed, a running one is still queued for the public, and nothing is done without running', () => {
  expect(nextPosition({ state: 'waiting', starts: 0, losses: 0, interruptions: 0 }, { kind: 'cancel' })).toMatchObject({
    state: 'failed',
    failureCode: 'CANCELLED',
  })
  expect(
    nextPosition({ state: 'waiting', starts: 0, losses: 0, interruptions: 0 }, { kind: 'succeed' }),
  ).toBeUndefined()
  expect(JOB_STATES.map(statusOf)).toEqual(['queued', 'queued', 'done', 'failed'])
})
