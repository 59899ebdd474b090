import { describe, expect, it } from 'vitest'
import { addClicks, addOffset, addResonance, addTone, clipHard, toneDamages } from '../../../bench/damage.ts'
import { DECISION_CODES, type DecisionCode } from '../../../src-contract/report.ts'
import { NEUTRAL_SOUND } from '../../../src-contract/settings.ts'
import type { RecipeStage } from '../../../src-contract/stages/index.ts'
import type { PlannedSong } from '../../../src-engine/analysis/analysis.ts'
import { analyseSource, type SourceAnalysis } from '../../../src-engine/analysis/analysis.ts'
import { certainty, faultOdds, faultVerdicts, probability } from '../../../src-engine/analysis/fault-classifier.ts'
import type { Fault, FaultRelief, PeakRelief } from '../../../src-engine/analysis/peak-relief.ts'
import { isWidthBand, type WidthEvidence } from '../../../src-engine/analysis/width-evidence.ts'
import { applyRecipe, splitRecipe } from '../../../src-engine/chain.ts'
import { lowPass } from '../../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../../src-engine/dsp/biquad-cascade.ts'
import { type Audio, allocateAudio } from '../../../src-engine/dsp/block.ts'
import { thirdOctaves } from '../../../src-engine/dsp/meters/spectrum.ts'
import { foldDownLossDb } from '../../../src-engine/dsp/meters/stereo.ts'
import { type PlanInput, planRecipe } from '../../../src-engine/plan.ts'
import { planToneFaults } from '../../../src-engine/stages/equalise.ts'
import { createMatchFilter, curveGainDb } from '../../../src-engine/stages/match/curve-filter.ts'
import { widthCorrectionDb } from '../../../src-engine/stages/match/width.ts'
import { seededRandom } from '../../support/sounds.ts'
import {
  copyOf,
  differenceDb,
  fadeOut,
  filterWhole,
  largestDifference,
  noise,
  ordinaryMusic,
  powerDbfs,
  rmsDbfs,
  sine,
} from './signals.ts'

const analyse = (audio: Audio): SourceAnalysis => analyseSource(audio, { lossy: false })
const defaults = {
  genre: 'other' as const,
  ai_service: 'other' as const,
  intensity: 50,
  reference_amount: 100,
  sound: NEUTRAL_SOUND,
}
const plan = (analysis: SourceAnalysis, more: Partial<PlanInput> = {}) => planRecipe({ ...defaults, analysis, ...more })
const music = ordinaryMusic(12)
const analysis = analyse(music)
/** As the parts of the plan see it. */
const ordinary: PlannedSong = { ...analysis, aiService: 'other' }

/** Width of which all bands show the same. */
const widthOf = (widestDb: number): WidthEvidence => ({
  widestDb,
  widestEnergyDb: thirdOctaves.centresHz.filter(isWidthBand).map(() => widestDb),
})

/** A song both halves of which show the evidence that it shows as a whole, its faults of tone in their usual places. */
function alike<Song extends SourceAnalysis>(song: Song): Song {
  const { tone, width, peakRelief } = song
  const half = { tone, width, peakRelief }
  const tonePlaces = {
    mud: { frequencyHz: 250, q: 1, evidenceDb: tone.mud },
    harshness: { frequencyHz: 6000, q: 1, evidenceDb: tone.harshness },
  }
  return { ...song, tonePlaces, halves: [half, half] }
}

function stage<Kind extends RecipeStage['kind']>(
  stages: readonly RecipeStage[],
  kind: Kind,
): Extract<RecipeStage, { kind: Kind }> | undefined {
  return stages.find((each): each is Extract<RecipeStage, { kind: Kind }> => each.kind === kind)
}

/** The song with side and mid shaped by curves. */
function shaped(midDb: number[], sideDb: number[]): Audio {
  const audio = copyOf(music)
  const frequencyHz = [60, 120, 250, 500, 1000, 2000, 4000, 8000, 16_000]
  const processor = createMatchFilter({ frequencyHz, gainDb: midDb }, { frequencyHz, gainDb: sideDb }, 48_000)
  filterWhole(audio, processor)
  return audio
}

/** The first seconds of a song, and digital silence behind them. */
function cutTo(song: Audio, seconds: number, silenceSeconds = 0): Audio {
  const { sampleRateHz } = song
  const cut = allocateAudio(2, (seconds + silenceSeconds) * sampleRateHz, sampleRateHz)
  for (const [c, samples] of cut.channels.entries()) samples.set(song.channels[c]!.subarray(0, seconds * sampleRateHz))
  return cut
}

function faded(song: Audio, seconds: number): Audio {
  fadeOut(song, seconds)
  return song
}

function withOffset(song: Audio): Audio {
  addOffset(song, 0.1)
  return song
}

function withClickAtEnd(song: Audio): Audio {
  song.channels[0]![song.frames - 1000] = 0.4
  return song
}

/** A song that fades out, and behind it hiss at −50 dBFS. */
function withHissBehind(song: Audio, seconds: number): Audio {
  const { frames, sampleRateHz } = song
  const longer = allocateAudio(2, frames + seconds * sampleRateHz, sampleRateHz)
  const hiss = noise(seconds, 10 ** (-50 / 20)).channels
  for (const [c, samples] of longer.channels.entries()) {
    samples.set(song.channels[c]!)
    samples.set(hiss[c]!, frames)
  }
  return longer
}

describe('the planner', () => {
  it('leaves ordinary music without faults alone, bit for bit, and says so', () => {
    const { recipe, decisions, warnings } = plan(analysis)
    expect(recipe).toEqual({ version: 1, stages: [] })
    expect(warnings).toEqual([])
    expect(decisions.map(({ code }) => code)).toEqual([
      'NOTHING_TO_REPAIR',
      'TONE_LEFT_ALONE',
      'DYNAMICS_LEFT_ALONE',
      'IMAGE_LEFT_ALONE',
    ])
    const audio = copyOf(music)
    applyRecipe(audio, recipe)
    expect(largestDifference(audio, music)).toBe(0)
  })

  it.each<[string, (song: Audio) => Audio, boolean]>([
    ['in full sound', (song) => cutTo(song, 11), true],
    ['in full sound before a second of silence', (song) => cutTo(song, 11, 1), true],
    ['in the middle of its last fade', (song) => cutTo(faded(song, 4), 10), true],
    ['by fading out', (song) => faded(song, 4), false],
    ['by dying away in half a second', (song) => song, false],
    ['by fading out, 20 s of soft hiss behind it', (song) => withHissBehind(song, 20), false],
    ['by fading out, on an offset of 10 %', (song) => withOffset(faded(song, 4)), false],
    ['by fading out, a click behind it', (song) => withClickAtEnd(faded(song, 4)), false],
    ['after 4 s: a loop or a single sound', (song) => cutTo(song, 4), false],
  ])('says of a song that ends %s whether it breaks off', (_, end, breaksOff) => {
    const { warnings } = plan(analyse(end(copyOf(music))))
    expect(warnings.map(({ code }) => code)).toEqual(
      breaksOff ? ['INPUT_BREAKS_OFF'] : expect.not.arrayContaining(['INPUT_BREAKS_OFF']),
    )
  })

  it('gives the same plan for the same input and changes nothing it was given', () => {
    const before = JSON.stringify(analysis)
    const first = plan(analysis, { genre: 'kpop' })
    expect(plan(analysis, { genre: 'kpop' })).toEqual(first)
    expect(JSON.stringify(analysis)).toBe(before)
    expect(first.decisions.every(({ code }) => DECISION_CODES.includes(code))).toBe(true)
  })

  it.each([1 / 1024, 1024])('judges a song alike that is %d times as loud', (factor) => {
    const broken = copyOf(music)
    addOffset(broken, 0.02)
    for (const samples of broken.channels) samples.fill(0.02, 0, 2.5 * 48_000)
    for (const song of [music, broken]) {
      const other = copyOf(song)
      for (const samples of other.channels) for (let i = 0; i < samples.length; i++) samples[i]! *= factor
      const [one, two] = [plan(analyse(song)), plan(analyse(other))]
      expect(two.decisions.map(({ code }) => code)).toEqual(one.decisions.map(({ code }) => code))
      expect(two.warnings.map(({ code }) => code)).toEqual(one.warnings.map(({ code }) => code))
    }
    expect(plan(analyse(broken)).decisions.map(({ code }) => code)).toContain('DC_REMOVED')
  })

  it('says that nothing was asked for at intensity 0, not that nothing was found', () => {
    const { decisions } = plan(analysis, { intensity: 0 })
    const left = decisions.filter(({ code }) => code === 'TONE_LEFT_ALONE' || code === 'DYNAMICS_LEFT_ALONE')
    expect(left.map(({ values }) => values.intensity)).toEqual([0, 0])
  })

  it('does not say that the tone was left alone beside a cut of its mud', () => {
    const codes = (mud: number, peakRelief: PeakRelief) =>
      plan(alike({ ...analysis, tone: { ...analysis.tone, mud }, peakRelief })).decisions.flatMap(({ code }) =>
        /MUD|TONE/.test(code) ? [code] : [],
      )
    expect(codes(0, analysis.peakRelief)).toEqual(['TONE_LEFT_ALONE'])
    expect(codes(8, evenedBy('mud', 1))).toEqual(['MUD_CUT'])
  })

  it('does nothing about a fault that is possible but not certain', () => {
    const possible = alike({ ...analysis, tone: { ...analysis.tone, mud: 8 } })
    expect(probability(faultOdds(possible).mud)).toBeGreaterThan(0.25)
    expect(plan(possible).recipe.stages).toEqual([])
  })

  it('rebuilds peaks, but not a song that is clipped throughout', () => {
    const [here, throughout] = [-3, -18].map((db) => {
      const clipped = copyOf(music)
      clipHard(clipped, db)
      return plan(analyse(clipped))
    })
    expect(stage(here!.recipe.stages, 'declip')).toBeDefined()
    expect(here!.warnings[0]).toEqual({ code: 'INPUT_CLIPPED', values: { count: expect.any(Number) } })
    expect(stage(throughout!.recipe.stages, 'declip')).toBeUndefined()
    expect(throughout!.decisions.map(({ code }) => code)).toContain('CLIPPING_LEFT')
    expect(throughout!.warnings[0]!.values!.perSecond).toBeGreaterThan(300)
  })

  it('counts a click and a flat top that two equal channels share once, and judges what is clipped throughout as ever', () => {
    const mono = (damage: (audio: Audio) => void) => {
      const audio = copyOf(music)
      damage(audio)
      audio.channels[1]!.set(audio.channels[0]!)
      return analyse(audio)
    }
    const count = (found: SourceAnalysis, code: string) =>
      plan(found).decisions.find((decision) => decision.code === code)?.values
    const clicked = mono((audio) => void addClicks(audio, 0.7, 0.4))
    expect(clicked.clicks[0]!.length).toBeGreaterThan(0)
    expect(count(clicked, 'CLICKS_MENDED')).toEqual({ count: clicked.clicks[0]!.length })
    const clipped = mono((audio) => clipHard(audio, -3))
    expect(count(clipped, 'CLIPPING_REBUILT')).toEqual({ count: clipped.clipping.count / 2 })
    const throughout = { ...clipped, clipping: { ...clipped.clipping, count: 320 * clipped.durationSeconds } }
    expect(count(throughout, 'CLIPPING_LEFT')).toEqual({ perSecond: 160 })
    expect(count({ ...throughout, isMono: false }, 'CLIPPING_LEFT')).toEqual({ perSecond: 320 })
  })

  it('leaves the channels of a song in opposite phase as they are', () => {
    const opposite = copyOf(music)
    const [left, right] = opposite.channels as [Float32Array, Float32Array]
    for (let i = 0; i < opposite.frames; i++) right[i] = -0.9 * left[i]!
    const codes = plan(analyse(opposite)).decisions.map(({ code }) => code)
    expect(codes).not.toContain('BASS_MADE_MONO')
    expect(codes).not.toContain('IMAGE_NARROWED')
  })

  it('makes an empty recipe of silence', () => {
    const silence = analyse(allocateAudio(2, 48_000, 48_000))
    expect(plan(silence, { genre: 'edm' }).recipe.stages).toEqual([])
  })

  it('does only repairs at intensity 0', () => {
    const broken = copyOf(music)
    addOffset(broken, 0.05)
    const { recipe } = plan(analyse(broken), { genre: 'kpop', intensity: 0 })
    expect(recipe.stages.map(({ kind }) => kind)).toEqual(['remove_dc'])
  })

  it.each(['kpop', 'edm', 'hiphop', 'pop', 'ballad'] as const)('moves no band by more than 3 dB toward %s', (genre) => {
    const dark = analyse(shaped([6, 4, 2, 0, 0, -3, -6, -9, -12], [6, 4, 2, 0, 0, -3, -6, -9, -12]))
    const { recipe, targetSpectrum } = plan(dark, { genre, intensity: 100 })
    const match = stage(recipe.stages, 'match')!
    expect(Math.max(...match.mid.gainDb.map(Math.abs))).toBeLessThanOrEqual(3)
    expect(match.mid.gainDb.at(-10)).toBeGreaterThan(1)
    expect(targetSpectrum?.mid_db).toHaveLength(30)
    expect(stage(recipe.stages, 'multiband')!.bands).toHaveLength(4)
  })
})

