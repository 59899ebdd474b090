import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright/test'
import type { Job, JobPage } from '../src-contract/jobs.ts'
import { violations } from './axe.ts'
import {
  asMp3,
  findStart,
  heardSeconds,
  leftChannel,
  longestSilence,
  mixOf,
  musicBytes,
  placeWindows,
  pressWhileHeard,
  tappedSound,
  tapSound,
} from './listen-sound.ts'
import { cellOf, expect, lookingTest, master, untilOpen } from './web-fixtures.ts'

/** Largest shift of the music by a switch, and shortest silence that is audible as a gap. */
const MOST_OFFSET_MS = 5
const MOST_SILENCE_MS = 1

interface Mastered {
  readonly job: Job
  file(name: string): Promise<Buffer>
  /** Its report as a page. */
  html(): Promise<string>
  open(page: Page): Promise<void>
}

type Parts = Record<string, string | File>

/** `listen` masters a song, once for all tests if it is given as a function. */
const test = lookingTest.extend<
  // biome-ignore lint/complexity/noBannedTypes: Playwright's word for no fixtures of one test
  {},
  { listen: (parts: Parts | (() => Parts)) => Promise<Mastered>; folder: string }
>({
  folder: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-listen-'))
      await use(folder)
      rmSync(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  listen: [
    async ({ program }, use) => {
      const headers = { Authorization: `Bearer ${program.credential}` }
      const read = (job: Job, what: string) =>
        fetch(`${program.baseUrl}/api/v1/jobs/${job.job_id}/${what}`, { headers })
      const listenTo = async (parts: Parts): Promise<Mastered> => {
        const job = await master(program, parts)
        return {
          job,
          file: async (name) => Buffer.from(await (await read(job, `files/${name}`)).arrayBuffer()),
          html: async () => (await read(job, 'report?format=html')).text(),
          async open(page) {
            await page.evaluate((id) => {
              location.hash = `#/listen/${id}`
            }, job.job_id)
            await expect(page.locator('.vers')).toBeVisible()
            await untilOpen(page)
          },
        }
      }
      const known = new Map<() => Parts, Promise<Mastered>>()
      await use((parts) => {
        if (typeof parts !== 'function') return listenTo(parts)
        const mastered = known.get(parts) ?? listenTo(parts())
        known.set(parts, mastered)
        return mastered
      })
    },
    { scope: 'worker' },
  ],
})

const wav = (seconds: number, rateHz: number, seed: number, name: string) =>
  new File([new Uint8Array(musicBytes(seconds, rateHz, seed))], name, { type: 'audio/wav' })

const TITLE = '아주 긴 제목을 가진 노래 (final mix 3)'
const longTitled = () => ({ file: wav(14, 44_100, 8, `${TITLE}.wav`), platforms: 'spotify,melon', genre: 'pop' })

const clipped = () => {
  const bytes = musicBytes(12, 44_100, 6)
  for (let at = 44; at < bytes.length; at += 2) {
    bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, bytes.readInt16LE(at) * 6)), at)
  }
  return { file: new File([new Uint8Array(bytes)], 'hot.wav', { type: 'audio/wav' }), platforms: 'melon' }
}

/** Plays, switches with the keys in turn, pauses, and returns the sequence heard. */
async function recordSwitching(page: Page, keys: readonly string[], everySeconds = 0.42) {
  await page.keyboard.press('Space')
  // Timed by the sound and within the page: on a busy machine the song would end before keys from outside arrive.
  await pressWhileHeard(page, [...keys, ' '], 1.2, everySeconds)
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
  await page.waitForTimeout(400)
  return tappedSound(page)
}

/** Compares a recording with the files of its job, and returns its offset. */
async function measureSwitching(
  mastered: Mastered,
  folder: string,
  names: readonly string[],
  heard: { samples: Float32Array; rateHz: number },
) {
  const { samples, rateHz } = heard
  const files: Record<string, Float32Array> = {}
  for (const name of names) files[name] = await leftChannel(await mastered.file(name), rateHz, folder)
  const first = samples.findIndex((value) => Math.abs(value) > 1e-5)
  const last = samples.findLastIndex((value) => Math.abs(value) > 1e-5)
  const at = first + Math.round(rateHz * 0.3)
  const start = { at, from: findStart(samples, at, files.spotify ?? new Float32Array()) }
  const mostLag = Math.round(rateHz * 0.008)
  const placed = placeWindows(samples, files, start, last - Math.round(rateHz * 0.02), mostLag)
  const sure = placed.filter((one) => one.likeness > 0.97)
  const worst = Math.max(...sure.map((one) => Math.abs(one.lag)))
  return {
    heardVersions: new Set(sure.map((one) => one.version)),
    share: sure.length / placed.length,
    worstFrames: worst,
    worstMs: (worst / rateHz) * 1000,
    silenceMs: (longestSilence(samples, at, last) / rateHz) * 1000,
    seconds: (last - first) / rateHz,
  }
}

