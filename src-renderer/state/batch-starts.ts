/** Starts of songs that wait for a reference on its way, so that every song is mastered as shown. */
import type { Batch, BatchSong } from '../../src-contract/app.ts'

export interface StartsOptions {
  readonly stateOf: (sourceId: string) => BatchSong['state']
  readonly showState: (sourceIds: readonly string[], state: BatchSong['state']) => void
  /** Resolves to whether the references on their way to a song arrived; undefined if there are no such uploads. */
  readonly arrivalFor: (sourceId: string) => Promise<boolean> | undefined
  /** Requests the start of songs with their settings at that time. */
  readonly startNow: (sourceIds: readonly string[]) => Promise<void>
  /** Called once if the reference of a song to be started did not arrive. */
  readonly onMissing: () => void
}

/** Returns a song in another state; a waiting song leaves the batch of its previous job. */
export function inState({ batch_id, ...song }: BatchSong, state: BatchSong['state']): BatchSong {
  return { ...song, state, ...(batch_id && state !== 'waiting' ? { batch_id } : {}) }
}

/** Makes the keeper of starts. */
export function createStarts({ stateOf, showState, arrivalFor, startNow, onMissing }: StartsOptions) {
  /** Songs waiting to start, with their previous state. */
  const held = new Map<string, BatchSong['state']>()
  const letGo = (sourceIds: readonly string[]) => {
    for (const id of sourceIds) {
      const before = held.get(id)
      held.delete(id)
      if (before) showState([id], before)
    }
  }
  return {
    /** Starts songs and shows them as started at once. A song whose reference does not arrive is not started. */
    async start(sourceIds: readonly string[]): Promise<void> {
      const arrivals = sourceIds.flatMap((id) => {
        const arrival = arrivalFor(id)
        return arrival ? [arrival.then((hasArrived) => ({ id, hasArrived }))] : []
      })
      if (arrivals.length > 0) for (const id of sourceIds) held.set(id, stateOf(id))
      showState(sourceIds, 'waiting')
      if (arrivals.length === 0) return startNow(sourceIds)
      const missing = (await Promise.all(arrivals)).filter(({ hasArrived }) => !hasArrived)
      if (missing.length > 0) onMissing()
      letGo(missing.map(({ id }) => id))
      // A song cancelled or removed meanwhile is no longer held.
      const still = sourceIds.filter((id) => held.delete(id))
      if (still.length > 0) await startNow(still)
    },
    /** Releases songs that wait for a reference, without starting them. */
    letGo,
    /** Returns the songs of a reading with the held ones shown as waiting to be mastered. */
    shown: (songs: Batch['songs']): Batch['songs'] =>
      songs.map((song) => (held.has(song.source.source_id) ? inState(song, 'waiting') : song)),
  }
}
