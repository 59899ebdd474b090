/** The service killed again and again in whatever it does, at moments that a seed draws: nothing is lost, nothing is there twice, nothing is left over. */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Manifest, ManifestSong } from '../../../src-contract/batches.ts'
import type { CreatedJob, Job } from '../../../src-contract/jobs.ts'
import type { Release } from '../../../src-contract/releases.ts'
import { DEFAULT_SETTINGS } from '../../../src-contract/settings.ts'
import type { StemSet } from '../../../src-contract/stems.ts'
import { MAX_INTERRUPTIONS } from '../../../src-server/jobs/job.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { INTACT } from '../../support/exports.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { wavSong } from '../../support/songs.ts'
import { seededRandom } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { zipOf } from '../../support/zips.ts'

const SEED = Number(process.env.KILL_SEED ?? 47_310)
/** Rows of each imported table. */
const TABLE_ROWS = 40

const random = seededRandom(SEED)
/** A number from 0 to 1. */
const draw = () => (random() + 1) / 2
const shuffled = <Item>(items: readonly Item[]) =>
  items
    .map((item) => ({ item, place: draw() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)

const root = temporaryFolder()
let server: ServerProcess
let source: string
/** One that is mastered again and again, and one that is exported. */
let mastered: Release
let exported: Release
const dataDir = () => path.join(root, 'data')
const songOf = (hertz: number) => wavSong({ seconds: 1, hertz })

function form(fields: Readonly<Record<string, Buffer | string>>): FormData {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields))
    body.append(name, new File([typeof value === 'string' ? value : new Uint8Array(value)], `${name}.wav`))
  return body
}
const rowsOf = <Row>(sql: string, ...values: string[]): Row[] => {
  const db = new Database(path.join(dataDir(), 'loudsmith.db'), { readonly: true })
  try {
    return db.prepare<string[], Row>(sql).all(...values)
  } finally {
    db.close()
  }
}
const count = (sql: string, ...values: string[]) =>
  Object.values(rowsOf<Record<string, number>>(sql, ...values)[0]!)[0]!
const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

/** Faults found in the work that a stage had begun. */
interface Faults {
  readonly lost: number
  readonly twice: number
  readonly left: number
}
/** Faults of the jobs that a condition selects: every one has ended well, once, and was paid for at most once. */
const jobFaults = (which: string): Faults => ({
  lost: count(`SELECT count(*) FROM jobs WHERE ${which} AND state <> 'done'`),
  twice: count(
    `SELECT count(*) FROM jobs WHERE ${which} AND ((SELECT count(*) FROM events WHERE events.job_id = jobs.job_id
       AND name IN ('job.completed', 'job.failed')) <> 1
     OR (SELECT count(*) FROM ledger WHERE ledger.job_id = jobs.job_id AND kind = 'charge') > 1
     OR (SELECT count(*) FROM ledger WHERE ledger.job_id = jobs.job_id AND kind = 'refund') > 0)`,
  ),
  left: 0,
})
const OF_RELEASE = 'job_id IN (SELECT job_id FROM release_jobs)'

/** Work of the service at the moment it is killed. `Promise` is the commitment that an accepted call makes. */
interface Stage<Promise = unknown> {
  /** Longest time until the kill, ms. */
  readonly withinMs: number
  /** Calls the service and returns what it has promised by its answer; rejects where it refused, or went before. */
  begin(at: number): globalThis.Promise<Promise>
  faults(promises: readonly Promise[], begun: readonly number[]): globalThis.Promise<Faults>
}
const stage = <Promise>(of: Stage<Promise>) => of as Stage

/** Sends a request and reads its answer to the end: Node ends the process over a connection that breaks off before. */
async function sent(...request: Parameters<ServerProcess['send']>): Promise<void> {
  await (await server.send(...request)).arrayBuffer()
}

const STEMS = ['Vocals', 'Drums', 'Bass']

/** Stores a set of stems once the earlier ones of this title that have no job are removed: the service keeps two such sets at most. */
async function newSet(title: string, at: number): Promise<string> {
  const { sources } = await server.get<{ sources: StemSet[] }>('/api/v1/sources')
  for (const { source_id, expires_at, ...set } of sources)
    if (expires_at && set.title.startsWith(title)) await sent('DELETE', `/api/v1/sources/${source_id}`)
  const body = form({
    file: zipOf(STEMS.map((name, i) => ({ name: `${name}.wav`, content: songOf(700 + 3 * at + i) }))),
  })
  for (const [name, value] of Object.entries({ kind: 'stems', title: `${title} ${at}` })) body.append(name, value)
  return ((await (await server.send('POST', '/api/v1/sources', body)).json()) as StemSet).source_id
}

