/**
 * Imitates another machine: the same order in its own process, with everything changed that differs between machines, including the code
 * paths of the system's math library. Not covered: processors other than x86, other systems, other builds of ffmpeg or Node.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { WorkerMessage, WorkOrder } from '../../../src-worker/mastering/work-order.ts'
import { ENGINE } from '../../support/built.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain, songLike, writeFloatWav } from '../media/make-audio.ts'
import { orderFor, startWorker } from './run-worker.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)

/** Features of a processor that an older one lacks: as glibc, and as V8 calls them. WebAssembly needs SSE 4.1. */
const LIBC_WITHOUT = ['AVX512F', 'AVX512VL', 'AVX2', 'AVX', 'FMA', 'FMA4', 'BMI1', 'BMI2', 'ERMS', 'MOVBE', 'LZCNT']
const V8_WITHOUT = ['avx2', 'avx', 'fma3', 'bmi1', 'bmi2', 'lzcnt', 'popcnt', 'sse4-2']

/**
 * A process that could be on another machine; its ffmpeg has no processor-specific code at all, nor has the library it calculates
 * with.
 */
function startElsewhere(home: string): { worker: ChildProcess; ffmpegPath: string } {
  const ffmpegPath = path.join(home, 'ffmpeg')
  const tunables = `glibc.cpu.hwcaps=${LIBC_WITHOUT.map((feature) => `-${feature}`).join(',')}`
  const script = `#!/bin/sh\nexec '${ffmpeg.path}' -cpuflags 0 "$@"\n`
  writeFileSync(ffmpegPath, script, { mode: 0o755 })
  const worker = fork(ENGINE, [], {
    serialization: 'advanced',
    cwd: home,
    execArgv: [...V8_WITHOUT.map((feature) => `--no-enable-${feature}`), '--liftoff-only', '--random-seed=7'],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: home,
      TZ: 'Pacific/Chatham',
      LANG: 'tr_TR.UTF-8',
      LC_ALL: 'tr_TR.UTF-8',
      HOSTNAME: 'elsewhere',
      USER: 'somebody',
      UV_THREADPOOL_SIZE: '1',
      SOXR_USE_SIMD: '0',
      GLIBC_TUNABLES: tunables,
    },
  })
  return { worker, ffmpegPath }
}

async function mastersOf(order: WorkOrder, worker: ChildProcess): Promise<string[]> {
  const last = await new Promise<WorkerMessage | undefined>((resolve) => {
    let latest: WorkerMessage | undefined
    worker.on('message', (message: WorkerMessage) => {
      latest = message
    })
    worker.on('exit', () => resolve(latest))
    worker.send({ type: 'work', order })
  })
  if (last?.type !== 'done') throw new Error(`not done: ${JSON.stringify(last)}`)
  return last.result.masters.map(({ platform, sha256 }) => `${platform} ${sha256}`)
}

/** The order as it would be written down and read again elsewhere: other places, another job, another day. */
function moved(order: WorkOrder, home: string, ffmpegPath: string): WorkOrder {
  const file = path.join(home, 'order.json')
  writeFileSync(file, JSON.stringify(order))
  const read = JSON.parse(readFileSync(file, 'utf8')) as WorkOrder
  const songElsewhere = (song: WorkOrder['source']) => {
    const copy = path.join(home, `곡 ${path.basename(song.path)}.bin`)
    copyFileSync(song.path, copy)
    return { ...song, path: copy }
  }
  return {
    ...read,
    jobId: 'ffffffff-ffff-4fff-8fff-ffffffffffff',
    createdAt: '2031-12-31T23:59:59.999Z',
    source: songElsewhere(read.source),
    ...(read.reference ? { reference: songElsewhere(read.reference) } : {}),
    attemptFolder: mkdtempSync(path.join(home, 'a t-')),
    ffmpeg: { ...read.ffmpeg, path: ffmpegPath },
    threads: 3,
  }
}

const SONGS: Record<string, { options: string[]; change: Parameters<typeof orderFor>[2] }> = {
  'a FLAC at 48 kHz in premium, with a reference': {
    options: ['-c:a', 'flac', '-sample_fmt', 's32', '-bits_per_raw_sample', '24', '-f', 'flac'],
    change: { tier: 'premium' },
  },
  'an MP3 at competitive loudness': {
    options: ['-c:a', 'libmp3lame', '-b:a', '192k', '-f', 'mp3'],
    change: { loudness: 'competitive', genre: 'edm', ai_service: 'suno' },
  },
}

describe.runIf(process.platform === 'linux')('the same order elsewhere (only where a processor can be masked)', () => {
  beforeAll(() => {
    writeFloatWav(at('plain.wav'), songLike(IS_CAMPAIGN ? 5 : 2, 48_000), 48_000)
    writeFloatWav(at('reference.wav'), songLike(6, 96_000, 0.2), 96_000)
  })

  test.each(Object.keys(SONGS).slice(IS_CAMPAIGN ? 0 : 1))(
    '%s: every WAV has the same bytes in a process with another home, folder, time zone, language and thread count, without the newer instructions of the processor',
    async (name) => {
      const { options, change } = SONGS[name]!
      const song = at(name)
      runPlain('-i', at('plain.wav'), ...options, song)
      const home = at(`elsewhere ${name}`)
      mkdirSync(home)
      const { source: reference } = await orderFor(at('reference.wav'), folder)
      const order = await orderFor(song, folder, {
        ...change,
        ...(change?.tier === 'premium' ? { reference } : {}),
        threads: 1,
      })
      const here = await mastersOf(order, startWorker())
      const { worker, ffmpegPath } = startElsewhere(home)
      const there = await mastersOf(moved(order, home, ffmpegPath), worker)
      expect(here.length).toBe(5)
      expect(there).toEqual(here)
    },
  )
})