test('a reference is drawn on the clock of the song while it is heard, however long it is itself', async ({
  page,
  listen,
}) => {
  const mastered = await listen({
    file: wav(12, 44_100, 2, 'short.wav'),
    reference_file: wav(24, 44_100, 9, 'long.wav'),
    platforms: 'spotify',
  })
  await mastered.open(page)
  await page.keyboard.press('R')
  const pointsOf = async (mark: string) => {
    const path = (await page.locator(`.lanes ${mark}`).getAttribute('d')) ?? ''
    return Array.from(path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g), ([, x, y]) => [Number(x), Number(y)] as const)
  }
  await expect(page.locator('.lanes .l-ref')).toBeVisible()
  const heights = (await pointsOf('.w-aim')).map(([, y]) => y)
  expect(Math.max(...heights) - Math.min(...heights)).toBeGreaterThan(20)
  const levels = (await pointsOf('.l-ref')).map(([x]) => x)
  expect(levels.length).toBeGreaterThan(20)
  expect(new Set(levels).size).toBe(levels.length)
})

// Alone: a browser that gets no processor plays gaps, and these journeys judge what it plays.
test.describe('what the loudspeaker gets', { tag: '@alone' }, () => {
  test.use({ bypassCSP: true })

  test('switching between original, masters of two rates and reference moves the music by no more than 5 ms, without a gap', async ({
    page,
    listen,
    folder,
  }, info) => {
    await tapSound(page)
    await page.reload()
    const mastered = await listen({
      file: wav(16, 48_000, 1, '전환.wav'),
      reference_file: wav(14, 44_100, 9, 'reference.wav'),
      platforms: 'spotify,apple_music,youtube,melon',
      genre: 'kpop',
      loudness: 'platform',
    })
    const rates = new Set(mastered.job.results.map((one) => one.sample_rate_hz))
    info.annotations.push({ type: 'rates of the masters', description: [...rates].join(', ') })
    await mastered.open(page)
    const heard = await recordSwitching(page, ['0', '1', '4', '3', 'x', '2', 'x', 'R', '0', '1', '0', '3'])
    const names = ['source', 'spotify', 'apple_music', 'youtube', 'melon', 'reference']
    const found = await measureSwitching(mastered, folder, names, heard)
    info.annotations.push({
      type: 'measured',
      description: JSON.stringify({ ...found, heardVersions: [...found.heardVersions] }),
    })
    expect(found.seconds).toBeGreaterThan(5)
    expect(found.share).toBeGreaterThan(0.85)
    expect(found.worstMs).toBeLessThanOrEqual(MOST_OFFSET_MS)
    expect(found.silenceMs).toBeLessThanOrEqual(MOST_SILENCE_MS)
    expect(found.heardVersions.has('source') && found.heardVersions.has('reference')).toBe(true)
  })

  test('an MP3, whose decoder may leave a delay before it, is lined up with its masters', async ({
    page,
    listen,
    folder,
  }, info) => {
    await tapSound(page)
    await page.reload()
    const mp3 = await asMp3(musicBytes(14, 44_100, 3), folder)
    const mastered = await listen({
      file: new File([new Uint8Array(mp3)], 'song.mp3', { type: 'audio/mpeg' }),
      platforms: 'spotify,melon',
    })
    await mastered.open(page)
    const heard = await recordSwitching(page, ['0', '1', '0', '4', '0', '1'])
    const found = await measureSwitching(mastered, folder, ['source', 'spotify', 'melon'], heard)
    info.annotations.push({
      type: 'measured',
      description: JSON.stringify({ ...found, heardVersions: [...found.heardVersions] }),
    })
    expect(found.share).toBeGreaterThan(0.85)
    expect(found.worstMs).toBeLessThanOrEqual(MOST_OFFSET_MS)
    expect(found.heardVersions.has('source')).toBe(true)
  })

  test('a master is heard as a codec leaves it, and the difference alone, at the same place and level without a gap', async ({
    page,
    listen,
    folder,
    program,
  }, info) => {
    await tapSound(page)
    await page.reload()
    const mastered = await listen({ file: wav(24, 44_100, 12, 'codec.wav'), platforms: 'melon,spotify', genre: 'edm' })
    await mastered.open(page)
    const cell = page.locator('.vers [role=gridcell]', { hasText: 'Melon' })
    const menu = page.getByRole('button', { name: /^Format of / })
    await page.keyboard.press('4')
    const choose = async (name: RegExp) => {
      await menu.press('Enter')
      await page.getByRole('menuitemradio', { name }).press('Enter')
    }
    // Made while paused: the song cannot end meanwhile, however long it takes.
    await choose(/^MP3 320/)
    await expect(cell).toContainText('MP3 320')
    await choose(/^As uploaded/)
    const listenFor = async (seconds: number) => {
      const until = (await heardSeconds(page)) + seconds
      await expect.poll(() => heardSeconds(page)).toBeGreaterThan(until)
    }
    await page.locator('#content').focus()
    await page.keyboard.press('Space')
    await listenFor(1)
    await page.keyboard.down('\\')
    await expect(cell).toContainText('Difference')
    await listenFor(0.7)
    await page.keyboard.up('\\')
    await choose(/^MP3 320/)
    await expect(cell).toContainText('MP3 320')
    await listenFor(1)
    await page.locator('#content').focus()
    await page.keyboard.down('\\')
    await expect(cell).toContainText('Δ MP3 320')
    await listenFor(0.7)
    await page.keyboard.up('\\')
    await listenFor(0.7)
    await page.keyboard.press('Space')
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
    const { samples, rateHz } = await tappedSound(page)

    const copy = await fetch(`${program.baseUrl}/app/jobs/${mastered.job.job_id}/copies/melon/mp3_320`, {
      headers: { Authorization: `Bearer ${program.credential}` },
    })
    const left = async (bytes: Buffer) => leftChannel(bytes, rateHz, folder)
    const [source, master, coded] = [
      await left(await mastered.file('source')),
      await left(await mastered.file('melon')),
      await left(Buffer.from(await copy.arrayBuffer())),
    ] as const
    const first = samples.findIndex((value) => Math.abs(value) > 1e-5)
    const last = samples.findLastIndex((value) => Math.abs(value) > 1e-6)
    const at = first + Math.round(rateHz * 0.3)
    const from = findStart(samples, at, master)
    const heard: string[] = []
    const gains: number[] = []
    for (let window = at; window < last - 4096; window += 2048) {
      const place = from + window - at
      const codec = mixOf(samples, window, [coded, master], place)
      const mastering = mixOf(samples, window, [master, source], place)
      const is = (a: number, b: number) => Math.abs(a - b) < 0.02
      let name = ''
      if (codec.restDb < -70 && is(codec.first, 0)) name = 'master'
      else if (codec.restDb < -70 && is(codec.second, 0)) name = 'copy'
      else if (codec.restDb < -70 && is(codec.first, -codec.second)) name = 'copy without master'
      else if (mastering.restDb < -70 && mastering.second < -0.9) name = 'master without original'
      if (name === 'master') gains.push(codec.second)
      if (name === 'copy') gains.push(codec.first)
      if (name === 'master without original') gains.push(-mastering.first / mastering.second)
      // A window during a cross-fade matches neither.
      if (name && name !== heard.at(-1)) heard.push(name)
    }
    info.annotations.push({ type: 'gains', description: `${Math.min(...gains)} to ${Math.max(...gains)}` })
    expect(heard).toEqual(['master', 'master without original', 'master', 'copy', 'copy without master', 'copy'])
    // The original is quieter and unchanged: every gain is the master's match to it.
    const printed = await page.locator('.level-part', { hasText: 'Matched' }).locator('small').textContent()
    const matchedDb = Number(printed?.replace('−', '-').replace(/ dB.*/, ''))
    for (const gain of gains) expect(Math.abs(20 * Math.log10(gain) - matchedDb)).toBeLessThan(0.06)
    expect((longestSilence(samples, at, last) / rateHz) * 1000).toBeLessThanOrEqual(MOST_SILENCE_MS)

    await page.getByRole('button', { name: 'Blind test' }).press('Enter')
    await page
      .getByRole('region', { name: 'Blind test' })
      .getByRole('button', { name: 'Start the test' })
      .press('Enter')
    await expect(page.locator('[aria-live]'), 'the copy is compared with its master').toHaveText(
      /^A is Melon, B is Melon · MP3 320 kbit\/s/,
    )
    await page.keyboard.press('b')
    await page.keyboard.press('Space')
    await expect(page.getByRole('button', { name: 'Pause playback' })).toBeVisible()
  })

  test('matched plays a louder master no louder than the original, and a file as it is', async ({ page, listen }) => {
    await tapSound(page)
    await page.reload()
    const mastered = await listen({ file: wav(12, 44_100, 5, 'level.wav'), platforms: 'melon' })
    await mastered.open(page)
    const part = page.locator('.level-part', { hasText: 'Matched' })
    const printed = Number((await part.locator('small').textContent())?.replace('−', '-').replace(/ dB.*/, ''))
    expect(printed).toBeLessThan(-0.5)
    // The tap is installed at the first sound, too late for its beginning.
    await levelOfFirstSecond(page)
    await page.keyboard.press('Home')
    const matched = await levelOfFirstSecond(page)
    await page.keyboard.press('l')
    await expect(page.getByRole('radio', { name: 'File' })).toBeChecked()
    await page.keyboard.press('Home')
    const asItIs = await levelOfFirstSecond(page)
    expect(Math.abs(matched - asItIs - printed)).toBeLessThan(0.1)
  })
})

