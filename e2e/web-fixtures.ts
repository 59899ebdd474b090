/** Gives the specs of the page a running program and a page on its link. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test as base, type Page } from 'playwright/test'
import { type GivenFile, type Program, startProgram } from './program.ts'

export { expect } from 'playwright/test'
export { noSong, type Program, silence, song } from './program.ts'

/** Drops files on the window, as a hand does: over it first, then let go. */
export async function drop(page: Page, files: readonly GivenFile[]): Promise<void> {
  const given = files.map((file) => ({ ...file, buffer: file.buffer.toString('base64') }))
  await page.evaluate(async (list) => {
    const transfer = new DataTransfer()
    for (const { name, mimeType, buffer } of list) {
      const bytes = Uint8Array.from(atob(buffer), (letter) => letter.charCodeAt(0))
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

/** `home` is the folder in which the program keeps what it has. */
export const test = base.extend<{ home: string; program: Program }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
  home: async ({}, use) => {
    const home = mkdtempSync(path.join(tmpdir(), 'loudsmith-web-'))
    await use(home)
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  },
  program: async ({ home }, use) => {
    const program = await startProgram(home)
    await use(program)
    await program.stop()
  },
  page: async ({ page, program }, use) => {
    const failures: string[] = []
    page.on('pageerror', (error) => failures.push(error.message))
    await page.goto(program.link)
    await use(page)
    if (failures.length > 0) throw new Error(`the page threw: ${failures.join('; ')}`)
  },
})
