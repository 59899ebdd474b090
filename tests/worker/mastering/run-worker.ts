/** Runs the engine process as the server does: forked, one order in, messages out. And what it runs, in this process. */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { PLATFORMS, type Platform } from '../../../src-contract/platforms/index.ts'
import { type JobSettings, jobSettings, SETTINGS } from '../../../src-contract/settings.ts'
import { probeAudio } from '../../../src-server/uploads/probe.ts'
import { masterSong } from '../../../src-worker/mastering/pipeline.ts'
import type { StoredSong, WorkerMessage, WorkOrder, WorkResult } from '../../../src-worker/mastering/work-order.ts'
import { ENGINE } from '../../support/built.ts'
import { ffmpeg } from '../media/make-audio.ts'

export async function storedSong(file: string): Promise<StoredSong> {
  const probe = await probeAudio(file, { ffmpeg })
  if (!probe.ok) throw new Error(probe.reason)
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
  return { path: file, filename: path.basename(file), sha256, facts: probe.facts }
}

/** Differences from the usual order: settings, and members of the order itself. */
export type OrderChange = Partial<Omit<WorkOrder, 'settings'> & Omit<JobSettings, 'platforms'>> & {
  readonly platforms?: readonly Platform[]
}

export async function orderFor(file: string, folder: string, change: OrderChange = {}): Promise<WorkOrder> {
  const { platforms = PLATFORMS, ...rest } = change
  const others = Object.entries(rest).filter(([name]) => !(name in SETTINGS) && name !== 'recipe')
  return {
    jobId: '12345678-1234-4234-8234-123456789abc',
    createdAt: '2026-03-01T12:00:00.000Z',
    source: await storedSong(file),
    attemptFolder: mkdtempSync(path.join(folder, 'attempt-')),
    ffmpeg,
    settings: jobSettings({ ...rest, platforms: [...platforms] }),
    seed: 0,
    threads: 2,
    ...Object.fromEntries(others),
  }
}

export function startWorker(): ChildProcess {
  return fork(ENGINE, [], { serialization: 'advanced', execArgv: [] })
}

/** Everything a worker says about one order, until it has ended. */
export function runOrder(
  order: WorkOrder,
  onMessage: (message: WorkerMessage, worker: ChildProcess) => void = () => {},
): Promise<{ messages: WorkerMessage[]; exitCode: number | null }> {
  return new Promise((resolve) => {
    const messages: WorkerMessage[] = []
    const worker = startWorker()
    worker.on('message', (message: WorkerMessage) => {
      messages.push(message)
      onMessage(message, worker)
    })
    worker.on('exit', (exitCode) => resolve({ messages, exitCode }))
    worker.send({ type: 'work', order })
  })
}

// As in an engine process (src-worker/mastering/worker.ts).
process.env.SOXR_USE_SIMD64 = '0'

/**
 * The result of an order that must succeed, worked on in this process: where not the process is in question, its start takes longer
 * than the song.
 */
export const masterOrder = (order: WorkOrder): Promise<WorkResult> =>
  masterSong(order, () => {}, new AbortController().signal)
