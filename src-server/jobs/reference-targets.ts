/** Further references of a request: their audio is measured at once, and only their targets go with the job. */
import { atMost } from '../../src-contract/at-most.ts'
import { REFERENCE_FILES, type ReferenceFile } from '../../src-contract/jobs.ts'
import type { SavedTarget } from '../../src-contract/saved-targets.ts'
import { DEFAULT_SETTINGS } from '../../src-contract/settings.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import { AppError } from '../http/app-error.ts'
import type { MasterRequest } from '../uploads/form.ts'
import type { Analyse } from './analyse.ts'

export interface ReferenceTargetsDeps {
  readonly analyse: Analyse
  /** Files of the request. */
  readonly files: ReadonlyMap<string, unknown>
  /** Checks a file of the request and resolves to it. */
  readonly inspect: (part: ReferenceFile) => Promise<StoredSong>
  /** Weights of all reference files, in their order. */
  readonly weights: readonly number[] | undefined
  readonly signal: AbortSignal
}

/** Measurements at a time, of all requests: each takes an engine process. */
const inTurn = atMost(1)

/** Names that a target can have, characters. */
const MAX_NAME_LENGTH = 200

/** Returns a target as a song is answered. */
export const namedTarget = ({ filename }: Pick<StoredSong, 'filename'>, target: SavedTarget): SavedTarget => ({
  name: [...filename].slice(0, MAX_NAME_LENGTH).join(''),
  ...target,
})

/**
 * Returns a request with the targets of its reference files behind the first, which stays a file. Weights are relative to that of the
 * first, which counts 1. Throws as the analysis does, with the part of the form.
 */
export async function withReferenceTargets(
  request: MasterRequest,
  { analyse, files, inspect, weights, signal }: ReferenceTargetsDeps,
): Promise<MasterRequest> {
  const sent = REFERENCE_FILES.filter((part) => files.has(part))
  const first = sent[0] === REFERENCE_FILES[0] ? (weights?.[0] ?? 1) : 1
  const weightOf = (weight = 1) => (weight === first ? {} : { weight: weight / first })
  const measured: SavedTarget[] = []
  for (const [index, part] of sent.entries()) {
    if (part === REFERENCE_FILES[0]) continue
    const song = await inspect(part)
    const { target } = await inTurn(() => analyse(song, DEFAULT_SETTINGS, { signal })).catch((cause: unknown) => {
      if (!(cause instanceof AppError) || cause.param !== 'file') throw cause
      throw new AppError(cause.code, { ...cause.values, param: part, field: part }, { param: part, cause })
    })
    measured.push({ ...namedTarget(song, target), ...weightOf(weights?.[index]) })
  }
  const given = (request.settings.targets ?? []).map((target) => ({ ...target, ...weightOf(target.weight) }))
  if (measured.length === 0 && first === 1) return request
  return { ...request, settings: { ...request.settings, targets: [...measured, ...given] } }
}
