/** Longest tasks of the page, from Chromium's trace. */
import type { Browser, Page } from 'playwright/test'

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Processor time, µs: excludes other work on a busy machine. */
  readonly tdur?: number
}

/** Time for the page to finish the work of an action, ms. */
const REST_MS = 400

/**
 * Returns the longest task of the page's main thread, ms of processor time, while `act` runs and the page settles; 0 if
 * nothing is drawn.
 */
export async function longestTask(page: Page, browser: Browser, act: () => Promise<unknown>): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] })
  await act()
  await page.waitForTimeout(REST_MS)
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const drawn = traceEvents.find(({ name }) => name === 'UpdateLayoutTree' || name === 'Paint')
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith('RunTask') && pid === drawn?.pid && tid === drawn?.tid,
  )
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1000
}
