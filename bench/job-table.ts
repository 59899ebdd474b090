/** Whole jobs: what a song costs, whether its masters land, and whether they keep their ceiling. */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { deliveryTarget, PLATFORMS, type Platform, type Tier } from '../src-server/contract/platforms.ts'
import type { MasterResult } from '../src-server/contract/report.ts'
import { engineEnvironment, engineFlags } from '../src-server/jobs/worker-pool.ts'
import type { WorkOrder } from '../src-server/mastering/work-order.ts'
import { locateFfmpeg } from '../src-server/media/locate.ts'
import { probeAudio } from '../src-server/uploads/probe.ts'
import { type Cost, runCommand } from './cost.ts'
import type { Files, Peer } from './peer.ts'
import { hasProgram, readMaster, writeExcerpt } from './reading.ts'
import { type BenchInput, fixed, markdownTable } from './table.ts'

interface Row extends Cost {
  readonly song: string
  readonly tool: string
  readonly loudnessErrorLu?: number
  readonly truePeakOverDb?: number
  readonly belowTarget?: number
}

const TARGET_LUFS = -14
const CEILING_DBTP = -1

/** Masters every song with Loudsmith for five platforms, standard and premium, and with each peer for one platform at −14 LUFS. */
export async function benchJobs({ files, seconds, peers, work, say }: BenchInput): Promise<Row[]> {
  const rows: Row[] = []
  for (const file of files) {
    const song = path.basename(file).replace(/\.\w+$/, '')
    const input = path.join(work, 'song.wav')
    writeExcerpt(file, seconds, input)
    rows.push({ song, tool: 'floor: decode and five writes', ...(await floor(input, work)) })
    for (const tier of ['standard', 'premium'] as const) {
      rows.push({ song, tool: `Loudsmith ${tier}, five platforms`, ...(await masterOnce(input, work, tier)) })
    }
    for (const peer of peers) {
      if (!peer.land || !hasProgram(peer.program)) continue
      rows.push({ song, tool: peer.name, ...(await landPeer(peer, { input, output: path.join(work, 'peer.wav') })) })
    }
  }
  say('\nWhole jobs. Peers render one platform at −14 LUFS, −1 dBTP; Loudsmith five. Errors are the worst of a job.\n')
  say(
    markdownTable(
      ['song', 'tool', 'CPU s', 'wall s', 'MB', 'LU off', 'TP over dB', 'below target'],
      rows.map((row) => [
        row.song,
        row.tool,
        fixed(row.cpuSeconds, 2),
        fixed(row.wallSeconds, 2),
        fixed(row.peakBytes / 1e6, 0),
        fixed(row.loudnessErrorLu, 3),
        fixed(row.truePeakOverDb, 3),
        row.belowTarget === undefined ? '–' : String(row.belowTarget),
      ]),
    ),
  )
  return rows
}

/** Masters one and ten minutes and says how cost grows. */
export async function benchGrowth({ files, work, say }: BenchInput): Promise<Row[]> {
  const rows: Row[] = []
  const looped = path.join(work, 'looped.wav')
  for (const seconds of [60, 260, 600]) {
    const source = files[0] ?? ''
    await runCommand('ffmpeg', [
      '-nostdin',
      '-v',
      'error',
      '-y',
      '-stream_loop',
      '-1',
      '-i',
      source,
      '-t',
      String(seconds),
      '-ac',
      '2',
      '-ar',
      '44100',
      '-c:a',
      'pcm_s16le',
      looped,
    ])
    rows.push({
      song: `${seconds} s`,
      tool: 'Loudsmith standard, five platforms',
      ...(await masterOnce(looped, work, 'standard')),
    })
  }
  say('\nGrowth with length, five platforms, tier standard.\n')
  say(
    markdownTable(
      ['length', 'CPU s', 'wall s', 'MB'],
      rows.map((row) => [row.song, fixed(row.cpuSeconds, 2), fixed(row.wallSeconds, 2), fixed(row.peakBytes / 1e6, 0)]),
    ),
  )
  return rows
}

