/** Redis in a process of its own, on a free port and in a temporary folder, as a farm needs it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** True where this machine has `redis-server`. */
export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'])
    return true
  } catch {
    console.warn('SKIPPED: redis-server is not installed (Debian: apt install redis-server)')
    return false
  }
}

/**
 * Starts Redis and resolves once it takes connections; the same folder and port serve a restart. `isReachable` lets other hosts connect,
 * as network namespaces are.
 */
export async function startRedis(
  options: { readonly folder?: string; readonly port?: number; readonly isReachable?: boolean } = {},
) {
  const folder = options.folder ?? mkdtempSync(path.join(tmpdir(), 'loudsmith-redis-'))
  const port = options.port ?? (await freePort())
  const kept = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--save', '']
  const open = options.isReachable ? ['--bind', '0.0.0.0', '--protected-mode', 'no'] : []
  const child: ChildProcess = spawn('redis-server', ['--port', String(port), '--dir', folder, ...kept, ...open], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  await new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('Ready to accept connections')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)))
  })
  return {
    port,
    folder,
    address: `redis://127.0.0.1:${port}`,
    pid: child.pid,
    /** Kills it: one that writes its first AOF does not end at SIGTERM. Its folder goes unless it is to be started again. */
    async stop({ keepsFolder = false } = {}): Promise<void> {
      child.kill('SIGKILL')
      await ended
      if (!keepsFolder) rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type RedisServer = Awaited<ReturnType<typeof startRedis>>

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
