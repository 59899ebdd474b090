import type { Page } from 'playwright/test'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { drop, expect, master, openStart, type Program, song, test, untilOpen } from './web-fixtures.ts'

const MOST_MOTION_MS = 1
const PAGES = ['#/history', '#/automate', '#/settings/account', '#/settings/api-keys', '#/settings/language']

/** Marks and their backgrounds in Listen, by selector. */
const MARKS = [
  ...['.t.b', '.t', '.w-in', '.w-out', '.w-in-d', '.w-out-d', '.l-aim', '.l-out'].map((mark) => [
    `.lanes ${mark}`,
    '.lanes',
  ]),
  ['.playhead', '.lanes'],
  ['.meters .under', '.meters'],
  ['.plotbox .l-out', '.plotbox'],
  ['.level-part:has(:checked) small', '.level-part:has(:checked)'],
  ['.level-part:has(:checked) kbd', '.level-part:has(:checked)'],
] as const

/** The contrast of a mark, by its stroke, fill or text, with its background. */
const contrast = (page: Page, mark = '', ground = '') =>
  page.evaluate(
    ([markAt = '', groundAt = '']) => {
      const one = (selector: string) => {
        const element = document.querySelector(selector)
        if (!element) throw new Error(`nothing is ${selector}`)
        return [element, getComputedStyle(element)] as const
      }
      const brush = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
      const luminance = (colour: string) => {
        if (!brush) return 0
        brush.fillStyle = colour
        brush.fillRect(0, 0, 1, 1)
        const [red = 0, green = 0, blue = 0] = [...brush.getImageData(0, 0, 1, 1).data].map((value) => {
          const part = value / 255
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
        })
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
      }
      const [drawn, style] = one(markAt)
      const isShape = drawn instanceof SVGElement
      const colour = isShape
        ? style.stroke !== 'none'
          ? style.stroke
          : style.fill
        : drawn.matches('.playhead')
          ? style.backgroundColor
          : style.color
      const [a, b] = [luminance(colour), luminance(one(groundAt)[1].backgroundColor)]
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    },
    [mark, ground],
  )

/** Masters a song for all platforms and returns its job. */
const masterOne = (program: Program) => {
  const { name, mimeType, buffer } = song('One.wav', 1, 4)
  const file = new File([new Uint8Array(buffer)], name, { type: mimeType })
  return master(program, { file, platforms: PLATFORMS.join() })
}

