/** The diagnostics ZIP: logs, versions and settings, for a person who is to help. No audio, no keys, no song names beyond the logs. */
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipArchive } from 'archiver'
import { logFiles } from './log-files.ts'

/**
 * Removes everything that opens something: API keys, webhook secrets, bearer credentials and links of the page. The log already
 * leaves them out; this is for what a library or a crash may have written past it. Pure.
 */
export function redact(text: string): string {
  return text
    .replace(/ams_live_[0-9a-f]{32}/gi, 'ams_live_[redacted]')
    .replace(/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_[redacted]')
    .replace(/(Bearer\s+)[A-Za-z0-9._~+/=-]+/gi, '$1[redacted]')
    .replace(/(#(?:session|ticket)=)[^\s"&]+/g, '$1[redacted]')
}

export interface DiagnosticsDeps {
  readonly logsDir: string
  /** Answers to be written as JSON, by file name; one that fails is replaced by its error. */
  readonly facts: Readonly<Record<string, () => unknown>>
}

/** Writes the ZIP to `file`. Throws what the file system says. */
export async function writeDiagnostics(file: string, { logsDir, facts }: DiagnosticsDeps): Promise<void> {
  const archive = new ZipArchive({ zlib: { level: 6 } })
  for (const [name, read] of Object.entries(facts)) {
    const fact = await Promise.resolve()
      .then(read)
      .catch((error: unknown) => ({ unavailable: String(error) }))
    archive.append(redact(JSON.stringify(fact, null, 2)), { name })
  }
  for (const log of logFiles(logsDir)) {
    archive.append(redact(await readFile(log, 'utf8')), { name: `logs/${path.basename(log)}` })
  }
  await Promise.all([archive.finalize(), pipeline(archive, createWriteStream(file, { mode: 0o600 }))])
}
