import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { jobSettings } from '../../../src-contract/settings.ts'
import { numbered } from '../../../src-server/sources/stem-sets.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { FACTS, openBatch } from '../batch/fixture.ts'

const DAY_MS = 24 * 3_600_000

test('numbers follow role, name and bytes', () => {
  const stem = (role: 'voice' | 'drums', filename: string, sha256: string) => ({ role, filename, sha256 })
  const [a, b, c, d] = [
    stem('voice', 'B', '2'),
    stem('voice', 'A', '3'),
    stem('drums', 'A', '1'),
    stem('voice', 'B', '1'),
  ]
  expect(numbered([c!, a!, b!, d!])).toEqual([b, d, a, c])
})

test('a start removes the sound that a kill left before its row was there, and no other', async () => {
  const world = openBatch(undefined, createFakeClock())
  const upload = (name: string) => {
    const file = path.join(path.dirname(world.file), 'tmp', name)
    writeFileSync(file, name)
    const sha256 = Buffer.from(name).toString('hex').padEnd(64, '0')
    return { path: file, filename: `${name}.wav`, sizeBytes: name.length, sha256, facts: FACTS }
  }
  world.sources.add({ ...upload('stored'), purpose: 'song' })
  const [killed, again] = [upload('killed'), upload('stored')]
  world.sources.announce([killed, again])
  renameSync(killed.path, path.join(world.folder, killed.sha256))
  await world.clock.until(openBatch(world.file, world.clock).sources.sweepFiles(new AbortController().signal))
  expect(readdirSync(world.folder)).toEqual([again.sha256])
})

test('a set of a program goes a day after its upload, or with its last job', async () => {
  const world = openBatch(undefined, createFakeClock())
  const { batch, sources, clock, store, db, folder } = world
  const { stems: sets } = sources
  const fileOf = (name: string) => {
    const upload = path.join(path.dirname(world.file), 'tmp', name)
    writeFileSync(upload, name)
    const sha256 = Buffer.from(name).toString('hex').padEnd(64, '0')
    const facts = { ...FACTS, durationSeconds: name === 'short' ? 1 : 2 }
    return { path: upload, filename: `${name}.wav`, sizeBytes: name.length, sha256, facts }
  }
  const addSet = (name: string, isInBatch = false) =>
    sets.add({
      sum: fileOf(name),
      stems: ['voice', 'drums'].map((role) => ({
        ...fileOf(`${role} of ${name}`),
        ...{ role: role as 'voice' | 'drums', isSilent: role === 'drums', waveform: [0.5, 1] },
      })),
      isInBatch,
    })
  const [unused, used, own] = [addSet('unused'), addSet('used'), addSet('own', true)]
  store.add({
    ...{
      jobId: 'job',
      request: { settings: jobSettings({ platforms: ['melon'] }) },
      sourceId: used,
      song: fileOf('song'),
    },
    ...{ creditsUsed: 1, creditsRemaining: 9, warnings: [], storedBytes: 0, createdAtMs: clock.now() },
  })
  expect(
    sets.list('ko').map(({ source_id, expires_at, notes }) => [source_id, expires_at === undefined, notes]),
  ).toEqual(
    [unused, used, own]
      .sort()
      .map((id) => [
        id,
        id !== unused,
        [`무음: drums of ${id === unused ? 'unused' : id === used ? 'used' : 'own'}.wav.`],
      ]),
  )
  expect(() => sets.requireRoom(0)).not.toThrow()
  const third = addSet('third')
  expect(() => sets.requireRoom(0)).toThrow('STEM_SET_LIMIT')
  sources.remove([third])
  expect(() => sets.requireRoom(9_000_000_000)).toThrow('STEM_SET_LIMIT')

  clock.jump(DAY_MS - 1)
  expect(batch.forgetUnused()).toEqual([])
  clock.jump(1)
  expect(batch.forgetUnused()).toEqual([unused])
  expect(
    sets
      .list('en')
      .map(({ source_id }) => source_id)
      .sort(),
  ).toEqual([used, own].sort())
  await clock.until(sources.sweepFiles(new AbortController().signal))
  expect(readdirSync(folder)).toHaveLength(6)

  // A used one stays until its job has expired or is deleted.
  world.end('job')
  expect(batch.forgetUnused()).toEqual([])
  db.prepare("UPDATE jobs SET is_expired = 1 WHERE job_id = 'job'").run()
  expect(sets.listUnused(clock.now())).toEqual([used])
  db.prepare("UPDATE jobs SET is_expired = 0 WHERE job_id = 'job'").run()
  store.remove('job')
  expect(batch.forgetUnused()).toEqual([used])
  expect(db.prepare('SELECT count(*) AS n FROM stems').get()).toEqual({ n: 2 })
})
