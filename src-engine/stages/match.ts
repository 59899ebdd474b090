import type { GainCurve, Match } from '../../src-contract/stages/match.ts'
import { createMatchFilter, curveGainDb } from './match/curve-filter.ts'
import { planGenreTone } from './match/genre-tone.ts'
import { planReferenceTone } from './match/reference-tone.ts'
import { type ImagePart, imageLeftAlone, planImage } from './match/width.ts'
import { appliedPart, type Planning, type StagePlan, type StreamingStage } from './stage.ts'

/** Returns the correction of the width; none with a reference, which brings its own width. */
export function widthCorrection({ analysis, intensity, references, sound }: Planning): ImagePart {
  return references.length === 0 ? planImage(analysis, intensity, appliedPart(sound.image_amount)) : imageLeftAlone
}

function planTone(song: Planning): StagePlan<Match> {
  const { analysis, genre, intensity, references, referenceAmount, referenceClampDb, sound } = song
  const part = appliedPart(sound.tone_amount)
  return references.length === 0
    ? planGenreTone(analysis, genre, { intensity, part }, song.stagesOf('equalise'))
    : planReferenceTone(analysis, references, referenceAmount * part, referenceClampDb)
}

/** Combines two filters into one. */
function combined(one: Match, other: Match): Match {
  const sum = (curve: GainCurve, added: GainCurve): GainCurve => ({
    frequencyHz: curve.frequencyHz,
    gainDb: curve.frequencyHz.map((hz, i) => curve.gainDb[i]! + curveGainDb(added, hz)),
  })
  return { kind: 'match', mid: sum(one.mid, other.mid), side: sum(one.side, other.side) }
}

function planMatch(song: Planning): StagePlan<Match> {
  const parts = [planTone(song), widthCorrection(song)]
  const [first, ...further] = parts.flatMap((part) => part.stages)
  return {
    stages: first ? [further.reduce(combined, first)] : [],
    decisions: parts.flatMap((part) => part.decisions),
  }
}

/** Filter toward a genre or a reference, and correction of the width. */
export const match = {
  kind: 'match',
  plan: planMatch,
  create: ({ mid, side }, sampleRateHz) => createMatchFilter(mid, side, sampleRateHz),
  responseDb: ({ mid, side }, hz) => ({ mid: curveGainDb(mid, hz), side: curveGainDb(side, hz) }),
} as const satisfies StreamingStage<Match>