/**
 * Plays until more than a second has been output, pauses until the output ends, and returns the level of that second,
 * dB.
 */
async function levelOfFirstSecond(page: Page): Promise<number> {
  const before = (await tappedSound(page)).samples.length
  const heard = async () => {
    const { samples, rateHz } = await tappedSound(page)
    const first = samples.findIndex((value, i) => i >= before && Math.abs(value) > 1e-5)
    return { rateHz, sound: first < 0 ? samples.slice(0, 0) : samples.slice(first) }
  }
  const seconds = async () => {
    const { sound, rateHz } = await heard()
    return sound.length / rateHz
  }
  await page.keyboard.press('Space')
  await expect.poll(seconds).toBeGreaterThan(1.2)
  await page.keyboard.press('Space')
  const quietSeconds = async () => {
    const { sound, rateHz } = await heard()
    const last = sound.findLastIndex((value) => Math.abs(value) > 1e-5)
    return (sound.length - last) / rateHz
  }
  await expect.poll(quietSeconds).toBeGreaterThan(0.1)
  const { sound, rateHz } = await heard()
  const piece = sound.slice(Math.round(rateHz * 0.05), rateHz)
  return 10 * Math.log10(piece.reduce((sum, value) => sum + value * value, 0) / piece.length)
}

test('a listener finds their way by keys alone: play, seek, loop, level, versions', async ({ page, listen }) => {
  const mastered = await listen(longTitled)
  await mastered.open(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(TITLE)
  const clock = page.locator('.time span').first()
  await page.keyboard.press('Space')
  await expect(clock).not.toHaveText('0:00.0')
  await expect(page.getByRole('button', { name: 'Pause playback' })).toBeVisible()
  await page.keyboard.press('Space')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await expect(clock).toHaveText('0:05.0')
  await page.keyboard.press('Shift+ArrowLeft')
  await expect(clock).toHaveText('0:04.0')
  await page.keyboard.press('i')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('o')
  await expect(page.getByRole('button', { name: 'Loop 0:04–0:09' })).toHaveAttribute('aria-pressed', 'false')
  await page.keyboard.press('p')
  await expect(page.getByRole('button', { name: 'Loop 0:04–0:09' })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('p')
  await expect(page.getByRole('button', { name: 'Loop 0:04–0:09' })).toHaveAttribute('aria-pressed', 'false')
  // The same key on a Korean layout.
  await page.locator('body').dispatchEvent('keydown', { key: 'ㅔ', code: 'KeyP' })
  await expect(page.getByRole('button', { name: 'Loop 0:04–0:09' })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('p')
  await page.keyboard.press('4')
  await expect(cellOf(page, 'Melon')).toHaveAttribute('aria-pressed', 'true')
  await expect(page.locator('tr.on')).toContainText('Melon')
  await page.keyboard.press('x')
  await expect(cellOf(page, 'Original')).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('2')
  await expect(cellOf(page, 'Original')).toHaveAttribute('aria-pressed', 'true')
  await expect(cellOf(page, 'Apple Music')).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Shift+L')
  await expect(page.getByRole('radio', { name: /^As on/ })).toBeChecked()
  const said = page.locator('[aria-live=polite]')
  await expect(said).toHaveText('Level: As on Melon')
  await page.getByRole('button', { name: 'Choose a service' }).click()
  await page.getByRole('menuitem', { name: 'YouTube' }).click()
  await expect(page.getByRole('radio', { name: /^As on YouTube/ })).toBeChecked()
  await expect(said).toHaveText('Level: As on YouTube')
  await page.getByRole('button', { name: 'Choose a service' }).click()
  await page.getByRole('menuitem').first().click()
  await expect(page.getByRole('radio', { name: /^As on Melon/ })).toBeChecked()
  await page.getByRole('slider', { name: 'Position' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(clock).toHaveText('0:09.0')
  await page.getByRole('button', { name: 'Volume' }).press('Enter')
  const volume = page.getByRole('slider', { name: 'Volume' })
  await expect(volume).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(volume).toHaveValue('99')
  const mute = page.getByRole('checkbox', { name: 'Mute' })
  await mute.check()
  await expect(volume).toHaveValue('0')
  await mute.uncheck()
  await expect(volume).toHaveValue('99')
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys' })).toContainText('Loop start, end, on')
})

test('a press waits for what is still read, and that is said', async ({ page, listen }) => {
  const mastered = await listen(longTitled)
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/files/*', async (route) => {
    await gate
    await route.continue()
  })
  await page.goto(new URL(`#/listen/${mastered.job.job_id}`, page.url()).href)
  await expect(page.locator('.vers')).toBeVisible()
  const place = () => page.locator('.loopbtn').evaluate((button) => button.getBoundingClientRect().left)
  const before = await place()
  await page.keyboard.press('Space')
  await expect(page.locator('.time')).toContainText('Reading')
  expect(await place(), 'what stands beside it').toBe(before)
  await expect(page.locator('[aria-live=polite]')).toContainText('Reading')
  await expect(page.getByRole('button', { name: 'Pause playback' })).toBeVisible()
  letGo()
  await expect(page.locator('.time span').first()).not.toHaveText('0:00.0')
  await expect(page.locator('.time')).not.toContainText('Reading')
})

test('a pointer seeks in the lanes, draws a loop along the ruler, and moves nothing once it was taken away', async ({
  page,
  listen,
}) => {
  const mastered = await listen(longTitled)
  await mastered.open(page)
  const clock = page.locator('.time span').first()
  await expect(cellOf(page, 'Spotify')).toHaveAttribute('aria-pressed', 'true')
  const { x, y, width, height } = (await page.locator('.lanes').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const middle = { x: x + width / 2, y: y + height / 2 }
  await page.mouse.click(middle.x, middle.y)
  await expect(clock).not.toHaveText('0:00.0')
  await page.mouse.move(middle.x - 150, y + 6)
  await page.mouse.down()
  await page.mouse.move(middle.x + 150, y + 6, { steps: 4 })
  await page.mouse.up()
  const loop = page.getByRole('button', { name: /^Loop 0:/ })
  await expect(loop).toHaveAttribute('aria-pressed', 'true')
  const drawn = (await loop.textContent()) ?? ''
  const end = (await page.locator('.loop rect').boundingBox()) ?? { x: 0, width: 0 }
  await page.mouse.move(end.x + end.width, middle.y)
  await page.mouse.down()
  await page.mouse.move(end.x + end.width - 60, middle.y, { steps: 4 })
  await page.mouse.up()
  await expect(loop).not.toHaveText(drawn)
  await page.locator('.verdict tbody tr:not(.about) > :first-child', { hasText: 'Melon' }).click()
  await expect(cellOf(page, 'Melon')).toHaveAttribute('aria-pressed', 'true')

  const touch = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchCancel', touchPoints: { x: number; y: number }[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints })
  await send('touchStart', [middle])
  await send('touchMove', [{ x: middle.x + 5, y: middle.y }])
  const rest = await clock.textContent()
  await send('touchCancel', [])
  await page.mouse.move(middle.x + 60, middle.y, { steps: 4 })
  await page.waitForTimeout(300)
  await expect(clock).toHaveText(rest ?? '')
})

test('the lanes zoom at the pointer and by keys, resolve what they show, and scroll', async ({ page, listen }) => {
  const mastered = await listen(longTitled)
  await mastered.open(page)
  const strip = page.getByRole('scrollbar', { name: 'Shown part of the song' })
  const ranges: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/files/')) ranges.push(request.headers().range ?? 'whole')
  })
  await expect(strip).toHaveCount(0)
  await page.keyboard.press('+')
  await page.keyboard.press('+')
  await expect(page.locator('[aria-live=polite]')).toHaveText('Showing 0:00 to 0:03')
  await expect(strip).toHaveAttribute('aria-valuetext', 'Showing 0:00 to 0:03')
  await expect(page.locator('.lanes [data-resolved=true]')).toHaveCount(2)
  expect(ranges.length).toBeGreaterThan(0)
  expect(ranges).not.toContain('whole')
  await strip.focus()
  await page.keyboard.press('End')
  await expect(strip).toHaveAttribute('aria-valuetext', 'Showing 0:10 to 0:14')
  await expect(page.locator('.time span').first()).toHaveText('0:00.0')
  await page.keyboard.press('ArrowLeft')
  await expect(strip).toHaveAttribute('aria-valuetext', 'Showing 0:10 to 0:13')
  expect(await violations(page)).toEqual([])
  // The playhead waits outside the view; a key brings it into view.
  await expect(page.locator('.playhead')).toHaveClass(/is-away/)
  await page.getByRole('slider', { name: 'Position' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('.playhead')).not.toHaveClass(/is-away/)
  await expect(strip).toHaveAttribute('aria-valuetext', 'Showing 0:04 to 0:08')
  await page.getByRole('button', { name: 'Show the whole song' }).click()
  await expect(strip).toHaveCount(0)

  const { x, y, width, height } = (await page.locator('.lanes').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  // The pixel of 7 s, the middle of the song.
  await page.mouse.move(x + 74 + (width - 120) / 2, y + height / 2)
  await page.mouse.wheel(0, -600)
  await expect(strip).toHaveAttribute('aria-valuetext', 'Showing 0:05 to 0:08')
  await page.keyboard.down('Shift')
  await page.mouse.wheel(0, -5000)
  await page.keyboard.up('Shift')
  await expect(strip).toHaveAttribute('aria-valuetext', 'Showing 0:00 to 0:03')
  await page.mouse.dblclick(x + width / 2, y + height / 2)
  await expect(strip).toHaveCount(0)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys' })).toContainText('Zoom the lanes in, out')
})

test('a drag across the lanes draws the loop that is played, and the largest reductions can be jumped to', async ({
  page,
  listen,
}) => {
  const mastered = await listen(clipped)
  await mastered.open(page)
  const { x, y, width, height } = (await page.locator('.lanes').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const pixelOf = (seconds: number) => x + 74 + (seconds / 12) * (width - 120)
  await page.mouse.move(pixelOf(8.5), y + height / 2)
  await page.mouse.down()
  await page.mouse.move(pixelOf(4.5), y + height / 2, { steps: 5 })
  await expect(page.locator('.loop.is-on')).toHaveCount(1)
  await expect(page.locator('.loopbtn')).toHaveAttribute('aria-pressed', 'false')
  await page.mouse.up()
  await expect(page.getByRole('button', { name: 'Loop 0:04–0:08' })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('p')

  const markers = page.getByRole('list', { name: 'Largest gain reductions' }).getByRole('button')
  const name = (await markers.last().getAttribute('aria-label')) ?? ''
  expect(name).toMatch(/^\d+\.\d dB reduction at 0:\d\d$/)
  await markers.last().press('Enter')
  await expect(page.locator('.time span').first()).toContainText(name.replace(/^.* at /, ''))
  expect(await violations(page)).toEqual([])
})

test('nothing moves when another version or a loop is chosen, and small windows keep it and every control in view', async ({
  page,
  listen,
}) => {
  const mastered = await listen(longTitled)
  await mastered.open(page)
  await untilOpen(page)
  await expect(page.locator('.head .label')).toContainText('0:14 · WAV 24/44.1 · Pop')
  const placesAt = async (width: number) => {
    await page.setViewportSize({ width, height: 820 })
    return page
      .locator('.bench :is(.level-part, .playbtn, .loopbtn, .bench-level .btn)')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).flatMap(({ x, width }) => [x, width]))
  }
  await page.keyboard.press('1')
  const before = new Map<number, number[]>()
  for (const width of [1280, 1080, 899, 768, 600, 599, 320]) before.set(width, await placesAt(width))
  /** Largest movement or growth of a control, px: the widths of equal digits differ by some sixty-fourths. */
  const moved = async () => {
    const far = []
    for (const [width, places] of before) {
      const now = await placesAt(width)
      const most = Math.max(...places.map((place, i) => Math.abs(place - (now[i] ?? Number.NaN))))
      if (!(most < 0.25)) far.push(`${most} px at ${width} px`)
    }
    return far
  }
  await page.keyboard.press('4')
  await expect(page.getByRole('radio', { name: /^As on Melon/ })).toBeAttached()
  expect(await moved(), 'version').toEqual([])
  for (const key of ['i', 'ArrowRight', 'o', 'p']) await page.keyboard.press(key)
  await expect(page.locator('.loopbtn')).toHaveAttribute('aria-pressed', 'true')
  expect(await moved(), 'loop').toEqual([])
  await page.getByRole('button', { name: 'Blind test' }).click()
  await page.getByRole('region', { name: 'Blind test' }).getByRole('button', { name: 'Start' }).click()
  await expect(page.getByRole('radio', { name: 'Hear X' })).toBeChecked()
  expect(await moved(), 'blind test').toEqual([])
  await page.getByRole('button', { name: 'Blind test' }).click()

  await page.setViewportSize({ width: 640, height: 410 })
  const middles = await page
    .locator('.transport > *:not(.grow)')
    .evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect()).map(({ y, height }) => Math.round(y + height / 2)),
    )
  expect(new Set(middles).size, 'lines of the transport').toBe(1)
  // The page cannot have followed a size for which no frame was drawn.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  await page.setViewportSize({ width: 320, height: 640 })
  for (const [key, name] of [
    ['4', 'Melon'],
    ['0', 'Original'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(page.locator('.vers [role=gridcell]', { hasText: name })).toBeInViewport({ ratio: 0.95 })
  }
})

test('meters, spectrum and verdict say their findings in words and numbers', async ({ page, listen }) => {
  const mastered = await listen(longTitled)
  await mastered.open(page)
  const [spotify] = mastered.job.results
  await page.keyboard.press('Space')
  await expect(page.locator('.keyline')).toContainText('Now')
  const meters = page.locator('.meters [role=img]')
  await expect(meters).toHaveAttribute(
    'aria-label',
    /Momentary −\d.*short-term −\d.*integrated −\d.*True peak left −\d/,
  )
  await page.keyboard.press('Space')
  await expect(page.locator('.lanes [role=img]')).toHaveAttribute(
    'aria-label',
    /Spotify master at −1\d\.\d LUFS under a −1 dB ceiling/,
  )
  await expect(page.locator('.spectrum [role=img]')).toHaveAttribute('aria-label', /the master is .* dB/)
  await page.getByRole('button', { name: 'Show as table' }).click()
  await expect(page.locator('.spectrum tbody tr')).not.toHaveCount(0)
  const row = page.locator('.verdict tbody tr').first()
  await expect(row).toContainText((spotify?.integrated_lufs ?? 0).toFixed(2).replace('-', '−'))
  await page.getByRole('button', { name: 'All numbers' }).click()
  await expect(page.getByRole('dialog')).toContainText('published')
  await page.keyboard.press('Escape')

  const [one] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save Spotify WAV' }).click(),
  ])
  expect(readFileSync(await one.path())).toEqual(await mastered.file('spotify'))
  await page.getByRole('button', { name: /^More: show/ }).click()
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^Save ZIP/ }).click(),
  ])
  expect(zip.suggestedFilename()).toMatch(/^아주 긴 제목을 가진 노래 \(final mix 3\)_master_[0-9a-f]{8}\.zip$/)
})