/** Returns how many sets have not all of their stems, and files of stored songs are cut short, missing or of no song. */
function brokenSets(): number {
  const folder = path.join(dataDir(), 'sources')
  const songs = rowsOf<{ name: string; size: number }>('SELECT sha256 AS name, size_bytes AS size FROM sources')
  const known = new Set(songs.map(({ name }) => name))
  const cut = songs.filter(
    ({ name, size }) => statSync(path.join(folder, name), { throwIfNoEntry: false })?.size !== size,
  )
  const strange = namesIn(folder).filter((name) => !known.has(name.replace(/\.(analysis|cover)$/, '')))
  const half = `SELECT count(*) FROM stem_sets WHERE (SELECT count(*) FROM stems WHERE set_id = stem_sets.source_id) <> ${STEMS.length}`
  return cut.length + strange.length + count(half)
}
/** The set that is stored and not to be removed yet. */
let owedSet: string | undefined

const manifestFolder = (at: number) => path.join(root, 'out', `${at}`)
const exportFolder = (at: number) => path.join(root, 'export', `${at}`)
const exportTo = (at: number) => {
  mkdirSync(exportFolder(at), { recursive: true })
  const request = { folder: exportFolder(at), formats: ['wav24', 'flac16_44'], zip: true }
  return sent('POST', `/api/v1/releases/${exported.release_id}/export`, request)
}
const retentionDays = async () => (await server.get<{ retention_days: number }>('/app/settings')).retention_days
/** Values that the setting may have: the last one that was confirmed, and those asked for since. */
let possibleDays = [30]
let lostSettings = 0

