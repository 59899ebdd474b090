/**
 * `node bench/stems.ts PART …`: stems of our own making, by seed. `likeness`: the place and the rest of a stereo mix beside 12 sets, against
 * a direct computation at the known place, and what is left when it is restored. `voice`: voice forward on 12 sets. `repairs`: a fault in one stem,
 * repaired there and in the stereo mix, 20 cases. `change`: time until a changed level of 9 stems of 4 minutes is heard, by their mix and by
 * kept stems. `cost [ROUNDS]`: processor time of 12 stems of 4 minutes against that of the job of their sum. `mix COUNT SECONDS RATE [treated]` makes
 * one mix, for measurements from outside.
 */
import '../src-system/compilers.ts'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { RepairKind } from '../src-contract/repair-kinds.ts'
import { DEFAULT_SETTINGS, jobSettings } from '../src-contract/settings.ts'
import type { StemMix } from '../src-contract/stem-mix-schemas.ts'
import type { StemRole } from '../src-contract/stem-roles.ts'
import { type Audio, allocateAudio } from '../src-engine/dsp/block.ts'
import { createLoudnessMeter, measureLoudness } from '../src-engine/dsp/meters/loudness.ts'
import { gainToDb, powerToDb } from '../src-engine/dsp/units.ts'
import { engineEnvironment, engineFlags } from '../src-server/jobs/worker-pool.ts'
import { ENGINE_FILE } from '../src-server/server/paths.ts'
import { probeAudio } from '../src-server/uploads/probe.ts'
import type { WorkerCommand, WorkerMessage, WorkOrder } from '../src-worker/mastering/work-order.ts'
import { decodeSong } from '../src-worker/media/decode.ts'
import { blocksOf, StemSum, writeMix } from '../src-worker/media/decoded-stems.ts'
import { locateFfmpeg } from '../src-worker/media/locate.ts'
import { keptLanes } from '../src-worker/media/stem-lanes.ts'
import type { StoredStem } from '../src-worker/media/stored-stem.ts'
import { mixStems } from '../src-worker/stems/mix-stems.ts'
import { treatStem } from '../src-worker/stems/treat-stem.ts'
import { bringForward, movedBlocks } from '../src-worker/stems/voice-forward.ts'
import { seededRandom } from '../tests/support/sounds.ts'
import { AuditionCaller, songOf } from './audition-caller.ts'
import { cpuMsOf, medianOf } from './reference-loop.ts'

const ROLES: readonly StemRole[] = ['voice', 'backing', 'drums', 'bass', 'guitar', 'keys', 'strings', 'synth', 'fx']
const never = new AbortController().signal
const ffmpeg = await locateFfmpeg()
const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-bench-'))
const say = (line: string) => process.stdout.write(`${line}\n`)

/** A stem of a song of `seconds`, by its seed. */
function stemOf(role: StemRole, seed: number, seconds: number, sampleRateHz = 44_100): Audio {
  const frames = Math.round(seconds * sampleRateHz)
  const audio = allocateAudio(2, frames, sampleRateHz)
  const random = seededRandom(31 * seed + ROLES.indexOf(role) + 1)
  const beat = (60 / (84 + 7 * (seed % 9))) * sampleRateHz
  const root = 55 * 2 ** ((seed % 12) / 12)
  const chord = (bar: number) => root * 2 ** ([0, 5, 9, 7][bar % 4]! / 12)
  const place = ROLES.indexOf(role) / ROLES.length - 0.4
  const [left, right] = audio.channels as [Float32Array, Float32Array]
  const noises = role === 'drums' || role === 'fx' || role === 'voice' || role === 'backing'
  for (let i = 0; i < frames; i++) {
    const [inBeat, bar] = [(i % beat) / sampleRateHz, Math.floor(i / (4 * beat))]
    const hertz = chord(bar)
    const t = i / sampleRateHz
    const tone = (f: number, falls: number) => {
      let sum = 0
      for (let k = 1; k <= 6; k++) sum += (Math.sin(2 * Math.PI * k * f * t) / k) * Math.exp(-falls * k * inBeat)
      return sum
    }
    const noise = noises ? random() : 0
    const sings = bar % 4 !== 3
    const value =
      role === 'drums'
        ? 0.5 * Math.sin(60 * Math.PI * Math.exp(-9 * inBeat) * 2) * Math.exp(-8 * inBeat) +
          0.15 * noise * Math.exp(-30 * inBeat)
        : role === 'bass'
          ? 0.25 * tone(hertz, 0.6)
          : role === 'voice' || role === 'backing'
            ? sings
              ? (role === 'voice' ? 0.12 : 0.04) *
                (tone(hertz * 4 * (1 + 0.004 * Math.sin(34 * t)), 0.3) + (inBeat < 0.06 ? 0.25 * noise : 0))
              : 0
            : role === 'fx'
              ? 0.01 * noise * Math.exp(-inBeat)
              : 0.06 *
                tone(
                  hertz * { guitar: 2, keys: 3, strings: 6, synth: 5, other: 1 }[role],
                  role === 'strings' ? 0.05 : 1.5,
                )
    const side = role === 'bass' || role === 'voice' || role === 'drums' ? 0 : place
    left[i] = value * (1 - side)
    right[i] = value * (1 + side)
  }
  return audio
}

