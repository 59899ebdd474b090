import { type Audio, type AudioBlock, allocateAudio, sliceBlock } from './block.ts'
import { createDistortionMeter, type Distortion } from './distortion.ts'
import { clipAndScale, clipMaterial, createLimiterTrial, type Material, solveGain } from './landing-material.ts'
import { peakGroupFrames } from './meters/true-peak.ts'
import { applyControls, type LimiterSettings } from './processors/limiter.ts'
import { dbToGain } from './units.ts'

/**
 * The limiter for when nothing else is known, and for steady sounds: the look-ahead spans half a period of 30 Hz and the slow part holds
 * the gain through repeated peaks, so that bass and its company stay undistorted.
 */
export const steadyLimiter: LimiterSettings = { lookAheadMs: 8.5, fastReleaseMs: 60, slowRiseMs: 80, slowFallMs: 600 }

/** A limiter that only looks ahead: the gain is back as soon as the peak is over. */
function promptLimiter(lookAheadMs: number): LimiterSettings {
  return { lookAheadMs, fastReleaseMs: 0, slowRiseMs: 0, slowFallMs: 0 }
}

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

/** Found by trying 45 combinations on twelve songs: these are the ones that win somewhere. */
const candidates: readonly Candidate[] = [
  { limiter: steadyLimiter, clipAboveDb: null },
  { limiter: promptLimiter(5), clipAboveDb: null },
  { limiter: promptLimiter(2.5), clipAboveDb: null },
  { limiter: promptLimiter(1), clipAboveDb: null },
  { limiter: promptLimiter(5), clipAboveDb: 2 },
  { limiter: promptLimiter(1), clipAboveDb: 1.5 },
  { limiter: promptLimiter(3), clipAboveDb: 0.5 },
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

/** A candidate and what it would do to the hardest part of the song. */
export interface Weighed extends Treatment {
  readonly candidate: Candidate
  readonly distortion: Distortion
}

/**
 * Tries ways to bring a song to `targetLufs` under `ceiling` (linear): each is landed at the same loudness on the 8 s that need the most
 * reduction, rendered, and compared with the untouched music. Candidates that cannot reach the loudness are left out.
 */
export function weighCandidates(
  source: Material & { readonly audio: Audio },
  ceiling: number,
  targetLufs: number,
  list: readonly Candidate[] = candidates,
): Weighed[] {
  const trial = createLimiterTrial(source, ceiling, promptLimiter(1))
  const quietDb = trial.lufsAt(-200) + 200
  const start = solveGain(
    (gainDb) => trial.lufsAt(gainDb),
    targetLufs,
    targetLufs - quietDb,
    targetLufs - quietDb + 24,
    0.02,
  )
  const excerpt = hardestExcerpt(source, trial.controls)
  const powerDb = createLimiterTrial(cut(excerpt), ceiling, promptLimiter(1)).powerDbAt(start.gainDb)
  return list.flatMap((candidate) => tryCandidate(excerpt, ceiling, candidate, powerDb, start.gainDb) ?? [])
}

/** Chooses the treatment with the least {@link distortionCost} for a song; see {@link weighCandidates}. */
export function chooseTreatment(
  source: Material & { readonly audio: Audio },
  ceiling: number,
  targetLufs: number,
): Treatment {
  const weighed = weighCandidates(source, ceiling, targetLufs)
  return weighed.reduce((best, next) =>
    distortionCost(next.distortion) < distortionCost(best.distortion) ? next : best,
  )
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

function tryCandidate(
  excerpt: Excerpt,
  ceiling: number,
  candidate: Candidate,
  powerDb: number,
  startDb: number,
): Weighed | null {
  const { audio, whole, firstGroup, endGroup } = excerpt
  const { limiter, clipAboveDb } = candidate
  const capDb = startDb + 6
  let gainDb = startDb
  let clipLimit: number | null = null
  let material = cut(excerpt)
  let trial = createLimiterTrial(material, ceiling, limiter)
  for (let round = 0; round < (clipAboveDb === null ? 1 : 2); round++) {
    if (clipAboveDb !== null) {
      clipLimit = ceiling * dbToGain(clipAboveDb - gainDb)
      material = clipMaterial(audio, whole, clipLimit, firstGroup, endGroup)
      trial = createLimiterTrial(material, ceiling, limiter)
    }
    const landed = solveGain((db) => trial.powerDbAt(db), powerDb, gainDb, capDb, 0.02)
    if (landed.value < powerDb - 0.3) return null
    gainDb = landed.gainDb
  }
  const first = firstGroup * peakGroupFrames
  const original = sliceBlock(audio, first, endGroup * peakGroupFrames)
  const processed: AudioBlock = allocateAudio(audio.channels.length, original.frames, audio.sampleRateHz)
  clipAndScale(audio, whole.peaks, clipLimit, dbToGain(gainDb), first, processed)
  applyControls(processed, trial.controls, 0)
  const distortion = createDistortionMeter(audio.sampleRateHz).compare(original, processed, dbToGain(gainDb))
  return { candidate, limiter, clipLimit, gainDb, distortion }
}
