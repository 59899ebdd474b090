/** Playback by the services, checked against figures and formulas written down apart from the contract. */
import { expect, test } from 'vitest'
import { PLAYBACK_MODES } from '../../src-contract/platforms/platform.ts'
import {
  forecastOf,
  type PlaybackForecast,
  resultForecast,
  SERVICES,
  serviceFacts,
} from '../../src-contract/playback-forecast.ts'
import { forecastText, MODE_WORDS } from '../../src-contract/text/playback-forecast.ts'

/** Reference, LUFS, and what happens to quieter tracks; no reference where nothing is done, or nothing known. */
const TABLE = `
spotify        standard    -14  peak
spotify        loud        -11  limiter
spotify        quiet       -19  peak
spotify        web_player  -    -
apple_music    standard    -16  peak
apple_music    off         -    -
youtube        standard    -14  -
melon          standard    -    -
soundcloud     standard    -14  -
youtube_music  standard    -7   -
tidal          standard    -14  -
amazon_music   standard    -14  -
deezer         standard    -15  -
tiktok         standard    -16  -
genie          standard    -    -
flo_bugs       standard    -    -`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/ +/) as [service: string, mode: string, reference: string, up: string])

/** Gain by linear amplitudes: the ratio to the reference, held so that no peak passes 1 dB below full scale. */
function gainDb(reference: string, up: string, lufs: number, peakDbtp: number): number {
  if (reference === '-') return 0
  const ratio = 10 ** (Number(reference) / 20) / 10 ** (lufs / 20)
  if (ratio <= 1 || up === 'limiter') return 20 * Math.log10(ratio)
  const held = up === 'peak' ? Math.max(1, Math.min(ratio, 10 ** (-1 / 20) / 10 ** (peakDbtp / 20))) : 1
  return 20 * Math.log10(held)
}

const TRACKS = [
  ...[
    [-14, -1],
    [-8.3, -0.4],
    [-6.2, 0.8],
    [-11.02, -2],
    [-19.4, -6.1],
    [-23, -1.2],
    [-30.5, -14],
    [-15.97, -1.5],
  ],
  ...Array.from({ length: 200 }, (_, at) => [-4 - ((at * 37) % 310) / 10, 1 - ((at * 53) % 160) / 10]),
] as [lufs: number, peakDbtp: number][]

test('every gain is that of the table to 0.05 dB, in its direction', () => {
  for (const [lufs, peakDbtp] of TRACKS) {
    const forecast = forecastOf({ integratedLufs: lufs, truePeakDbtp: peakDbtp })
    expect(forecast.map(({ service, mode }) => [service, mode])).toEqual(
      TABLE.map(([service, mode]) => [service, mode]),
    )
    for (const [at, [, , reference, up]] of TABLE.entries()) {
      const wanted = gainDb(reference, up, lufs, peakDbtp)
      const { gain_db, action, limiter } = forecast[at]!
      expect(Math.abs(gain_db - wanted)).toBeLessThanOrEqual(0.05)
      if (gain_db !== 0) expect(action).toBe(wanted > 0 ? 'turn_up' : 'turn_down')
      if (Math.abs(peakDbtp + wanted + 1) > 0.05)
        expect(limiter).toBe(up === 'limiter' && wanted >= 0.05 && peakDbtp + wanted > -1)
    }
  }
})

test('where nothing is published the action is unknown, and where sources disagree that is said', () => {
  const loud = forecastOf({ integratedLufs: -8, truePeakDbtp: -1 })
  const of = (service: string): PlaybackForecast => loud.find((one) => one.service === service)!
  for (const service of ['melon', 'genie', 'flo_bugs'])
    expect(of(service)).toMatchObject({ action: 'unknown', gain_db: 0, confidence: 'nothing_published' })
  expect(of('soundcloud')).toMatchObject({ action: 'turn_down', confidence: 'sources_disagree' })
  expect(of('youtube_music')).toMatchObject({ action: 'leave', gain_db: 0, reference_lufs: -7 })
  expect(new Set(loud.map(({ service }) => service)).size).toBe(12)
  for (const { source, read } of loud) expect([source.length > 5, /^\d{4}-\d\d-\d\d$/.test(read)]).toEqual([true, true])
})

test('of a job each platform gets its own master, every other service the one for all, else the first', () => {
  const master = (platform: 'spotify' | 'melon', lufs: number) => ({
    platform,
    integrated_lufs: lufs,
    true_peak_dbtp: -1,
  })
  const both = [master('spotify', -14), master('melon', -8)]
  const files = (forecast: PlaybackForecast[]) =>
    Object.fromEntries(forecast.map(({ service, file }) => [service, file]))
  expect(files(resultForecast(both, { integrated_lufs: -12, true_peak_dbtp: -1 }))).toMatchObject({
    ...{ spotify: 'spotify', melon: 'melon', youtube: 'release', tidal: 'release', genie: 'release' },
  })
  expect(files(resultForecast(both))).toMatchObject({ youtube: 'spotify', melon: 'melon', deezer: 'spotify' })
  const tidal = resultForecast(both, { integrated_lufs: -12, true_peak_dbtp: -1 }).find(
    ({ service }) => service === 'tidal',
  )
  expect(tidal).toMatchObject({ gain_db: -2, action: 'turn_down' })
  expect(resultForecast([])).toEqual([])
})

test('every service, mode and action is told in both languages', () => {
  for (const service of SERVICES)
    expect(Object.values(serviceFacts(service).name).every((name) => name.length > 2 || name === '지니')).toBe(true)
  for (const mode of PLAYBACK_MODES) expect(MODE_WORDS[mode].ko).toMatch(/[가-힣]/)
  const [normal, loud] = forecastOf({ integratedLufs: -20, truePeakDbtp: -3 })
  expect(forecastText(normal!, 'en')).toBe('Spotify: turned up, +2.0 dB (published)')
  expect(forecastText(loud!, 'en')).toBe('Spotify (Loud): turned up, +9.0 dB, with a limiter (published)')
  expect(forecastText(loud!, 'ko')).toBe('Spotify (크게): 크게 재생, +9.0 dB, 리미터 작동 (공식 발표)')
  expect(forecastText(forecastOf({ integratedLufs: -8, truePeakDbtp: -1 }).at(-1)!, 'ko')).toMatch(/알 수 없음/)
})
