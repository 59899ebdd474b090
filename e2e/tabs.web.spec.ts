/** Many tabs of one browser on one program. */
import type { BrowserContext, Page, Request } from 'playwright/test'
import { drop, expect, type Program, rowOf, song, test } from './web-fixtures.ts'

test.use({ platforms: ['spotify'] })
// Three songs and a restart with ten tabs, on a busy machine.
test.setTimeout(1_200_000)

async function openTabs(context: BrowserContext, program: Program, count: number): Promise<Page[]> {
  const tabs: Page[] = []
  for (let tab = 0; tab < count; tab++) {
    const page = await context.newPage()
    await page.goto(await program.newLink())
    await expect(page.locator('.first, .songs')).toBeVisible()
    tabs.push(page)
  }
  return tabs
}

const measured = (page: Page) => expect(page.locator('.song.ready')).toHaveCount(1)
const start = (page: Page) => page.locator('.action-bar .btn.primary').click()
const isDone = (page: Page, title: string) => expect(rowOf(page, title)).toContainText('1 master')

for (const isElected of [false, true])
  test.describe(isElected ? 'without a shared worker @long' : 'with a shared worker', () => {
    test('ten tabs load, and all of them follow a job from a song that one of them measures', async ({
      page: _first,
      context,
      program,
    }) => {
      await _first.close()
      if (isElected) await context.addInitScript(() => Reflect.deleteProperty(window, 'SharedWorker'))
      const looks: Request[] = []
      const streams: Request[] = []
      context.on('request', (request) => {
        if (request.url().endsWith('/api/v1/analyze')) looks.push(request)
        if (request.url().endsWith('/api/v1/events')) streams.push(request)
      })
      const tabs = await openTabs(context, program, 10)
      const [leader, other] = tabs as [Page, Page]
      await drop(other, [song('Alpha.wav', 1, 2)])
      for (const tab of tabs) await measured(tab)
      expect(looks.length, 'one look at one song').toBe(1)
      if (isElected) expect(streams.length).toBe(1)
      await start(other)
      for (const tab of tabs) await isDone(tab, 'Alpha')

      await leader.close()
      await drop(other, [song('Beta.wav', 2, 2)])
      await measured(other)
      await start(other)
      for (const tab of tabs.slice(1)) await isDone(tab, 'Beta')
      await program.killAndRestart()
      const fresh = await context.newPage()
      await fresh.goto(await program.newLink())
      for (const tab of tabs.slice(1)) await isDone(tab, 'Beta')
      await drop(fresh, [song('Gamma.wav', 3, 2)])
      for (const tab of tabs.slice(1)) await expect(rowOf(tab, 'Gamma')).toHaveClass(/ready/)
    })
  })
