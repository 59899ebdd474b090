import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { planFinalise, prepareFinalise } from '../../../src-engine/finalise/finalise.ts'
import {
  CeilingBrokenError,
  correctPlan,
  type RenderTask,
  renderMaster,
} from '../../../src-worker/mastering/render-master.ts'
import { seededRandom, stereo } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const random = seededRandom(3)
const song = stereo(4 * 44_100, 44_100, (i) => random() * Math.exp(-((i % 22_050) / 44_100) * 8))
const first = planFinalise(prepareFinalise(song), { targetLufs: -11, ceilingDbtp: -1.5, intensity: 50 })

/** Rounds until a file holds whose peak stands 0.02 dB above the promise and stays there until the ceiling is that much lower. */
function roundsFor(stubbornDb: number): number {
  let plan = first
  for (let round = 1; round < 20; round++) {
    const loweredDb = first.ceilingDbtp - plan.ceilingDbtp
    const overDb = loweredDb < stubbornDb ? 0.02 : -0.01
    const next = correctPlan(plan, { integratedLufs: -11, truePeakDbtp: -1.5 + overDb }, round)
    if (!next) return round
    plan = next
  }
  return Number.POSITIVE_INFINITY
}

describe('a written file above its ceiling', () => {
  it('is brought below it within six rounds, even if the peak hardly follows', () => {
    expect(roundsFor(0.02)).toBe(2)
    expect(roundsFor(0.3)).toBeLessThanOrEqual(5)
    expect(roundsFor(0.8)).toBeLessThanOrEqual(6)
  })

  it('is first lowered by its excess and the margin between meters', () => {
    const next = correctPlan(first, { integratedLufs: -11, truePeakDbtp: -1.4 }, 1)
    expect(first.ceilingDbtp - (next?.ceilingDbtp ?? 0)).toBeCloseTo(0.1, 1)
  })

  it('is not changed once it holds', () => {
    expect(correctPlan(first, { integratedLufs: -11, truePeakDbtp: -1.52 }, 1)).toBeNull()
  })
})

describe('a master whose peaks the limiter cannot detect', () => {
  const source = prepareFinalise(song)
  const folder = temporaryFolder()
  const loudness = source.loudness.integratedLufs
  const peakDbtp = 20 * Math.log10(source.truePeak)
  /** Rendered at the loudness at which its true peak stands so far above the ceiling. */
  const renderOver = (overDb: number) => {
    const unseen = { ...source, peaks: source.peaks.map((peak) => 0.01 * peak), truePeak: 0.01 * source.truePeak }
    const task: RenderTask = {
      ...{ source: unseen, targetLufs: loudness - 6, ceilingDbtp: peakDbtp - 6 - overDb, intensity: 50 },
      ...{ bitDepth: 16, seed: 0, path: path.join(folder, 'master.wav'), tags: {} },
    }
    return renderMaster(task, () => {})
  }

  it('is not delivered', () => {
    expect(() => renderOver(0.5)).toThrow(CeilingBrokenError)
    expect(renderOver(-0.5).measurement.truePeakDbtp).toBeCloseTo(peakDbtp - 6, 1)
  })
})
