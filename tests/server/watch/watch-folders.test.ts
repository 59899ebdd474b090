import {
  appendFileSync,
  type BigIntStats,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { MasterSettings } from '../../../src-contract/settings.ts'
import { AppError } from '../../../src-server/http/app-error.ts'
import { copySong, listSongs } from '../../../src-server/sources/song-files.ts'
import { createStableFiles } from '../../../src-server/watch/stable-files.ts'
import { WatchFolders } from '../../../src-server/watch/watch-folders.ts'
import { createLog } from '../../../src-system/log.ts'
import { type Clock, systemRandom } from '../../../src-system/system.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { FACTS, openBatch } from '../batch/fixture.ts'

/** Whoever runs these tests may read every file, so that a refusal of the system is played. */
const disk = vi.hoisted(() => ({
  fault: undefined as 'EACCES' | 'EBUSY' | 'EIO' | undefined,
  reads: 0,
  looks: 0,
  /** As NTFS numbers its files: the place in its table, and above it how often that place was used. */
  firstInode: undefined as bigint | undefined,
  /** As Windows lists what lies in OneDrive. */
  isInCloud: false,
}))
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  const numbered = <Facts extends Stats | BigIntStats>(facts: Facts): Facts => {
    const inode = disk.firstInode === undefined ? BigInt(facts.ino) : disk.firstInode + (BigInt(facts.ino) % 1024n)
    return Object.assign(facts, { ino: typeof facts.ino === 'bigint' ? inode : Number(inode) })
  }
  const lstat = async (name: string, options?: { bigint: boolean }) => {
    disk.looks++
    return numbered(options?.bigint ? await fs.lstat(name, { bigint: true }) : await fs.lstat(name))
  }
  const open = async (name: string, flags: string | number) => {
    // Songs are opened by flags, and nothing else is.
    if (typeof flags !== 'number') return fs.open(name, flags)
    disk.reads++
    if (disk.fault) throw Object.assign(new Error(disk.fault), { code: disk.fault })
    const handle = await fs.open(name, flags)
    const { stat } = handle
    const counted = async () => numbered((await stat.call(handle, { bigint: true })) as BigIntStats)
    return Object.assign(handle, { stat: counted })
  }
  const readdir = async (folder: string, options?: { withFileTypes: boolean }) => {
    if (!options?.withFileTypes) return fs.readdir(folder)
    const entries = await fs.readdir(folder, { withFileTypes: true })
    const isLink = { isFile: () => false, isDirectory: () => false, isSymbolicLink: () => true }
    return entries.map((entry) => (disk.isInCloud ? Object.assign(entry, isLink) : entry))
  }
  return { ...fs, lstat, open, readdir }
})

let root: string
let watched: string
const running: { isLooking: boolean; close(): Promise<void> }[] = []

beforeEach(() => {
  Object.assign(disk, { fault: undefined, reads: 0, firstInode: undefined, isInCloud: false })
  root = temporaryFolder(onTestFinished)
  watched = path.join(root, 'Bounces')
  mkdirSync(watched)
})
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

const COVER = { mimeType: 'image/png' as const, bytes: Buffer.from([0x89, 0x50]) }

type World = ReturnType<typeof openBatch>
/** The reason a song is refused, or undefined. */
type Verdict = (filename: string, signal: AbortSignal) => AppError | undefined | Promise<never>

/** A watch over a batch, at rest. */
function openWatch(world: World = openBatch(), verdict: Verdict = () => undefined) {
  const faults: string[] = []
  const warnings: string[] = []
  const watch = { isLooking: false, close: () => folders.close() }
  const clock: Clock = {
    ...world.clock,
    // A look ends by planning the next one.
    after(ms, run) {
      watch.isLooking = false
      return world.clock.after(ms, () => {
        watch.isLooking = true
        run()
      })
    },
  }
  class NotedWatch extends WatchFolders {
    override start(): void {
      watch.isLooking = true
      super.start()
    }
    override async close(): Promise<void> {
      await super.close()
      watch.isLooking = false
    }
  }
  const folders = new NotedWatch({
    db: world.db,
    clock,
    random: systemRandom,
    log: createLog('warn', world.clock, (line) => (JSON.parse(line).level === 'error' ? faults : warnings).push(line)),
    tmp: path.join(path.dirname(world.file), 'tmp'),
    dataDir: path.dirname(world.file),
    sources: world.sources,
    batch: world.batch,
    inspect: async (file, _field, signal, accept) => {
      if (!/\.wav$/.test(file.filename) && accept !== 'any') throw new AppError('UNSUPPORTED_FORMAT')
      const refusal = await verdict(file.filename, signal)
      if (refusal) throw refusal
      if (file.filename === 'click.wav') return { ...file, facts: { ...FACTS, durationSeconds: 0.5 } }
      if (file.filename === 'suno.wav') return { ...file, facts: { ...FACTS, tags: { comment: 'made by suno' } } }
      const isCutShort = readFileSync(file.path, 'utf8').endsWith('…')
      return { ...file, facts: isCutShort ? { ...FACTS, claimedSeconds: 20 } : FACTS }
    },
    coverOf: async ({ filename }) => (filename === 'pictured.wav' ? COVER : undefined),
    storage: { require: () => {}, requireDisk: () => {} },
  })
  running.push(watch)
  return { folders, world, faults, warnings }
}

