import { describe, expect, it } from 'vitest'
import { addClicks, addOffset, addResonance, addTone, clipHard } from '../../../bench/damage.ts'
import { deliveryTarget } from '../../../src-contract/delivery-target.ts'
import { REPAIR_KINDS, type RepairKind } from '../../../src-contract/repair-kinds.ts'
import { NEUTRAL_SOUND, type SoundSettings } from '../../../src-contract/settings.ts'
import type { RecipeStage } from '../../../src-contract/stages/index.ts'
import { decisionText } from '../../../src-contract/text/decisions.ts'
import { analyseSource, type SourceAnalysis } from '../../../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../../../src-engine/chain.ts'
import { highShelf, lowPass, magnitudeDb, peaking } from '../../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../../src-engine/dsp/biquad-cascade.ts'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import { longTermSpectrum, measureBandFrames, thirdOctaves } from '../../../src-engine/dsp/meters/spectrum.ts'
import { type PlanInput, planRecipe } from '../../../src-engine/plan.ts'
import { announcedRepair, responseDb } from '../../../src-engine/stages/index.ts'
import { copyOf, filterWhole, noise, ordinaryMusic } from './signals.ts'

const analyse = (audio: Audio): SourceAnalysis => analyseSource(audio, { lossy: false })
const music = ordinaryMusic(12)
const analysis = analyse(music)

interface Asked extends Partial<Omit<PlanInput, 'sound'>> {
  readonly sound?: Partial<SoundSettings>
}

function plan(of: SourceAnalysis, { sound, ...asked }: Asked = {}) {
  const input = { genre: 'other', ai_service: 'other', intensity: 50, reference_amount: 100 } as const
  return planRecipe({ ...input, analysis: of, ...asked, sound: { ...NEUTRAL_SOUND, ...sound } })
}

const stagesOf = <Kind extends RecipeStage['kind']>(stages: readonly RecipeStage[], kind: Kind) =>
  stages.filter((stage): stage is Extract<RecipeStage, { kind: Kind }> => stage.kind === kind)

/** High rate at which digital filters are as the analogue ones that they are made from, Hz. */
const ANALOGUE_HZ = 3_072_000

/** The published definition of each knob. */
const DEFINED: Readonly<Record<'tilt_db' | 'bass_db' | 'presence_db' | 'air_db', (db: number, hz: number) => number>> =
  {
    tilt_db: (db, hz) => (db * Math.log10(Math.min(16_000, Math.max(40, hz)) / 800)) / 1.301,
    bass_db: (db, hz) => db - magnitudeDb([highShelf(100, ANALOGUE_HZ, db, Math.SQRT1_2)], hz, ANALOGUE_HZ),
    presence_db: (db, hz) => magnitudeDb([peaking(2800, ANALOGUE_HZ, 0.7, db)], hz, ANALOGUE_HZ),
    air_db: (db, hz) => magnitudeDb([highShelf(9000, ANALOGUE_HZ, db, Math.SQRT1_2)], hz, ANALOGUE_HZ),
  }
const MOST = { tilt_db: 3, bass_db: 6, presence_db: 4, air_db: 6 } as const
const KNOBS = Object.keys(MOST) as (keyof typeof MOST)[]

const spectrumOf = (audio: Audio) => longTermSpectrum(measureBandFrames(audio, [thirdOctaves])[0]!).midDb

/** Parts of the most of each knob: both signs and both sizes at every rate, in turn. */
const PARTS: readonly [sampleRateHz: number, parts: readonly number[]][] = [
  [44_100, [-1, 0.5]],
  [48_000, [1, -0.5]],
  [96_000, [-1, 0.5]],
]

