/** Troubles of a running farm, as seen by one machine: each is reported until the failed part works again. */
import type { FarmTrouble } from '../../src-contract/machines.ts'
import { BlobFault, type BlobFaultKind, type Blobs } from './blobs.ts'

const FILE_TROUBLES = {
  away: 'files_away',
  full: 'files_full',
  refused: 'files_refused',
  damaged: 'files_damaged',
  missing: 'files_damaged',
} as const satisfies Record<BlobFaultKind, FarmTrouble>

/** The current troubles. */
export class Troubles {
  readonly #current = new Set<FarmTrouble>()

  /** Returns the troubles, the oldest first. */
  list(): FarmTrouble[] {
    return [...this.#current]
  }

  note(trouble: FarmTrouble): void {
    this.#current.add(trouble)
  }

  clear(...troubles: readonly FarmTrouble[]): void {
    for (const trouble of troubles) this.#current.delete(trouble)
  }
}

/** Returns the permanent troubles: connections that others on the network can read. */
export function openConnections(
  place: { readonly isEncrypted: boolean; readonly isLoopback: boolean },
  blobs: Pick<Blobs, 'isSafe'>,
): Troubles {
  const troubles = new Troubles()
  if (!place.isEncrypted && !place.isLoopback) troubles.note('queue_not_encrypted')
  if (!blobs.isSafe) troubles.note('files_not_encrypted')
  return troubles
}

/** Returns a store that reports its faults until a file is stored or fetched again. */
export function noted(blobs: Blobs, troubles: Troubles): Blobs {
  const note = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      const result = await work
      troubles.clear(...Object.values(FILE_TROUBLES))
      return result
    } catch (cause) {
      if (cause instanceof BlobFault) troubles.note(FILE_TROUBLES[cause.kind])
      throw cause
    }
  }
  return {
    ...blobs,
    put: (attemptId, file) => note(blobs.put(attemptId, file)),
    get: (key, file, maxBytes) => note(blobs.get(key, file, maxBytes)),
  }
}
