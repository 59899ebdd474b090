/**
 * Masters one song with the built engine process alone: `node bench/loudsmith-once.ts ORDER.json WORKER.js` acts as its parent. The order
 * is a WorkOrder in JSON; the attempt folder receives the masters. Prints the results as JSON. Needs `npm run build`.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { WorkerCommand, WorkerMessage, WorkOrder } from '../src-worker/mastering/work-order.ts'

const order = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as WorkOrder
mkdirSync(order.attemptFolder, { recursive: true })
process.send = (message: WorkerMessage, ...rest: unknown[]) => {
  if (message.type === 'done') process.stdout.write(JSON.stringify(message.result.masters))
  if (message.type === 'failed') throw new Error(JSON.stringify(message))
  const isSent = rest.at(-1)
  if (typeof isSent === 'function') isSent()
  return true
}
await import(pathToFileURL(process.argv[3] ?? '').href)
process.emit('message', { type: 'work', order } satisfies WorkerCommand, undefined)