describe.each(PARTS)('the tone that is asked for, at %d Hz', (sampleRateHz, parts) => {
  const plain = noise(3, 0.1, sampleRateHz)
  const before = spectrumOf(plain)
  const of = { ...analysis, sampleRateHz }
  const bands = thirdOctaves.centresHz
    .map((hz, b) => ({ hz, b }))
    .filter(({ hz }) => hz > 30 && hz < sampleRateHz * 0.42)

  it.each(KNOBS.flatMap((knob) => parts.map((part) => ({ knob, db: part * MOST[knob] }))))(
    'follows $knob $db as published, within 0.3 dB',
    ({ knob, db }) => {
      const { recipe } = plan(of, { sound: { [knob]: db } })
      const after = spectrumOf(applyRecipe(copyOf(plain), recipe).audio)
      for (const { hz, b } of bands) {
        const edges = Array.from({ length: 21 }, (_, i) => hz * 2 ** ((i - 10) / 60))
        const power = edges.reduce((sum, at) => sum + 10 ** (DEFINED[knob](db, at) / 10), 0) / edges.length
        expect(Math.abs(after[b]! - before[b]! - 10 * Math.log10(power)), `${hz} Hz`).toBeLessThan(0.3)
      }
    },
  )

  it('adds the knobs up, and says so to what is planned after it', () => {
    const asked = { tilt_db: -2, bass_db: 4, presence_db: -3, air_db: 5 }
    const [stage] = stagesOf(plan(of, { sound: asked }).recipe.stages, 'steer_tone')
    for (const hz of [20, 60, 300, 1000, 2800, 8000, 16_000]) {
      const sum = KNOBS.reduce((total, knob) => total + DEFINED[knob](asked[knob], hz), 0)
      expect(responseDb(stage!, hz, sampleRateHz).mid).toBeCloseTo(sum, 2)
      expect(responseDb(stage!, hz, sampleRateHz).side).toBeCloseTo(sum, 2)
    }
  })
})

describe('the tone that is asked for', () => {
  it('is no stage while it is neutral, and stands between what is planned of tone and what follows levels', () => {
    expect(stagesOf(plan(analysis, { genre: 'edm' }).recipe.stages, 'steer_tone')).toEqual([])
    const kinds = plan(analysis, { genre: 'edm', sound: { air_db: 1 } }).recipe.stages.map(({ kind }) => kind)
    expect(kinds.indexOf('steer_tone')).toBeGreaterThan(kinds.indexOf('match'))
    expect(kinds.indexOf('steer_tone')).toBeLessThan(kinds.indexOf('multiband'))
    expect(kinds).toContain('match')
  })

  it('moves the thresholds of the glue with it: a bass that was asked for is not turned down again', () => {
    const threshold = (sound: Partial<SoundSettings>) =>
      stagesOf(plan(analysis, { genre: 'edm', sound }).recipe.stages, 'multiband')[0]!.bands[0]!.thresholdDb
    expect(threshold({ bass_db: 6 }) - threshold({})).toBeGreaterThan(3)
  })

  it('lifts nothing above a cutoff by air, and tells what that took; a cut goes on', () => {
    const audio = noise(6, 0.1, 48_000)
    filterWhole(audio, createBiquadCascade(Array.from({ length: 6 }, () => lowPass(14_000, 48_000, 0.7))))
    const cut = { ...analyse(audio), bandwidthHz: 14_000 }
    const { recipe, decisions } = plan(cut, { intensity: 0, sound: { air_db: 6 } })
    const [stage] = stagesOf(recipe.stages, 'steer_tone')
    const plain = noise(6, 0.1, 48_000)
    const [before, after] = [
      spectrumOf(plain),
      spectrumOf(applyRecipe(copyOf(plain), { version: 1, stages: [stage!] }).audio),
    ]
    for (const [b, hz] of thirdOctaves.centresHz.entries()) {
      if (hz > 15_900 && hz < 21_000) expect(Math.abs(after[b]! - before[b]!)).toBeLessThan(0.3)
      if (hz === 10_000) expect(after[b]! - before[b]!).toBeGreaterThan(3)
    }
    const told = decisions.find(({ code }) => code === 'TONE_STEERED')!
    expect(told.values).toMatchObject({ airDb: 6, airUpToHz: 14_000 })
    const most = Math.max(...Array.from({ length: 240 }, (_, i) => responseDb(stage!, 100 * i, 48_000).mid))
    expect(Number(told.values.airAppliedDb)).toBeCloseTo(most, 0)
    expect(decisionText(told, 'en')).toContain('14 kHz')
    expect(decisionText(told, 'ko')).toContain('14 kHz')
    const [down] = stagesOf(plan(cut, { sound: { air_db: -6 } }).recipe.stages, 'steer_tone')
    expect(responseDb(down!, 16_000, 48_000).mid).toBeLessThan(-5)
  })
})

