import type { Decision } from '../../src-contract/report.ts'
import type { SoundSettings } from '../../src-contract/settings.ts'
import type { Equalise, EqualiserSection } from '../../src-contract/stages/equalise.ts'
import type { PlannedSong } from '../analysis/analysis.ts'
import { isComparable } from '../analysis/comparable.ts'
import { certainty, faultOdds, probability } from '../analysis/fault-classifier.ts'
import { type ToneFault, toneFaults } from '../analysis/tone-evidence.ts'
import { highCutAllowance } from '../analysis/treble-fall.ts'
import { excessDb, usualUpToDb } from '../analysis/usual-range.ts'
import { type Biquad, highShelf, magnitudeDb, peaking } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import type { Processor } from '../dsp/processor.ts'
import { rise, rounded } from '../dsp/units.ts'
import { appliedPart, nothingPlanned, repairSkipped, type StagePlan, type StreamingStage } from './stage.ts'

/** Up to this many dB a correction is a matter of taste: a lean while a fault is only possible. */
const leanDb = 0.9
/**
 * Log-odds between which the lean grows: a probability of 27 per cent, where nothing speaks for a fault it is half of that, and
 * even odds.
 */
const possibleFrom = -1
const possibleTo = 0
/**
 * Log-odds from which a fault is taken for real and removed in its usual size, each by how often music without that fault exceeds
 * it (docs/engine/tone.md): mud and dullness one piece in a hundred at most, since a cut there takes a song's warmth and a
 * lift hardens what was meant; harshness one in fifteen.
 */
const certainFrom: Record<ToneFault['kind'], number> = { mud: 1, harshness: -0.6, dullness: 1 }

/** Faults of which one is undone by what causes the other: where one is taken for real, the other is no matter of taste. */
const opposites = { harshness: 'dullness', dullness: 'harshness', mud: null } as const

const codes = { mud: 'MUD_CUT', harshness: 'TONE_HARSHNESS_CUT', dullness: 'TONE_DULLNESS_LIFTED' } as const

/** Correction at intensity 50 for the log-odds of a fault, dB, to be taken against it: 0 … its usual size. */
export function faultCorrectionDb({ kind, usualDb }: Pick<ToneFault, 'kind' | 'usualDb'>, logOdds: number): number {
  const lean = leanDb * rise(logOdds, possibleFrom, possibleTo)
  return lean + (usualDb - lean) * certainty(logOdds, certainFrom[kind])
}

/** Least correction that is worth a filter, dB. */
const leastDb = 0.15

/**
 * Part of what lies beyond nearly all finished music that is taken back at intensity 50: half of mud, since sparse music of low
 * instruments lies there as well and a cut takes its warmth.
 */
const excessPart = { mud: 0.5, harshness: 1 } as const

/** Evidence of the spectrum from which harshness may be cut in full, dB; without any, how the peaks line up is not enough. */
const plainHarshnessDb = 1

/** Part of the correction of a fault that the spectrum itself allows, 0 to 1: cuts in the highs need highs that stand out. */
function allowance(analysis: PlannedSong, kind: ToneFault['kind']): number {
  if (kind !== 'harshness') return 1
  return highCutAllowance(analysis) * rise(analysis.tone.harshness, 0, plainHarshnessDb)
}

/** Correction of one fault of tone at intensity 50. */
interface ToneCorrection {
  /** dB of the fault: 0 … its usual size. */
  readonly amountDb: number
  readonly code: Decision['code']
  /** Part of the whole correction that is no matter of taste, 0 … 1. */
  readonly certainty: number
  /** Values of the report beside the evidence. */
  readonly reason: Readonly<Record<string, number>>
}

function toneCorrection(analysis: PlannedSong, fault: ToneFault, logOdds: number): ToneCorrection {
  const { kind, usualDb } = fault
  const byOddsDb = faultCorrectionDb(fault, logOdds)
  if (kind !== 'dullness') {
    const amountDb = Math.min(usualDb, excessPart[kind] * excessDb(analysis, kind))
    const reason = { usualUpToDb: usualUpToDb(analysis, kind) }
    if (amountDb > byOddsDb) return { amountDb, code: 'TONE_EXCESS_CUT', certainty: amountDb / usualDb, reason }
  }
  const found = certainty(logOdds, certainFrom[kind])
  return {
    amountDb: byOddsDb,
    code: found > 0 ? codes[kind] : 'TONE_LEANED',
    certainty: found,
    reason: { probability: rounded(probability(logOdds), 2) },
  }
}

