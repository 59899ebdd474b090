import { describe, expect, test } from 'vitest'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import { dbToGain } from '../../../src-engine/dsp/units.ts'
import { type FinalisePlan, marginDb, planFinalise, prepareFinalise } from '../../../src-engine/finalise/finalise.ts'
import { type Treatment, weighCandidates } from '../../../src-engine/finalise/peak-treatment.ts'
import { reachWithBest } from '../../../src-engine/finalise/targeting.ts'
import { seededRandom, twoChannels } from '../../support/sounds.ts'
import { measureTransparency } from '../../support/transparency.ts'
import { measured, render } from './rendered.ts'

const rate = 44_100
const target = { targetLufs: -7, ceilingDbtp: -1, intensity: 100 }

/** A wide, dense song: sixty voices in either ear, none in both, with drums between them. */
function wideDenseSong(seconds: number): Audio {
  const random = seededRandom(5)
  const voices = [0, 1].map(() =>
    Array.from({ length: 60 }, (_, k) => ({
      hz: 80 * 2 ** ((k * 7) / 60 + random() * 0.05),
      phase: Math.PI * random(),
      level: 0.03 / Math.sqrt(1 + k / 10),
    })),
  )
  const channel = (c: 0 | 1) => (frame: number) => {
    const t = frame / rate
    const beat = t % 0.5
    const kick = 0.5 * Math.exp(-beat / 0.05) * Math.sin(2 * Math.PI * 60 * beat)
    const snare = 0.5 * Math.exp(-((t + 0.25) % 0.5) / 0.03) * random()
    return voices[c]!.reduce(
      (sum, { hz, phase, level }) => sum + level * Math.sin(2 * Math.PI * hz * t + phase),
      kick + snare,
    )
  }
  return twoChannels(Math.round(seconds * rate), rate, channel(0), channel(1))
}

const source = prepareFinalise(wideDenseSong(6))
const goal = { ceiling: dbToGain(target.ceilingDbtp - marginDb), aimedLufs: target.targetLufs, meanReductionDb: 6 }
const chosen = planFinalise(source, target)
const treatments = weighCandidates(source, goal)

/** The plan of the song with another treatment of its peaks. */
function planWith(treatment: Treatment): FinalisePlan {
  const { reached } = reachWithBest(source, [treatment], goal)
  const { limiter, clipLimit } = treatment
  return { ...chosen, limiter, clipLimit, gainDb: reached.gainDb, integratedLufs: reached.integratedLufs }
}

function sdrDb(plan: FinalisePlan): number {
  const master = render(source, plan)
  expect(measured(master).integratedLufs).toBeCloseTo(target.targetLufs, 1)
  return measureTransparency(source.audio, master, dbToGain(plan.gainDb), rate).sdrDb
}

describe('the treatment of peaks in a wide, dense song', () => {
  test('clips what the two ears hide, and leaves more of the song than any limiter alone', () => {
    expect(chosen.clipLimit).not.toBeNull()
    const alone = treatments.filter(({ clipLimit }) => clipLimit === null)
    expect(alone.length).toBeGreaterThan(1)
    const chosenDb = sdrDb(chosen)
    for (const treatment of alone) expect(chosenDb).toBeGreaterThan(sdrDb(planWith(treatment)) + 1)
  })

  test('clips harder where a limiter would take the level of the music', () => {
    const loud = planFinalise(source, { ...target, targetLufs: -5.5 })
    expect(loud.verdict).toBe('on_target')
    expect(loud.meanGainReductionDb).toBeLessThan(3)
  })

  test('is chosen among treatments at equal loudness', () => {
    expect(treatments.length).toBeGreaterThan(4)
    for (const treatment of treatments) {
      expect(Math.abs(planWith(treatment).gainDb - treatment.gainDb)).toBeLessThan(0.2)
    }
  })
})
