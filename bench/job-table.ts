/** Whole jobs: cost of a song, and whether its masters reach their target and keep their ceiling. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { transformWithOxc } from 'vite'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import type { MasterResult } from '../src-contract/report.ts'
import { DEFAULT_SETTINGS, jobSettings, type Tier } from '../src-contract/settings.ts'
import { engineEnvironment, engineFlags } from '../src-server/jobs/worker-pool.ts'
import { probeAudio } from '../src-server/uploads/probe.ts'
import type { WorkOrder } from '../src-worker/mastering/work-order.ts'
import type { Ffmpeg } from '../src-worker/media/ffmpeg.ts'
import { locateFfmpeg } from '../src-worker/media/locate.ts'
import { type Cost, runCommand } from './cost.ts'
import type { Files, Peer } from './peer.ts'
import { peer as loudnorm } from './peers/loudnorm-two-pass.ts'
import { type Reading, readMaster, writeExcerpt } from './reading.ts'
import { type BenchInput, fixed, NAME_WIDTH, startTable } from './table.ts'

interface Row extends Cost {
  readonly song: string
  readonly tool: string
  readonly loudnessErrorLu?: number
  readonly truePeakOverDb?: number
  readonly belowTarget?: number
}

const TARGET_LUFS = -14
const CEILING_DBTP = -1

/**
 * Masters every song with each peer for one platform at −14 LUFS, and with Loudsmith for five platforms: standard, premium, and premium
 * with an ffmpeg without encoders, which skips codec proofs. Processor time is also given relative to loudnorm's on the same song, as a
 * measure of the machine.
 */
export async function benchJobs({ files, seconds, peers, work, say }: BenchInput): Promise<Row[]> {
  say('\nWhole jobs. Peers render one platform at −14 LUFS, −1 dBTP; Loudsmith five. Errors are the worst of a job.\n')
  const print = startTable(
    [
      ['song', 20],
      ['tool', NAME_WIDTH],
      ['CPU s', 6],
      ['of loudnorm'],
      ['wall s'],
      ['MB', 3],
      ['LU off'],
      ['TP over dB'],
      ['below target'],
    ],
    say,
  )
  const rows: Row[] = []
  for (const file of files) {
    const song = path.basename(file).replace(/\.\w+$/, '')
    const input = path.join(work, 'song.wav')
    writeExcerpt(file, seconds, input)
    let loudnormCpuSeconds: number | undefined
    const add = (measured: Omit<Row, 'song'>) => {
      const row = { song, ...measured }
      rows.push(row)
      if (row.tool === loudnorm.name) loudnormCpuSeconds = row.cpuSeconds
      print([
        row.song,
        row.tool,
        fixed(row.cpuSeconds, 2),
        fixed(loudnormCpuSeconds && row.cpuSeconds / loudnormCpuSeconds, 2),
        fixed(row.wallSeconds, 2),
        fixed(row.peakBytes / 1e6, 0),
        fixed(row.loudnessErrorLu, 3),
        fixed(row.truePeakOverDb, 3),
        row.belowTarget === undefined ? '–' : String(row.belowTarget),
      ])
    }
    const byCost = [loudnorm, ...peers.filter(({ name }) => name !== loudnorm.name)]
    for (const peer of byCost) {
      if (!peer.reachTarget) continue
      add({ tool: peer.name, ...(await landPeer(peer, { input, output: path.join(work, 'peer.wav') })) })
    }
    add({ tool: 'floor: decode and five writes', ...(await floor(input, work)) })
    const ffmpeg = await locateFfmpeg()
    const addOurs = async (tool: string, tier: Tier, program: Ffmpeg) => {
      const { masters, ...cost } = await masterOnce(input, work, tier, program)
      add({ tool, ...cost, ...readMasters(masters, work) })
    }
    await addOurs('Loudsmith standard', 'standard', ffmpeg)
    await addOurs('Loudsmith premium', 'premium', ffmpeg)
    const withoutCodecs = { ...ffmpeg, path: hideEncoders(ffmpeg, work) }
    await addOurs('Loudsmith premium without codec proofs', 'premium', withoutCodecs)
  }
  return rows
}

/** Writes a wrapper of ffmpeg that reports no lossy encoders, and returns its path. */
function hideEncoders(ffmpeg: Ffmpeg, work: string): string {
  const program = path.join(work, 'ffmpeg-without-encoders')
  const script = `#!/bin/sh\nfor word; do [ "$word" = -encoders ] && echo ' A....D pcm_s16le' && exit 0; done\n`
  writeFileSync(program, `${script}exec '${ffmpeg.path}' "$@"\n`, { mode: 0o755 })
  return program
}

