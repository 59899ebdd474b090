/** Engine work in Electron's utility processes: the packaged program cannot run as Node, so Node's own fork is not available. */
import { utilityProcess } from 'electron'
import { engineEnvironment, engineFlags, LISTENED_TO, type startServer } from '../src-server/server.ts'
import type { Log } from '../src-system/log.ts'

/** Starts an engine process for the server. */
export type ForkEngine = NonNullable<Parameters<typeof startServer>[0]['forkEngine']>
type Listeners = Parameters<ForkEngine>[0]
type Message = Parameters<Listeners['onMessage']>[0]

/** Returns a fork of the engine's bundled entry. Its output goes to the log; its end is reported once, after its last message. */
export function forkWithElectron(entryFile: string, log: Log): ForkEngine {
  return ({ onMessage, onExit }, { isListenedTo = false } = {}) => {
    const child = utilityProcess.fork(entryFile, isListenedTo ? [LISTENED_TO] : [], {
      serviceName: 'Loudsmith engine',
      stdio: 'pipe',
      // A utility process takes V8's flags only through this Chromium switch.
      execArgv: [`--js-flags=${engineFlags.join(' ')}`],
      env: { ...engineEnvironment, ...process.env },
    })
    // A command may come before the process has spawned.
    const spawned = new Promise<void>((resolve) => child.once('spawn', resolve))
    const kill = () => {
      if (child.pid === undefined) {
        child.kill()
        return
      }
      try {
        process.kill(child.pid, 'SIGKILL')
      } catch (cause) {
        // It has ended; its exit event is still to come.
        if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
      }
    }
    child.stdout?.resume()
    child.stderr?.on('data', (bytes: Buffer) =>
      log.warn('engine process', { stderr: bytes.toString('utf8').slice(0, 4000) }),
    )
    child.on('message', (message: Message) => {
      onMessage(message)
      if (message.type !== 'progress' && message.type !== 'audition') child.kill()
    })
    let hasExited = false
    child.on('exit', (code) => {
      hasExited = true
      onExit(`exit code ${code}`)
    })
    return {
      send(command) {
        void spawned.then(() => {
          // Posting to a dead child has crashed Electron's main process (electron/electron#53923).
          if (!hasExited) child.postMessage(command)
        })
      },
      kill,
    }
  }
}