describe('toward a genre', () => {
  // Far outside of the band of any genre.
  const falls = [10, 8, 5, 2, 0, -4, -8, -12, -16]
  const dark = shaped(falls, falls)
  const gainsAt = (from: SourceAnalysis) => {
    const { mid, side } = stage(plan(from, { genre: 'ballad', intensity: 100 }).recipe.stages, 'match')!
    return { mid, side, at: (hz: number) => curveGainDb(mid, hz) }
  }

  it('a song that ends early is moved below its end as the whole one is, and held there', () => {
    const low = copyOf(dark)
    const end = { frequencyHz: [7800, 8300], gainDb: [0, -80] }
    filterWhole(low, createMatchFilter(end, end, low.sampleRateHz))
    const [whole, ended] = [gainsAt(analyse(dark)), gainsAt(analyse(low))]
    expect(analyse(low).bandwidthHz).toBeLessThan(9000)
    for (const hz of [100, 400, 1000, 2500, 5000])
      expect(Math.abs(ended.at(hz) - whole.at(hz)), `${hz}`).toBeLessThan(0.8)
    expect(Math.abs(ended.at(14_000) - ended.at(6000))).toBeLessThan(0.6)
  })

  it('a song in opposite phase is moved as it is in phase', () => {
    const inPhase = copyOf(dark)
    const [left, right] = inPhase.channels as [Float32Array, Float32Array]
    for (let i = 0; i < inPhase.frames; i++) right[i] = 0.98 * left[i]!
    const turned = copyOf(inPhase)
    for (let i = 0; i < turned.frames; i++) turned.channels[1]![i]! *= -1
    const [one, other] = [gainsAt(analyse(inPhase)), gainsAt(analyse(turned))]
    for (const hz of [60, 250, 1000, 4000, 12_000]) expect(other.at(hz), `${hz}`).toBeCloseTo(one.at(hz), 1)
    expect(other.side).toEqual(other.mid)
    const target = plan(analyse(turned), { genre: 'ballad' }).targetSpectrum
    expect(target?.side_db.every((level) => level !== null)).toBe(true)
  })
})

describe('the glue of a genre', () => {
  it('is the same however much silence stands around the song', () => {
    const silent = allocateAudio(2, 3 * music.frames, music.sampleRateHz)
    for (const [c, samples] of silent.channels.entries()) samples.set(music.channels[c]!, music.frames)
    const thresholds = (audio: Audio) =>
      stage(plan(analyse(audio), { genre: 'edm' }).recipe.stages, 'multiband')!.bands.map(
        ({ thresholdDb }) => thresholdDb,
      )
    const [alone, between] = [thresholds(music), thresholds(silent)]
    for (const [b, thresholdDb] of alone.entries()) expect(between[b]!, `${b}`).toBeCloseTo(thresholdDb, 0)
  })

  // Falls steeply, so that the top band is full of what its filter lets through, has a mono bass made and is moved toward the genre.
  const dark = shaped([3, 3, 3, 3, 0, -6, -12, -18, -24], [9, 9, 0, 0, 0, -6, -12, -18, -24])
  const { recipe } = plan(analyse(dark), { genre: 'edm' })
  const before = recipe.stages.filter(({ kind }) => kind !== 'multiband')
  const glue = stage(recipe.stages, 'multiband')!
  const { audio: heard } = applyRecipe(copyOf(dark), { ...recipe, stages: before })

  it('holds each band from 4 dB above the average that the compressor hears in it', () => {
    expect(before.map(({ kind }) => kind)).toEqual(['mono_bass', 'match'])
    const averages = glue.bands.map((_, b) => {
      // A band that is always turned down by 6 dB is what is missing then, twice.
      const bands = glue.bands.map((band, i) => ({
        ...band,
        thresholdDb: -300,
        ratio: 100,
        attackMs: 0,
        maxReductionDb: i === b ? 20 * Math.log10(2) : 0,
      }))
      const { audio } = applyRecipe(copyOf(heard), { ...recipe, stages: [{ ...glue, bands }] })
      return differenceDb(heard, audio) + powerDbfs(heard) + 20 * Math.log10(2)
    })
    for (const [b, { thresholdDb }] of glue.bands.entries())
      expect(thresholdDb - averages[b]!, `${b}`).toBeCloseTo(4, 0)
  })

  it('leaves the tone alone: on average no third octave loses more than 1 dB against another', () => {
    const glued = applyRecipe(copyOf(heard), { ...recipe, stages: [glue] })
    expect(glued.mostReductionDb.multiband).toBeGreaterThan(0.5)
    const [from, to] = [analyse(heard).spectrum, analyse(glued.audio).spectrum]
    const moves = from.bandHz.flatMap((hz, b) => (hz < 40 || hz > 16_000 ? [] : [to.midDb[b]! - from.midDb[b]!]))
    expect(Math.max(...moves) - Math.min(...moves)).toBeLessThan(1)
  })
})

