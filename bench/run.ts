/** `npm run bench`: Loudsmith compared with other tools, in one run on one machine; `-- --help` lists the options. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { benchCommand } from './command-table.ts'
import { benchGrowth, benchJobs } from './job-table.ts'
import { benchKnownFiles } from './known-files.ts'
import { findSong, reportedSongs } from './music.ts'
import { readPeers } from './peer.ts'
import { benchTones } from './tone-table.ts'
import { benchTransparency } from './transparency-table.ts'

const usage = `Loudsmith beside other tools, in one run on one machine: about an hour when everything is asked for.

  --songs a,b     names of songs (see bench/music.ts); eight reported ones unless told otherwise
  --music FILE    a file of one's own, may be repeated
  --seconds N     cuts longer songs
  --only job,cli,transparency,tones,growth,known
  --json FILE     writes every figure
`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    songs: { type: 'string' },
    music: { type: 'string', multiple: true },
    seconds: { type: 'string' },
    only: { type: 'string', default: 'job,cli,transparency,tones,growth,known' },
    json: { type: 'string' },
  },
})

if (values.help) {
  process.stdout.write(usage)
  process.exit()
}

const names = values.music ? [] : (values.songs?.split(',') ?? [...reportedSongs])
const files = [...(values.music ?? []), ...names.map(findSong).filter((file) => file !== null)]
const seconds = Number(values.seconds ?? 600)
const wanted = new Set(values.only.split(','))
const work = mkdtempSync(path.join(tmpdir(), 'loudsmith-bench-'))
const say = (line: string) => process.stdout.write(`${line}\n`)
const results: Record<string, unknown> = {}
try {
  if (files.length === 0 && values.only !== 'known')
    say('No music: install wesnoth-1.16-music and singularity-music, or name files with --music.')
  const peers = await readPeers(say)
  if (wanted.has('job')) results.jobs = await benchJobs({ files, seconds, peers, work, say })
  if (wanted.has('cli') && files[0]) results.command = await benchCommand({ files, seconds, peers, work, say })
  if (wanted.has('transparency')) results.transparency = await benchTransparency({ files, seconds, peers, work, say })
  if (wanted.has('tones')) results.tones = await benchTones({ peers, work, say })
  if (wanted.has('growth') && files[0]) results.growth = await benchGrowth({ files, seconds, peers, work, say })
  if (wanted.has('known')) results.known = await benchKnownFiles({ work, say })
} finally {
  rmSync(work, { recursive: true, force: true })
}
if (values.json) writeFileSync(values.json, JSON.stringify(results, null, 1))
