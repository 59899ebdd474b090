import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { summaryOf } from '../../../src-contract/app.ts'
import type { Analysis } from '../../../src-contract/jobs.ts'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { DEFAULT_SETTINGS, jobSettings, type MasterSettings } from '../../../src-contract/settings.ts'
import { AppError } from '../../../src-server/http/app-error.ts'
import { WatchFolderStore } from '../../../src-server/watch/watch-folder-store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { newDatabaseFile } from '../notify/fixture.ts'
import { FACTS, openBatch } from './fixture.ts'

const OWN: MasterSettings = {
  ...DEFAULT_SETTINGS,
  platforms: ['melon'],
  genre: 'kpop',
  ai_service: 'suno',
  tier: 'premium',
  intensity: 80,
  loudness: 'competitive',
  reference_source_id: null,
  reference_amount: 20,
}

const KEPT = Buffer.from('kept')

test('a new batch is empty, runs, and offers the defaults of the service', () => {
  const { batch } = openBatch()
  expect(batch.read('en')).toEqual({
    is_paused: false,
    presets: [],
    songs: [],
    release_songs: [],
    settings: {
      ...DEFAULT_SETTINGS,
      // Its owner uploads one file.
      release_master: true,
      platforms: [...PLATFORMS],
      genre: 'other',
      ai_service: 'other',
      tier: 'standard',
      intensity: 50,
      loudness: 'platform',
      reference_source_id: null,
      reference_amount: 70,
    },
  })
})

test('songs lie in the batch in the order they came, ready, with what they are', () => {
  const { addSong, batch } = openBatch()
  const sourceId = addSong('첫 곡')
  addSong('second')
  const { songs } = batch.read('en')
  expect(songs[0]).toMatchObject({ state: 'ready', settings: null, analysis: null, job_ids: [] })
  expect(songs[0]?.source).toMatchObject({
    source_id: sourceId,
    title: '첫 곡',
    artist: '아이유',
    codec: 'pcm_s24',
    duration_seconds: 10,
    bit_depth: 24,
    has_cover: false,
  })
  expect(songs.map(({ source }) => source.title)).toEqual(['첫 곡', 'second'])
})

test('a batch larger than the plan is handed over in batch order, never more at once than there are slots', async () => {
  const { addSong, batch, world, submitted, store, end, states } = openBatch()
  world.slots = 2
  const ids = ['a', 'b', 'c', 'd', 'e'].map((name) => addSong(name))
  batch.start([...ids].reverse())
  expect(states()).toEqual(['submitted', 'submitted', 'waiting', 'waiting', 'waiting'])
  for (const expected of [3, 4, 5, 5, 5]) {
    const [job] = store.list({ words: [], status: 'queued', sort: 'oldest', limit: 1 }).jobs
    if (job) end(job.jobId)
    batch.feed()
    expect(submitted.length).toBe(expected)
    expect(store.countUnfinished()).toBeLessThanOrEqual(2)
  }
  expect(submitted.map(({ sourceId }) => sourceId)).toEqual(ids)
  expect(new Set(submitted.map(({ batchId }) => batchId)).size).toBe(1)
  const [first] = batch.read('en').songs
  expect(first?.batch_id).toBe(submitted[0]?.batchId)
  expect(first?.job_ids.length).toBe(1)
})

test('a song is mastered with its own settings, or those of the batch, as they were when it was started', async () => {
  const { addSong, batch, world, submitted } = openBatch()
  world.slots = 0
  const own = addSong('own')
  const common = addSong('common')
  batch.changeSong(own, OWN)
  batch.start([own, common])
  batch.change({ settings: { ...OWN, genre: 'edm' } })
  world.slots = 2
  batch.feed()
  expect(submitted[0]?.request.settings).toEqual(jobSettings(OWN))
  expect(submitted[1]?.request.settings.genre).toBe('other')
})

test('settings given to a song that waits count for it', async () => {
  const { addSong, batch, world, submitted } = openBatch()
  world.slots = 0
  const id = addSong('a')
  batch.start([id])
  batch.changeSong(id, OWN)
  world.slots = 1
  batch.feed()
  expect(submitted[0]?.request.settings.genre).toBe('kpop')
})