describe('a repair', () => {
  const damages: { name: string; kind: string; damage: (audio: Audio) => void; amount: (db: number) => boolean }[] = [
    {
      name: 'an offset of 5 per cent',
      kind: 'dc_offset',
      damage: (audio) => addOffset(audio, 0.05),
      amount: (db) => Math.abs(db + 26) < 0.3,
    },
    {
      name: 'rumble at 15 Hz',
      kind: 'rumble',
      damage: (audio) => addTone(audio, 15, -26),
      // Gain of the filter, of fourth order at 18.5 Hz and run both ways, at 15 Hz.
      amount: (db) => Math.abs(db + 16.1) < 0.5,
    },
    { name: 'clipping', kind: 'clipping', damage: (audio) => clipHard(audio, -3), amount: (db) => db > 0.5 && db < 9 },
    {
      name: 'clicks',
      kind: 'clicks',
      damage: (audio) => void addClicks(audio, 0.7, 0.4),
      amount: (db) => Math.abs(db + 8) < 2,
    },
    {
      name: 'a resonance at 6 kHz',
      kind: 'resonance',
      damage: (audio) => addResonance(audio, 6000),
      amount: (db) => db <= -2 && db >= -4.1,
    },
  ]
  it.each(damages)('of $name is made, measured and named, and brings the song back', ({ kind, damage, amount }) => {
    const damaged = copyOf(music)
    damage(damaged)
    const before = differenceDb(music, damaged)
    // Changes of the tone, a matter of taste, are left out: they would be compared as well.
    const found = plan(analyse(damaged), { intensity: 0 })
    const { repairs } = applyRecipe(damaged, found.recipe)
    expect(repairs.map((repair) => repair.kind)).toEqual([kind])
    expect(amount(repairs[0]!.amount_db!)).toBe(true)
    // The rumble filter turns the phase of the lowest notes, so its residue is not compared sample by sample; of clipped noise
    // little can be foretold.
    if (kind !== 'rumble') expect(differenceDb(music, damaged)).toBeLessThan(before - (kind === 'clipping' ? 0.3 : 2))
    expect(found.decisions.some(({ stage: of, code }) => of === 'repair' && code !== 'NOTHING_TO_REPAIR')).toBe(true)
  })

  /** Five tones together. */
  function chordOf(seconds: number): Audio {
    const chord = allocateAudio(2, seconds * 48_000, 48_000)
    for (const hz of [110, 164, 277, 440, 659]) addTone(chord, hz, -16)
    return chord
  }

  it('of clipped tones brings most of their peaks back', () => {
    const chord = chordOf(12)
    const clipped = copyOf(chord)
    clipHard(clipped, -3)
    const before = differenceDb(chord, clipped)
    const told: number[] = []
    const mending = { kind: 'declip', levels: analyse(clipped).clipping.levels } as const
    applyRecipe(clipped, { version: 1, stages: [mending] }, (part) => told.push(part))
    expect(differenceDb(chord, clipped)).toBeLessThan(before - 10)
    // It takes its time, and tells how far it is: in both channels, twice.
    expect(new Set(told).size).toBeGreaterThan(4)
    expect(told).toEqual([...told].sort((a, b) => a - b))
    expect(told.at(-1)).toBe(1)
  })

  it('of tones that lost more than 9 dB of their peaks brings no more than that back', () => {
    const clipped = chordOf(2)
    clipHard(clipped, -14)
    const mending = { kind: 'declip', levels: analyse(clipped).clipping.levels } as const
    const { repairs } = applyRecipe(clipped, { version: 1, stages: [mending] })
    expect(repairs).toMatchObject([{ kind: 'clipping', amount_db: 9 }])
  })

  it('of flat tops that are the shape of a sound does not change them, and is not told', () => {
    // Up and down in straight lines, with a rest at either end.
    const corners = allocateAudio(2, 2 * 48_000, 48_000)
    for (const samples of corners.channels)
      for (let i = 0; i < samples.length; i++)
        samples[i] = 0.6 * Math.max(-1, Math.min(1, Math.abs((i % 44) - 22) / 5 - 2.2))
    const mending = { kind: 'declip', levels: analyse(corners).clipping.levels } as const
    expect(mending.levels[0]!.positive).toBeCloseTo(0.6)
    const { repairs } = applyRecipe(corners, { version: 1, stages: [mending] })
    expect(repairs).toEqual([])
    expect(Math.max(...corners.channels[0]!)).toBeCloseTo(0.6, 4)
  })

  it('of a place that two equal channels share is told once', () => {
    const clipped = chordOf(2)
    clipHard(clipped, -3)
    const found = analyse(clipped)
    const { repairs } = applyRecipe(clipped, plan(found, { intensity: 0 }).recipe)
    expect(repairs).toMatchObject([{ kind: 'clipping', channel: 'both' }])
    expect(repairs[0]!.count! / found.clipping.count).toBeCloseTo(0.5, 1)
  })

  it('leaves a bass line at 35 Hz within half a decibel, even beside rumble', () => {
    const bass = sine(12, 35, 0.3)
    const before = rmsDbfs(bass, 2 * 48_000, 10 * 48_000)
    addTone(bass, 15, -20)
    const { recipe } = plan(analyse(bass))
    expect(stage(recipe.stages, 'rumble_filter')).toBeDefined()
    applyRecipe(bass, recipe)
    expect(Math.abs(rmsDbfs(bass, 2 * 48_000, 10 * 48_000) - before)).toBeLessThan(0.5)
  })

  /** Levels of the bands in which the bass lies, dB: in mono, and of both channels together. */
  const bassOf = ({ spectrum: { bandHz, midDb, sideDb } }: SourceAnalysis) => {
    const bands = [...bandHz.keys()].filter((b) => bandHz[b]! > 30 && bandHz[b]! < 90)
    const level = (...parts: number[]) => 10 * Math.log10(parts.reduce((sum, db) => sum + 10 ** (db / 10), 0))
    return { mono: bands.map((b) => midDb[b]!), stereo: bands.map((b) => level(midDb[b]!, sideDb[b]!)) }
  }
  const apartDb = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, level, b) => sum + Math.abs(level - other[b]!), 0) / one.length

  it.each<[string, 'left' | 'right', (left: Float32Array, right: Float32Array) => void]>([
    ['that one channel plays later', 'left', (left, right) => right.fill(0, 0, 450).set(left.subarray(0, -450), 450)],
    [
      'that one channel plays turned over and softer',
      'right',
      (left) => {
        for (let i = 0; i < left.length; i++) left[i]! *= -0.5
      },
    ],
    [
      'that stands in the side beside a song in the mid',
      'left',
      (_left, right) => {
        for (let i = 0; i < right.length; i++) right[i]! -= 0.4 * Math.sin((2 * Math.PI * 45 * i) / 48_000)
      },
    ],
  ])('of a bass %s loses no note of it', (_, from, damage) => {
    const damaged = copyOf(music)
    const [left, right] = damaged.channels as [Float32Array, Float32Array]
    for (let i = 0; i < left.length; i++) left[i]! += 0.25 * Math.sin((2 * Math.PI * 45 * i) / 48_000)
    right.set(left)
    const undamaged = bassOf(analyse(damaged))
    damage(left, right)
    const found = analyse(damaged)
    expect(apartDb(bassOf(found).mono, undamaged.mono)).toBeGreaterThan(2)
    const { recipe, decisions } = plan(found)
    expect(decisions.find(({ code }) => code === 'BASS_MADE_MONO')?.values.from).toBe(from)
    const kept = damaged.channels[from === 'left' ? 0 : 1]!.slice()
    applyRecipe(damaged, { version: 1, stages: recipe.stages.filter(({ kind }) => kind === 'mono_bass') })
    const after = damaged.channels[from === 'left' ? 0 : 1]!
    expect(kept.every((sample, i) => sample === after[i])).toBe(true)
    const mended = bassOf(analyse(damaged))
    expect(apartDb(mended.mono, undamaged.mono)).toBeLessThan(1)
    expect(apartDb(mended.stereo, undamaged.stereo)).toBeLessThan(1)
    expect(apartDb(mended.stereo, mended.mono)).toBeLessThan(1)
  })

  /** Beats of a bass of the same level in both channels; the phase of the right one strays by up to so much, anew 20 times a second. */
  const addBass = (audio: Audio, strayRadians: number, shiftRadians = 0) => {
    const random = seededRandom(3)
    const places = Array.from({ length: 250 }, () => strayRadians * random())
    const [left, right] = audio.channels as [Float32Array, Float32Array]
    for (let i = 0; i < audio.frames; i++) {
      const at = i / 2400
      const place = Math.floor(at)
      const stray = places[place]! + (at - place) * (places[place + 1]! - places[place]!)
      const phase = (2 * Math.PI * 55 * i) / 48_000
      const beat = 0.4 * Math.exp(-(i % 24_000) / 8000)
      left[i]! += beat * Math.sin(phase)
      right[i]! += beat * Math.sin(phase + stray + shiftRadians)
    }
  }

  it('of a bass whose channels do not hold together gives both the one of the louder', () => {
    const torn = copyOf(music)
    addBass(torn, 2.8)
    const found = analyse(torn)
    expect(found.bassStereo.monoLossDb).toBeGreaterThan(1)
    const { recipe, decisions } = plan(found)
    const decision = decisions.find(({ code }) => code === 'BASS_MADE_MONO')
    expect(decision?.values.monoLossDb).toBeCloseTo(found.bassStereo.monoLossDb, 1)
    const totalDb = (levels: readonly number[]) => 10 * Math.log10(levels.reduce((sum, db) => sum + 10 ** (db / 10), 0))
    const beforeDb = totalDb(bassOf(found).stereo)
    applyRecipe(torn, { version: 1, stages: recipe.stages.filter(({ kind }) => kind === 'mono_bass') })
    const mended = analyse(torn)
    expect(mended.bassStereo.monoLossDb).toBeLessThan(0.2)
    expect(totalDb(bassOf(mended).stereo)).toBeGreaterThan(beforeDb - 0.5)
    expect(totalDb(bassOf(mended).mono)).toBeGreaterThan(beforeDb - 0.5)
    expect(plan(mended).decisions.map(({ code }) => code)).not.toContain('BASS_MADE_MONO')
  })

  it.each<[string, (audio: Audio) => void]>([
    ['that holds together', (audio) => addBass(audio, 0.5)],
    ['whose channels are as far apart, but steadily', (audio) => addBass(audio, 0.1, 1.2)],
    [
      'of two instruments that stand apart',
      (audio) => {
        for (const [c, samples] of audio.channels.entries()) {
          for (let i = 0; i < samples.length; i++) {
            const note = Math.floor(i / 12_000)
            const isOwn = (note + c) % 2 === 0
            const hz = isOwn ? 50 : 65
            samples[i]! += (isOwn ? 0.3 : 0.1) * Math.sin((2 * Math.PI * hz * i) / 48_000)
          }
        }
      },
    ],
  ])('of a bass %s is none', (_, add) => {
    const whole = copyOf(music)
    add(whole)
    expect(plan(analyse(whole)).decisions.map(({ code }) => code)).not.toContain('BASS_MADE_MONO')
  })

  it('of a wide bass is made where there is a bass, not where a trace of one is left', () => {
    const { spectrum } = analysis
    const isBass = (hz: number) => hz > 30 && hz < 110
    const loudest = Math.max(...spectrum.midDb)
    const kinds = (levelDb: number) => {
      const at = (levels: readonly number[], ownDb: number) =>
        levels.map((level, b) => (isBass(spectrum.bandHz[b]!) ? loudest + ownDb : level))
      const wide = { ...spectrum, midDb: at(spectrum.midDb, levelDb), sideDb: at(spectrum.sideDb, levelDb + 3) }
      return plan({ ...analysis, spectrum: wide }).recipe.stages.map(({ kind }) => kind)
    }
    expect(kinds(-20)).toEqual(['mono_bass'])
    expect(kinds(-40)).toEqual([])
  })

  it('of an offset that comes and goes is a filter, and none while it is small', () => {
    const subsonic = { ...analysis.subsonic, levelDbfs: -40, frequencyHz: 4, bassDbfs: -20 }
    const planned = (offset: number, musicPeakDbfs: number) =>
      plan({ ...analysis, subsonic, musicPeakDbfs, dcOffsets: [offset, offset], dcDrift: 0.02 })
    const moving = (offset: number, musicPeakDbfs: number) => planned(offset, musicPeakDbfs).recipe.stages
    const told = (offset: number, musicPeakDbfs: number) => planned(offset, musicPeakDbfs).decisions[0]?.code
    expect(moving(0.005, -8)).toEqual([])
    expect(moving(0.02, -8)).toEqual([{ kind: 'rumble_filter', frequencyHz: 8, order: 1, isAgainstRumble: false }])
    expect(moving(0.05, -8).map(({ kind }) => kind)).toEqual(['remove_dc'])
    // The offset stays, and the report says so, if the filter would raise the peaks.
    expect(moving(0.02, -5)).toEqual([])
    expect([told(0.005, -8), told(0.02, -8), told(0.02, -5)]).toEqual(['NOTHING_TO_REPAIR', 'DC_REMOVED', 'DC_LEFT'])
  })

  it('of rumble is left where the filter would raise the peaks: it is the shape of waves then, and that is said', () => {
    const subsonic = { ...analysis.subsonic, levelDbfs: -30, frequencyHz: 12, bassDbfs: -20 }
    const own = analysis.samplePeakDbfs!
    const [filtered, left] = [0.4, 0.6].map((rise) => plan({ ...analysis, subsonic, musicPeakDbfs: own + rise }))
    expect(filtered!.recipe.stages).toEqual([
      { kind: 'rumble_filter', frequencyHz: 18.5, order: 8, isAgainstRumble: true },
    ])
    expect(filtered!.decisions[0]!.code).toBe('RUMBLE_FILTERED')
    expect(left!.recipe.stages).toEqual([])
    expect(left!.decisions[0]).toMatchObject({ code: 'RUMBLE_LEFT', values: { frequencyHz: 12, levelDbfs: -30 } })
  })

  it('of an offset that fades with the song is gentle and no repair of rumble', () => {
    const fading = copyOf(music)
    for (const samples of fading.channels) {
      for (let i = 0; i < samples.length; i++) {
        const fade = Math.min(1, i / 96_000, (samples.length - i) / 96_000)
        samples[i] = fade * (samples[i]! + 0.05)
      }
    }
    // The strongest of what is hardly there is the foot of the bass.
    const found = {
      ...analyse(fading),
      // Unrelated noise in both channels that fades together is a bass that does not hold together.
      bassStereo: analysis.bassStereo,
      subsonic: { ...analysis.subsonic, levelDbfs: -60, frequencyHz: 16.5, bassDbfs: -20 },
    }
    const { recipe } = plan(found)
    expect(recipe.stages).toEqual([{ kind: 'rumble_filter', frequencyHz: 8, order: 1, isAgainstRumble: false }])
    const { repairs } = applyRecipe(fading, recipe)
    expect(repairs.map(({ kind }) => kind)).toEqual(['dc_offset'])
  })

  it('of an offset that silence does not share never puts one there', () => {
    const framed = copyOf(music)
    addOffset(framed, 0.1)
    for (const samples of framed.channels) samples.fill(0, 0, 48_000).fill(0, 11 * 48_000)
    const { recipe, decisions } = plan(analyse(framed))
    expect(decisions[0]).toMatchObject({ code: 'DC_REMOVED', values: { method: 'filtered' } })
    applyRecipe(framed, recipe)
    expect(Math.max(...framed.channels[0]!.subarray(0, 47_000).map(Math.abs))).toBeLessThan(1e-6)
    // Nor where the filter would raise the peaks, which the offset holds down, and half a second is silent.
    const held = copyOf(music)
    for (const samples of held.channels) {
      for (let i = 0; i < samples.length; i++) samples[i]! *= samples[i]! > 0 ? 1 : 0.5
    }
    addOffset(held, -0.1)
    for (const samples of held.channels) samples.fill(0, 0, 24_000).fill(0, 11.5 * 48_000)
    const left = plan(analyse(held))
    expect(left.decisions[0]!.code).toBe('DC_LEFT')
    applyRecipe(held, left.recipe)
    expect(held.channels[0]!.subarray(0, 24_000).every((sample) => sample === 0)).toBe(true)
    // A drum whose waves lean to one side has a mean, and no offset.
    const drum = allocateAudio(2, 10 * 48_000, 48_000)
    for (const samples of drum.channels) {
      for (let i = 0; i < samples.length; i++) {
        const t = (i % 96_000) / 48_000
        if (t < 0.4) samples[i] = 0.9 * Math.exp(-t / 0.06) * Math.sin(2 * Math.PI * 50 * t)
      }
    }
    const before = analyse(drum)
    expect(before.dcOffsets[0]).toBeGreaterThan(1e-3)
    expect(stage(plan(before).recipe.stages, 'remove_dc')).toBeUndefined()
  })

  it('of an offset under waves that lean to one side takes what all of the song has of it, and leaves the waves', () => {
    const leaning = allocateAudio(2, 20 * 48_000, 48_000)
    for (const samples of leaning.channels) {
      for (let i = 0; i < samples.length; i++) {
        const isPlayed = i % 192_000 < 96_000
        samples[i] = isPlayed ? (i % 480 < 384 ? 0.5 : -0.5) : 0
      }
    }
    expect(plan(analyse(leaning)).recipe.stages.map(({ kind }) => kind)).not.toContain('remove_dc')
    const shifted = copyOf(leaning)
    addOffset(shifted, 0.05)
    const { recipe, decisions } = plan(analyse(shifted))
    expect(decisions[0]).toMatchObject({ code: 'DC_REMOVED', values: { percent: 5, method: 'subtracted' } })
    expect(recipe.stages.map(({ kind }) => kind)).not.toContain('rumble_filter')
    const { repairs } = applyRecipe(shifted, { version: 1, stages: [stage(recipe.stages, 'remove_dc')!] })
    expect(repairs).toEqual([{ kind: 'dc_offset', amount_db: -26 }])
    const left = shifted.channels[0]!.map((sample, i) => sample - leaning.channels[0]![i]!)
    expect(left.every((error) => Math.abs(error) < 1e-6)).toBe(true)
  })

  it('of a click that towers over the song takes no further notice of its peak', () => {
    const clicked = copyOf(music)
    for (const samples of clicked.channels) for (let i = 0; i < samples.length; i++) samples[i]! *= 0.3
    clicked.channels[0]![100_000] = 0.98
    expect(analyse(clicked).musicPeakDbfs).toBeCloseTo(analysis.musicPeakDbfs! + 20 * Math.log10(0.3), 2)
    expect(plan(analyse(clicked)).recipe.stages.map(({ kind }) => kind)).toEqual(['declick'])
  })

  /** The song with hiss between 5 and 9 kHz in the last quarter of a second of every one and a half. */
  function withSibilants(): Audio {
    const voiced = copyOf(music)
    const hiss = noise(12, 0.5, 48_000, 3)
    const range = createMatchFilter(
      { frequencyHz: [3000, 5000, 9000, 14_000], gainDb: [-40, 0, 0, -40] },
      { frequencyHz: [1000], gainDb: [-60] },
      48_000,
    )
    filterWhole(hiss, range)
    // A voice that stops for each s, twice a second.
    for (const [c, samples] of voiced.channels.entries()) {
      for (let i = 0; i < samples.length; i++) {
        const part = ((i % 24_000) - 18_000) / 6000
        const sung = 0.05 * [1000, 1500, 2300].reduce((sum, hz) => sum + Math.sin((2 * Math.PI * hz * i) / 48_000), 0)
        samples[i]! += part > 0 ? Math.sin(Math.PI * part) * hiss.channels[c]![i]! : Math.min(1, -20 * part) * sung
      }
    }
    return voiced
  }

  it('of sharp sibilants takes them down while they sound, and nothing else', () => {
    const voiced = withSibilants()
    const treated = copyOf(voiced)
    const { recipe, decisions } = plan(alike({ ...analyse(voiced), tone: analysis.tone }))
    expect(decisions.map(({ code }) => code)).toContain('SIBILANCE_TAMED')
    const cut = { ...recipe, stages: recipe.stages.filter(({ kind }) => kind === 'dynamic_cut') }
    const { repairs } = applyRecipe(treated, cut)
    expect(repairs[0]).toMatchObject({ kind: 'sibilance', amount_db: -3 })
    const change = (from: number, to: number) => rmsDbfs(treated, from, to) - rmsDbfs(voiced, from, to)
    expect(change(67_500, 71_000)).toBeLessThan(-0.5)
    expect(Math.abs(change(86_500, 89_500))).toBeLessThan(0.02)
  })

  it('of sharp sibilants counts what the equaliser cuts there already: nothing is cut twice', () => {
    const found = { ...analyse(withSibilants()), treble: { fallDb: -3, lackDb: 0 } }
    const mostCutDb = (harshness: number) => {
      const { stages } = plan(alike({ ...found, tone: { ...found.tone, harshness } }), { ai_service: 'suno' }).recipe
      const cutDb = stage(stages, 'equalise')?.sections[0]?.gainDb ?? 0
      return { cutDb, sibilantsDb: stage(stages, 'dynamic_cut')?.cuts[0]?.maxMidCutDb ?? 0 }
    }
    expect(mostCutDb(0)).toEqual({ cutDb: 0, sibilantsDb: 3 })
    const { cutDb, sibilantsDb } = mostCutDb(13.5)
    expect(cutDb).toBeCloseTo(-1, 6)
    expect(sibilantsDb).toBeGreaterThan(2)
    expect(sibilantsDb).toBeLessThan(2.3)
    expect(mostCutDb(17.5)).toEqual({ cutDb: -5, sibilantsDb: 0 })
  })

  it.each([
    [6000, 'resonance'],
    [9000, 'resonance'],
    [9800, 'both'],
  ])('of a resonance at %i Hz is no cut of a broad hard edge beside it: %s', (frequencyHz, treated) => {
    const treble = { fallDb: -3, lackDb: 0 }
    const tone = { ...analysis.tone, harshness: 14.5 }
    const harsh = alike({ ...analysis, treble, tone })
    expect(stage(plan(harsh).recipe.stages, 'equalise')!.sections[0]!.gainDb).toBe(-2)
    const { stages } = plan({ ...harsh, resonances: [{ frequencyHz, excessDb: 6, q: 8 }] }).recipe
    expect(stages.map(({ kind }) => kind)).toEqual(treated === 'both' ? ['dynamic_cut', 'equalise'] : ['dynamic_cut'])
  })

  it.each([
    ['muffled', { treble: { fallDb: 9, lackDb: 0 } }],
    ['without treble', { treble: { fallDb: -3, lackDb: 30 } }],
    ['with its end at 8 kHz', { bandwidthHz: 8000 }],
    ['with its end beside the peak', { bandwidthHz: 11_500 }],
  ])('of a resonance is none in a song %s', (_, change) => {
    const resonances = [{ frequencyHz: 9200, excessDb: 9, q: 8 }]
    const kinds = (more: Partial<SourceAnalysis>) =>
      plan({ ...analysis, resonances, ...more }).recipe.stages.map(({ kind }) => kind)
    expect(kinds({})).toEqual(['dynamic_cut'])
    expect(kinds(change)).toEqual([])
  })

  it.each([
    ['mid', 1],
    ['side', -1],
    ['both', 0],
  ] as const)('of a resonance names the part in which it was cut: %s', (channel, right) => {
    const ringing = sine(2, 6000, 0.2)
    const quiet = noise(2, 0.02)
    for (let i = 0; i < ringing.frames; i++) {
      ringing.channels[1]![i] = right * ringing.channels[0]![i]! + quiet.channels[1]![i]!
      ringing.channels[0]![i]! += quiet.channels[0]![i]!
    }
    const peak = { repair: 'resonance', frequencyHz: 6000, q: 10, maxMidCutDb: 3, maxSideCutDb: 3 } as const
    const surroundings = { referenceHz: 6000, referenceQ: 2.5, referenceSections: 1 } as const
    const cuts = [{ ...peak, ...surroundings, toleranceDb: 5, attackMs: 15, releaseMs: 120 }]
    const { repairs } = applyRecipe(ringing, { version: 1, stages: [{ kind: 'dynamic_cut', cuts }] })
    expect(repairs).toMatchObject([{ kind: 'resonance', frequency_hz: 6000, channel }])
    // Without ringing there was nothing to do.
    expect(applyRecipe(quiet, { version: 1, stages: [{ kind: 'dynamic_cut', cuts }] }).repairs).toEqual([])
  })

  it('of mud is what an equaliser takes off low down, nothing else that it does', () => {
    const q = 1
    const bands = [
      { shape: 'peak', frequencyHz: 250, q, gainDb: -3 },
      { shape: 'peak', frequencyHz: 6000, q, gainDb: -4 },
      { shape: 'peak', frequencyHz: 300, q, gainDb: 2 },
    ] as const
    const { repairs } = applyRecipe(copyOf(music), {
      version: 1,
      stages: [{ kind: 'equalise', sections: bands }],
    })
    expect(repairs).toEqual([{ kind: 'mud', amount_db: -3, frequency_hz: 250, channel: 'both' }])
  })

  it('of an offset beside rumble is told once', () => {
    const both = copyOf(music)
    addOffset(both, 0.05)
    addTone(both, 15, -26)
    const { repairs } = applyRecipe(both, plan(analyse(both)).recipe)
    expect(repairs.map(({ kind }) => kind)).toEqual(['dc_offset', 'rumble'])
  })

  it('of clipping does not mind an offset that came afterwards', () => {
    const clipped = copyOf(music)
    clipHard(clipped, -3)
    const both = copyOf(clipped)
    addOffset(both, 0.05)
    applyRecipe(clipped, plan(analyse(clipped), { intensity: 0 }).recipe)
    const { repairs } = applyRecipe(both, plan(analyse(both), { intensity: 0 }).recipe)
    expect(repairs.map(({ kind }) => kind)).toEqual(['clipping', 'dc_offset'])
    expect(differenceDb(clipped, both)).toBeLessThan(-60)
  })

  it('is not made of a dead channel: it is named', () => {
    const dead = copyOf(music)
    dead.channels[0]!.fill(0)
    const { recipe, warnings } = plan(analyse(dead))
    expect(recipe.stages).toEqual([])
    expect(warnings).toEqual([{ code: 'INPUT_DEAD_CHANNEL', values: { channel: 'left' } }])
  })

  it.each([0, 1])('of a resonance leaves a silent channel silent (%i)', (silent) => {
    const ringing = copyOf(music)
    // Twice, so that the cut goes as far as it may.
    addResonance(ringing, 6000)
    addResonance(ringing, 6000)
    ringing.channels[silent]!.fill(0)
    const { recipe } = plan(analyse(ringing))
    const { audio, repairs } = applyRecipe(copyOf(ringing), recipe)
    expect(repairs.map(({ kind }) => kind)).toContain('resonance')
    expect(audio.channels[silent]!.every((sample) => sample === 0)).toBe(true)
  })

  it('needs less certainty for generated music', () => {
    const ringing = { ...analysis, resonances: [{ frequencyHz: 6000, excessDb: 4.5, q: 8 }] }
    expect(plan(ringing).recipe.stages).toEqual([])
    expect(plan(ringing, { ai_service: 'suno' }).recipe.stages.map(({ kind }) => kind)).toEqual(['dynamic_cut'])
  })
})

