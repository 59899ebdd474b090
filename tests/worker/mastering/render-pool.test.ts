import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { allocateAudio } from '../../../src-engine/dsp/block.ts'
import { prepareFinalise } from '../../../src-engine/finalise/finalise.ts'
import type { RenderTask } from '../../../src-worker/mastering/render-master.ts'
import { createRenderPool } from '../../../src-worker/mastering/render-pool.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { songLike } from '../media/make-audio.ts'

const folder = temporaryFolder()
const rateHz = 44_100
const song = songLike(3, rateHz)
const audio = allocateAudio(2, song[0]!.length, rateHz)
for (const [c, samples] of audio.channels.entries()) samples.set(song[c]!)
const source = prepareFinalise(audio)
const task = (targetLufs: number): RenderTask => ({
  ...{ source, targetLufs, ceilingDbtp: -1, intensity: 50, bitDepth: 16, seed: 0, tags: {} },
  path: path.join(folder, `${targetLufs}.wav`),
})

/** Threads that live at this moment. */
let threads = 0
process.on('worker', (worker) => {
  threads++
  worker.on('exit', () => threads--)
})

describe('a render pool', () => {
  const pool = createRenderPool(2)
  afterAll(() => pool.close())

  it('renders more masters than it has threads, and keeps no idle thread', async () => {
    const renders = [-16, -15, -14].map((targetLufs) => pool.render(task(targetLufs)))
    await expect.poll(() => threads).toBe(2)
    for (const { path: file } of await Promise.all(renders)) expect(existsSync(file)).toBe(true)
    await expect.poll(() => threads).toBe(0)
  })

  it('renders again after that', async () => {
    const again = await pool.render(task(-14))
    expect(again.sha256).toBe((await pool.render(task(-14))).sha256)
  })

  it('refuses new and waiting renders when it is closed, and ends running ones', async () => {
    const renders = Promise.allSettled([-13, -12.5, -12].map((targetLufs) => pool.render(task(targetLufs))))
    await pool.close()
    expect((await renders).map((render) => render.status === 'rejected' && render.reason.message)).toEqual([
      'a render thread ended before its reply',
      'a render thread ended before its reply',
      'the render pool was closed',
    ])
    await expect(pool.render(task(-12))).rejects.toThrow('closed')
  })
})