test('what is written about songs is kept over a restart and is what their jobs get', () => {
  const file = newDatabaseFile()
  const before = openBatch(file)
  const [a, b] = [before.addSong('a'), before.addSong('b')]
  before.batch.change({
    metadata: [
      { source_id: a, title: ' Night Bus ', isrc: 'kr-a38-24-00001', year: '2026', lyrics: 'one\r\ntwo' },
      { source_id: b, artist: '하늘' },
    ],
  })
  // An empty text is that of the file again, and what is absent stays.
  before.batch.change({ metadata: [{ source_id: a, year: '' }] })
  const { batch, submitted, store } = openBatch(file)
  const written = { title: 'Night Bus', isrc: 'KRA382400001', lyrics: 'one\ntwo' }
  expect(batch.read('en').songs.map(({ metadata }) => metadata)).toEqual([written, { artist: '하늘' }])
  batch.start([a, b])
  const { title, ...metadata } = written
  expect(submitted[0]?.request).toMatchObject({ title, metadata })
  expect(submitted[1]?.request).toMatchObject({ artist: '하늘' })
  expect(submitted[1]?.request).not.toHaveProperty('metadata')
  expect(store.list({ words: [], sort: 'oldest', limit: 1 }).jobs[0]?.request).toMatchObject({ title, metadata })
})

test('metadata that breaks a rule changes nothing, of no song', () => {
  const { addSong, batch, events } = openBatch()
  const [a, b] = [addSong('a'), addSong('b')]
  const count = events.length
  const bad = [
    { source_id: a, album: 'Kept out' },
    { source_id: b, track: '4/3' },
  ]
  expect(() => batch.change({ metadata: bad })).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', param: 'track' }),
  )
  expect(() => batch.change({ metadata: [{ source_id: 'nobody', album: 'x' }] })).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND' }),
  )
  expect(batch.read('en').songs.map(({ metadata }) => metadata)).toEqual([{}, {}])
  expect(events.length).toBe(count)
})

test('the cover of a song is handed over with it as a file that is gone afterwards', () => {
  const { addSong, batch, world, submitted } = openBatch()
  const id = addSong('a')
  const bytes = Buffer.from('a picture')
  const facts = {
    media_type: 'image/png',
    sha256: 'sum',
    width_px: 1400,
    height_px: 1300,
    color_model: 'rgb',
  } as const
  batch.setCover(id, { ...facts, changes: 'colors jpeg', bytes })
  expect(batch.read('en').songs[0]?.cover).toEqual({ ...facts, changes: ['colors', 'jpeg'], size_bytes: 9 })
  let read: Buffer | undefined
  world.outcome = ({ cover }) => {
    read = cover && readFileSync(cover.path)
    return 'accept'
  }
  batch.start([id])
  expect(read).toEqual(bytes)
  expect(submitted[0]?.cover).toMatchObject({
    mimeType: 'image/png',
    sizeBytes: 9,
    widthPx: 1400,
    heightPx: 1300,
    colorModel: 'rgb',
    changes: ['colors', 'jpeg'],
  })
  expect(existsSync(submitted[0]?.cover?.path ?? '')).toBe(false)
  batch.setCover(id, undefined)
  expect(batch.read('en').songs[0]).not.toHaveProperty('cover')
  expect(() => batch.cover(id)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }))
})

test('a reference is handed over with its song; one that is gone refuses the song', async () => {
  const { addSong, batch, submitted, sources } = openBatch()
  const reference = addSong('reference')
  const a = addSong('a')
  batch.changeSong(a, { ...OWN, reference_source_id: reference })
  batch.start([a])
  expect(submitted[0]?.reference).toMatchObject({ filename: 'reference.wav' })
  const b = addSong('b')
  batch.changeSong(b, { ...OWN, reference_source_id: reference })
  sources.remove([reference])
  batch.start([b])
  expect(batch.read('ko').songs.find(({ source }) => source.source_id === b)).toMatchObject({
    state: 'refused',
    error: { code: 'INVALID_REQUEST' },
  })
})

