import { constants, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { jobSettings } from '../../../src-contract/settings.ts'
import { OutputDelivery, type OutputDeliveryDeps } from '../../../src-server/batch/output-delivery.ts'
import { copyMasters, type Masters } from '../../../src-server/batch/output-folder.ts'
import { FinishedJobs } from '../../../src-server/jobs/finished-jobs.ts'
import { JobStore } from '../../../src-server/jobs/store.ts'
import { makeFolder } from '../../../src-system/disk.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemClock } from '../../../src-system/system.ts'
import type { WorkResult } from '../../../src-worker/mastering/work-order.ts'
import { composeZip } from '../../../src-worker/result/result-zip.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { newDatabaseFile, openTestDatabase } from '../notify/fixture.ts'
import { FACTS } from './fixture.ts'

/** Contents of the output folder each time a file in it is begun. */
const seen = vi.hoisted(() => ({ parent: '', atEveryFile: [] as string[][] }))
/** Moves of a folder that a virus scanner will still block. */
const scanner = vi.hoisted(() => ({ holds: 0 }))
/** Code with which the disk refuses second names, and whether it writes other bytes than it is given. */
const links = vi.hoisted(() => ({ refusal: '', damages: false }))
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  const rename: typeof fs.rename = async (...names) => {
    if (scanner.holds-- > 0) throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
    return fs.rename(...names)
  }
  const open: typeof fs.open = async (name, flags, mode) => {
    if (seen.parent !== '' && Number(flags) & constants.O_CREAT) seen.atEveryFile.push(readdirSync(seen.parent))
    return fs.open(name, flags, mode)
  }
  const link: typeof fs.link = async (...names) => {
    if (links.refusal !== '') throw Object.assign(new Error(links.refusal), { code: links.refusal })
    return fs.link(...names)
  }
  const copyFile: typeof fs.copyFile = async (from, to, mode) => {
    await fs.copyFile(from, to, mode)
    if (links.damages) await fs.writeFile(to, 'X', { flag: 'r+' })
  }
  return { ...fs, open, rename, link, copyFile }
})

let folder: string
let masters: Masters
const signal = new AbortController().signal

beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
  const kept = (name: string, text: string) => {
    const file = `봄날_${name}.wav`
    writeFileSync(path.join(folder, name), text, { mode: 0o600 })
    return { file, kept: name, sizeBytes: text.length, sha256: '', crc32: 0 }
  }
  const zip = composeZip('봄날_master_1', [kept('melon', 'MELON'), kept('spotify', 'spotify')])
  masters = { folder, zip, files: ['봄날_melon.wav', '봄날_spotify.wav'] }
})

/** The same masters as an earlier version kept them: in a stored ZIP. */
function storedMasters(): Masters {
  writeFileSync(path.join(folder, 'a.zip'), 'headMELONspotifytail')
  const entries = [
    { name: '봄날_master_1/봄날_melon.wav', offset: 4, sizeBytes: 5 },
    { name: '봄날_master_1/봄날_spotify.wav', offset: 9, sizeBytes: 7 },
  ]
  return { ...masters, zip: { fileName: 'a.zip', folderName: '봄날_master_1', sizeBytes: 20, sha256: '', entries } }
}

test.each([
  ['files of their own', () => masters],
  ['a stored ZIP', storedMasters],
])(
  'masters in %s are delivered byte for byte as the own files of the user, and nothing else is left beside them',
  async (_form, of) => {
    const made = await copyMasters(path.join(folder, 'new', 'Music'), of(), systemClock, signal)
    const [ours, theirs] = [statSync(path.join(folder, 'melon')), statSync(path.join(made, '봄날_melon.wav'))]
    // Never a link: who edits tags in it would change ours.
    expect([theirs.ino === ours.ino, theirs.nlink]).toEqual([false, 1])
    expect(theirs.mode & 0o777).toBe(0o666 & ~process.umask())
    expect(made).toBe(path.join(folder, 'new', 'Music', '봄날_master_1'))
    expect(readdirSync(made).sort()).toEqual(['봄날_melon.wav', '봄날_spotify.wav'])
    expect(readFileSync(path.join(made, '봄날_melon.wav'), 'utf8')).toBe('MELON')
    expect(readFileSync(path.join(made, '봄날_spotify.wav'), 'utf8')).toBe('spotify')
  },
)