/** Masters one and ten minutes and reports the growth of the cost. */
export async function benchGrowth({ files, work, say }: BenchInput): Promise<Row[]> {
  const rows: Row[] = []
  const looped = path.join(work, 'looped.wav')
  const ffmpeg = await locateFfmpeg()
  say('\nGrowth with length, five platforms, tier standard.\n')
  const print = startTable([['length'], ['CPU s'], ['wall s'], ['MB', 3]], say)
  for (const seconds of [60, 260, 600]) {
    const source = files[0] ?? ''
    writeExcerpt(source, seconds, looped, ['-stream_loop', '-1'])
    const cost = await masterOnce(looped, work, 'standard', ffmpeg)
    rows.push({ song: `${seconds} s`, tool: 'Loudsmith standard', ...cost })
    print([`${seconds} s`, fixed(cost.cpuSeconds, 2), fixed(cost.wallSeconds, 2), fixed(cost.peakBytes / 1e6, 0)])
  }
  return rows
}

async function floor(input: string, work: string): Promise<Cost> {
  const outputs = PLATFORMS.flatMap((platform) => ['-c:a', 'pcm_s16le', path.join(work, `floor-${platform}.wav`)])
  return runCommand('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-cpuflags', '0', '-i', input, ...outputs])
}

const engineProgram = path.join(import.meta.dirname, '../dist/main/worker.js')

/**
 * Builds the engine process's parent as JavaScript: loading Node's type stripping takes a tenth of a second that a user's engine does not
 * spend.
 */
async function parentProgram(work: string): Promise<string> {
  const source = path.join(import.meta.dirname, 'loudsmith-once.ts')
  const program = path.join(work, 'loudsmith-once.mjs')
  writeFileSync(program, (await transformWithOxc(readFileSync(source, 'utf8'), source)).code)
  return program
}

const sha256Of = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const attemptFolderIn = (work: string) => path.join(work, 'attempt')

async function masterOnce(
  input: string,
  work: string,
  tier: Tier,
  ffmpeg: Ffmpeg,
): Promise<Cost & { readonly masters: readonly MasterResult[] }> {
  const probe = await probeAudio(input, { ffmpeg })
  if (!probe.ok) throw new Error(probe.reason)
  const attemptFolder = attemptFolderIn(work)
  rmSync(attemptFolder, { recursive: true, force: true })
  const order: WorkOrder = {
    jobId: '00000000-0000-4000-8000-000000000000',
    createdAt: '2026-01-01T00:00:00.000Z',
    source: {
      path: input,
      filename: 'song.wav',
      sha256: sha256Of(input),
      facts: probe.facts,
    },
    attemptFolder,
    ffmpeg,
    settings: { ...jobSettings(DEFAULT_SETTINGS), tier },
    title: 'song',
    seed: 0,
    threads: 2,
  }
  const orderFile = path.join(work, 'order.json')
  writeFileSync(orderFile, JSON.stringify(order))
  const command = [...engineFlags, await parentProgram(work), orderFile, engineProgram]
  const ran = await runCommand(process.execPath, command, engineEnvironment)
  const { cpuSeconds, wallSeconds, peakBytes } = ran
  return { cpuSeconds, wallSeconds, peakBytes, masters: JSON.parse(ran.stdout) as MasterResult[] }
}

/** Measures the masters of the last job, which are found by their SHA-256. */
function readMasters(masters: readonly MasterResult[], work: string): Omit<Row, keyof Cost | 'song' | 'tool'> {
  const folder = attemptFolderIn(work)
  const paths = readdirSync(folder).map((name) => path.join(folder, name))
  const fileOf = new Map(paths.map((file) => [sha256Of(file), file]))
  const readings = new Map<string, Reading>()
  let loudnessErrorLu = 0
  let truePeakOverDb = -Infinity
  for (const master of masters) {
    const file = fileOf.get(master.sha256)
    if (!file) throw new Error(`no file has the SHA-256 of ${master.file}`)
    const reading = readings.get(master.sha256) ?? readMaster(file)
    readings.set(master.sha256, reading)
    const wanted = master.verdict === 'on_target' ? master.target_lufs : master.integrated_lufs
    loudnessErrorLu = Math.max(loudnessErrorLu, Math.abs(reading.integratedLufs - wanted))
    truePeakOverDb = Math.max(truePeakOverDb, reading.truePeakDbtp - master.ceiling_dbtp)
  }
  return {
    loudnessErrorLu,
    truePeakOverDb,
    belowTarget: masters.filter((master) => master.verdict === 'below_target').length,
  }
}

/** Brings a song to the target with another tool, and returns the cost and the errors. */
export async function landPeer(peer: Peer, files: Files): Promise<Omit<Row, 'song' | 'tool'>> {
  const total = { cpuSeconds: 0, wallSeconds: 0, peakBytes: 0 }
  await peer.reachTarget?.(files, TARGET_LUFS, CEILING_DBTP, async (command, commandArguments) => {
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