test.describe('with little motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })

  test('nothing on any page is animated', async ({ page, program }) => {
    const moving = () =>
      page.evaluate((most) => {
        const ms = (list: string) =>
          Math.max(...list.split(',').map((one) => Number.parseFloat(one) * (/ms/.test(one) ? 1 : 1000)))
        return [...document.querySelectorAll('*')].flatMap((element) =>
          ['', '::before', '::after'].flatMap((pseudo) => {
            const { animationName, animationDuration, transitionDuration } = getComputedStyle(element, pseudo || null)
            const isAnimated = animationName !== 'none' && ms(animationDuration) > most
            const name = `${element.tagName}.${element.getAttribute('class')}${pseudo}`
            return isAnimated || ms(transitionDuration) > most ? [name] : []
          }),
        )
      }, MOST_MOTION_MS)
    const job = await masterOne(program)
    const visit = async (address: string) => {
      await page.goto(new URL(address, page.url()).href)
      await expect(page.locator('main h1')).toBeAttached()
      await page.waitForTimeout(300)
    }
    for (const address of [...PAGES, `#/listen/${job.job_id}`]) {
      await visit(address)
      expect(await moving(), address).toEqual([])
    }
    await page.getByRole('button', { name: 'Compare' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect(await moving(), 'dialog').toEqual([])
    await visit('#/history')
    await page.getByRole('button', { name: 'More: One' }).click()
    await expect(page.getByRole('menu')).toBeVisible()
    expect(await moving(), 'menu').toEqual([])
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await expect(page.locator('.toast')).toBeVisible()
    expect(await moving(), 'toast').toEqual([])
  })
})

test.describe('in forced colours', () => {
  test.use({ contextOptions: { forcedColors: 'active' } })

  test('what is chosen, what has the focus and what is off are told apart', async ({ page, program }) => {
    const job = await masterOne(program)
    const look = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { outlineStyle, outlineWidth, outlineColor, backgroundColor } = getComputedStyle(element)
          const outline = outlineStyle === 'none' ? 'no outline' : `${outlineWidth} ${outlineStyle} ${outlineColor}`
          return `${outline} on ${backgroundColor}`
        })
    for (const address of PAGES) {
      await page.goto(new URL(address, page.url()).href)
      await expect(page.locator('main h1')).toBeAttached()
      await page.waitForTimeout(300)
      for (let steps = 0; steps < 12; steps++) {
        await page.keyboard.press('Tab')
        const seen = await page.evaluate(() => {
          const isDrawn = (element: Element | null) =>
            element !== null &&
            Number.parseFloat(getComputedStyle(element).outlineWidth) >= 2 &&
            getComputedStyle(element).outlineStyle !== 'none'
          const focused = document.activeElement
          const isHidden = focused?.classList.contains('vh')
          return {
            isSeen: isHidden
              ? isDrawn(focused?.parentElement ?? null) || isDrawn(focused?.nextElementSibling ?? null)
              : isDrawn(focused) || isDrawn(focused?.closest('.input') ?? null),
            element: focused?.outerHTML.slice(0, 120),
          }
        })
        if (seen.element?.startsWith('<body')) break
        expect(seen.isSeen, `${address}: ${seen.element}`).toBe(true)
      }
    }
    await page.goto(new URL('#/history', page.url()).href)
    await page.goto(new URL('#/settings/account', page.url()).href)
    await expect(page.locator('.subnav')).toBeVisible()
    expect(await look('.subnav a[aria-current]')).toContain('2px solid')
    await page.goto(new URL('#/master', page.url()).href)
    await drop(page, [song('Two.wav', 2), song('Three.wav', 3)])
    await page.getByRole('button', { name: /^Quality/ }).click()
    await expect(page.locator('.side .choice')).toBeVisible()
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ forcedColors: 'active', colorScheme })
      const [card, title] = ['.choice > :has(:checked)', '.choice > :has(:checked) b']
      expect(await contrast(page, title, card), `the chosen tier, ${colorScheme}`).toBeGreaterThan(4.5)
    }
    await page.locator('.song', { hasText: 'Two' }).click()
    await openStart(page)
    await page.getByRole('radio', { name: 'EDM' }).check({ force: true })
    const likeAll = page.getByRole('button', { name: 'Same as all' })
    const beside = await likeAll.evaluate((button) => {
      const column = button.closest('.scope')
      return button.getBoundingClientRect().right - (column?.getBoundingClientRect().right ?? 0)
    })
    expect(beside, 'px beside its line').toBeLessThanOrEqual(0)
    await page.goto(new URL('#/history', page.url()).href)
    const chosenFilter = await look('.seg > :has(:checked)')
    expect(chosenFilter).not.toBe(await look('.seg > :not(:has(:checked))'))

    await page.goto(new URL(`#/listen/${job.job_id}`, page.url()).href)
    await untilOpen(page)
    const [chosen, other] = ['.vers [aria-pressed="true"]', '.vers [role=gridcell]:not(.off) [aria-pressed="false"]']
    const quiet = await look(chosen)
    expect(quiet).not.toBe(await look(other))
    await page.locator(chosen).focus()
    await page.keyboard.press('End')
    await page.locator(chosen).focus()
    expect(await look(chosen)).not.toBe(quiet)
    const colour = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((one) => getComputedStyle(one).color)
    expect(await colour('.vers .off:not(:has(.make)) button')).not.toBe(await colour(other))
    // The pictures keep their own background and colours, which carry meaning.
    for (const picture of ['.lanes', '.meters', '.plotbox']) {
      await expect(page.locator(picture).first()).toHaveCSS('forced-color-adjust', 'none')
    }
    await page.keyboard.press('0')
    await page.keyboard.press('1')
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ forcedColors: 'active', colorScheme })
      for (const [mark, ground] of MARKS) {
        const least = mark.endsWith('-d') ? 1.5 : 3
        expect(await contrast(page, mark, ground), `${mark} on ${ground}, ${colorScheme}`).toBeGreaterThan(least)
      }
    }
    // Quiet buttons have borders here, aligned with the controls above and below them.
    const outOfLine = await page.locator('.lower .btn').evaluateAll((all) =>
      all.flatMap((one) => {
        const column = one.closest('.lower > *')?.getBoundingClientRect().right ?? 0
        return one.getBoundingClientRect().right > column ? [one.textContent] : []
      }),
    )
    expect(outOfLine).toEqual([])
    const off = await look('.loopbtn')
    await page.keyboard.press('p')
    expect(await look('.loopbtn')).not.toBe(off)
  })
})

