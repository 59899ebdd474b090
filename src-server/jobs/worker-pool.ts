/** Engine processes: one per running task, which contains a crash, a leak or a kill. */
import { fork } from 'node:child_process'
import type { Log } from '../../src-system/log.ts'
import { hasMemoryKillSince, memoryKills } from '../../src-system/memory-kills.ts'
import { isExhausted, killGroup, sessionGivesWay } from '../../src-system/process-group.ts'
import { afterAwake, type Clock } from '../../src-system/system.ts'
import type {
  AuditionCall,
  FinalMessage,
  WorkerCommand,
  WorkerMessage,
  WorkProgress,
} from '../../src-worker/mastering/work-order.ts'

/** Handle of one engine process, of Node or of Electron. */
export interface EngineProcess {
  send(command: WorkerCommand): void
  kill(): void
}

/**
 * Cause of an end without an answer, if known: the system could start no process, or memory ran out. A SIGKILL alone does not prove a lack
 * of memory: the system counts the processes it kills to free some.
 */
export type EngineFault = 'not_started' | 'out_of_memory'

/** Callbacks of an engine process. `onExit` comes last and exactly once, after every message. */
export interface EngineListeners {
  readonly onMessage: (message: WorkerMessage) => void
  readonly onExit: (detail: string, fault?: EngineFault) => void
}

/** Starts an engine process. One that feeds playback keeps its priority. */
export type ForkEngine = (listeners: EngineListeners, options?: { readonly isListenedTo?: boolean }) => EngineProcess

/** End of a piece of work; there is exactly one. */
export type EngineEnd =
  | { readonly kind: 'answered'; readonly message: FinalMessage }
  /** The process ended without an answer. */
  | { readonly kind: 'crashed'; readonly detail: string; readonly fault?: EngineFault }
  | { readonly kind: 'timed_out' }
  /** It was asked to stop, and has. */
  | { readonly kind: 'stopped' }

/** A piece of work for one engine process. */
export interface EngineWork {
  readonly command: Exclude<WorkerCommand, AuditionCall | { type: 'abort' }>
  /** Only counts time while the machine is awake. */
  readonly timeLimitMs: number
  /** Aborting asks the process to stop and kills it after the grace period. */
  readonly signal: AbortSignal
  readonly onProgress?: (progress: WorkProgress) => void
}

export interface WorkerPool {
  /** Runs one task in a separate process. Resolves when that process has answered or died; never rejects. */
  run(work: EngineWork): Promise<EngineEnd>
  /** Kills every process that is still there. */
  close(): void
}

/** Returns a pool. `graceMs` is how long a process may take to stop, or to end after its answer, before it is killed. */
export function createWorkerPool(deps: { fork: ForkEngine; clock: Clock; log: Log; graceMs: number }): WorkerPool {
  const { clock, log, graceMs } = deps
  const alive = new Set<EngineProcess>()

  const run = ({ command, timeLimitMs, signal, onProgress }: EngineWork) =>
    new Promise<EngineEnd>((resolve) => {
      let reason: 'timed_out' | 'stopped' | undefined
      let answer: FinalMessage | undefined
      const timers: (() => void)[] = []
      const listeners: EngineListeners = {
        onMessage(message) {
          if (message.type === 'progress') onProgress?.(message)
          else if (message.type !== 'audition' && !answer) {
            answer = message
            timers.push(clock.after(graceMs, () => engine.kill()))
          }
        },
        onExit(detail, fault) {
          alive.delete(engine)
          for (const cancel of timers) cancel()
          signal.removeEventListener('abort', onAbort)
          resolve(endOf(answer, reason, { kind: 'crashed', detail, ...(fault ? { fault } : {}) }))
        },
      }
      let engine: EngineProcess
      try {
        engine = deps.fork(listeners)
      } catch (cause) {
        const detail = `it could not be started: ${cause}`
        return resolve({ kind: 'crashed', detail, ...(isExhausted(cause) ? { fault: 'not_started' } : {}) })
      }
      alive.add(engine)
      const stop = (why: 'timed_out' | 'stopped') => {
        if (answer || reason) return
        reason = why
        log.info('stopping an engine process', { why })
        engine.send({ type: 'abort' })
        timers.push(clock.after(graceMs, () => engine.kill()))
      }
      const onAbort = () => stop('stopped')
      timers.push(afterAwake(clock, timeLimitMs, () => stop('timed_out')))
      signal.addEventListener('abort', onAbort)
      engine.send(command)
      if (signal.aborted) onAbort()
    })

  return {
    run,
    close() {
      for (const engine of alive) engine.kill()
    },
  }
}