test('existing files are never touched: the next delivery gets a name of its own', async () => {
  const first = await copyMasters(folder, masters, systemClock, signal)
  writeFileSync(path.join(first, '봄날_melon.wav'), 'edited by the user')
  const second = await copyMasters(folder, masters, systemClock, signal)
  expect(second).toBe(`${first} (2)`)
  expect(readFileSync(path.join(first, '봄날_melon.wav'), 'utf8')).toBe('edited by the user')
})

test('a folder appears under its name only with every master in it, so that a crash leaves no half one', async () => {
  const parent = path.join(folder, 'out')
  mkdirSync(parent)
  // Loudsmith replaces the hidden folder that a crash left.
  mkdirSync(path.join(parent, '.봄날_master_1.part'))
  writeFileSync(path.join(parent, '.봄날_master_1.part', '봄날_melon.wav'), 'ME')
  seen.parent = parent
  onTestFinished(() => {
    seen.parent = ''
  })
  const made = await copyMasters(parent, masters, systemClock, signal)
  expect(seen.atEveryFile.length).toBe(2)
  expect(seen.atEveryFile.flat().filter((name) => !name.startsWith('.'))).toEqual([])
  expect([readdirSync(parent), readdirSync(made).length]).toEqual([['봄날_master_1'], 2])
  expect(readFileSync(path.join(made, '봄날_melon.wav'), 'utf8')).toBe('MELON')
})

test('a file or an empty folder of the same name is left alone', async () => {
  writeFileSync(path.join(folder, '봄날_master_1'), 'a file')
  mkdirSync(path.join(folder, '봄날_master_1 (2)'))
  expect(await copyMasters(folder, masters, systemClock, signal)).toBe(path.join(folder, '봄날_master_1 (3)'))
  expect(readFileSync(path.join(folder, '봄날_master_1'), 'utf8')).toBe('a file')
  expect(readdirSync(path.join(folder, '봄날_master_1 (2)'))).toEqual([])
})

test('masters that lie there already, byte for byte, count as delivered', async () => {
  const first = await copyMasters(folder, masters, systemClock, signal)
  expect(await copyMasters(folder, masters, systemClock, signal)).toBe(first)
  writeFileSync(path.join(first, '봄날_spotify.wav'), 'SPOTIFY')
  const second = await copyMasters(folder, masters, systemClock, signal)
  expect(second).toBe(`${first} (2)`)
  rmSync(path.join(second, '봄날_melon.wav'))
  expect(await copyMasters(folder, masters, systemClock, signal)).toBe(`${first} (3)`)
})

test('masters that are to leave are moved without writing them again, each its own file, and are here until they are removed', async () => {
  const parent = path.join(folder, 'out')
  const entries = masters.zip.entries.map((entry, at) =>
    at === 0 ? { ...entry, kept: { file: 'spotify', sha256: '' } } : entry,
  )
  const both = {
    ...masters,
    zip: { ...masters.zip, entries: entries.map((entry) => ({ ...entry, sizeBytes: 7 })) },
    isMove: true,
  }
  const inode = (...names: string[]) => statSync(path.join(...names)).ino
  const deliver = () => copyMasters(parent, both, systemClock, signal)
  const made = await deliver()
  expect([inode(made, '봄날_melon.wav'), readFileSync(path.join(folder, 'spotify'), 'utf8')]).toEqual([
    inode(folder, 'spotify'),
    'spotify',
  ])
  // Two platforms share our file, and neither the file of the other.
  expect(inode(made, '봄날_spotify.wav')).not.toBe(inode(folder, 'spotify'))
  const files = ['봄날_melon.wav', '봄날_spotify.wav'].map((file) => path.join(made, file))
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['spotify', 'spotify'])
  expect(await deliver(), 'after a crash before the note').toBe(made)
  rmSync(path.join(folder, 'spotify'))
  expect(files.map((file) => statSync(file).nlink)).toEqual([1, 1])
})