test('a song refused for its reference can be started again once another is chosen, or none', () => {
  const { addSong, addReference, batch, submitted, sources, states } = openBatch()
  const [gone, other] = [addReference('gone'), addReference('other')]
  const [a, b, c] = ['a', 'b', 'c'].map((name) => addSong(name)) as [string, string, string]
  const common = batch.read('en').settings
  batch.change({ settings: { ...common, reference_source_id: gone } })
  batch.changeSong(c, { ...OWN, reference_source_id: gone })
  sources.remove([gone])
  batch.start([a, b, c])
  expect(states()).toEqual(['refused', 'refused', 'refused'])
  expect(batch.read('ko').songs[0]?.error?.message).toMatch(/레퍼런스가 디스크에서 사라졌어요/)
  batch.changeSong(a, { ...OWN, reference_source_id: gone })
  batch.change({ settings: { ...common, reference_source_id: gone, intensity: 3 } })
  expect(states()).toEqual(['refused', 'refused', 'refused'])
  batch.changeSong(a, { ...OWN, reference_source_id: other })
  expect(states()).toEqual(['ready', 'refused', 'refused'])
  batch.change({ settings: common })
  expect(states()).toEqual(['ready', 'ready', 'refused'])
  expect(batch.read('en').songs.map(({ error }) => error?.code)).toEqual([undefined, undefined, 'INVALID_REQUEST'])
  batch.start([a, b])
  expect(submitted.map(({ sourceId, reference }) => [sourceId, reference?.filename])).toEqual([
    [a, 'other.wav'],
    [b, undefined],
  ])
})

test('a song refused for another reason stays so whatever is chosen for it', () => {
  const { addSong, batch, world, states } = openBatch()
  world.outcome = () => new AppError('INSUFFICIENT_CREDITS', { balance: 0 })
  const a = addSong('a')
  batch.start([a])
  batch.changeSong(a, { ...OWN, reference_source_id: a })
  expect(states()).toEqual(['refused'])
})

test('starting a song succeeds although a fault follows while it is handed over, and it is mastered once', () => {
  const { addSong, batch, world, states, submitted } = openBatch()
  const a = addSong('a')
  world.outcome = () => {
    world.breaksNotes = true
    return 'accept'
  }
  batch.start([a])
  expect(states()).toEqual(['waiting'])
  world.breaksNotes = false
  batch.feed()
  expect([states(), submitted.length]).toEqual([['submitted'], 1])
})

test('a song that a full disk keeps from being handed over, or from being refused for it, is tried again by itself', async () => {
  const { addSong, clock, batch, world, states, submitted } = openBatch()
  const songs = [addSong('a'), addSong('b')]
  world.outcome = () => {
    world.breaksNotes = true
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  }
  batch.start(songs)
  await clock.advance(120_000)
  expect(states()).toEqual(['waiting', 'waiting'])
  Object.assign(world, { outcome: () => 'accept', breaksNotes: false })
  await clock.advance(60_000)
  expect([states(), submitted.length]).toEqual([['submitted', 'submitted'], 2])
})

test('songs of releases are no part of the batch until they leave their releases, unless they were started here', () => {
  const { addSong, batch, world } = openBatch()
  const [only, started, own] = [addSong('only'), addSong('started'), addSong('own')]
  world.slots = 0
  batch.start([started])
  world.released = [only, started]
  const shown = () => {
    const { songs, release_songs } = batch.read('en')
    return [songs, release_songs].map((list) => list.map(({ source }) => source.source_id))
  }
  expect(shown()).toEqual([[started, own], [only]])
  world.slots = 9
  batch.feed()
  expect(shown()).toEqual([[started, own], [only]])
  world.released = []
  expect(shown()).toEqual([[only, started, own], []])
})