function endOf(
  answer: FinalMessage | undefined,
  reason: 'timed_out' | 'stopped' | undefined,
  crash: EngineEnd,
): EngineEnd {
  // An answer from before the stop request counts; one caused by it does not.
  if (reason) return { kind: reason }
  return answer ? { kind: 'answered', message: answer } : crash
}

/**
 * Node flags of an engine process. Its data are typed arrays and it leaves little garbage, yet at the default size the young generations of
 * its three threads hold some 30 MB of it. Half of the size set here would double the collections, which costs more.
 */
export const engineFlags: readonly string[] = ['--max-semi-space-size=4']

/**
 * Environment variables of an engine process in addition to the inherited ones: with glibc, one heap for all its threads, and large arrays
 * outside of it, on huge pages if the system has them. By default, every thread keeps its own heap at its peak size, 50 to 75 MB in all,
 * and a song's arrays are mapped in pages of 4 KB, which costs a seventh of a whole job on a virtual machine. A value set by the user takes
 * precedence.
 */
export const engineEnvironment: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '262144',
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
}

/** Argument of an engine process that keeps the priority of the service; see the worker's entry. */
export const LISTENED_TO = 'listened-to'

/** Last output of a Node process with a full heap (V8, `FatalProcessOutOfMemory`). */
const HEAP_IS_FULL = /JavaScript heap out of memory|Fatal process out of memory/

/** Returns a fork of the engine's entry file under Node. Its output goes to the log, and its end is reported after its last message. */
export function forkWithNode(entryFile: string, log: Log): ForkEngine {
  return ({ onMessage, onExit }, { isListenedTo = false } = {}) => {
    const child = fork(entryFile, isListenedTo ? [LISTENED_TO] : [], {
      serialization: 'advanced',
      execArgv: [...engineFlags],
      env: { ...engineEnvironment, ...process.env },
      // Signals of a terminal go to the service, which ends its engine processes in order. On Windows a detached process opens a window.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    if (child.pid !== undefined && !isListenedTo) void sessionGivesWay(child.pid)
    let exit: string | undefined
    const killsBefore = memoryKills()
    let fault: EngineFault | undefined
    let isReported = false
    const report = () => {
      if (exit === undefined || child.connected || isReported) return
      isReported = true
      onExit(exit, fault)
    }
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (HEAP_IS_FULL.test(text)) fault = 'out_of_memory'
      log.warn('engine process', { stderr: text.slice(0, 4000) })
    })
    child.on('message', (message) => onMessage(message as WorkerMessage))
    child.on('disconnect', report)
    child.on('error', (cause) => {
      log.error('engine process', { cause })
      if (child.pid !== undefined) return
      exit = 'it could not be started'
      isReported = true
      onExit(exit, isExhausted(cause) ? 'not_started' : undefined)
    })
    child.on('exit', (code, signal) => {
      exit = signal ? `killed by ${signal}` : `exit code ${code}`
      if (signal === 'SIGKILL' && hasMemoryKillSince(killsBefore)) fault = 'out_of_memory'
      report()
    })
    return {
      send(command) {
        // A process that is shutting down accepts no messages; its exit is reported anyway.
        if (child.connected) child.send(command, () => {})
      },
      kill: () => killGroup(child),
    }
  }
}
