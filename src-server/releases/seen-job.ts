/** A job as the mastering of a release sees it. Pure. */
import { type MasterName, RELEASE } from '../../src-contract/delivery-target.ts'
import type { WorkResult } from '../../src-worker/mastering/work-order.ts'
import { decodeSteps } from '../../src-worker/result/loudness-steps.ts'
import { hasExpired, statusOf } from '../jobs/job.ts'
import type { JobRecord } from '../jobs/store.ts'
import type { SeenJob } from './mastering.ts'

/** Returns a job's facts for a release; its loudness is read lazily. */
export function seenJob(
  job: JobRecord,
  { progress, nowMs }: { readonly progress: number; readonly nowMs: number },
): SeenJob {
  const { result, failure, state, request } = job
  const integratedLufs = result?.release?.integrated_lufs
  return {
    state: statusOf(state),
    request,
    progress,
    hasFiles: state === 'done' && !hasExpired(job, nowMs),
    ...(failure ? { failure } : {}),
    ...(integratedLufs === undefined ? {} : { integratedLufs }),
    get masters() {
      return result ? mastersOf(result) : {}
    },
  }
}

function mastersOf({ masters, release, loudnessSteps = {} }: WorkResult): SeenJob['masters'] {
  const results = [...masters, ...(release ? [{ ...release, platform: RELEASE }] : [])]
  const named = results.flatMap(({ platform, verdict }) => {
    const steps = loudnessSteps[platform]
    if (steps === undefined) return []
    return [[platform, { steps: decodeSteps(steps), isShort: verdict === 'below_target' }] as [MasterName, unknown]]
  })
  return Object.fromEntries(named) as SeenJob['masters']
}
