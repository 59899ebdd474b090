/**
 * Golden masters: the SHA-256 of a dozen short masters of this engine version, in golden-masters.json. A change of any byte is a
 * change of sound: it needs a new engine version, and `UPDATE_GOLDEN=1 npx vitest run golden` to write the file anew.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { engineVersion } from '../../../src-engine/version.ts'
import type { WorkOrder } from '../../../src-worker/mastering/work-order.ts'
import { songLike as beat, scaled, seededRandom } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { songLike as chords, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, type OrderChange, orderFor, storedSong } from './run-worker.ts'

const GOLDEN_FILE = path.join(import.meta.dirname, 'golden-masters.json')
interface Golden {
  readonly engine_version: string
  /** SHA-256 of the whole WAV file by `<song> <platform>`. */
  readonly masters: Readonly<Record<string, string>>
}

const folder = temporaryFolder()

/** Writes a song as a float WAV and returns its path. */
function song(name: string, channels: readonly Float32Array[], sampleRateHz: number): string {
  return writeFloatWav(path.join(folder, `${name}.wav`), channels, sampleRateHz)
}

function addClicks(samples: Float32Array, random: () => number): void {
  for (let click = 0; click < 12; click++) samples[Math.floor((random() * 0.5 + 0.5) * samples.length)]! += 0.7
}

/** A song with clicks whose sides are far louder than its middle, at 48 kHz. */
function wideSong(): readonly Float32Array[] {
  const [left, right] = beat(8, 48_000).channels as [Float32Array, Float32Array]
  const random = seededRandom(11)
  const channels = [1, -1].map((sign) =>
    left.map((sample, i) => 0.15 * (sample + right[i]!) + sign * 1.2 * (sample - right[i]!)),
  )
  for (const samples of channels) addClicks(samples, random)
  return channels
}

/** A song with an offset, flat tops and clicks, at 96 kHz. */
function damagedSong(): readonly Float32Array[] {
  const { channels } = scaled(beat(6, 96_000, 3), 1.6)
  const random = seededRandom(11)
  for (const samples of channels) {
    for (let i = 0; i < samples.length; i++) samples[i] = Math.max(-0.9, Math.min(0.9, samples[i]! + 0.01))
    addClicks(samples, random)
  }
  return channels
}

/** The songs and the orders by which they are mastered: four kinds of source, both tiers, every platform, with a reference and without. */
async function orders(): Promise<Readonly<Record<string, WorkOrder>>> {
  const chordsFile = song('chords', chords(8), 44_100)
  const beatFile = song('beat', beat(8, 48_000).channels, 48_000)
  const order = (file: string, change: OrderChange) => orderFor(file, folder, change)
  return {
    chords: await order(chordsFile, { platforms: ['spotify', 'apple_music', 'youtube', 'melon', 'soundcloud'] }),
    'chords-premium': await order(chordsFile, { platforms: ['apple_music'], tier: 'premium', genre: 'pop' }),
    'chords-like-beat': await order(chordsFile, { platforms: ['youtube'], reference: await storedSong(beatFile) }),
    'beat-loud': await order(beatFile, {
      platforms: ['spotify', 'melon'],
      genre: 'kpop',
      loudness: 'competitive',
      ai_service: 'suno',
      intensity: 80,
    }),
    // Every setting of the sound away from its default, on a song that answers to each.
    steered: await order(song('wide', wideSong(), 48_000), {
      ...{ platforms: ['spotify'], genre: 'kpop', target_lufs: -12, skip_repairs: ['clicks'] },
      ...{ tilt_db: 1.2, bass_db: -1.5, presence_db: 1, air_db: 2, width_percent: 120, highs_side_db: -2 },
      ...{ punch: 40, warmth: 50, density: 20 },
      ...{ tone_amount: 60, dynamics_amount: 70, image_amount: 40 },
    }),
    damaged: await order(song('damaged', damagedSong(), 96_000), { platforms: ['apple_music'], genre: 'ballad' }),
    mono: await order(song('mono', [beat(6, 44_100, 5).channels[0]!], 44_100), {
      platforms: ['soundcloud', 'spotify'],
      genre: 'hiphop',
      seed: 42,
    }),
  }
}

it('the masters of this engine version have the bytes that they had', async () => {
  const masters: Record<string, string> = {}
  for (const [name, order] of Object.entries(await orders())) {
    for (const { platform, sha256 } of (await masterOrder(order)).masters) masters[`${name} ${platform}`] = sha256
  }
  const golden: Golden = { engine_version: engineVersion, masters }
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(GOLDEN_FILE, `${JSON.stringify(golden, null, 2)}\n`)
  expect(golden).toEqual(JSON.parse(readFileSync(GOLDEN_FILE, 'utf8')))
})
