import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Tier } from '../../src-contract/settings.ts'
import {
  costOf,
  type Forecast,
  forecastOf,
  nextPlan,
  type Piece,
  type Plan,
  paceOf,
  roundedSeconds,
  saidOf,
  timeShareOf,
  type Work,
} from '../../src-renderer/state/time-left.ts'

interface Recorded {
  readonly name: string
  readonly workers: number
  readonly songs: readonly {
    readonly duration_seconds: number
    readonly tier: Tier
    readonly platforms: number
    readonly started_at_ms: number
    readonly completed_at_ms: number
  }[]
  /** Moment in ms, place of the song, stage, percent. */
  readonly progress: readonly (readonly [number, number, string, number])[]
}

/** Runs of the real engine on two cores that other programs kept busy, so much that its pace changed thirtyfold between songs. */
const RUNS = JSON.parse(readFileSync(path.join(import.meta.dirname, 'recorded-runs.json'), 'utf8')) as Recorded[]

const pieceOf = (song: Recorded['songs'][number]): Piece => ({
  durationSeconds: song.duration_seconds,
  tier: song.tier,
  platformCount: song.platforms,
})

const pastOf = (songs: Recorded['songs']): Work['past'] =>
  songs
    .toSorted((a, b) => b.completed_at_ms - a.completed_at_ms)
    .map((song) => ({ ...pieceOf(song), workSeconds: (song.completed_at_ms - song.started_at_ms) / 1000 }))

/** Work under way at one moment of a recorded run, after the given past jobs. */
function workAt({ songs, progress, workers }: Recorded, ms: number, before: Work['past']): Work {
  const percentOf = (place: number) => progress.findLast(([at, of]) => of === place && at <= ms)?.[3] ?? 0
  const numbered = songs.map((song, place) => ({ song, place }))
  return {
    workers,
    past: [...pastOf(songs.filter((song) => song.completed_at_ms <= ms)), ...before].slice(0, 12),
    running: numbered
      .filter(({ song }) => song.started_at_ms <= ms && song.completed_at_ms > ms)
      .map(({ song, place }) => ({
        ...pieceOf(song),
        id: String(place),
        percent: percentOf(place),
        elapsedSeconds: (ms - song.started_at_ms) / 1000,
      })),
    waiting: numbered
      .filter(({ song }) => song.started_at_ms > ms)
      .map(({ song, place }) => ({ ...pieceOf(song), id: String(place) })),
  }
}

/** Everything that is said in a run, second by second. */
function replay(run: Recorded, before: Work['past']) {
  const endMs = Math.max(...run.songs.map((song) => song.completed_at_ms))
  const sayings: { readonly work: Work; readonly said: Forecast; readonly trueSeconds: number }[] = []
  let plan: Plan | null = null
  for (let ms = 0; ms < endMs; ms += 1000) {
    const work = workAt(run, ms, before)
    plan = nextPlan(plan, forecastOf(work), ms)
    if (plan) sayings.push({ work, said: saidOf(plan, ms), trueSeconds: (endMs - ms) / 1000 })
  }
  return sayings
}

const replays = RUNS.map((run, at) => ({
  name: run.name,
  sayings: replay(run, pastOf(RUNS.slice(0, at).flatMap((one) => one.songs))),
}))

describe.each(replays)('the times said in the recorded run "$name"', ({ name, sayings }) => {
  it('never contradict each other', () => {
    for (const { work, said } of sayings) {
      const left = work.running.map(({ id }) => said.left[id] ?? Number.NaN)
      const starts = work.waiting.map(({ id }) => said.starts[id] ?? Number.NaN)
      expect([...left, ...starts].every((seconds) => seconds <= said.batch)).toBe(true)
      expect(starts).toEqual(starts.toSorted((a, b) => a - b))
      // With all workers busy the next song starts when the first of them is done, and not before.
      if (left.length === work.workers && starts.length > 0) expect(starts[0]).toBe(Math.min(...left))
    }
  })

  it('seldom rise', () => {
    const rises = sayings.filter(
      ({ said }, at) => said.batch > (sayings[at - 1]?.said.batch ?? Number.POSITIVE_INFINITY),
    )
    expect(rises.length / sayings.length).toBeLessThan(0.08)
  })

  it('are off by no more than was measured', () => {
    const off = sayings
      .filter(({ trueSeconds }) => trueSeconds > 10)
      .map(({ said, trueSeconds }) => 2 ** Math.abs(Math.log2(said.batch / trueSeconds)))
      .sort((a, b) => a - b)
    const median = off[Math.floor(off.length / 2)] ?? Number.NaN
    const measured: Record<string, number> = { first: 2.4, 'mixed tiers': 2.5, 'side by side': 1.45 }
    expect(median).toBeLessThan(measured[name] ?? 0)
  })
})

