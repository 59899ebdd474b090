import type { Decision } from '../../src-contract/report.ts'
import type { SoundSettings } from '../../src-contract/settings.ts'
import type { Equalise, EqualiserSection } from '../../src-contract/stages/equalise.ts'
import type { PlannedSong } from '../analysis/analysis.ts'
import { isComparable } from '../analysis/comparable.ts'
import { faultVerdicts, probability, type Verdict } from '../analysis/fault-classifier.ts'
import { type FaultPlace, type ToneFault, toneFaults } from '../analysis/tone-evidence.ts'
import { excessAllowance, highCutAllowance, isMuffled } from '../analysis/treble-fall.ts'
import { troublingResonances } from '../analysis/troubling-resonances.ts'
import { belowUsualUpTo, excessDb, usualUpToDb } from '../analysis/usual-range.ts'
import { type Biquad, highPass, highShelf, lowPass, lowShelf, magnitudeDb, notch, peaking } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import { decodeMidSide, encodeMidSide, type Processor } from '../dsp/processor.ts'
import { rise, rounded } from '../dsp/units.ts'
import { appliedPart, nothingPlanned, repairSkipped, type StagePlan, type StreamingStage } from './stage.ts'

/** Opposite faults: correcting one causes the other, so certainty of one speaks against the other. */
const opposites = { harshness: 'dullness', dullness: 'harshness', mud: null } as const

const codes = { mud: 'MUD_CUT', harshness: 'TONE_HARSHNESS_CUT', dullness: 'TONE_DULLNESS_LIFTED' } as const

const usualOf = (kind: ToneFault['kind']): number => toneFaults.find((fault) => fault.kind === kind)!.usualDb

/** Least bandwidth for a lift, Hz: an octave above the shelf against dullness. */
const leastLiftedHz = 10_000

/** Least correction worth a filter, dB. */
const leastDb = 0.15

/** Spectral evidence that allows a full correction, dB. */
const plainEvidenceDb = 1
/** Log-odds over which the peaks, in both halves, come to outweigh a spectrum mildly against a fault: 0.98 to 0.993. */
const peaksOutweighFrom = 4
const peaksOutweighTo = 5
/** Evidence against a fault that they can outweigh, and evidence that vetoes it, dB. */
const mildlyAgainstDb = -6
const vetoDb = -8

/** Evidence of the spectrum for a fault, dB: the least among the whole song, its halves and the place of treatment. */
function shownDb(analysis: PlannedSong, kind: ToneFault['kind']): number {
  const evidence = [analysis, ...analysis.halves].map(({ tone }) => tone[kind])
  if (kind !== 'dullness') evidence.push(analysis.tonePlaces[kind].evidenceDb)
  return Math.min(...evidence)
}

/**
 * Part of the correction of a fault that the spectrum allows, 0 to 1. 0 without spectral evidence unless the peaks are nearly certain; the
 * peaks never suffice in the highs or against a spectrum that clearly shows the opposite.
 */
function allowance(analysis: PlannedSong, kind: ToneFault['kind'], { leastLogOdds }: Verdict): number {
  const shown = shownDb(analysis, kind)
  const bySpectrum = rise(shown, 0, plainEvidenceDb)
  if (kind === 'harshness') return bySpectrum * highCutAllowance(analysis)
  const byPeaks = rise(leastLogOdds, peaksOutweighFrom, peaksOutweighTo)
  return Math.max(bySpectrum, byPeaks * rise(shown, vetoDb, mildlyAgainstDb))
}

/** Correction of one fault of tone at intensity 50. */
interface ToneCorrection {
  /** dB of the fault: 0 … its usual size. */
  readonly amountDb: number
  /** Largest correction justified at any intensity, dB. */
  readonly mostDb: number
  readonly code: Decision['code']
  /** Values in the report besides the evidence. */
  readonly reason: Readonly<Record<string, number>>
}

/** Distance within which a resonance explains an excess, octaves. */
const besideResonanceOctaves = 0.7

