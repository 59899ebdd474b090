/** Releases whose server is killed while they are mastered: nothing is lost, nothing is charged twice. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Release } from '../../../src-contract/releases.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { INTACT } from '../../support/exports.ts'
import { pngPicture } from '../../support/pictures.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const dataDir = temporaryFolder()
let server: ServerProcess
beforeAll(async () => {
  server = await spawnServer(dataDir)
})
afterAll(() => server.end('SIGKILL'))

const songs = [220, 330].map((hertz) => new Blob([new Uint8Array(wavSong({ seconds: 1, hertz }))]))

/** A track of a song that no job has mastered yet. */
async function storedTrack(song: Blob): Promise<object> {
  const form = new FormData()
  form.append('file', song, 'song.wav')
  const { source_id } = (await (await server.send('POST', '/app/sources', form)).json()) as { source_id: string }
  return { source_id }
}

/** A track of a job that is done. */
async function masteredTrack(file: Blob): Promise<object> {
  const { job_id } = await server.newJob({ file })
  await server.until(job_id)
  return { job_id }
}

async function newRelease(trackOf: (song: Blob) => Promise<object>): Promise<Release> {
  const tracks: object[] = []
  for (const song of songs) tracks.push(await trackOf(song))
  const settings = { platforms: ['spotify'] }
  return server.post('/api/v1/releases', { title: 'Record', artist: 'Band', kind: 'album', settings, tracks })
}

/**
 * Resolves once the release is no longer being mastered, or `isReached` holds: looks when the service tells of something. Looks in between
 * would take the processor from the engine, which gives way to the service.
 */
async function until({ release_id }: Release, isReached: (release: Release) => boolean): Promise<Release> {
  const { body: events } = await server.send('GET', '/api/v1/events')
  const reader = events!.getReader()
  try {
    for (;;) {
      const release = await server.get<Release>(`/api/v1/releases/${release_id}`)
      if (release.mastering.state !== 'mastering' || isReached(release)) return release
      await reader.read()
    }
  } finally {
    await reader.cancel()
  }
}

test('a release goes on where it was, with one charge for each track', async () => {
  const credits = async () => (await server.get<{ credits: number }>('/api/v1/account')).credits
  const release = await newRelease(storedTrack)
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

/** Stages of an export, each with the file that is there as soon as it has begun. */
const STAGES: Readonly<Record<string, (places: { parent: string; folder: string; made: string[] }) => boolean>> = {
  begun: ({ folder }) => existsSync(path.join(folder, '.loudsmith-export')),
  copying: ({ made }) => made.some((name) => name.includes('-source.')),
  converting: ({ made }) => made.some((name) => name.endsWith('.bare') || name === '16.wav'),
  tagging: ({ made }) => made.some((name) => name.includes('-tagged.')),
  cover: ({ folder }) => existsSync(path.join(folder, 'cover.png')),
  table: ({ folder }) => existsSync(path.join(folder, 'metadata.csv')),
  certificate: ({ folder }) => existsSync(path.join(folder, 'certificate.html')),
  signing: ({ folder }) => existsSync(path.join(folder, 'certificate.json')),
  packing: ({ parent }) => readdirSync(parent).some((name) => name.includes('.zip')),
}
test.runIf(IS_CAMPAIGN)(
  'an export that is killed at any stage (in npm run campaign) goes on with what is finished, and costs nothing',
  async () => {
    const credits = async () => (await server.get<{ credits: number }>('/api/v1/account')).credits
    const release = await newRelease(masteredTrack)
    const before = await credits()
    const parent = temporaryFolder(onTestFinished)
    const cover = new FormData()
    cover.append('file', new Blob([new Uint8Array(pngPicture(1400, 1400))]), 'cover')
    await server.put(`/api/v1/releases/${release.release_id}/cover`, cover)
    const folder = path.join(parent, 'Band - Record')
    const request = { folder: parent, formats: ['wav24', 'flac16_44'], zip: true }
    const exported = () => server.post<object>(`/api/v1/releases/${release.release_id}/export`, request)
    const sounds = () =>
      (existsSync(folder) ? readdirSync(folder) : [])
        .filter((name) => /^\d\d .*\.(wav|flac)$/.test(name))
        .map((name) => [name, statSync(path.join(folder, name), { bigint: true }).ino] as const)
    const made = (): string[] => {
      try {
        return readdirSync(path.join(dataDir, 'tmp'), { recursive: true }).map((name) => path.basename(`${name}`))
      } catch {
        // A folder went while it was read.
        return []
      }
    }
    const finished = new Map<string, bigint>()
    for (const stage of Object.keys(STAGES)) {
      let isOver = false
      const over = exported().then(
        () => (isOver = true),
        () => (isOver = true),
      )
      // The steps after the last file may be over before the kill.
      while (!isOver && !STAGES[stage]!({ parent, folder, made: made() })) await new Promise(setImmediate)
      await server.end('SIGKILL')
      await over
      for (const [name, inode] of sounds()) finished.set(name, inode)
      server = await spawnServer(dataDir)
    }
    await exported()
    expect(sounds()).toHaveLength(4)
    expect(Object.fromEntries(sounds())).toMatchObject(Object.fromEntries(finished))
    for (const place of [folder, `${folder}.zip`])
      expect(await server.post('/api/v1/releases/verify', { folder: place })).toMatchObject(INTACT)
    expect(readdirSync(parent).sort()).toEqual(['Band - Record', 'Band - Record.zip'])
    expect(readdirSync(folder).filter((name) => name.startsWith('.') || name.endsWith('.part'))).toEqual([])
    expect(await credits()).toBe(before)
  },
)
