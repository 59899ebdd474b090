/** Released migrations, and what a database of an earlier version becomes. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Keys } from '../../../src-server/access/keys.ts'
import { DATABASE_FILE } from '../../../src-server/db/data-directory.ts'
import { readMigrations } from '../../../src-server/db/migrate.ts'
import { openDatabase } from '../../../src-server/db/open.ts'
import { FinishedJobs } from '../../../src-server/jobs/finished-jobs.ts'
import { JobStore } from '../../../src-server/jobs/store.ts'
import { ReleaseStore } from '../../../src-server/releases/store.ts'
import { systemClock, systemRandom } from '../../../src-system/system.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const FOLDER = path.join(import.meta.dirname, '../../../src-server/db/migrations')

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('no released migration has changed by a byte, comments included', () => {
  const released = readdirSync(FOLDER).map((name) => [name, sha256(readFileSync(path.join(FOLDER, name)))])
  expect(Object.fromEntries(released)).toEqual({
    '0001-core.sql': '737ae81d086b3a4b3c6d2ff31d9e03abdf9c71985a0c315ea250039622629b1e',
    '0002-webhooks.sql': '49307ac04a6100416444a82e22a4bb90db98edeb6619c960f822723b75ea6f1e',
    '0003-app.sql': '9f212a769470bccf5a6f6e4a8b8ac75e615a56c90b1d273205ca8d79508fc29c',
    '0004-watch-folders.sql': '706464f8717ce1658097e39d0e08ba9beaf14f1fcfe0204c3050f4a1b5fe9a4e',
    '0005-watched-file-identity.sql': '580cd9e958bfc2a04e8b465e3169cae8100001bd592a0482c3492d85bd63e210',
    '0006-watched-file-content.sql': 'b1d0d6026124d9b52fa6e11fa3aa740d705cbda979d06438abb75ddd61fbbe29',
    '0007-data-directory.sql': 'bcf306f883e167a39110d4d742c15496f43c655dba57072fd7f814ddaef614f2',
    '0008-delivery-stops.sql': 'dd849fc96dc48a0dd2cf3e64db420ab6173c49148585c20e5752c47e50b61dfb',
    '0009-job-settings.sql': 'b48b77dc0bcb8380b1e1a0d1b29f9d4b47e2a0821ce68f1c9febb6198e9888f3',
    '0010-releases.sql': 'cd1d28347e953edb45d11275850e75ec9085024e2655637ac2ed8ad22d8073cb',
    '0011-release-mastering.sql': '5fe00d0c43f8532adac5dacc156df99bdcbbef4eb6958c10781ae6a8597a497f',
    '0012-job-metadata.sql': '58156f94f527c36c6badc86ea704f80c4479c125c5675848d95c0ce034ccdf2a',
    '0013-song-metadata.sql': 'f7c9b37c3ab2da7a500d98f49834aaadf2ae44ceb6dc91bbc9beeaae2f7c9127',
    '0014-joined-songs.sql': '317ee255ea0ec872087e1a4a45de352678de4136ef46c682ea8bf2ab8f1291ea',
    '0015-manifests.sql': '9bcf4bb7662bef0902efa49ac2d5f7dd599cecd3f7403c0b6d27c22dee165948',
    '0016-lost-attempts.sql': '970fb9795c1cf1df3fdf74818e13d85cb7ecce52a67d994ce4ced0272883310f',
    '0017-client-data.sql': '78b1509aa3868ed68ce6b7e7a4ad5381866effd937b5f1794cb06c25e53b7ff9',
    '0018-key-scopes.sql': '9f664d29e8413a46505a2f8cafbb6807b4c79d95df8cb78a624031caac7c60ba',
    '0019-links.sql': 'f1bc35b6c18e96e774172a4a9f6c39973e13700f3ae01a40b1e6cda618d67a3a',
    '0020-delivered-files.sql': 'f405a19b0bce1f182d85b67e4df652497df310305f233346f50dcdae29177af5',
    '0021-interruptions.sql': '3a2917d6f62854a3f225013d18f4b6bdd9a5306e8a07864732ce13dce7d129e8',
    '0022-row-checksums.sql': '4315809435fc1d5e380bc3a3529d4371c5d13c1ad13b0a9126f439f8cb3f1d3d',
    '0023-cover-colors.sql': 'a37f80d219e5270f2e75a1ce87265ed16ac0fc05f6e01174f351c7c44c054e64',
    '0024-watch-accept.sql': '8ffefe7849b518002828c678a23668b0516c9d4afa2c39f11bc53162fdb6bf30',
    '0025-jobs-by-content.sql': '4eac394ef6bad79ca3bba469b967c9287798b2ff1e2ef1023b491cdb62873b18',
    '0026-stems.sql': '217af11d95f883ebf86359f9cbd6333476409666a6c1559efa86afca57109471',
    '0027-cover-changes.sql': '3a0399dea7a74f45a25b949e49b393bd5625521130286a3788110ca7415993ca',
    '0028-listening-tests.sql': '494738c440ec6174c4e276f0769e638308dc989d23d0f964ad98b2ca24848450',
    '0029-song-cover-changes.sql': '1e92df57481df02793978e37b2271d3ec50d52baa92458d3feb34e018ed2ff7c',
    '0030-stem-originals.sql': '3be4abfcdcb2e34ba9ce7f5456a1b4387f732224cc989f49a7304201ecd4d466',
    '0031-stem-waveforms.sql': 'b712a807140dd493daeb3e44e4df5b9908634f7884be7781b6dbf2841fb0dc3c',
  })
})

const DONE = '00000000-0000-4000-8000-00000000000a'
const QUEUED = '00000000-0000-4000-8000-00000000000b'
const SOURCE = '00000000-0000-4000-8000-00000000000c'
const FOLDER_ID = '00000000-0000-4000-8000-00000000000d'
const SETTINGS = {
  ...{ platforms: ['melon'], genre: 'pop', ai_service: 'udio', tier: 'standard', intensity: 20 },
  ...{ loudness: 'platform', reference_source_id: null, reference_amount: 70 },
}
const REQUEST = {
  ...{ platforms: 'youtube,melon', genre: 'edm', ai_service: 'suno', tier: 'premium', intensity: '81' },
  ...{ loudness: 'competitive', reference_amount: '33', title: 'Night', artist: 'Band' },
}
const song = wavSong()
const reference = wavSong({ seconds: 6 })
const FACTS = JSON.stringify({
  ...{ format: 'wav', codec: 'pcm_s16', sampleRateHz: 8000, channels: 2, frames: 24_000, durationSeconds: 3 },
  ...{ bitDepth: 16, isLossy: false, tags: {}, hasCover: false, hasProvenance: false },
})

/** Makes a data directory as version 0008 of the database leaves it: a job done, one queued with a reference, a batch, a watched folder. */
function oldDataDirectory(): { dataDir: string; watched: string } {
  const dataDir = temporaryFolder(onTestFinished)
  const watched = temporaryFolder(onTestFinished)
  const db = openDatabase(path.join(dataDir, DATABASE_FILE), readMigrations(FOLDER).slice(0, 8))
  const now = Date.now()
  const job = db.prepare(`INSERT INTO jobs (job_id, state, platforms, genre, ai_service, tier, intensity, loudness,
      reference_amount, title, artist, filename, source_sha256, source_facts, reference_filename, reference_sha256,
      reference_facts, shown_title, search_text, credits_used, credits_remaining, warnings, result, stored_bytes,
      created_at_ms, completed_at_ms)
    VALUES (@job_id, @state, @platforms, @genre, @ai_service, @tier, @intensity, @loudness, @reference_amount, @title,
      @artist, 'song.wav', @sha256, @facts, @reference_filename, @reference_sha256, @reference_facts, @title, 'song', 1, 9, '[]',
      @result, 1, @now, @completed)`)
  const own = { sha256: sha256(song), facts: FACTS, now }
  const alone = { reference_filename: null, reference_sha256: null, reference_facts: null }
  job.run({
    ...{ ...own, ...alone, job_id: DONE, state: 'done', platforms: '["melon","spotify"]', genre: 'kpop' },
    ...{ ai_service: 'other', tier: 'standard', intensity: 50, loudness: 'platform', reference_amount: 70 },
    ...{ title: '밤', artist: null, completed: now },
    result: JSON.stringify({
      ...{ masters: [], warnings: [], repairs: [], reportJsonFile: 'report.json', reportHtmlFile: 'report.html' },
      zip: { fileName: 'a.zip', sizeBytes: 1, sha256: 'x', entries: [] },
    }),
  })
  job.run({
    ...{ ...own, job_id: QUEUED, state: 'waiting', platforms: '["youtube","melon"]', genre: 'edm', ai_service: 'suno' },
    ...{
      tier: 'premium',
      intensity: 81,
      loudness: 'competitive',
      reference_amount: 33,
      title: 'Night',
      artist: 'Band',
    },
    ...{ reference_filename: 'like.wav', reference_sha256: sha256(reference), reference_facts: FACTS },
    ...{ result: null, completed: null },
  })
  for (const jobId of [DONE, QUEUED]) {
    mkdirSync(path.join(dataDir, 'jobs', jobId), { recursive: true })
    writeFileSync(path.join(dataDir, 'jobs', jobId, 'source'), song)
  }
  writeFileSync(path.join(dataDir, 'jobs', QUEUED, 'reference'), reference)
  const request = {
    ...{ platforms: ['youtube', 'melon'], genre: 'edm', aiService: 'suno', tier: 'premium', intensity: 81 },
    ...{ loudness: 'competitive', referenceAmount: 33, title: 'Night', artist: 'Band' },
  }
  db.prepare("INSERT INTO idempotency VALUES ('session', 'order-1', ?, ?, ?)").run(
    sha256(JSON.stringify([request, null, sha256(song), sha256(reference)])),
    JSON.stringify({
      ...{ job_id: QUEUED, status: 'queued', platforms: request.platforms, credits_used: 1, credits_remaining: 9 },
      created_at: new Date(now).toISOString(),
    }),
    now,
  )
  mkdirSync(path.join(dataDir, 'sources'))
  writeFileSync(path.join(dataDir, 'sources', sha256(song)), song)
  db.prepare("INSERT INTO sources VALUES (?, 'song', 'x.wav', 'x', NULL, ?, ?, ?, NULL, NULL, ?)").run(
    ...[SOURCE, sha256(song), song.length, FACTS, now],
  )
  db.prepare('INSERT INTO desk VALUES (1, 1, ?, ?)').run(
    ...[JSON.stringify(SETTINGS), JSON.stringify([{ name: 'Night', settings: { ...SETTINGS, genre: 'edm' } }])],
  )
  db.prepare(`INSERT INTO desk_songs VALUES (?, 1, 'ready', ?, NULL, NULL, NULL, NULL, NULL)`).run(
    ...[SOURCE, JSON.stringify({ ...SETTINGS, genre: 'ballad' })],
  )
  db.prepare('INSERT INTO watch_folders VALUES (?, ?, NULL, ?, 1, ?)').run(
    ...[FOLDER_ID, watched, JSON.stringify(SETTINGS), now],
  )
  db.close()
  return { dataDir, watched }
}

