import type { Desk } from '../src-server/contract/app.ts'
import { expect, test } from './desktop-fixtures.ts'
import { writeSong } from './desktop-songs.ts'

test('songs that were given to the window arrive although it is read again at once', async ({ user, desktop }) => {
  const { page } = desktop
  const files = ['One', 'Two', 'Three', 'Four'].map((name, i) => writeSong(user.music, `${name}.wav`, 60, i + 1))
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('.first .btn.primary')])
  await chooser.setFiles(files)
  await expect(page.locator('.song').first()).toBeVisible()
  // Electron's messages carry the paths of files. The stand-in asks the page for them, and once that is read again it answers no more.
  const named = () =>
    desktop.app.evaluate(() => {
      const { __standin } = globalThis as unknown as { __standin?: { filesNamed?: number } }
      return __standin ? (__standin.filesNamed ?? 0) : null
    })
  await expect.poll(async () => (await named()) ?? files.length).toBe(files.length)
  // Not until all is loaded: what is looked at comes later by itself.
  await page.reload({ waitUntil: 'commit' })
  const titles = async () => (await desktop.call<Desk>('GET', '/app/desk')).songs.map((song) => song.source.title)
  await expect.poll(titles, { timeout: 60_000 }).toEqual(['One', 'Two', 'Three', 'Four'])
  await expect(page.locator('.song')).toHaveCount(4)
  await expect(page.locator('.song.interrupted')).toHaveCount(0)
})
