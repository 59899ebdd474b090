/** A machine of a farm in a process of its own, whose engine never answers: it can only be killed. Arguments: queue, blobs, name, timing. */
import { startMachine } from '../../src-server/machine.ts'
import { createHeldEngine } from './held-engine.ts'

const [queue = '', blobs = '', name = '', timing = '{}'] = process.argv.slice(2)
const engine = createHeldEngine()
await startMachine({ queue, blobs, name, workers: 1, timing: JSON.parse(timing), forkEngine: engine.fork })
process.on('disconnect', () => process.exit(0))
process.send?.('started')