/**
 * Returns the equaliser against the typical faults of tone, the same in mid and side: the exact inverses of the faults' own
 * filters, by their odds, or by how far the piece lies beyond nearly all finished music where that is more. `intensity` 50 corrects
 * as described, 0 not at all, 100 twice the lean and the excess but never more than the fault; of all but a cut of mud the amount of
 * tone is applied. A lean is told as one: no fault was
 * found. Nothing is judged in a piece that is not {@link isComparable}; harshness is cut only where the spectrum itself shows it and the
 * treble does not fall away above it.
 */
export function planToneFaults(analysis: PlannedSong, intensity: number, sound: SoundSettings): StagePlan<Equalise> {
  if (!isComparable(analysis)) return nothingPlanned
  const odds = faultOdds(analysis)
  const corrections = new Map(
    toneFaults.map((fault) => [fault.kind, toneCorrection(analysis, fault, odds[fault.kind])]),
  )
  const sections: EqualiserSection[] = []
  const decisions: Decision[] = []
  for (const fault of toneFaults) {
    const { kind, shape, frequencyHz, q, usualDb, unitDb } = fault
    const { amountDb, code, reason } = corrections.get(kind)!
    const opposite = opposites[kind]
    const doubt = opposite === null ? 1 : 1 - corrections.get(opposite)!.certainty
    // A cut of mud is told as a repair, and no amount of tone changes that.
    const part = code === 'MUD_CUT' ? 1 : appliedPart(sound.tone_amount)
    const amount = part * allowance(analysis, kind) * Math.min(usualDb, (doubt * amountDb * intensity) / 50)
    if (amount < leastDb) continue
    // Air is not lifted above a cutoff: there is only noise.
    if (kind === 'dullness' && (analysis.bandwidthHz ?? 20_000) < 2 * frequencyHz) continue
    if (kind === 'mud' && sound.skip_repairs.includes('mud')) {
      decisions.push(repairSkipped('mud'))
      continue
    }
    sections.push({ shape, frequencyHz, q, gainDb: -amount * unitDb })
    const values = {
      frequencyHz,
      gainDb: rounded(-amount * unitDb, 2),
      evidenceDb: rounded(analysis.tone[kind]),
      ...reason,
    }
    if (code === codes[kind]) decisions.push({ stage: kind === 'mud' ? 'repair' : 'tone', code, values })
    else decisions.push({ stage: 'tone', code, values: { fault: kind, ...values } })
  }
  return { stages: sections.length === 0 ? [] : [{ kind: 'equalise', sections }], decisions }
}

/** Filter of one section. A section that lies above 0.45 of the rate is moved there. */
function designSection(section: EqualiserSection, sampleRateHz: number): Biquad {
  const frequencyHz = Math.min(section.frequencyHz, sampleRateHz * 0.45)
  switch (section.shape) {
    case 'peak':
      return peaking(frequencyHz, sampleRateHz, section.q, section.gainDb)
    case 'high_shelf':
      return highShelf(frequencyHz, sampleRateHz, section.gainDb, section.q)
  }
}

/** Filters of the sections; one of 0 dB is none. */
function filtersOf(sections: readonly EqualiserSection[], sampleRateHz: number): Biquad[] {
  return sections.filter(({ gainDb }) => gainDb !== 0).map((section) => designSection(section, sampleRateHz))
}

/** Gain of the sections together at a frequency, dB. */
export function sectionsGainDb(sections: readonly EqualiserSection[], hz: number, sampleRateHz: number): number {
  return magnitudeDb(filtersOf(sections, sampleRateHz), hz, sampleRateHz)
}

/** Returns a parametric equaliser, the same in both channels; no latency. No sections, and sections of 0 dB, are the exact identity. */
function createEqualiser(sections: readonly EqualiserSection[], sampleRateHz: number): Processor {
  return createBiquadCascade(filtersOf(sections, sampleRateHz))
}

/** Below this a cut is one of mud, Hz. */
const mudBelowHz = 400

/** Equaliser against the typical faults of tone. */
export const equalise = {
  kind: 'equalise',
  plan: ({ analysis, intensity, reference, sound }) =>
    reference === null ? planToneFaults(analysis, intensity, sound) : nothingPlanned,
  create: ({ sections }, sampleRateHz) => createEqualiser(sections, sampleRateHz),
  responseDb({ sections }, hz, sampleRateHz) {
    const gainDb = sectionsGainDb(sections, hz, sampleRateHz)
    return { mid: gainDb, side: gainDb }
  },
  watch:
    ({ sections }) =>
    () =>
      sections
        .filter(({ frequencyHz, gainDb }) => frequencyHz < mudBelowHz && gainDb < 0)
        .map(({ frequencyHz, gainDb }) => ({
          kind: 'mud',
          amount_db: rounded(gainDb),
          frequency_hz: frequencyHz,
          channel: 'both',
        })),
  announces: { MUD_CUT: 'mud' },
} as const satisfies StreamingStage<Equalise>
