/** The one master for all services: its level and its ceiling, beside masters that stay as they are. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import Schema from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { type MasterTargets, releaseTarget, type SongLevel } from '../../../src-contract/delivery-target.ts'
import { Report } from '../../../src-contract/report.ts'
import { jobSettings } from '../../../src-contract/settings.ts'
import type { WorkOrder, WorkResult } from '../../../src-worker/mastering/work-order.ts'
import { resultFiles } from '../../support/result-files.ts'
import { noise } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { songLike, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, orderFor } from './run-worker.ts'

const folder = temporaryFolder()
const song = writeFloatWav(path.join(folder, 'Night.wav'), songLike(3.3, 48_000, 0.6), 48_000)

function entry({ attemptFolder }: WorkOrder, { zip }: WorkResult, name: string): string {
  return resultFiles(attemptFolder, zip).get(name)?.toString('utf8') ?? ''
}

describe('the target of the master for all services', () => {
  const targetOf = (
    change: Partial<ReturnType<typeof jobSettings>>,
    ...song: [own?: MasterTargets, level?: SongLevel]
  ) => releaseTarget(jobSettings({ platforms: ['spotify', 'apple_music'], genre: 'kpop', ...change }), ...song)

  it('is −14 LUFS, the level of the genre, or the own one', () => {
    expect(targetOf({}).targetLufs).toBe(-14)
    expect(targetOf({ loudness: 'competitive' }).targetLufs).toBe(-8.5)
    expect(targetOf({ loudness: 'competitive', target_lufs: -12 })).toMatchObject({
      targetLufs: -12,
      targetConfidence: 'requested',
    })
  })

  it('is under the lowest ceiling of the chosen platforms at that loudness', () => {
    expect(targetOf({}).ceilingDbtp).toBe(-1)
    expect(targetOf({ platforms: ['spotify', 'soundcloud'] }).ceilingDbtp).toBe(-1.5)
    // Louder than −14, Spotify asks for −2.
    expect(targetOf({ target_lufs: -12 }).ceilingDbtp).toBe(-2)
    expect(targetOf({ platforms: ['apple_music'], target_lufs: -12 }).ceilingDbtp).toBe(-1)
  })

  it('is the level of a louder song as far as gain alone keeps its ceiling, where that is asked for', () => {
    const level = { integratedLufs: -9, truePeakDbtp: -0.5 }
    const lufs = (change: Parameters<typeof targetOf>[0], song: SongLevel = level, own = {}) =>
      targetOf({ release_level: 'song', ...change }, own, song).targetLufs
    expect(lufs({})).toBe(-10.6)
    expect(lufs({ platforms: ['apple_music'] })).toBe(-9.6)
    expect(lufs({}, { integratedLufs: -9, truePeakDbtp: -3 })).toBe(-9)
    // With peaks that high, or a quieter song, it is −14 with the ceiling of −14.
    expect(targetOf({ release_level: 'song' }, {}, { integratedLufs: -12, truePeakDbtp: 0.5 })).toEqual(targetOf({}))
    expect(lufs({}, { integratedLufs: -20, truePeakDbtp: -8 })).toBe(-14)
    expect([lufs({ target_lufs: -12 }), lufs({ loudness: 'competitive' })]).toEqual([-12, -8.5])
    expect(lufs({}, level, { release: -13 })).toBe(-13)
    expect(targetOf({ release_level: 'fixed' }, {}, level)).toEqual(targetOf({}))
  })
})

describe('a job with a master for all services', () => {
  it('writes it as one more file, on its target, with 24 bit at the rate of the song, and leaves the others as they are', async () => {
    const plain = await masterOrder(await orderFor(song, folder, { platforms: ['spotify', 'soundcloud'] }))
    const order = await orderFor(song, folder, {
      platforms: ['spotify', 'soundcloud'],
      release_master: true,
      formats: ['flac24'],
    })
    const result = await masterOrder(order)
    expect(result.release).toMatchObject({
      file: 'Night_release.wav',
      target_lufs: -14,
      ceiling_dbtp: -1.5,
      bit_depth: 24,
      sample_rate_hz: 48_000,
      verdict: 'on_target',
      files: [{ format: 'flac24', file: expect.stringMatching(/^Night_.*\.flac$/) }],
    })
    expect(result.release!.integrated_lufs).toBeCloseTo(-14, 1)
    expect(result.release!.true_peak_dbtp).toBeLessThanOrEqual(-1.5)
    expect(result.release!.playback.map(({ platform }) => platform)).toEqual(['spotify', 'soundcloud'])
    const sums = (one: WorkResult) => one.masters.map(({ file, sha256 }) => [file, sha256])
    expect(sums(result)).toEqual(sums(plain))
    expect(plain).not.toHaveProperty('release')

    const report: unknown = JSON.parse(readFileSync(path.join(order.attemptFolder, 'report.json'), 'utf8'))
    expect(Schema.Errors(Report, report)[1]).toEqual([])
    expect((report as Report).release!.result).toEqual(result.release)

    const readme = entry(order, result, 'README.txt')
    for (const file of ['Night_spotify.wav', 'Night_soundcloud.wav', result.release!.files![0]!.file]) {
      expect(readme.split(`\n${file}\n`)).toHaveLength(3)
    }
    expect(readme).toContain('Upload this one')
    expect(readme).toContain('유통사에는 이 파일을 올리세요')
    expect(plain.zip.entries.some(({ name }) => name.endsWith('README.txt'))).toBe(false)
  })

  it('shares its further formats with every platform whose master has its promise: one file, and the text says for whom', async () => {
    const order = await orderFor(song, folder, {
      platforms: ['youtube', 'apple_music'],
      target_lufs: -16,
      tier: 'premium',
      release_master: true,
      formats: ['flac16_44'],
    })
    const result = await masterOrder(order)
    const files = [...result.masters, result.release!].map((one) => one.files![0]!.file)
    expect(new Set(files)).toEqual(new Set(['Night_release_16bit_44k.flac']))
    expect(result.masters[0]!.same_bytes_as).toEqual(['apple_music'])
    expect(result.release!.same_bytes_as).toEqual(['youtube', 'apple_music'])
    expect(result.zip.entries.filter(({ name }) => name.endsWith('.flac'))).toHaveLength(1)
    const readme = entry(order, result, 'README.txt')
    expect(readme).toMatch(/\.flac\n {4}for YouTube, Apple Music, all services/)
    expect(readme).toContain('the same bytes as Night_apple_music.wav')
  })
})

describe('a job with a master for all services at the level of the song', () => {
  it('makes it louder than −14 LUFS by gain alone, and names the level that was asked for', async () => {
    const loud = writeFloatWav(path.join(folder, 'Loud.wav'), [...noise(0.5, 3.3, 48_000, 3).channels], 48_000)
    const settings = { platforms: ['spotify'], release_master: true, release_level: 'song' } as const
    const order = await orderFor(loud, folder, { ...settings, platforms: [...settings.platforms] })
    const { release, masters } = await masterOrder(order)
    expect(release!.target_lufs).toBeGreaterThan(-12)
    expect(release).toMatchObject({ ceiling_dbtp: -2, mean_gain_reduction_db: 0, max_gain_reduction_db: 0 })
    expect(release!.true_peak_dbtp).toBeLessThanOrEqual(-2)
    expect(masters[0]!.target_lufs).toBe(-14)
    const report: unknown = JSON.parse(readFileSync(path.join(order.attemptFolder, 'report.json'), 'utf8'))
    expect((report as Report).settings.release_level).toBe('song')
  })
})

describe('files without tags', () => {
  it('have none: neither the master nor its further formats, and their sound is the same', async () => {
    const settings = { platforms: ['melon'], formats: ['flac24', 'wav32f'] } as const
    const orders = await Promise.all(
      (['song', 'none'] as const).map((file_tags) =>
        orderFor(song, folder, { ...settings, formats: [...settings.formats], file_tags, artist: 'Ana' }),
      ),
    )
    const [tagged, bare] = [await masterOrder(orders[0]!), await masterOrder(orders[1]!)]
    const texts = (one: WorkResult, i: number) =>
      ['Night_melon.wav', 'Night_melon.flac', 'Night_melon_32float.wav'].map((name) => entry(orders[i]!, one, name))
    for (const text of texts(tagged, 0)) expect(text).toContain('Ana')
    for (const text of texts(bare, 1)) expect(text).not.toMatch(/Ana|Night|id3 |LIST|REPLAYGAIN/)
    expect(bare.masters[0]!.files!.map(({ integrated_lufs }) => integrated_lufs)).toEqual(
      tagged.masters[0]!.files!.map(({ integrated_lufs }) => integrated_lufs),
    )
  })
})
