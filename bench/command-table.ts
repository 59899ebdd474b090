/** The shipped command line compared with ffmpeg's loudnorm: from its start until the masters are in a folder. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { type Cost, runCommand } from './cost.ts'
import { landPeer } from './job-table.ts'
import { peer as loudnorm } from './peers/loudnorm-two-pass.ts'
import { writeExcerpt } from './reading.ts'
import { type BenchInput, fixed, startTable } from './table.ts'

/** Number of pairs of runs; the least and the median are printed. */
const PAIRS = 3

const program = path.join(import.meta.dirname, '../dist/main/cli.js')

/** Masters one song for five platforms with a data directory that is new each time, in turns with loudnorm for one. */
export async function benchCommand({ files, seconds, work, say }: BenchInput): Promise<Record<string, Cost[]>> {
  const input = path.join(work, 'song.wav')
  writeExcerpt(files[0] ?? '', seconds, input)
  const costs: Record<string, Cost[]> = { loudnorm: [], loudsmith: [] }
  for (let pair = 0; pair < PAIRS; pair++) {
    costs.loudnorm?.push(await landPeer(loudnorm, { input, output: path.join(work, 'peer.wav') }))
    costs.loudsmith?.push(await masterByCommand(input, work))
  }
  say(`\nThe command line, five platforms; loudnorm, one. Least and median of ${PAIRS}, in turns.\n`)
  const print = startTable(
    [['tool', 12], ['CPU s'], ['median'], ['of loudnorm'], ['wall s'], ['median'], ['of loudnorm']],
    say,
  )
  const [base] = Object.values(costs)
  for (const [tool, measured] of Object.entries(costs)) {
    const cells = (['cpuSeconds', 'wallSeconds'] as const).flatMap((figure) => {
      const [least, median] = leastAndMedian(measured, figure)
      const [, whole] = leastAndMedian(base ?? [], figure)
      return [fixed(least, 2), fixed(median, 2), fixed(median / whole, 2)]
    })
    print([tool, ...cells])
  }
  return costs
}

async function masterByCommand(input: string, work: string): Promise<Cost> {
  const [out, dataDir] = [path.join(work, 'masters'), path.join(work, 'data')]
  for (const used of [out, dataDir]) rmSync(used, { recursive: true, force: true })
  const words = ['master', input, '--platforms', PLATFORMS.join(','), '--out', out, '--data-dir', dataDir]
  const { cpuSeconds, wallSeconds, peakBytes } = await runCommand(process.execPath, [program, ...words])
  return { cpuSeconds, wallSeconds, peakBytes }
}

function leastAndMedian(costs: readonly Cost[], figure: 'cpuSeconds' | 'wallSeconds'): [number, number] {
  const sorted = costs.map((cost) => cost[figure]).sort((a, b) => a - b)
  return [sorted[0] ?? Number.NaN, sorted[Math.floor(sorted.length / 2)] ?? Number.NaN]
}
