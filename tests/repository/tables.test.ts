import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')

/** The room that keeps each table. */
const KEEPERS: Readonly<Record<string, string>> = {
  account: 'credits',
  ledger: 'credits',
  api_keys: 'access',
  jobs: 'jobs',
  links: 'artifacts',
  idempotency: 'jobs',
  events: 'notify',
  webhooks: 'notify',
  job_signing_secret: 'notify',
  deliveries: 'notify',
  sources: 'sources',
  stem_sets: 'sources',
  stems: 'sources',
  desk: 'batch',
  desk_songs: 'batch',
  desk_covers: 'batch',
  settings: 'settings',
  watch_folders: 'watch',
  watched_files: 'watch',
  releases: 'releases',
  release_tracks: 'releases',
  release_covers: 'releases',
  release_runs: 'releases',
  release_jobs: 'releases',
  song_measures: 'releases',
  listening_tests: 'listening',
  listening_results: 'listening',
  manifests: 'bulk',
  manifest_songs: 'bulk',
  migrations: 'db',
  database_identity: 'db',
  removals: 'db',
  row_checksums: 'db',
  trusted_time: 'db',
}

test('a table is read and written in the room that keeps it, and nowhere else', () => {
  const tables = Object.keys(KEEPERS).join('|')
  const statement = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE|TABLE IF NOT EXISTS)\\s+(${tables})\\b`, 'g')
  const uses = globSync('src-server/**/*.ts', { cwd: root }).flatMap((file) => {
    const room = path.basename(path.dirname(file))
    const found = readFileSync(path.join(root, file), 'utf8').matchAll(statement)
    return [...found].map(([, table]) => `${table} in ${room}`)
  })
  const kept = Object.entries(KEEPERS).map(([table, room]) => `${table} in ${room}`)
  // The batch looks at the files of watch folders within its own query.
  expect([...new Set(uses)].sort()).toEqual([...kept, 'watched_files in batch'].sort())
})

test('every table of the migrations has a keeper', () => {
  const sql = globSync('src-server/db/migrations/*.sql', { cwd: root }).map((file) =>
    readFileSync(path.join(root, file), 'utf8'),
  )
  const made = [...sql.join('\n').matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table)
  expect([...made, 'migrations'].sort()).toEqual(Object.keys(KEEPERS).sort())
})
