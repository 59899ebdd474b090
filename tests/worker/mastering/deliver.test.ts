import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type DeliveryTarget, deliveryTarget } from '../../../src-contract/delivery-target.ts'
import type { Tier } from '../../../src-contract/settings.ts'
import { prepareFinalise } from '../../../src-engine/finalise/finalise.ts'
import { deliverMasters } from '../../../src-worker/mastering/deliver.ts'
import { renderMaster, writeFloatMaster } from '../../../src-worker/mastering/render-master.ts'
import { listEncoders } from '../../../src-worker/media/ffmpeg.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { seededRandom, stereo } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { foundFfmpeg as ffmpeg } from '../media/make-audio.ts'

const canEncode = (await listEncoders(ffmpeg)).has('aac')

/** Noise that is brought to a loudness at which it stands at its ceiling throughout: an encoder throws it above full scale. */
const random = seededRandom(5)
let last = 0
const noise = stereo(6 * 44_100, 44_100, () => {
  last = 0.8 * last + 0.1 * random()
  return last
})

/** Delivers masters of the noise, with that ffmpeg, to a folder of their own. */
async function deliverNoise(targets: readonly DeliveryTarget[], by = ffmpeg, tier: Tier = 'premium', song = noise) {
  const folder = temporaryFolder(onTestFinished)
  const steps: string[] = []
  const verified: number[] = []
  const order = { targets, tier, intensity: 50, seed: 0, tags: {} }
  const { masters } = await deliverMasters(() => song, order, {
    ffmpeg: by,
    folder,
    pool: {
      async render(task, onStep = () => {}) {
        steps.push('a master begins')
        return renderMaster(task, onStep)
      },
      async writeFloat(task) {
        writeFloatMaster(task)
      },
    },
    onProgress(stage, part) {
      steps.push(stage)
      if (stage === 'verifying') verified.push(part)
    },
  })
  return { masters, folder, steps, verified }
}

/** Delivers one premium master of the noise and says which file it is, what its copy reads and what else lies there. */
async function deliver(targetLufs: number) {
  const target = { ...deliveryTarget('soundcloud', 'other', 'platform'), targetLufs, ceilingDbtp: -0.2 }
  const { masters, folder } = await deliverNoise([target])
  const [{ master, codecChecks } = expect.fail('nothing delivered')] = masters
  const { verdict } = master.plan
  return { file: path.basename(master.path), verdict, check: codecChecks[0], left: readdirSync(folder) }
}

describe.runIf(canEncode)('a premium master whose copy would clip (only with an AAC encoder)', () => {
  it('is delivered lowered, without other files', async () => {
    const { file, verdict, check, left } = await deliver(-6)
    expect(file).toMatch(/^lowered-/)
    expect(verdict).toBe('on_target')
    expect(check?.ceiling_lowered_db).toBeGreaterThan(0)
    expect(left).toEqual([file])
  })

  it('is what a recipe gives that asks for its lowered ceiling, which is kept', async () => {
    const target = { ...deliveryTarget('soundcloud', 'other', 'platform'), targetLufs: -6, ceilingDbtp: -0.2 }
    const [lowered] = (await deliverNoise([target])).masters
    const asked = {
      ...target,
      ceilingDbtp: lowered!.master.plan.promisedCeilingDbtp,
      isCeilingKept: true as const,
    }
    const [kept] = (await deliverNoise([asked])).masters
    expect(asked.ceilingDbtp).toBeLessThan(target.ceilingDbtp)
    expect([kept!.master.sha256, kept!.codecChecks[0]!.ceiling_lowered_db]).toEqual([lowered!.master.sha256, 0])
    const [hot] = (await deliverNoise([{ ...target, isCeilingKept: true }])).masters
    expect(path.basename(hot!.master.path)).toMatch(/^master-/)
  })

  it.runIf(IS_CAMPAIGN)('is delivered unchanged if the lowered one misses its target', async () => {
    const { file, verdict, check, left } = await deliver(-4)
    expect(file).toMatch(/^master-/)
    expect(verdict).toBe('on_target')
    expect(check).toMatchObject({ ceiling_lowered_db: 0 })
    expect(check?.true_peak_dbtp).toBeGreaterThan(0)
    expect(left).toEqual([file])
  })
})

describe.runIf(canEncode)('a premium master that ends below its target (only with an AAC encoder)', () => {
  it('loses no more loudness to its copy', async () => {
    const { file, verdict, check, left } = await deliver(-2)
    expect(verdict).toBe('below_target')
    expect(check?.true_peak_dbtp).toBeGreaterThan(0)
    expect([file, check?.ceiling_lowered_db]).toEqual(['master-soundcloud.wav', 0])
    expect(left).toEqual([file])
  })
})

