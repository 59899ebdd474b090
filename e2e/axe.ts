/** Asks axe what is wrong with a page as it stands. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright/test'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

/** Answers what breaks a rule, with the elements that do. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const found = await axe.run({ resultTypes: ['violations'] })
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)
  })
}
