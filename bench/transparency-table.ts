/** Finalising alone (clip, limit, target): how much a song is damaged on its way to −9 LUFS, with every tool at the same loudness. */
import path from 'node:path'
import { type Audio, type AudioBlock, allocateAudio } from '../src-engine/dsp/block.ts'
import { measureLoudness } from '../src-engine/dsp/meters/loudness.ts'
import { planFinalise, prepareFinalise, renderFinalise, trimFinalise } from '../src-engine/finalise/finalise.ts'
import { fullTruePeakDbtp } from '../tests/support/full-meter.ts'
import { measureTransparency, type Transparency } from '../tests/support/transparency.ts'
import { runCommand } from './cost.ts'
import { decodeSong } from './music.ts'
import type { Peer } from './peer.ts'
import { hasProgram, readMaster, writeExcerpt } from './reading.ts'
import { type BenchInput, fixed, NAME_WIDTH, startTable } from './table.ts'

interface Row extends Transparency {
  readonly song: string
  readonly tool: string
  readonly integratedLufs: number
  readonly truePeakOverDb: number
}

const TARGET_LUFS = -9
const CEILING_DBTP = -1
const TOLERANCE_LU = 0.05
const MOST_ROUNDS = 8

/** Measures Loudsmith and every peer that takes a gain, on every song. */
export async function benchTransparency({ files, seconds, peers, work, say }: BenchInput): Promise<Row[]> {
  say(`\nTransparency of clipper, limiter and targeting alone at ${TARGET_LUFS} LUFS, ${CEILING_DBTP} dBTP.`)
  const withoutGain = peers.filter((peer) => !peer.limit).map(({ name }) => name)
  if (withoutGain.length > 0)
    say(`Not ranked, because they take no gain and cannot be brought to a target: ${withoutGain.join(', ')}.`)
  say('')
  const print = startTable(
    [['song', 20], ['tool', NAME_WIDTH], ['LUFS', 6], ['TP over dB'], ['SDR dB'], ['ERB-LSD'], ['colour-LSD']],
    say,
  )
  const rows: Row[] = []
  const add = (row: Row) => {
    rows.push(row)
    print([
      row.song,
      row.tool,
      fixed(row.integratedLufs, 2),
      fixed(row.truePeakOverDb, 3),
      fixed(row.sdrDb, 1),
      fixed(row.erbLsdDb, 2),
      fixed(row.colourLsdDb, 2),
    ])
  }
  for (const file of files) {
    const song = path.basename(file).replace(/\.\w+$/, '')
    const input = path.join(work, 'song.wav')
    writeExcerpt(file, seconds, input)
    const original = decodeSong(input)
    add({ song, tool: 'Loudsmith', ...loudsmith(original) })
    for (const peer of peers) {
      if (peer.limit && hasProgram(peer.program))
        add({ song, tool: peer.name, ...(await closedLoop(peer, original, input, work)) })
    }
  }
  return rows
}

/** Reaches the target as a render does: planned, rendered, read and trimmed until the reading holds. */
function loudsmith(original: Audio): Omit<Row, 'song' | 'tool'> {
  const source = prepareFinalise(original)
  let plan = planFinalise(source, { targetLufs: TARGET_LUFS, ceilingDbtp: CEILING_DBTP, intensity: 100 })
  for (let round = 0; ; round++) {
    const rendered = allocateAudio(2, original.frames, original.sampleRateHz)
    let at = 0
    for (const block of renderFinalise(source, plan)) {
      for (const [c, samples] of block.channels.entries()) rendered.channels[c]!.set(samples, at)
      at += block.frames
    }
    const reading = {
      integratedLufs: measureLoudness(rendered).integratedLufs,
      truePeakDbtp: fullTruePeakDbtp(rendered.channels),
    }
    const trimmed = trimFinalise(plan, reading)
    if (trimmed === null || round === MOST_ROUNDS) {
      return {
        integratedLufs: reading.integratedLufs,
        truePeakOverDb: reading.truePeakDbtp - CEILING_DBTP,
        ...measureTransparency(original, rendered, 10 ** (plan.gainDb / 20), original.sampleRateHz),
      }
    }
    plan = trimmed
  }
}

/** Brings a peer to the target from outside: secant on its input gain until the loudness is within the tolerance. */
async function closedLoop(
  peer: Peer,
  original: Audio,
  input: string,
  work: string,
): Promise<Omit<Row, 'song' | 'tool'>> {
  const output = path.join(work, 'peer.wav')
  let gainDb = TARGET_LUFS - readMaster(input).integratedLufs
  let slope = 0.65
  let last: { gainDb: number; lufs: number } | undefined
  for (let round = 0; ; round++) {
    await peer.limit?.({ input, output }, gainDb, CEILING_DBTP, runCommand)
    const reading = readMaster(output)
    const missing = TARGET_LUFS - reading.integratedLufs
    if (Math.abs(missing) <= TOLERANCE_LU || round === MOST_ROUNDS) {
      const { before, after } = aligned(original, reading.audio)
      return {
        integratedLufs: reading.integratedLufs,
        truePeakOverDb: reading.truePeakDbtp - CEILING_DBTP,
        ...measureTransparency(before, after, 10 ** (gainDb / 20), original.sampleRateHz),
      }
    }
    if (last && gainDb !== last.gainDb) {
      slope = Math.min(1.1, Math.max(0.15, (reading.integratedLufs - last.lufs) / (gainDb - last.gainDb)))
    }
    last = { gainDb, lufs: reading.integratedLufs }
    gainDb += missing / slope
  }
}

const MOST_LATENCY_SECONDS = 0.1
const EXCERPT_FRAMES = 16_384

/** Cuts both pieces so that they run side by side: a tool's latency is not distortion. Found by correlating a stretch of the middle. */
function aligned(original: Audio, processed: Audio): { before: AudioBlock; after: AudioBlock } {
  const start = Math.floor(original.frames / 2)
  const most = Math.round(MOST_LATENCY_SECONDS * original.sampleRateHz)
  const [one, other] = [original.channels[0]!, processed.channels[0]!]
  let latency = 0
  let best = -Infinity
  for (let lag = -most; lag <= most; lag++) {
    let product = 0
    for (let i = start; i < start + EXCERPT_FRAMES; i++) product += one[i]! * (other[i + lag] ?? 0)
    if (product > best) {
      best = product
      latency = lag
    }
  }
  const from = Math.max(0, -latency)
  const frames = Math.min(original.frames, processed.frames - latency) - from
  const cut = (audio: Audio, first: number): AudioBlock => ({
    channels: audio.channels.map((samples) => samples.subarray(first, first + frames)),
    frames,
  })
  return { before: cut(original, from), after: cut(processed, from + latency) }
}
