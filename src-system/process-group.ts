/** Programs that are started in a process group of their own, so that what they start in turn ends with them. */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { constants, getPriority, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, tryAgain } from './system.ts'

const isWindows = process.platform === 'win32'

/** Errors of a system that has no process, file descriptor or memory left at this moment (man 2 fork, man 2 pipe). */
const EXHAUSTED = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])

/** Returns whether an error says that the system has run out of processes, file descriptors or memory, which may pass. */
export function isExhausted(error: unknown): boolean {
  return EXHAUSTED.has(String((error as NodeJS.ErrnoException | undefined)?.code))
}

/** Starts after which a program counts as one that cannot be started now, over 1.6 s. */
const START_TRIES = 5
/** Pause between two starts, ms. */
const START_PAUSE_MS = 400

/**
 * Starts a program in a group of its own, which gives way to others where this process does or `givesWay` says so, and resolves once it
 * runs. Tries again while the system is exhausted ({@link isExhausted}). Rejects with the system's error.
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
    // On Windows a group of its own would open a window.
    const group = { detached: !isWindows, windowsHide: true }
    const started = spawn(file, options.arguments, { ...group, stdio: options.stdio })
    if (started.pid !== undefined) return started
    throw await new Promise((resolve) => started.once('error', resolve))
  })
  // A process that has gone before it could be signalled.
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
    // It has ended already, or this process has no right to do so.
  }
}

/** Kills a program that {@link startGroup} or a detached fork has started, and everything that it has started. Never throws. */
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
 * Lets the session that a process leads give way to all others; does nothing where the system is not Linux. Linux shares its processors
 * among sessions before it looks at the processes in them (man 7 sched, "The autogroup feature"): that a process is in no hurry would
 * count for nothing. It takes such a change once in a tenth of a second.
 */
export async function sessionGivesWay(pid: number): Promise<void> {
  if (process.platform !== 'linux') return
  for (let tries = 0; tries < 10; tries++) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_BELOW_NORMAL))
    } catch (cause) {
      // A kernel without such groups, or a process that has ended already.
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') return
    }
    await sleep(150, undefined, { ref: false })
  }
}
