/** Asks axe what is wrong with a page as it stands. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright/test'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

/** Waits until nothing changes its colour any more. */
const comeToRest = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const fading = () =>
      document
        .getAnimations()
        .filter((one) => one instanceof CSSTransition && /color|opacity/.test(one.transitionProperty))
    while (fading().length > 0) await Promise.allSettled(fading().map((one) => one.finished))
  })

/** Answers what breaks a rule, with the elements that do, once colours have arrived. */
export async function violations(page: Page): Promise<string[]> {
  await comeToRest(page)
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const found = await axe.run({
      resultTypes: ['violations'],
      // Experimental in axe, and 2.5.3 of WCAG: a name that is spoken holds the words that are seen.
      rules: { 'label-content-name-mismatch': { enabled: true } },
    })
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)
  })
}
