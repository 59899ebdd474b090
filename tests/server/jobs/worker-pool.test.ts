import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createWorkerPool, forkWithNode } from '../../../src-server/jobs/worker-pool.ts'
import type { WorkOrder } from '../../../src-worker/mastering/work-order.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const command = { type: 'work', order: {} as WorkOrder } as const

const TIME_LIMIT_MS = 600_000

function setUp(options = {}) {
  const engine = createHeldEngine(options)
  const clock = createFakeClock()
  const pool = createWorkerPool({ fork: engine.fork, clock, log: silent, graceMs: 3000 })
  const stop = new AbortController()
  const end = pool.run({ command, timeLimitMs: TIME_LIMIT_MS, signal: stop.signal })
  return { engine, clock, pool, stop, end }
}

test('a process that takes too long is asked to stop and the work ends as timed out', async () => {
  const { clock, end, engine } = setUp()
  await clock.advance(TIME_LIMIT_MS - 1)
  expect(engine.processes[0]?.isAborted).toBe(false)
  await clock.advance(1)
  expect(await end).toEqual({ kind: 'timed_out' })
})

test('a night in which the machine slept counts as half a minute at most', async () => {
  const { clock, end, engine } = setUp()
  await clock.advance(45_000)
  await clock.suspend(8 * 3_600_000)
  await clock.advance(TIME_LIMIT_MS - 75_000)
  expect(engine.processes[0]?.isAborted).toBe(false)
  await clock.advance(30_000)
  expect(await end).toEqual({ kind: 'timed_out' })
})

test('a process that does not stop when asked is killed after the grace period', async () => {
  const { clock, end, engine, stop } = setUp({ isStubborn: true })
  stop.abort()
  await clock.advance(2999)
  expect(engine.processes[0]?.isGone).toBe(false)
  await clock.advance(1)
  expect(await end).toEqual({ kind: 'stopped' })
})

test('a process that dies without an answer has crashed, and the work ends once whatever comes later', async () => {
  const { clock, end, engine, stop } = setUp()
  engine.processes[0]?.crash()
  expect(await end).toEqual({ kind: 'crashed', detail: 'killed by SIGKILL' })
  engine.processes[0]?.fail('ENGINE_FAILED')
  stop.abort()
  await clock.advance(120_000)
  expect(await end).toMatchObject({ kind: 'crashed' })
})

test('an answer counts when it was given before the stop', async () => {
  const { end, engine, stop } = setUp()
  engine.processes[0]?.fail('TOO_SHORT')
  stop.abort()
  expect(await end).toMatchObject({ kind: 'answered', message: { failureCode: 'TOO_SHORT' } })
})

test('a process for which the system has nothing left was not started', async () => {
  const fork = () => {
    throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })
  }
  const pool = createWorkerPool({ fork, clock: createFakeClock(), log: silent, graceMs: 3000 })
  const end = await pool.run({ command, timeLimitMs: 60_000, signal: new AbortController().signal })
  expect(end).toEqual({ kind: 'crashed', detail: expect.stringContaining('ENOMEM'), fault: 'not_started' })
})

test('a process that the system does not start has crashed, and says so', async () => {
  const { execPath } = process
  onTestFinished(() => {
    process.execPath = execPath
  })
  process.execPath = '/nowhere/node'
  const fork = forkWithNode('engine.ts', silent)
  const pool = createWorkerPool({ fork, clock: createFakeClock(), log: silent, graceMs: 3000 })
  const end = await pool.run({ command, timeLimitMs: 60_000, signal: new AbortController().signal })
  expect(end).toEqual({ kind: 'crashed', detail: 'it could not be started' })
})

test.runIf(process.platform !== 'win32').each([
  ['is killed by somebody', 'process.kill(process.pid, "SIGKILL")', undefined],
  [
    'finds its heap full',
    'process.stderr.write("FATAL ERROR: JavaScript heap out of memory\\n", () => process.abort())',
    'out_of_memory',
  ],
  ['aborts for another reason', 'process.abort()', undefined],
])('a process that %s has crashed, and memory is named where that ran out', async (_how, code, fault) => {
  const folder = temporaryFolder(onTestFinished)
  const entry = path.join(folder, 'engine.mjs')
  writeFileSync(entry, code)
  const pool = createWorkerPool({
    fork: forkWithNode(entry, silent),
    clock: createFakeClock(),
    log: silent,
    graceMs: 3000,
  })
  const end = await pool.run({ command, timeLimitMs: 60_000, signal: new AbortController().signal })
  expect(end).toMatchObject({ kind: 'crashed' })
  expect(end.kind === 'crashed' && end.fault).toBe(fault)
})

test('closing the pool kills what is left', async () => {
  const { end, engine, pool } = setUp({ isStubborn: true })
  pool.close()
  expect((await end).kind).toBe('crashed')
  expect(engine.processes[0]?.isGone).toBe(true)
})
