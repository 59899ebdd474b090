import type { Audition, AuditionPicture } from '../../src-contract/auditions.ts'
import { masterStartSeconds } from '../../src-contract/edges.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { errorText } from '../../src-contract/text/text.ts'
import { toWireValues } from '../../src-contract/wire-values.ts'
import type { KnownAudition } from './auditions.ts'

/** Returns an audition in the app's form: based on the master if there is one, before that on the estimate. */
export function auditionPayload(known: KnownAudition, language: Language): Audition {
  const { id, request, estimate, exact, price, error, proof } = known
  const { decisions } = exact ?? estimate
  const startSeconds = masterStartSeconds(request.settings)
  return {
    audition_id: id,
    source_id: request.sourceId,
    platform: request.platform,
    state: stateOf(known),
    proof,
    duration_seconds: exact?.durationSeconds ?? estimate.frames / estimate.sampleRateHz,
    ...(startSeconds === 0 ? {} : { start_seconds: startSeconds }),
    sample_rate_hz: (exact ?? estimate).sampleRateHz,
    bit_depth: (exact ?? estimate).bitDepth,
    target_lufs: estimate.targetLufs,
    ceiling_dbtp: estimate.ceilingDbtp,
    loudness_lufs: exact?.integratedLufs ?? estimate.loudnessLufs,
    gain_db: (exact ?? estimate).gainDb,
    ...(exact
      ? {
          true_peak_dbtp: exact.truePeakDbtp,
          mean_gain_reduction_db: exact.meanGainReductionDb,
          verdict: exact.verdict,
        }
      : {}),
    recipe: (exact ?? estimate).recipe,
    planned: estimate.planned,
    target_spectrum: estimate.targetSpectrum,
    decisions: decisions.map((decision) => ({ ...decision, values: toWireValues(decision.values) })),
    ...(price ? { price: [...price] } : {}),
    ...(error ? { error: { code: error.code, message: errorText(error.code, error.values, language) } } : {}),
  }
}

/** Returns the figures of an audition in the app's form. */
export function picturePayload(known: KnownAudition): AuditionPicture {
  const { id, estimate, exact } = known
  return {
    audition_id: id,
    state: stateOf(known),
    ...estimate.figures,
    ...(exact ? { master: exact.figures } : {}),
  }
}

function stateOf({ exact, error }: KnownAudition): Audition['state'] {
  if (exact) return 'exact'
  return error ? 'failed' : 'estimated'
}
