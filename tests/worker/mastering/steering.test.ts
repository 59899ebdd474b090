/** Jobs whose sound is steered: any settings give a master that keeps its promises, and neutral ones change no byte. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import Value from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { Report } from '../../../src-contract/report.ts'
import {
  GENRES,
  type JobSettings,
  LOUDNESS_MODES,
  SETTINGS,
  STEERING_NAMES,
  STYLE_NAMES,
  type SteeringName,
} from '../../../src-contract/settings.ts'
import { STYLES } from '../../../src-contract/styles.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { songLike as beat, scaled, seededRandom } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { songLike as chords, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, type OrderChange, orderFor } from './run-worker.ts'

/** Number of random settings. */
const RUNS = IS_CAMPAIGN ? 100 : 3

const folder = temporaryFolder()
const song = (name: string, channels: readonly Float32Array[], sampleRateHz: number) =>
  writeFloatWav(path.join(folder, `${name}.wav`), channels, sampleRateHz)

const SONGS = [
  song('chords', chords(3), 44_100),
  song('beat', beat(3, 48_000, 2).channels, 48_000),
  song('quiet', scaled(beat(3, 44_100, 9), 0.02).channels, 44_100),
  song('mono', [beat(3, 44_100, 5).channels[0]!], 44_100),
]

async function mastered(file: string, change: OrderChange) {
  const order = await orderFor(file, folder, change)
  const { masters, reportJsonFile } = await masterOrder(order)
  const report = JSON.parse(readFileSync(path.join(order.attemptFolder, reportJsonFile), 'utf8')) as Report
  return { masters, report }
}

/** Distance between two correct meters of true peak, dB. */
const METER_DB = 0.05

async function expectPromisesKept(file: string, change: OrderChange): Promise<Report> {
  const { masters, report } = await mastered(file, change)
  for (const { verdict, verdict_reason, integrated_lufs, target_lufs, true_peak_dbtp, ceiling_dbtp } of masters) {
    const missLu = Math.abs(integrated_lufs - target_lufs)
    if (verdict === 'on_target') expect(missLu).toBeLessThanOrEqual(0.051)
    else expect(verdict_reason).toMatch(/gain_reduction|dynamics_lost/)
    expect(true_peak_dbtp).toBeLessThanOrEqual(ceiling_dbtp + METER_DB)
  }
  expect([...Value.Errors(Report, report)]).toEqual([])
  return report
}

/** Returns a value of a setting from a random number in [0, 1). */
function settingAt(name: SteeringName, part: number): unknown {
  const setting = SETTINGS[name]
  switch (setting.kind) {
    case 'choice':
      return setting.values[Math.floor(part * setting.values.length)]
    case 'words':
      return setting.values.filter((_, i) => (Math.floor(part * 256) >> i) % 2 === 1)
    case 'amount':
      return Math.round(setting.minimum + part * (setting.maximum - setting.minimum))
    default:
      return Math.round(10 * (setting.minimum + part * (setting.maximum - setting.minimum))) / 10
  }
}

function randomChange(seed: number): OrderChange {
  const next = seededRandom(seed)
  const random = () => (next() + 1) / 2
  const pick = <Word>(words: readonly Word[]) => words[Math.floor(random() * words.length)]!
  const named = STEERING_NAMES.filter(() => random() < 0.6)
  return {
    platforms: [pick(PLATFORMS)],
    genre: pick(GENRES),
    loudness: pick(LOUDNESS_MODES),
    intensity: Math.round(100 * random()),
    ...(Object.fromEntries(named.map((name) => [name, settingAt(name, random())])) as Partial<JobSettings>),
  }
}

describe('any settings of the sound', () => {
  it.each(Array.from({ length: RUNS }, (_, i) => i + 1))(
    'give a master that lands or says why not, and keeps its ceiling: seed %d',
    async (seed) => {
      await expectPromisesKept(SONGS[seed % SONGS.length]!, randomChange(seed))
    },
  )
})