describe('the amounts of what is planned', () => {
  const dull = { ...analysis, tone: { ...analysis.tone, harshness: 6 } }

  it('leave every plan as it is at 100 per cent', () => {
    expect(plan(dull, { genre: 'edm', sound: { tone_amount: 100, dynamics_amount: 100, image_amount: 100 } })).toEqual(
      plan(dull, { genre: 'edm' }),
    )
  })

  it('apply half of the tone at 50 per cent, and none at 0', () => {
    const curve = (tone_amount: number) =>
      stagesOf(plan(analysis, { genre: 'edm', sound: { tone_amount } }).recipe.stages, 'match')[0]?.mid.gainDb
    const [whole, half] = [curve(100)!, curve(50)!]
    expect(Math.max(...whole.map(Math.abs))).toBeGreaterThan(0.3)
    for (const [b, gain] of half.entries()) expect(gain).toBeCloseTo(whole[b]! / 2, 6)
    expect(curve(0)).toBeUndefined()
    const { decisions } = plan(analysis, { genre: 'edm', sound: { tone_amount: 0 } })
    const told = decisions.find(({ stage }) => stage === 'tone')!
    expect(told.code).toBe('TONE_LEFT_ALONE')
    expect(decisionText(told)).toContain('as asked')
  })

  it('scale the way to a reference as well', () => {
    const reference = analyse(ordinaryMusic(12, 48_000, 19))
    const curve = (tone_amount: number, reference_amount: number) =>
      stagesOf(plan(analysis, { reference, reference_amount, sound: { tone_amount } }).recipe.stages, 'match')[0]
    expect(curve(50, 80)).toEqual(curve(100, 40))
    expect(curve(0, 80)).toBeUndefined()
  })

  it('scale the ratio and the reduction of compression', () => {
    const glue = (dynamics_amount: number) =>
      stagesOf(plan(analysis, { genre: 'edm', sound: { dynamics_amount } }).recipe.stages, 'multiband')[0]?.bands[0]
    const [whole, half] = [glue(100)!, glue(50)!]
    expect(half.ratio - 1).toBeCloseTo((whole.ratio - 1) / 2, 9)
    expect(half.maxReductionDb).toBeCloseTo(whole.maxReductionDb / 2, 9)
    expect(glue(0)).toBeUndefined()
  })

  it('scale the correction of the width', () => {
    const width = { widestDb: 11, widestEnergyDb: analysis.width.widestEnergyDb.map(() => 11) }
    const [half] = analysis.halves
    const wide = {
      ...analysis,
      width,
      correlation: 0,
      halves: [
        { ...half, width },
        { ...half, width },
      ] as const,
    }
    const side = (image_amount: number) =>
      stagesOf(plan(wide, { sound: { image_amount } }).recipe.stages, 'match')[0]?.side.gainDb[12]
    expect(side(100)).toBeLessThan(-1)
    expect(side(50)).toBeCloseTo(side(100)! / 2, 6)
    expect(side(0)).toBeUndefined()
  })
})

/** Songs with one fault each, and settings under which it is repaired. */
function faulty(kind: RepairKind): Audio {
  const audio = copyOf(music)
  switch (kind) {
    case 'dc_offset':
      addOffset(audio, 0.02)
      break
    case 'rumble':
      addTone(audio, 12, -14)
      break
    case 'clipping':
      clipHard(audio, -3)
      break
    case 'clicks':
      addClicks(audio, 1, 0.7)
      break
    case 'resonance':
      addResonance(audio, 6000)
      break
    default:
      break
  }
  return audio
}

