/** Calls to the audition engine within this process. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { probeAudio } from '../src-server/uploads/probe.ts'
import { AuditionEngine } from '../src-worker/audition/audition-engine.ts'
import type { AuditionOrder, AuditionTask, AuditionTasks } from '../src-worker/mastering/work-order.ts'
import type { Ffmpeg } from '../src-worker/media/ffmpeg.ts'

export class AuditionCaller {
  readonly #engine = new AuditionEngine()
  #calls = 0

  /** Throws an Error with the engine's message if it answers with a failure. */
  async ask<Task extends AuditionTask>(task: Task, order: AuditionTasks[Task]['order']) {
    const call = { type: 'audition', call: ++this.#calls, task, order } as Parameters<AuditionEngine['answer']>[0]
    const answered = await this.#engine.answer(call)
    if (!answered || 'failure' in answered.answer) throw new Error(JSON.stringify(answered?.answer))
    return answered.answer.result as AuditionTasks[Task]['result']
  }
}

/** Returns a file as the engine's source; formats that the app does not accept are decoded into `folder`. */
export async function songOf(file: string, ffmpeg: Ffmpeg, folder: string): Promise<AuditionOrder['source']> {
  const probe = await probeAudio(file, { ffmpeg })
  if (!probe.ok) {
    const decoded = path.join(folder, `${path.parse(file).name}.wav`)
    if (decoded === file) throw new Error(`${file}: ${probe.code}`)
    spawnSync(ffmpeg.path, ['-nostdin', '-v', 'error', '-y', '-i', file, '-c:a', 'pcm_s24le', decoded])
    return songOf(decoded, ffmpeg, folder)
  }
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
  return { path: file, filename: path.basename(file), sha256, facts: probe.facts }
}