for (const [locale, why, place] of [
  ['en-GB', 'What was done, and why', /at full scale .* seen in its peak curve/],
  ['ko-KR', '처리 내용과 이유', /피크 곡선에서 읽은 위치/],
] as const) {
  test.describe(`in ${locale}`, () => {
    test.use({ locale })
    test('a clipped song says what was decided as its report does, and calls its marks what they are', async ({
      page,
      listen,
    }) => {
      const mastered = await listen(clipped)
      await mastered.open(page)
      await expect(page.locator('.lanes .mk title').first()).toHaveText(place)
      const report = await page.context().newPage()
      await report.setContent(await mastered.html())
      const sentences = await report.locator('.done li > span:last-child').allInnerTexts()
      expect(sentences.length).toBeGreaterThan(2)
      await expect(page.getByRole('region', { name: why }).locator('li > span')).toHaveText(sentences)
    })
  })
}

test('what does not change is not drawn again while nothing plays', async ({ page, listen }) => {
  const mastered = await listen(longTitled)
  await mastered.open(page)
  const changes = () =>
    page.evaluate(async () => {
      const seen: string[] = []
      const watch = new MutationObserver((records) => {
        for (const { target, attributeName, type } of records) seen.push(`${target.nodeName} ${attributeName ?? type}`)
      })
      watch.observe(document.body, { subtree: true, attributes: true, childList: true, characterData: true })
      await new Promise((resolve) => setTimeout(resolve, 500))
      watch.disconnect()
      return [...new Set(seen)]
    })
  await expect.poll(changes).toEqual([])
})