/** A watch over the folder that has begun. */
async function watching(verdict?: Verdict, choice: Parameters<WatchFolders['add']>[1] = {}) {
  const opened = openWatch(openBatch(), verdict)
  const { folder_id } = await opened.folders.add(watched, choice, 'en')
  opened.folders.start()
  return { ...opened, folder_id }
}

/** The watch after Loudsmith was ended and started again. */
async function restarted({ folders, world }: ReturnType<typeof openWatch>) {
  await folders.close()
  const again = openWatch(openBatch(world.file, world.clock))
  again.folders.start()
  return again
}

/** Lets the watch look as often as it does in that time; a look takes none of it, however long the disk needs. */
async function pass(world: World, ms: number): Promise<void> {
  const look = () => vi.waitUntil(() => running.every(({ isLooking }) => !isLooking), { interval: 1 })
  await look()
  for (let gone = 0; gone < ms; gone += 1000) {
    await world.clock.advance(1000)
    await look()
  }
}

const put = (name: string, bytes = name) => writeFileSync(path.join(watched, name), bytes)

describe('a watched folder', () => {
  it('masters a song that appears in it, with the settings of the folder, and not the songs that were there before', async () => {
    put('old.wav')
    const { folders, world } = openWatch()
    const settings = { ...world.batch.read('en').settings, platforms: ['melon'], genre: 'edm' } as MasterSettings
    await folders.add(watched, { settings }, 'en')
    folders.start()
    put('new.wav')
    put('notes.txt')
    put('.hidden.wav')
    await pass(world, 12_000)
    expect(world.titles()).toEqual(['new'])
    expect(world.submitted).toMatchObject([
      { song: { filename: 'new.wav' }, request: { settings: { platforms: ['melon'], genre: 'edm' } } },
    ])
    expect(folders.list('en')).toMatchObject([{ taken: 1, refused: [], is_reachable: true }])
    put('suno.wav')
    await pass(world, 12_000)
    expect(world.submitted[1]).toMatchObject({ request: { settings: { genre: 'edm', ai_service: 'suno' } } })
    expect(world.batch.read('en').songs[1]?.settings).toEqual({ ...settings, ai_service: 'suno' })
  })

  it('says once in the log what a song waits for, and again when that changes', async () => {
    let code: 'INSUFFICIENT_STORAGE' | 'UNAVAILABLE' | undefined = 'INSUFFICIENT_STORAGE'
    const { folders, world, warnings } = openWatch(undefined, () => code && new AppError(code))
    await folders.add(watched, {}, 'en')
    folders.start()
    for (const name of ['a.wav', 'b.wav']) put(name)
    const told = () => warnings.map((line) => JSON.parse(line)).map(({ filename, cause }) => [filename, cause.message])
    const full = [
      ['a.wav', 'INSUFFICIENT_STORAGE'],
      ['b.wav', 'INSUFFICIENT_STORAGE'],
    ]
    await pass(world, 600_000)
    expect(told()).toEqual(full)
    code = 'UNAVAILABLE'
    await pass(world, 180_000)
    expect(told()).toEqual([...full, ['a.wav', 'UNAVAILABLE'], ['b.wav', 'UNAVAILABLE']])
    code = undefined
    await pass(world, 120_000)
    expect(world.titles()).toEqual(['a', 'b'])
    expect(told()).toHaveLength(4)
  })

  it('takes other containers once its owner says so, not those already there and no videos, also after a restart', async () => {
    put('early.aiff')
    const opened = await watching()
    const { folders, world, folder_id } = opened
    put('later.m4a')
    put('song.wav')
    await pass(world, 10_000)
    expect([world.titles(), folders.list('en')[0]?.accept]).toEqual([['song'], null])
    await folders.change(folder_id, { accept: 'any' }, 'en')
    await folders.change(folder_id, { is_active: true }, 'en')
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['song'])
    for (const name of ['new.aif', 'new.ogg', 'film.mp4', 'film.mov']) put(name)
    await pass(world, 10_000)
    const titles = ['song', 'new.aif', 'new.ogg']
    expect([world.titles(), folders.list('en')]).toMatchObject([titles, [{ taken: 3, refused: [], accept: 'any' }]])
    const again = await restarted(opened)
    put('newer.wv')
    await pass(again.world, 10_000)
    expect(again.world.titles()).toEqual([...titles, 'newer.wv'])
    await again.folders.change(folder_id, { accept: null }, 'en')
    put('last.aiff')
    await pass(again.world, 10_000)
    expect(again.world.titles()).toEqual([...titles, 'newer.wv'])
  })

  it('does not take other containers while its drive is away, since it cannot know those that are there', async () => {
    const { folders, world, folder_id } = await watching()
    const away = `${watched} away`
    renameSync(watched, away)
    await expect(folders.change(folder_id, { accept: 'any' }, 'en')).rejects.toThrow('INVALID_REQUEST')
    expect(folders.list('en')[0]?.accept).toBeNull()
    renameSync(away, watched)
    put('song.aiff')
    await pass(world, 70_000)
    expect(world.titles()).toEqual([])
  })

  it('takes also what was there before when it is asked to', async () => {
    put('old.wav')
    const { world } = await watching(undefined, { takesExisting: true })
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['old'])
  })

  it('waits for a song that is still being written and takes it whole', async () => {
    const { world } = await watching()
    put('long.wav', 'a')
    for (let second = 0; second < 12; second++) {
      await pass(world, 1000)
      appendFileSync(path.join(watched, 'long.wav'), 'b')
    }
    expect(world.titles()).toEqual([])
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['long'])
    expect(world.submitted[0]?.song.facts).toEqual(FACTS)
  })

  it('gives a song that holds less than it says a minute to become complete, and takes it as it is then', async () => {
    const { folders, world } = await watching()
    put('slow.wav', 'the first half…')
    put('broken.wav', 'no more of it…')
    await pass(world, 30_000)
    expect(world.titles()).toEqual([])
    const message = expect.stringMatching(/shorter than its header says/)
    const waiting = ['broken.wav', 'slow.wav'].map((filename) => expect.objectContaining({ filename, message }))
    expect(folders.list('en')).toMatchObject([{ taken: 0, refused: [], waiting: { length: waiting.length } }])
    // Their order depends on whether both were written within one millisecond.
    expect(folders.list('en')[0]?.waiting).toEqual(expect.arrayContaining(waiting))
    put('slow.wav', 'the first half, and the second')
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['slow'])
    expect(folders.list('en')).toMatchObject([{ waiting: [{ filename: 'broken.wav' }] }])
    await pass(world, 40_000)
    expect(world.titles()).toEqual(['slow', 'broken'])
    expect(folders.list('en')).toMatchObject([{ taken: 2, refused: [], waiting: [] }])
    expect(disk.reads).toBe(4)
  })

  it('takes a song once, also over restarts, and again when it was exported anew', async () => {
    const first = await watching()
    put('song.wav')
    await pass(first.world, 10_000)
    const second = await restarted(first)
    await pass(second.world, 10_000)
    expect(second.world.titles()).toEqual(['song'])
    put('song.wav', 'another mix')
    await pass(second.world, 10_000)
    expect(second.world.titles()).toEqual(['song', 'song'])
  })

  it.each([
    ['was taken', undefined, ['song']],
    ['was refused', new AppError('FILE_TOO_LONG'), []],
  ])(
    'does not take a song again that %s and has another name, also given while Loudsmith was not running',
    async (_, refusal, taken) => {
      const first = await watching(() => refusal)
      put('song.wav')
      await pass(first.world, 10_000)
      renameSync(path.join(watched, 'song.wav'), path.join(watched, 'Song (final).wav'))
      await pass(first.world, 10_000)
      expect(first.world.titles()).toEqual(taken)
      const refused = refusal ? [{ filename: 'Song (final).wav' }] : []
      expect(first.folders.list('en')).toMatchObject([{ taken: taken.length, refused }])
      renameSync(path.join(watched, 'Song (final).wav'), path.join(watched, 'Song.wav'))
      const second = await restarted(first)
      await pass(second.world, 10_000)
      expect(second.world.titles()).toEqual(taken)
    },
  )

  it('takes a song once that only has a new time of change, as a disk, a backup or another program gives it', async () => {
    const first = await watching()
    put('song.wav')
    await pass(first.world, 10_000)
    put('song.wav')
    utimesSync(path.join(watched, 'song.wav'), new Date(), new Date('2026-03-01T12:00:00Z'))
    const second = await restarted(first)
    await pass(second.world, 10_000)
    renameSync(path.join(watched, 'song.wav'), path.join(watched, 'Song.wav'))
    await pass(second.world, 10_000)
    expect(second.world.titles()).toEqual(['song'])
    expect(second.folders.list('en')).toMatchObject([{ taken: 1, refused: [], waiting: [] }])
    put('Song.wav', 'another mix')
    await pass(second.world, 10_000)
    put('Song.wav', 'song.wav')
    await pass(second.world, 10_000)
    expect(second.world.titles()).toEqual(['song', 'Song'])
  })

  it('does not take a song again whose name another machine changed: here one file goes and another comes', async () => {
    const { world } = await watching()
    put('song.wav')
    await pass(world, 10_000)
    put('Song (final).wav', 'song.wav')
    rmSync(path.join(watched, 'song.wav'))
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['song'])
    // While the first is still there, it is a second song.
    put('Song (copy).wav', 'song.wav')
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['song', 'Song (copy)'])
  })

  it('does not take a song that was there before because it has another name', async () => {
    put('old.wav')
    const { world } = await watching()
    renameSync(path.join(watched, 'old.wav'), path.join(watched, 'older.wav'))
    await pass(world, 10_000)
    expect(world.titles()).toEqual([])
  })

  it('sees the songs of a folder in OneDrive, and no folders or links for songs', async () => {
    disk.isInCloud = true
    writeFileSync(path.join(watched, 'one.wav'), 'song')
    mkdirSync(path.join(watched, 'folder.wav'))
    symlinkSync(path.join(watched, 'one.wav'), path.join(watched, 'link.wav'))
    expect((await listSongs(watched)).map(({ filename }) => filename)).toEqual(['one.wav'])
  })

  it('tells files apart on a disk whose numbers are longer than those of JavaScript', async () => {
    disk.firstInode = 2n ** 60n
    for (const name of ['one.wav', 'two.wav']) writeFileSync(path.join(watched, name), 'song')
    const inodes = (await listSongs(watched)).map(({ stat }) => stat.inode)
    expect(new Set(inodes).size).toBe(2)
  })

  it('takes another song of the same size and time, under a new name or in the place of one that was renamed', async () => {
    const { world } = await watching()
    const time = new Date('2026-03-01T12:00:00Z')
    const putAt = (name: string, bytes: string) => {
      put(name, bytes)
      utimesSync(path.join(watched, name), time, time)
    }
    putAt('a.wav', 'one')
    await pass(world, 10_000)
    renameSync(path.join(watched, 'a.wav'), path.join(watched, 'b.wav'))
    putAt('a.wav', 'two')
    putAt('c.wav', 'six')
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['a', 'a', 'c'])
  })

  it('notices a song that is exported over an old one among many that are known, and takes no other again', async () => {
    for (let number = 0; number < 700; number++) put(`old ${number}.wav`)
    const { world } = await watching()
    await pass(world, 8000)
    put('old 650.wav', 'another mix')
    put('old 3.wav', 'another mix of this one')
    await pass(world, 20_000)
    expect(world.titles().sort()).toEqual(['old 3', 'old 650'])
    expect(disk.reads).toBe(2)
  })

  it('asks the database nothing for songs that rest, and looks at a fixed number of them', async () => {
    for (let number = 0; number < 1500; number++) put(`old ${number}.wav`)
    const { world } = await watching()
    await pass(world, 10_000)
    const prepared = vi.spyOn(Object.getPrototypeOf(world.db.prepare('SELECT 1')), 'get')
    disk.looks = 0
    await pass(world, 2000)
    // Another method asks whether the folder is watched; nothing is asked about its files.
    expect(prepared).not.toHaveBeenCalled()
    expect(disk.looks).toBe(256)
    prepared.mockRestore()
  })

  it('shows a file whose name is not UTF-8 with the reason, once in the log, and takes it when it has a name', async () => {
    const { folders, world, warnings } = await watching()
    const named = (bytes: number[]) =>
      Buffer.concat([Buffer.from(`${watched}/`), Buffer.from(bytes), Buffer.from('.wav')])
    try {
      writeFileSync(named([0xb9, 0xe3]), 'song')
    } catch {
      // This disk has no such names.
      return
    }
    await pass(world, 20_000)
    expect(world.titles()).toEqual([])
    expect(folders.list('en')).toMatchObject([
      { refused: [{ code: 'INVALID_REQUEST', message: expect.stringMatching(/not UTF-8/) }] },
    ])
    expect(folders.list('ko')[0]?.refused[0]?.message).toMatch(/UTF-8이 아니라서/)
    expect(warnings).toHaveLength(1)
    renameSync(named([0xb9, 0xe3]), path.join(watched, '밤.wav'))
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['밤'])
    expect(folders.list('en')).toMatchObject([{ refused: [] }])
  })

  it('takes a song whose name holds the character that stands for an unreadable one', async () => {
    const { folders, world } = await watching()
    put('b\ufffdd.wav')
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['b\ufffdd'])
    expect(folders.list('en')).toMatchObject([{ refused: [] }])
  })

  it('takes a song under each of two names that it has at once', async () => {
    const { world } = await watching()
    put('a.wav')
    await pass(world, 10_000)
    linkSync(path.join(watched, 'a.wav'), path.join(watched, 'b.wav'))
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['a', 'b'])
  })

  it('takes nothing from the folders in it', async () => {
    const { world } = await watching(undefined, { takesExisting: true })
    mkdirSync(path.join(watched, 'stems'))
    put('stems/drums.wav')
    await pass(world, 10_000)
    expect(world.titles()).toEqual([])
  })

  it('takes a song that appeared while Loudsmith was not running', async () => {
    const first = openWatch()
    await first.folders.add(watched, {}, 'en')
    put('overnight.wav')
    const second = await restarted(first)
    await pass(second.world, 10_000)
    expect(second.world.titles()).toEqual(['overnight'])
  })

  it('shows a song that is refused with its reason and does not try it for ever', async () => {
    const asked = vi.fn((filename: string) =>
      filename === 'bad.wav' ? new AppError('UNSUPPORTED_FORMAT', { reason: 'aac' }) : undefined,
    )
    const { folders, world } = await watching(asked)
    put('bad.wav')
    put('good.wav')
    await pass(world, 20_000)
    expect(world.titles()).toEqual(['good'])
    expect(folders.list('en')[0]?.refused).toEqual([
      { filename: 'bad.wav', code: 'UNSUPPORTED_FORMAT', message: expect.stringMatching(/AAC/) },
    ])
    expect(asked.mock.calls.filter(([name]) => name === 'bad.wav')).toHaveLength(1)
  })

  it('refuses what is too short to be mastered, and makes no job that must fail', async () => {
    const { folders, world } = await watching()
    put('click.wav')
    await pass(world, 10_000)
    expect([world.titles(), world.submitted]).toEqual([[], []])
    expect(folders.list('ko')[0]?.refused).toEqual([
      { filename: 'click.wav', code: 'UNSUPPORTED_FORMAT', message: expect.stringContaining('곡이 1초보다 짧아요.') },
    ])
  })

  it('no longer shows a refusal once the song was exported anew, and one that is refused again once', async () => {
    let isBad = true
    const { folders, world } = await watching(() =>
      isBad ? new AppError('UNSUPPORTED_FORMAT', { reason: 'damaged' }) : undefined,
    )
    put('song.wav')
    await pass(world, 10_000)
    put('song.wav', 'still bad')
    await pass(world, 10_000)
    expect(folders.list('en')).toMatchObject([{ refused: [{ filename: 'song.wav' }] }])
    isBad = false
    put('song.wav', 'a good export')
    await pass(world, 10_000)
    expect(folders.list('en')).toMatchObject([{ refused: [], taken: 1 }])
  })

  it('keeps the cover of a song as a dropped one does', async () => {
    const { world } = await watching()
    put('pictured.wav')
    put('plain.wav')
    await pass(world, 10_000)
    const covers = world.batch.read('en').songs.map(({ source }) => world.sources.cover(source.source_id))
    expect(covers.map((cover) => cover?.mediaType)).toEqual(['image/png', undefined])
    expect(readFileSync(covers[0]?.path ?? '').equals(COVER.bytes)).toBe(true)
  })

  it('leaves a song that cannot be read alone until it changes, and says so', async () => {
    const { folders, world } = await watching()
    put('locked.wav')
    disk.fault = 'EACCES'
    await pass(world, 300_000)
    expect(world.titles()).toEqual([])
    expect(disk.reads).toBe(1)
    const message = expect.stringMatching(/읽을 수 없어요/)
    expect(folders.list('ko')).toMatchObject([
      { refused: [{ filename: 'locked.wav', code: 'INVALID_REQUEST', message }], waiting: [] },
    ])
    disk.fault = undefined
    // Neither its size nor the time of its content changes with who may read it.
    chmodSync(path.join(watched, 'locked.wav'), 0o644)
    await pass(world, 4000)
    expect(world.titles()).toEqual(['locked'])
    expect(folders.list('ko')).toMatchObject([{ refused: [], waiting: [], taken: 1 }])
  })

  it.each([
    ['EBUSY', /Another program/],
    ['EIO', /cannot be read/],
  ] as const)('waits for what may pass by itself, and says so: %s', async (fault, said) => {
    const { folders, world } = await watching()
    put('held.wav')
    disk.fault = fault
    await pass(world, 10_000)
    const message = expect.stringMatching(said)
    expect(folders.list('en')).toMatchObject([{ refused: [], waiting: [{ filename: 'held.wav', message }] }])
    disk.fault = undefined
    await pass(world, 60_000)
    expect(world.titles()).toEqual(['held'])
    expect(folders.list('en')).toMatchObject([{ waiting: [], taken: 1 }])
  })

  it('asks less and less often for what is a matter of the moment, says so meanwhile, and forgets it with the file', async () => {
    const asked = vi.fn((_filename: string) => new AppError('UNAVAILABLE'))
    const { folders, world } = await watching(asked)
    put('song.wav')
    await pass(world, 300_000)
    expect(asked.mock.calls.length).toBeLessThan(14)
    expect(folders.list('en')).toMatchObject([
      { refused: [], waiting: [{ filename: 'song.wav', code: 'UNAVAILABLE', message: /again/ }] },
    ])
    rmSync(path.join(watched, 'song.wav'))
    await pass(world, 4000)
    expect(folders.list('en')).toMatchObject([{ waiting: [] }])
  })

  it('shows a song in one place: what waited and is then refused, or was refused and then waits', async () => {
    let verdict = 'UNAVAILABLE' as 'UNAVAILABLE' | 'FILE_TOO_LONG'
    const { folders, world } = await watching(() => new AppError(verdict))
    put('song.wav')
    await pass(world, 10_000)
    expect(folders.list('en')).toMatchObject([{ refused: [], waiting: [{ filename: 'song.wav' }] }])
    verdict = 'FILE_TOO_LONG'
    await pass(world, 60_000)
    expect(folders.list('en')).toMatchObject([{ refused: [{ code: 'FILE_TOO_LONG' }], waiting: [] }])
    verdict = 'UNAVAILABLE'
    put('song.wav', 'exported anew')
    await pass(world, 10_000)
    expect(folders.list('en')).toMatchObject([{ refused: [], waiting: [{ filename: 'song.wav' }] }])
  })

  it('tries again when only the moment was bad', async () => {
    let isBusy = true
    const { world } = await watching(() => (isBusy ? new AppError('UNAVAILABLE') : undefined))
    put('song.wav')
    await pass(world, 10_000)
    expect(world.titles()).toEqual([])
    isBusy = false
    await pass(world, 4000)
    expect(world.titles()).toEqual(['song'])
  })

  it('hands nothing over and tells nobody of a song that could not be committed, and starts it at the next look', async () => {
    const { folders, world } = openWatch()
    await folders.add(watched, {}, 'en')
    // A disk that is full is noticed when a transaction is committed; so is a promise that leads nowhere.
    world.db.exec(`CREATE TABLE nowhere (id INTEGER PRIMARY KEY);
      CREATE TABLE promises (id INTEGER REFERENCES nowhere (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER full AFTER INSERT ON watched_files BEGIN INSERT INTO promises VALUES (1); END`)
    folders.start()
    put('song.wav')
    await pass(world, 10_000)
    expect(world.titles()).toEqual([])
    expect(world.submitted).toEqual([])
    expect(world.told).toEqual([])
    world.db.exec('DROP TRIGGER full')
    await pass(world, 4000)
    expect(world.titles()).toEqual(['song'])
    expect(world.submitted).toHaveLength(1)
    expect(world.told).toContain('desk.changed')
  })

  it('says that its drive is gone and goes on when it is back, without taking anything twice', async () => {
    const { folders, world } = await watching()
    put('song.wav')
    await pass(world, 10_000)
    renameSync(watched, `${watched} away`)
    await pass(world, 4000)
    expect(folders.list('en')[0]?.is_reachable).toBe(false)
    renameSync(`${watched} away`, watched)
    await pass(world, 10_000)
    expect(folders.list('en')[0]?.is_reachable).toBe(true)
    expect(world.titles()).toEqual(['song'])
  })

  it('rests while it is paused and forgets nothing', async () => {
    const { folders, world, folder_id } = await watching(undefined, { is_active: false })
    put('song.wav')
    await pass(world, 10_000)
    expect(world.titles()).toEqual([])
    await folders.change(folder_id, { is_active: true }, 'en')
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['song'])
  })

  it('takes no further song of a look in which it is paused, and gives those after it the settings of their moment', async () => {
    const asked: string[] = []
    const { folders, world, folder_id } = await watching((filename) => {
      asked.push(filename)
      if (filename === '1.wav') folders.change(folder_id, { settings }, 'en')
      if (filename === '2.wav' && asked.length === 2) folders.change(folder_id, { is_active: false }, 'en')
      return undefined
    })
    const settings = { ...world.batch.read('en').settings, platforms: ['melon'] } as MasterSettings
    for (const name of ['1.wav', '2.wav', '3.wav']) put(name)
    await pass(world, 10_000)
    expect(asked).toEqual(['1.wav', '2.wav'])
    expect(world.submitted).toMatchObject([
      { song: { filename: '1.wav' }, request: { settings: { platforms: ['melon'] } } },
    ])
    await folders.change(folder_id, { is_active: true }, 'en')
    await pass(world, 10_000)
    expect(world.titles()).toEqual(['1', '2', '3'])
  })

  it('looks at no further song once it is watched no longer', async () => {
    const asked: string[] = []
    const { folders, world, folder_id } = await watching((filename) => {
      asked.push(filename)
      folders.remove(folder_id)
      return undefined
    })
    for (const name of ['1.wav', '2.wav']) put(name)
    await pass(world, 10_000)
    expect(asked).toEqual(['1.wav'])
    expect(world.titles()).toEqual([])
  })

  it('can go while a song of it is refused, and costs the songs of another folder nothing', async () => {
    const { folders, world, faults } = openWatch(openBatch(), (filename) => {
      if (filename !== 'refused.wav') return undefined
      folders.remove(folder_id)
      return new AppError('FILE_TOO_LONG')
    })
    const { folder_id } = await folders.add(watched, {}, 'en')
    const other = path.join(root, 'Other')
    mkdirSync(other)
    await folders.add(other, {}, 'en')
    folders.start()
    put('refused.wav')
    writeFileSync(path.join(other, 'song.wav'), 'song')
    await pass(world, 10_000)
    expect([world.titles(), faults]).toEqual([['song'], []])
    expect(folders.list('en').map((folder) => folder.path)).toEqual([other])
  })

  it('sends masters to its own output folder, and those of other songs to nobody else’s', async () => {
    const output = path.join(root, 'Masters')
    const { folders, world } = await watching(undefined, { output_folder: output })
    expect(existsSync(output)).toBe(true)
    put('song.wav')
    await pass(world, 10_000)
    world.batch.start([world.addSong('other')])
    const of = (name: string) =>
      folders.outputFolderOf(world.submitted.find(({ song }) => song.filename === name)?.sourceId ?? '')
    expect(of('song.wav')).toBe(output)
    expect(of('other.wav')).toBeUndefined()
  })

  it('is watched once when it is asked for twice at the same moment', async () => {
    const { folders } = openWatch()
    const attempt = () => folders.add(watched, {}, 'en').then(() => 'watched', String)
    const both = await Promise.all([attempt(), attempt()])
    expect(both.sort()).toEqual(['AppError: INVALID_REQUEST', 'watched'])
  })

  it('leaves no copies in the folder of uploads', async () => {
    const { world } = await watching(() => new AppError('FILE_TOO_LONG'))
    put('song.wav')
    await pass(world, 10_000)
    expect(readdirSync(path.join(path.dirname(world.file), 'tmp'))).toEqual([])
  })

  it('is closed in the middle of a song with nothing left of it, and takes it at the next start', async () => {
    let isReached = false
    const first = await watching((_filename, signal) => {
      isReached = true
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    put('song.wav')
    await vi.waitUntil(() => first.world.clock.advance(1000).then(() => isReached))
    await first.folders.close()
    expect([readdirSync(path.join(path.dirname(first.world.file), 'tmp')), first.faults]).toEqual([[], []])
    const second = await restarted(first)
    await pass(second.world, 10_000)
    expect(second.world.titles()).toEqual(['song'])
  })

  it('is refused, like an output folder, when its name is not UTF-8, and no other is made in its place', async () => {
    const { folders } = openWatch()
    const shown = path.join(root, 'b\ufffd')
    const why = (folder: string, output_folder?: string) =>
      folders
        .add(folder, output_folder === undefined ? {} : { output_folder }, 'en')
        .catch((error: AppError) => [error.param, error.values.reason])
    expect(await why(shown)).toEqual(['path', 'folder_name_not_utf8'])
    expect(await why(watched, shown)).toEqual(['output_folder', 'folder_name_not_utf8'])
    expect(existsSync(shown)).toBe(false)
    mkdirSync(shown)
    expect(await why(watched, shown)).toMatchObject({ output_folder: shown })
  })

  it('is refused when it cannot be watched, with the field at fault', async () => {
    const { folders, world } = openWatch()
    const attempt = (folder: string, output?: string) =>
      folders.add(folder, output === undefined ? {} : { output_folder: output }, 'en').then(
        () => 'watched',
        (error: AppError) => `${error.code} ${error.param}`,
      )
    expect(await attempt('relative')).toBe('INVALID_REQUEST path')
    expect(await attempt(path.join(root, 'missing'))).toBe('INVALID_REQUEST path')
    put('song.wav')
    expect(await attempt(path.join(watched, 'song.wav'))).toBe('INVALID_REQUEST path')
    expect(await attempt(path.dirname(world.file))).toBe('INVALID_REQUEST path')
    expect(await attempt(watched, 'relative')).toBe('INVALID_REQUEST output_folder')
    // Nothing can be made there, and Node's own recursive mkdir would try for ever.
    if (process.platform === 'linux')
      expect(await attempt(watched, '/proc/loudsmith/masters')).toBe('INVALID_REQUEST output_folder')
    expect(await attempt(watched)).toBe('watched')
    expect(await attempt(`${watched}/`)).toBe('INVALID_REQUEST path')
    symlinkSync(watched, path.join(root, 'link'))
    expect(await attempt(path.join(root, 'link'))).toBe('INVALID_REQUEST path')
    symlinkSync(path.dirname(world.file), path.join(root, 'own'))
    expect(await attempt(path.join(root, 'own'))).toBe('INVALID_REQUEST path')
    // Inside, though its name begins as the way out does; outside, though its name begins as that of the data folder does.
    const data = path.dirname(world.file)
    mkdirSync(path.join(data, '..inbox'))
    expect(await attempt(path.join(data, '..inbox'))).toBe('INVALID_REQUEST path')
    mkdirSync(`${data}-songs`)
    expect(await attempt(`${data}-songs`, path.join(data, '...'))).toBe('INVALID_REQUEST output_folder')
    expect(await attempt(`${data}-songs`)).toBe('watched')
    await expect(folders.change('unknown', {}, 'en')).rejects.toThrow('NOT_FOUND')
    expect(() => folders.remove('unknown')).toThrow('NOT_FOUND')
  })
})