test.each(['EXDEV', 'EPERM'])(
  'masters that cannot be moved (%s) are copied, and are delivered only as they read back',
  async (code) => {
    const parent = path.join(folder, 'out')
    const deliver = () => copyMasters(parent, { ...masters, isMove: true }, systemClock, signal)
    links.refusal = code
    onTestFinished(() => {
      links.refusal = ''
      links.damages = false
    })
    links.damages = true
    await expect(deliver()).rejects.toThrow('other bytes')
    expect([readdirSync(parent), readFileSync(path.join(folder, 'melon'), 'utf8')]).toEqual([[], 'MELON'])
    links.damages = false
    const made = await deliver()
    const [ours, theirs] = [statSync(path.join(folder, 'melon')), statSync(path.join(made, '봄날_melon.wav'))]
    expect([theirs.ino === ours.ino, theirs.nlink, ours.nlink]).toEqual([false, 1, 1])
  },
)

type DeliveryChange = Partial<OutputDeliveryDeps> & { readonly to?: string }

/** A delivery to `to` with a store of one done job, delivered nowhere yet, and what it told the page and the log. */
function openDelivery({ to = path.join(folder, 'out'), ...change }: DeliveryChange = {}) {
  const clock = createFakeClock()
  const db = openTestDatabase(newDatabaseFile())
  const store = new JobStore(db)
  store.add({
    jobId: 'job',
    request: { settings: jobSettings({ platforms: ['melon'] }) },
    song: { filename: 'a.wav', sha256: 'a', facts: FACTS },
    creditsUsed: 1,
    creditsRemaining: 1,
    warnings: [],
    storedBytes: 7,
    createdAtMs: clock.now(),
  })
  const result = { zip: masters.zip, masters: [{ file: '봄날_melon.wav' }], warnings: [] } as unknown as WorkResult
  const end = { result, warnings: [], creditsRefunded: 0, storedBytes: 7, completedAtMs: clock.now() }
  store.finish('job', { state: 'done', starts: 1, losses: 0, interruptions: 0 }, end)
  const events: string[] = []
  const lines: string[] = []
  const files = () => ({ result: { ...result, folder } }) as never
  const delivery = new OutputDelivery({
    db,
    clock,
    log: createLog('warn', clock, (line) => lines.push(line)),
    outputFolder: () => to,
    jobs: { files },
    finishedJobs: new FinishedJobs(db),
    notify: { record: ({ event }) => void events.push(event), committed: () => {} },
    ...change,
  })
  onTestFinished(() => delivery.close())
  return { clock, store, delivery, files, events, lines }
}

/** A database that another program holds: nothing can be noted while `isLocked`. */
function lockedJobs() {
  const world = { isLocked: true, tried: 0, noted: [] as string[] }
  const finishedJobs: OutputDeliveryDeps['finishedJobs'] = {
    listUndelivered: () => [],
    setOutputFolder(_jobId, made) {
      world.tried++
      if (world.isLocked) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
      world.noted.push(made)
      return true
    },
  }
  return { world, finishedJobs }
}

test('a delivery that cannot be noted while another program holds the database is noted afterwards and made once', async () => {
  const parent = path.join(folder, 'out')
  const { world, finishedJobs } = lockedJobs()
  const { clock, delivery } = openDelivery({ finishedJobs })
  delivery.add('job')
  await expect.poll(() => existsSync(path.join(parent, '봄날_master_1', '봄날_melon.wav'))).toBe(true)
  await clock.advance(2000)
  expect(world.noted).toEqual([])
  world.isLocked = false
  delivery.add('job')
  const idle = delivery.idle()
  await expect
    .poll(async () => {
      await clock.advance(30_000)
      return world.noted.length
    })
    .toBe(2)
  await idle
  expect(new Set(world.noted)).toEqual(new Set([path.join(parent, '봄날_master_1')]))
  expect(readdirSync(parent)).toEqual(['봄날_master_1'])
})