test('the blind test counts, and does not give X away', async ({ page, listen }) => {
  const mastered = await listen(longTitled)
  await mastered.open(page)
  const door = page.getByRole('button', { name: 'Blind test' })
  const panel = page.getByRole('region', { name: 'Blind test' })
  const said = page.locator('[aria-live]')
  await door.press('Enter')
  await expect(panel).toBeFocused()
  await expect(door).toHaveAttribute('aria-pressed', 'true')
  const start = panel.getByRole('button', { name: 'Start the test' })
  await panel.getByLabel('with').selectOption('Original')
  await expect(start).toHaveAccessibleDescription('Choose two different versions')
  await panel.getByLabel('with').selectOption('Spotify')
  await start.press('Enter')
  await expect(panel).toBeFocused()
  await expect(said).toHaveText(/^A is Original, B is Spotify/)
  const isA = panel.getByRole('button', { name: 'X is A' })
  await expect(isA).toHaveAccessibleDescription('Play A, B and X for a second each first')
  await isA.press('Enter')
  await expect(page.locator('.blind'), 'nothing is scored that was not heard').toContainText('Trial 1')
  await panel.focus()
  // The song loops during the trials.
  await page.keyboard.press('p')
  await page.keyboard.press('Space')
  await expect(page.getByRole('radio', { name: 'Hear X' })).toBeChecked()
  await expect(page.locator('.meters')).toContainText('hidden')
  await expect(page.getByRole('radio', { name: /^Matched/ })).toBeChecked()
  await page.keyboard.press('b')
  await expect(page.getByRole('radio', { name: 'Hear B' })).toBeChecked()
  await expect(said).toHaveText('Hearing B')
  const canAnswer = () => expect(isA).not.toHaveAttribute('aria-disabled', 'true')
  const listenTo = async (side: string) => {
    const clock = page.locator('.time span').first()
    await page.keyboard.press(side)
    for (let moves = 0; moves < 15; moves++) {
      const before = await clock.textContent()
      await expect(clock).not.toHaveText(before ?? '')
    }
  }
  await listenTo('a')
  await listenTo('b')
  await page.keyboard.press('x')
  for (let trial = 1; trial <= 10; trial++) {
    await expect(page.locator('.blind')).toContainText(`Trial ${trial}`)
    await canAnswer()
    await page.getByRole('button', { name: trial % 2 ? 'X is A' : 'X is B' }).click()
    await expect(said).toHaveText(`Trial ${trial + 1}`)
  }
  await page.getByRole('button', { name: 'Finish' }).click()
  await expect(page.locator('.blind')).toContainText(
    /\d+ of 10 right\. *Guessing would score this well [\d.]+ % of the time/,
  )
  await panel.getByRole('button', { name: 'Once more' }).click()
  await expect(page.locator('.blind')).toContainText('Trial 1')
  for (const side of ['a', 'b', 'x']) await listenTo(side)
  await canAnswer()
  await isA.click()
  await page.getByRole('button', { name: 'Finish' }).click()
  await page.getByRole('button', { name: 'Leave' }).click()
  await expect(door).toBeFocused()
  await expect(cellOf(page, 'Spotify')).toHaveAttribute('aria-pressed', 'true')

  await test.step('and leaves nothing behind where it is left before its end', async () => {
    await door.click()
    await start.click()
    await page.keyboard.press('b')
    await door.click()
    await expect(door).toHaveAttribute('aria-pressed', 'false')
    await expect(page.locator('.meters')).not.toContainText('hidden')
    await page.keyboard.press('0')
    await expect(cellOf(page, 'Original')).toHaveAttribute('aria-pressed', 'true')
  })
})

