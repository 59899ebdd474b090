/** A recipe that is sent back: unchanged, edited, on another song, and odd. */
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Compile } from 'typebox/compile'
import { beforeAll, describe, expect, it } from 'vitest'
import { WrittenRecipe } from '../../../src-contract/recipe-schemas.ts'
import type { Report } from '../../../src-contract/report.ts'
import { recipeFault } from '../../../src-contract/sent-recipe.ts'
import { WorkFailure } from '../../../src-worker/mastering/work-failure.ts'
import { placeOf } from '../../../src-worker/result/result-zip.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { fullTruePeakDbtp } from '../../support/full-meter.ts'
import { oddRecipes } from '../../support/odd-recipes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { readByEbur128, runPlain, songLike, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, type OrderChange, orderFor } from './run-worker.ts'

const folder = temporaryFolder()
const PLATFORMS = ['spotify', 'melon', 'apple_music'] as const

/** Returns the report of a song whose peaks are clipped, mastered with settings; its recipe can be sent as it is. */
async function mastered(song: string, change: OrderChange) {
  const order = await orderFor(song, folder, { platforms: PLATFORMS, genre: 'edm', ...change })
  const { masters, release, warnings, reportJsonFile } = await masterOrder(order)
  const report = JSON.parse(readFileSync(path.join(order.attemptFolder, reportJsonFile), 'utf8')) as Report
  const recipe = report.recipe as WrittenRecipe
  expect(recipeFault(recipe)).toBeUndefined()
  const sums = [...masters, ...(release ? [release] : [])].map(({ sha256 }) => sha256)
  return { report, recipe, masters, sums, codes: warnings.map(({ code }) => code) }
}

/** A song with clipped peaks and clicks, which are repaired at its own rate. */
function faultySong(name: string, rateHz: number) {
  const channels = songLike(5, rateHz, 0.9).map((samples) =>
    samples.map((sample, i) => (i % 40_000 === 20_000 ? 0.95 : Math.max(-0.55, Math.min(0.55, sample)))),
  )
  return writeFloatWav(path.join(folder, name), channels, rateHz)
}

describe('a recipe that is sent unchanged', () => {
  const asked = { warmth: 30, width_percent: 120, air_db: 2, punch: 20, release_master: true, intensity: 70 } as const

  it.each(IS_CAMPAIGN ? [48_000, 32_000] : [32_000])(
    'gives the same bytes of every WAV, also where single samples are repaired: %d Hz',
    async (rateHz) => {
      const song = faultySong(`faulty-${rateHz}.wav`, rateHz)
      const first = await mastered(song, asked)
      const { recipe } = first
      expect(recipe).toMatchObject({ version: 2, intensity: 70, source: { trim_start_seconds: 0 } })
      expect(recipe.stages.length).toBeGreaterThan(3)
      expect(new Set(first.sums).size).toBeGreaterThan(1)
      const again = await mastered(song, { release_master: true, intensity: 70, recipe })
      expect(again.sums).toEqual(first.sums)
      expect(again.recipe).toEqual(recipe)
      expect(again.report.decisions.map(({ code }) => code)).toContain('RECIPE_FOLLOWED')
      expect(again.codes).not.toContain('RECIPE_OF_OTHER_SONG')
    },
  )
})

describe('an edited recipe', () => {
  const song = path.join(folder, 'plain.wav')
  let first: Awaited<ReturnType<typeof mastered>>
  beforeAll(async () => {
    writeFloatWav(song, songLike(5, 48_000, 0.5), 48_000)
    first = await mastered(song, { air_db: 1 })
  })

  it('changes its stage alone: an own band is in the sound, in the mid, and the other stages stay', async () => {
    const section = { shape: 'peak', frequency_hz: 1000, gain_db: 6, q: 1, channel: 'mid' } as const
    const stages = [{ kind: 'equalise' as const, sections: [section] }, ...first.recipe.stages]
    const edited = await mastered(song, { recipe: { ...first.recipe, stages } })
    expect(edited.recipe.stages).toEqual(stages)
    expect(edited.sums).not.toEqual(first.sums)
    const change = (part: 'mid_db' | 'side_db', hz: number) => {
      const [one, other] = [first, edited].map(({ report }) => report.masters[1]!.spectrum)
      const band = one!.band_hz.findIndex((centre) => Math.abs(Math.log2(centre / hz)) < 0.17)
      return other![part][band]! - one![part][band]!
    }
    expect(change('mid_db', 1000) - change('mid_db', 8000)).toBeCloseTo(5.5, 0)
    expect(Math.abs(change('side_db', 1000) - change('side_db', 8000))).toBeLessThan(0.5)
  })

  it('changes the target, the ceiling or the limiter of one master alone', async () => {
    const { masters } = first.recipe
    const { peaks } = masters!.melon!
    const limiter = { look_ahead_ms: 3, fast_release_ms: 40, slow_rise_ms: 0, slow_fall_ms: 0 }
    const { report, sums } = await mastered(song, {
      recipe: {
        ...first.recipe,
        masters: {
          ...masters,
          spotify: { target_lufs: -9.5, ceiling_dbtp: -3 },
          melon: { ...masters!.melon!, peaks: { clip_above_db: null, limiter } },
        },
      },
    })
    const [spotify, melon] = report.masters
    expect(peaks).toBeDefined()
    expect(spotify!.result).toMatchObject({ target_lufs: -9.5, ceiling_dbtp: -3, ceiling_confidence: 'requested' })
    expect(spotify!.result.integrated_lufs).toBeCloseTo(-9.5, 1)
    expect(spotify!.result.true_peak_dbtp).toBeLessThanOrEqual(-3)
    expect(melon!.finishing!.limiter).toMatchObject({ look_ahead_ms: 3, fast_release_ms: 40 })
    expect(sums[1]).not.toBe(first.sums[1])
    expect(sums[2]).toBe(first.sums[2])
  })

  it('is used as written on another song, which gets its own repairs, gain and limiter, and is told so', async () => {
    const other = faultySong('other.wav', 48_000)
    const { report, recipe, codes } = await mastered(other, { recipe: first.recipe })
    expect(codes).toContain('RECIPE_OF_OTHER_SONG')
    expect(recipe.stages.map(({ kind }) => kind)).toContain('declip')
    expect(recipe.stages.slice(-first.recipe.stages.length)).toEqual(first.recipe.stages)
    for (const { result } of report.masters) expect(result.verdict).toBe('on_target')
  })

  it('of version 1 is a starting point that is told to be rounded', async () => {
    const { codes, recipe } = await mastered(song, { recipe: { version: 1, stages: first.recipe.stages } })
    expect(codes).toContain('RECIPE_ROUNDED')
    expect(recipe.version).toBe(2)
  })
})