const silent: FaultRelief = { crest: 0, edge: 0, edgeAgain: 0 }
const evened: FaultRelief = { crest: 0.4, edge: 0.3, edgeAgain: 0.2 }
const none: PeakRelief = {
  crestDb: 2.5,
  faults: { mud: silent, harshness: silent, dullness: silent, narrowed: silent, widened: silent },
}
const evenedBy = (fault: Fault, crestDb: number): PeakRelief => ({
  crestDb,
  faults: { ...none.faults, [fault]: evened },
})

describe('the odds of a fault', () => {
  it('are against it while nothing speaks for one', () => {
    for (const logOdds of Object.values(faultOdds(analysis))) expect(logOdds).toBeLessThan(0)
  })

  it('rise with the spectrum and with the peaks that even out once the fault is undone', () => {
    const unseen = faultOdds({ ...analysis, peakRelief: none })
    for (const kind of ['mud', 'harshness', 'dullness'] as const) {
      const tone = { ...analysis.tone, [kind]: 4 }
      const seen = faultOdds({ ...analysis, peakRelief: none, tone })
      const both = faultOdds({ ...analysis, peakRelief: evenedBy(kind, none.crestDb), tone })
      const limited = faultOdds({ ...analysis, peakRelief: evenedBy(kind, 1), tone })
      expect(seen[kind]).toBeGreaterThan(unseen[kind])
      expect(both[kind]).toBeGreaterThan(seen[kind] + 1)
      expect(limited[kind]).toBeGreaterThan(both[kind])
    }
  })

  it('share one probability between all faults', () => {
    const faults = { ...none.faults, mud: evened, harshness: evened, widened: evened }
    const certain = { ...analysis, peakRelief: { ...none, faults } }
    const sum = Object.values(faultOdds(certain)).reduce((total, logOdds) => total + probability(logOdds), 0)
    expect(sum).toBeGreaterThan(0.9)
    expect(sum).toBeLessThanOrEqual(1)
  })

  it('leave width alone where there is none', () => {
    for (const without of [{ isMono: true }, { deadChannel: 'left' as const }]) {
      const odds = faultOdds({ ...analysis, ...without, width: widthOf(-60) })
      expect([odds.narrowed, odds.widened]).toEqual([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY])
      expect(odds.mud).toBeCloseTo(faultOdds({ ...analysis, ...without }).mud, 9)
    }
  })
})