test('a song that was mastered once can be mastered again from where two versions are compared', async ({
  page,
  listen,
  program,
}) => {
  const once = await listen({
    file: new File([new Uint8Array(musicBytes(4, 44_100, 9))], 'once.wav'),
    platforms: 'spotify',
  })
  await once.open(page)
  await page.getByRole('button', { name: 'Compare' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('This song was mastered once.')
  await dialog.getByRole('button', { name: 'Master again' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('once')
  await expect(dialog).toHaveCount(0)
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  await expect(page.locator('.action-bar')).toContainText('1 credit')
  expect((await program.call<JobPage>('GET', '/api/v1/jobs?q=once')).jobs).toHaveLength(1)
})

test('two versions of a song stand in one switch', async ({ page, listen, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const bytes = musicBytes(12, 44_100, 7)
  const song = () => new File([new Uint8Array(bytes)], "It's one.wav", { type: 'audio/wav' })
  await listen({ file: song(), platforms: 'spotify', intensity: '10' })
  const second = await listen({ file: song(), platforms: 'spotify,melon', intensity: '90' })
  await second.open(page)
  await expect(page.locator('.head')).toContainText('version 2 of 2')
  await page.getByRole('button', { name: 'Compare' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('row', { name: /^Intensity 90 10/ })).toBeVisible()
  const numbers = await dialog
    .locator('tbody tr:has(.unit)')
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')))
  expect(numbers).toHaveLength(6)
  for (const row of numbers) {
    for (const text of row) expect(text).toMatch(/^[+−]?\d+\.\d\d$/)
    const [mine = 0, theirs = 0, difference = 0] = row.map((text) => Number(text.replace('−', '-')))
    expect(difference, 'what is printed adds up').toBeCloseTo(theirs - mine, 6)
  }
  await dialog.getByRole('button', { name: /Listen to both/ }).click()
  await expect(cellOf(page, 'V1 Spotify')).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('1')
  await page.keyboard.press('c')
  await expect(cellOf(page, 'V1 Spotify')).toHaveAttribute('aria-pressed', 'true')

  await page.getByRole('button', { name: /^More: show/ }).click()
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
  await expect(page.locator('.toast')).toContainText('The curl command is copied.')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain('-F intensity=90')
  expect(copied).toContain("It'\\''s one.wav")
  await page.getByRole('button', { name: /^More: show/ }).click()
  const [report] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Save report (HTML)' }).click(),
  ])
  expect(readFileSync(await report.path(), 'utf8')).toBe(await second.html())
  await page.getByRole('button', { name: 'Compare' }).click()
  await dialog.getByRole('button', { name: 'Stop listening to both' }).click()
  await expect(cellOf(page, 'V1')).toHaveCount(0)
})

test('any two versions of a song are chosen in the history and heard in one switch', async ({ page, listen }) => {
  const bytes = musicBytes(12, 44_100, 10)
  const song = (name: string) => new File([new Uint8Array(bytes)], name, { type: 'audio/wav' })
  await listen({ file: song('rough.wav'), platforms: 'spotify', title: 'Rough' })
  await listen({ file: song('final.wav'), platforms: 'melon', title: '봄밤' })
  await listen(longTitled)
  await page.getByRole('link', { name: 'History' }).click()
  const pick = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
  const compare = page.locator('.action-bar').getByRole('button', { name: 'Compare' })
  await pick('Rough').check({ force: true })
  await expect(compare).toHaveCount(0)
  await pick(TITLE).check({ force: true })
  await expect(compare).toHaveAttribute('aria-disabled', 'true')
  await pick(TITLE).uncheck({ force: true })
  await pick('봄밤').check({ force: true })
  await compare.click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('봄밤')
  await untilOpen(page)
  await expect(cellOf(page, 'Melon')).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('c')
  await expect(cellOf(page, 'V1 Spotify')).toHaveAttribute('aria-pressed', 'true')
  await expect(cellOf(page, 'V1 Spotify')).not.toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('button', { name: 'Compare' }).click()
  await expect(page.getByRole('dialog').getByRole('columnheader')).toHaveText([
    'This version, Melon',
    'The other, Spotify',
    'Difference',
  ])
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'History', exact: true }).click()
  await page.getByRole('button', { name: 'More: Rough' }).click()
  await page.getByRole('menuitem', { name: 'Compare versions' }).click()
  await expect(page.locator('h1')).toHaveText('Rough')
  await expect(page.getByRole('dialog').getByLabel('Compare with')).toContainText('Version 2')
})

test('a song that cannot be heard says why and where to go', async ({ page }) => {
  await page.evaluate(() => {
    location.hash = '#/listen/00000000-0000-4000-8000-000000000000'
  })
  await expect(page.getByRole('alert')).toContainText('This song is not in the history')
  await expect(page.getByRole('link', { name: 'To the batch' })).toBeVisible()
})

for (const [locale, colorScheme] of [
  ['en-GB', 'dark'],
  ['ko-KR', 'light'],
] as const) {
  test.describe(`${locale}, ${colorScheme}`, () => {
    test.use({ locale, colorScheme })

    test('axe finds nothing, and nothing is cut off in small windows and at 200 % zoom', async ({ page, listen }) => {
      const mastered = await listen(longTitled)
      await mastered.open(page)
      await page.keyboard.press('Space')
      await page.waitForTimeout(1500)
      await page.keyboard.press('Space')
      expect(await violations(page)).toEqual([])
      for (const size of [
        { width: 1100, height: 700 },
        { width: 900, height: 600 },
        { width: 768, height: 1024 },
        { width: 640, height: 410 },
        { width: 320, height: 640 },
      ]) {
        await page.setViewportSize(size)
        await page.waitForTimeout(300)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect(wide, `${size.width} px`).toBeLessThanOrEqual(0)
        const sideways = await page.locator('.stagepane').evaluate((one) => one.scrollWidth - one.clientWidth)
        expect(sideways, `the pane at ${size.width} px`).toBe(0)
        await expect(page.locator('.playbtn')).toBeInViewport()
        await expect(page.locator('.loopbtn')).toBeInViewport({ ratio: 1 })
        await expect(page.locator('.bench .seg')).toBeInViewport({ ratio: 1 })
        // In a smaller one the service's name is shortened.
        const cut = await page
          .locator('.bench .level .clip')
          .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent))
        if (size.width >= 900) expect(cut, `words of the level at ${size.width} px`).toEqual([])
        const name = page.locator('.level-part:has(.chevron) label > .swap')
        const [needed = 0, given = 0] = await name.evaluate((one) => [
          one.firstElementChild?.scrollWidth,
          one.clientWidth,
        ])
        if (size.width === 640) expect(needed, 'the service that is heard').toBeLessThanOrEqual(given)
        const height = await page.locator('.transport').evaluate((one) => one.clientHeight)
        expect(height, `the transport at ${size.width} px`).toBeLessThan(size.width < 600 ? 110 : 70)
        expect(await violations(page), `${size.width} px`).toEqual([])
      }
      await page
        .locator('.btn', { hasText: /Blind test|블라인드 테스트/ })
        .or(page.getByRole('button', { name: /Blind test|블라인드 테스트/ }))
        .first()
        .click()
      await page.waitForTimeout(200)
      expect(await violations(page), 'blind test').toEqual([])
    })
  })
}
