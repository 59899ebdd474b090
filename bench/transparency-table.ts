/** Finalising alone (clip, limit, target): damage to a song on its way to −9 LUFS, with every tool at the same loudness. */
import path from 'node:path'
import { type Audio, allocateAudio } from '../src-engine/dsp/block.ts'
import { measureLoudness } from '../src-engine/dsp/meters/loudness.ts'
import { planFinalise, prepareFinalise, renderFinalise, trimFinalise } from '../src-engine/finalise/finalise.ts'
import { fullTruePeakDbtp } from '../tests/support/full-meter.ts'
import { measureTransparency, type Transparency } from '../tests/support/transparency.ts'
import { aligned } from './alignment.ts'
import { runCommand } from './cost.ts'
import { decodeSong } from './music.ts'
import type { Peer } from './peer.ts'
import { readMaster, writeExcerpt } from './reading.ts'
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
/** Tolerance of a peer's true peak around the ceiling, dB, so that all have the same room. */
const PEAK_TOLERANCE_DB = 0.05
const MOST_ROUNDS = 12

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
      if (peer.limit) add({ song, tool: peer.name, ...(await closedLoop(peer, original, input, work)) })
    }
  }
  return rows
}

/** Reaches the target like a render: planned, rendered, measured and trimmed until the measurement holds. */
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

/**
 * Brings a peer to the target and to the ceiling from outside, until both are within their tolerances: secant on its input gain for the
 * loudness, and its ceiling moved by the error of its true peak, up to 0 dBTP.
 */
async function closedLoop(
  peer: Peer,
  original: Audio,
  input: string,
  work: string,
): Promise<Omit<Row, 'song' | 'tool'>> {
  const output = path.join(work, 'peer.wav')
  let gainDb = TARGET_LUFS - readMaster(input).integratedLufs
  let ceilingDbtp = CEILING_DBTP
  let slope = 0.65
  let last: { gainDb: number; lufs: number } | undefined
  for (let round = 0; ; round++) {
    await peer.limit?.({ input, output }, gainDb, ceilingDbtp, runCommand)
    const reading = readMaster(output)
    const missing = TARGET_LUFS - reading.integratedLufs
    const excessDb = reading.truePeakDbtp - CEILING_DBTP
    const nextCeilingDbtp = Math.min(0, ceilingDbtp - excessDb)
    const isAtCeiling = Math.abs(excessDb) <= PEAK_TOLERANCE_DB || nextCeilingDbtp === ceilingDbtp
    if ((Math.abs(missing) <= TOLERANCE_LU && isAtCeiling) || round === MOST_ROUNDS) {
      const { before, after } = aligned(original, reading.audio)
      return {
        integratedLufs: reading.integratedLufs,
        truePeakOverDb: excessDb,
        ...measureTransparency(before, after, 10 ** (gainDb / 20), original.sampleRateHz),
      }
    }
    if (last && gainDb !== last.gainDb) {
      slope = Math.min(1.1, Math.max(0.15, (reading.integratedLufs - last.lufs) / (gainDb - last.gainDb)))
    }
    last = { gainDb, lufs: reading.integratedLufs }
    gainDb += missing / slope
    if (!isAtCeiling) ceilingDbtp = nextCeilingDbtp
  }
}
