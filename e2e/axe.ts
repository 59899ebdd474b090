/** Runs axe on a page in its current state. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright/test'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

/** Waits until colour transitions have ended. */
const comeToRest = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const fading = () =>
      document
        .getAnimations()
        .filter((one) => one instanceof CSSTransition && /color|opacity/.test(one.transitionProperty))
    while (fading().length > 0) await Promise.allSettled(fading().map((one) => one.finished))
  })

/** Returns the violated rules with their elements, once colour transitions have ended. */
export async function violations(page: Page): Promise<string[]> {
  await comeToRest(page)
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const found = await axe.run({
      resultTypes: ['violations'],
      // Experimental in axe, and WCAG 2.5.3: the accessible name contains the visible words.
      rules: { 'label-content-name-mismatch': { enabled: true } },
    })
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)
  })
}
