import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { locateFfmpeg } from '../../src-worker/media/locate.ts'
import { startService } from './service.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-troubled-ffmpeg-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

let made = 0

/**
 * A service with an ffmpeg of its own, for which the shell runs `trouble` first on every call whose arguments hold `text`, until `heal`
 * is called.
 */
export async function startTroubled(text: string, trouble: string) {
  const { path: real } = await locateFfmpeg()
  const file = path.join(folder, `ffmpeg-${made++}`)
  const write = (script: string) => writeFileSync(file, `#!/bin/sh\n${script}\nexec '${real}' "$@"\n`, { mode: 0o755 })
  write(`case "$*" in *${text}*) ${trouble};; esac`)
  // Read when a service is called to start, before anything is waited for: the next one may have another, and other files their own.
  const before = process.env.MASTER_FFMPEG_PATH
  process.env.MASTER_FFMPEG_PATH = file
  const starting = startService()
  if (before === undefined) delete process.env.MASTER_FFMPEG_PATH
  else process.env.MASTER_FFMPEG_PATH = before
  return { service: await starting, heal: () => write('') }
}
