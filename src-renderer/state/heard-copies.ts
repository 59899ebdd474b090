/** The forms in which the masters of a song are heard: as uploaded, or as a codec leaves them. Pure. */
import type { CopyCodec } from '../../src-contract/codecs.ts'
import type { Refusal } from './refusal.ts'

/** The form of one master. */
export interface HeardCopy {
  /** The codec whose copy is heard; null while the master is heard as uploaded. */
  readonly codec: CopyCodec | null
  /** The codec whose copy is being made; what was heard before is heard until it is there. */
  readonly making: CopyCodec | null
  /** The copy that could not be made or read, and why. */
  readonly failed: { readonly codec: CopyCodec; readonly refusal: Refusal } | null
}

/** Forms of the masters that are not heard as uploaded, by their versions. */
export type HeardCopies = Readonly<Record<string, HeardCopy>>

export const AS_UPLOADED: HeardCopy = { codec: null, making: null, failed: null }

/** Returns the name of a copy on the player. */
export const copyTrack = (version: string, codec: CopyCodec): string => `${version} ${codec}`

/** Returns the version and the codec of a track; null for a version as it was uploaded. */
export function partsOfTrack(track: string): { readonly version: string; readonly codec: CopyCodec | null } {
  const [version, codec = null] = track.split(' ') as [string, CopyCodec?]
  return { version, codec }
}

/** Returns the name on the player of what is heard of a version. */
export function trackOf(copies: HeardCopies, version: string): string {
  const codec = copies[version]?.codec
  return codec ? copyTrack(version, codec) : version
}

/** Tells whether a track is a copy that is heard or waited for. */
export const isWantedCopy = (copies: HeardCopies, track: string): boolean =>
  Object.entries(copies).some(([version, { codec, making }]) =>
    [codec, making].some((one) => one && copyTrack(version, one) === track),
  )

/** Returns the gains with those of the copies, which are their masters': a codec leaves the level as it is. */
export function withCopies(gains: Readonly<Record<string, number>>, copies: HeardCopies): Record<string, number> {
  const ofCopies = Object.keys(copies).flatMap((version) => {
    const gain = gains[version]
    return gain === undefined ? [] : [[trackOf(copies, version), gain] as const]
  })
  return { ...gains, ...Object.fromEntries(ofCopies) }
}
