/** Counter of processes killed by the system to free memory. */
import { readFileSync } from 'node:fs'

/** Counters of the Linux kernel since its start (proc(5), 4.13 and newer). */
const KERNEL_COUNTERS = '/proc/vmstat'

/** Returns the number of processes killed to free memory; undefined if the system does not report it. */
export function memoryKills(counters: string = KERNEL_COUNTERS): number | undefined {
  try {
    const count = /^oom_kill (\d+)$/m.exec(readFileSync(counters, 'utf8'))?.[1]
    return count === undefined ? undefined : Number(count)
  } catch {
    return undefined
  }
}

/** Returns whether the system has killed a process to free memory since the {@link memoryKills} reading `before`. */
export function hasMemoryKillSince(before: number | undefined, counters: string = KERNEL_COUNTERS): boolean {
  const now = memoryKills(counters)
  return before !== undefined && now !== undefined && now > before
}