test('a song whose bytes were mastered before names the newest job of others whose files are there', async () => {
  const { addSong, batch, store, clock, db } = openBatch()
  const first = addSong('first', 'bytes')
  const master = (expiresAtMs?: number) => {
    batch.start([first])
    const jobId = batch.read('en').songs[0]!.job_ids[0]!
    const end = { result: { masters: [] } as never, warnings: [], creditsRefunded: 0, storedBytes: 0 }
    const position = { state: 'done', starts: 1, losses: 0, interruptions: 0 } as const
    const completedAtMs = clock.now()
    store.finish(jobId, position, { ...end, completedAtMs, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) })
    return { job_id: jobId, finished_at: new Date(completedAtMs).toISOString() }
  }
  const older = master()
  await clock.advance(1000)
  const newer = master(clock.now() + 5000)
  const again = addSong('again', 'bytes')
  addSong('another')
  const seen = () => batch.read('en').songs.map(({ mastered_before }) => mastered_before)
  expect(seen()).toEqual([undefined, newer, undefined])
  expect(JSON.parse(batch.songJson(again, 'en')).mastered_before).toEqual(newer)
  await clock.advance(5000)
  expect(seen()[1]).toEqual(older)
  db.exec('UPDATE jobs SET is_expired = 1')
  expect(seen()[1]).toBeUndefined()
  // Moved into the folder of a manifest, where they stay.
  db.prepare("UPDATE jobs SET delivered_sums = '{}' WHERE job_id = ?").run(older.job_id)
  expect(seen()[1]).toEqual(older)
})

test('an analysis is kept exactly when the app is told of it', () => {
  const { addSong, batch, world, sources, told } = openBatch()
  const a = addSong('a')
  world.breaksNotes = true
  expect(() => batch.note(() => sources.saveAnalysis(a, longAnalysis(), KEPT))).toThrow('disk I/O error')
  expect(batch.read('en').songs[0]?.analysis).toBeNull()
  world.breaksNotes = false
  batch.note(() => sources.saveAnalysis(a, longAnalysis(), KEPT))
  expect([batch.read('en').songs[0]?.analysis, told.length]).toEqual([expect.anything(), 2])
})

test('a second look at a song takes the place of the first', () => {
  const { addSong, batch, sources } = openBatch()
  const a = addSong('a')
  const found = () => batch.read('en').songs[0]?.analysis?.warnings.length
  sources.saveAnalysis(a, longAnalysis(), KEPT)
  expect(found()).toBe(1)
  sources.saveAnalysis(a, { ...longAnalysis(), warnings: [] }, KEPT)
  expect(found()).toBe(0)
})

test('a song that waits stays in its batch and keeps its settings when it is started again', () => {
  const { addSong, batch, world, submitted } = openBatch()
  world.slots = 0
  const a = addSong('a')
  batch.start([a])
  const batchOf = () => batch.read('en').songs[0]?.batch_id
  const batchId = batchOf()
  batch.change({ settings: OWN })
  batch.start([a])
  expect([typeof batchId, batchOf()]).toEqual(['string', batchId])
  world.slots = 1
  batch.feed()
  expect(submitted.map((job) => [job.batchId, job.request.settings.genre])).toEqual([[batchId, 'other']])
})

test('no more songs are handed over than processes can begin, so that a pause holds every other', () => {
  const { addSong, batch, world, store, end, states, submitted } = openBatch()
  world.slots = 20
  world.workers = 2
  batch.start(['a', 'b', 'c', 'd'].map((name) => addSong(name)))
  expect(states()).toEqual(['submitted', 'submitted', 'waiting', 'waiting'])
  batch.change({ is_paused: true })
  for (const { jobId } of store.list({ words: [], status: 'queued', sort: 'oldest', limit: 9 }).jobs) end(jobId)
  batch.feed()
  expect([states(), submitted.length]).toEqual([['submitted', 'submitted', 'waiting', 'waiting'], 2])
  batch.change({ is_paused: false })
  expect(submitted.length).toBe(4)
})

test('while paused nothing is handed over, and going on goes on', async () => {
  const { addSong, batch, submitted } = openBatch()
  batch.change({ is_paused: true })
  batch.start([addSong('a')])
  expect(submitted).toEqual([])
  batch.change({ is_paused: false })
  expect(submitted.length).toBe(1)
})

test('a new order is the order in which songs are mastered; songs not named follow', async () => {
  const { addSong, batch, world, submitted, titles } = openBatch()
  world.slots = 0
  const [a, b, c] = ['a', 'b', 'c'].map((name) => addSong(name)) as [string, string, string]
  batch.start([a, b, c])
  batch.change({ order: [c, 'unknown', a] })
  expect(titles()).toEqual(['c', 'a', 'b'])
  world.slots = 3
  batch.feed()
  expect(submitted.map(({ sourceId }) => sourceId)).toEqual([c, a, b])
})

