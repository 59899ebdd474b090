/** Edges of a song: trims, fades, and the silence around it. Pure. */
import { MIN_DURATION_SECONDS } from './limits.ts'

/**
 * Curves of a fade by their gain at the part x of its length, 0 to 1: `linear` x, `equal_power` √x, which is straight in power, and
 * `smooth` (1 − cos πx) / 2, a raised cosine.
 */
export const FADE_SHAPES = ['linear', 'equal_power', 'smooth'] as const
export type FadeShape = (typeof FADE_SHAPES)[number]

/** Settings of the edges; all seconds are 0 without. */
export interface Edges {
  readonly trim_start_seconds: number
  readonly trim_end_seconds: number
  readonly fade_in_seconds: number
  readonly fade_in_shape: FadeShape
  readonly fade_out_seconds: number
  readonly fade_out_shape: FadeShape
  readonly pad_start_seconds: number
  readonly pad_end_seconds: number
}

/** Returns how much of a song of this length remains between its trims, s: negative if they overlap. */
export function keptSeconds(
  { trim_start_seconds, trim_end_seconds }: Pick<Edges, 'trim_start_seconds' | 'trim_end_seconds'>,
  durationSeconds: number,
): number {
  return durationSeconds - trim_start_seconds - trim_end_seconds
}

/** Returns the length of the masters of a song, its padding included, s. */
export function masterSeconds(edges: Edges, durationSeconds: number): number {
  return keptSeconds(edges, durationSeconds) + edges.pad_start_seconds + edges.pad_end_seconds
}

/** Returns the position in the song where its masters begin, s: negative if they begin with padding. */
export function masterStartSeconds({
  trim_start_seconds = 0,
  pad_start_seconds = 0,
}: Partial<Pick<Edges, 'trim_start_seconds' | 'pad_start_seconds'>>): number {
  return trim_start_seconds - pad_start_seconds
}

/** An error of the edges: its code, the setting at fault, and the values for the sentence. */
export interface EdgeFault {
  readonly code: 'TRIMMED_AWAY' | 'FADES_OVERLAP'
  readonly param: keyof Edges
  readonly values: { readonly seconds: number; readonly leftSeconds: number }
}

const toTenths = (seconds: number) => Math.round(seconds * 10) / 10

/** Returns why a song of this length cannot have these edges; undefined if it can. Without trims, a short song is not an error here. */
export function edgeFault(edges: Edges, durationSeconds: number): EdgeFault | undefined {
  const { trim_start_seconds, trim_end_seconds, fade_in_seconds, fade_out_seconds } = edges
  const kept = keptSeconds(edges, durationSeconds)
  const leftSeconds = Math.max(0, toTenths(kept))
  if (kept < MIN_DURATION_SECONDS && trim_start_seconds + trim_end_seconds > 0) {
    const param = trim_end_seconds > 0 ? 'trim_end_seconds' : 'trim_start_seconds'
    return { code: 'TRIMMED_AWAY', param, values: { seconds: MIN_DURATION_SECONDS, leftSeconds } }
  }
  const faded = fade_in_seconds + fade_out_seconds
  if (faded <= kept) return undefined
  const param = fade_out_seconds > 0 ? 'fade_out_seconds' : 'fade_in_seconds'
  return { code: 'FADES_OVERLAP', param, values: { seconds: toTenths(faded), leftSeconds } }
}