const copyOf = ({ channels, ...others }: Audio): Audio => ({ ...others, channels: channels.map((one) => one.slice()) })

function sumOf(stems: readonly Audio[]): Audio {
  const [first] = stems
  const sum = allocateAudio(2, first!.frames, first!.sampleRateHz)
  for (const { channels } of stems)
    for (const [c, samples] of channels.entries())
      for (const [i, value] of samples.entries()) sum.channels[c]![i]! += value
  return sum
}

const energyOf = ({ channels }: Audio) => channels.reduce((all, one) => all + one.reduce((sum, v) => sum + v * v, 0), 0)

/** Level of what two sounds differ by, dB of the first. */
function differenceDb(due: Audio, made: Audio): number {
  let rest = 0
  for (const [c, samples] of due.channels.entries())
    for (const [i, value] of samples.entries()) rest += (value - made.channels[c]![i]!) ** 2
  return powerToDb(rest / energyOf(due))
}

async function stored(name: string, audio: Audio, role: StemRole): Promise<StoredStem> {
  const file = path.join(folder, name)
  const { sampleRateHz, frames } = audio
  const { sha256 } = await writeMix(file, blocksOf(audio), { sampleRateHz, frames }, { tags: {} }, { signal: never })
  const probe = await probeAudio(file, { ffmpeg })
  if (!probe.ok) throw new Error(probe.reason)
  return { path: file, filename: name, sha256, facts: probe.facts, role }
}

let mixes = 0
function newFolder(): string {
  const made = path.join(folder, `mix-${mixes++}`)
  mkdirSync(made)
  return made
}

