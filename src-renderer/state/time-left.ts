/**
 * Estimate of the remaining time from one model: the work of a song follows from its length, tier and platforms, and
 * the pace of this machine from its past and running jobs. A single schedule gives the time left of each song, of the
 * batch, and until each start, which keeps them consistent. Pure.
 */
import type { Tier } from '../../src-contract/settings.ts'

/** Properties of a song that determine its work. */
export interface Piece {
  readonly durationSeconds: number
  readonly tier: Tier
  readonly platformCount: number
}

/** A song being mastered. */
export interface RunningPiece extends Piece {
  readonly id: string
  /** 0 to 100, as reported by its engine. */
  readonly percent: number
  readonly elapsedSeconds: number
}

export interface Work {
  readonly running: readonly RunningPiece[]
  /** In order of start. */
  readonly waiting: readonly (Piece & { readonly id: string })[]
  /** Songs mastered side by side, 1 or more. */
  readonly workers: number
  /** Jobs that have ended on this machine, newest first. */
  readonly past: readonly (Piece & { readonly workSeconds: number })[]
}

/** Fixed work of a song, however short, in seconds of music. */
const FIXED_COST_SECONDS = 15
/** Share of the work of a standard master to five platforms that is done once; the rest is per platform. */
const SHARED_COST = 0.35
const PLATFORM_COST = 0.13
/** Factor of the part per platform when masters are proofed against codecs. */
const PREMIUM_FACTOR = 4

/** Returns the work of a song in seconds of music of a standard master to five platforms; above 0. */
export function costOf({ durationSeconds, tier, platformCount }: Piece): number {
  const perPlatform = PLATFORM_COST * (tier === 'premium' ? PREMIUM_FACTOR : 1)
  return (durationSeconds + FIXED_COST_SECONDS) * (SHARED_COST + perPlatform * platformCount)
}

/** The engine's percent with the share of the total time elapsed at that point, the mean of recorded jobs. */
const SHARES: Readonly<Record<Tier, readonly (readonly [number, number])[]>> = {
  standard: [
    [0, 0],
    [12, 0.18],
    [43, 0.42],
    [82, 0.78],
    [86, 0.84],
    [100, 1],
  ],
  premium: [
    [0, 0],
    [4, 0.04],
    [15, 0.09],
    [34, 0.15],
    [94, 0.94],
    [100, 1],
  ],
}

/** Returns the share of the total time taken by a job of `tier` at `percent` (0 to 100); 0 to 1. */
export function timeShareOf(tier: Tier, percent: number): number {
  const points = SHARES[tier]
  const at = points.findIndex(([reached]) => reached >= percent)
  const [x1, y1] = points[at] ?? [100, 1]
  const [x0, y0] = points[at - 1] ?? [0, 0]
  return x1 > x0 ? y0 + ((percent - x0) / (x1 - x0)) * (y1 - y0) : y1
}

/** Weight of a job relative to the next newer one. */
const OLDER = 0.6
/** Weight of a running job that is nearly done, relative to the newest past one. */
const RUNNING_WEIGHT = 10
/** Elapsed work before a running job gives a pace, s. */
const SETTLE_SECONDS = 2

/** Returns seconds of work per unit of cost, weighted to newer jobs; null without data. */
export function paceOf({ past, running }: Pick<Work, 'past' | 'running'>): number | null {
  const told = [
    ...past.map((job, age) => ({ pace: job.workSeconds / costOf(job), weight: OLDER ** age })),
    ...running.flatMap((job) => {
      const share = timeShareOf(job.tier, job.percent)
      if (share <= 0 || job.elapsedSeconds < SETTLE_SECONDS) return []
      return [{ pace: job.elapsedSeconds / (share * costOf(job)), weight: RUNNING_WEIGHT * share }]
    }),
  ].filter(({ pace }) => pace > 0)
  const weight = told.reduce((sum, one) => sum + one.weight, 0)
  if (weight === 0) return null
  // Geometric mean, since these are ratios: twice as slow and twice as fast cancel out.
  return Math.exp(told.reduce((sum, one) => sum + one.weight * Math.log(one.pace), 0) / weight)
}