test('a database of the version before settings were one value opens, and its jobs, batch and folders go on', async () => {
  const { dataDir, watched } = oldDataDirectory()
  const engine = createHeldEngine()
  const service = await startService({ dataDir, forkEngine: engine.fork })
  try {
    expect(await service.job(DONE)).toMatchObject({
      ...{ status: 'done', platforms: ['melon', 'spotify'], genre: 'kpop', ai_service: 'other', tier: 'standard' },
      ...{ intensity: 50, loudness: 'platform', reference_amount: 70, title: '밤' },
    })
    const asked = { platforms: ['youtube', 'melon'], genre: 'edm', ai_service: 'suno', tier: 'premium', intensity: 81 }
    const queued = { ...asked, loudness: 'competitive', reference_amount: 33 }
    expect(await service.job(QUEUED)).toMatchObject({ ...queued, status: 'queued', reference_filename: 'like.wav' })
    await expect.poll(() => engine.processes.length).toBe(1)
    expect(engine.processes[0]?.order).toMatchObject({
      settings: queued,
      title: 'Night',
      reference: { sha256: sha256(reference) },
    })
    const foundBy = async (platform: string) => (await service.get(`/api/v1/jobs?platform=${platform}`)).body.total
    expect([await foundBy('melon'), await foundBy('spotify'), await foundBy('soundcloud')]).toEqual([2, 1, 0])
    const batch = (await service.get('/app/desk')).body
    expect(batch).toMatchObject({
      settings: SETTINGS,
      presets: [{ name: 'Night', settings: { ...SETTINGS, genre: 'edm' } }],
      songs: [{ source: { source_id: SOURCE }, settings: { ...SETTINGS, genre: 'ballad' } }],
    })
    const { folders } = (await service.get('/app/watch-folders')).body
    expect(folders).toMatchObject([{ path: watched, settings: SETTINGS, is_active: true }])
    engine.processes[0]?.finish()
    expect((await service.ended(QUEUED)).status).toBe('done')
  } finally {
    await service.stop()
  }
})