test('stopping takes waiting songs back and cancels running jobs, and nothing else', async () => {
  const { addSong, batch, world, cancelled, states } = openBatch()
  world.slots = 1
  const [a, b, c] = ['a', 'b', 'c'].map((name) => addSong(name)) as [string, string, string]
  batch.start([a, b, c])
  batch.stop([a, b])
  expect(cancelled).toEqual(batch.read('en').songs[0]?.job_ids)
  expect(states()).toEqual(['submitted', 'ready', 'waiting'])
})

test('a stopped song can be started again and gets a second job under a new batch', async () => {
  const { addSong, batch, submitted } = openBatch()
  const id = addSong('a')
  batch.start([id])
  batch.stop([id])
  batch.start([id])
  expect(submitted.length).toBe(2)
  expect(submitted[0]?.batchId).not.toBe(submitted[1]?.batchId)
  expect(batch.read('en').songs[0]?.job_ids.length).toBe(2)
})

test('starting a song that is under way does not master it twice', async () => {
  const { addSong, batch, submitted } = openBatch()
  const id = addSong('a')
  batch.start([id])
  batch.start([id])
  batch.start([id])
  expect(submitted.length).toBe(1)
})

test('a removed song is not mastered, and comes back where it was', async () => {
  const { addSong, batch, world, submitted, titles, states } = openBatch()
  world.slots = 0
  const [a, b, c] = ['a', 'b', 'c'].map((name) => addSong(name)) as [string, string, string]
  batch.start([b, c])
  batch.remove([b])
  expect(titles()).toEqual(['a', 'c'])
  world.slots = 5
  batch.feed()
  expect(submitted.map(({ sourceId }) => sourceId)).toEqual([c])
  batch.restore([b])
  expect(titles()).toEqual(['a', 'b', 'c'])
  expect(states()).toEqual(['ready', 'ready', 'submitted'])
  expect(() => batch.start([a, 'unknown'])).toThrow(new AppError('NOT_FOUND'))
})

test('a song that is refused says why in the reader’s language, and the next one gets its turn', async () => {
  const { addSong, batch, world, submitted, states } = openBatch()
  world.outcome = ({ sourceId }) => (sourceId === a ? new AppError('INSUFFICIENT_CREDITS', { balance: 0 }) : 'accept')
  const a = addSong('a')
  const b = addSong('b')
  batch.start([a, b])
  expect(states()).toEqual(['refused', 'submitted'])
  expect(batch.read('ko').songs[0]?.error).toMatchObject({
    code: 'INSUFFICIENT_CREDITS',
    message: expect.stringContaining('크레딧'),
  })
  world.outcome = () => 'accept'
  batch.start([a])
  expect(submitted.length).toBe(2)
  expect(batch.read('en').songs[0]?.error).toBeUndefined()
})

test('a song that a full or read-only disk keeps from being handed over says so, and is no fault of ours', async () => {
  const { addSong, batch, world } = openBatch()
  const codes = ['ENOSPC', 'SQLITE_FULL', 'EROFS']
  const songs = codes.map((name) => addSong(name))
  world.outcome = ({ song }) => {
    throw Object.assign(new Error('write failed'), { code: song.filename.replace('.wav', '') })
  }
  batch.start(songs)
  expect(batch.read('en').songs.map(({ state, error }) => [state, error?.code])).toEqual([
    ['refused', 'INSUFFICIENT_STORAGE'],
    ['refused', 'INSUFFICIENT_STORAGE'],
    ['refused', 'UNAVAILABLE'],
  ])
})