describe('the verdict on a fault', () => {
  it('is none below a probability of 0.9, whole from 0.95 on, and grows between', () => {
    const at = [0.5, 0.9, 0.92, 0.94, 0.95, 0.99].map((p) => certainty(Math.log(p / (1 - p))))
    expect(at.slice(0, 2)).toEqual([0, expect.closeTo(0, 9)])
    expect(at.slice(4)).toEqual([1, 1])
    expect(at[2]).toBeGreaterThan(0.1)
    expect(at[3]).toBeGreaterThan(at[2]!)
    expect(at[3]).toBeLessThan(1)
  })

  it.each(['mud', 'harshness', 'dullness', 'narrowed', 'widened'] as const)(
    'of %s is that of the whole song where both halves agree, and none where one does not',
    (fault) => {
      const width = widthOf(fault === 'narrowed' ? -8 : fault === 'widened' ? 10 : 2)
      const tone = { ...analysis.tone, ...(fault in analysis.tone ? { [fault]: 4 } : {}) }
      const faulty = alike({ ...analysis, tone, width, peakRelief: evenedBy(fault, 1) })
      const { tone: ordinaryTone, width: ordinaryWidth, peakRelief } = analysis
      const without = { tone: ordinaryTone, width: ordinaryWidth, peakRelief }
      expect(faultVerdicts(faulty)[fault].certainty).toBe(1)
      for (const halves of [
        [faulty.halves[0], without],
        [without, faulty.halves[1]],
      ] as const)
        expect(faultVerdicts({ ...faulty, halves })[fault].certainty).toBe(0)
    },
  )
})

describe('what the spectrum shows of a fault', () => {
  const gains = (song: SourceAnalysis) =>
    planToneFaults({ ...song, aiService: 'other' }, 50, NEUTRAL_SOUND).stages.flatMap(({ sections }) =>
      sections.map(({ gainDb }) => gainDb),
    )
  const song = (kind: 'mud' | 'harshness', evidenceDb: number) =>
    alike({ ...analysis, tone: { ...analysis.tone, [kind]: evidenceDb }, peakRelief: evenedBy(kind, 1) })

  it.each([
    ['mud', -4],
    ['harshness', -5],
  ] as const)('of %s counts in the whole song, in both halves and at the place of the cut', (kind, gainDb) => {
    const shown = song(kind, 3)
    const [first, second] = shown.halves
    const unshown = { ...first, tone: { ...first.tone, [kind]: -10 } }
    const place = { ...shown.tonePlaces, [kind]: { ...shown.tonePlaces[kind], evidenceDb: -10 } }
    expect(gains(shown)).toEqual([gainDb])
    expect(gains({ ...shown, tone: unshown.tone })).toEqual([])
    expect(gains({ ...shown, halves: [unshown, second] })).toEqual([])
    expect(gains({ ...shown, halves: [first, unshown] })).toEqual([])
    expect(gains({ ...shown, tonePlaces: place })).toEqual([])
  })

  it('is outweighed by nearly certain peaks where it is mildly against mud, and never where it is clearly against it', () => {
    expect(faultVerdicts(song('mud', -3)).mud.leastLogOdds).toBeGreaterThan(5)
    expect(gains(song('mud', -3))).toEqual([-4])
    expect(gains(song('mud', -8))).toEqual([])
    expect(gains(song('harshness', -0.1))).toEqual([])
    // In one half the peaks are for mud, but not by as much.
    const slight: FaultRelief = { crest: 0.2, edge: 0.12, edgeAgain: 0.1 }
    const less = song('mud', -3)
    const [first, second] = less.halves
    const half = { ...first, peakRelief: { crestDb: 1, faults: { ...none.faults, mud: slight } } }
    const doubted = { ...less, halves: [half, second] as const }
    const { certainty: part, leastLogOdds } = faultVerdicts(doubted).mud
    expect(part).toBe(1)
    expect(leastLogOdds).toBeLessThan(4)
    expect(gains(doubted)).toEqual([])
  })
})