test('a database of the version before releases opens, and its jobs expire as before', () => {
  const file = path.join(temporaryFolder(onTestFinished), DATABASE_FILE)
  const before = openDatabase(file, readMigrations(FOLDER).slice(0, 9))
  before
    .prepare(`INSERT INTO jobs (job_id, state, settings, filename, source_sha256, source_facts, shown_title, search_text,
        credits_used, credits_remaining, warnings, failure_code, stored_bytes, created_at_ms, completed_at_ms, expires_at_ms)
      VALUES (?, 'failed', '{"platforms":["melon"]}', 'a.wav', 'x', ?, 'a', 'a', 1, 9, '[]', 'CANCELLED', 1, 1, 2, 3)`)
    .run(DONE, FACTS)
  before.close()
  const db = openDatabase(file, readMigrations(FOLDER))
  expect(new FinishedJobs(db).listExpirable(3, 9)).toEqual([DONE])
  expect(new ReleaseStore(db).list({ words: [], limit: 9 })).toEqual({ releases: [], total: 0 })
  db.close()
})

test('a release of the version before tracks had statements of their own says what it said, and what it says counts for its tracks', async () => {
  const { dataDir } = oldDataDirectory()
  const file = path.join(dataDir, DATABASE_FILE)
  const before = openDatabase(file, readMigrations(FOLDER).slice(0, 26))
  const disclosure = { vocals: { use: 'generated', tools: 'Suno v5', note: '합창' }, lyrics: { use: 'none' } }
  const facts = JSON.stringify({ title: '밤', artist: '하늘', kind: 'ep', disclosure })
  before
    .prepare(
      'INSERT INTO releases (release_id, facts, search_text, created_at_ms, changed_at_ms) VALUES (?, ?, ?, 1, 2)',
    )
    .run(DONE, facts, '밤')
  before
    .prepare('INSERT INTO release_tracks (track_id, release_id, place, facts) VALUES (?, ?, 0, ?)')
    .run(QUEUED, DONE, JSON.stringify({ title: '첫차', artists: ['하늘'], composers: [], lyricists: [] }))
  before.close()
  const service = await startService({ dataDir, forkEngine: createHeldEngine().fork })
  try {
    const { body } = await service.get(`/api/v1/releases/${DONE}`)
    expect(body).toMatchObject({ title: '밤', disclosure, tracks: [{ title: '첫차' }] })
    expect(body.tracks[0]).not.toHaveProperty('disclosure')
    const sheet = (await service.get(`/app/releases/${DONE}/disclosure`)).body
    expect(sheet.tracks).toMatchObject([{ statements: disclosure, answers: { distrokid: { lyrics: false } } }])
    expect(sheet.artwork).toEqual({ use: 'not_stated', apple: null })
  } finally {
    await service.stop()
  }
})