test('songs of a watched folder that cannot be taken yet keep their turn, hold up no other and are tried again by themselves', async () => {
  const { addSong, clock, db, batch, world, states, submitted } = openBatch()
  const folders = new WatchFolderStore(db)
  const folder = { folderId: 'f', path: '/f', outputFolder: null, settings: null, isActive: true, createdAtMs: 1 }
  folders.save(folder)
  const look = { sizeBytes: 1, modifiedMs: 1, changedMs: 1, inode: null }
  const watched = ['a', 'b'].map((name) => {
    const sourceId = addSong(name)
    folders.addHandled('f', `${name}.wav`, look, { sourceId, sha256: name }, 1)
    return sourceId
  })
  folders.addHandled('f', 'refused.wav', look, { error: { code: 'UNSUPPORTED_FORMAT', values: {} } }, 1)
  let tries = 0
  world.outcome = ({ song }) => {
    if (song.filename !== 'a.wav') return 'accept'
    tries++
    return new AppError('INSUFFICIENT_CREDITS', { balance: 0 })
  }
  const own = addSong('own')
  batch.start([...watched, own])
  expect([states(), tries]).toEqual([['waiting', 'waiting', 'submitted'], 1])
  expect(batch.read('en').songs[0]?.error?.code).toBe('INSUFFICIENT_CREDITS')
  world.outcome = () => 'accept'
  await clock.advance(60_000)
  expect(submitted.map(({ sourceId }) => sourceId)).toEqual([own, ...watched])
  expect(batch.read('en').songs.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
})

test('a song of a watched folder that can never be taken is refused as any other', () => {
  const { addSong, db, batch, world, states } = openBatch()
  const folders = new WatchFolderStore(db)
  folders.save({ folderId: 'f', path: '/f', outputFolder: null, settings: null, isActive: true, createdAtMs: 1 })
  const sourceId = addSong('a')
  folders.addHandled('f', 'a.wav', { sizeBytes: 1, modifiedMs: 1, changedMs: 1, inode: null }, { sourceId }, 1)
  world.outcome = () => new AppError('INVALID_REQUEST', { field: 'source_id' })
  batch.start([sourceId])
  expect(states()).toEqual(['refused'])
})

test('a slot that another caller takes first leaves the song waiting', async () => {
  const { addSong, batch, world, states, submitted } = openBatch()
  world.outcome = () => new AppError('CONCURRENT_LIMIT', { limit: 5 })
  batch.start([addSong('a')])
  expect(states()).toEqual(['waiting'])
  world.outcome = () => 'accept'
  batch.feed()
  expect(submitted.length).toBe(1)
})

test('a batch goes on after a restart, with its order, settings and pause', async () => {
  const before = openBatch()
  before.world.slots = 1
  const ids = ['a', 'b', 'c'].map((name) => before.addSong(name))
  before.batch.changeSong(ids[1] ?? '', OWN)
  before.batch.start(ids)
  before.batch.change({ is_paused: true, presets: [{ name: 'Loud', settings: OWN }] })
  before.db.close()

  const after = openBatch(before.file)
  expect(after.states()).toEqual(['submitted', 'waiting', 'waiting'])
  expect(after.batch.read('en').presets[0]?.name).toBe('Loud')
  after.batch.feed()
  expect(after.submitted).toEqual([])
  after.batch.change({ is_paused: false })
  expect(after.submitted.map(({ sourceId }) => sourceId)).toEqual(ids.slice(1))
  expect(after.submitted[0]?.request.settings.genre).toBe('kpop')
})

test('a crash between a job and the row that remembers it does not master the song twice', async () => {
  const { addSong, batch, db, submitted, states } = openBatch()
  const id = addSong('a')
  batch.start([id])
  db.prepare("UPDATE desk_songs SET state = 'waiting' WHERE source_id = ?").run(id)
  batch.feed()
  expect(submitted.length).toBe(1)
  expect(states()).toEqual(['submitted'])
})

/** A full-sized analysis of four minutes of music. */
function longAnalysis(): Analysis {
  const curve = Array.from({ length: 480 }, (_, i) => -14 + (i % 37) / 10)
  return {
    duration_seconds: 240,
    codec: 'FLAC 24 bit',
    sample_rate_hz: 48_000,
    channels: 2,
    bandwidth_hz: 16_000,
    measurement: { integrated_lufs: -13.2, true_peak_dbtp: 0.4 } as Analysis['measurement'],
    spectrum: { band_hz: curve.slice(0, 120), mid_db: curve.slice(0, 120), side_db: curve.slice(0, 120) },
    curves: { step_seconds: 0.5, short_term_lufs: curve, peak_dbfs: curve },
    waveform: Array.from({ length: 1000 }, (_, i) => (i % 100) / 100),
    repairs: [],
    summary: 'Nothing is changed.',
    // As it was kept before values had their names of the wire.
    warnings: [{ code: 'INPUT_NEAR_SILENT_EDGES', message: '', values: { startSeconds: 14, endSeconds: 0 } }],
  }
}

test('one reading of fifty songs that were looked at stays under 100 kB and says all that a card shows', () => {
  const { addSong, batch, sources } = openBatch()
  const ids = Array.from({ length: 50 }, (_, i) => addSong(`song ${i}`))
  for (const id of ids) sources.saveAnalysis(id, longAnalysis(), KEPT)
  expect(batch.json('ko').length).toBeLessThan(100_000)
  const found = batch.read('en').songs[49]?.analysis
  expect(found).toMatchObject({ integrated_lufs: -13.2, true_peak_dbtp: 0.4 })
  expect(found?.waveform_percent).toHaveLength(200)
  expect(found?.warnings[0]).toMatchObject({
    message: expect.stringMatching(/14/),
    values: { start_seconds: 14, end_seconds: 0 },
  })
})

test('the picture of a waveform in the batch is the mean of its peaks, and never longer than what there is', () => {
  const summary = (waveform: number[]) => summaryOf({ ...longAnalysis(), waveform }).waveform_percent
  expect(summary([0, 0.5, 1])).toEqual([0, 50, 100])
  expect(summary([])).toEqual([])
  const thousand = summary(Array.from({ length: 1000 }, (_, i) => (i < 500 ? 0.2 : i % 2)))
  expect(thousand.slice(99, 102)).toEqual([20, 40, 60])
  expect(thousand).toHaveLength(200)
})

test('a title as long as a story is shown as far as lists show it, no character cut in half', () => {
  const { file, batch, sources } = openBatch()
  const upload = path.join(path.dirname(file), 'long')
  writeFileSync(upload, 'long')
  const tags = { title: '🌙'.repeat(5000), artist: 'x'.repeat(5000) }
  const song = { path: upload, filename: 'a.wav', sizeBytes: 4, sha256: 'a', facts: { ...FACTS, tags } }
  batch.add(() => sources.add({ ...song, purpose: 'song' }))
  expect(batch.read('en').songs[0]?.source).toMatchObject({ title: '🌙'.repeat(200), artist: 'x'.repeat(200) })
})

test('every change of the batch is told', async () => {
  const { addSong, batch, events } = openBatch()
  const id = addSong('a')
  const changes = [
    () => batch.change({ is_paused: true }),
    () => batch.changeSong(id, OWN),
    () => batch.start([id]),
    () => batch.remove([id]),
    () => batch.restore([id]),
    () => batch.note(() => undefined),
  ]
  for (const change of changes) {
    const before = events.length
    change()
    expect(events.length).toBeGreaterThan(before)
  }
})

test('songs and references of a release are kept, however long ago they were removed', async () => {
  const { addSong, addReference, batch, clock, world } = openBatch()
  const [song, other, reference] = [addSong('song'), addSong('other'), addReference('reference')]
  const likeIt = addReference('like it')
  batch.changeSong(song, { ...OWN, reference_source_id: likeIt })
  batch.remove([song, other])
  world.released = [song, reference]
  await clock.advance(400 * 86_400_000)
  expect(batch.forgetUnused()).toEqual([other])
  world.released = []
  expect(batch.forgetUnused().sort()).toEqual([song, reference, likeIt].sort())
})

test('songs removed for a day are forgotten with their files, unless they serve as a reference', async () => {
  const { addSong, batch, sources, clock, sweepOne } = openBatch()
  const gone = addSong('gone')
  const reference = addSong('reference')
  const twin = addSong('twin', 'same bytes')
  const other = addSong('other', 'same bytes')
  const kept = addSong('kept')
  batch.changeSong(kept, { ...OWN, reference_source_id: reference })
  batch.remove([gone, reference, twin])
  await clock.advance(86_399_000)
  expect(batch.forgetUnused()).toEqual([])
  await clock.advance(2000)
  expect(batch.forgetUnused().sort()).toEqual([gone, twin].sort())
  await sweepOne()
  expect(sources.find(other)?.sizeBytes).toBe(10)
  expect(sources.find(reference)).toBeDefined()
  expect(() => batch.restore([gone])).toThrow(new AppError('NOT_FOUND'))
})

test('songs of a watched folder are forgotten with their files once their masters are over, others stay', async () => {
  const { addSong, db, batch, sources, sourceJobs, finishedJobs, told, sweepOne, world } = openBatch()
  world.slots = 7
  const folders = new WatchFolderStore(db)
  const watchedFolder = temporaryFolder(onTestFinished)
  folders.save({
    ...{ folderId: 'f', path: watchedFolder, outputFolder: null, settings: null, isActive: true, createdAtMs: 1 },
  })
  const watch = (name: string) => {
    const sourceId = addSong(name)
    const file = path.join(watchedFolder, `${name}.wav`)
    writeFileSync(file, name)
    const { size: sizeBytes, mtimeMs } = statSync(file, { bigint: true })
    const look = { sizeBytes: Number(sizeBytes), modifiedMs: Number(mtimeMs), changedMs: 1, inode: null }
    folders.addHandled('f', `${name}.wav`, look, { sourceId, sha256: name }, 1)
    return sourceId
  }
  const [over, again, reference, fresh, moved, changed] = [
    ...['over', 'again', 'reference', 'fresh', 'moved', 'changed'],
  ].map(watch) as [string, string, string, string, string, string]
  const own = addSong('own')
  batch.start([over, again, reference, fresh, moved, changed, own])
  const sweep = (sourceId: string) => {
    for (const jobId of sourceJobs.listOf(sourceId)) finishedJobs.markExpired(jobId)
  }
  const end = (sourceId: string) => batch.stop([sourceId])
  for (const sourceId of [over, again, reference, fresh, moved, changed, own]) end(sourceId)
  expect(batch.forgetUnused()).toEqual([])
  for (const sourceId of [over, again, reference, moved, changed, own]) sweep(sourceId)
  // Ours are the only ones that there still are.
  rmSync(path.join(watchedFolder, 'moved.wav'))
  const other = path.join(watchedFolder, 'changed.wav')
  writeFileSync(other, 'CHANGED')
  utimesSync(other, 1, 1)
  batch.change({ is_paused: true })
  batch.start([again])
  batch.changeSong(own, { ...OWN, reference_source_id: reference })
  const before = told.length
  expect(batch.forgetUnused()).toEqual([over])
  expect(told.slice(before)).toEqual(['desk.changed'])
  await sweepOne()
  for (const kept of [again, reference, fresh, moved, changed, own]) expect(sources.find(kept)).toBeDefined()
})

test('references that no settings have named for a day are forgotten with their files', async () => {
  const { addSong, addReference, db, batch, sources, clock, sweepOne } = openBatch()
  const naming = (reference_source_id: string) => ({ ...OWN, reference_source_id })
  const [common, preset, own, removed, watched, unused] = [
    'common',
    'preset',
    'own',
    'removed',
    'watched',
    'unused',
  ].map(addReference) as [string, string, string, string, string, string]
  batch.change({ settings: naming(common), presets: [{ name: 'Like it', settings: naming(preset) }] })
  batch.changeSong(addSong('a'), naming(own))
  const song = addSong('b')
  batch.changeSong(song, naming(removed))
  db.prepare(
    "INSERT INTO watch_folders (folder_id, path, settings, is_active, created_at_ms) VALUES ('1', '/songs', ?, 1, 0)",
  ).run(JSON.stringify(naming(watched)))
  expect(batch.forgetUnused()).toEqual([])
  await clock.advance(86_400_000)
  const late = addReference('late')
  batch.remove([song])
  expect(batch.forgetUnused()).toEqual([unused])
  await sweepOne()
  for (const kept of [common, preset, own, removed, watched, late]) expect(sources.find(kept)).toBeDefined()
})