describe('a song that may be harsh or dull', () => {
  it('is not lifted where it is cut', () => {
    const relief = (crest: number): FaultRelief => ({ ...silent, crest })
    const seen = new Set<string>()
    for (let harsh = 0; harsh <= 1; harsh += 0.02) {
      for (let dull = 0; dull <= 1; dull += 0.02) {
        const faults = { ...none.faults, harshness: relief(harsh), dullness: relief(dull) }
        const tone = { ...ordinary.tone, harshness: 1, dullness: 1 }
        const song = alike({ ...ordinary, tone, peakRelief: { ...none, faults } })
        const { decisions } = planToneFaults(song, 50, NEUTRAL_SOUND)
        const gainDb = (wanted: DecisionCode, fault: string) =>
          decisions.find(({ code, values }) => code === wanted || values.fault === fault)?.values.gainDb ?? 0
        const cutDb = gainDb('TONE_HARSHNESS_CUT', 'harshness')
        const liftDb = gainDb('TONE_DULLNESS_LIFTED', 'dullness')
        if (cutDb === -5) expect(liftDb).toBe(0)
        if (liftDb === 4) expect(cutDb).toBe(0)
        seen.add(`${cutDb === -5} ${liftDb === 4}`)
      }
    }
    expect(seen).toEqual(new Set(['false false', 'true false', 'false true']))
  })

  it('is not lifted where there is only noise: above a cutoff below 10 kHz', () => {
    const dull = alike({ ...ordinary, tone: { ...analysis.tone, dullness: 4 }, peakRelief: evenedBy('dullness', 1) })
    const codes = (bandwidthHz: number | null) =>
      planToneFaults({ ...dull, bandwidthHz }, 50, NEUTRAL_SOUND).decisions.map(({ code }) => code)
    expect([null, 10_500, 9500].map(codes)).toEqual([['TONE_DULLNESS_LIFTED'], ['TONE_DULLNESS_LIFTED'], []])
  })
})

describe('a song beyond nearly all finished music', () => {
  // As a limiter leaves a song that had the fault before: undoing it would throw the peaks about.
  const settled: FaultRelief = { crest: -0.3, edge: -0.3, edgeAgain: 0.3 }
  const faults = { mud: settled, harshness: settled, dullness: settled, narrowed: settled, widened: settled }
  const treble = { fallDb: -3, lackDb: 0 }
  const limited: SourceAnalysis = { ...analysis, treble, peakRelief: { crestDb: 0.8, faults } }
  const toneOf = (tone: Partial<SourceAnalysis['tone']>, more: Partial<PlanInput> = {}) =>
    plan(alike({ ...limited, tone: { ...limited.tone, ...tone } }), more)
  const cuts = ({ decisions }: ReturnType<typeof plan>) =>
    decisions.flatMap(({ code, values }) => (code === 'TONE_EXCESS_CUT' ? [[values.fault, values.gainDb]] : []))

  it('loses what lies beyond it, though its peaks speak against a fault', () => {
    for (const ai_service of ['other', 'suno'] as const) {
      expect(cuts(toneOf({ harshness: 14.5 }, { ai_service }))).toEqual([['harshness', -2]])
    }
    expect(cuts(toneOf({ harshness: 12.5, mud: 30, dullness: 30 }))).toEqual([])
  })

  it('loses no more of it than each of its halves has', () => {
    const song = alike({ ...limited, tone: { ...limited.tone, harshness: 16.5 } })
    const [half, other] = song.halves
    for (const [harshness, gainDb] of [
      [13.5, -1],
      [12.5, undefined],
    ] as const) {
      const less = { ...other, tone: { ...other.tone, harshness } }
      expect(cuts(plan({ ...song, halves: [half, less] }))[0]?.[1]).toBe(gainDb)
      expect(cuts(plan({ ...song, halves: [less, half] }))[0]?.[1]).toBe(gainDb)
    }
  })

  it('loses none of its highs where they fall away, as behind a gentle low-pass', () => {
    const falling = (fallDb: number) =>
      cuts(plan(alike({ ...limited, treble: { fallDb, lackDb: 0 }, tone: { ...limited.tone, harshness: 16.5 } })))
    expect(falling(-3)).toEqual([['harshness', -4]])
    expect(falling(-1.5)).toEqual([['harshness', -2]])
    expect(falling(0)).toEqual([])
  })

  it('loses it by the intensity, and never more than the usual fault', () => {
    const at = (intensity: number, harshness = 14.5) => cuts(toneOf({ harshness }, { intensity }))[0]?.[1]
    expect([at(0), at(25), at(100)]).toEqual([undefined, -1, -4])
    expect([at(50, 40), at(100, 40)]).toEqual([-5, -5])
  })

  it('is told so, and not as a repair', () => {
    const { decisions } = toneOf({ harshness: 13.5 })
    expect(decisions.map(({ stage, code }) => [stage, code]).slice(0, 2)).toEqual([
      ['repair', 'NOTHING_TO_REPAIR'],
      ['tone', 'TONE_EXCESS_CUT'],
    ])
    expect(decisions[1]!.values).toEqual({
      ...{ fault: 'harshness', frequencyHz: 6000, gainDb: -1, evidenceDb: 13.5 },
      ...{ usualUpToDb: 12.5, probability: 0.997 },
    })
    // A fault that is sure is taken out whole, as one.
    const sure = plan(alike({ ...analysis, tone: { ...analysis.tone, mud: 13 }, peakRelief: evenedBy('mud', 1) }))
    expect(sure.decisions[0]).toMatchObject({ code: 'MUD_CUT', values: { gainDb: -4 } })
  })

  it('is not judged by its tone where there are but a few tones, or where the sound is in the sides', () => {
    const { bandHz, midDb } = analysis.fineSpectrum
    const fewTones = midDb.map((level, b) => (b % 8 === 0 ? level : -150))
    const fineSpectrum = { bandHz, midDb: fewTones, sideDb: fewTones }
    const tone = { ...analysis.tone, harshness: 20, mud: 20 }
    for (const odd of [{ fineSpectrum }, { sideToMidDb: 20 }]) {
      expect(cuts(plan(alike({ ...limited, ...odd, tone })))).toEqual([])
      // Nor by its peaks.
      expect(
        planToneFaults(alike({ ...ordinary, ...odd, tone, peakRelief: evenedBy('mud', 1) }), 50, NEUTRAL_SOUND).stages,
      ).toEqual([])
    }
  })

  it('is narrowed in the bands that are wider, and never widened for it', () => {
    const wide = (width: WidthEvidence, correlation = 0) => plan(alike({ ...limited, width, correlation }))
    const sideGainDb = (widestDb: number) => {
      const { gainDb, usualUpToDb } = wide(widthOf(widestDb)).decisions.find(({ stage }) => stage === 'image')!.values
      return [gainDb, usualUpToDb]
    }
    expect([sideGainDb(9), sideGainDb(8)]).toEqual([
      [-1, 8],
      [undefined, undefined],
    ])
    expect(sideGainDb(14)[0]).toBe(-6)
    // The fourth band is 500 Hz.
    const withFourth = (fourthDb: number, othersDb: number) => {
      const widestEnergyDb = widthOf(othersDb).widestEnergyDb.map((db, k) => (k === 3 ? fourthDb : db))
      return wide({ ...widthOf(othersDb), widestEnergyDb })
    }
    expect(stage(withFourth(12, 2).recipe.stages, 'match')).toBeUndefined()
    const { side } = stage(withFourth(2, 9).recipe.stages, 'match')!
    for (const [hz, gainDb] of [
      [250, -1],
      [500, 0],
      [1000, -1],
    ] as const)
      expect(curveGainDb(side, hz), `${hz} Hz`).toBeCloseTo(gainDb, 1)
    // Wide by time alone, and channels with much in common.
    expect(stage(wide({ ...widthOf(2), widestDb: 14 }).recipe.stages, 'match')).toBeUndefined()
    expect(stage(wide(widthOf(14), 0.51).recipe.stages, 'match')).toBeUndefined()
  })

  it('is moved toward its genre from where that leaves it', () => {
    const curve = (from: SourceAnalysis) => {
      const { stages } = plan(from, { genre: 'ballad' }).recipe
      return { cut: stage(stages, 'equalise'), match: stage(stages, 'match')!.mid }
    }
    // Outside of the band of the genre at the place of the cut.
    const rises = [0, 0, 0, 0, 0, 0, 4, 12, 12]
    const bright = shaped(rises, rises)
    const harsh = copyOf(bright)
    toneDamages['harsh +5 dB at 6 kHz']!(harsh)
    const found = analyse(harsh)
    const { harshness: _, ...others } = analyse(bright).tone
    const [plain, cut] = [
      curve({ ...analyse(bright), peakRelief: limited.peakRelief, tone: { ...others, harshness: 0 } }),
      curve(alike({ ...found, treble, peakRelief: limited.peakRelief, tone: { ...found.tone, harshness: 18 } })),
    ]
    expect(plain.cut).toBeUndefined()
    expect(cut.cut!.sections[0]!.gainDb).toBe(-5)
    for (const hz of [60, 400, 2000, 6000, 12_000])
      expect(curveGainDb(cut.match, hz), `${hz}`).toBeCloseTo(curveGainDb(plain.match, hz), 1)
  })
})