test('nobody is told of the delivery of a job that was deleted meanwhile', async () => {
  const opened = openDelivery({
    jobs: {
      files() {
        opened.store.remove('job')
        return opened.files()
      },
    },
  })
  const { delivery, events } = opened
  delivery.add('job')
  await delivery.idle()
  await delivery.close()
  expect([readdirSync(path.join(folder, 'out')), events]).toEqual([['봄날_master_1'], []])
})

test('masters on their way to the folder arrive before the program ends', async () => {
  const { delivery, store } = openDelivery()
  delivery.add('job')
  await delivery.close()
  expect(readdirSync(path.join(folder, 'out', '봄날_master_1'))).toEqual(['봄날_melon.wav'])
  expect(store.find('job')?.outputFolder).toBe(path.join(folder, 'out', '봄날_master_1'))
})

test('a delivery that hangs does not keep the program from ending', async () => {
  const { world, finishedJobs } = lockedJobs()
  const { clock, delivery } = openDelivery({ finishedJobs })
  delivery.add('job')
  await expect.poll(() => world.tried).toBeGreaterThan(0)
  let hasEnded = false
  const ended = delivery.close().then(() => {
    hasEnded = true
  })
  await clock.advance(4999)
  expect(hasEnded).toBe(false)
  await clock.advance(1)
  await ended
})

test('masters whose disk was pulled out are delivered once it is back, and once', async () => {
  const disk = path.join(folder, 'disk')
  const { clock, delivery, store, events, lines } = openDelivery({ to: path.join(disk, 'Masters') })
  // A plain file takes the place of the disk.
  writeFileSync(disk, '')
  delivery.add('job')
  await delivery.idle()
  await clock.advance(1_800_000)
  await delivery.idle()
  expect([events, lines.length > 1]).toEqual([[], true])
  rmSync(disk)
  mkdirSync(disk)
  await clock.advance(600_000)
  await delivery.idle()
  expect(store.find('job')?.outputFolder).toBe(path.join(disk, 'Masters', '봄날_master_1'))
  await clock.advance(7_200_000)
  await delivery.idle()
  expect([events, readdirSync(path.join(disk, 'Masters'))]).toEqual([['job.delivered'], ['봄날_master_1']])
})

test('without a folder for masters nothing is delivered, and there is no warning', async () => {
  const { clock, delivery, events, lines } = openDelivery({ outputFolder: () => null })
  delivery.add('job')
  await clock.advance(1_800_000)
  await delivery.idle()
  expect([events, lines, existsSync(path.join(folder, 'out'))]).toEqual([[], [], false])
})

test('a delivery that fails or is broken off leaves no half folder', async () => {
  const parent = path.join(folder, 'out')
  mkdirSync(parent)
  await expect(
    copyMasters(parent, { ...masters, files: ['봄날_melon.wav', 'other.wav'] }, systemClock, signal),
  ).rejects.toThrow()
  await expect(
    copyMasters(parent, { ...masters, folder: path.join(folder, 'gone') }, systemClock, signal),
  ).rejects.toThrow()
  await expect(copyMasters(parent, masters, systemClock, AbortSignal.abort(new Error('stop')))).rejects.toThrow()
  expect(readdirSync(parent)).toEqual([])
})

test('masters that a scanner for viruses looks at are delivered as soon as it is done', async () => {
  const clock = createFakeClock()
  scanner.holds = 3
  const delivery = copyMasters(folder, masters, clock, signal)
  await expect
    .poll(async () => {
      await clock.advance(300)
      return existsSync(path.join(folder, masters.zip.folderName))
    })
    .toBe(true)
  expect(await delivery).toBe(path.join(folder, masters.zip.folderName))
  expect(scanner.holds).toBeLessThan(0)
})

test('a folder where nothing can be made is an error at once', async () => {
  await makeFolder(path.join(folder, 'a', 'b', 'c'))
  await makeFolder(path.join(folder, 'a', 'b', 'c'))
  await expect(makeFolder(path.join(folder, 'melon', 'x'))).rejects.toThrow()
  if (process.platform === 'linux') await expect(makeFolder('/proc/no/such')).rejects.toThrow()
})