test('a request that is repeated after the upgrade gets the first answer again, and another one with its key none', async () => {
  const engine = createHeldEngine()
  const service = await startService({ dataDir: oldDataDirectory().dataDir, forkEngine: engine.fork })
  try {
    const form = { ...REQUEST, reference_file: new Blob([new Uint8Array(reference)]) }
    const headers = { 'idempotency-key': 'order-1' }
    expect(await service.master(form, { headers })).toMatchObject({ status: 201, body: { job_id: QUEUED } })
    expect(await service.master({ ...form, intensity: '82' }, { headers })).toMatchObject({ status: 422 })
  } finally {
    await service.stop()
  }
})

test('keys of version 0017 permit everything and have no end', () => {
  const file = path.join(temporaryFolder(onTestFinished), DATABASE_FILE)
  const before = openDatabase(file, readMigrations(FOLDER).slice(0, 17))
  const key = `ams_live_${'0'.repeat(32)}`
  before
    .prepare("INSERT INTO api_keys (key_id, name, key_hash, last_four, created_at_ms) VALUES (?, 'old', ?, '0000', 1)")
    .run(DONE, sha256(key))
  before.close()
  const db = openDatabase(file, readMigrations(FOLDER))
  const keys = new Keys({ db, clock: systemClock, random: systemRandom, plan: () => 'studio' })
  expect(keys.identify(key, undefined)).toEqual({ keyId: DONE, scope: 'all' })
  expect(keys.list()).toMatchObject([{ scope: 'all', state: 'active' }])
  expect(keys.list()[0]).not.toHaveProperty('expires_at')
  db.close()
})