describe('the forecast', () => {
  const song: Piece = { durationSeconds: 185, tier: 'standard', platformCount: 5 }
  const past = [{ ...song, workSeconds: 20 }]
  const waiting = (count: number) => Array.from({ length: count }, (_, at) => ({ ...song, id: `w${at}` }))

  it('says nothing before anything tells the pace', () => {
    const fresh = { ...song, id: 'a', percent: 30, elapsedSeconds: 1.9 }
    expect(forecastOf({ running: [fresh], waiting: [], workers: 1, past: [] })).toBeNull()
    expect(
      forecastOf({ running: [{ ...fresh, percent: 0, elapsedSeconds: 9 }], waiting: [], workers: 1, past: [] }),
    ).toBeNull()
    expect(forecastOf({ running: [], waiting: [], workers: 1, past })).toBeNull()
  })

  it('is that of the past jobs: a batch of 22 songs takes 22 times as long as one, and half with two side by side', () => {
    const one = forecastOf({ running: [], waiting: waiting(22), workers: 1, past })
    expect(one?.batch).toBeCloseTo(440, 6)
    expect(one?.starts.w21).toBeCloseTo(420, 6)
    expect(forecastOf({ running: [], waiting: waiting(22), workers: 2, past })?.batch).toBeCloseTo(220, 6)
  })

  it('knows that premium takes longer and one platform less long', () => {
    const premium = costOf({ ...song, tier: 'premium' }) / costOf(song)
    expect(premium).toBeGreaterThan(2.5)
    expect(costOf({ ...song, platformCount: 1 })).toBeLessThan(costOf(song) * 0.6)
  })

  it('follows a machine that has become slower, the more the further a job is', () => {
    const running = (percent: number) => ({
      ...song,
      id: 'a',
      percent,
      elapsedSeconds: 80 * timeShareOf('standard', percent),
    })
    const paces = [0, 12, 43, 82, 100].map((percent) => paceOf({ past, running: [running(percent)] }) ?? Number.NaN)
    expect(paces).toEqual(paces.toSorted((a, b) => a - b))
    expect(paces.at(-1)).toBeGreaterThan((paces[0] ?? 0) * 3)
  })

  it('takes a job for as far in time as its stages are', () => {
    for (const tier of ['standard', 'premium'] as const) {
      const shares = Array.from({ length: 101 }, (_, percent) => timeShareOf(tier, percent))
      expect([shares[0], shares[100]]).toEqual([0, 1])
      expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    }
  })
})

describe('a plan that is said', () => {
  const of = (batch: number): Forecast => ({ left: { a: batch }, starts: {}, batch })

  it('falls by itself, and stays through a doubt that passes', () => {
    const plan = nextPlan(null, of(60), 0)
    const doubted = nextPlan(plan, of(200), 2000)
    expect(saidOf(doubted as Plan, 2000).batch).toBe(60)
    const again = nextPlan(doubted, of(52), 4000)
    expect(again?.doubtedSinceMs).toBeNull()
    expect(saidOf(again as Plan, 30_000).batch).toBe(30)
  })

  it('is replaced as a whole once it has been wrong for three seconds, and at once for a song that it does not know', () => {
    let plan = nextPlan(null, of(20), 0)
    for (let ms = 1000; ms <= 4000; ms += 1000) plan = nextPlan(plan, of(90), ms)
    expect(saidOf(plan as Plan, 4000)).toMatchObject({ left: { a: 90 }, batch: 90 })
    expect(nextPlan(plan, { left: { a: 80 }, starts: { b: 80 }, batch: 120 }, 5000)?.starts).toEqual({ b: 80 })
    expect(nextPlan(plan, null, 6000)).toBeNull()
  })

  it('is rounded up to 5 s under a minute and to 15 s above', () => {
    expect([0.2, 5, 6, 59, 61, 80, 601].map(roundedSeconds)).toEqual([5, 5, 10, 60, 75, 90, 660])
  })
})
