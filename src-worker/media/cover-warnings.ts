import { ADVISED_COVER_PX } from '../../src-contract/limits.ts'
import type { PictureSize } from './cover.ts'

/** Returns the warning about a cover that shops may refuse; none for a square that is large enough, and without a cover. Pure. */
export function coverWarnings(cover: PictureSize | undefined) {
  if (!cover) return []
  const { widthPx, heightPx } = cover
  const isUsual = widthPx === heightPx && widthPx >= ADVISED_COVER_PX
  return isUsual ? [] : [{ code: 'COVER_UNUSUAL' as const, values: { widthPx, heightPx } }]
}
