/** A dry run looks at the song: with what the job would be asked, and one at a time. */
import { expect, test } from 'vitest'
import type { WorkerCommand } from '../../../src-worker/mastering/work-order.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'

test('the song is looked at with the settings and the reference that the job would have', async () => {
  const engine = createHeldEngine({ answersLooks: true })
  const commands: WorkerCommand[] = []
  const service = await startService({
    forkEngine(listeners) {
      const process = engine.fork(listeners)
      const send = (command: WorkerCommand) => {
        commands.push(command)
        process.send(command)
      }
      return { ...process, send }
    },
  })
  try {
    const reference_file = new Blob([new Uint8Array(wavSong({ seconds: 6, sampleRateHz: 11_025 }))])
    const fields = { genre: 'ballad', ai_service: 'suno', intensity: '80', reference_amount: '30', reference_file }
    const before = await credits(service)
    expect((await service.master({ ...fields, dry_run: 'true' })).status).toBe(200)
    expect(commands).toMatchObject([
      {
        type: 'analyse',
        order: {
          settings: { genre: 'ballad', ai_service: 'suno', intensity: 80, reference_amount: 30 },
          song: { facts: { sampleRateHz: 8000 } },
          reference: { facts: { sampleRateHz: 11_025 } },
        },
      },
    ])
    expect(await credits(service)).toBe(before)
    expect((await service.get('/api/v1/jobs')).body.total).toBe(0)
    expect(service.temporary()).toEqual([])
  } finally {
    await service.stop()
  }
})

async function credits(service: Service): Promise<number> {
  return (await service.get('/api/v1/account')).body.credits
}

test('a caller has one look at a song at a time, dry runs and analyses together', async () => {
  const engine = createHeldEngine()
  const held = await startService({ forkEngine: engine.fork })
  try {
    const first = held.master({ dry_run: 'true' })
    while (engine.processes.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const second = await held.master({ dry_run: 'true' })
    expect([second.status, second.body.error.code]).toEqual([429, 'CONCURRENT_LIMIT'])
    const key = await held.newKey()
    const other = held.master({ dry_run: 'true' }, { credential: key })
    while (engine.processes.length === 1) await new Promise((resolve) => setImmediate(resolve))
    for (const process of engine.processes) {
      expect(process.isAnalysis).toBe(true)
      process.finish()
    }
    expect([(await first).status, (await other).status]).toEqual([200, 200])
    expect(held.temporary()).toEqual([])
  } finally {
    await held.stop()
  }
})

test('a song of which the job would fail is refused with the reason', async () => {
  const service = await startService()
  try {
    const file = (options: Parameters<typeof wavSong>[0]) => new Blob([new Uint8Array(wavSong(options))])
    for (const [song, reason] of [
      [file({ hertz: 0 }), 'silent'],
      [file({ seconds: 0.5 }), 'shorter than one second'],
    ] as const) {
      const { status, body } = await service.master({ file: song, dry_run: 'true' })
      expect([status, body.error?.code, body.error?.param]).toEqual([400, 'UNSUPPORTED_FORMAT', 'file'])
      expect(body.error.message).toContain(reason)
    }
  } finally {
    await service.stop()
  }
})
