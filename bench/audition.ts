/**
 * `node bench/audition.ts SONG …`: processor time of auditions of each song, with everything loaded and warm. What a changed control costs
 * until its first two seconds can be heard (goal: 40 ms), and what the exact master costs, at −14 LUFS (1.2 s for a song of 4:20 at
 * 44.1 kHz) and at −8 LUFS (2.5 s). All other programs at rest: on a busy machine processor time itself is several times as long.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type JobSettings, jobSettings } from '../src-contract/settings.ts'
import { probeAudio } from '../src-server/uploads/probe.ts'
import { AuditionEngine } from '../src-worker/audition/audition-engine.ts'
import type { AuditionOrder, AuditionTask, AuditionTasks } from '../src-worker/mastering/work-order.ts'
import { locateFfmpeg } from '../src-worker/media/locate.ts'

const TURNS = 8
const PASSAGE_SECONDS = 2

/** Settings that every stage of the chain has something to do with. */
const settingsOf = (change: Partial<JobSettings>) =>
  jobSettings({ platforms: ['spotify'], genre: 'kpop', ai_service: 'suno', intensity: 80, ...change })

const ffmpeg = await locateFfmpeg()
const engine = new AuditionEngine()
let calls = 0

async function ask<Task extends AuditionTask>(task: Task, order: AuditionTasks[Task]['order']) {
  const call = { type: 'audition', call: ++calls, task, order } as Parameters<AuditionEngine['answer']>[0]
  const answered = await engine.answer(call)
  if (!answered || 'failure' in answered.answer) throw new Error(JSON.stringify(answered?.answer))
  return answered.answer.result as AuditionTasks[Task]['result']
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function songOf(file: string): Promise<AuditionOrder['source']> {
  const probe = await probeAudio(file, { ffmpeg })
  if (!probe.ok) throw new Error(`${file}: ${probe.code}`)
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
  return { path: file, filename: path.basename(file), sha256, facts: probe.facts }
}

for (const file of process.argv.slice(2)) {
  const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-bench-'))
  const source = await songOf(file)
  const orderOf = (change: Partial<JobSettings> = {}): AuditionOrder => ({
    ...{ source, ffmpeg, seed: 0, platform: 'spotify', folder },
    settings: settingsOf(change),
  })
  const first = async (order: AuditionOrder) => {
    const { frames, sampleRateHz, finalise } = await ask('estimate', order)
    const passage = { firstFrame: Math.floor(frames / 2), passageFrames: PASSAGE_SECONDS * sampleRateHz, finalise }
    await ask('passage', { ...order, ...passage })
  }
  const loadedMs = await cpuMs(() => first(orderOf()))
  const heardMs: number[] = []
  for (let turn = 1; turn <= TURNS; turn++) {
    heardMs.push(await cpuMs(() => first(orderOf({ tilt_db: turn / 10, intensity: 80 - turn }))))
  }
  const exactMs = await cpuMs(() => ask('render', orderOf()))
  const loudMs = await cpuMs(() => ask('render', orderOf({ target_lufs: -8 })))
  const { durationSeconds, sampleRateHz } = source.facts
  process.stdout.write(
    [
      `${path.basename(file)}, ${durationSeconds.toFixed(0)} s at ${sampleRateHz} Hz`,
      `  loaded and heard for the first time  ${loadedMs.toFixed(0)} ms`,
      `  first ${PASSAGE_SECONDS} s after a change, best and last of ${TURNS}  ${Math.min(...heardMs).toFixed(0)} and ${heardMs.at(-1)!.toFixed(0)} ms`,
      `  exact at −14 LUFS  ${exactMs.toFixed(0)} ms`,
      `  exact at −8 LUFS  ${loudMs.toFixed(0)} ms`,
      '',
    ].join('\n'),
  )
  rmSync(folder, { recursive: true })
}