async function likeness(): Promise<void> {
  say('set  stems  place, samples (true)  gain, dB (true)  rest, dB (direct)  restored, dB')
  for (let seed = 1; seed <= 12; seed++) {
    const random = seededRandom(900 + seed)
    const roles = ROLES.slice(0, 4 + (seed % 6))
    const tracks = roles.map((role) => stemOf(role, seed, 20))
    const sum = sumOf(tracks)
    const offset = Math.round(20_000 * random())
    const gain = (seed % 3 === 0 ? -1 : 1) * 10 ** (0.3 * random())
    // A room, and in every other set a bus that rounds the peaks.
    const wet = 0.02 + 0.2 * (seed / 12)
    const mix = allocateAudio(2, sum.frames + 30_000, sum.sampleRateHz)
    for (const [c, samples] of mix.channels.entries())
      for (let i = 0; i < samples.length; i++) {
        const at = i - offset
        const one = sum.channels[c]!
        const dry = (one[at] ?? 0) + wet * ((one[at - 1403 - 97 * c] ?? 0) + 0.6 * (one[at - 3917] ?? 0))
        samples[i] = gain * (seed % 2 === 0 ? Math.tanh(dry) : dry)
      }
    const stems = await Promise.all(tracks.map((track, i) => stored(`${seed}-${roles[i]}.wav`, track, roles[i]!)))
    const file = await stored(`${seed}-mix.wav`, mix, 'other')
    const found = (await mixStems({ ffmpeg, folder: newFolder(), stems, tags: {}, original: { file } }, never))
      .likeness!
    // Least squares at the known place.
    let [product, power, whole] = [0, 0, 0]
    for (const [c, samples] of mix.channels.entries())
      for (const [i, value] of samples.entries()) {
        const dry = sum.channels[c]![i - offset] ?? 0
        product += dry * value
        power += dry * dry
        whole += value * value
      }
    const fitted = product / power
    let rest = 0
    for (const [c, samples] of mix.channels.entries())
      for (const [i, value] of samples.entries()) rest += (value - fitted * (sum.channels[c]![i - offset] ?? 0)) ** 2
    const original = { file, likeness: { ...found, sampleRateHz: sum.sampleRateHz } }
    const order = { ffmpeg, folder: newFolder(), stems, tags: {}, original, mix: { restore_missing: true } }
    const made = await mixStems(order, never)
    const probe = await probeAudio(made.path, { ffmpeg })
    if (!probe.ok) throw new Error(probe.reason)
    const restored = (await decodeSong(ffmpeg, made.path, probe.facts)).audio
    const due = allocateAudio(2, restored.frames, sum.sampleRateHz)
    for (const [c, samples] of due.channels.entries())
      for (let i = 0; i < samples.length; i++) samples[i] = (mix.channels[c]![i + offset] ?? 0) / fitted
    say(
      [
        ...[String(seed).padStart(3), String(roles.length).padStart(6)],
        `${found.offsetFrames} (${offset})`.padStart(21),
        `${found.isInverted ? '−' : ''}${found.gainDb.toFixed(2)} (${gainToDb(Math.abs(fitted)).toFixed(2)})`.padStart(
          16,
        ),
        `${found.residualDb.toFixed(2)} (${powerToDb(rest / whole).toFixed(2)})`.padStart(19),
        differenceDb(due, restored).toFixed(0).padStart(13),
      ].join(' '),
    )
  }
}

function voice(): void {
  say('set  asked, dB  moved, dB  loudness, LU')
  const worst = { moved: 0, loudness: 0 }
  for (let seed = 1; seed <= 12; seed++) {
    const roles = ROLES.slice(0, 4 + (seed % 6))
    const isSung = (role: StemRole) => role === 'voice' || role === 'backing'
    const part = (wanted: boolean) =>
      sumOf(roles.filter((role) => isSung(role) === wanted).map((role) => stemOf(role, seed, 20)))
    const [sung, rest] = [part(true), part(false)]
    const asSum = (audio: Audio) => {
      const sum = new StemSum()
      sum.add(audio)
      return sum
    }
    for (const asked of [6, 3, -3, -6]) {
      const sound = { ...rest, voice: asSum(sung), rest: asSum(rest) }
      const gains = bringForward(sound, asked)!
      const planes = (blocks: Iterable<Float64Array>) => {
        const audio = allocateAudio(2, rest.frames, rest.sampleRateHz)
        let at = 0
        for (const block of blocks)
          for (let i = 0; i < block.length; i += 2, at++) for (const c of [0, 1]) audio.channels[c]![at] = block[i + c]!
        return audio
      }
      const moved = {
        voice: planes(movedBlocks({ ...sound, rest: new StemSum() }, gains)),
        rest: planes(movedBlocks({ ...sound, voice: new StemSum() }, gains)),
        whole: planes(movedBlocks(sound, gains)),
      }
      const steps = (audio: Audio) => {
        const meter = createLoudnessMeter(audio.sampleRateHz)
        meter.push(audio)
        return meter.stepMeanSquares()
      }
      const [sungSteps, restSteps] = [steps(sung), steps(rest)]
      const loudest = 10 ** ((measureLoudness(sung).integratedLufs + 0.691 - 20) / 10)
      const heard = (values: Float64Array) =>
        powerToDb(values.reduce((sum, value, i) => sum + (sungSteps[i]! >= loudest ? value : 0), 0))
      const change = heard(steps(moved.voice)) - heard(steps(moved.rest)) - (heard(sungSteps) - heard(restSteps))
      const louder = measureLoudness(moved.whole).integratedLufs - measureLoudness(sumOf([sung, rest])).integratedLufs
      worst.moved = Math.max(worst.moved, Math.abs(change - asked))
      worst.loudness = Math.max(worst.loudness, Math.abs(louder))
      say(
        `${String(seed).padStart(3)} ${asked.toFixed(1).padStart(10)} ${change.toFixed(2).padStart(10)} ${louder.toFixed(3).padStart(13)}`,
      )
    }
  }
  say(`farthest from what was asked: ${worst.moved.toFixed(2)} dB; loudness: ${worst.loudness.toFixed(3)} LU`)
}