/** True for a place near a resonance cut: it is not cut twice. */
function isResonant(analysis: PlannedSong, place: FaultPlace): boolean {
  return troublingResonances(analysis).some(
    ({ frequencyHz }) => Math.abs(Math.log2(frequencyHz / place.frequencyHz)) < besideResonanceOctaves,
  )
}

/** True if air may be lifted: the band must hold more than noise up there, and a muffled song may be intended that way. */
const canBeLifted = (analysis: PlannedSong): boolean =>
  (analysis.bandwidthHz ?? Number.POSITIVE_INFINITY) >= leastLiftedHz && !isMuffled(analysis)

/** Correction of harshness beyond the range of finished music. */
function excessCorrection(analysis: PlannedSong): ToneCorrection {
  const bearable = excessAllowance(analysis)
  const usualDb = usualOf('harshness')
  return {
    amountDb:
      bearable *
      Math.min(
        usualDb,
        excessDb(
          'harshness',
          [analysis, ...analysis.halves].map(({ tone }) => tone.harshness),
        ),
      ),
    mostDb: bearable * usualDb,
    code: 'TONE_EXCESS_CUT',
    reason: { usualUpToDb: usualUpToDb.harshness, probability: belowUsualUpTo },
  }
}

const noCorrection = (kind: ToneFault['kind']): ToneCorrection => ({
  amountDb: 0,
  mostDb: 0,
  code: codes[kind],
  reason: {},
})

function toneCorrection(analysis: PlannedSong, kind: ToneFault['kind'], verdict: Verdict): ToneCorrection {
  if (kind === 'dullness' && !canBeLifted(analysis)) return noCorrection(kind)
  if (kind === 'harshness' && isResonant(analysis, analysis.tonePlaces.harshness)) return noCorrection(kind)
  const foundDb = usualOf(kind) * verdict.certainty * allowance(analysis, kind, verdict)
  const reason = { probability: rounded(probability(verdict.logOdds), 2) }
  const found = { amountDb: foundDb, mostDb: foundDb, code: codes[kind], reason }
  if (kind !== 'harshness') return found
  const excess = excessCorrection(analysis)
  return excess.amountDb > foundDb ? excess : found
}

/**
 * Returns the equaliser against the typical faults of tone, the same in mid and side: the exact inverses of the faults' own filters, scaled
 * by their certainty or by the piece's excess over all finished music, whichever is more. `intensity` 50 corrects as described, 0 not at
 * all, 100 twice the excess but never more than the fault; the amount of tone scales every correction except a cut of mud. Nothing is
 * planned for a piece that is not {@link isComparable}, or for a fault that the spectrum itself does not show; the highs of a muffled song
 * are neither cut nor lifted.
 */
export function planToneFaults(analysis: PlannedSong, intensity: number, sound: SoundSettings): StagePlan<Equalise> {
  if (!isComparable(analysis)) return nothingPlanned
  const verdicts = faultVerdicts(analysis)
  const corrections = new Map(toneFaults.map(({ kind }) => [kind, toneCorrection(analysis, kind, verdicts[kind])]))
  const sections: EqualiserSection[] = []
  const decisions: Decision[] = []
  for (const fault of toneFaults) {
    const { kind, shape, unitDb } = fault
    const { frequencyHz, q } = kind === 'dullness' ? fault : analysis.tonePlaces[kind]
    const { amountDb, mostDb, code, reason } = corrections.get(kind)!
    const opposite = opposites[kind]
    const doubt = opposite === null ? 1 : 1 - corrections.get(opposite)!.amountDb / usualOf(opposite)
    // A cut of mud is reported as a repair, independent of the amount of tone.
    const part = code === 'MUD_CUT' ? 1 : appliedPart(sound.tone_amount)
    const amount = part * Math.min(mostDb, (doubt * amountDb * intensity) / 50)
    if (amount < leastDb) continue
    if (kind === 'mud' && sound.skip_repairs.includes('mud')) {
      decisions.push(repairSkipped('mud'))
      continue
    }
    sections.push({ shape, frequencyHz, q, gainDb: -amount * unitDb })
    const values = {
      frequencyHz: Math.round(frequencyHz),
      gainDb: rounded(-amount * unitDb, 2),
      evidenceDb: rounded(analysis.tone[kind]),
      ...reason,
    }
    if (code === codes[kind]) decisions.push({ stage: kind === 'mud' ? 'repair' : 'tone', code, values })
    else decisions.push({ stage: 'tone', code, values: { fault: kind, ...values } })
  }
  return { stages: sections.length === 0 ? [] : [{ kind: 'equalise', sections }], decisions }
}

