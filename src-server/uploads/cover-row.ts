/** Covers as the tables of songs and of releases store them. */
import { createHash } from 'node:crypto'
import type { ColorModel, CoverChange, StoredCover as CoverFacts } from '../../src-contract/covers.ts'
import type { SrgbCover } from '../../src-worker/media/srgb-cover.ts'

/** A picture with its facts. */
export interface CoverRow extends Omit<CoverFacts, 'size_bytes' | 'color_model' | 'changes'> {
  /** Null if it was stored before its colour model was recorded. */
  readonly color_model: ColorModel | null
  /** Names of its changes, separated by blanks; null if it was stored before they were recorded. */
  readonly changes: string | null
  readonly bytes: Buffer
}

/** Columns of a row with its cover, whose size is that of its bytes; `media_type` is null without one. */
export interface JoinedCover extends Omit<CoverRow, 'bytes' | 'media_type'> {
  readonly media_type: CoverFacts['media_type'] | null
  readonly cover_bytes: number
}

/** Returns a prepared picture as it is stored. */
export function coverRow({ bytes, facts, changes }: SrgbCover): CoverRow {
  const { mimeType, widthPx, heightPx, colorModel } = facts
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const size = { width_px: widthPx, height_px: heightPx }
  return { media_type: mimeType, sha256, ...size, color_model: colorModel, changes: changes.join(' '), bytes }
}

/** Returns the facts of a cover as answers have them. */
export function coverFacts(
  { media_type, sha256, width_px, height_px, color_model, changes }: Omit<CoverRow, 'bytes'>,
  size_bytes: number,
): CoverFacts {
  return {
    ...{ media_type, size_bytes, sha256, width_px, height_px },
    ...(color_model === null ? {} : { color_model }),
    ...(changes ? { changes: changes.split(' ') as CoverChange[] } : {}),
  }
}

/** Returns the cover of a row as an optional member. */
export function joinedCover({ media_type, cover_bytes, ...cover }: JoinedCover): { readonly cover?: CoverFacts } {
  return media_type === null ? {} : { cover: coverFacts({ ...cover, media_type }, cover_bytes) }
}