describe('the copy of a song', () => {
  it('is none when the song is no longer as it was seen', async () => {
    put('song.wav')
    const [seen] = await listSongs(watched)
    const room = { requireDisk: () => {}, signal: new AbortController().signal }
    const copy = () => copySong(watched, seen!, path.join(root, 'copy'), room)
    expect(await copy()).toMatchObject({ filename: 'song.wav', sizeBytes: 'song.wav'.length })
    appendFileSync(path.join(watched, 'song.wav'), 'more')
    expect(await copy()).toBeUndefined()
  })
})

describe('a stable file', () => {
  it('kept its size and its time of change for the whole quiet time, and is not empty', () => {
    const files = createStableFiles(4000)
    const look = { sizeBytes: 10, modifiedMs: 1 }
    expect(files.isStable('a', look, 0)).toBe(false)
    expect(files.isStable('a', look, 3999)).toBe(false)
    expect(files.isStable('a', look, 4000)).toBe(true)
    // The same size, written again: some programs reserve the whole file first.
    expect(files.isStable('a', { ...look, modifiedMs: 2 }, 5000)).toBe(false)
    expect(files.isStable('empty', { sizeBytes: 0, modifiedMs: 1 }, 0)).toBe(false)
    expect(files.isStable('empty', { sizeBytes: 0, modifiedMs: 1 }, 9000)).toBe(false)
  })

  it('starts anew when it was away', () => {
    const files = createStableFiles(4000)
    files.isStable('a', { sizeBytes: 1, modifiedMs: 1 }, 0)
    files.retain(() => false)
    expect(files.isStable('a', { sizeBytes: 1, modifiedMs: 1 }, 9000)).toBe(false)
  })
})
