import { describe, expect, test } from 'vitest'
import { type Audio, allocateAudio } from '../../../src-engine/dsp/block.ts'
import { measureLoudness } from '../../../src-engine/dsp/meters/loudness.ts'
import { createTruePeakVerifier } from '../../../src-engine/dsp/meters/true-peak.ts'
import {
  type FinalisePlan,
  planFinalise,
  prepareFinalise,
  renderFinalise,
  trimFinalise,
} from '../../../src-engine/finalise/finalise.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { fullTruePeakDbtp } from '../../support/full-meter.ts'
import { loadSong, noMusic } from '../../support/music.ts'
import { measureTransparency } from '../../support/transparency.ts'

interface Master {
  readonly audio: Audio
  readonly plan: FinalisePlan
  readonly integratedLufs: number
  readonly truePeakDbtp: number
}

/** Plans, renders, measures and trims as the pipeline does. */
function master(song: Audio, targetLufs: number, ceilingDbtp: number): Master {
  const source = prepareFinalise(song)
  let plan = planFinalise(source, { targetLufs, ceilingDbtp, intensity: 50 })
  for (;;) {
    const audio = allocateAudio(2, song.frames, song.sampleRateHz)
    let first = 0
    for (const block of renderFinalise(source, plan)) {
      for (const [c, samples] of block.channels.entries()) audio.channels[c]!.set(samples, first)
      first += block.frames
    }
    const meter = createTruePeakVerifier()
    meter.push(audio)
    const { truePeakDbtp } = meter.read()
    const { integratedLufs } = measureLoudness(audio)
    const trimmed = trimFinalise(plan, { integratedLufs, truePeakDbtp })
    if (trimmed === null) return { audio, plan, integratedLufs, truePeakDbtp }
    plan = trimmed
  }
}

describe('on real music', () => {
  test('battle-epic comes to −9 LUFS / −1 dBTP with less damage than any open limiter did', async (context) => {
    const song = await loadSong('battle-epic.ogg')
    if (song === null) return context.skip(noMusic)
    const { audio, plan, integratedLufs } = master(song, -9, -1)
    expect(Math.abs(integratedLufs + 9)).toBeLessThanOrEqual(0.05)
    const { sdrDb, erbLsdDb, colourLsdDb } = measureTransparency(
      song,
      audio,
      10 ** (plan.gainDb / 20),
      song.sampleRateHz,
    )
    expect(sdrDb).toBeGreaterThanOrEqual(15.5)
    expect(erbLsdDb).toBeLessThanOrEqual(0.85)
    expect(colourLsdDb).toBeLessThanOrEqual(0.22)
  })

  const songs = [
    ['batterie.ogg', -8.5, -2],
    ['Awakening.ogg', -14, -1],
    ['love_theme.ogg', -9, -1],
    ['frantic.ogg', -9, -1],
    ['Enemy Unknown.ogg', -14, -1],
  ] as const
  test.for(IS_CAMPAIGN ? songs : songs.slice(0, 2))(
    'half a minute of %s comes to %d LUFS and stays under %d dBTP by a meter of another hand',
    async ([name, target, ceiling], context) => {
      const song = await loadSong(name, 20, 30)
      if (song === null) return context.skip(noMusic)
      const { audio, plan, integratedLufs } = master(song, target, ceiling)
      expect(
        Math.abs(integratedLufs - (plan.verdict === 'on_target' ? target : plan.integratedLufs)),
      ).toBeLessThanOrEqual(0.05)
      expect(fullTruePeakDbtp(audio.channels)).toBeLessThanOrEqual(ceiling)
    },
  )
})
