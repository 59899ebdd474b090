/** Pointer actions on the page: dropping files, and finding rows. */
import { expect, type Page } from 'playwright/test'
import type { GivenFile } from './program.ts'

/** Resolves when the page accepts files: during loading it misses a drop or a paste. */
export async function untilUp(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([], 'song.wav'))
    return !document.body.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer }))
  })
}

/** Drops files on the window as a user does: drag over, then release. */
export async function drop(page: Page, files: readonly GivenFile[]): Promise<void> {
  await untilUp(page)
  const given = files.map((file) => ({ ...file, buffer: file.buffer.toString('base64') }))
  await page.evaluate(async (list) => {
    const transfer = new DataTransfer()
    for (const { name, mimeType, buffer } of list) {
      const bytes = Uint8Array.fromBase64(buffer)
      transfer.items.add(new File([bytes], name, { type: mimeType }))
    }
    const send = (type: string) =>
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }))
    send('dragenter')
    send('dragover')
    send('drop')
  }, given)
}

/** The row of a song by its title. */
export const rowOf = (page: Page, title: string) => page.locator('.song').filter({ hasText: title })

/** The part of the switch that plays a version, by the beginning of its name. */
export const cellOf = (page: Page, name: string) =>
  page.locator('.vers').getByRole('button', { name: new RegExp(`^${name}`) })

/** The check box of the switch that makes a master. */
export const makeOf = (page: Page, name: string) => page.getByRole('checkbox', { name: `Make ${name}` })

/** Resolves when the versions on the stage can be played. */
export async function untilOpen(page: Page): Promise<void> {
  await expect(page.locator('.vers')).toHaveAttribute('aria-busy', 'false')
}

/** Opens the genre, the generator and the reference of the Sound pane. */
export async function openStart(page: Page): Promise<void> {
  const fold = page.getByRole('button', { name: /^Starting point/ })
  if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click()
}

/** Goes to a screen by the bar, or behind its gear. */
export async function openScreen(page: Page, screen: string): Promise<void> {
  if (!['Automate', 'Settings'].includes(screen)) return page.getByRole('link', { name: screen, exact: true }).click()
  await page.locator('.gear').click()
  await page.getByRole('menuitem', { name: screen, exact: true }).click()
}
