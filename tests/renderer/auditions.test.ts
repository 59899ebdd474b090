import { describe, expect, it } from 'vitest'
import type { Audition, TargetPrice } from '../../src-contract/auditions.ts'
import { ApiError, type Client } from '../../src-contract/client.ts'
import { DEFAULT_SETTINGS } from '../../src-contract/settings.ts'
import { Auditions, type AuditionWish } from '../../src-renderer/state/auditions.ts'
import { findPrice } from '../../src-renderer/state/price.ts'

const wish = (tilt_db: number, sourceId = 'song'): AuditionWish => ({
  sourceId,
  platform: 'spotify',
  settings: { ...DEFAULT_SETTINGS, tilt_db },
})

/** A server whose answers the test gives; `heard` are the renderings that were played. */
function setUp() {
  const asked: { tilt: number; answer: (result: Partial<Audition> | ApiError) => void }[] = []
  const heard: (string | null)[] = []
  const known: { now: Partial<Audition> } = { now: {} }
  /** Promise that playback awaits until a rendering is ready. */
  const playback = { isReady: Promise.resolve() }
  const call = (name: string, { body, params }: { body?: { settings: { tilt_db: number } }; params?: object }) => {
    if (name === 'readAuditionPicture') return Promise.reject(new Error('no picture here'))
    if (name === 'readAudition') return Promise.resolve({ ...params, ...known.now })
    const tilt = body?.settings.tilt_db ?? 0
    return new Promise((resolve, reject) => {
      const answer = (result: Partial<Audition> | ApiError) =>
        result instanceof ApiError
          ? reject(result)
          : resolve({ audition_id: `tilt ${tilt}`, state: 'estimated', ...result })
      asked.push({ tilt, answer })
    })
  }
  const auditions = new Auditions({
    client: { call } as unknown as Client,
    async hear(_sourceId, version) {
      heard.push(version.track?.replace('audition ', '') ?? null)
      await playback.isReady
    },
  })
  return { auditions, asked, heard, known, playback, state: auditions.store.getState }
}

describe('an audition', () => {
  it('is asked for once at a time while a hand moves on, and the last one is always asked for', async () => {
    const { auditions, asked, heard, state } = setUp()
    for (const tilt of [1, 1, 2, 3]) auditions.want(wish(tilt))
    expect(asked.map(({ tilt }) => tilt)).toEqual([1])
    asked[0]?.answer({})
    await expect.poll(() => asked.map(({ tilt }) => tilt)).toEqual([1, 3])
    expect(state().isAsking).toBe(true)
    asked[1]?.answer({})
    await expect.poll(() => heard).toEqual(['tilt 1 estimate', 'tilt 3 estimate'])
    await expect.poll(() => state().isAsking).toBe(false)
  })

  it('slides from the estimate to what is exact, and no older one comes back', async () => {
    const { auditions, asked, heard, known, state } = setUp()
    auditions.want(wish(1))
    asked[0]?.answer({})
    await expect.poll(() => state().audition?.audition_id).toBe('tilt 1')
    known.now = { state: 'exact', loudness_lufs: -14 }
    await auditions.hearOf('tilt 9')
    await auditions.hearOf('tilt 1')
    expect(heard).toEqual(['tilt 1 estimate', 'tilt 1 exact'])
  })

  it('is let go of with its song, also when its answer comes late', async () => {
    const { auditions, asked, heard } = setUp()
    auditions.want(wish(1))
    auditions.want(wish(1, 'other'))
    asked[0]?.answer({})
    await expect.poll(() => asked).toHaveLength(2)
    asked[1]?.answer({ audition_id: 'other' })
    await expect.poll(() => heard).toEqual(['other estimate'])
  })

  it('is heard before it is shown, and neither news of an older one nor a song that was left comes between', async () => {
    const { auditions, asked, heard, known, playback, state } = setUp()
    auditions.want(wish(1))
    asked[0]?.answer({})
    await expect.poll(() => state().audition?.audition_id).toBe('tilt 1')
    const ready = Promise.withResolvers<void>()
    playback.isReady = ready.promise
    auditions.want(wish(2))
    asked[1]?.answer({})
    await expect.poll(() => heard.at(-1)).toBe('tilt 2 estimate')
    expect(state().audition?.audition_id).toBe('tilt 1')
    known.now = { state: 'exact' }
    await auditions.hearOf('tilt 1')
    expect(heard.at(-1)).toBe('tilt 2 estimate')
    auditions.want(wish(2, 'other'))
    ready.resolve()
    await expect.poll(() => asked).toHaveLength(3)
    expect(state().audition).toBeNull()
  })

  it('is asked for again when its process ended, and says why it cannot be heard', async () => {
    const { auditions, asked, state } = setUp()
    auditions.want(wish(1))
    asked[0]?.answer(new ApiError({ code: 'AUDITION_ENDED' }))
    await expect.poll(() => asked).toHaveLength(2)
    asked[1]?.answer(new ApiError({ code: 'INSUFFICIENT_STORAGE' }))
    await expect.poll(() => state()).toMatchObject({ failure: { code: 'INSUFFICIENT_STORAGE' }, isAsking: false })
    auditions.want(wish(2))
    asked[2]?.answer({})
    await expect.poll(() => state().failure).toBeNull()
  })
})

describe('the price of loudness', () => {
  const price = (target_lufs: number, loss: number, peaks = 4, plr = 9): TargetPrice => ({
    ...{ target_lufs, integrated_lufs: target_lufs, verdict: 'on_target' },
    ...{ mean_gain_reduction_db: loss, peak_loss_db: peaks, plr_db: plr },
  })
  const prices = [price(-14, 0.2), price(-10.5, 2), price(-9.5, 4), price(-8.5, 6)]

  it('is what the target gives up, with the loudest one that does no harm', () => {
    expect(findPrice(prices, -8.5)).toMatchObject({ harm: 'loss', lossDb: 6, better: { targetLufs: -10.5, lossDb: 2 } })
    expect(findPrice(prices, -14)).toMatchObject({ harm: null, lossDb: 0.2, better: null })
  })

  it('is harm too where peaks are cut or nothing is left above the level', () => {
    expect(findPrice([price(-14, 0), price(-9, 1, 11)], -9)).toMatchObject({
      harm: 'peaks',
      better: { targetLufs: -14 },
    })
    expect(findPrice([price(-9, 1, 4, 5.9)], -9)).toMatchObject({ harm: 'plr', better: null })
    expect([findPrice(undefined, -9), findPrice([], -9)]).toEqual([null, null])
  })
})
