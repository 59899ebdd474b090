/**
 * `node bench/audition.ts SONG …`: processor time of auditions of each song, with everything loaded and warm. Measures the cost of a
 * changed control until its first two seconds can be heard (goal: 40 ms), and of the exact master, at −14 LUFS (1.2 s for a song of 4:20 at
 * 44.1 kHz) and at −8 LUFS (2.5 s). Each time is also given in runs of the reference loop at that moment, comparable between a quiet and a
 * busy machine.
 */
import '../src-system/compilers.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type JobSettings, jobSettings } from '../src-contract/settings.ts'
import type { AuditionOrder } from '../src-worker/mastering/work-order.ts'
import { locateFfmpeg } from '../src-worker/media/locate.ts'
import { AuditionCaller, songOf } from './audition-caller.ts'
import { cpuMsOf, medianOf, referenceMs } from './reference-loop.ts'

const TURNS = 20
const WHOLE_TURNS = 3
/** Warm-up turns for the compiler. */
const WARM_TURNS = 5
const PASSAGE_SECONDS = 2

/** Changes of one control, by its name: settings of turn `t`. */
const CONTROLS: Readonly<Record<string, (t: number) => Partial<JobSettings>>> = {
  tilt_db: (t) => ({ tilt_db: t / 10 }),
  width_percent: (t) => ({ width_percent: 100 + t }),
  warmth: (t) => ({ warmth: 1 + t }),
  intensity: (t) => ({ intensity: 80 - t }),
  target_lufs: (t) => ({ target_lufs: -14 + t / 10 }),
}

interface Cost {
  readonly ms: number
  readonly references: number
}

/** Median cost of repeated work, and its median in reference loops. */
async function costOf(turns: number, work: (turn: number) => Promise<unknown>): Promise<Cost> {
  const costs: Cost[] = []
  for (let turn = 0; turn < turns; turn++) {
    const before = await referenceMs()
    const ms = await cpuMsOf(() => work(turn))
    costs.push({ ms, references: (2 * ms) / (before + (await referenceMs())) })
  }
  return { ms: medianOf(costs.map(({ ms }) => ms)), references: medianOf(costs.map(({ references }) => references)) }
}

const told = ({ ms, references }: Cost) =>
  `${ms.toFixed(0).padStart(6)} ms ${references.toFixed(1).padStart(6)} references`

const ffmpeg = await locateFfmpeg()
for (let turn = 0; turn < WARM_TURNS; turn++) await referenceMs()

for (const file of process.argv.slice(2)) {
  const caller = new AuditionCaller()
  const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-bench-'))
  const source = await songOf(file, ffmpeg, folder)
  const orderOf = (change: Partial<JobSettings>): AuditionOrder => ({
    ...{ source, ffmpeg, seed: 0, platform: 'spotify', folder },
    settings: jobSettings({ platforms: ['spotify'], genre: 'kpop', ai_service: 'suno', intensity: 80, ...change }),
  })
  const first = async (change: Partial<JobSettings>) => {
    const order = orderOf(change)
    const { frames, sampleRateHz, finalise } = await caller.ask('estimate', order)
    const passage = { firstFrame: Math.floor(frames / 2), passageFrames: PASSAGE_SECONDS * sampleRateHz, finalise }
    await caller.ask('passage', { ...order, ...passage })
  }
  const { durationSeconds, sampleRateHz } = source.facts
  const say = (line: string) => process.stdout.write(`${line}\n`)
  say(
    `${path.basename(file)}, ${durationSeconds.toFixed(0)} s at ${sampleRateHz} Hz; the reference takes ${(await referenceMs()).toFixed(0)} ms`,
  )
  say(`  loaded and heard for the first time  ${told(await costOf(1, () => first({})))}`)
  for (let turn = 0; turn < WARM_TURNS; turn++) await first({ tilt_db: -3 + turn / 10 })
  for (const [name, change] of Object.entries(CONTROLS))
    say(
      `  first ${PASSAGE_SECONDS} s after a change of ${name.padEnd(13)} ${told(await costOf(TURNS, (t) => first(change(t))))}`,
    )
  for (const target_lufs of [-14, -8])
    say(
      `  exact at ${target_lufs} LUFS  ${told(await costOf(WHOLE_TURNS, (t) => caller.ask('render', orderOf({ target_lufs, intensity: 80 + t }))))}`,
    )
  rmSync(folder, { recursive: true })
}
