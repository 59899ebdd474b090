import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { deliveryTarget } from '../../src-server/contract/platforms.ts'
import { deliverMasters } from '../../src-server/mastering/deliver.ts'
import { renderMaster } from '../../src-server/mastering/render-master.ts'
import { listEncoders } from '../../src-server/media/ffmpeg.ts'
import { ffmpeg, temporaryFolder } from '../media/make-audio.ts'
import { seededRandom, stereo } from '../support/sounds.ts'

vi.setConfig({ testTimeout: 120_000 })

const canEncode = (await listEncoders(ffmpeg)).has('aac')

/** Noise that is brought to a loudness at which it stands at its ceiling throughout: an encoder throws it above full scale. */
const random = seededRandom(5)
let last = 0
const noise = stereo(6 * 44_100, 44_100, () => {
  last = 0.8 * last + 0.1 * random()
  return last
})

/** Delivers a premium master of the noise and says which file it is, what its copy reads and what else lies there. */
async function deliver(targetLufs: number) {
  const folder = temporaryFolder()
  const target = { ...deliveryTarget('soundcloud', 'other', 'platform'), targetLufs, ceilingDbtp: -0.2 }
  const { masters } = await deliverMasters(() => noise, {
    targets: [target],
    tier: 'premium',
    intensity: 50,
    seed: 0,
    tags: {},
    place: { ffmpeg, folder },
    pool: { render: async (task) => renderMaster(task, () => {}), close: async () => {} },
    onProgress: () => {},
  })
  const [{ master, codecChecks } = expect.fail('nothing delivered')] = masters
  const { verdict } = master.plan
  return { file: path.basename(master.path), verdict, check: codecChecks[0], left: readdirSync(folder) }
}

describe.runIf(canEncode)('a premium master whose copy would clip (only with an AAC encoder)', () => {
  it('is delivered lowered, and alone', async () => {
    const { file, verdict, check, left } = await deliver(-5)
    expect(file).toMatch(/^lowered-/)
    expect(verdict).toBe('on_target')
    expect(check?.ceiling_lowered_db).toBeGreaterThan(0)
    expect(left).toEqual([file])
  })

  it('is delivered as it was where the lowered one misses its target', async () => {
    const { file, verdict, check, left } = await deliver(-4)
    expect(file).toMatch(/^master-/)
    expect(verdict).toBe('on_target')
    expect(check).toMatchObject({ ceiling_lowered_db: 0 })
    expect(check?.true_peak_dbtp).toBeGreaterThan(0)
    expect(left).toEqual([file])
  })
})
