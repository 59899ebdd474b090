import { type Audio, type AudioBlock, allocateAudio, sliceBlock } from './block.ts'
import { createDistortionMeter, type Distortion } from './distortion.ts'
import { clipAndScale, clipMaterial, createLimiterTrial, type Material, solveGain } from './landing-material.ts'
import { peakGroupFrames } from './meters/true-peak.ts'
import { applyControls, type LimiterSettings } from './processors/limiter.ts'
import { dbToGain } from './units.ts'

/** The limiter for when nothing else is known: clean on steady bass down to 50 Hz. */
export const gentleLimiter: LimiterSettings = { lookAheadMs: 5.5, fastReleaseMs: 0, slowRiseMs: 0, slowFallMs: 0 }

const shortLimiter: LimiterSettings = { ...gentleLimiter, lookAheadMs: 1.5 }

/** What is done to the peaks. */
export interface Treatment {
  readonly limiter: LimiterSettings
  /** Linear level of the untouched song at which the soft clipper works; null: no clipper. */
  readonly clipLimit: number | null
  /** Input gain in dB expected to land. */
  readonly gainDb: number
}

export interface Candidate {
  readonly limiter: LimiterSettings
  /** Level of the clipper above the ceiling, at the song's gain, in dB; null: no clipper. */
  readonly clipAboveDb: number | null
}

const candidates: readonly Candidate[] = [
  { limiter: gentleLimiter, clipAboveDb: null },
  { limiter: shortLimiter, clipAboveDb: null },
  { limiter: gentleLimiter, clipAboveDb: 3 },
  { limiter: shortLimiter, clipAboveDb: 3 },
  { limiter: gentleLimiter, clipAboveDb: 1.5 },
  { limiter: shortLimiter, clipAboveDb: 1.5 },
  { limiter: shortLimiter, clipAboveDb: 0.5 },
]

const excerptSeconds = 8

/** Cost of a distortion: less is better. */
export function distortionCost({ spectralDb, colourDb, audibleDb }: Distortion): number {
  return spectralDb + 2 * colourDb + 2 * audibleDb
}

interface Excerpt {
  readonly audio: Audio
  readonly whole: Material
  readonly firstGroup: number
  readonly endGroup: number
}

/**
 * Chooses limiter and clip level for a song that must come to `targetLufs` under `ceiling` (linear): every candidate is landed at
 * the same loudness on the 8 s that need the most reduction, rendered, and compared with the untouched music.
 */
export function chooseTreatment(
  source: Material & { readonly audio: Audio },
  ceiling: number,
  targetLufs: number,
): Treatment {
  const trial = createLimiterTrial(source, ceiling, shortLimiter)
  const start = solveGain((gainDb) => trial.lufsAt(gainDb), targetLufs, targetLufs - trial.lufsAt(-200) - 200, 60, 0.02)
  const excerpt = hardestExcerpt(source, trial.controls)
  const reference = createLimiterTrial(cut(excerpt), ceiling, shortLimiter)
  const powerDb = reference.powerDbAt(start.gainDb)
  let best: { treatment: Treatment; cost: number } | null = null
  for (const candidate of candidates) {
    const tried = tryCandidate(excerpt, ceiling, candidate, powerDb, start.gainDb)
    const cost = distortionCost(tried.distortion)
    if (best === null || cost < best.cost) {
      best = { cost, treatment: { limiter: candidate.limiter, clipLimit: tried.clipLimit, gainDb: tried.gainDb } }
    }
  }
  return best!.treatment
}

function cut({ whole, firstGroup, endGroup }: Excerpt): Material {
  return {
    peaks: whole.peaks.subarray(firstGroup, endGroup),
    energies: whole.energies.subarray(firstGroup, endGroup),
    sampleRateHz: whole.sampleRateHz,
  }
}

function hardestExcerpt(source: Material & { readonly audio: Audio }, controls: Float32Array): Excerpt {
  const groups = source.peaks.length
  const length = Math.min(groups, Math.round((excerptSeconds * source.sampleRateHz) / peakGroupFrames))
  let sum = 0
  let most = -1
  let end = length
  for (let g = 0; g < groups; g++) {
    sum += 1 - controls[g + 1]!
    if (g >= length) sum -= 1 - controls[g - length + 1]!
    if (g >= length - 1 && sum > most) {
      most = sum
      end = g + 1
    }
  }
  return { audio: source.audio, whole: source, firstGroup: end - length, endGroup: end }
}

interface Tried {
  readonly gainDb: number
  readonly clipLimit: number | null
  readonly distortion: Distortion
}

export function tryCandidate(
  excerpt: Excerpt,
  ceiling: number,
  candidate: Candidate,
  powerDb: number,
  startDb: number,
): Tried {
  const { audio, whole, firstGroup, endGroup } = excerpt
  let gainDb = startDb
  let clipLimit: number | null = null
  let material = cut(excerpt)
  for (let round = 0; round < (candidate.clipAboveDb === null ? 1 : 2); round++) {
    if (candidate.clipAboveDb !== null) {
      clipLimit = ceiling * dbToGain(candidate.clipAboveDb - gainDb)
      material = clipMaterial(audio, whole, clipLimit, firstGroup, endGroup)
    }
    const trial = createLimiterTrial(material, ceiling, candidate.limiter)
    gainDb = solveGain((db) => trial.powerDbAt(db), powerDb, gainDb, startDb + 12, 0.01).gainDb
  }
  const trial = createLimiterTrial(material, ceiling, candidate.limiter)
  trial.powerDbAt(gainDb)
  const first = firstGroup * peakGroupFrames
  const original = sliceBlock(audio, first, endGroup * peakGroupFrames)
  const processed: AudioBlock = allocateAudio(audio.channels.length, original.frames, audio.sampleRateHz)
  clipAndScale(audio, whole.peaks, clipLimit, dbToGain(gainDb), first, processed)
  applyControls(processed, trial.controls, 0)
  const distortion = createDistortionMeter(audio.sampleRateHz).compare(original, processed, dbToGain(gainDb))
  return { gainDb, clipLimit, distortion }
}
