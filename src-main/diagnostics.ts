/** The diagnostics ZIP: logs, versions and settings, for support. No audio, no keys, no song names beyond the logs. */
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipArchive } from 'archiver'
import { redact } from '../src-system/redact.ts'
import { logFiles } from './log-files.ts'

export interface DiagnosticsDeps {
  readonly logsDir: string
  /** Answers to be written as JSON, by file name; a failed one is replaced by its error. */
  readonly facts: Readonly<Record<string, () => unknown>>
}

/** Writes the ZIP to `file`. Throws the file system's error. */
export async function writeDiagnostics(file: string, { logsDir, facts }: DiagnosticsDeps): Promise<void> {
  const archive = new ZipArchive({ zlib: { level: 6 } })
  for (const [name, read] of Object.entries(facts)) {
    const fact = await Promise.resolve()
      .then(read)
      .catch((error: unknown) => ({ unavailable: String(error) }))
    archive.append(redact(JSON.stringify(fact, null, 2), { home: homedir() }), { name })
  }
  for (const log of logFiles(logsDir)) {
    archive.append(redact(await readFile(log, 'utf8'), { home: homedir() }), { name: `logs/${path.basename(log)}` })
  }
  await Promise.all([archive.finalize(), pipeline(archive, createWriteStream(file, { mode: 0o600 }))])
}