const STAGES = {
  job: stage<string>({
    withinMs: 2000,
    begin: async (at) => (await server.newJob({ file: new Blob([new Uint8Array(songOf(200 + at))]) })).job_id,
    async faults(promises) {
      const missing = promises.filter((id) => count('SELECT count(*) FROM jobs WHERE job_id = ?', id) === 0)
      const rest = jobFaults(`batch_id IS NULL AND stems IS NULL AND NOT ${OF_RELEASE}`)
      const known = (name: string) => count("SELECT count(*) FROM jobs WHERE job_id = ? AND state = 'done'", name) === 1
      const left = readdirSync(path.join(dataDir(), 'jobs')).filter(
        (name) =>
          !known(name) ||
          !/^result,source(,stem-0,stem-1,stem-2)?$/.test(`${readdirSync(path.join(dataDir(), 'jobs', name)).sort()}`),
      )
      return { ...rest, lost: rest.lost + missing.length, left: left.length }
    },
  }),
  stems: stage({
    withinMs: 1500,
    async begin(at) {
      owedSet = undefined
      owedSet = await newSet('Set', at)
    },
    faults: async () => ({
      lost: owedSet && count('SELECT count(*) FROM stem_sets WHERE source_id = ?', owedSet) === 0 ? 1 : 0,
      twice: Math.max(0, count("SELECT count(*) FROM sources WHERE title LIKE 'Set %'") - 1),
      left: brokenSets(),
    }),
  }),
  'stems master': stage<string>({
    withinMs: 4000,
    async begin(at) {
      const body = new FormData()
      const stems = JSON.stringify({ stems: [{ stem: 2, gain_db: -3, repairs: ['rumble'] }] })
      const fields = { platforms: 'spotify', source_id: await newSet('Mix', at), stems }
      for (const [name, value] of Object.entries(fields)) body.append(name, value)
      return ((await (await server.send('POST', '/api/v1/master', body)).json()) as CreatedJob).job_id
    },
    async faults(promises) {
      const { lost, twice } = jobFaults('stems IS NOT NULL')
      const jobs = await Promise.all(
        promises.map((id) => server.get<Job>(`/api/v1/jobs/${id}`).catch(() => ({ stem_count: undefined }))),
      )
      return { lost: lost + jobs.filter((job) => job.stem_count !== STEMS.length).length, twice, left: brokenSets() }
    },
  }),
  batch: stage<string>({
    withinMs: 2500,
    async begin(at) {
      const song = path.join(root, 'songs', `${at}.wav`)
      writeFileSync(song, songOf(500 + at))
      const head = { platforms: ['spotify'], delivery: 'folder', folder: manifestFolder(at) }
      const manifest = [head, { path: song }].map((line) => JSON.stringify(line)).join('\n')
      const answer = await server.send('POST', '/api/v1/batches', form({ manifest }))
      return ((await answer.json()) as Manifest).batch_id
    },
    async faults(promises, begun) {
      const { lost, twice } = jobFaults('batch_id IS NOT NULL')
      const delivered = begun.map((at) => namesIn(manifestFolder(at)))
      const files = begun.flatMap((at) =>
        namesIn(manifestFolder(at)).map((name) => readdirSync(path.join(manifestFolder(at), name)).length),
      )
      const undelivered = await Promise.all(
        promises.map(async (id) => {
          const { songs } = await server.get<{ songs: ManifestSong[] }>(`/api/v1/batches/${id}/songs`)
          return songs.some(({ status, folder = '' }) => status !== 'done' || namesIn(folder).length === 0)
        }),
      )
      return {
        lost: lost + undelivered.filter(Boolean).length,
        twice: twice + delivered.filter((names) => names.length > 1).length,
        // One master, its two reports and the checksums.
        left: files.filter((number) => number !== 4).length,
      }
    },
  }),
  'release master': stage({
    withinMs: 2500,
    begin: () => sent('POST', `/api/v1/releases/${mastered.release_id}/master`),
    async faults(promises) {
      const { lost, twice } = jobFaults(OF_RELEASE)
      const { state } = (await server.get<Release>(`/api/v1/releases/${mastered.release_id}`)).mastering
      const charges = count('SELECT count(*) FROM release_jobs WHERE is_charge = 1')
      return {
        lost: lost + (promises.length > 0 && state !== 'done' ? 1 : 0),
        twice: twice + Math.max(0, charges - mastered.tracks.length),
        left: 0,
      }
    },
  }),
  export: stage({
    withinMs: 1500,
    begin: exportTo,
    async faults(_promises, begun) {
      const faults = { lost: 0, twice: 0, left: 0 }
      for (const at of begun) {
        // An interrupted export resumes with its finished files; a second call leaves a whole one unchanged.
        await exportTo(at)
        const folder = path.join(exportFolder(at), 'Band - Record')
        for (const place of [folder, `${folder}.zip`]) {
          const found = await server.post<typeof INTACT>('/api/v1/releases/verify', { folder: place })
          if (JSON.stringify({ ...found, ...INTACT }) !== JSON.stringify(found)) faults.lost += 1
        }
        faults.twice += Math.max(0, readdirSync(exportFolder(at)).length - 2)
        faults.left += readdirSync(folder).filter((name) => name.startsWith('.') || name.endsWith('.part')).length
      }
      return faults
    },
  }),
  audition: stage({
    withinMs: 1500,
    begin: (at) => {
      const settings = { ...DEFAULT_SETTINGS, intensity: at % 101 }
      return sent('POST', '/app/auditions', { source_id: source, platform: 'spotify', settings })
    },
    faults: async () => ({
      lost: count('SELECT count(*) FROM sources WHERE source_id = ?', source) === 0 ? 1 : 0,
      twice:
        count('SELECT count(*) FROM sources WHERE sha256 = (SELECT sha256 FROM sources WHERE source_id = ?)', source) -
        1,
      // Masters that are heard are temporary files.
      left: readdirSync(path.join(dataDir(), 'tmp')).length,
    }),
  }),
  settings: stage({
    withinMs: 30,
    async begin() {
      if (!possibleDays.includes(await retentionDays())) lostSettings += 1
      const days = 2 + Math.floor(draw() * 300)
      possibleDays.push(days)
      await sent('PATCH', '/app/settings', { retention_days: days })
      possibleDays = [days]
    },
    faults: async () => ({
      lost: lostSettings + (possibleDays.includes(await retentionDays()) ? 0 : 1),
      twice: Math.max(0, count("SELECT count(*) FROM settings WHERE name = 'retention_days'") - 1),
      left: 0,
    }),
  }),
  CSV: stage<number>({
    withinMs: 60,
    async begin(at) {
      const rows = Array.from({ length: TABLE_ROWS }, (_, row) => `Table ${at},Band,Song ${row + 1}`)
      const file = ['release_title,release_artist,title', ...rows].join('\n')
      await sent('POST', '/api/v1/releases/csv', form({ file }))
      return at
    },
    async faults(promises, begun) {
      const releasesOf = (at: number) =>
        count("SELECT count(*) FROM releases WHERE facts ->> '$.title' = ?", `Table ${at}`)
      const tracks = count(
        "SELECT count(*) FROM release_tracks JOIN releases USING (release_id) WHERE releases.facts ->> '$.title' LIKE 'Table %'",
      )
      const found = begun.reduce((sum, at) => sum + releasesOf(at), 0)
      return {
        lost: promises.filter((at) => releasesOf(at) === 0).length,
        twice: begun.filter((at) => releasesOf(at) > 1).length,
        // A table is there as a whole or not at all.
        left: Math.abs(tracks - found * TABLE_ROWS),
      }
    },
  }),
}
type Name = keyof typeof STAGES
/** Those that KILL_STAGES lists; the campaign has all of them. */
const NAMES = (process.env.KILL_STAGES?.split(',') ??
  Object.keys(STAGES).filter((name) => IS_CAMPAIGN || !name.startsWith('stems'))) as Name[]