describe('the correction of width', () => {
  const unlikely = { narrowed: 0, widened: 0 }

  it('is none while no fault is likely, and at most 6 dB', () => {
    for (const widestDb of [-12, 2, 12]) expect(widthCorrectionDb(unlikely, widestDb)).toBeCloseTo(0, 9)
    expect(widthCorrectionDb({ ...unlikely, narrowed: 1 }, -9)).toBe(6)
    expect(widthCorrectionDb({ ...unlikely, widened: 1 }, 12)).toBe(-6)
    expect(widthCorrectionDb({ ...unlikely, widened: 1 }, 5)).toBeGreaterThan(-6)
  })

  it('leaves alone what is nearly mono, however likely it looks narrowed', () => {
    for (const widestDb of [-60, -34, -13]) expect(widthCorrectionDb({ ...unlikely, narrowed: 1 }, widestDb)).toBe(0)
  })

  it('costs no band more than 1.5 dB on fold-down and leaves the bass narrow', () => {
    const narrow = alike({ ...analysis, width: widthOf(-8), peakRelief: evenedBy('narrowed', 1) })
    const match = stage(plan(narrow).recipe.stages, 'match')!
    const { bandHz, midDb, sideDb } = analysis.spectrum
    expect(Math.max(...match.side.gainDb)).toBeGreaterThan(1)
    for (const [b, gainDb] of match.side.gainDb.entries()) {
      const ratio = sideDb[b]! - midDb[b]!
      expect(foldDownLossDb(ratio + gainDb) - foldDownLossDb(ratio)).toBeLessThan(1.501)
      if (bandHz[b]! < 120) expect(gainDb === 0 || ratio + gainDb <= -7.99).toBe(true)
    }
    expect(match.mid.gainDb.every((gain) => gain === 0)).toBe(true)
  })
})

describe('a reference', () => {
  const reference = analyse(shaped([3, 3, -3, -2, 0, 2, 3, 4, 5], [0, 0, 2, 2, 2, 2, -2, -2, -2]))

  it('is matched within 1 dB in mid and side, side above 120 Hz only', () => {
    const target = copyOf(music)
    const { recipe } = plan(analysis, { reference })
    const match = stage(recipe.stages, 'match')!
    for (const [b, hz] of match.side.frequencyHz.entries()) {
      if (hz < 120) expect(match.side.gainDb[b]).toBeCloseTo(Math.min(0, match.mid.gainDb[b]!), 9)
    }
    applyRecipe(target, recipe)
    const after = analyse(target).spectrum
    const difference = after.midDb.map((level, b) => reference.spectrum.midDb[b]! - level)
    const core = difference.filter((_, b) => after.bandHz[b]! > 100 && after.bandHz[b]! < 8000)
    const mean = core.reduce((sum, value) => sum + value, 0) / core.length
    for (const [b, hz] of after.bandHz.entries()) {
      if (hz < 45 || hz > 15_000) continue
      expect(Math.abs(difference[b]! - mean)).toBeLessThan(1)
      if (hz > 200) expect(Math.abs(reference.spectrum.sideDb[b]! - after.sideDb[b]! - mean)).toBeLessThan(1)
    }
  })

  it.each(['silent', 'in opposite phase', 'a single tone'] as const)('is not followed when it is %s', (kind) => {
    const other = kind === 'a single tone' ? sine(12, 440, 0.5) : copyOf(music)
    const [left, right] = other.channels as [Float32Array, Float32Array]
    if (kind === 'silent') for (const samples of other.channels) samples.fill(0)
    if (kind === 'in opposite phase') for (let i = 0; i < other.frames; i++) right[i] = -0.98 * left[i]!
    const { recipe, warnings, decisions, targetSpectrum } = plan(analysis, { reference: analyse(other) })
    expect(recipe.stages).toEqual([])
    expect(warnings.map(({ code }) => code)).toEqual(['REFERENCE_NOT_COMPARABLE'])
    expect(decisions.map(({ code }) => code)).toContain('TONE_LEFT_ALONE')
    expect(targetSpectrum).toBeNull()
  })

  it.each(['left', 'right'] as const)('fills no silent channel of the song (%s)', (name) => {
    const dead = copyOf(music)
    const silent = dead.channels[name === 'left' ? 0 : 1]!
    silent.fill(0)
    const { recipe } = plan(analyse(dead), { reference, genre: 'edm' })
    expect(stage(recipe.stages, 'match')).toBeDefined()
    const { audio } = applyRecipe(dead, recipe)
    expect(audio.channels[name === 'left' ? 0 : 1]!.every((sample) => Math.abs(sample) < 1e-6)).toBe(true)
  })

  it('whose side ends before its mid, as joint stereo does, takes no air from the side', () => {
    const joint = copyOf(music)
    const [flat, end] = [
      { frequencyHz: [1000], gainDb: [0] },
      { frequencyHz: [7800, 8300], gainDb: [0, -80] },
    ]
    filterWhole(joint, createMatchFilter(flat, end, joint.sampleRateHz))
    const heard = analyse(joint)
    expect([heard.bandwidthHz, heard.sideBandwidthHz]).toEqual([null, expect.closeTo(8000, -3)])
    const { side } = stage(plan(analysis, { reference: heard }).recipe.stages, 'match')!
    expect(Math.max(...side.gainDb.map(Math.abs))).toBeLessThan(0.5)
  })

  it('with less bass makes the bass no wider', () => {
    const thin = analyse(shaped([-5, -5, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0]))
    const target = copyOf(music)
    const { recipe, decisions } = plan(analysis, { reference: thin })
    const said = decisions.find(({ code }) => code === 'TONE_TOWARD_REFERENCE')!.values
    expect(said!.largestMidDb).toBeGreaterThan(4)
    expect(said!.largestSideDb).toBeLessThan(1)
    applyRecipe(target, recipe)
    const after = analyse(target).spectrum
    const widthDb = ({ midDb, sideDb }: typeof after, b: number) => sideDb[b]! - midDb[b]!
    for (const [b, hz] of after.bandHz.entries()) {
      if (hz < 40 || hz > 100) continue
      expect(analysis.spectrum.midDb[b]! - after.midDb[b]!).toBeGreaterThan(3)
      expect(widthDb(after, b) - widthDb(analysis.spectrum, b)).toBeLessThan(0.5)
    }
  })

  it.each(['mono', 'with a silent channel'])(
    'that is %s says nothing of width: nothing shifts across the stage',
    (how) => {
      const lame = shaped([3, 3, -3, -2, 0, 2, 3, 4, 5], [0, 0, 0, 0, 0, 0, 0, 0, 0])
      const [left, right] = lame.channels as [Float32Array, Float32Array]
      for (let i = 0; i < lame.frames; i++) left[i] = (left[i]! + right[i]!) / 2
      if (how === 'mono') right.set(left)
      else right.fill(0)
      const { mid, side } = stage(plan(analysis, { reference: analyse(lame) }).recipe.stages, 'match')!
      expect(Math.max(...mid.gainDb.map(Math.abs))).toBeGreaterThan(1)
      expect(side).toEqual(mid)
    },
  )

  it('is followed in the mid alone by a song in mono', () => {
    const mono = copyOf(music)
    mono.channels[1]!.set(mono.channels[0]!)
    const { recipe, decisions } = plan(analyse(mono), { reference })
    const { mid, side } = stage(recipe.stages, 'match')!
    expect(side).toEqual(mid)
    const { largestMidDb, largestSideDb } = decisions.find(({ code }) => code === 'TONE_TOWARD_REFERENCE')!.values!
    expect(largestSideDb).toBe(largestMidDb)
  })

  it('is another piece than the song when it is its fold-down', () => {
    const mono = copyOf(music)
    const [left, right] = mono.channels as [Float32Array, Float32Array]
    for (let i = 0; i < mono.frames; i++) left[i] = right[i] = (left[i]! + right[i]!) / 2
    const { warnings } = plan(analysis, { reference: analyse(mono) })
    expect(warnings.map(({ code }) => code)).not.toContain('REFERENCE_IS_TARGET')
  })

  it('is left out in bands in which it holds no music', () => {
    const { bandHz } = reference.fineSpectrum
    const isEmpty = (hz: number) => hz > 1000 && hz < 1500
    const midDb = reference.fineSpectrum.midDb.map((level, b) => (isEmpty(bandHz[b]!) ? -150 : level))
    const holey = { ...reference, fineSpectrum: { ...reference.fineSpectrum, midDb } }
    const { mid } = stage(plan(analysis, { reference: holey }).recipe.stages, 'match')!
    for (const [b, hz] of mid.frequencyHz.entries()) if (hz > 1100 && hz < 1400) expect(mid.gainDb[b]).toBeCloseTo(0, 0)
  })

  it('is followed in sixth octaves, but below 100 Hz not from one to the next: there few notes tell', () => {
    const { fineSpectrum } = analysis
    const gainsFor = (centre: (hz: number) => boolean) => {
      const own = fineSpectrum.bandHz.findIndex(centre)
      const midDb = fineSpectrum.midDb.map((level, b) => (b === own ? level + 4 : level))
      const spiky = { ...analysis, fineSpectrum: { ...fineSpectrum, midDb } }
      const { mid } = stage(plan(analysis, { reference: spiky }).recipe.stages, 'match')!
      return [own - 1, own, own + 1].map((b) => mid.gainDb[b]!)
    }
    const wide = [1.1, 1.8, 1.1].map((gain) => expect.closeTo(gain, 1))
    expect(gainsFor((hz) => hz > 50)).toEqual(wide)
    expect(gainsFor((hz) => hz > 1000)).toEqual([0, 4, 0].map((gain) => expect.closeTo(gain, 1)))
  })

  it('is followed half of the way at amount 50 and not at all at 0', () => {
    const whole = stage(plan(analysis, { reference }).recipe.stages, 'match')!
    const half = stage(plan(analysis, { reference, reference_amount: 50 }).recipe.stages, 'match')!
    expect(half.mid.gainDb[20]! / whole.mid.gainDb[20]!).toBeCloseTo(0.5, 9)
    expect(plan(analysis, { reference, reference_amount: 0, genre: 'edm' })).toEqual(plan(analysis, { genre: 'edm' }))
  })

  it('never moves mid by more than 6 dB and side by more than 4 dB', () => {
    const far = analyse(shaped([20, 20, 20, 0, 0, 0, -20, -20, -20], [12, 12, 12, -12, -12, 12, 12, -12, -12]))
    const { recipe, decisions } = plan(analysis, { reference: far })
    const { mid, side } = stage(recipe.stages, 'match')!
    expect(Math.max(...mid.gainDb.map(Math.abs))).toBeLessThanOrEqual(6)
    expect(Math.max(...side.gainDb.map(Math.abs))).toBeLessThanOrEqual(4)
    const bounds = { mostMidDb: 6, mostSideDb: 4 }
    const said = (from: typeof decisions) => from.find(({ code }) => code === 'TONE_TOWARD_REFERENCE')?.values
    expect(said(decisions)).toMatchObject(bounds)
    expect(
      said(
        plan(analysis, { reference: analyse(shaped([2, 2, 2, 0, 0, 0, -2, -2, -2], [0, 0, 0, 0, 0, 0, 0, 0, 0])) })
          .decisions,
      ),
    ).not.toHaveProperty('mostMidDb')
  })

  it.each([
    [9, 6],
    [3, 2],
  ])('moves mid by up to %d and side by up to %d dB where that is asked for', (mostMidDb, mostSideDb) => {
    const far = analyse(shaped([20, 20, 20, 0, 0, 0, -20, -20, -20], [12, 12, 12, -12, -12, 12, 12, -12, -12]))
    const { recipe, decisions } = plan(analysis, { reference: far, reference_clamp_db: mostMidDb })
    const { mid, side } = stage(recipe.stages, 'match')!
    expect(Math.max(...mid.gainDb.map(Math.abs))).toBeCloseTo(mostMidDb, 9)
    expect(Math.max(...side.gainDb.filter((_, b) => side.frequencyHz[b]! >= 120).map(Math.abs))).toBeCloseTo(
      mostSideDb,
      9,
    )
    expect(decisions.find(({ code }) => code === 'TONE_TOWARD_REFERENCE')?.values).toMatchObject({
      mostMidDb,
      mostSideDb,
    })
    const usual = plan(analysis, { reference: far })
    expect(plan(analysis, { reference: far, reference_clamp_db: 6 })).toEqual(usual)
  })

  it('of which the sides differ below 120 Hz, where they are not compared, is not said to be followed in part', () => {
    const { fineSpectrum } = reference
    const sideDb = fineSpectrum.sideDb.map((level, b) => (fineSpectrum.bandHz[b]! < 90 ? level + 12 : level))
    const { decisions } = plan(analysis, { reference: { ...reference, fineSpectrum: { ...fineSpectrum, sideDb } } })
    expect(decisions).toEqual(plan(analysis, { reference }).decisions)
  })

  it('that ends at 16 kHz does not cut the air above', () => {
    const limited = {
      ...reference,
      bandwidthHz: 16_000,
      fineSpectrum: {
        ...reference.fineSpectrum,
        midDb: reference.fineSpectrum.midDb.map((level, b) =>
          reference.fineSpectrum.bandHz[b]! > 16_000 ? -120 : level,
        ),
        sideDb: reference.fineSpectrum.sideDb.map((level, b) =>
          reference.fineSpectrum.bandHz[b]! > 16_000 ? -120 : level,
        ),
      },
    }
    const { mid } = stage(plan(analysis, { reference: limited }).recipe.stages, 'match')!
    expect(mid.gainDb.at(-1)).toBeGreaterThan(0)
  })

  it('that is the song itself changes nothing and is named', () => {
    const { recipe, warnings } = plan(analysis, { reference: analysis })
    expect(recipe.stages).toEqual([])
    expect(warnings.map(({ code }) => code)).toEqual(['REFERENCE_IS_TARGET'])
  })
})

