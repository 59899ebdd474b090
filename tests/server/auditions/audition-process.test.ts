/** Life of the process that plays auditions, with one that does what the test says. */
import { expect, it } from 'vitest'
import { AuditionProcess } from '../../../src-server/auditions/audition-process.ts'
import type { EngineListeners } from '../../../src-server/jobs/worker-pool.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemClock } from '../../../src-system/system.ts'
import type { AuditionTasks, WorkerCommand } from '../../../src-worker/mastering/work-order.ts'

function create() {
  const timers: (() => void)[] = []
  const started: { listeners: EngineListeners; sent: WorkerCommand[]; isKilled: boolean }[] = []
  const auditions = new AuditionProcess({
    fork(listeners) {
      const one = { listeners, sent: [] as WorkerCommand[], isKilled: false }
      started.push(one)
      return {
        send: (command) => void one.sent.push(command),
        kill() {
          one.isKilled = true
        },
      }
    },
    clock: {
      after(_, run) {
        timers.push(run)
        return () => timers.splice(timers.indexOf(run), 1)
      },
    },
    log: createLog('silent', systemClock, () => {}),
    idleMs: 1000,
  })
  const ask = (signal = new AbortController().signal) =>
    auditions.ask('price', {} as AuditionTasks['price']['order'], signal)
  const answer = (index: number, call: number) =>
    started[index]!.listeners.onMessage({ type: 'audition', call, answer: { result: [] } })
  return { auditions, started, timers, ask, answer }
}

it('ends only when nobody has asked it anything for a while, and starts again', async () => {
  const { started, timers, ask, answer } = create()
  const first = ask()
  const second = ask()
  answer(0, 1)
  await first
  expect(timers).toEqual([])
  answer(0, 2)
  await second
  expect([started.length, timers.length]).toEqual([1, 1])
  timers[0]!()
  expect(started[0]!.isKilled).toBe(true)
  const third = ask()
  answer(1, 3)
  expect(await third).toEqual([])
})

it('that has died leaves its successor alone', async () => {
  const { started, timers, ask, answer } = create()
  const first = ask()
  answer(0, 1)
  await first
  const [idle] = timers
  started[0]!.listeners.onExit('killed')
  const second = ask()
  answer(1, 2)
  await second
  idle!()
  expect(started.map(({ isKilled }) => isKilled)).toEqual([false, false])
})

it('rejects what it has not answered when it dies, and tells one that is stopped', async () => {
  const { started, ask, answer } = create()
  const stop = new AbortController()
  const stopped = ask(stop.signal)
  stop.abort(new Error('superseded'))
  expect(started[0]!.sent.at(-1)).toEqual({ type: 'stop', call: 1 })
  const lost = ask()
  started[0]!.listeners.onExit('killed')
  await expect(stopped).rejects.toThrow('superseded')
  await expect(lost).rejects.toMatchObject({ code: 'AUDITION_ENDED' })
  const next = ask()
  answer(1, 3)
  await next
})
