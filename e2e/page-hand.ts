/** Hands on the page: files dropped on it, and its rows. */
import type { Page } from 'playwright/test'
import type { GivenFile } from './program.ts'

/** Drops files on the window, as a hand does: over it first, until it would take them, then let go. */
export async function drop(page: Page, files: readonly GivenFile[]): Promise<void> {
  const given = files.map((file) => ({ ...file, buffer: file.buffer.toString('base64') }))
  await page.evaluate(async (list) => {
    const transfer = new DataTransfer()
    for (const { name, mimeType, buffer } of list) {
      const bytes = Uint8Array.fromBase64(buffer)
      transfer.items.add(new File([bytes], name, { type: mimeType }))
    }
    const send = (type: string) =>
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }))
    // A page that is still coming up takes nothing.
    while (send('dragover')) await new Promise(requestAnimationFrame)
    send('dragenter')
    send('drop')
  }, given)
}

/** The row of a song by its title. */
export const rowOf = (page: Page, title: string) => page.locator('.song').filter({ hasText: title })