test('songs that a batch of version 0019 has delivered are read where they lie, and no others', () => {
  const file = path.join(temporaryFolder(onTestFinished), DATABASE_FILE)
  const before = openDatabase(file, readMigrations(FOLDER).slice(0, 19))
  const insert =
    before.prepare(`INSERT INTO jobs (job_id, state, is_bulk, is_expired, output_folder, result, settings, filename,
      source_sha256, source_facts, shown_title, search_text, credits_used, credits_remaining, warnings, stored_bytes, created_at_ms,
      completed_at_ms, expires_at_ms)
    VALUES (?, 'done', ?, 1, '/out/a', '{}', '{"platforms":["melon"]}', 'a.wav', 'x', ?, 'a', 'a', 1, 9, '[]', 1, 1, 2, 3)`)
  insert.run(DONE, 1, FACTS)
  insert.run(SOURCE, 0, FACTS)
  before
    .prepare("INSERT INTO manifests (batch_id, fingerprint, head, state, created_at_ms) VALUES (?, '', ?, 'ended', 1)")
    .run(QUEUED, '{"delivery":"folder","folder":"/out"}')
  before
    .prepare(
      "INSERT INTO manifest_songs (batch_id, place, line, bytes_needed, state, job_id) VALUES (?, 1, ?, 0, 'done', ?)",
    )
    .run(QUEUED, '{"path":"/in/a.wav"}', DONE)
  before.close()
  const db = openDatabase(file, readMigrations(FOLDER))
  const store = new JobStore(db)
  expect(store.find(DONE)).toMatchObject({ sourcePath: '/in/a.wav', deliveredSums: {}, outputFolder: '/out/a' })
  expect(store.find(SOURCE)).not.toHaveProperty('deliveredSums')
  db.close()
})