interface Fault {
  readonly kind: RepairKind
  readonly role: StemRole
  readonly put: (stem: Audio, seed: number) => void
}

/** Faults that are found in such tones: sibilance, mud and clipping are told from those of voices and records. */
const FAULTS: readonly Fault[] = [
  {
    kind: 'rumble',
    role: 'keys',
    put: (stem) => {
      for (let i = 0; i < stem.frames; i++)
        for (const c of [0, 1])
          stem.channels[c]![i]! += 0.05 * Math.sin((2 * Math.PI * (11 + c) * i) / stem.sampleRateHz)
    },
  },
  {
    kind: 'mono_bass',
    role: 'bass',
    put: (stem, seed) => {
      // One channel later by a third of a period of 70 Hz.
      const late = Math.round(stem.sampleRateHz / 210)
      stem.channels[seed % 2]!.copyWithin(late, 0)
      stem.channels[seed % 2]!.fill(0, 0, late)
    },
  },
  {
    kind: 'clicks',
    role: 'guitar',
    put: (stem, seed) => {
      const random = seededRandom(seed)
      for (let at = 9000; at < stem.frames - 9000; at += 20_000 + Math.round(6000 * random()))
        for (const c of [0, 1]) stem.channels[c]![at]! += 0.5
    },
  },
  {
    kind: 'whistle',
    role: 'drums',
    put: (stem, seed) => {
      for (let i = 0; i < stem.frames; i++)
        for (const c of [0, 1])
          stem.channels[c]![i]! += 0.02 * Math.sin((2 * Math.PI * (10_500 + 700 * seed) * i) / stem.sampleRateHz)
    },
  },
]

function repairs(): void {
  say('fault      set  faulty mix, dB  in the stem, dB  in the mix, dB')
  const won: boolean[] = []
  for (const { kind, role, put } of FAULTS)
    for (let seed = 1; seed <= 5; seed++) {
      const others = sumOf(ROLES.filter((one) => one !== role).map((one) => stemOf(one, seed, 20)))
      const clean = stemOf(role, seed, 20)
      const faulty = copyOf(clean)
      put(faulty, seed)
      const due = sumOf([others, clean])
      const settings = { stem: 1, repairs: [kind] }
      const mixed = sumOf([others, faulty])
      const before = differenceDb(due, mixed)
      const made = treatStem(faulty, settings, false)
      const inStem = differenceDb(due, sumOf([others, faulty]))
      const madeInMix = treatStem(mixed, settings, false)
      const inMix = differenceDb(due, mixed)
      won.push(inStem < inMix)
      const told = (value: number, count: number) => `${(-value).toFixed(1)}${count === 0 ? ' (none)' : ''}`
      say(
        `${kind.padEnd(10)} ${seed} ${(-before).toFixed(1).padStart(15)} ${told(inStem, made.length).padStart(16)} ${told(inMix, madeInMix.length).padStart(15)}`,
      )
    }
  say(`better in the stem: ${won.filter(Boolean).length} of ${won.length}`)
}

