/** A process that delivers what waits in a database until it is killed. Arguments: database file, receiver's address. */
import path from 'node:path'
import { readMigrations } from '../../../src-server/db/migrate.ts'
import { openDatabase } from '../../../src-server/db/open.ts'
import { Notify } from '../../../src-server/notify/notify.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemClock, systemRandom } from '../../../src-system/system.ts'

const [file = '', webhookUrl = ''] = process.argv.slice(2)
const db = openDatabase(file, readMigrations(path.join(import.meta.dirname, '../../../src-server/db/migrations')))
const notify = new Notify({
  db,
  clock: systemClock,
  random: systemRandom,
  log: createLog('silent', systemClock, () => {}),
  plan: () => 'studio',
  ownPort: 1,
  baseUrl: 'http://127.0.0.1:1',
  isOffline: () => false,
})
const jobId = '0191f3a0-1111-4222-8333-444455556666'
const body = { event: 'job.completed', job_id: jobId, status: 'done', download_url: 'http://127.0.0.1:1/' } as const
notify.record({ event: 'job.completed', jobId, body, webhookUrl })
notify.committed()
notify.start()
// The deliverer's own timers do not keep a process alive.
setInterval(() => {}, 1000)