describe('a repair that is to be left out', () => {
  it.each(['dc_offset', 'rumble', 'clipping', 'clicks', 'resonance'] as const)('is not planned: %s', (kind) => {
    const of = analyse(faulty(kind))
    const made = plan(of)
    expect(made.decisions.map(({ code }) => announcedRepair(code))).toContain(kind)
    const left = plan(of, { sound: { skip_repairs: [kind] } })
    expect(left.decisions.map(({ code }) => announcedRepair(code))).not.toContain(kind)
    const told = left.decisions.filter(({ code }) => code === 'REPAIR_SKIPPED')
    expect(told).toEqual([{ stage: 'repair', code: 'REPAIR_SKIPPED', values: { repair: kind } }])
    expect(decisionText(told[0]!)).toContain('as asked')
    expect(left.recipe.stages.length).toBeLessThan(made.recipe.stages.length)
    const { repairs } = applyRecipe(faulty(kind), left.recipe)
    expect(repairs.map((repair) => repair.kind)).not.toContain(kind)
  })

  it('is not planned for mud, sibilance and a wide bass, and other cuts of the same stage stay', () => {
    const tone = { ...analysis.tone, mud: 9 }
    const evened = { crest: 0.4, edge: 0.3, edgeAgain: 0.2 }
    const half = {
      ...analysis.halves[0],
      tone,
      peakRelief: { crestDb: 1, faults: { ...analysis.peakRelief.faults, mud: evened } },
    }
    const muddy = { ...analysis, ...half, halves: [half, half] as const }
    const sections = (sound: Partial<SoundSettings>) =>
      stagesOf(plan(muddy, { ai_service: 'suno', sound }).recipe.stages, 'equalise').flatMap((stage) =>
        stage.sections.map(({ frequencyHz }) => frequencyHz),
      )
    const all = sections({})
    expect(Math.min(...all)).toBeLessThan(400)
    expect(sections({ skip_repairs: ['mud'] })).toEqual([])
    const sharp = {
      ...analysis,
      sibilance: { ...analysis.sibilance, sharpestDb: 14, typicalDb: 0, isOfVoice: true },
      resonances: [{ frequencyHz: 3000, excessDb: 7, q: 8 }],
    }
    const cuts = (sound: Partial<SoundSettings>) =>
      stagesOf(plan(sharp, { ai_service: 'suno', sound }).recipe.stages, 'dynamic_cut').flatMap((stage) =>
        stage.cuts.map(({ repair }) => repair),
      )
    expect(cuts({})).toEqual(['resonance', 'sibilance'])
    expect(cuts({ skip_repairs: ['sibilance'] })).toEqual(['resonance'])
    expect(cuts({ skip_repairs: ['resonance'] })).toEqual(['sibilance'])
    const sideDb = analysis.spectrum.midDb.map((level, b) => level + (analysis.spectrum.bandHz[b]! < 110 ? 6 : -12))
    const wideBass = { ...analysis, spectrum: { ...analysis.spectrum, sideDb } }
    const kinds = (sound: Partial<SoundSettings>) => plan(wideBass, { sound }).recipe.stages.map(({ kind }) => kind)
    expect(kinds({})).toContain('mono_bass')
    expect(kinds({ skip_repairs: ['mono_bass'] })).not.toContain('mono_bass')
  })

  it('leaves a song without that fault as it is, untold', () => {
    expect(plan(analysis, { sound: { skip_repairs: [...REPAIR_KINDS] } })).toEqual(plan(analysis))
  })

  it('says nothing untrue of an offset that the filter against rumble takes with it', () => {
    const audio = faulty('rumble')
    addOffset(audio, 0.02)
    const { decisions } = plan(analyse(audio), { sound: { skip_repairs: ['dc_offset'] } })
    expect(decisions.map(({ code }) => code)).toContain('RUMBLE_FILTERED')
    expect(decisions.map(({ code }) => code)).not.toContain('REPAIR_SKIPPED')
  })
})

describe('a loudness target of one’s own', () => {
  it('stands over that of the platform and of the genre, and the ceiling follows it', () => {
    expect(deliveryTarget('spotify', 'edm', 'competitive', -12)).toMatchObject({
      targetLufs: -12,
      ceilingDbtp: -2,
      targetConfidence: 'requested',
    })
    expect(deliveryTarget('melon', 'edm', 'platform', -16)).toMatchObject({ targetLufs: -16, ceilingDbtp: -1.5 })
    expect(deliveryTarget('spotify', 'edm', 'platform', null)).toEqual(deliveryTarget('spotify', 'edm', 'platform'))
  })
})
