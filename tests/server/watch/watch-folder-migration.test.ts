import path from 'node:path'
import { expect, test } from 'vitest'
import { readMigrations } from '../../../src-server/db/migrate.ts'
import { openDatabase } from '../../../src-server/db/open.ts'
import { WatchFolderStore } from '../../../src-server/watch/watch-folder-store.ts'
import { newDatabaseFile } from '../notify/fixture.ts'

test('a database from before watched folders keeps its songs and gets the tables', () => {
  const file = newDatabaseFile()
  const migrations = readMigrations(path.resolve('src-server/db/migrations'))
  const before = openDatabase(file, migrations.slice(0, 3))
  before
    .prepare(
      `INSERT INTO sources (source_id, purpose, filename, title, sha256, size_bytes, facts, created_at_ms)
       VALUES ('s', 'song', 'old.wav', 'old', 'x', 1, '{}', 1)`,
    )
    .run()
  before.close()
  const after = openDatabase(file, migrations.slice(0, 4))
  expect(after.prepare('SELECT source_id, title FROM sources').all()).toEqual([{ source_id: 's', title: 'old' }])
  after.prepare("INSERT INTO watch_folders VALUES ('f', '/bounces', NULL, NULL, 1, 1)").run()
  after.prepare("INSERT INTO watched_files VALUES ('f', 'a.wav', 1, 1, 's', NULL, NULL, 1)").run()
  expect(() =>
    after.prepare("INSERT INTO watched_files VALUES ('f', 'a.wav', 1, 1, NULL, NULL, NULL, 2)").run(),
  ).toThrow(/UNIQUE/)
  after.prepare('DELETE FROM watch_folders').run()
  expect(after.prepare('SELECT count(*) AS n FROM watched_files').get()).toEqual({ n: 0 })
  after.close()
})

test('files dealt with before they were told apart by their disk stay dealt with', () => {
  const file = newDatabaseFile()
  const migrations = readMigrations(path.resolve('src-server/db/migrations'))
  const before = openDatabase(file, migrations.slice(0, 4))
  before.prepare("INSERT INTO watch_folders VALUES ('f', '/bounces', NULL, NULL, 1, 1)").run()
  before.prepare("INSERT INTO watched_files VALUES ('f', 'a.wav', 1, 1, NULL, NULL, NULL, 1)").run()
  before.close()
  const after = openDatabase(file, migrations)
  const store = new WatchFolderStore(after)
  const look = { sizeBytes: 1, modifiedMs: 1, changedMs: 1, inode: '7' }
  expect(store.isHandled('f', 'a.wav', look)).toBe(true)
  expect(store.isHandledUnder('f', 'a.wav', look)).toBe(false)
  expect(store.isHandledUnder('f', 'a.wav', { ...look, inode: null })).toBe(false)
  after.close()
})

test('songs taken before their content was kept are known by it, as far as they are still stored', () => {
  const file = newDatabaseFile()
  const migrations = readMigrations(path.resolve('src-server/db/migrations'))
  const before = openDatabase(file, migrations.slice(0, 5))
  before.exec(`INSERT INTO watch_folders VALUES ('f', '/bounces', NULL, NULL, 1, 1);
    INSERT INTO sources (source_id, purpose, filename, title, sha256, size_bytes, facts, created_at_ms)
      VALUES ('s', 'song', 'a.wav', 'a', 'x', 1, '{}', 1);
    INSERT INTO watched_files VALUES ('f', 'a.wav', 1, 1, 's', NULL, NULL, 1, '7');
    INSERT INTO watched_files VALUES ('f', 'b.wav', 1, 1, 'forgotten', NULL, NULL, 1, '8');`)
  before.close()
  const after = openDatabase(file, migrations)
  const store = new WatchFolderStore(after)
  expect(store.namesOfContent('f', 'x')).toEqual(['a.wav'])
  after.close()
})
