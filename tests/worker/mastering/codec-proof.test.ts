import { describe, expect, it } from 'vitest'
import { proofMaster } from '../../../src-worker/mastering/codec-proof.ts'
import type { LossyCodec } from '../../../src-worker/media/encode.ts'

const codec = (name: string): LossyCodec => ({ name, encoder: name, options: [], muxer: name, demuxer: name })
const strict = codec('strict')
const mild = codec('mild')

/**
 * Proofs a master whose copies read what `peaks` says for each version of it, the first one included; a version is what its peak
 * was lowered by. Says which copies were made, in order.
 */
async function proof(peaks: Readonly<Record<string, readonly number[]>>, isWorth = (_loweredDb: number) => true) {
  const copies: string[] = []
  const lowered: number[] = []
  const { master, codecChecks } = await proofMaster(0, [strict, mild], {
    again: async (loweredDb) => {
      lowered.push(Number(loweredDb.toFixed(6)))
      return isWorth(loweredDb) ? lowered.length : null
    },
    copyPeakDbtp: async (version, { name }) => {
      copies.push(`${name} ${version}`)
      return peaks[name]![version]!
    },
  })
  const checks = codecChecks.map((check) => [
    check.codec,
    check.true_peak_dbtp,
    Number(check.ceiling_lowered_db.toFixed(6)),
  ])
  return { version: master, checks, copies, lowered }
}

describe('proofing a master', () => {
  it('copies a master that holds once with every codec and does not change it', async () => {
    expect(await proof({ strict: [0], mild: [-0.4] })).toEqual({
      version: 0,
      checks: [
        ['strict', 0, 0],
        ['mild', -0.4, 0],
      ],
      copies: ['strict 0', 'mild 0'],
      lowered: [],
    })
  })

  it('makes no further copy of a master that must be lowered, and reports the readings of the delivered one', async () => {
    expect(await proof({ strict: [0.33, -0.2], mild: [0.2, -0.3] })).toEqual({
      version: 1,
      checks: [
        ['strict', -0.2, 0.5],
        ['mild', -0.3, 0.5],
      ],
      copies: ['strict 0', 'strict 1', 'mild 1'],
      lowered: [0.5],
    })
  })

  it('tries a lowered master first with the codec that failed', async () => {
    const { copies, checks } = await proof({ strict: [-0.1, -0.3], mild: [0.05, -0.1] })
    expect(copies).toEqual(['strict 0', 'mild 0', 'mild 1', 'strict 1'])
    expect(checks).toEqual([
      ['strict', -0.3, 0.2],
      ['mild', -0.1, 0.2],
    ])
  })

  it('lowers in whole tenths, whatever the last digits of an encoder', async () => {
    const one = await proof({ strict: [0.3312, 0], mild: [0, 0] })
    const other = await proof({ strict: [0.3309, 0], mild: [0, 0] })
    expect(one.lowered).toEqual(other.lowered)
  })

  it('lowers twice at most, and not at all where that cures nothing', async () => {
    const { version, copies, checks, lowered } = await proof({ strict: [0.28, 0.17, 0.1], mild: [0, 0, 0.05] })
    expect(lowered).toEqual([0.4, 0.7])
    expect(version).toBe(0)
    expect(copies).toEqual(['strict 0', 'strict 1', 'strict 2', 'mild 0'])
    expect(checks).toEqual([
      ['strict', 0.28, 0],
      ['mild', 0, 0],
    ])
  })

  it('lowers by 1.5 dB where that is enough, and makes no version where it is not', async () => {
    expect(await proof({ strict: [1.4, -0.1], mild: [0.6, -0.5] })).toMatchObject({ version: 1, lowered: [1.5] })
    const { version, checks, lowered } = await proof({ strict: [1.41, -0.1], mild: [2, 0.6] })
    expect({ version, lowered }).toEqual({ version: 0, lowered: [] })
    expect(checks).toEqual([
      ['strict', 1.41, 0],
      ['mild', 2, 0],
    ])
  })

  it('cures what it can beside a codec that no lowering cures', async () => {
    const { version, checks, lowered } = await proof({ strict: [2.5, 2.4], mild: [0.22, -0.1] })
    expect({ version, lowered }).toEqual({ version: 1, lowered: [0.4] })
    expect(checks).toEqual([
      ['strict', 2.4, 0.4],
      ['mild', -0.1, 0.4],
    ])
  })

  it('keeps a master whose lowering costs too much, and makes only its missing copies', async () => {
    expect(await proof({ strict: [0.9], mild: [-0.2] }, () => false)).toEqual({
      version: 0,
      checks: [
        ['strict', 0.9, 0],
        ['mild', -0.2, 0],
      ],
      copies: ['strict 0', 'mild 0'],
      lowered: [1],
    })
  })

  it('keeps a version that cures more, when a second lowering costs too much', async () => {
    const peaks = { strict: [0.28, -0.2], mild: [-0.1, 0.1] }
    const { version, checks } = await proof(peaks, (loweredDb) => loweredDb < 0.5)
    // Of equals the least lowered: either version fails for one of them.
    expect(version).toBe(0)
    expect(checks).toEqual([
      ['strict', 0.28, 0],
      ['mild', -0.1, 0],
    ])
    expect((await proof({ ...peaks, mild: [0.3, 0.1] }, (loweredDb) => loweredDb < 0.5)).version).toBe(1)
  })

  it('gives up a codec that its own lowering leaves beyond cure, and cures the others from the first master', async () => {
    const { version, checks, copies } = await proof({ strict: [0.9, 1.2], mild: [-0.1] })
    expect(copies).toEqual(['strict 0', 'strict 1', 'mild 0'])
    expect(version).toBe(0)
    expect(checks).toEqual([
      ['strict', 0.9, 0],
      ['mild', -0.1, 0],
    ])
    // As Vorbis of quality 2 and 5 for a song whose copy of the first rises the more, the lower its ceiling.
    const other = await proof({ strict: [0.9, 1.2, 1], mild: [0.25, 0, -0.1] })
    expect(other.copies).toEqual(['strict 0', 'strict 1', 'mild 0', 'mild 2', 'strict 2'])
    expect(other.lowered).toEqual([1, 0.4])
    expect(other.checks).toEqual([
      ['strict', 1, 0.4],
      ['mild', -0.1, 0.4],
    ])
  })

  it('cures another codec by less where the lowering for one costs too much', async () => {
    const peaks = { strict: [0.9, 0.6], mild: [0.15, -0.1] }
    const { version, lowered } = await proof(peaks, (loweredDb) => loweredDb < 0.5)
    expect({ version, lowered }).toEqual({ version: 2, lowered: [1, 0.3] })
  })

  it('delivers the version that was made for a codec given up, where it cures another one', async () => {
    const { version, checks, lowered } = await proof({ strict: [1.35, 0.42, 1.5], mild: [0.5, -0.38, 0.95] })
    expect({ version, lowered }).toEqual({ version: 1, lowered: [1.5, 0.6] })
    expect(checks).toEqual([
      ['strict', 0.42, 1.5],
      ['mild', -0.38, 1.5],
    ])
  })

  it('makes no version again that it has made, and none for a codec that the first master leaves alone', async () => {
    const { version, copies, lowered } = await proof({ strict: [1.25, -0.1], mild: [-0.2, 0.1] })
    expect(copies).toEqual(['strict 0', 'strict 1', 'mild 1', 'mild 0'])
    expect({ version, lowered }).toEqual({ version: 0, lowered: [1.4] })
  })
})
