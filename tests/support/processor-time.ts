import { readFileSync } from 'node:fs'

/** Clock ticks of a second in `/proc`: fixed to 100 in what Linux shows to programs. */
const TICKS_PER_SECOND = 100

/**
 * Returns the processor time that this process and the children it has waited for have taken so far, in seconds. Outside of Linux, where
 * the children's is not shown, only the process's own.
 */
export function processorSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // The name of the program stands in brackets and may hold spaces. Behind it: state, then from the 12th field on utime, stime, cutime, cstime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks / TICKS_PER_SECOND
}