/** Seconds from now. */
export interface Forecast {
  /** Until a running song is done, by id. */
  readonly left: Readonly<Record<string, number>>
  /** Until a waiting song starts, by id. */
  readonly starts: Readonly<Record<string, number>>
  /** Until all of them are done. */
  readonly batch: number
}

/** Returns the forecast, each waiting song going to the next free worker; null while the pace is unknown. */
export function forecastOf(work: Work): Forecast | null {
  const pace = paceOf(work)
  if (pace === null || work.running.length + work.waiting.length === 0) return null
  const left: Record<string, number> = {}
  for (const job of work.running) left[job.id] = costOf(job) * (1 - timeShareOf(job.tier, job.percent)) * pace
  const free = Object.values(left)
  while (free.length < work.workers) free.push(0)
  const starts: Record<string, number> = {}
  let batch = Math.max(0, ...free)
  for (const song of work.waiting) {
    free.sort((a, b) => a - b)
    const at = free.shift() ?? 0
    const end = at + costOf(song) * pace
    starts[song.id] = at
    free.push(end)
    batch = Math.max(batch, end)
  }
  return { left, starts, batch }
}

/** The forecast on display, and since when newer ones contradict it. */
export interface Plan extends Forecast {
  readonly madeAtMs: number
  readonly doubtedSinceMs: number | null
}

/** Time a contradiction must last before the plan is replaced, ms. */
const DOUBT_MS = 3000
/** Smallest difference that a user notices, s. */
const SLACK_SECONDS = 5

/** Returns whether the time is now half as long again as planned, or more than a quarter and 5 s shorter. */
const isWrong = (planned: number, now: number) =>
  now > Math.max(SLACK_SECONDS, planned) * 1.5 || now < planned * 0.75 - SLACK_SECONDS

/**
 * Returns the plan to display now. It is kept, and its times count down, until it lacks a song or one of its times has
 * been wrong for three seconds; then it is replaced as a whole.
 */
export function nextPlan(before: Plan | null, forecast: Forecast | null, nowMs: number): Plan | null {
  if (!forecast) return null
  const fresh = { ...forecast, madeAtMs: nowMs, doubtedSinceMs: null }
  if (!before) return fresh
  const passed = (nowMs - before.madeAtMs) / 1000
  /** A song has either a start time or a time left. */
  const isUnknown = (id: string) => before.left[id] === undefined && before.starts[id] === undefined
  if ([...Object.keys(forecast.left), ...Object.keys(forecast.starts)].some(isUnknown)) return fresh
  const hasMoved = Object.keys(forecast.left).some((id) => before.left[id] === undefined)
  if (hasMoved) return fresh
  const differs =
    isWrong(before.batch - passed, forecast.batch) ||
    Object.entries(forecast.left).some(([id, now]) => isWrong((before.left[id] ?? 0) - passed, now)) ||
    Object.entries(forecast.starts).some(([id, now]) => isWrong((before.starts[id] ?? 0) - passed, now))
  if (!differs) return { ...before, doubtedSinceMs: null }
  const doubtedSinceMs = before.doubtedSinceMs ?? nowMs
  return nowMs - doubtedSinceMs >= DOUBT_MS ? fresh : { ...before, doubtedSinceMs }
}

/**
 * Rounds up to 5 s under a minute, to 15 s under ten, then to a minute; at least 5 s, since unfinished work takes time.
 */
export function roundedSeconds(seconds: number): number {
  const step = seconds < 60 ? 5 : seconds < 600 ? 15 : 60
  return Math.max(5, Math.ceil(seconds / step) * step)
}

/** Returns the times of a plan as displayed at a moment: rounded, in the same order. */
export function saidOf(plan: Plan, nowMs: number): Forecast {
  const passed = (nowMs - plan.madeAtMs) / 1000
  const said = (seconds: number) => roundedSeconds(seconds - passed)
  const all = (times: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(times).map(([id, seconds]) => [id, said(seconds)]))
  return { left: all(plan.left), starts: all(plan.starts), batch: said(plan.batch) }
}