describe('one setting at its end', () => {
  /** All of them, or a few. */
  const some = <Row>(rows: readonly Row[], step: number) => rows.filter((_, at) => IS_CAMPAIGN || at % step === 0)
  const ends = STEERING_NAMES.filter((name) => name !== 'style').flatMap((name) =>
    [0, 0.9999].map((part) => ({ name, value: settingAt(name, part) })),
  )
  it.each(some(ends, 8))('keeps what is promised: $name $value', async ({ name, value }) => {
    await expectPromisesKept(SONGS[1]!, { platforms: ['spotify'], genre: 'pop', [name]: value })
  })

  it.each(some(STYLE_NAMES, 4))('keeps what is promised in the style %s', async (style) => {
    const report = await expectPromisesKept(SONGS[0]!, {
      platforms: ['spotify'],
      genre: 'pop',
      style,
      ...STYLES[style],
    })
    expect(report.settings).toMatchObject({ style, ...STYLES[style] })
  })
})

describe('a job', () => {
  it('whose settings of the sound are all neutral gives the same bytes as one without', async () => {
    const plain = await mastered(SONGS[1]!, { platforms: ['melon'], genre: 'edm' })
    const named = Object.fromEntries(STEERING_NAMES.map((name) => [name, SETTINGS[name].standard]))
    const neutral = await mastered(SONGS[1]!, { platforms: ['melon'], genre: 'edm', ...named })
    expect(neutral.masters[0]!.sha256).toBe(plain.masters[0]!.sha256)
    const steered = await mastered(SONGS[1]!, { platforms: ['melon'], genre: 'edm', tilt_db: 0.1 })
    expect(steered.masters[0]!.sha256).not.toBe(plain.masters[0]!.sha256)
  })

  it('reports its settings, its whole recipe and the finishing of each master', async () => {
    const { report } = await mastered(SONGS[1]!, {
      ...{ platforms: ['melon', 'youtube'], genre: 'edm', tilt_db: -1.5, bass_db: 2.25, target_lufs: -9.5 },
      skip_repairs: ['mud', 'clicks'],
    })
    expect(report.settings).toMatchObject({
      ...{
        style: 'clean',
        tilt_db: -1.5,
        bass_db: 2.25,
        air_db: 0,
        target_lufs: -9.5,
        skip_repairs: ['mud', 'clicks'],
      },
    })
    const stageOf = (kind: string) => report.recipe!.stages.find((stage) => stage.kind === kind)
    expect(stageOf('steer_tone')).toEqual({
      kind: 'steer_tone',
      sections: [
        { shape: 'tilt', frequency_hz: 800, gain_db: -1.5 },
        { shape: 'low_shelf', frequency_hz: 100, gain_db: 2.25, q: expect.closeTo(Math.SQRT1_2, 6) },
      ],
    })
    expect(stageOf('multiband')).toMatchObject({
      crossovers_hz: [120, 1000, 5000],
      bands: expect.arrayContaining([
        expect.objectContaining({ ratio: 1.6, knee_db: 8, attack_ms: 30, release_ms: 250, max_reduction_db: 3 }),
      ]),
    })
    for (const { result, finishing } of report.masters) {
      expect(result).toMatchObject({ target_lufs: -9.5, target_confidence: 'requested' })
      expect(finishing!.limiter!.ceiling_dbtp).toBeLessThan(result.ceiling_dbtp)
      expect(finishing!.limiter!.look_ahead_ms).toBeGreaterThan(0)
    }
  })

  it('of an own target is told as on target at a cost where that takes too much', async () => {
    const { masters } = await mastered(SONGS[1]!, { platforms: ['melon'], target_lufs: -6, intensity: 100 })
    expect(masters[0]!.costs!.map(({ code }) => code)).toContain('LOUD_PARTS_REDUCED')
    const easy = await mastered(SONGS[1]!, { platforms: ['melon'], target_lufs: -20 })
    expect(easy.masters[0]!.costs).toEqual([])
  })
})
