/** The log: one JSON object per line, levels as Fastify names them, secrets removed before anything is written. */
import type { Clock } from './system.ts'
import { isoTime } from './system.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Facts that belong to one line. Values of the members in {@link REDACTED} are never written. */
export type LogFields = Readonly<Record<string, unknown>>

/** Writes lines. `error` takes the cause in `fields.cause`; its stack is kept. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** Names of the fields whose values are never written. */
const REDACTED = new Set([
  ...['authorization', 'key', 'secret', 'credential', 'sessionCredential', 'controlCredential'],
  ...['token', 'controlToken', 'ticket', 'link'],
])

/** Returns a log that gives each line at or above `level` to `write`, newline included. Never throws for any value to log. */
export function createLog(level: LogLevel, clock: Pick<Clock, 'now'>, write: (line: string) => void): Log {
  const threshold = LOG_LEVELS.indexOf(level)
  const at =
    (own: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(own) < threshold) return
      write(`${serialise({ time: isoTime(clock.now()), level: own, message, ...fields })}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Redacts keys, and tokens of links to results, anywhere in a text. */
const redacted = (text: string) =>
  text.replace(/ams_live_[0-9a-f]{32}/g, 'ams_live_[redacted]').replace(/\/l\/[\w-]{22}/g, '/l/[redacted]')

function serialise(line: LogFields): string {
  try {
    return JSON.stringify(line, (name, value: unknown) => {
      if (REDACTED.has(name)) return '[redacted]'
      if (value instanceof Error) {
        const { name: kind, message, stack, cause } = value
        return { kind, message, stack, ...(cause === undefined ? {} : { cause }) }
      }
      return typeof value === 'string' ? redacted(value) : value
    })
  } catch {
    return JSON.stringify({ time: line.time, level: line.level, message: line.message })
  }
}
