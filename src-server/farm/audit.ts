/** Audit of a farm: one song in N is mastered once more by another machine, and the two results are compared by their SHA-256. */
import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import type { Attempt, AttemptEnd } from '../jobs/queue.ts'
import type { FarmTiming } from './timing.ts'
import type { Troubles } from './troubles.ts'

/** A result as received from the queue. */
export interface MadeAttempt {
  readonly attempt: Attempt
  /** Of the ZIP. */
  readonly sha256: string
  /** Name of the machine that made it. */
  readonly machine: string
}

export interface AuditDeps {
  /** One result in this many is compared; 0 for none. */
  readonly every: number
  /** Runs an attempt on any machine but one, and fetches only its end. */
  readonly makeElsewhere: (attempt: Attempt, notOn: string, signal: AbortSignal) => Promise<AttemptEnd>
  /** Machines that currently take songs. */
  readonly workingMachines: () => number
  readonly troubles: Troubles
  readonly timing: Pick<FarmTiming, 'beatMs'>
  readonly clock: Clock
  readonly log: Log
}

/** Tries until a machine other than the first takes the song: the first gives it back at once. */
const MOST_TRIES = 20

/** Time limit of a comparison, ms: its song may have been deleted meanwhile. */
const TIME_LIMIT_MS = 3_600_000

/** Results since the start of the service. */
export interface AuditCounts {
  readonly compared: number
  readonly different: number
}

export class Audit {
  readonly #deps: AuditDeps
  readonly #closing = new AbortController()
  #made = 0
  #compared = 0
  #different = 0

  constructor(deps: AuditDeps) {
    this.#deps = deps
  }

  counts(): AuditCounts {
    return { compared: this.#compared, different: this.#different }
  }

  /** Call with each result; every N-th is compared, while there is another machine. Never throws. */
  made(one: MadeAttempt): void {
    const { every, workingMachines, log } = this.#deps
    if (every === 0 || ++this.#made % every !== 0 || workingMachines() < 2) return
    this.#compare(one).catch((cause: unknown) => log.warn('two results could not be compared', { cause }))
  }

  close(): void {
    this.#closing.abort(new Error('the server stops'))
  }

  async #compare({ attempt, sha256, machine }: MadeAttempt): Promise<void> {
    const { makeElsewhere, clock, timing, log, troubles } = this.#deps
    const stop = new AbortController()
    const cancel = clock.after(TIME_LIMIT_MS, () => stop.abort(new Error('the comparison takes too long')))
    const signal = AbortSignal.any([stop.signal, this.#closing.signal])
    try {
      for (let tries = 0; tries < MOST_TRIES && !signal.aborted; tries++) {
        // No number of a job's own attempts begins with 0.
        const id = `${attempt.order.jobId}-0${tries}`
        const end = await makeElsewhere({ ...attempt, id }, machine, signal)
        if (end.kind === 'answered' && end.message.type === 'done') {
          this.#compared++
          if (end.message.result.zip.sha256 === sha256) return
          this.#different++
          troubles.note('bytes_differ')
          log.error('two machines made other bytes of one song', { attemptId: attempt.id, machine })
          return
        }
        await clock.sleep(timing.beatMs, signal)
      }
    } finally {
      cancel()
    }
  }
}
