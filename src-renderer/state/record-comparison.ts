/** The songs of a record as they came, at the loudness of their masters: what the sequence player compares these with. Pure. */
import type { Release } from '../../src-contract/releases.ts'
import type { SequencePart } from '../player/sequence.ts'

/** Ways to hear a record: the masters as they are written, or masters and originals at equal loudness. */
export type RecordVersion = 'file' | 'master' | 'original'

/** Returns what a key makes heard of a record; undefined for a key that is not one of the switch. Pure. */
export function versionOfKey(key: string, version: RecordVersion): RecordVersion | undefined {
  if (key === 'x') return version === 'original' ? 'master' : 'original'
  if (key === 'l') return version === 'file' ? 'master' : 'file'
  return undefined
}

/** Levels at which masters and originals are equally loud, dB. */
export interface MatchedLevels {
  /** Gain of every master: one for all, so that their relations stay. 0 or less. */
  readonly masterDb: number
  /** Gains of the originals by track id. 0 or less. */
  readonly originalDb: Readonly<Record<string, number>>
}

/**
 * Returns the levels at which each original is as loud as its master and nothing is louder than in its file; null where the loudness of a
 * master or of a song is not known, or a track is not mastered.
 */
export function matchedLevels(
  { tracks }: Pick<Release, 'tracks'>,
  sourceLufs: Readonly<Record<string, number | null>>,
): MatchedLevels | null {
  const lifts = tracks.map(({ track_id, master }) => {
    const source = sourceLufs[track_id]
    const made = master?.state === 'done' ? master.integrated_lufs : undefined
    return made === undefined || source === null || source === undefined ? null : ([track_id, made - source] as const)
  })
  const known = lifts.filter((one) => one !== null)
  if (known.length === 0 || known.length < lifts.length) return null
  const down = Math.max(0, ...known.map(([, lift]) => lift))
  // Never −0.
  const lowered = (lift: number) => lift - down || 0
  return {
    masterDb: lowered(0),
    originalDb: Object.fromEntries(known.map(([id, lift]) => [id, lowered(lift)])),
  }
}

export const gainOfDb = (db: number): number => 10 ** (db / 20)

/**
 * Returns the parts of originals laid under those of their masters: each begins with its master, is no longer than that, and has its gain.
 */
export function underMasters(
  masters: readonly SequencePart[],
  originals: readonly SequencePart[],
  gainsDb: readonly number[],
): SequencePart[] {
  return originals.map((part, at) => {
    const { frames, restFrames } = masters[at]!
    const before = at > 0 ? masters[at - 1]!.frames - Math.min(originals[at - 1]!.frames, masters[at - 1]!.frames) : 0
    return {
      ...part,
      frames: Math.min(part.frames, frames),
      restFrames: restFrames + before,
      gain: gainOfDb(gainsDb[at] ?? 0),
    }
  })
}
