/**
 * Engine processes that serve all jobs of the tests of one process, each one piece of work at a time: to start one anew costs three times what
 * a second of song does. What a test wants to see die or be replaced is forked by `forkWithNode` (src-server/jobs/worker-pool.ts).
 */
import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { engineEnvironment, engineFlags, type ForkEngine, forkWithNode } from '../../src-server/jobs/worker-pool.ts'
import type { Log } from '../../src-system/log.ts'
import { killGroup } from '../../src-system/process-group.ts'
import { isFinal, type WorkerMessage } from '../../src-worker/mastering/work-order.ts'
import { ENGINE } from './built.ts'

/** Engine processes that wait for work; the one that worked last is last. */
const idle: ChildProcess[] = []

function start(): ChildProcess {
  const host = fork(path.join(import.meta.dirname, 'engine-host.ts'), [], {
    serialization: 'advanced',
    execArgv: [...engineFlags],
    env: { ...engineEnvironment, ...process.env },
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // It ends with this process, which does not wait for it.
  host.unref()
  host.channel?.unref()
  host.stderr?.setEncoding('utf8')
  host.once('exit', () => void (idle.includes(host) && idle.splice(idle.indexOf(host), 1)))
  return host
}

/** Returns a fork of the engine that takes a process which is idle; one that feeds playback is started for it alone. */
export function warmEngine(log: Log): ForkEngine {
  const forkAlone = forkWithNode(ENGINE, log)
  return (listeners, options) => {
    if (options?.isListenedTo) return forkAlone(listeners, options)
    const host = idle.pop() ?? start()
    let isAborted = false
    const onText = (text: string) => log.warn('engine process', { stderr: text.slice(0, 4000) })
    const leave = (detail: string) => {
      host.off('message', onMessage).off('close', onClose)
      host.stderr?.off('data', onText)
      listeners.onExit(detail)
    }
    const onMessage = (message: WorkerMessage) => {
      listeners.onMessage(message)
      if (!isFinal(message)) return
      // One that was asked to stop refuses all work that follows.
      if (isAborted) return killGroup(host)
      setImmediate(() => {
        idle.push(host)
        leave('exit code 0')
      })
    }
    const onClose = (code: number | null, signal: string | null) =>
      leave(signal ? `killed by ${signal}` : `exit code ${code}`)
    host.on('message', onMessage).on('close', onClose)
    host.stderr?.on('data', onText)
    return {
      send(command) {
        isAborted ||= command.type === 'abort'
        if (host.connected) host.send(command)
      },
      kill: () => killGroup(host),
    }
  }
}
