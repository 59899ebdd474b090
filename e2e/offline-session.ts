/**
 * A session of the desktop application inside a network namespace made by the desktop spec: all traffic leaving the
 * machine goes through one counting interface that leads nowhere. Prints the counts as JSON for the spec to judge.
 */
import { execFileSync } from 'node:child_process'
import dgram from 'node:dgram'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Batch } from '../src-contract/app.ts'
import type { Job } from '../src-contract/jobs.ts'
import { launch } from './desktop-fixtures.ts'
import { songBytes, writeSong } from './desktop-songs.ts'

const INTERFACE = 'outside'
/** An address for documentation (RFC 5737): unreachable, but allowed by the policy for webhooks. */
const RECEIVER = 'http://198.51.100.7/hook'

/** Packets sent out of this namespace so far. */
function packetsOut(): number {
  const line = readFileSync('/proc/net/dev', 'utf8')
    .split('\n')
    .find((one) => one.trim().startsWith(`${INTERFACE}:`))
  return Number(line?.split(':')[1]?.trim().split(/\s+/)[9])
}

async function until(isTrue: () => boolean | Promise<boolean>, what: string, timeoutMs = 120_000): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

for (const words of [
  ['link', 'set', 'lo', 'up'],
  ['link', 'add', INTERFACE, 'type', 'veth', 'peer', 'name', 'nowhere'],
  // There is no peer to resolve addresses with, and the interface itself sends nothing.
  ['link', 'set', INTERFACE, 'arp', 'off', 'addrgenmode', 'none'],
  ['link', 'set', 'nowhere', 'up'],
  ['addr', 'add', '192.0.2.2/24', 'dev', INTERFACE],
  ['link', 'set', INTERFACE, 'up'],
  ['route', 'add', 'default', 'via', '192.0.2.1'],
])
  execFileSync('ip', words)

// Checks the counter with one outgoing packet.
const quiet = packetsOut()
const socket = dgram.createSocket('udp4')
await new Promise((resolve) => socket.send('x', 9, '203.0.113.9', resolve))
socket.close()
await until(() => packetsOut() > quiet, 'the proof that the counter counts', 30_000)

const home = mkdtempSync(path.join(tmpdir(), 'loudsmith-offline-'))
const before = packetsOut()
const desktop = await launch(home, path.join(home, '.config', 'Loudsmith'))
await desktop.call('PATCH', '/app/settings', { is_offline: true })
await desktop.app.evaluate(
  ({ app }, file) => app.emit('open-file', { preventDefault() {} }, file),
  writeSong(path.join(home, 'Music'), 'Offline.wav', 4),
)
const readBatch = () => desktop.call<Batch>('GET', '/app/desk')
await until(async () => (await readBatch()).songs.length === 1, 'the song in the batch')
const { songs } = await readBatch()
await desktop.call('POST', '/app/desk/start', { source_ids: songs.map((song) => song.source.source_id) })
const hooked = await desktop.page.evaluate(
  async ([audio, receiver]) => {
    const form = new FormData()
    form.append('platforms', 'spotify')
    form.append('webhook_url', receiver ?? '')
    form.append('file', new Blob([Uint8Array.from(atob(audio ?? ''), (letter) => letter.charCodeAt(0))]), 'Hooked.wav')
    const response = await fetch('/api/v1/master', { method: 'POST', body: form })
    return response.status
  },
  [songBytes(2, 5).toString('base64'), RECEIVER],
)
const readJobs = async () => (await desktop.call<{ jobs: Job[] }>('GET', '/api/v1/jobs')).jobs
await until(async () => (await readJobs()).filter((job) => job.status === 'done').length === 2, 'two masters', 240_000)
await new Promise((resolve) => setTimeout(resolve, 3000))
const whileOffline = packetsOut() - before

await desktop.call('PATCH', '/app/settings', { is_offline: false })
await until(() => packetsOut() - before > whileOffline, 'the delivery that waited', 60_000).catch(() => {})
const afterwards = packetsOut() - before - whileOffline
await desktop.quit()
rmSync(home, { recursive: true, force: true, maxRetries: 5 })
process.stdout.write(`\n${JSON.stringify({ hooked, whileOffline, afterwards })}\n`)
process.exit(0)
