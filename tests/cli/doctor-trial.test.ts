import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { locateFfmpeg } from '../../src-worker/media/locate.ts'
import { CLI } from '../support/built.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

test.runIf(process.platform !== 'win32')(
  'doctor names an ffmpeg that cannot read in the data folder, and one that can (needs sh)',
  async () => {
    const { path: real } = await locateFfmpeg()
    const confined = path.join(folder, 'ffmpeg')
    const script = `#!/bin/sh\ncase "$*" in *version*) exec '${real}' "$@";; esac\necho 'Permission denied' >&2\nexit 1\n`
    writeFileSync(confined, script, { mode: 0o755 })
    const doctor = async (name: string, file: string) => {
      const deps = [CLI, 'doctor', '--json', '--data-dir', path.join(folder, name)]
      const env = { ...process.env, MASTER_FFMPEG_PATH: file }
      const { stdout } = await promisify(execFile)(process.execPath, deps, { env })
      return JSON.parse(stdout).ffmpeg
    }
    expect(await doctor('confined', confined)).toMatchObject({ fault: expect.stringContaining('Permission denied') })
    expect(await doctor('free', real)).not.toHaveProperty('fault')
  },
)