/** One node of Chromium's accessibility tree. */
interface AxNode {
  readonly ignored: boolean
  readonly role?: { readonly value: string }
  readonly name?: { readonly value: string }
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[]
}

const CONTROLS = [
  'button',
  'link',
  'checkbox',
  'radio',
  'textbox',
  'combobox',
  'slider',
  'radiogroup',
  'table',
  'region',
  'image',
]

for (const [locale, history, original] of [
  ['en-GB', 'History', 'Original'],
  ['ko-KR', '기록', '원본'],
] as const) {
  test.describe(`to a screen reader, in ${locale}${locale === 'ko-KR' ? ' @long' : ''}`, () => {
    test.use({ locale })

    test('every control has its name, headings an outline, tables their heads, the switch its state', async ({
      page,
      program,
    }) => {
      const job = await masterOne(program)
      await program.call('POST', '/app/keys', { name: 'n8n' })
      const reader = await page.context().newCDPSession(page)
      const visit = async (address: string) => {
        await page.goto(new URL(address, page.url()).href)
        await expect(page.locator('main h1')).toBeAttached()
        await page.waitForTimeout(600)
        const { nodes } = (await reader.send('Accessibility.getFullAXTree')) as { nodes: AxNode[] }
        const heard = nodes.filter((node) => !node.ignored)
        const of = (...roles: string[]) => heard.filter((node) => roles.includes(node.role?.value ?? ''))
        const nameOf = (node: AxNode) => node.name?.value ?? ''
        const propertyOf = (node: AxNode, property: string) =>
          node.properties?.find(({ name }) => name === property)?.value.value
        expect(
          of(...CONTROLS).filter((node) => nameOf(node) === ''),
          address,
        ).toEqual([])
        const levels = of('heading').map((node) => Number(propertyOf(node, 'level')))
        expect(levels[0], address).toBe(1)
        expect(
          levels.filter((level) => level === 1),
          address,
        ).toHaveLength(1)
        expect(
          levels.every((level, i) => i === 0 || level - (levels[i - 1] as number) <= 1),
          address,
        ).toBe(true)
        const buttons = of('button').map(nameOf)
        expect(
          of('heading')
            .map(nameOf)
            .filter((name) => buttons.some((button) => name.includes(button))),
          address,
        ).toEqual([])
        const tables = of('table').length
        expect(tables === 0 || of('columnheader', 'rowheader').length > tables, address).toBe(true)
        expect(heard.filter((node) => propertyOf(node, 'live') === 'polite').length, address).toBeGreaterThan(0)
        return { of, nameOf, propertyOf }
      }
      for (const address of PAGES) await visit(address)
      const { of, nameOf, propertyOf } = await visit(`#/listen/${job.job_id}`)
      const versions = of('button').filter((node) => /LUFS/.test(nameOf(node)))
      expect(versions.map((node) => propertyOf(node, 'pressed'))).toEqual([
        'false',
        'true',
        'false',
        'false',
        'false',
        'false',
      ])
      expect(nameOf(versions[0] as AxNode)).toContain(original)

      const spoken = page.locator('[aria-live=polite].vh').first()
      await page.keyboard.press('0')
      await expect(spoken).toContainText(original)
      await page.getByRole('link', { name: history, exact: true }).click()
      await expect(page.locator('main h1')).toHaveText(history)
      await page.keyboard.press('/')
      await page.keyboard.type('nothing like it')
      await expect(spoken).toHaveText(/No songs match|검색 결과가 없어요/)
      await page.keyboard.press('Escape')
      await expect(spoken).toHaveText(/^1 song$|^1곡$/)
    })
  })
}