/** Stages that one kill meets, at most. */
const STAGES_AT_ONCE = 3
/** Kills that meet all stages. */
const KILLS_OF_ROUND = Math.ceil(NAMES.length / STAGES_AT_ONCE)
/** A part of the campaign, which meets each stage once; `npm run campaign` sets the whole number. */
const KILLS = Number(process.env.KILL_ROUNDS ?? KILLS_OF_ROUND)
vi.setConfig({ testTimeout: 60_000 * (KILLS + 10), hookTimeout: 600_000 })

/** Resolves when all that was begun has ended. */
async function settled(): Promise<void> {
  const unfinished = `SELECT (SELECT count(*) FROM jobs WHERE state NOT IN ('done', 'failed'))
    + (SELECT count(*) FROM release_runs WHERE state = 'mastering') + (SELECT count(*) FROM manifests WHERE ended_at_ms IS NULL)`
  while (count(unfinished) > 0) await new Promise((resolve) => setTimeout(resolve, 50))
}

beforeAll(async () => {
  for (const name of ['songs', 'out']) mkdirSync(path.join(root, name))
  server = await spawnServer(dataDir())
  await server.allow(root)
  const heard = await server.send('POST', '/app/sources', form({ file: songOf(100) }))
  source = ((await heard.json()) as { source_id: string }).source_id
  const { job_id } = await server.newJob({ file: new Blob([new Uint8Array(songOf(110))]) })
  await server.until(job_id)
  const release = { artist: 'Band', kind: 'single', settings: { platforms: ['spotify'] }, tracks: [{ job_id }] }
  mastered = await server.post('/api/v1/releases', { title: 'Mastered', ...release })
  exported = await server.post('/api/v1/releases', { title: 'Record', ...release })
})
afterAll(() => server.end('SIGKILL'))

describe.runIf(process.platform === 'linux')(
  'kill −9 at any moment (only where engine processes end with their parent)',
  () => {
    test(`${KILLS} times (seed ${SEED}): 0 lost, 0 twice, nothing left over`, async () => {
      const begun = Object.fromEntries(NAMES.map((name) => [name, [] as number[]])) as Record<Name, number[]>
      const promises = Object.fromEntries(NAMES.map((name) => [name, [] as unknown[]])) as Record<Name, unknown[]>
      let kills = 0
      // All has ended at the beginning of a round: no job is interrupted as often as it may be.
      expect(KILLS_OF_ROUND).toBeLessThan(MAX_INTERRUPTIONS)
      for (let kill = 0; kill < KILLS; kill += KILLS_OF_ROUND) {
        await settled()
        // In every second round the answer comes first, and what follows it is cut off.
        const isAnswered = (kill / KILLS_OF_ROUND) % 2 === 0
        const order = shuffled(NAMES)
        while (order.length > 0) {
          const calls: Promise<unknown>[] = []
          for (const name of order.splice(0, STAGES_AT_ONCE)) {
            begun[name].push(kill)
            const call = STAGES[name].begin(kill).then(
              (promise) => promises[name].push(promise),
              () => {},
            )
            calls.push(call)
            if (isAnswered) await call
            await new Promise((resolve) => setTimeout(resolve, draw() * STAGES[name].withinMs))
          }
          await server.end('SIGKILL')
          await Promise.all(calls)
          server = await spawnServer(dataDir())
          kills += 1
        }
      }
      await settled()
      await expect.poll(() => readdirSync(path.join(dataDir(), 'tmp'))).toEqual([])
      expect(readdirSync(dataDir())).not.toContain('quarantine')
      const figures: Record<string, object> = {}
      for (const name of NAMES) {
        const faults = await STAGES[name].faults(promises[name], begun[name])
        figures[name] = { begun: begun[name].length, accepted: promises[name].length, ...faults }
      }
      console.info(`${kills} kills`)
      console.info(
        Object.entries(figures)
          .map((figure) => figure.map((part) => JSON.stringify(part)).join(' '))
          .join('\n'),
      )
      for (const name of NAMES) expect([name, figures[name]]).toMatchObject([name, { lost: 0, twice: 0, left: 0 }])
      for (const name of NAMES) expect([name, promises[name].length > 0]).toEqual([name, true])
    })
  },
)
