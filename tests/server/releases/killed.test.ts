/** Releases whose server is killed while they are mastered: nothing is lost, nothing is charged twice. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Release } from '../../../src-contract/releases.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { wavSong } from '../../support/songs.ts'

vi.setConfig({ testTimeout: 900_000 })

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'loudsmith-kill-'))
  server = await spawnServer(dataDir)
})
afterAll(async () => {
  await server.end('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

async function newRelease(lengths: readonly number[]): Promise<Release> {
  const tracks: object[] = []
  for (const seconds of lengths) {
    const { job_id } = await server.newJob({ file: new Blob([new Uint8Array(wavSong({ seconds }))]) })
    await server.until(job_id)
    tracks.push({ job_id })
  }
  const settings = { platforms: ['spotify'] }
  return server.post('/api/v1/releases', { title: 'Record', artist: 'Band', kind: 'album', settings, tracks })
}

async function until({ release_id }: Release, isReached: (release: Release) => boolean): Promise<Release> {
  for (;;) {
    const release = await server.get<Release>(`/api/v1/releases/${release_id}`)
    if (release.mastering.state !== 'mastering' || isReached(release)) return release
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('a release goes on where it was, with one charge for each track', async () => {
  const credits = async () => (await server.get<{ credits: number }>('/api/v1/account')).credits
  const release = await newRelease([2, 3])
  const before = await credits()
  await server.post(`/api/v1/releases/${release.release_id}/master`)
  // Right after the answer, while the songs are measured; then while each of the two is mastered.
  const moments: ((now: Release) => boolean)[] = [
    () => true,
    ({ tracks }) => tracks[0]?.master?.state === 'queued',
    ({ tracks }) => tracks[1]?.master?.state === 'queued',
  ]
  for (const moment of moments) {
    expect((await until(release, moment)).mastering.state).toBe('mastering')
    await server.end('SIGKILL')
    server = await spawnServer(dataDir)
  }
  const { mastering, tracks } = await until(release, () => false)
  expect(mastering).toMatchObject({ state: 'done', progress: 100, target_lufs: -14 })
  expect(mastering.record_lufs).toBeCloseTo(-14, 1)
  expect(tracks.map(({ master }) => master?.state)).toEqual(['done', 'done'])
  expect(before - (await credits())).toBe(2)
  const db = new Database(path.join(dataDir, 'loudsmith.db'), { readonly: true })
  const charges = db.prepare('SELECT count(*) FROM release_jobs WHERE is_charge = 1').pluck().get()
  db.close()
  expect(charges).toBe(2)
})