/** Filter of one section; its frequency is limited to 0.45 of the rate. */
function designSection(section: EqualiserSection, sampleRateHz: number): Biquad {
  const { q } = section
  const frequencyHz = Math.min(section.frequencyHz, sampleRateHz * 0.45)
  switch (section.shape) {
    case 'peak':
      return peaking(frequencyHz, sampleRateHz, q, section.gainDb)
    case 'low_shelf':
      return lowShelf(frequencyHz, sampleRateHz, section.gainDb, q)
    case 'high_shelf':
      return highShelf(frequencyHz, sampleRateHz, section.gainDb, q)
    case 'low_pass':
      return lowPass(frequencyHz, sampleRateHz, q)
    case 'high_pass':
      return highPass(frequencyHz, sampleRateHz, q)
    case 'notch':
      return notch(frequencyHz, sampleRateHz, q)
  }
}

const hasGain = ({ shape }: EqualiserSection): boolean =>
  shape === 'peak' || shape === 'low_shelf' || shape === 'high_shelf'

/** Filters of the sections; sections of 0 dB are left out. */
function filtersOf(sections: readonly EqualiserSection[], sampleRateHz: number): Biquad[] {
  return sections
    .filter((section) => !hasGain(section) || section.gainDb !== 0)
    .map((section) => designSection(section, sampleRateHz))
}

/** Gain of the sections together at a frequency, dB. */
export function sectionsGainDb(sections: readonly EqualiserSection[], hz: number, sampleRateHz: number): number {
  return magnitudeDb(filtersOf(sections, sampleRateHz), hz, sampleRateHz)
}

const isFor = (channel: EqualiserSection['channel']) => (section: EqualiserSection) => section.channel === channel

/** Returns a parametric equaliser without latency. No sections, and sections of 0 dB, are the exact identity. */
function createEqualiser(sections: readonly EqualiserSection[], sampleRateHz: number): Processor {
  const [both, ...parts] = ([undefined, 'mid', 'side'] as const).map((channel) => sections.filter(isFor(channel)))
  const inBoth = createBiquadCascade(filtersOf(both!, sampleRateHz))
  if (parts.every(({ length }) => length === 0)) return inBoth
  const filters = parts.map((part) => createBiquadCascade(filtersOf(part, sampleRateHz)))
  return {
    latencySamples: 0,
    process(block) {
      inBoth.process(block)
      encodeMidSide(block)
      for (const [c, filter] of filters.entries())
        filter.process({ channels: [block.channels[c]!], frames: block.frames })
      decodeMidSide(block)
    },
  }
}

/** Highest frequency of a cut of mud, Hz. */
const mudBelowHz = 400

/** Equaliser against the typical faults of tone. */
export const equalise = {
  kind: 'equalise',
  plan: ({ analysis, intensity, references, sound }) =>
    references.length === 0 ? planToneFaults(analysis, intensity, sound) : nothingPlanned,
  create: ({ sections }, sampleRateHz) => createEqualiser(sections, sampleRateHz),
  responseDb({ sections }, hz, sampleRateHz) {
    const without = (channel: 'mid' | 'side') => sections.filter((section) => section.channel !== channel)
    return {
      mid: sectionsGainDb(without('side'), hz, sampleRateHz),
      side: sectionsGainDb(without('mid'), hz, sampleRateHz),
    }
  },
  watch:
    ({ sections }) =>
    () =>
      sections
        .filter((section) => hasGain(section) && section.frequencyHz < mudBelowHz && section.gainDb < 0)
        .map(({ frequencyHz, gainDb }) => ({
          kind: 'mud',
          amount_db: rounded(gainDb),
          frequency_hz: frequencyHz,
          channel: 'both',
        })),
  announces: { MUD_CUT: 'mud' },
} as const satisfies StreamingStage<Equalise>
