import { readFileSync } from 'node:fs'
import { childrenOf } from './processes.ts'

/** Clock ticks of a second in `/proc`: fixed to 100 in what Linux shows to programs. */
const TICKS_PER_SECOND = 100

/**
 * Returns the processor time that this process, its children and what those have waited for have taken so far, in seconds. Outside of
 * Linux, where the children's is not shown, only the process's own.
 */
export function processorSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  // A child that has ended and was waited for is in the sum of its parent.
  const ticks = [process.pid, ...childrenOf(process.pid)].reduce((sum, pid) => sum + ticksOf(pid), 0)
  return ticks / TICKS_PER_SECOND
}

function ticksOf(pid: number): number {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return 0
  }
  // The name of the program stands in brackets and may hold spaces. Behind it: state, then from the 12th field on utime, stime, cutime, cstime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}