/** A small part of a campaign; `npm run campaign` sets the whole number. */
const RENDERS = Number(process.env.RECIPE_RENDERS ?? 6)

describe('odd recipes', () => {
  const make = oddRecipes(Number(process.env.RECIPE_SEED ?? 20_271))
  const valid = Compile(WrittenRecipe)
  const [left, right] = songLike(3, 44_100, 0.2)
  const songs = [
    faultySong('odd-faulty.wav', 48_000),
    writeFloatWav(path.join(folder, 'odd.wav'), [left!, right!], 44_100),
    writeFloatWav(path.join(folder, 'odd-mono.wav'), [left!], 44_100),
    writeFloatWav(path.join(folder, 'odd-fast.wav'), songLike(3, 96_000, 0.4), 96_000),
    writeFloatWav(path.join(folder, 'odd-slow.wav'), songLike(3, 32_000, 0.7), 32_000),
    writeFloatWav(path.join(folder, 'odd-faint.wav'), songLike(3, 48_000, 0.002), 48_000),
  ]

  /** Returns a recipe that is taken; half of those with a song are of that song. */
  function taken(sha256: string): WrittenRecipe {
    for (;;) {
      const recipe = make.recipe(true)
      if (!valid.Check(recipe) || recipeFault(recipe)) continue
      const source = { sha256, trim_start_seconds: 0, trim_end_seconds: 0 }
      return make.random() < 0.5 ? { ...recipe, source } : recipe
    }
  }

  /** Returns the channels of a file, decoded by ffmpeg. */
  function decoded(file: string): Float32Array[] {
    const bytes = runPlain('-i', file, '-f', 'f32le', '-')
    const samples = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    return [0, 1].map((c) => Float32Array.from({ length: samples.length / 2 }, (_, i) => samples[2 * i + c]!))
  }

  it(`end by name, or their masters keep what they promise: ${RENDERS} songs`, async () => {
    const faults: string[] = []
    const counts: Record<string, number> = {}
    const count = (name: string) => {
      counts[name] = (counts[name] ?? 0) + 1
    }
    for (let round = 0; round < RENDERS; round++) {
      const { source, ...order } = await orderFor(songs[round % songs.length]!, folder, {
        platforms: ['spotify', 'melon'],
      })
      const recipe = taken(source.sha256)
      const fail = (what: unknown) => void faults.push(`${what}: ${source.filename} ${JSON.stringify(recipe)}`)
      const settings = { ...order.settings, recipe }
      const result = await masterOrder({ ...order, source, settings }).catch((error: unknown) => {
        if (error instanceof WorkFailure) count(error.failureCode)
        else fail((error as Error).stack)
      })
      for (const master of result?.masters ?? []) {
        const { target_lufs, ceiling_dbtp, verdict, platform } = master
        const file = path.join(order.attemptFolder, placeOf(result!.zip, master.file)!.file)
        const { integratedLufs } = readByEbur128(file)
        const truePeakDbtp = fullTruePeakDbtp(decoded(file))
        const goal = recipe.masters?.[platform]
        const far = goal ? [goal.target_lufs - target_lufs, goal.ceiling_dbtp - ceiling_dbtp] : []
        if (far.some((db) => Math.abs(db) > 0.0005)) fail(`another goal, ${target_lufs} ${ceiling_dbtp}`)
        if (!(truePeakDbtp <= ceiling_dbtp + 0.05)) fail(`${truePeakDbtp} dBTP over ${ceiling_dbtp}`)
        const missedLu = Math.abs(integratedLufs - target_lufs)
        if (verdict === 'on_target' && !(missedLu <= 0.1)) fail(`${integratedLufs} LUFS for ${target_lufs}`)
        if (verdict === 'below_target' && !(integratedLufs < target_lufs)) fail(`${integratedLufs} LUFS is not below`)
        count(verdict)
      }
      rmSync(order.attemptFolder, { recursive: true })
    }
    if (process.env.RECIPE_RENDERS) console.info(JSON.stringify(counts))
    expect(faults).toEqual([])
    expect(counts.on_target).toBeGreaterThan(0)
  })
})
