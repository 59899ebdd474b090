import type { Config } from '../config.ts'
import { FarmError } from './farm-error.ts'

/** Configured farm: the queue and the file store that all its machines share. */
export interface FarmWish {
  readonly queue?: string
  readonly blobs?: string
}

/** Addresses of a farm. */
export interface FarmPlaces {
  readonly queue: string
  /** Password of the queue, if not part of its address. */
  readonly queuePassword?: string
  readonly blobs: string
}

/**
 * Returns the addresses from the program's arguments, else from the environment, else from the settings; undefined without any. Throws a
 * {@link FarmError} if one of the two is missing, or an argument contains a password.
 */
export function farmPlaces(
  wish: FarmWish,
  { queuePassword, ...config }: Pick<Config, 'queue' | 'queuePassword' | 'blobs'>,
  set?: FarmWish | null,
): FarmPlaces | undefined {
  const { queue = config.queue ?? set?.queue, blobs = config.blobs ?? set?.blobs } = wish
  if (queue === undefined && blobs === undefined) return undefined
  if (queue === undefined || blobs === undefined) throw new FarmError('only_one')
  if (wish.queue !== undefined && URL.parse(wish.queue)?.password) throw new FarmError('queue_password_shown')
  return { queue, blobs, ...(queuePassword === undefined ? {} : { queuePassword }) }
}

/** Returns whether the host of an address is this machine. Pure. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(hostname)
}