async function change(): Promise<void> {
  const stems = await Promise.all(
    ROLES.map(async (role, i) => stored(`${role}.wav`, stemOf(role, i, 240, 48_000), role)),
  )
  const sum = await mixStems({ ffmpeg, folder: newFolder(), stems, tags: {} }, never)
  const source = await songOf(sum.path, ffmpeg, folder)
  const caller = new AuditionCaller()
  const terms = {
    ffmpeg,
    seed: 0,
    platform: 'spotify',
    folder,
    settings: jobSettings({ platforms: ['spotify'] }),
  } as const
  const first = async (order: Parameters<typeof caller.ask<'estimate'>>[1]) => {
    const { frames, sampleRateHz, finalise } = await caller.ask('estimate', order)
    const passage = { firstFrame: Math.floor(frames / 2), passageFrames: 2 * sampleRateHz, finalise }
    await caller.ask('passage', { ...order, ...passage })
  }
  const timed = async (name: string, turns: number, work: (turn: number) => Promise<void>) => {
    const [walls, cpus]: [number[], number[]] = [[], []]
    for (let turn = 0; turn < turns; turn++) {
      const start = performance.now()
      cpus.push(await cpuMsOf(() => work(turn)))
      walls.push(performance.now() - start)
    }
    say(
      `${name.padEnd(52)} ${medianOf(walls).toFixed(0).padStart(7)} ms ${medianOf(cpus).toFixed(0).padStart(7)} ms of processor time`,
    )
  }
  const mixOf = (gainDb: number): StemMix => ({ stems: [{ stem: 2, gain_db: gainDb }] })
  await timed('the song is loaded and heard for the first time', 1, () => first({ ...terms, source }))
  await timed('a fader of the song', 9, (turn) =>
    first({ ...terms, source, settings: jobSettings({ platforms: ['spotify'], tilt_db: (turn + 1) / 10 }) }),
  )
  await timed('a gain by the mix of all stems', 3, async (turn) => {
    const made = await mixStems({ ffmpeg, folder: newFolder(), stems, tags: {}, mix: mixOf(turn + 1) }, never)
    await first({ ...terms, source: await songOf(made.path, ffmpeg, folder) })
    rmSync(made.path)
  })
  const kept = newFolder()
  const keep = async (mix: StemMix) => {
    const made = await mixStems({ ffmpeg, folder: newFolder(), stems, tags: {}, mix, kept }, never)
    rmSync(made.path)
  }
  const lanes = (mix: StemMix) => first({ ...terms, source, lanes: keptLanes({ stems }, mix, kept)! })
  await first({ ...terms, source })
  await timed('the first gain: stems are decoded and kept', 1, async () => {
    await keep(mixOf(0.5))
    await lanes(mixOf(0.5))
  })
  await timed('a gain by kept stems', 9, (turn) => lanes(mixOf(turn + 1)))
  await timed('solo', 1, () => lanes({ stems: [{ stem: 1, solo: true }] }))
  await timed('voice forward', 1, () => lanes({ voice_forward_db: 3 }))
  await timed('tilt of one stem: it is treated anew', 3, async (turn) => {
    const mix: StemMix = { stems: [{ stem: 2, tilt_db: (turn + 1) / 2 }] }
    await keep(mix)
    await lanes(mix)
  })
  await timed('the mix, of kept stems', 3, (turn) => keep(mixOf(turn + 1)))
}

/** Processor time of ended child processes and theirs, s (Linux: proc(5), at 100 ticks per second). */
function childrenSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]!.split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}

/** Returns processor time of an engine process with its ffmpeg, s, and its answer. */
async function inEngine(command: WorkerCommand) {
  const before = childrenSeconds()
  const engine = fork(ENGINE_FILE, [], {
    ...{ serialization: 'advanced' as const, execArgv: [...engineFlags] },
    env: { ...process.env, ...engineEnvironment },
  })
  let answer: WorkerMessage | undefined
  engine.on('message', (message: WorkerMessage) => {
    answer = message
  })
  engine.send(command)
  await once(engine, 'exit')
  if (!answer || answer.type === 'failed') throw new Error(JSON.stringify(answer))
  return { answer, seconds: childrenSeconds() - before }
}

