/** The log on disk: the newest lines in `loudsmith.log`, older ones in a limited number of numbered files. */
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'

const NAME = 'loudsmith.log'

export interface LogLimits {
  readonly maxFileBytes: number
  /** Files in all, the current one included. */
  readonly maxFiles: number
}

const DEFAULT_LIMITS: LogLimits = { maxFileBytes: 2_000_000, maxFiles: 5 }

/** Returns the log files of a folder, newest first; empty without a folder. */
export function logFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^loudsmith(\.\d+)?\.log$/.test(name))
      .sort((a, b) => ageOf(a) - ageOf(b))
      .map((name) => path.join(folder, name))
  } catch {
    return []
  }
}

function ageOf(name: string): number {
  return Number(/\.(\d+)\./.exec(name)?.[1] ?? 0)
}

/** Returns a function that appends lines. A line is written whole before it returns; a write error loses the line but never throws. */
export function openLogFiles(folder: string, limits: LogLimits = DEFAULT_LIMITS): (line: string) => void {
  const current = path.join(folder, NAME)
  let sizeBytes = 0
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    sizeBytes = statSync(current, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    // Not reported: there is nowhere left to report it.
  }
  const rotate = () => {
    const numbered = (age: number) => path.join(folder, age === 0 ? NAME : `loudsmith.${age}.log`)
    rmSync(numbered(limits.maxFiles - 1), { force: true })
    for (let age = limits.maxFiles - 2; age >= 0; age--) {
      if (statSync(numbered(age), { throwIfNoEntry: false })) renameSync(numbered(age), numbered(age + 1))
    }
    sizeBytes = 0
  }
  return (line) => {
    try {
      if (sizeBytes > 0 && sizeBytes + Buffer.byteLength(line) > limits.maxFileBytes) rotate()
    } catch {
      // Windows does not move a file that another program has open: the current one grows until it is released.
    }
    try {
      appendFileSync(current, line, { mode: 0o600 })
      sizeBytes += Buffer.byteLength(line)
    } catch {
      // As above.
    }
  }
}
