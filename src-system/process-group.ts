/** Programs started in their own process group; their children end with them. */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { constants, getPriority, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, tryAgain } from './system.ts'

const isWindows = process.platform === 'win32'

/** Errors of a system momentarily out of processes, file descriptors or memory (man 2 fork, man 2 pipe). */
const EXHAUSTED = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])

/** Returns whether an error means that the system is momentarily out of processes, file descriptors or memory. */
export function isExhausted(error: unknown): boolean {
  return EXHAUSTED.has(String((error as NodeJS.ErrnoException | undefined)?.code))
}

/** Returns how many files and connections this process may have open at once. Windows has no such limit. */
export function maxOpenFiles(): number {
  // Naming the other ends of all connections could take seconds.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  return Number(userLimits?.open_files?.soft) || Number.POSITIVE_INFINITY
}

/** Attempts to start a program before giving up, over 1.6 s. */
const START_TRIES = 5
/** Pause between two starts, ms. */
const START_PAUSE_MS = 400

/**
 * Starts a program in its own group, with lowered priority if this process has it or `givesWay` is set, and resolves once it runs. Tries
 * again while the system is exhausted ({@link isExhausted}). Rejects with the system's error.
 */
export async function startGroup(
  clock: Pick<Clock, 'sleep'>,
  file: string,
  options: {
    readonly arguments: readonly string[]
    readonly stdio: NonNullable<SpawnOptions['stdio']>
    readonly givesWay?: boolean
  },
): Promise<ChildProcess> {
  const policy = { tries: START_TRIES, pauseMs: START_PAUSE_MS, mayPass: isExhausted }
  const child = await tryAgain(clock, policy, async () => {
    // On Windows a separate group would open a window.
    const group = { detached: !isWindows, windowsHide: true }
    const started = spawn(file, options.arguments, { ...group, stdio: options.stdio })
    if (started.pid !== undefined) return started
    throw await new Promise((resolve) => started.once('error', resolve))
  })
  // The process may have gone before it could be signalled.
  child.on('error', () => {})
  if (options.givesWay) lowerPriority(child.pid!)
  if (options.givesWay || isBelowNormal(getPriority())) void sessionGivesWay(child.pid!)
  return child
}

const isBelowNormal = (priority: number) => priority >= constants.priority.PRIORITY_BELOW_NORMAL

function lowerPriority(pid: number): void {
  try {
    if (!isBelowNormal(getPriority(pid))) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has already ended, or this process lacks the right.
  }
}

/** Kills a program started by {@link startGroup} or a detached fork, with all its children. Never throws. */
export function killGroup(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  if (isWindows) {
    execFile('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => child.kill('SIGKILL'))
    return
  }
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // No process of the group is left.
  }
}

/**
 * Lowers the priority of the session led by a process below all others; Linux only. Linux shares processors among sessions before it
 * considers the processes in them (man 7 sched, "The autogroup feature"), so a process's own priority would have no effect. It accepts such
 * a change once every tenth of a second.
 */
export async function sessionGivesWay(pid: number): Promise<void> {
  if (process.platform !== 'linux') return
  for (let tries = 0; tries < 10; tries++) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_BELOW_NORMAL))
    } catch (cause) {
      // The kernel has no such groups, or the process has already ended.
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') return
    }
    await sleep(150, undefined, { ref: false })
  }
}