describe('the chain', () => {
  it('takes the latency of its filters out', () => {
    const click = allocateAudio(2, 30_000, 48_000)
    click.channels[0]![12_345] = 0.5
    click.channels[1]![12_345] = 0.5
    const gain = { frequencyHz: [100, 10_000], gainDb: [0, 0.5] }
    const told: number[] = []
    applyRecipe(click, { version: 1, stages: [{ kind: 'match', mid: gain, side: gain }] }, (part) => told.push(part))
    const samples = click.channels[0]!
    const peak = samples.findIndex((sample) => Math.abs(sample) > 0.4)
    expect(peak).toBe(12_345)
    expect(told.at(-1)).toBe(1)
    expect(told.every((part, i) => i === 0 || part >= told[i - 1]!)).toBe(true)
  })

  it('may be carried out in two: single samples first, all else when they are edited', () => {
    const damaged = copyOf(music)
    clipHard(damaged, -3)
    addOffset(damaged, 0.05)
    const { recipe } = plan(analyse(damaged), { genre: 'pop' })
    const { edits, rest } = splitRecipe(recipe)
    expect(edits.stages.map(({ kind }) => kind)).toEqual(['declip', 'remove_dc'])
    expect(rest.stages.length).toBeGreaterThan(0)
    const inTwo = copyOf(damaged)
    const repairs = [edits, rest].flatMap((half) => applyRecipe(inTwo, half).repairs)
    const whole = applyRecipe(damaged, recipe)
    expect(repairs).toEqual(whole.repairs)
    expect(largestDifference(inTwo, damaged)).toBe(0)
  })

  it('works in the memory it was given', () => {
    const audio = copyOf(music)
    const [left] = audio.channels
    const { audio: result } = applyRecipe(audio, plan(analysis, { genre: 'pop' }).recipe)
    expect(result.channels[0]).toBe(left)
    expect(largestDifference(result, music)).toBeGreaterThan(0)
  })
})

describe('the highs of a song', () => {
  it.each([
    ['a low-pass of 24 dB per octave at 1.5 kHz', 1500, 2, ['INPUT_MUFFLED']],
    ['one at 4 kHz', 4000, 2, ['INPUT_MUFFLED']],
    ['one at 5.5 kHz', 5500, 2, ['INPUT_MUFFLED']],
    ['a steep one at 1.5 kHz', 1500, 12, ['INPUT_BAND_LIMITED']],
    ['a steep one at 8 kHz', 8000, 12, ['INPUT_BAND_LIMITED']],
    ['one far above all music', 20_000, 1, []],
  ])('are named where they are missing: behind %s', (_, cutoffHz, sections, codes) => {
    const song = copyOf(music)
    // A Butterworth low-pass of twice as many poles.
    const qs = Array.from({ length: sections }, (__, k) => 0.5 / Math.cos((Math.PI * (2 * k + 1)) / (4 * sections)))
    filterWhole(song, createBiquadCascade(qs.map((q) => lowPass(cutoffHz, song.sampleRateHz, q))))
    const found = analyse(song)
    const told = plan(found).warnings.map(({ code }) => code)
    expect(told.filter((code) => code === 'INPUT_MUFFLED' || code === 'INPUT_BAND_LIMITED')).toEqual(codes)
  })

  it('of a muffled song are lifted by 3 dB at most toward a reference, and not at all without one', () => {
    const frequencyHz = [60, 120, 250, 500, 1000, 2000, 4000, 8000, 16_000]
    const brighter = analyse(shaped([0, 0, 0, 0, 0, 0, 6, 6, 6], [0, 0, 0, 0, 0, 0, 6, 6, 6]))
    const highest = (song: SourceAnalysis) => {
      const match = stage(plan(song, { reference: brighter }).recipe.stages, 'match')!
      return Math.max(...frequencyHz.map((hz) => curveGainDb(match.mid, hz)))
    }
    expect(highest(analysis)).toBeGreaterThan(4)
    expect(highest({ ...analysis, treble: { fallDb: 9, lackDb: 0 } })).toBeLessThanOrEqual(3)
    const dull = alike({ ...analysis, tone: { ...analysis.tone, dullness: 4 }, peakRelief: evenedBy('dullness', 1) })
    const codes = (song: SourceAnalysis) => plan(song).decisions.map(({ code }) => code)
    expect(codes(dull)).toContain('TONE_DULLNESS_LIFTED')
    expect(codes({ ...dull, treble: { fallDb: 9, lackDb: 0 } })).not.toContain('TONE_DULLNESS_LIFTED')
  })

  /** A song as a finished limiter leaves it when 6 kHz stands out: harshness by its peaks. */
  const harsh = (change: Partial<SourceAnalysis> & { readonly evidenceDb: number }) => {
    const { evidenceDb, ...rest } = change
    const tone = { ...analysis.tone, harshness: evidenceDb }
    return alike({ ...analysis, tone, peakRelief: evenedBy('harshness', 1), ...rest })
  }
  const highCutDb = (song: SourceAnalysis) =>
    planToneFaults({ ...song, aiService: 'suno' }, 100, NEUTRAL_SOUND).stages.flatMap((stage) =>
      stage.kind === 'equalise'
        ? stage.sections.flatMap(({ frequencyHz, gainDb }) => (frequencyHz > 4000 ? [gainDb] : []))
        : [],
    )

  it('are cut where the spectrum itself shows too much of them, and the more the clearer it does', () => {
    expect(highCutDb(harsh({ evidenceDb: 5 }))).toEqual([-5])
    const [slight] = highCutDb(harsh({ evidenceDb: 0.5 }))
    expect(slight).toBeCloseTo(-2.5)
  })

  it('are never cut against the evidence of the spectrum, whatever the peaks say', () => {
    for (const evidenceDb of [0, -0.5, -1.4, -2.5]) expect(highCutDb(harsh({ evidenceDb }))).toEqual([])
  })

  it('are never cut in a song whose treble falls away', () => {
    expect(highCutDb(harsh({ evidenceDb: 12, treble: { fallDb: 8.5, lackDb: 0 } }))).toEqual([])
    expect(highCutDb(harsh({ evidenceDb: 12, treble: { fallDb: 38, lackDb: 0 } }))).toEqual([])
    expect(highCutDb(harsh({ evidenceDb: 12, treble: { fallDb: 7, lackDb: 0 } }))).toEqual([-5])
  })

  it.each([4000, 5500, 8000])('are left alone behind a low-pass of 24 dB per octave at %i Hz', (cutoffHz) => {
    const song = copyOf(music)
    filterWhole(song, createBiquadCascade([0.5, 0.5].map((q) => lowPass(cutoffHz, song.sampleRateHz, q))))
    const found = analyse(song)
    expect(found.treble.fallDb).toBeGreaterThan(8.5)
    // However clearly the peaks speak for harshness.
    const suspected = alike({
      ...found,
      peakRelief: evenedBy('harshness', 1),
      tone: { ...found.tone, harshness: 14 },
    })
    expect(highCutDb(suspected)).toEqual([])
  })
})
