import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Analysis } from '../../../src-contract/jobs.ts'
import { createBatchService } from '../../../src-server/batch/batch-service.ts'
import { Removals } from '../../../src-server/db/removals.ts'
import { FinishedJobs } from '../../../src-server/jobs/finished-jobs.ts'
import { createFolders } from '../../../src-server/jobs/folders.ts'
import { SourceJobs } from '../../../src-server/jobs/source-jobs.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemRandom } from '../../../src-system/system.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { newDatabaseFile, openTestDatabase } from '../notify/fixture.ts'
import { FACTS } from './fixture.ts'

/** The files synced to disk, in order; the error for hard links, if any; and whether an open file can be replaced. */
const disk = vi.hoisted(() => ({ synced: [] as string[], linkFault: '', canReplace: true }))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const opened = new Map<number, string>()
  const openSync: typeof fs.openSync = (file, ...more) => {
    const handle = fs.openSync(file, ...more)
    opened.set(handle, String(file))
    return handle
  }
  const fsyncSync: typeof fs.fsyncSync = (handle) => {
    fs.fsyncSync(handle)
    disk.synced.push(opened.get(handle) ?? '')
  }
  const linkSync: typeof fs.linkSync = (...given) => {
    if (disk.linkFault) throw Object.assign(new Error(disk.linkFault), { code: disk.linkFault })
    fs.linkSync(...given)
  }
  const renameSync: typeof fs.renameSync = (from, to) => {
    if (!disk.canReplace && fs.existsSync(to)) throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
    fs.renameSync(from, to)
  }
  return { ...fs, openSync, fsyncSync, linkSync, renameSync }
})

/** Windows cannot sync folders. */
const named = (...folders: string[]) => (process.platform === 'win32' ? [] : folders)

function openSession() {
  const file = newDatabaseFile()
  const dataDir = path.dirname(file)
  const clock = createFakeClock()
  const db = openTestDatabase(file)
  const world = { breaksNotes: false }
  const log = createLog('silent', clock, () => {})
  mkdirSync(path.join(dataDir, 'tmp'))
  const session = createBatchService({
    db,
    clock,
    random: systemRandom,
    log,
    dataDir,
    tmp: path.join(dataDir, 'tmp'),
    removals: new Removals({ db, dataDir, clock, random: systemRandom, log }),
    outputFolder: () => null,
    jobs: { submit: () => {}, cancel: () => {}, freeSlots: () => 1, files: () => undefined },
    finishedJobs: new FinishedJobs(db),
    sourceJobs: new SourceJobs(db),
    releasedSources: () => [],
    workers: () => 1,
    spareRoom: { use: (run) => run() },
    notify: {
      record() {
        if (world.breaksNotes) throw new Error('disk I/O error')
      },
      committed: () => {},
    },
  })
  const upload = (bytes: string) => {
    mkdirSync(path.join(dataDir, 'tmp'), { recursive: true })
    const at = path.join(dataDir, 'tmp', bytes)
    writeFileSync(at, bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return {
      path: at,
      filename: `${bytes}.wav`,
      sizeBytes: bytes.length,
      sha256,
      facts: FACTS,
      purpose: 'song' as const,
    }
  }
  return { session, clock, dataDir, world, upload, folder: path.join(dataDir, 'sources') }
}

test('a file whose song could not be committed goes within the hour, and no other', async () => {
  const { session, clock, world, upload, folder } = openSession()
  session.startSweep()
  session.batch.add(() => session.sources.add(upload('kept')))
  world.breaksNotes = true
  expect(() => session.batch.add(() => session.sources.add(upload('lost')))).toThrow('disk I/O error')
  expect(readdirSync(folder)).toHaveLength(2)
  await clock.advance(3_600_000)
  expect(readdirSync(folder)).toEqual([upload('kept').sha256])
  await session.close()
})

test('a song that was taken off goes with its file and the analysis kept beside it within the hour after the day in which it can come back', async () => {
  const { session, clock, upload, folder } = openSession()
  session.startSweep()
  const add = (bytes: string) => session.batch.add(() => session.sources.add(upload(bytes)))
  add('kept')
  const gone = add('gone')
  session.sources.saveAnalysis(gone, { warnings: [] } as unknown as Analysis, Buffer.from('kept'))
  writeFileSync(`${session.sources.analysisPath(upload('gone').sha256)}.part`, 'broken off')
  session.batch.remove([gone])
  await clock.advance(86_400_000 - 1)
  expect(readdirSync(folder)).toHaveLength(4)
  await clock.advance(3_600_000)
  expect(readdirSync(folder)).toEqual([upload('kept').sha256])
  await session.close()
})

test('a stored song is on the disk, with its name, before its row promises it', () => {
  const { session, upload, folder } = openSession()
  disk.synced.length = 0
  session.batch.add(() => {
    const sourceId = session.sources.add(upload('song'))
    expect(disk.synced).toEqual(named(folder))
    return sourceId
  })
})

test('a song that is open somewhere can be added again, unless what is stored of it is not whole', () => {
  const { session, upload, folder } = openSession()
  const add = () => session.batch.add(() => session.sources.add(upload('song')))
  const first = add()
  disk.canReplace = false
  try {
    const second = add()
    expect(session.sources.find(second)?.path).toBe(session.sources.find(first)?.path)
    expect(readdirSync(folder)).toHaveLength(1)
    writeFileSync(path.join(folder, upload('song').sha256), 'so')
    expect(add).toThrow('EPERM')
  } finally {
    disk.canReplace = true
  }
})

/** As macOS and Linux say that there are no hard links, and as Node says it of exFAT on Windows. */
test.each(['EPERM', 'ENOTSUP', 'EISDIR'])(
  'a song that a job keeps is on the disk, with its name, also where the file system has no hard links (%s)',
  (fault) => {
    const { dataDir, upload } = openSession()
    const folders = createFolders(dataDir)
    disk.linkFault = fault
    disk.synced.length = 0
    try {
      folders.keep(upload('song').path, folders.source('job'))
    } finally {
      disk.linkFault = ''
    }
    expect(existsSync(folders.source('job'))).toBe(true)
    expect(disk.synced).toEqual([folders.source('job'), ...named(folders.job('job'), path.join(dataDir, 'jobs'))])
  },
)
