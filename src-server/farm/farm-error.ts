/** Reason why the queue between machines, or their file store, cannot be used. */
export type FarmFault =
  | 'queue_address'
  | 'queue_unreachable'
  | 'queue_password'
  | 'queue_certificate'
  | 'queue_password_shown'
  | 'queue_too_old'
  | 'queue_evicts'
  | 'queue_forgets'
  | 'queue_taken'
  | 'blobs_address'
  | 'blobs_unreachable'
  | 'blobs_full'
  | 'blobs_refused'
  | 'blobs_damaged'
  | 'only_one'
  | 'name_taken'
  | 'no_ffmpeg'

/** A farm that cannot be opened; `startFailureText` has the sentence. */
export class FarmError extends Error {
  readonly fault: FarmFault
  /** Place that the sentence names, without a password. */
  readonly place: string

  constructor(fault: FarmFault, place = '', cause?: unknown) {
    super(`${fault} ${place}`, { cause })
    this.name = 'FarmError'
    this.fault = fault
    this.place = place
  }
}
