/**
 * Masters one song in this process, as an engine process does: `node bench/loudsmith-once.ts ORDER.json`. The order is a WorkOrder in
 * JSON; the attempt folder receives the ZIP. Prints the results as JSON.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { masterSong } from '../src-server/mastering/pipeline.ts'
import type { WorkOrder } from '../src-server/mastering/work-order.ts'

const order = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as WorkOrder
mkdirSync(order.attemptFolder, { recursive: true })
const result = await masterSong(order, () => {}, new AbortController().signal)
process.stdout.write(JSON.stringify(result.masters))
