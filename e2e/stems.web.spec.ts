/** A song from its stems, from the drop to the report. */
import type { Batch } from '../src-contract/app.ts'
import type { Job } from '../src-contract/jobs.ts'
import type { ReleasePage } from '../src-contract/releases.ts'
import { violations } from './axe.ts'
import { drop, expect, rowOf, song, test } from './web-fixtures.ts'

test.use({ platforms: ['spotify'] })

/** Names as Suno exports them, with the roles that they tell. */
const STEMS = [
  ['Vocals', 'voice'],
  ['Backing Vocals', 'backing'],
  ['Drums', 'drums'],
  ['Bass', 'bass'],
  ['Guitar', 'guitar'],
  ['Keyboard', 'keys'],
  ['Synth', 'synth'],
  ['FX', 'fx'],
] as const

/** An eighth of the sum of songs, in 16 bits. */
function mixOf(name: string, songs: readonly ReturnType<typeof song>[]): ReturnType<typeof song> {
  const buffer = Buffer.from(songs[0]!.buffer)
  for (let at = 44; at < buffer.length; at += 2) {
    const sum = songs.reduce((all, one) => all + one.buffer.readInt16LE(at), 0)
    buffer.writeInt16LE(Math.round(sum / songs.length), at)
  }
  return { ...songs[0]!, name, buffer }
}

test('dropped stems are asked about, heard by lanes, mixed by keyboard and mastered as one song', async ({
  page,
  program,
}) => {
  const files = STEMS.map(([name], at) => song(`Night Drive (${name}).wav`, at + 1, 4))
  await drop(page, [...files, mixOf('Night Drive.wav', files)])
  const question = page.getByRole('alertdialog', { name: 'Stems' })
  await expect(question).toContainText('9 files look like the stems of one song.')
  await expect(question.getByRole('button', { name: '9 songs · 9 credits' })).toBeVisible()
  const one = question.getByRole('button', { name: 'One song from 8 stems · 1 credit' })
  await expect(one, 'the keyboard is at the first answer').toBeFocused()
  expect((await program.call<Batch>('GET', '/app/desk')).songs, 'nothing is sent unasked').toEqual([])
  await one.press('Enter')

  const row = rowOf(page, 'Night Drive')
  await expect(page.locator('.song.ready')).toHaveCount(1)
  expect(await page.locator('.song').count(), 'the upload is that row').toBe(1)
  const lanes = page.getByRole('region', { name: 'Stems' })
  for (const [name, role] of STEMS)
    await expect(lanes.getByRole('combobox', { name: `Role of ${name}`, exact: true })).toHaveValue(role)

  // The mix is no lane: it is compared.
  await expect(lanes.getByRole('combobox')).toHaveCount(STEMS.length)
  await expect(lanes).toContainText('The stems are the song')
  await lanes.getByRole('checkbox', { name: 'Restore what they lack' }).press('Space')

  await expect(lanes.locator('.wave path'), 'a waveform each').toHaveCount(STEMS.length)
  expect(await violations(page)).toEqual([])

  // One tab stop a control; arrows go on from there.
  const solo = lanes.getByRole('button', { name: 'Solo Vocals', exact: true })
  await solo.press('Space')
  await expect(solo).toHaveAttribute('aria-pressed', 'true')
  await solo.press('Space')
  await solo.press('ArrowDown')
  await expect(lanes.getByRole('button', { name: 'Solo Backing Vocals' })).toBeFocused()
  const gain = lanes.getByRole('slider', { name: 'Gain of Bass' })
  await gain.press('ArrowLeft')
  await expect(gain).toHaveAttribute('aria-valuetext', '−0.5 dB')

  await lanes.getByRole('button', { name: 'Sound of Vocals', exact: true }).press('Enter')
  const stem = page.getByRole('region', { name: 'Sound of the stem Vocals' })
  await stem.getByRole('slider', { name: 'Low cut' }).press('ArrowRight')
  await stem.getByRole('checkbox', { name: /^Sibilance/ }).press('Space')
  await stem.getByRole('button', { name: 'Master' }).press('Enter')
  const forward = page.getByRole('slider', { name: 'Voice forward' })
  for (let half = 0; half < 4; half++) await forward.press('ArrowRight')
  await expect(forward).toHaveAttribute('aria-valuetext', '+2.0 dB')

  await row.press('Enter')
  await expect(row).toHaveClass(/done|below/)
  await expect(page.locator('.stagepane .head')).toContainText('from 8 stems')
  await expect(page.locator('.repairs .says').nth(1)).toContainText('Voice 2.0 dB forward.')
  const [mastered] = (await program.call<Batch>('GET', '/app/desk')).songs
  const job = await program.call<Job>('GET', `/api/v1/jobs/${mastered?.job_ids[0]}`)
  expect(job).toMatchObject({ title: 'Night Drive', stem_count: 8, credits_used: 1 })
  expect(job.stem_mix).toEqual({
    restore_missing: true,
    voice_forward_db: 2,
    stems: [
      { stem: 1, low_cut_hz: 39, repairs: ['sibilance'] },
      { stem: 4, gain_db: -0.5 },
    ],
  })
})

test('stems that are dropped on a release are asked about, and one track', async ({ page, program }) => {
  await page.getByRole('link', { name: 'Release' }).click()
  await expect(page.getByRole('heading', { name: 'A release is what you upload as one thing' })).toBeVisible()
  await drop(
    page,
    STEMS.slice(0, 4).map(([name], at) => song(`Night Drive (${name}).wav`, at + 1, 3)),
  )
  const one = page.getByRole('button', { name: 'One song from 4 stems · 1 credit' })
  await expect(one).toBeFocused()
  expect((await program.call<ReleasePage>('GET', '/api/v1/releases')).releases).toEqual([])
  expect(await violations(page)).toEqual([])
  await one.press('Enter')
  await expect(page.getByRole('grid').locator('tbody tr')).toHaveCount(1)
  await page.getByText('Track 1', { exact: true }).click()
  await expect(page.getByText('from 4 stems')).toBeVisible()
  const { releases } = await program.call<ReleasePage>('GET', '/api/v1/releases')
  expect(releases).toMatchObject([{ title: 'Night Drive', track_count: 1 }])
  // Answered on another screen, they still go to the release on which they were dropped.
  await drop(
    page,
    STEMS.slice(0, 4).map(([name], at) => song(`Low Tide (${name}).wav`, at + 5, 3)),
  )
  await expect(one).toBeFocused()
  await page.getByRole('link', { name: 'Master' }).click()
  await one.click()
  await expect(page.getByRole('grid').locator('tbody tr')).toHaveCount(2)
  await expect(page.getByText('from 4 stems')).toBeVisible()
  await page.getByRole('link', { name: 'Master' }).click()
  await expect(page.locator('.first'), 'the song of a release is not offered again').toBeVisible()
})