/** An ffmpeg that has no libvorbis and notes the arguments of each of its calls, and what it noted. */
function notingFfmpeg() {
  const folder = temporaryFolder(onTestFinished)
  const notes = path.join(folder, 'calls')
  const file = path.join(folder, 'ffmpeg')
  const script = [
    '#!/bin/sh',
    `echo "$*" >> '${notes}'`,
    `case "$*" in *-encoders*) '${ffmpeg.path}' "$@" | grep -v libvorbis; exit;; esac`,
    `exec '${ffmpeg.path}' "$@"`,
  ]
  writeFileSync(file, `${script.join('\n')}\n`, { mode: 0o755 })
  return { noting: { ...ffmpeg, path: file }, calls: () => readFileSync(notes, 'utf8').trim().split('\n') }
}

describe.runIf(canEncode && process.platform !== 'win32')('one premium master for two platforms (needs sh)', () => {
  it.each([
    ['as it was rendered', -14, /^master-spotify\.wav$/],
    ['lowered', -6, /^lowered-.*-spotify\.wav$/],
  ])('is made and copied once by a codec that both stream, %s', async (_, targetLufs, name) => {
    const { noting, calls } = notingFfmpeg()
    const ceilingDbtp = -0.13
    const targets = (['spotify', 'apple_music'] as const).map((platform) => {
      return { ...deliveryTarget(platform, 'other', 'platform'), targetLufs, ceilingDbtp }
    })
    const { masters, folder } = await deliverNoise(targets, noting)
    const [spotify, apple] = masters
    expect(path.basename(spotify!.master.path)).toMatch(name)
    expect(apple!.master).toEqual(spotify!.master)
    expect(apple!.codecChecks).toEqual(spotify!.codecChecks.slice(0, apple!.codecChecks.length))
    expect(readdirSync(folder)).toHaveLength(1)
    const copied = calls().flatMap((call) => (call.includes('-f adts') ? /\S+\.wav/.exec(call)![0] : []))
    expect(copied.at(-1)).toBe(spotify!.master.path)
    // Once by each of the ways of the coder.
    const coders = apple!.codecChecks.length
    for (const file of new Set(copied)) expect(copied.filter((one) => one === file).length).toBeLessThanOrEqual(coders)
  })
})

describe.runIf(canEncode)('premium masters that are being proofed (only with an AAC encoder)', () => {
  it.runIf(IS_CAMPAIGN)('report progress copy by copy', async () => {
    const targets = (['spotify', 'youtube'] as const).map((platform) => deliveryTarget(platform, 'other', 'platform'))
    const { masters, verified } = await deliverNoise(targets)
    const copies = masters.flatMap(({ codecChecks }) => codecChecks)
    expect(verified).toEqual([...verified].sort((a, b) => a - b))
    // The renders themselves are a tenth of it.
    expect(new Set(verified.filter((part) => part > 0.1001)).size).toBe(copies.length)
    expect(verified.at(-1)).toBe(1)
  })
})

describe('masters for one loudness under two ceilings', () => {
  const { loudness, truePeak } = prepareFinalise(noise)
  /** Masters under −1 and −2 dBTP at the loudness to which gain alone brings the noise with that peak. */
  const deliverAt = async (peakDbtp: number, by = ffmpeg, tier: Tier = 'standard') => {
    const targetLufs = loudness.integratedLufs + peakDbtp - 20 * Math.log10(truePeak)
    const targets = [-1, -2].map((ceilingDbtp, i) => {
      return { ...deliveryTarget(i === 0 ? 'spotify' : 'apple_music', 'other', 'platform'), targetLufs, ceilingDbtp }
    })
    const { masters } = await deliverNoise(targets, by, tier)
    return masters.map(({ master }) => master)
  }

  it('are limited only if their own ceiling requires it', async () => {
    const [higher, lower] = await deliverAt(-1.5)
    expect(higher!.plan.limiter).toBeNull()
    expect(higher!.measurement.truePeakDbtp).toBeCloseTo(-1.5, 1)
    expect(lower!.measurement.truePeakDbtp).toBeLessThanOrEqual(-2)
    expect(lower!.measurement.integratedLufs).toBeCloseTo(higher!.measurement.integratedLufs, 1)
  })

  it('are one file if neither ceiling is reached', async () => {
    const [higher, lower] = await deliverAt(-4)
    expect(lower!.path).toBe(higher!.path)
  })

  it.runIf(canEncode && process.platform !== 'win32')(
    'are copied once by each way of a coder if they are two files of the same bytes (needs sh)',
    async () => {
      const { noting, calls } = notingFfmpeg()
      const [higher, lower] = await deliverAt(-2.1, noting, 'premium')
      expect(lower!.path).not.toBe(higher!.path)
      expect(lower!.sha256).toBe(higher!.sha256)
      const ways = calls().flatMap((call) => /-c:a .* -f adts/.exec(call)?.[0] ?? [])
      expect(ways.length).toBeGreaterThan(0)
      expect(new Set(ways).size).toBe(ways.length)
    },
  )
})