async function floor(input: string, work: string): Promise<Cost> {
  const outputs = PLATFORMS.flatMap((platform) => ['-c:a', 'pcm_s16le', path.join(work, `floor-${platform}.wav`)])
  return runCommand('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-cpuflags', '0', '-i', input, ...outputs])
}

async function masterOnce(input: string, work: string, tier: Tier): Promise<Omit<Row, 'song' | 'tool'>> {
  const ffmpeg = await locateFfmpeg()
  const probe = await probeAudio(input, { ffmpeg })
  if (!probe.ok) throw new Error(probe.reason)
  const attemptFolder = path.join(work, 'attempt')
  rmSync(attemptFolder, { recursive: true, force: true })
  const order: WorkOrder = {
    jobId: '00000000-0000-4000-8000-000000000000',
    createdAt: '2026-01-01T00:00:00.000Z',
    source: {
      path: input,
      filename: 'song.wav',
      sha256: createHash('sha256').update(readFileSync(input)).digest('hex'),
      facts: probe.facts,
    },
    attemptFolder,
    ffmpeg,
    targets: PLATFORMS.map((platform: Platform) => deliveryTarget(platform, 'other', 'platform')),
    genre: 'other',
    aiService: 'other',
    tier,
    intensity: 50,
    referenceAmount: 70,
    loudness: 'platform',
    title: 'song',
    seed: 0,
    threads: 2,
  }
  const orderFile = path.join(work, 'order.json')
  writeFileSync(orderFile, JSON.stringify(order))
  const program = path.join(import.meta.dirname, 'loudsmith-once.ts')
  const ran = await runCommand(process.execPath, [...engineFlags, program, orderFile], engineEnvironment)
  const masters = JSON.parse(ran.stdout) as MasterResult[]
  const unpacked = path.join(work, 'unpacked')
  rmSync(unpacked, { recursive: true, force: true })
  const [archive] = (await runCommand('bash', ['-c', 'ls "$1"/*.zip', 'bash', attemptFolder])).stdout.trim().split('\n')
  await runCommand('python3', ['-m', 'zipfile', '-e', archive ?? '', unpacked])
  let loudnessErrorLu = 0
  let truePeakOverDb = -Infinity
  for (const master of masters) {
    const file = path.join(unpacked, `song_master_00000000`, master.file)
    const reading = readMaster(file)
    const wanted = master.verdict === 'on_target' ? master.target_lufs : master.integrated_lufs
    loudnessErrorLu = Math.max(loudnessErrorLu, Math.abs(reading.integratedLufs - wanted))
    truePeakOverDb = Math.max(truePeakOverDb, reading.truePeakDbtp - master.ceiling_dbtp)
  }
  const belowTarget = masters.filter((master) => master.verdict === 'below_target').length
  return {
    cpuSeconds: ran.cpuSeconds,
    wallSeconds: ran.wallSeconds,
    peakBytes: ran.peakBytes,
    loudnessErrorLu,
    truePeakOverDb,
    belowTarget,
  }
}

async function landPeer(peer: Peer, files: Files): Promise<Omit<Row, 'song' | 'tool'>> {
  const total = { cpuSeconds: 0, wallSeconds: 0, peakBytes: 0 }
  await peer.land?.(files, TARGET_LUFS, CEILING_DBTP, async (command, commandArguments) => {
    const ran = await runCommand(command, commandArguments)
    total.cpuSeconds += ran.cpuSeconds
    total.wallSeconds += ran.wallSeconds
    total.peakBytes = Math.max(total.peakBytes, ran.peakBytes)
    return ran
  })
  const reading = readMaster(files.output)
  return {
    ...total,
    loudnessErrorLu: Math.abs(reading.integratedLufs - TARGET_LUFS),
    truePeakOverDb: reading.truePeakDbtp - CEILING_DBTP,
  }
}