async function cost(count: number): Promise<void> {
  const stems = await Promise.all(
    Array.from({ length: 12 }, (_, i) => {
      const role = ROLES[i % ROLES.length]!
      return stored(`${i}.wav`, stemOf(role, i, 240, 48_000), role)
    }),
  )
  const mixed = async (mix?: StemMix) => {
    const order = { ffmpeg, folder: newFolder(), stems, tags: {}, ...(mix ? { mix } : {}) }
    const { answer, seconds } = await inEngine({ type: 'mix_stems', order })
    if (answer.type !== 'mixed') throw new Error(answer.type)
    return { file: answer.mix.path, seconds }
  }
  const settings: StemMix[] = [
    { stems: [{ stem: 1, gain_db: 1 }] },
    { voice_forward_db: 2 },
    { stems: stems.map((_, i) => ({ stem: i + 1, tilt_db: 0.5, repairs: ['sibilance', 'mud'] })) },
  ]
  say('processor time, s: job of the sum; sum; mix with a gain, voice forward, tone and repairs of every stem')
  const rounds: number[][] = []
  for (let round = 0; round < count; round++) {
    const sum = await mixed()
    const source = await songOf(sum.file, ffmpeg, folder)
    const order: WorkOrder = {
      ...{ jobId: '00000000-0000-4000-8000-000000000000', createdAt: '2026-01-01T00:00:00.000Z', source, ffmpeg },
      ...{ attemptFolder: newFolder(), settings: jobSettings(DEFAULT_SETTINGS), seed: 0, threads: 2 },
    }
    const job = (await inEngine({ type: 'work', order })).seconds
    const times: number[] = []
    for (const mix of settings) times.push((await mixed(mix)).seconds)
    rounds.push([job, sum.seconds, ...times])
    say(
      rounds
        .at(-1)!
        .map((seconds) => seconds.toFixed(1))
        .join('  '),
    )
    for (let i = 0; i < mixes; i++) rmSync(path.join(folder, `mix-${i}`), { recursive: true, force: true })
  }
  const [job, sum, ...others] = rounds[0]!.map((_, i) => medianOf(rounds.map((round) => round[i]!)))
  const ratios = [sum!, ...others.map((seconds) => sum! + seconds)].map((seconds) =>
    ((seconds + job!) / job!).toFixed(2),
  )
  say(`sum and job against the job alone: ${ratios[0]}; sum, mix and job: ${ratios.slice(1).join(', ')}`)
}

async function mix(count: number, seconds: number, rateHz: number, isTreated: boolean): Promise<void> {
  const random = seededRandom(1)
  const form = { sampleRateHz: rateHz, frames: seconds * rateHz }
  // Not whole in memory, which is measured.
  const noise = function* (index: number) {
    const block = new Float64Array(2 * rateHz)
    for (let second = 0; second < seconds; second++) {
      for (let i = 0; i < block.length; i += 128) block[i] = block[i + 1] = 0.1 * random() + 0.02 * Math.sin(i * index)
      yield block
    }
  }
  const stems: StoredStem[] = []
  for (let index = 0; index < count; index++) {
    const file = path.join(folder, `${index}.wav`)
    const { sha256 } = await writeMix(file, noise(index), form, { tags: {} }, { signal: never })
    const probe = await probeAudio(file, { ffmpeg })
    if (!probe.ok) throw new Error(probe.reason)
    stems.push({
      path: file,
      filename: `${index}.wav`,
      sha256,
      facts: probe.facts,
      role: index === 0 ? 'voice' : 'other',
    })
  }
  const settings: StemMix = {
    stems: stems.map((_, i) => ({ stem: i + 1, tilt_db: 0.5, repairs: ['sibilance', 'mud'] })),
  }
  const before = process.cpuUsage()
  const order = { ffmpeg, folder: newFolder(), stems: stems.slice(1), tags: {}, original: { file: stems[0]! } }
  await mixStems(isTreated ? { ...order, stems, mix: settings } : order, never)
  const { user, system } = process.cpuUsage(before)
  say(
    `${count} stems: ${((user + system) / 1e6).toFixed(1)} s, ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB`,
  )
}

const [part, ...values] = process.argv.slice(2)
try {
  if (part === 'likeness') await likeness()
  if (part === 'voice') voice()
  if (part === 'repairs') repairs()
  if (part === 'change') await change()
  if (part === 'cost') await cost(Number(values[0] ?? 3))
  if (part === 'mix') await mix(Number(values[0]), Number(values[1]), Number(values[2]), values[3] === 'treated')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
