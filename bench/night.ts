/**
 * Night of many songs: processor time and bytes a song, of NIGHT_SONGS (200) generated songs of NIGHT_SECONDS (30) and of the songs in the
 * folder NIGHT_MUSIC, for five platforms, delivered into a folder by one service; and what 10,000 songs of 4:20 would take. Needs `npm run
 * build`; Linux.
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import {
  clientOf,
  cpuSecondsOf,
  end,
  handOver,
  type RunFolders,
  startOwner,
  stateOf,
  untilEnded,
} from '../scripts/farm-run.ts'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { isSongName } from '../src-contract/song-files.ts'
import { wavSong } from '../tests/support/songs.ts'

const SONGS = Number(process.env.NIGHT_SONGS ?? 200)
const SECONDS = Number(process.env.NIGHT_SECONDS ?? 30)
const MUSIC = process.env.NIGHT_MUSIC
/** The night to extrapolate to. */
const [NIGHT_SONGS, NIGHT_SONG_SECONDS] = [10_000, 260]
/** Bytes of a frame of a master: 24 bits, two channels. */
const FRAME_BYTES = 6
const RATE_HZ = 44_100

const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-night-'))

interface Figures {
  readonly songs: number
  /** Length of a song, from the bytes of its masters. */
  readonly seconds: number
  readonly cpuSeconds: number
  readonly wallSeconds: number
  /** Bytes of a song's masters and reports. */
  readonly deliveredBytes: number
  /** Bytes that the service keeps of a song. */
  readonly keptBytes: number
}

const bytesBelow = (place: string): number =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0)

/** Masters songs with a new service, as many at once as there are cores. */
async function run(label: string, names: readonly string[], put: (name: string, to: string) => void): Promise<Figures> {
  const folders: RunFolders = { folder, blobs: folder, songs: path.join(folder, `${label}-songs`) }
  const [dataDir, out] = [path.join(folder, label), path.join(folders.songs, 'masters')]
  mkdirSync(out, { recursive: true })
  for (const name of names) put(name, path.join(folders.songs, name))
  const owner = startOwner(folders, dataDir)
  try {
    const settings = { engine_workers: availableParallelism() }
    await clientOf(dataDir)
    const ownBytes = bytesBelow(dataDir)
    const startedAtMs = performance.now()
    const head = { platforms: PLATFORMS, delivery: 'folder', folder: out }
    const { call, batchId } = await handOver(folders, names, dataDir, settings, head)
    await untilEnded(call, batchId, label)
    const { done: songs } = (await stateOf(call, batchId)).songs
    if (songs === 0) throw new Error('no song was mastered')
    const deliveredBytes = bytesBelow(out) / songs
    return {
      ...{ songs, deliveredBytes, keptBytes: (bytesBelow(dataDir) - ownBytes) / songs },
      seconds: deliveredBytes / (PLATFORMS.length * FRAME_BYTES * RATE_HZ),
      cpuSeconds: cpuSecondsOf(owner) / songs,
      wallSeconds: (performance.now() - startedAtMs) / 1000,
    }
  } finally {
    await end(owner)
    rmSync(folders.songs, { recursive: true })
  }
}

function tell(label: string, { songs, seconds, cpuSeconds, wallSeconds, deliveredBytes, keptBytes }: Figures): void {
  const cells = [
    ...[label, songs, seconds.toFixed(0), wallSeconds.toFixed(0), cpuSeconds.toFixed(2)],
    ...[(3600 / cpuSeconds).toFixed(0), (deliveredBytes / 1e6).toFixed(1), (keptBytes / 1e3).toFixed(0)],
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

try {
  const generated = Array.from({ length: SONGS }, (_, at) => `song-${at}.wav`)
  const short = await run('generated', generated, (name, to) => {
    const hertz = 110 + Number(/\d+/.exec(name))
    writeFileSync(to, wavSong({ seconds: SECONDS, sampleRateHz: RATE_HZ, hertz }))
  })
  const songs = MUSIC === undefined ? [] : readdirSync(MUSIC).filter(isSongName)
  const music =
    songs.length === 0 ? undefined : await run('music', songs, (name, to) => copyFileSync(path.join(MUSIC!, name), to))
  console.log('| | songs | s each | s for all | CPU s a song | songs a core and hour | MB a song | kB kept of a song |')
  console.log('|---|---|---|---|---|---|---|---|')
  tell('generated', short)
  if (music) tell('music', music)
  // Real music costs more than a tone; the share that does not grow with the length is counted as if it did.
  const { cpuSeconds, seconds } = music ?? short
  const coreHours = (NIGHT_SONGS * NIGHT_SONG_SECONDS * (cpuSeconds / seconds)) / 3600
  const terabytes = (NIGHT_SONGS * NIGHT_SONG_SECONDS * PLATFORMS.length * FRAME_BYTES * RATE_HZ) / 1e12
  console.log(
    `\n10,000 songs of 4:20: ${coreHours.toFixed(1)} hours of one core, ${terabytes.toFixed(2)} TB of masters`,
  )
  console.log(readFileSync('/proc/loadavg', 'utf8').trim())
} finally {
  rmSync(folder, { recursive: true, force: true })
}
