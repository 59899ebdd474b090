/** Estimates of memory, and engine processes that start only where theirs fits. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { fitsMemory, jobMemoryBytes } from '../../../src-server/jobs/memory.ts'
import type { AudioFacts } from '../../../src-worker/media/audio-facts.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { startService } from '../../support/service.ts'

const start = async (options: Parameters<typeof startService>[0]) => {
  const service = await startService(options)
  onTestFinished(() => service.stop())
  return service
}

const songOf = (durationSeconds: number, sampleRateHz: number) => ({
  ...{ filename: 'song.wav', sha256: '' },
  facts: { durationSeconds, sampleRateHz } as AudioFacts,
})
/** Measured memory of whole jobs at 44.1 kHz, bytes by seconds (docs/engine/measured.md). */
const MEASURED = { 60: 180e6, 260: 321e6, 600: 518e6 }

test('the estimate of a job covers what was measured of one, grows with rate and reference, and is no more than 1.6 times as much', () => {
  for (const [seconds, bytes] of Object.entries(MEASURED)) {
    const estimate = jobMemoryBytes({ song: songOf(Number(seconds), 44_100) })
    expect(estimate).toBeGreaterThan(bytes)
    expect(estimate).toBeLessThan(1.6 * bytes)
  }
  const song = songOf(60, 96_000)
  expect(jobMemoryBytes({ song })).toBeGreaterThan(1.2 * jobMemoryBytes({ song: songOf(60, 48_000) }))
  expect(jobMemoryBytes({ song, reference: song })).toBeGreaterThan(1.4 * jobMemoryBytes({ song }))
})

test('a job fits beside others when the rest of what those still take leaves room for it, and always when it is alone', () => {
  const running = [{ stage: 'decoding', memoryBytes: 300 }] as const
  expect(fitsMemory(500, 1, [])).toBe(true)
  expect(fitsMemory(500, 800, running)).toBe(true)
  expect(fitsMemory(500, 799, running)).toBe(false)
  expect(fitsMemory(500, 500, [{ stage: 'rendering', memoryBytes: 300 }])).toBe(true)
})

test('where memory is short, a song starts when the one before it has ended, or has decoded and leaves room, and none is lost', async () => {
  const engine = createHeldEngine()
  const service = await start({ forkEngine: engine.fork })
  const free = vi.spyOn(process, 'availableMemory').mockReturnValue(200_000_000)
  onTestFinished(() => free.mockRestore())
  const jobs = [await service.newJob(), await service.newJob(), await service.newJob()]
  await expect.poll(() => engine.processes.length).toBe(1)
  engine.processes[0]?.progress('rendering', 0.5)
  await expect.poll(() => engine.processes.length).toBe(2)
  free.mockReturnValue(1)
  engine.processes[1]?.progress('rendering', 0.5)
  engine.processes[1]?.finish()
  expect(await service.ended(jobs[1]?.job_id ?? '')).toMatchObject({ status: 'done' })
  expect(engine.processes).toHaveLength(2)
  engine.processes[0]?.finish()
  await expect.poll(() => engine.processes.length).toBe(3)
  engine.processes[2]?.finish()
  for (const { job_id } of jobs) expect(await service.ended(job_id)).toMatchObject({ status: 'done' })
})

test('half of the cores work unless the owner chooses, and never more than there are', async () => {
  const service = await start({ cores: 6, keepsData: true })
  expect((await service.get('/app/settings')).body.engine_workers).toBe(3)
  expect((await service.get('/app/system')).body.cores).toBe(6)
  const refused = await service.patch('/app/settings', { engine_workers: 7 })
  expect(refused).toMatchObject({ status: 400, body: { error: { param: 'engine_workers' } } })
  expect((await service.patch('/app/settings', { engine_workers: 6 })).body.engine_workers).toBe(6)
  await service.close()
  const smaller = await start({ dataDir: service.dataDir, cores: 2 })
  expect((await smaller.get('/app/settings')).body.engine_workers).toBe(2)
})
