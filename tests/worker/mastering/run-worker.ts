/** Runs the engine process as the server does: forked, one order in, messages out. And what it runs, in this process. */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { deliveryTarget } from '../../../src-contract/delivery-target.ts'
import { PLATFORMS, type Platform } from '../../../src-contract/platforms/index.ts'
import { probeAudio } from '../../../src-server/uploads/probe.ts'
import { masterSong } from '../../../src-worker/mastering/pipeline.ts'
import type { StoredSong, WorkerMessage, WorkOrder, WorkResult } from '../../../src-worker/mastering/work-order.ts'
import { ffmpeg } from '../media/make-audio.ts'

export const workerFile = path.join(import.meta.dirname, '../../../src-worker/mastering/worker.ts')

export async function storedSong(file: string): Promise<StoredSong> {
  const probe = await probeAudio(file, { ffmpeg })
  if (!probe.ok) throw new Error(probe.reason)
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
  return { path: file, filename: path.basename(file), sha256, facts: probe.facts }
}

export async function orderFor(
  file: string,
  folder: string,
  change: Partial<WorkOrder> & { readonly platforms?: readonly Platform[] } = {},
): Promise<WorkOrder> {
  const { platforms = PLATFORMS, ...rest } = change
  const genre = rest.genre ?? 'other'
  const loudness = rest.loudness ?? 'platform'
  return {
    jobId: '12345678-1234-4234-8234-123456789abc',
    createdAt: '2026-03-01T12:00:00.000Z',
    source: await storedSong(file),
    attemptFolder: mkdtempSync(path.join(folder, 'attempt-')),
    ffmpeg,
    targets: platforms.map((platform) => deliveryTarget(platform, genre, loudness)),
    genre,
    aiService: 'other',
    tier: 'standard',
    intensity: 50,
    referenceAmount: 70,
    loudness,
    seed: 0,
    threads: 2,
    ...rest,
  }
}

export function startWorker(): ChildProcess {
  return fork(workerFile, [], { serialization: 'advanced', execArgv: [] })
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
